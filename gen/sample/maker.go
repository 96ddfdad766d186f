package sample

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Bounds on the work for one instance.
const (
	maxMakes = 4000 // values begun
	maxTries = 6    // of one value
)

// maker makes one instance.
type maker struct {
	s      *Sampler
	rng    *rand.Rand
	judge  *judge
	budget int
	small  bool // only what is required, everywhere
	hit    *hit
}

// hit is the value at the end of an errand, and what it was made by.
type hit struct {
	value *value
	plan  *plan
	conj  []*schema.Node
	here  route // the steps of the errand that stay at the value
	depth int
}

func (s *Sampler) maker(rng *rand.Rand) *maker {
	return &maker{s: s, rng: rng, judge: s.judge(), budget: maxMakes}
}

// make gives a value of which all of the schemas hold, or nil.
func (m *maker) make(conj []*schema.Node, e *errand, depth int) *value {
	if e == nil && !slices.ContainsFunc(conj, func(n *schema.Node) bool { return !m.s.open(n) }) {
		return m.any(min(2, m.s.depth-depth))
	}
	for try := range maxTries {
		if m.budget--; m.budget < 0 {
			return nil
		}
		small := m.small || depth > m.s.depth || m.budget < maxMakes/2 || try >= maxTries-2
		p := m.choose(conj, e, depth, small)
		v := m.build(p)
		if v == nil || !m.judge.holdAll(conj, v) {
			continue
		}
		if p.end != nil {
			m.hit = &hit{v, p, conj, e.route, depth}
		}
		return v
	}
	return nil
}

// build makes a value by a plan; whether all rules hold is seen afterwards.
func (m *maker) build(p *plan) *value {
	if p.types == 0 {
		return nil
	}
	if p.wish != nil && p.wish.value != nil {
		return fresh(p.wish.value)
	}
	if values, ok := p.fixed(); ok {
		return m.fixed(p, values)
	}
	switch t := m.typeOf(p); t {
	case schema.TypeNull:
		return null()
	case schema.TypeBoolean:
		return boolean(m.rng.IntN(2) == 0)
	case schema.TypeInteger, schema.TypeNumber:
		return m.number(p, t == schema.TypeInteger)
	case schema.TypeString:
		return m.text(p)
	case schema.TypeArray:
		return m.array(p)
	case schema.TypeObject:
		return m.object(p)
	}
	return nil
}

// fixed picks one of a few values, of those that the rules of the plan leave.
func (m *maker) fixed(p *plan, values []*value) *value {
	var fit []*value
	for _, v := range values {
		if intersect(p.types, kindTypes(v)) != 0 && m.judge.holdAll(p.nodes, v) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fresh(pick(m.rng, fit))
}

// any makes a value that no schema has a rule for.
func (m *maker) any(depth int) *value {
	kinds := 6
	if depth <= 0 || m.small {
		kinds = 4
	}
	switch m.rng.IntN(kinds) {
	case 0:
		return null()
	case 1:
		return boolean(m.rng.IntN(2) == 0)
	case 2:
		return number(pick(m.rng, looseNumbers))
	case 3:
		return text(m.letters(m.rng.IntN(8), false))
	case 4:
		v := array()
		for range m.rng.IntN(4) {
			v.Items = append(v.Items, m.any(depth-1))
		}
		return v
	}
	v := object()
	for range m.rng.IntN(4) {
		name := m.name()
		if v.Get(name) == nil {
			v.Members = append(v.Members, member(name, m.any(depth-1)))
		}
	}
	return v
}

// looseNumbers are numbers as people and machines write them, some of them
// beyond what fits into a machine's numbers.
var looseNumbers = []string{
	"0", "-0", "1", "-1", "2", "10", "0.5", "-0.25", "1.0", "1e2", "1E-2", "12.50e+1", "9007199254740991",
	"9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890",
	"1e-30", "1e40", "1.7976931348623157e308", "1e309", "0.1234567890123456789",
}

var commonNames = strings.Fields("id name type kind value data text note x X items é ключ 名 𝒳 a/b a~b __proto__ constructor")

// name makes a member name for an object that names none itself.
func (m *maker) name() string {
	switch m.rng.IntN(8) {
	case 0:
		return ""
	case 1:
		return m.letters(1+m.rng.IntN(12), false)
	}
	return pick(m.rng, commonNames)
}

// letters makes n characters, most of them plain.
func (m *maker) letters(n int, astral bool) string {
	var b strings.Builder
	for range n {
		b.WriteRune(m.letter(everything, astral))
	}
	return b.String()
}

// open tells whether a schema has no rule at all.
func (s *Sampler) open(n *schema.Node) bool {
	o, ok := s.opens[n]
	if !ok {
		o = open(n.Target())
		s.opens[n] = o
	}
	return o
}

func open(n *schema.Node) bool {
	if n.Always != nil {
		return *n.Always
	}
	return n.Ref == nil && n.DynamicRef == nil &&
		n.Types == 0 && n.Const == nil && n.Enum == nil && concerns(n) == 0 && n.AllOf == nil && n.AnyOf == nil &&
		n.OneOf == nil && n.Not == nil && n.If == nil
}

package sample

import (
	"math"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Bounds on what is made where a schema wants very much.
const (
	maxMembers = 2000
	maxItems   = 5000
	maxLength  = 70000
)

// bounds gives the tightest of several bounds on a count.
func bounds(nodes []*schema.Node, of func(*schema.Node) (least, most *int64)) (low, high int64) {
	high = math.MaxInt64
	for _, n := range nodes {
		least, most := of(n)
		if least != nil {
			low = max(low, *least)
		}
		if most != nil {
			high = min(high, *most)
		}
	}
	return low, high
}

// sizes lays the size that is wished for over the bounds.
func (p *plan) sizes(low, high int64) (int64, int64) {
	if p.wish != nil && p.wish.size != nil {
		return *p.wish.size, *p.wish.size
	}
	return low, high
}

// objectMaker makes one object by a plan.
type objectMaker struct {
	*maker
	plan      *plan
	names     []string // members it will have
	low, high int64
}

func (m *maker) object(p *plan) *value {
	o := &objectMaker{maker: m, plan: p}
	o.low, o.high = p.sizes(bounds(p.nodes, func(n *schema.Node) (*int64, *int64) { return n.MinProperties, n.MaxProperties }))
	if o.low > maxMembers || !o.wanted() {
		return nil
	}
	optional := o.optional()
	v := object()
	for _, name := range o.names {
		c := m.make(o.schemas(name), o.errandFor(name), p.depth+1)
		if c == nil {
			return nil
		}
		v.Members = append(v.Members, member(name, c))
	}
	for _, name := range optional {
		if int64(len(v.Members)) >= o.high {
			break
		}
		// An optional member that cannot be made is left out.
		if c := m.make(o.schemas(name), nil, p.depth+1); c != nil {
			v.Members = append(v.Members, member(name, c))
		}
	}
	o.strange(v)
	if !p.small && m.rng.IntN(4) == 0 {
		m.rng.Shuffle(len(v.Members), func(i, j int) { v.Members[i], v.Members[j] = v.Members[j], v.Members[i] })
	}
	return v
}

func (o *objectMaker) has(name string) bool { return slices.Contains(o.names, name) }

// wanted collects the members that must be there; false when they may not.
func (o *objectMaker) wanted() bool {
	add := func(name string) {
		if !o.has(name) {
			o.names = append(o.names, name)
		}
	}
	// Declared order first, so that instances look like what people write.
	for _, n := range o.plan.nodes {
		for _, pr := range n.Properties {
			if o.plan.required(pr.Name) {
				add(pr.Name)
			}
		}
	}
	for _, n := range o.plan.nodes {
		for _, name := range n.Required {
			add(name)
		}
	}
	for _, name := range o.plan.need {
		add(name)
	}
	if w := o.plan.wish; w != nil && w.member != "" {
		add(w.member)
	}
	if in := o.plan.into; in != nil {
		switch e := in.next(); e.Keyword {
		case "properties":
			add(e.Name)
		case "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames":
			name, ok := o.nameFor(e)
			if !ok {
				return false
			}
			add(name)
		}
	}
	for i := 0; i < len(o.names); i++ {
		for _, n := range o.plan.nodes {
			for _, d := range n.DependentRequired {
				if d.Name == o.names[i] {
					for _, name := range d.Required {
						add(name)
					}
				}
			}
		}
	}
	return int64(len(o.names)) <= o.high && !slices.ContainsFunc(o.names, func(name string) bool { return o.plan.forbid[name] })
}

// optional picks optional members, with what depends on them.
func (o *objectMaker) optional() []string {
	var picked, left []string
	chance := 50
	switch w := o.plan.wish; {
	case w != nil && w.members == noMembers:
		chance = 0
	case w != nil && w.members == allMembers:
		chance = 100
	case o.plan.small:
		chance = 0
	case o.rng.IntN(4) == 0:
		chance = o.rng.IntN(101)
	}
	if w := o.plan.wish; w == nil && o.plan.depth > 0 {
		// Deep down objects stay narrow, else a recursive schema makes trees.
		declared := 1
		for _, n := range o.plan.nodes {
			declared += len(n.Properties)
		}
		chance = min(chance, 800/(o.plan.depth*declared))
	}
	take := func(name string) {
		for todo := []string{name}; len(todo) > 0; todo = todo[1:] {
			if name := todo[0]; !o.has(name) && !slices.Contains(picked, name) {
				picked = append(picked, name)
				for _, n := range o.plan.nodes {
					for _, d := range n.DependentRequired {
						if d.Name == name {
							todo = append(todo, d.Required...)
						}
					}
				}
			}
		}
	}
	for _, n := range o.plan.nodes {
		for _, pr := range n.Properties {
			switch {
			case o.has(pr.Name) || o.plan.forbid[pr.Name] || slices.Contains(picked, pr.Name) || slices.Contains(left, pr.Name):
			case o.refused(pr.Name):
			case o.rng.IntN(100) < chance:
				take(pr.Name)
			default:
				left = append(left, pr.Name)
			}
		}
	}
	for _, name := range left {
		if int64(len(o.names)+len(picked)) >= o.low {
			break
		}
		take(name)
	}
	return picked
}

// strange adds members that no schema names: as many as are missing, and now and
// then one more.
func (o *objectMaker) strange(v *value) {
	more := max(o.low-int64(len(v.Members)), 0)
	if w := o.plan.wish; w != nil && w.extra || o.plan.wish == nil && !o.plan.small && o.rng.IntN(8) == 0 {
		more++
	}
	for tries := 2*more + 4; tries > 0 && more > 0 && int64(len(v.Members)) < o.high; tries-- {
		name, ok := o.strangeName(v)
		if !ok || v.Get(name) != nil || o.plan.forbid[name] || o.refused(name) {
			continue
		}
		c := o.make(o.schemas(name), nil, o.plan.depth+1)
		if c != nil {
			v.Members = append(v.Members, member(name, c))
			more--
		}
	}
}

// strangeName makes a name that the rules on names allow, often by a pattern.
func (o *objectMaker) strangeName(v *value) (string, bool) {
	var patterns []*schema.Node
	var names []*schema.Node
	for _, n := range o.plan.nodes {
		if n.PropertyNames != nil {
			names = append(names, n.PropertyNames)
		}
		if len(n.PatternProperties) > 0 {
			patterns = append(patterns, n)
		}
	}
	if len(patterns) > 0 && o.rng.IntN(3) > 0 {
		return o.word(stringRule{patterns: []wanted{{pick(o.rng, pick(o.rng, patterns).PatternProperties).Pattern, true}}, high: math.MaxInt64}, false)
	}
	if len(names) > 0 {
		if c := o.make(names, nil, o.plan.depth+1); c != nil && c.Kind == document.String {
			return c.Text, true
		}
		return "", false
	}
	name := o.name()
	if v.Get(name) != nil {
		name += o.letters(3, false)
	}
	return name, true
}

// nameFor makes a name whose member goes to the schema an errand leads to.
func (o *objectMaker) nameFor(e schema.Edge) (string, bool) {
	from := o.plan.into.route[0].from
	for range 40 {
		var name string
		ok := true
		switch e.Keyword {
		case "patternProperties":
			name, ok = o.word(stringRule{patterns: []wanted{{e.Name, true}}, high: math.MaxInt64}, false)
		case "propertyNames":
			c := o.make(o.nameSchemas(), o.plan.into.onward(), o.plan.depth+1)
			if c == nil || c.Kind != document.String {
				return "", false
			}
			return c.Text, !o.plan.forbid[c.Text]
		default:
			name, ok = o.strangeName(object())
			ok = ok && from.Property(name) == nil && !slices.ContainsFunc(from.PatternProperties, func(p schema.PatternProperty) bool {
				return o.s.matches(p.Pattern, name)
			})
		}
		if ok && !o.plan.forbid[name] && !o.refused(name) {
			return name, true
		}
	}
	return "", false
}

func (o *objectMaker) nameSchemas() []*schema.Node {
	var names []*schema.Node
	for _, n := range o.plan.nodes {
		if n.PropertyNames != nil {
			names = append(names, n.PropertyNames)
		}
	}
	return names
}

// errandFor gives the errand that goes on in a member, if one does.
func (o *objectMaker) errandFor(name string) *errand {
	in := o.plan.into
	if in == nil || in.next().Keyword == "propertyNames" {
		return nil
	}
	if e := in.next(); e.Keyword == "properties" && e.Name != name {
		return nil
	}
	if slices.Contains(o.schemas(name), in.next().Node) {
		return in.onward()
	}
	return nil
}

// schemas gives what applies to the member of a name.
func (o *objectMaker) schemas(name string) []*schema.Node {
	return o.s.memberSchemas(o.plan.nodes, name)
}

func (s *Sampler) memberSchemas(nodes []*schema.Node, name string) []*schema.Node {
	var conj []*schema.Node
	for _, n := range nodes {
		own := false
		if c := n.Property(name); c != nil {
			conj, own = append(conj, c), true
		}
		for _, p := range n.PatternProperties {
			if s.matches(p.Pattern, name) {
				conj, own = append(conj, p.Node), true
			}
		}
		if !own && n.AdditionalProperties != nil {
			conj = append(conj, n.AdditionalProperties)
		}
	}
	if len(conj) == 0 {
		for _, n := range nodes {
			if n.UnevaluatedProperties != nil {
				conj = append(conj, n.UnevaluatedProperties)
			}
		}
	}
	return conj
}

// refused tells whether a member of the name can never be valid.
func (o *objectMaker) refused(name string) bool {
	return slices.ContainsFunc(o.schemas(name), func(n *schema.Node) bool { return n.Always != nil && !*n.Always })
}

package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// allTypes is what a value may be where no type is given.
const allTypes = schema.TypeNull | schema.TypeBoolean | schema.TypeInteger | schema.TypeNumber |
	schema.TypeString | schema.TypeArray | schema.TypeObject

// plan is the rules that one value is made by: the schemas that hold together at
// its place once a branch of every union is chosen.
type plan struct {
	nodes  []*schema.Node
	into   *errand         // where an errand leads on into a part of the value
	end    *schema.Node    // where an errand ends at this very value
	types  schema.Types    // 0: no value can be
	need   []string        // members that must be there beyond required
	forbid map[string]bool // members that must not be there
	depth  int
	small  bool // only what is required
	wish   *wish
}

// wish says what the value at the end of a route is to be like. Its fields are
// laid over what the rules leave open.
type wish struct {
	value   *value       // this value
	types   schema.Types // one of these
	size    *int64       // so many code points, items or members
	astral  bool         // characters beyond the basic plane where possible
	members fullness     // which optional members
	member  string       // this optional member
	extra   bool         // a member that no schema names
}

// fullness says which of its optional members an object gets.
type fullness uint8

const (
	someMembers fullness = iota
	noMembers
	allMembers
)

// choose makes a plan out of the schemas that apply to a value.
func (m *maker) choose(conj []*schema.Node, e *errand, depth int, small bool) *plan {
	p := &plan{types: allTypes, forbid: map[string]bool{}, depth: depth, small: small}
	var here route
	if e != nil {
		var rest route
		here, rest = e.route.inPlace()
		if len(rest) > 0 {
			p.into = &errand{rest, e.at, e.wish}
		} else {
			p.end, p.wish = e.at, e.wish
		}
	}
	seen := map[*schema.Node]bool{}
	todo := slices.Clone(conj)
	slices.Reverse(todo)
	dependent := []schema.Property{}
	push := func(n *schema.Node) {
		if n != nil {
			todo = append(todo, n)
		}
	}
	for {
		for len(todo) > 0 {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[n] {
				continue
			}
			seen[n] = true
			if n.Always != nil {
				if !*n.Always {
					p.types = 0
				}
				continue
			}
			p.nodes = append(p.nodes, n)
			if n.Types != 0 {
				p.types = intersect(p.types, n.Types)
			}
			push(n.Ref)
			push(n.DynamicRef)
			for _, c := range n.AllOf {
				push(c)
			}
			push(m.branch(n, "anyOf", n.AnyOf, here, small))
			push(m.branch(n, "oneOf", n.OneOf, here, small))
			m.condition(n, here, push)
			p.avoid(n.Not)
			dependent = append(dependent, m.dependents(n, here, p, push)...)
		}
		// A member that is there after all brings in what depends on it.
		left := dependent[:0]
		for _, d := range dependent {
			if p.required(d.Name) {
				push(d.Node)
			} else {
				left = append(left, d)
			}
		}
		dependent = left
		if len(todo) == 0 {
			break
		}
	}
	for _, d := range dependent {
		p.forbid[d.Name] = true
	}
	if p.wish != nil && p.wish.types != 0 {
		p.types = intersect(p.types, p.wish.types)
	}
	if p.into != nil {
		p.types = intersect(p.types, containerOf(p.into.next().Keyword))
	}
	return p
}

func containerOf(keyword string) schema.Types {
	switch keyword {
	case "prefixItems", "items", "contains", "unevaluatedItems":
		return schema.TypeArray
	}
	return schema.TypeObject
}

// intersect gives the types in both sets; an integer is a number.
func intersect(x, y schema.Types) schema.Types {
	both := x & y
	if x.Has(schema.TypeNumber) && y.Has(schema.TypeInteger) || y.Has(schema.TypeNumber) && x.Has(schema.TypeInteger) {
		both |= schema.TypeInteger
	}
	return both
}

// branch picks one branch of a union.
func (m *maker) branch(n *schema.Node, keyword string, branches []*schema.Node, here route, small bool) *schema.Node {
	if branches == nil {
		return nil
	}
	if e, ok := here.forced(n, keyword); ok {
		return e.Node
	}
	if small {
		least := branches[0]
		for _, c := range branches {
			if m.s.heights[c] < m.s.heights[least] {
				least = c
			}
		}
		// Among several as shallow, any; then a retry may do better.
		var low []*schema.Node
		for _, c := range branches {
			if m.s.heights[c] == m.s.heights[least] {
				low = append(low, c)
			}
		}
		return pick(m.rng, low)
	}
	c := pick(m.rng, branches)
	if m.s.heights[c] == never {
		c = pick(m.rng, branches)
	}
	return c
}

// condition decides whether if is to hold.
func (m *maker) condition(n *schema.Node, here route, push func(*schema.Node)) {
	if n.If == nil {
		return
	}
	_, then := here.forced(n, "then")
	_, cond := here.forced(n, "if")
	_, other := here.forced(n, "else")
	if other || !then && !cond && m.rng.IntN(2) == 0 {
		// That if does not hold is left to chance.
		push(n.Else)
		return
	}
	push(n.If)
	push(n.Then)
}

// dependents decides which members of dependentSchemas are to be there, and
// gives those that are left out.
func (m *maker) dependents(n *schema.Node, here route, p *plan, push func(*schema.Node)) []schema.Property {
	var left []schema.Property
	for _, d := range n.DependentSchemas {
		e, forced := here.forced(n, "dependentSchemas")
		if forced && e.Name == d.Name || !p.small && m.rng.IntN(3) == 0 {
			p.need = append(p.need, d.Name)
			push(d.Node)
			continue
		}
		left = append(left, d)
	}
	return left
}

// avoid keeps away from what not refuses, where that is easily seen.
func (p *plan) avoid(not *schema.Node) {
	if not == nil {
		return
	}
	not = not.Target()
	rules := 0
	for _, m := range not.Value.Members {
		switch m.Name {
		case "title", "description", "$comment", "$schema", "$id", "$defs", "default", "examples":
		default:
			rules++
		}
	}
	switch {
	case rules != 1:
	case len(not.Required) == 1:
		p.forbid[not.Required[0]] = true
	case not.Types != 0:
		p.types &^= not.Types
		if not.Types.Has(schema.TypeNumber) {
			p.types &^= schema.TypeInteger
		}
	}
}

// required tells whether a rule of the plan wants the member.
func (p *plan) required(name string) bool {
	if slices.Contains(p.need, name) || p.wish != nil && p.wish.member == name && name != "" {
		return true
	}
	if p.into != nil && p.into.next().Keyword == "properties" && p.into.next().Name == name {
		return true
	}
	for _, n := range p.nodes {
		if n.IsRequired(name) {
			return true
		}
	}
	return false
}

// typeOf picks the type of the value: one that the rules speak about, where they
// leave the type open.
func (m *maker) typeOf(p *plan) schema.Types {
	if p.types == 0 {
		return 0
	}
	var spoken schema.Types
	for _, n := range p.nodes {
		spoken |= concerns(n)
	}
	likely := intersect(p.types, spoken)
	if likely != 0 && (p.types == allTypes || m.rng.IntN(4) > 0) && m.rng.IntN(12) > 0 {
		return one(m.rng, likely)
	}
	if p.small {
		if scalars := p.types &^ (schema.TypeArray | schema.TypeObject); scalars != 0 {
			return one(m.rng, scalars)
		}
	}
	return one(m.rng, p.types)
}

func one(rng *rand.Rand, t schema.Types) schema.Types {
	var each []schema.Types
	for x := schema.TypeNull; x <= schema.TypeObject; x <<= 1 {
		if t.Has(x) {
			each = append(each, x)
		}
	}
	return pick(rng, each)
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// concerns gives the types that keywords of n have rules for.
func concerns(n *schema.Node) schema.Types {
	var t schema.Types
	if n.MinLength != nil || n.MaxLength != nil || n.Pattern != nil || n.Format != "" {
		t |= schema.TypeString
	}
	if n.Minimum != nil || n.Maximum != nil || n.ExclusiveMinimum != nil || n.ExclusiveMaximum != nil || n.MultipleOf != nil {
		t |= schema.TypeNumber
	}
	if n.PrefixItems != nil || n.Items != nil || n.Contains != nil || n.UnevaluatedItems != nil || n.UniqueItems ||
		n.MinItems != nil || n.MaxItems != nil {
		t |= schema.TypeArray
	}
	if n.Properties != nil || n.PatternProperties != nil || n.AdditionalProperties != nil || n.PropertyNames != nil ||
		n.UnevaluatedProperties != nil || n.Required != nil || n.DependentRequired != nil || n.DependentSchemas != nil ||
		n.MinProperties != nil || n.MaxProperties != nil {
		t |= schema.TypeObject
	}
	return t
}

// fixed gives the values that const and enum leave, copied; ok is false when
// there is neither.
func (p *plan) fixed() (values []*value, ok bool) {
	for _, n := range p.nodes {
		var own []*document.Value
		switch {
		case n.Const != nil:
			own = []*document.Value{n.Const}
		case n.Enum != nil:
			own = n.Enum
		default:
			continue
		}
		if !ok {
			values, ok = own, true
			continue
		}
		var both []*value
		for _, v := range values {
			if slices.ContainsFunc(own, v.Equal) {
				both = append(both, v)
			}
		}
		values = both
	}
	return values, ok
}

package inclusion

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// formula is what a literal demands of the values of one family: all of the
// units, and of each clause all terms of one alternative.
type formula struct {
	never   bool
	units   []*term
	clauses []clause
}

type clause struct {
	alternatives [][]*term
	keyword      string // where the choice comes from
}

type expansion struct {
	id     int
	family family
}

// expand gives the formula of a literal.
func (s *Solver) expand(t *term, f family) *formula {
	key := expansion{t.id, f}
	if have := s.formulas[key]; have != nil {
		return have
	}
	x := expander{s: s, n: t.node, f: f, side: t.side, known: !t.not, out: &formula{}}
	if t.not {
		x.negative()
	} else {
		x.positive()
	}
	s.formulas[key] = x.out
	return x.out
}

type expander struct {
	s     *Solver
	n     *schema.Node
	f     family
	side  Side
	known bool
	out   *formula
}

func (x *expander) lit(n *schema.Node, not bool) *term {
	return x.s.terms.literal(Literal{n, not, x.side})
}

func (x *expander) lits(nodes []*schema.Node, not bool) []*term {
	out := make([]*term, len(nodes))
	for i, n := range nodes {
		out[i] = x.lit(n, not)
	}
	return out
}

func (x *expander) atom(a term) *term {
	a.side, a.known = x.side, x.known
	return x.s.terms.atom(a)
}

func (x *expander) unit(terms ...*term) { x.out.units = append(x.out.units, terms...) }

func (x *expander) choose(keyword string, alternatives ...[]*term) {
	x.out.clauses = append(x.out.clauses, clause{alternatives, keyword})
}

// excluded tells whether the types, here and below, leave no value of the family.
func (x *expander) excluded() bool { return x.s.kinds(x.n)&typesOf[x.f] == 0 }

// integers tells whether type leaves integers only.
func (x *expander) integers() bool {
	return x.f == numbers && x.n.Types != 0 && x.n.Types&schema.TypeNumber == 0
}

var one = document.ParseDecimal("1")

func (x *expander) positive() {
	n := x.n
	if n.Always != nil {
		x.out.never = !*n.Always
		return
	}
	if x.excluded() {
		x.out.never = true
		return
	}
	if sub := x.unevaluated(); sub != nil {
		x.open(sub)
		return
	}
	if x.integers() {
		x.unit(x.atom(term{op: opMultiple, num: one}))
	}
	if n.Const != nil {
		x.unit(x.atom(term{op: opValues, values: []*document.Value{n.Const}}))
	}
	if n.Enum != nil {
		x.unit(x.atom(term{op: opValues, values: n.Enum}))
	}
	x.own(func(keyword string, holds *term, _ ...[]*term) {
		if holds != nil {
			x.unit(holds)
		}
	})
	for _, next := range slices.Concat([]*schema.Node{n.Ref, n.DynamicRef}, n.AllOf) {
		if next != nil {
			x.unit(x.lit(next, false))
		}
	}
	if n.AnyOf != nil {
		var alternatives [][]*term
		for _, b := range n.AnyOf {
			alternatives = append(alternatives, []*term{x.lit(b, false)})
		}
		x.choose("anyOf", alternatives...)
	}
	if n.OneOf != nil {
		var alternatives [][]*term
		for i, b := range n.OneOf {
			alternative := []*term{x.lit(b, false)}
			for j, other := range n.OneOf {
				if i != j && !x.s.apart(b, other) {
					alternative = append(alternative, x.lit(other, true))
				}
			}
			alternatives = append(alternatives, alternative)
		}
		x.choose("oneOf", alternatives...)
	}
	if n.Not != nil {
		x.unit(x.lit(n.Not, true))
	}
	if n.If != nil && (n.Then != nil || n.Else != nil) {
		then, other := []*term{x.lit(n.If, false)}, []*term{x.lit(n.If, true)}
		if n.Then != nil {
			then = append(then, x.lit(n.Then, false))
		}
		if n.Else != nil {
			other = append(other, x.lit(n.Else, false))
		}
		x.choose("if", then, other)
	}
	if x.f != objects {
		return
	}
	for _, d := range n.DependentRequired {
		for _, name := range d.Required {
			x.choose("dependentRequired", []*term{x.atom(term{op: opAbsent, name: d.Name})}, []*term{x.atom(term{op: opRequired, name: name})})
		}
	}
	for _, p := range n.DependentSchemas {
		x.choose("dependentSchemas", []*term{x.atom(term{op: opAbsent, name: p.Name})}, []*term{x.lit(p.Node, false)})
	}
	if x.side == Sender && x.s.conventional {
		for _, name := range mentioned(n) {
			x.unit(x.atom(term{op: opMention, name: name}))
		}
	}
}

func (x *expander) negative() {
	n := x.n
	if n.Always != nil {
		x.out.never = *n.Always
		return
	}
	if x.excluded() {
		return
	}
	if sub := x.unevaluated(); sub != nil {
		x.shut(sub)
		return
	}
	var ways [][]*term
	way := func(terms ...*term) { ways = append(ways, terms) }
	if x.integers() {
		way(x.atom(term{op: opNotMultiple, num: one}))
	}
	if n.Const != nil {
		way(x.atom(term{op: opNotValues, values: []*document.Value{n.Const}}))
	}
	if n.Enum != nil {
		way(x.atom(term{op: opNotValues, values: n.Enum}))
	}
	x.own(func(keyword string, _ *term, breaks ...[]*term) { ways = append(ways, breaks...) })
	for _, next := range slices.Concat([]*schema.Node{n.Ref, n.DynamicRef}, n.AllOf) {
		if next != nil {
			way(x.lit(next, true))
		}
	}
	if n.AnyOf != nil {
		way(x.lits(n.AnyOf, true)...)
	}
	if n.OneOf != nil {
		way(x.lits(n.OneOf, true)...)
		for i, b := range n.OneOf {
			for _, other := range n.OneOf[i+1:] {
				if !x.s.apart(b, other) {
					way(x.lit(b, false), x.lit(other, false))
				}
			}
		}
	}
	if n.Not != nil {
		way(x.lit(n.Not, false))
	}
	if n.If != nil {
		if n.Then != nil {
			way(x.lit(n.If, false), x.lit(n.Then, true))
		}
		if n.Else != nil {
			way(x.lit(n.If, true), x.lit(n.Else, true))
		}
	}
	if x.f == objects {
		for _, d := range n.DependentRequired {
			for _, name := range d.Required {
				if name != d.Name {
					way(x.atom(term{op: opRequired, name: d.Name}), x.atom(term{op: opAbsent, name: name}))
				}
			}
		}
		for _, p := range n.DependentSchemas {
			way(x.atom(term{op: opRequired, name: p.Name}), x.lit(p.Node, true))
		}
	}
	// What demands only literally everything to hold cannot be broken.
	if len(ways) == 0 {
		x.out.never = true
		return
	}
	x.choose("not", ways...)
}

// own hands each condition of the keywords of the node itself to each: the term
// that holds, and the ways to break it.
func (x *expander) own(each func(keyword string, holds *term, breaks ...[]*term)) {
	n := x.n
	switch x.f {
	case numbers:
		x.ownNumber(each)
	case strs:
		x.counts(each, n.MinLength, n.MaxLength, "minLength", "maxLength")
		if n.Pattern != nil {
			each("pattern", x.atom(term{op: opPattern, name: *n.Pattern}), []*term{x.atom(term{op: opNotPattern, name: *n.Pattern})})
		}
		if n.Format != "" && (x.s.formats || n.AssertFormat) {
			each("format", x.atom(term{op: opFormat, name: n.Format}), []*term{x.atom(term{op: opNotFormat, name: n.Format})})
		}
	case arrays:
		x.ownArray(each)
	case objects:
		x.ownObject(each)
	}
}

func (x *expander) ownNumber(each func(string, *term, ...[]*term)) {
	n := x.n
	bound := func(keyword string, v *document.Value, holds, breaks op, strict bool) {
		if v != nil {
			d := v.Decimal()
			each(keyword, x.atom(term{op: holds, num: d, strict: strict}), []*term{x.atom(term{op: breaks, num: d, strict: !strict})})
		}
	}
	bound("minimum", n.Minimum, opMin, opMax, false)
	bound("exclusiveMinimum", n.ExclusiveMinimum, opMin, opMax, true)
	bound("maximum", n.Maximum, opMax, opMin, false)
	bound("exclusiveMaximum", n.ExclusiveMaximum, opMax, opMin, true)
	if n.MultipleOf != nil {
		d := n.MultipleOf.Decimal()
		each("multipleOf", x.atom(term{op: opMultiple, num: d}), []*term{x.atom(term{op: opNotMultiple, num: d})})
	}
}

func (x *expander) counts(each func(string, *term, ...[]*term), least, most *int64, lower, upper string) {
	if least != nil && *least > 0 {
		each(lower, x.atom(term{op: opLeast, n: *least}), []*term{x.atom(term{op: opMost, n: *least - 1})})
	}
	if most != nil {
		each(upper, x.atom(term{op: opMost, n: *most}), []*term{x.atom(term{op: opLeast, n: *most + 1})})
	}
}

// part makes the two sides of a condition on parts of the value.
func (x *expander) part(each func(string, *term, ...[]*term), keyword string, holds, breaks term, sub *schema.Node) {
	holds.sub, breaks.sub = x.lit(sub, false), x.lit(sub, true)
	always, _ := trivial(holds.sub)
	if always {
		return
	}
	each(keyword, x.atom(holds), []*term{x.atom(breaks)})
}

func (x *expander) ownArray(each func(string, *term, ...[]*term)) {
	n := x.n
	x.counts(each, n.MinItems, n.MaxItems, "minItems", "maxItems")
	if n.UniqueItems {
		each("uniqueItems", x.atom(term{op: opUnique}), []*term{x.atom(term{op: opNotUnique})})
	}
	for i, item := range n.PrefixItems {
		x.part(each, "prefixItems", term{op: opItem, n: int64(i)}, term{op: opHasItem, n: int64(i)}, item)
	}
	if n.Items != nil {
		from := int64(len(n.PrefixItems))
		x.part(each, "items", term{op: opRest, n: from}, term{op: opHasRest, n: from}, n.Items)
	}
	if n.Contains == nil {
		return
	}
	least, most := int64(1), int64(-1)
	if n.MinContains != nil {
		least = *n.MinContains
	}
	if n.MaxContains != nil {
		most = *n.MaxContains
	}
	sub := x.lit(n.Contains, false)
	var breaks [][]*term
	if least > 0 {
		breaks = append(breaks, []*term{x.atom(term{op: opContains, n: 0, m: least - 1, sub: sub})})
	}
	if most >= 0 {
		breaks = append(breaks, []*term{x.atom(term{op: opContains, n: most + 1, m: -1, sub: sub})})
	}
	if breaks != nil {
		each("contains", x.atom(term{op: opContains, n: least, m: most, sub: sub}), breaks...)
	}
}

func (x *expander) ownObject(each func(string, *term, ...[]*term)) {
	n := x.n
	x.counts(each, n.MinProperties, n.MaxProperties, "minProperties", "maxProperties")
	for _, name := range n.Required {
		each("required", x.atom(term{op: opRequired, name: name}), []*term{x.atom(term{op: opAbsent, name: name})})
	}
	for _, p := range n.Properties {
		holds := x.lit(p.Node, false)
		if always, never := trivial(holds); always {
			if x.side == Sender && x.known {
				each("properties", x.atom(term{op: opMention, name: p.Name}))
			}
		} else if never {
			each("properties", x.atom(term{op: opAbsent, name: p.Name}), []*term{x.atom(term{op: opRequired, name: p.Name})})
		} else {
			each("properties", x.atom(term{op: opMember, name: p.Name, sub: holds}),
				[]*term{x.atom(term{op: opRequired, name: p.Name}), x.atom(term{op: opMember, name: p.Name, sub: x.lit(p.Node, true)})})
		}
	}
	for _, p := range n.PatternProperties {
		x.part(each, "patternProperties", term{op: opMatching, name: p.Pattern}, term{op: opHasMatch, name: p.Pattern}, p.Node)
	}
	if n.AdditionalProperties != nil {
		names, patterns := namesOf(n)
		x.part(each, "additionalProperties", term{op: opOthers, names: names, patterns: patterns}, term{op: opHasOther, names: names, patterns: patterns}, n.AdditionalProperties)
	}
	if n.PropertyNames != nil {
		x.part(each, "propertyNames", term{op: opNames}, term{op: opHasName}, n.PropertyNames)
	}
}

// namesOf gives the names and patterns that additionalProperties leaves out.
func namesOf(n *schema.Node) (names, patterns []string) {
	for _, p := range n.Properties {
		names = append(names, p.Name)
	}
	for _, p := range n.PatternProperties {
		patterns = append(patterns, p.Pattern)
	}
	slices.Sort(names)
	slices.Sort(patterns)
	return names, slices.Compact(patterns)
}

// mentioned gives the names that a schema talks about in conditions.
func mentioned(n *schema.Node) []string {
	var names []string
	for _, d := range n.DependentRequired {
		names = append(append(names, d.Name), d.Required...)
	}
	for _, p := range n.DependentSchemas {
		names = append(names, p.Name)
	}
	for _, c := range []*schema.Node{n.Not, n.If, n.Then, n.Else} {
		if c != nil {
			names = append(names, declared(c)...)
		}
	}
	return names
}

// declared gives the names that properties list, of a schema and of all that is
// applied to the same value.
func declared(n *schema.Node) []string {
	var names []string
	seen := map[*schema.Node]bool{}
	var visit func(*schema.Node)
	visit = func(n *schema.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, p := range n.Properties {
			names = append(names, p.Name)
		}
		for e := range n.Edges() {
			if e.Place == schema.InPlace {
				visit(e.Node)
			}
		}
	}
	visit(n)
	slices.Sort(names)
	return slices.Compact(names)
}

package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// keyer computes the keys of many schemas in one run.
//
// A part is a set of nodes that one part of an instance must all satisfy; the
// term of a part is what it demands of each family of values, as a condition
// whose atoms name other parts. Terms are computed in passes: each knows from
// the one before which parts are equal, always hold, never hold or hold for a
// few values only, and can simplify more; the passes end when nothing changes.
type keyer struct {
	flavour    keyFlavour
	limit      int // parts beyond which joined parts are not expanded
	parts      []part
	numbers    map[string]int // of parts, by the identity of their nodes
	ids        map[*Node]int
	conditions map[string]*condition
	tops       [families]*condition

	// what the pass before found
	terms []term
	same  []int // the first part equal to this one

	// of the current pass
	demands map[*Node]*demands
	known   map[*condition]*facts
	negated map[*condition]*condition
	views   map[view]*sight
}

type part struct {
	nodes  []*Node
	joined []int // instead of nodes: other parts, beyond the limit
}

// term is what a part means.
type term struct {
	conds [families]*condition
	extra string // what only TypeKey looks at
}

// demands are the conditions of one node, computed one by one.
type demands struct {
	conds [families]*condition
	known [families]bool
}

// The first two parts: the schemas true and false.
const (
	alwaysSchema = iota
	neverSchema
)

const maxPasses = 8

func newKeyer(flavour keyFlavour, nodes int) *keyer {
	return &keyer{
		flavour: flavour, limit: 4*nodes + 1000,
		parts: make([]part, 2), numbers: map[string]int{}, ids: map[*Node]int{},
		conditions: map[string]*condition{},
	}
}

// run puts the keys of the nodes into keys.
func (k *keyer) run(nodes []*Node, keys map[*Node]string) {
	ids := make([]int, len(nodes))
	for i, n := range nodes {
		ids[i] = k.part(n)
	}
	for range maxPasses {
		k.demands, k.known, k.views = map[*Node]*demands{}, map[*condition]*facts{}, map[view]*sight{}
		k.negated = map[*condition]*condition{}
		var terms []term
		for id := 0; id < len(k.parts); id++ { // parts are added on the way
			terms = append(terms, k.term(id))
		}
		same := k.partition(terms)
		stable := slices.Equal(terms, k.terms) && slices.Equal(same, k.same)
		k.terms, k.same = terms, same
		if stable {
			break
		}
	}
	labels := k.finalLabels()
	for i, n := range nodes {
		keys[n] = labels[k.same[ids[i]]].String()
	}
}

// part gives the number of the part that consists of one node.
func (k *keyer) part(n *Node) int {
	if id, ok := k.ids[n]; ok {
		return k.rep(id)
	}
	to := n
	if k.flavour == plainKey {
		to = n.Target()
	}
	var id int
	switch {
	case to.Always != nil && *to.Always:
		id = alwaysSchema
	case to.Always != nil:
		id = neverSchema
	case to != n:
		id = k.part(to)
	default:
		id = len(k.parts)
		k.parts = append(k.parts, part{nodes: []*Node{n}})
	}
	k.ids[n] = id
	return k.rep(id)
}

// rep gives the part that stands for all that are equal, as far as is known.
func (k *keyer) rep(id int) int {
	if id < len(k.same) {
		return k.same[id]
	}
	return id
}

// wasteful tells that so many conditions have been made that negation should
// stop taking them apart: keys then tell more schemas apart than they need.
func (k *keyer) wasteful() bool { return len(k.conditions) > 16*k.limit }

func (k *keyer) isAlways(id int) bool { return k.rep(id) == alwaysSchema }
func (k *keyer) isNever(id int) bool  { return k.rep(id) == neverSchema }

// meet gives the part that demands all that several parts do.
func (k *keyer) meet(ids []int) int {
	list := make([]int, 0, len(ids))
	for _, id := range ids {
		switch id = k.rep(id); id {
		case neverSchema:
			return id
		case alwaysSchema:
		default:
			list = append(list, id)
		}
	}
	slices.Sort(list)
	switch list = slices.Compact(list); len(list) {
	case 0:
		return alwaysSchema
	case 1:
		return list[0]
	}
	var nodes []*Node
	joined := false
	for _, id := range list {
		nodes = append(nodes, k.parts[id].nodes...)
		joined = joined || k.parts[id].joined != nil
	}
	if joined || len(k.parts) > k.limit {
		return k.number("joined "+ints(list), part{joined: list})
	}
	// Identity of a set of nodes: the numbers of the parts they are alone.
	set := map[int]*Node{}
	for _, n := range nodes {
		set[k.ids[n]] = n
	}
	numbers := make([]int, 0, len(set))
	for id := range set {
		numbers = append(numbers, id)
	}
	slices.Sort(numbers)
	nodes = nodes[:0]
	for _, id := range numbers {
		nodes = append(nodes, set[id])
	}
	return k.number(ints(numbers), part{nodes: nodes})
}

func (k *keyer) number(text string, p part) int {
	id, ok := k.numbers[text]
	if !ok {
		id = len(k.parts)
		k.numbers[text] = id
		k.parts = append(k.parts, p)
	}
	return k.rep(id)
}

// term computes what a part means.
func (k *keyer) term(id int) (t term) {
	p := k.parts[id]
	for f := family(0); f < families; f++ {
		switch {
		case id == neverSchema:
		case p.joined != nil:
			t.conds[f] = k.intern(f, []atom{{op: opBoth, sub: p.joined}})
		case len(p.nodes) == 1:
			t.conds[f] = k.demand(p.nodes[0], f)
		default:
			conds := []*condition{k.top(f)}
			for _, n := range p.nodes {
				conds = append(conds, k.demand(n, f))
			}
			t.conds[f] = k.both(f, conds...)
		}
	}
	if k.flavour == typeKey {
		t.extra = extras(p.nodes)
	}
	return t
}

// extras collects what TypeKey looks at besides meaning.
func extras(nodes []*Node) string {
	var texts []string
	seen := map[*Node]bool{}
	var visit func(n *Node)
	visit = func(n *Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.Default != nil {
			texts = append(texts, "default "+n.Default.Canonical())
		}
		if n.ContentEncoding != "" || n.ContentMediaType != "" {
			texts = append(texts, "content "+strconv.Quote(n.ContentEncoding)+strconv.Quote(n.ContentMediaType))
		}
		for _, next := range slices.Concat([]*Node{n.Ref, n.DynamicRef}, n.AllOf) {
			if next != nil {
				visit(next)
			}
		}
	}
	for _, n := range nodes {
		visit(n)
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), "\n")
}

// valuesOf gives the only values a part allows, as canonical texts; nil when it
// is not known to allow few.
func (k *keyer) valuesOf(id int) map[string]bool {
	if id >= len(k.terms) {
		return nil
	}
	values := map[string]bool{}
	for f, c := range k.terms[id].conds {
		switch {
		case c == nil:
		case family(f) == nulls:
			values["null"] = true
		case family(f) == booleans && c.always():
			values["true"], values["false"] = true, true
		case c.isValues():
			for _, v := range c.atoms[0].values {
				values[v.Canonical()] = true
			}
		default:
			return nil
		}
	}
	return values
}

// demand gives what a node demands of values of one family. Recursion ends: a
// graph has no schema that applies itself to the same instance.
func (k *keyer) demand(n *Node, f family) *condition {
	d := k.demands[n]
	if d == nil {
		d = &demands{}
		k.demands[n] = d
	}
	if !d.known[f] {
		d.conds[f], d.known[f] = k.compute(n, f), true
	}
	return d.conds[f]
}

var typesOf = [families]Types{TypeNull, TypeBoolean, TypeInteger | TypeNumber, TypeString, TypeArray, TypeObject}

func (k *keyer) compute(n *Node, f family) *condition {
	if n.Always != nil {
		if *n.Always {
			return k.top(f)
		}
		return nil
	}
	if n.Types != 0 && n.Types&typesOf[f] == 0 {
		return nil
	}
	atoms := k.own(n, f)
	conds := []*condition{}
	for _, next := range slices.Concat([]*Node{n.Ref, n.DynamicRef}, n.AllOf) {
		if next != nil {
			conds = append(conds, k.demand(next, f))
		}
	}
	if n.AnyOf != nil {
		conds = append(conds, k.any(f, k.each(n.AnyOf, f)))
	}
	if n.OneOf != nil {
		conds = append(conds, k.one(f, k.each(n.OneOf, f)))
	}
	if n.Not != nil {
		conds = append(conds, k.not(f, k.demand(n.Not, f)))
	}
	if n.If != nil && (n.Then != nil || n.Else != nil) {
		branch := func(n *Node) *condition {
			if n == nil {
				return k.top(f)
			}
			return k.demand(n, f)
		}
		conds = append(conds, k.cases(f, k.demand(n.If, f), branch(n.Then), branch(n.Else)))
	}
	if len(atoms) == 0 && len(conds) == 1 {
		return conds[0]
	}
	for _, c := range conds {
		if c == nil {
			return nil
		}
		atoms = append(atoms, c.atoms...)
	}
	return k.all(f, atoms)
}

func (k *keyer) each(nodes []*Node, f family) []*condition {
	conds := make([]*condition, len(nodes))
	for i, n := range nodes {
		conds[i] = k.demand(n, f)
	}
	return conds
}

// own gives the atoms of the keywords of n itself that concern a family.
func (k *keyer) own(n *Node, f family) []atom {
	var atoms []atom
	if n.Const != nil {
		atoms = append(atoms, atom{op: opValues, values: valuesIn(f, []*document.Value{n.Const})})
	}
	if n.Enum != nil {
		atoms = append(atoms, atom{op: opValues, values: valuesIn(f, n.Enum)})
	}
	if n.Format != "" && (f == strs || (f == numbers && !textFormats[n.Format])) {
		atoms = append(atoms, atom{op: opFormat, name: n.Format})
	}
	switch f {
	case numbers:
		atoms = append(atoms, ownNumber(n)...)
	case strs:
		atoms = appendCounts(atoms, n.MinLength, opMinLength, n.MaxLength, opMaxLength)
		if n.Pattern != nil {
			atoms = append(atoms, atom{op: opPattern, name: *n.Pattern})
		}
	case arrays:
		atoms = k.ownArray(n, atoms)
	case objects:
		atoms = k.ownObject(n, atoms)
	}
	return atoms
}

// textFormats are the formats of validation 7.3, all of which concern strings.
var textFormats = func() map[string]bool {
	m := map[string]bool{}
	for f := range strings.FieldsSeq("date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference uuid uri-template json-pointer relative-json-pointer regex") {
		m[f] = true
	}
	return m
}()

// valuesIn gives the values of one family; an empty list is not nil.
func valuesIn(f family, values []*document.Value) []*document.Value {
	in := []*document.Value{}
	for _, v := range values {
		if familyOf[v.Kind] == f {
			in = append(in, v)
		}
	}
	return sortedValues(in)
}

func appendCounts(atoms []atom, least *int64, min op, most *int64, max op) []atom {
	if least != nil {
		atoms = append(atoms, atom{op: min, n: *least})
	}
	if most != nil {
		atoms = append(atoms, atom{op: max, n: *most})
	}
	return atoms
}

func ownNumber(n *Node) []atom {
	var atoms []atom
	if n.Types != 0 && n.Types&TypeNumber == 0 {
		atoms = append(atoms, atom{op: opMultiple, num: document.ParseDecimal("1")})
	}
	for _, b := range []struct {
		v *document.Value
		a atom
	}{
		{n.Minimum, atom{op: opMin}}, {n.ExclusiveMinimum, atom{op: opMin, strict: true}},
		{n.Maximum, atom{op: opMax}}, {n.ExclusiveMaximum, atom{op: opMax, strict: true}},
		{n.MultipleOf, atom{op: opMultiple}},
	} {
		if b.v != nil {
			b.a.num = b.v.Decimal()
			atoms = append(atoms, b.a)
		}
	}
	return atoms
}

func (k *keyer) ownArray(n *Node, atoms []atom) []atom {
	atoms = appendCounts(atoms, n.MinItems, opMinItems, n.MaxItems, opMaxItems)
	if n.UniqueItems {
		atoms = append(atoms, atom{op: opUnique})
	}
	for i, item := range n.PrefixItems {
		atoms = append(atoms, atom{op: opItem, n: int64(i), sub: []int{k.part(item)}})
	}
	if n.Items != nil {
		atoms = append(atoms, atom{op: opRest, n: int64(len(n.PrefixItems)), sub: []int{k.part(n.Items)}})
	}
	if n.Contains != nil {
		a := atom{op: opContains, n: 1, m: -1, sub: []int{k.part(n.Contains)}}
		if n.MinContains != nil {
			a.n = *n.MinContains
		}
		if n.MaxContains != nil {
			a.m = *n.MaxContains
		}
		atoms = append(atoms, a)
	}
	if n.UnevaluatedItems != nil {
		atoms = append(atoms, k.unevaluated(n, arrays, n.UnevaluatedItems)...)
	}
	return atoms
}

func (k *keyer) ownObject(n *Node, atoms []atom) []atom {
	atoms = appendCounts(atoms, n.MinProperties, opMinMembers, n.MaxProperties, opMaxMembers)
	for _, name := range n.Required {
		atoms = append(atoms, atom{op: opRequired, name: name})
	}
	for _, d := range n.DependentRequired {
		for _, name := range d.Required {
			atoms = append(atoms, k.implied(d.Name, k.intern(objects, []atom{{op: opRequired, name: name}})).atoms...)
		}
	}
	for _, p := range n.DependentSchemas {
		atoms = append(atoms, k.implied(p.Name, k.demand(p.Node, objects)).atoms...)
	}
	for _, p := range n.Properties {
		atoms = append(atoms, atom{op: opMember, name: p.Name, sub: []int{k.part(p.Node)}})
	}
	for _, p := range n.PatternProperties {
		atoms = append(atoms, atom{op: opMatching, name: p.Pattern, sub: []int{k.part(p.Node)}})
	}
	if n.AdditionalProperties != nil {
		atoms = append(atoms, atom{op: opOthers, names: propertyNames(n), patterns: patternsOf(n), sub: []int{k.part(n.AdditionalProperties)}})
	}
	if n.PropertyNames != nil {
		atoms = append(atoms, atom{op: opNames, sub: []int{k.part(n.PropertyNames)}})
	}
	if n.UnevaluatedProperties != nil {
		atoms = append(atoms, k.unevaluated(n, objects, n.UnevaluatedProperties)...)
	}
	return atoms
}

func propertyNames(n *Node) []string {
	var names []string
	for _, p := range n.Properties {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

func patternsOf(n *Node) []string {
	var patterns []string
	for _, p := range n.PatternProperties {
		patterns = append(patterns, p.Pattern)
	}
	slices.Sort(patterns)
	return patterns
}

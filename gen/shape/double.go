package shape

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Doubled reports whether a schema may be asked for again and again about one value: several schemas hold for a part of
// a value, and all of them lead back to where they stand, so that the checks would double with every level. It pays to
// remember what has passed it.
//
// Branches of a choice and other schemas that are only tried do not count: see [Rings.Retried].
func (f *Rings) Doubled(n *schema.Node) bool {
	n = n.Target()
	ring := f.ring(n)
	if !f.weighed[ring] {
		f.weighed[ring] = true
		if members := f.found[ring-1]; f.doubles(members) {
			for _, member := range members {
				for _, p := range partsOf(member) {
					if f.ring(p.node) == ring {
						f.doubled[p.node] = true
					}
				}
			}
		}
	}
	return f.doubled[n]
}

// doubles tells whether, for some schema of a ring, two schemas of the ring may hold for the same part of a value.
func (f *Rings) doubles(ring []*schema.Node) bool {
	for _, n := range ring {
		v := &applied{f: f, ring: f.ring(n), seen: map[*schema.Node]int{}}
		v.add(n)
		groups := append([][]part{v.always}, v.choices...)
		for i, group := range groups {
			for k := range group {
				// Of a choice one branch holds at a time, and each is looked at by itself.
				if i == 0 && meet(group[k], group[k+1:]) {
					return true
				}
				for _, other := range groups[i+1:] {
					if meet(group[k], other) {
						return true
					}
				}
			}
		}
	}
	return false
}

// applied collects what holds for the parts of a value, and leads back, by a schema and by all that hold for the value
// with it.
type applied struct {
	f       *Rings
	ring    int
	seen    map[*schema.Node]int
	always  []part
	choices [][]part // for each anyOf and oneOf what its branches say, any of them
}

func (v *applied) add(n *schema.Node) {
	n = n.Target()
	if v.seen[n]++; v.seen[n] > 2 {
		return // what holds twice holds often enough
	}
	for _, p := range partsOf(n) {
		if v.f.ring(p.node) == v.ring {
			p.times = v.seen[n]
			v.always = append(v.always, p)
		}
	}
	for _, branches := range [][]*schema.Node{n.AnyOf, n.OneOf} {
		if parts := v.anyOf(branches); len(parts) > 0 {
			v.choices = append(v.choices, parts)
		}
	}
	for e := range n.Edges() {
		switch e.Keyword {
		case "$ref", "$dynamicRef", "allOf", "then", "else", "dependentSchemas":
			v.add(e.Node)
		}
	}
}

// anyOf collects what any of some branches say, and all that may hold with them.
func (v *applied) anyOf(branches []*schema.Node) []part {
	var parts []part
	seen := map[*schema.Node]bool{}
	var add func(n *schema.Node)
	add = func(n *schema.Node) {
		if n = n.Target(); seen[n] {
			return
		}
		seen[n] = true
		for _, p := range partsOf(n) {
			if v.f.ring(p.node) == v.ring {
				parts = append(parts, p)
			}
		}
		for e := range n.Edges() {
			if e.Place == schema.InPlace {
				add(e.Node)
			}
		}
	}
	for _, branch := range branches {
		add(branch)
	}
	return parts
}

// part is a schema for some members or elements of a value.
type part struct {
	node  *schema.Node
	owner *schema.Node
	kind  partKind
	name  string // of a single member
	index int    // of a single element
	times int    // how often its owner holds, counted so far
}

type partKind int

const (
	oneMember partKind = iota
	someMembers
	otherMembers
	oneElement
	otherElements
)

func partsOf(n *schema.Node) []part {
	var parts []part
	for e := range n.Edges() {
		p := part{node: e.Node.Target(), owner: n, name: e.Name, index: e.Index}
		switch e.Keyword {
		case "properties":
			p.kind = oneMember
		case "patternProperties":
			p.kind = someMembers
		case "additionalProperties", "unevaluatedProperties":
			p.kind = otherMembers
		case "prefixItems":
			p.kind = oneElement
		case "items", "unevaluatedItems":
			p.kind = otherElements
		default:
			continue // contains is a trial, and of a name nothing is a part
		}
		parts = append(parts, p)
	}
	return parts
}

// meet tells whether a part and one of others may be the same part of a value.
func meet(p part, others []part) bool { return slices.ContainsFunc(others, p.meets) }

func (p part) meets(q part) bool {
	members := func(k partKind) bool { return k <= otherMembers }
	if members(p.kind) != members(q.kind) {
		return false
	}
	if p.kind == q.kind && p.kind == oneMember {
		return p.name == q.name
	}
	if p.kind == q.kind && p.kind == oneElement {
		return p.index == q.index
	}
	// What is left for the others of a schema are not those that it names itself.
	rest := p.kind == otherMembers || p.kind == otherElements || q.kind == otherMembers || q.kind == otherElements
	return !rest || p.owner != q.owner || p.times != q.times || p.node == q.node
}

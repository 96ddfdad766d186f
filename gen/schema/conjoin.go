package schema

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// all is the conjunction of atoms, tidied: one atom where several say one thing,
// none where others imply it, nil where they contradict each other.
func (k *keyer) all(f family, atoms []atom) *condition {
	if len(atoms) == 0 {
		return k.top(f)
	}
	t := tidy{k: k, family: f, most: -1, out: make([]atom, 0, len(atoms))}
	for _, a := range atoms {
		t.add(a)
	}
	ok := true
	switch f {
	case nulls, booleans:
		return t.small()
	case numbers:
		ok = t.numbers()
	case strs:
		ok = t.strings()
	case arrays:
		ok = t.arrays()
	case objects:
		ok = t.objects()
	}
	if !ok || (t.values != nil && len(t.values) == 0) {
		return nil
	}
	if t.values != nil {
		t.keep(atom{op: opValues, values: t.values})
	}
	return k.intern(f, t.out)
}

// tidy collects the atoms of a conjunction by what they bound.
type tidy struct {
	k      *keyer
	family family
	out    []atom
	values []*document.Value // nil = not enumerated

	low, high *atom // opMin, opMax
	multiples []document.Decimal

	// of the family's count: code points, items, members; -1 = no bound
	least, most  int64
	unique       bool
	items, rests map[int64]*parts
	matches      map[string]*parts
	others       map[string]*parts
	members      map[string]*parts
	contains     []atom
	names        *parts
	required     map[string]bool
	clauses      []atom // opAny of an object
}

// parts collects the schemas that one part of the value must hold.
type parts struct {
	atom atom
	sub  []int
}

func (t *tidy) keep(a atom) {
	a.text = ""
	t.out = append(t.out, a)
}

func (t *tidy) add(a atom) {
	switch a.op {
	case opValues:
		if t.values == nil {
			t.values = a.values
		} else {
			t.values = slices.DeleteFunc(slices.Clone(t.values), func(v *document.Value) bool {
				return !slices.ContainsFunc(a.values, v.Equal)
			})
		}
	case opMin:
		if t.low == nil || tighter(a, *t.low, 1) {
			low := a // so that only bounds escape, not every atom
			t.low = &low
		}
	case opMax:
		if t.high == nil || tighter(a, *t.high, -1) {
			high := a
			t.high = &high
		}
	case opMultiple:
		t.multiples = append(t.multiples, a.num)
	case opMinLength, opMinItems, opMinMembers:
		t.least = max(t.least, a.n)
	case opMaxLength, opMaxItems, opMaxMembers:
		t.atMost(a.n)
	case opUnique:
		t.unique = true
	case opItem:
		collect(&t.items, a.n, a)
	case opRest:
		collect(&t.rests, a.n, a)
	case opContains:
		t.contains = append(t.contains, a)
	case opRequired:
		if t.required == nil {
			t.required = map[string]bool{}
		}
		t.required[a.name] = true
	case opMember:
		collect(&t.members, a.name, a)
	case opMatching:
		collect(&t.matches, a.name, a)
	case opOthers:
		collect(&t.others, quoted(a.names)+quoted(a.patterns), a)
	case opNames:
		if t.names == nil {
			t.names = &parts{atom: a}
		}
		t.names.sub = append(t.names.sub, a.sub...)
	default:
		if a.op == opAny && t.family == objects {
			t.clauses = append(t.clauses, a)
			return
		}
		t.keep(a)
	}
}

func collect[K comparable](m *map[K]*parts, key K, a atom) {
	p := (*m)[key]
	if p == nil {
		if *m == nil {
			*m = map[K]*parts{}
		}
		p = &parts{atom: a}
		(*m)[key] = p
	}
	p.sub = append(p.sub, a.sub...)
}

func (t *tidy) atMost(n int64) {
	if t.most < 0 || n < t.most {
		t.most = n
	}
}

// small handles null and boolean, for which only enumerations matter.
func (t *tidy) small() *condition {
	mask := fullMask(t.family)
	if t.values != nil {
		mask = maskOf(t.values)
	}
	return t.k.masked(t.family, mask)
}

// strings merges lengths.
func (t *tidy) strings() bool {
	if t.values != nil {
		t.values = slices.DeleteFunc(slices.Clone(t.values), func(v *document.Value) bool {
			n := int64(utf8.RuneCountInString(v.Text))
			return n < t.least || (t.most >= 0 && n > t.most)
		})
		return true
	}
	if t.most == 0 && t.least == 0 {
		t.values = []*document.Value{{Kind: document.String}}
		return true
	}
	return t.count(opMinLength, opMaxLength)
}

// count keeps the bounds of a count.
func (t *tidy) count(least, most op) bool {
	if t.most >= 0 && t.least > t.most {
		return false
	}
	if t.least > 0 {
		t.keep(atom{op: least, n: t.least})
	}
	if t.most >= 0 {
		t.keep(atom{op: most, n: t.most})
	}
	return true
}

// arrays merges what is said of items.
func (t *tidy) arrays() bool {
	var kept []atom
	for _, p := range t.items {
		a := p.atom
		a.sub = []int{t.k.meet(p.sub)}
		switch {
		case t.k.isAlways(a.sub[0]):
		case t.k.isNever(a.sub[0]):
			t.atMost(a.n)
		default:
			kept = append(kept, a)
		}
	}
	for _, p := range t.rests {
		a := p.atom
		a.sub = []int{t.k.meet(p.sub)}
		switch {
		case t.k.isAlways(a.sub[0]):
		case t.k.isNever(a.sub[0]):
			t.atMost(a.n)
		default:
			kept = append(kept, a)
		}
	}
	atLeast := int64(0) // what contains implies
	for _, a := range t.contains {
		switch {
		case a.m >= 0 && a.n > a.m:
			return false
		case t.k.isAlways(a.sub[0]):
			t.least = max(t.least, a.n)
			if a.m >= 0 {
				t.atMost(a.m)
			}
		case t.k.isNever(a.sub[0]):
			if a.n > 0 {
				return false
			}
		case a.n > 0 || (a.m >= 0 && (t.most < 0 || a.m < t.most)):
			t.keep(a)
			atLeast = max(atLeast, a.n)
		}
	}
	for _, a := range kept {
		if t.most < 0 || a.n < t.most {
			t.keep(a)
		}
	}
	if t.unique && (t.most < 0 || t.most > 1) {
		t.keep(atom{op: opUnique})
	}
	if t.most >= 0 && max(t.least, atLeast) > t.most {
		return false
	}
	if t.least <= atLeast {
		t.least = 0
	}
	return t.count(opMinItems, opMaxItems)
}

// objects merges what is said of members.
func (t *tidy) objects() bool {
	if !t.settle() {
		return false
	}
	single, rest := t.settleParts()
	for name, sub := range single {
		if t.k.isNever(sub) && t.required[name] {
			return false
		}
	}
	for _, a := range rest {
		if a.op != opOthers || !t.k.isNever(a.sub[0]) || len(a.patterns) > 0 {
			continue
		}
		for name := range t.required {
			if !holds(a.names, name) {
				return false
			}
		}
		switch names := int64(len(a.names)); {
		case names == 0:
			t.atMost(0)
		case t.most >= names:
			t.most = -1
		}
	}
	needed := int64(len(t.required))
	if t.most >= 0 && max(t.least, needed) > t.most {
		return false
	}
	if t.most == 0 {
		// No members: no rule about one can be felt, save by a disjunction.
		for _, a := range t.clauses {
			t.keep(a)
		}
		t.keep(atom{op: opMaxMembers})
		return true
	}
	for name, sub := range single {
		t.keep(atom{op: opMember, name: name, sub: []int{sub}})
	}
	for _, a := range slices.Concat(rest, t.clauses) {
		t.keep(a)
	}
	for name := range t.required {
		t.keep(atom{op: opRequired, name: name})
	}
	if t.least <= needed {
		t.least = 0
	}
	return t.count(opMinMembers, opMaxMembers)
}

// settle follows the presence and absence of members through the disjunctions
// until nothing new is known; false when a disjunction has no branch left.
func (t *tidy) settle() bool {
	for again := true; again; {
		again = false
		clauses := t.clauses
		t.clauses = nil
		for _, clause := range clauses {
			open, holds := t.open(clause.conds)
			switch {
			case holds:
			case len(open) == len(clause.conds):
				t.clauses = append(t.clauses, clause)
			default:
				c := t.k.any(objects, open)
				if c == nil {
					return false
				}
				for _, a := range c.atoms {
					t.add(a)
				}
				again = true
			}
		}
	}
	return true
}

// open gives the branches that may still hold; holds tells that one does.
func (t *tidy) open(branches []*condition) (open []*condition, holds bool) {
	for _, c := range branches {
		if name, ok := t.k.absentName(c); ok {
			switch {
			case t.required[name]:
				continue
			case t.isAbsent(name):
				return nil, true
			}
		}
		if a := c.only(opRequired); a != nil {
			switch {
			case t.required[a.name]:
				return nil, true
			case t.isAbsent(a.name):
				continue
			}
		}
		open = append(open, c)
	}
	return open, false
}

func (t *tidy) isAbsent(name string) bool {
	p := t.members[name]
	return p != nil && slices.ContainsFunc(p.sub, t.k.isNever)
}

// settleParts joins the schemas of each member, pattern and remainder. Members
// that are treated like the remainder are left to it.
func (t *tidy) settleParts() (single map[string]int, rest []atom) {
	single = map[string]int{}
	for name, p := range t.members {
		if sub := t.k.meet(p.sub); !t.k.isAlways(sub) {
			single[name] = sub
		}
	}
	for _, p := range t.matches {
		if sub := t.k.meet(p.sub); !t.k.isAlways(sub) {
			rest = append(rest, atom{op: opMatching, name: p.atom.name, sub: []int{sub}})
		}
	}
	if t.names != nil {
		switch sub := t.k.meet(t.names.sub); {
		case t.k.isAlways(sub):
		case t.k.isNever(sub):
			t.atMost(0)
		default:
			rest = append(rest, atom{op: opNames, sub: []int{sub}})
		}
	}
	keys := make([]string, 0, len(t.others))
	for key := range t.others {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, strings.Compare)
	for _, key := range keys {
		a := t.others[key].atom
		a.sub = []int{t.k.meet(t.others[key].sub)}
		if t.k.isAlways(a.sub[0]) {
			continue
		}
		if len(a.patterns) == 0 {
			a.names = slices.DeleteFunc(slices.Clone(a.names), func(name string) bool {
				return t.absorbed(single, name, a.sub[0])
			})
		}
		rest = append(rest, a)
	}
	return single, rest
}

// absorbed tells whether a member holds exactly what the remainder would ask of
// it, and then leaves it to the remainder.
func (t *tidy) absorbed(single map[string]int, name string, sub int) bool {
	if own, ok := single[name]; !ok || own != sub {
		return false
	}
	delete(single, name)
	return true
}

package schema

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// The families null and boolean have one and two values: conditions on them are
// sets of values, and every combination is computed outright. A set is a bit
// mask: bit 0 for null or false, bit 1 for true.

func fullMask(f family) int {
	switch f {
	case nulls:
		return 1
	case booleans:
		return 3
	}
	return 0
}

func small(f family) bool { return fullMask(f) != 0 }

func (c *condition) mask(f family) int {
	switch {
	case c == nil:
		return 0
	case c.always():
		return fullMask(f)
	}
	return maskOf(c.atoms[0].values)
}

func maskOf(values []*document.Value) int {
	mask := 0
	for _, v := range values {
		if v.Kind == document.Bool && v.Bool {
			mask |= 2
		} else {
			mask |= 1
		}
	}
	return mask
}

func (k *keyer) masked(f family, mask int) *condition {
	switch mask &= fullMask(f); mask {
	case 0:
		return nil
	case fullMask(f):
		return k.top(f)
	}
	return k.intern(f, []atom{{op: opValues, values: []*document.Value{{Kind: document.Bool, Bool: mask == 2}}}})
}

// both is the conjunction of conditions.
func (k *keyer) both(f family, conds ...*condition) *condition {
	var atoms []atom
	for i, c := range conds {
		if c == nil {
			return nil
		}
		if i == 0 && len(conds) == 1 {
			return c
		}
		atoms = append(atoms, c.atoms...)
	}
	return k.all(f, atoms)
}

// any is the disjunction of conditions.
func (k *keyer) any(f family, conds []*condition) *condition {
	if small(f) {
		mask := 0
		for _, c := range conds {
			mask |= c.mask(f)
		}
		return k.masked(f, mask)
	}
	var rest []*condition
	var values []*document.Value
	flat := slices.Clone(conds)
	for i := 0; i < len(flat); i++ {
		c := flat[i]
		switch inner := c.only(opAny); {
		case c == nil:
		case c.always():
			return c
		case inner != nil:
			flat = append(flat, inner.conds...)
		case c.isValues():
			values = append(values, c.atoms[0].values...)
		default:
			rest = append(rest, c)
		}
	}
	if values != nil {
		if c := k.values(f, values); c != nil {
			rest = append(rest, c)
		}
	}
	rest = absorb(sortedConditions(rest))
	switch len(rest) {
	case 0:
		return nil
	case 1:
		return rest[0]
	}
	if f == objects {
		if c := k.distribute(rest); c != nil {
			return c
		}
	}
	return k.intern(f, []atom{{op: opAny, conds: rest}})
}

// distribute turns "member absent, or all of these" into "member absent, or this"
// for each of them, as dependentRequired is written. It gives nil where a
// disjunction is not of that kind.
func (k *keyer) distribute(branches []*condition) *condition {
	var absent []*condition
	var other *condition
	for _, c := range branches {
		if _, ok := k.absentName(c); ok {
			absent = append(absent, c)
		} else if other == nil {
			other = c
		} else {
			return nil
		}
	}
	if len(absent) == 0 || other == nil || len(other.atoms) < 2 {
		return nil
	}
	var atoms []atom
	for _, a := range other.atoms {
		single := k.any(objects, append(slices.Clone(absent), k.intern(objects, []atom{a})))
		if single == nil {
			return nil
		}
		atoms = append(atoms, single.atoms...)
	}
	return k.all(objects, atoms)
}

// sortedConditions orders conditions and drops repetitions.
func sortedConditions(conds []*condition) []*condition {
	slices.SortFunc(conds, func(x, y *condition) int { return x.number() - y.number() })
	return slices.Compact(conds)
}

// absorb drops from a disjunction what demands all that another branch demands,
// and more. It is quadratic, so long lists are left as they are.
func absorb(conds []*condition) []*condition {
	const limit = 64
	if len(conds) > limit {
		return conds
	}
	return slices.DeleteFunc(slices.Clone(conds), func(c *condition) bool {
		return slices.ContainsFunc(conds, func(weaker *condition) bool {
			return weaker != c && len(weaker.atoms) < len(c.atoms) && includes(c.atoms, weaker.atoms)
		})
	})
}

// includes tells whether sorted atoms contain others.
func includes(atoms, others []atom) bool {
	i := 0
	for _, o := range others {
		for i < len(atoms) && atoms[i].text < o.text {
			i++
		}
		if i == len(atoms) || atoms[i].text != o.text {
			return false
		}
	}
	return true
}

// one is the condition that exactly one of several holds.
func (k *keyer) one(f family, conds []*condition) *condition {
	if small(f) {
		once, twice := 0, 0
		for _, c := range conds {
			m := c.mask(f)
			twice |= once & m
			once |= m
		}
		return k.masked(f, once&^twice)
	}
	var rest []*condition
	for _, c := range conds {
		if c != nil {
			rest = append(rest, c)
		}
	}
	slices.SortFunc(rest, func(x, y *condition) int { return x.number() - y.number() })
	// A branch that always holds forbids the others.
	if i := slices.IndexFunc(rest, (*condition).always); i >= 0 {
		var none []*condition
		for _, c := range slices.Delete(slices.Clone(rest), i, i+1) {
			none = append(none, k.not(f, c))
		}
		return k.both(f, append(none, k.top(f))...)
	}
	if k.exclusive(rest) {
		return k.any(f, rest)
	}
	if !slices.ContainsFunc(rest, func(c *condition) bool { return !c.isValues() }) {
		return k.once(f, rest)
	}
	return k.intern(f, []atom{{op: opOne, conds: rest}})
}

// once gives the values that exactly one of several enumerations has.
func (k *keyer) once(f family, conds []*condition) *condition {
	count := map[string]int{}
	var all []*document.Value
	for _, c := range conds {
		for _, v := range c.atoms[0].values {
			count[v.Canonical()]++
			all = append(all, v)
		}
	}
	all = slices.DeleteFunc(all, func(v *document.Value) bool { return count[v.Canonical()] > 1 })
	return k.values(f, all)
}

// exclusive tells whether no two of the conditions can hold at once, as far as
// enumerations and constant members show.
func (k *keyer) exclusive(conds []*condition) bool {
	const limit = 256
	if len(conds) > limit {
		return false
	}
	facts := make([]*facts, len(conds))
	for i, c := range conds {
		facts[i] = k.facts(c)
	}
	for i, x := range facts {
		for _, y := range facts[:i] {
			if !disjoint(x, y) {
				return false
			}
		}
	}
	return true
}

// facts is what is easily known of a condition.
type facts struct {
	values   map[string]bool            // the only values, nil = unknown
	members  map[string]map[string]bool // the only values of members
	required map[string]bool
	absent   map[string]bool
	closed   *atom // an opOthers that allows no other member
}

func (k *keyer) facts(c *condition) *facts {
	if f := k.known[c]; f != nil {
		return f
	}
	f := &facts{required: map[string]bool{}, absent: map[string]bool{}, members: map[string]map[string]bool{}}
	for i := range c.atoms {
		switch a := &c.atoms[i]; a.op {
		case opValues:
			f.values = map[string]bool{}
			for _, v := range a.values {
				f.values[v.Canonical()] = true
			}
		case opRequired:
			f.required[a.name] = true
		case opMember:
			if k.isNever(a.sub[0]) {
				f.absent[a.name] = true
			} else if values := k.valuesOf(a.sub[0]); values != nil {
				f.members[a.name] = values
			}
		case opOthers:
			if k.isNever(a.sub[0]) && len(a.patterns) == 0 {
				f.closed = a
			}
		}
	}
	k.known[c] = f
	return f
}

func disjoint(x, y *facts) bool {
	return apart(x.values, y.values) || differ(x, y) || lacks(x, y) || lacks(y, x)
}

func apart(x, y map[string]bool) bool {
	if x == nil || y == nil {
		return false
	}
	for v := range x {
		if y[v] {
			return false
		}
	}
	return true
}

// differ: a member that must be there in one has no value both allow.
func differ(x, y *facts) bool {
	for name, values := range x.members {
		if (x.required[name] || y.required[name]) && apart(values, y.members[name]) {
			return true
		}
	}
	return false
}

// lacks: a member that must be there in one may not be there in the other.
func lacks(x, y *facts) bool {
	for name := range x.required {
		if y.absent[name] {
			return true
		}
		if y.closed != nil {
			if !holds(y.closed.names, name) {
				return true
			}
		}
	}
	return false
}

// cases is: if test then yes else no.
func (k *keyer) cases(f family, test, yes, no *condition) *condition {
	if yes == no {
		return yes
	}
	return k.both(f, k.any(f, []*condition{k.not(f, test), yes}), k.any(f, []*condition{test, no}))
}

// implied is: if there is a member of this name then c.
func (k *keyer) implied(name string, c *condition) *condition {
	return k.any(objects, []*condition{k.absent(name), c})
}

func (k *keyer) absent(name string) *condition {
	return k.all(objects, []atom{{op: opMember, name: name, sub: []int{neverSchema}}})
}

// absentName gives the name of the member whose absence is all that c demands.
func (k *keyer) absentName(c *condition) (name string, ok bool) {
	if a := c.only(opMember); a != nil && k.isNever(a.sub[0]) {
		return a.name, true
	}
	return "", false
}

// holds tells whether a text is among sorted texts.
func holds(sorted []string, text string) bool {
	_, found := slices.BinarySearch(sorted, text)
	return found
}

// union of two sorted lists of texts.
func union(x, y []string) []string {
	z := slices.Concat(x, y)
	slices.SortFunc(z, strings.Compare)
	return slices.Compact(z)
}

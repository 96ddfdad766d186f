package schema

import "math"

// not is the negation of a condition, brought down to its atoms: not all of them
// is the negation of at least one.
func (k *keyer) not(f family, c *condition) *condition {
	switch {
	case small(f):
		return k.masked(f, ^c.mask(f))
	case c == nil:
		return k.top(f)
	}
	n, done := k.negated[c]
	if !done {
		n = k.negate(f, c)
		k.negated[c] = n
	}
	return n
}

func (k *keyer) negate(f family, c *condition) *condition {
	if k.wasteful() && len(c.atoms) > 0 {
		return k.intern(f, []atom{{op: opNot, conds: []*condition{c}}})
	}
	branches := make([]*condition, len(c.atoms))
	for i := range c.atoms {
		branches[i] = k.notAtom(f, &c.atoms[i])
	}
	return k.any(f, branches)
}

// notAtom is the negation of one atom, as another atom where there is one.
func (k *keyer) notAtom(f family, a *atom) *condition {
	single := func(atoms ...atom) *condition { return k.all(f, atoms) }
	switch a.op {
	case opValues:
		if f == strs && len(a.values) == 1 && a.values[0].Text == "" {
			return single(atom{op: opMinLength, n: 1})
		}
	case opMin:
		return single(atom{op: opMax, num: a.num, strict: !a.strict})
	case opMax:
		return single(atom{op: opMin, num: a.num, strict: !a.strict})
	case opMinLength, opMinItems, opMinMembers:
		// The bounds of a count come in pairs, least before most; least is never 0.
		return single(atom{op: a.op + 1, n: a.n - 1})
	case opMaxLength, opMaxItems, opMaxMembers:
		if a.n < math.MaxInt64 {
			return single(atom{op: a.op - 1, n: a.n + 1})
		}
	case opContains:
		fewer, more := atom{op: opContains, m: a.n - 1, sub: a.sub}, atom{op: opContains, n: a.m + 1, m: -1, sub: a.sub}
		var branches []*condition
		if a.n > 0 {
			branches = append(branches, single(fewer))
		}
		if a.m >= 0 && a.m < math.MaxInt64 {
			branches = append(branches, single(more))
		}
		return k.any(f, branches)
	case opRequired:
		return single(atom{op: opMember, name: a.name, sub: []int{neverSchema}})
	case opMember:
		if k.isNever(a.sub[0]) {
			return single(atom{op: opRequired, name: a.name})
		}
	case opAny:
		none := []*condition{k.top(f)}
		for _, branch := range a.conds {
			none = append(none, k.not(f, branch))
		}
		return k.both(f, none...)
	case opNot:
		return a.conds[0]
	}
	return k.intern(f, []atom{{op: opNot, conds: []*condition{k.intern(f, []atom{*a})}}})
}

package inclusion

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// state is a partly worked out question about the values of one family.
type state struct {
	s        *Solver
	family   family
	goal     []*term
	strange  []string
	asserted map[int]bool
	refuted  map[int]bool // terms that cannot hold here
	pending  []*term
	atoms    []*term
	clauses  []clause
}

func (st *state) has(id int) bool { return st.asserted[id] }

// settle takes in what is pending, and what follows; it is false when that
// cannot hold.
func (st *state) settle() bool {
	for {
		for len(st.pending) > 0 {
			t := st.pending[len(st.pending)-1]
			st.pending = st.pending[:len(st.pending)-1]
			if st.asserted[t.id] {
				continue
			}
			if st.refuted[t.id] || st.s.denied(t, st.has) {
				return false
			}
			st.asserted[t.id] = true
			if t.op != opLiteral {
				st.atoms = append(st.atoms, t)
				continue
			}
			f := st.s.expand(t, st.family)
			if f.never {
				return false
			}
			st.pending = append(st.pending, f.units...)
			st.clauses = append(st.clauses, f.clauses...)
		}
		again, ok := st.reduce()
		if !ok {
			return false
		}
		if !again {
			return true
		}
	}
}

// reduce drops alternatives that cannot hold and clauses that do anyway.
func (st *state) reduce() (again, ok bool) {
	kept := st.clauses[:0:0]
	for _, c := range st.clauses {
		var left [][]*term
		satisfied := false
		for _, alternative := range c.alternatives {
			possible, known := true, true
			for _, t := range alternative {
				if st.asserted[t.id] || st.implied(t) {
					continue
				}
				known = false
				if st.impossible(t, alternative) {
					possible = false
					break
				}
			}
			if known {
				satisfied = true
				break
			}
			if possible {
				left = append(left, alternative)
			}
		}
		switch {
		case satisfied:
		case len(left) == 0:
			return false, false
		case len(left) == 1:
			st.pending = append(st.pending, left[0]...)
			again = true
		default:
			kept = append(kept, clause{left, c.keyword})
		}
	}
	st.clauses = kept
	return again, true
}

// implied tells whether what is known says the same already, as far as can be
// seen at a glance: of tags above all.
func (st *state) implied(t *term) bool {
	switch t.op {
	case opRequired:
		return st.requires(t.name)
	case opMember:
		if !t.sub.not {
			return false
		}
		return slices.ContainsFunc(st.atoms, func(a *term) bool {
			return a.op == opMember && a.name == t.name && !a.sub.not && st.s.apart(a.sub.node, t.sub.node)
		})
	}
	return false
}

func (st *state) requires(name string) bool {
	return slices.ContainsFunc(st.atoms, func(a *term) bool { return a.op == opRequired && a.name == name })
}

// impossible tells whether a term of an alternative cannot hold here.
func (st *state) impossible(t *term, alternative []*term) bool {
	if st.refuted[t.id] || st.s.denied(t, st.has) {
		return true
	}
	switch t.op {
	case opLiteral:
		return st.s.expand(t, st.family).never
	case opRequired, opAbsent:
		other := opAbsent
		if t.op == opAbsent {
			other = opRequired
		}
		return slices.ContainsFunc(st.atoms, func(a *term) bool { return a.op == other && a.name == t.name })
	case opMember:
		there := st.requires(t.name) || slices.ContainsFunc(alternative, func(a *term) bool { return a.op == opRequired && a.name == t.name })
		return there && slices.ContainsFunc(st.atoms, func(a *term) bool {
			if a.op != opMember || a.name != t.name {
				return false
			}
			return st.s.denied(t.sub, func(id int) bool { return id == a.sub.id }) || !a.sub.not && !t.sub.not && st.s.apart(a.sub.node, t.sub.node)
		})
	}
	return false
}

// solve looks for a value of the family.
func (st *state) solve() Answer {
	if !st.settle() {
		return Answer{Status: None}
	}
	if a, done := st.enumerated(); done {
		return a
	}
	slices.SortFunc(st.atoms, func(x, y *term) int { return x.id - y.id })
	if len(st.clauses) == 0 {
		return st.leaf(st.strange)
	}
	groups := [][]int{{int(st.family)}, idsOf(st.atoms)}
	for _, name := range st.strange {
		groups[0] = append(groups[0], st.s.terms.atom(term{op: opMention, name: name}).id)
	}
	var texts []string
	for _, c := range st.clauses {
		var sets [][]int
		for _, alternative := range c.alternatives {
			sets = append(sets, idsOf(alternative))
		}
		slices.SortFunc(sets, slices.Compare)
		texts = append(texts, keyOf('c', sets...))
	}
	slices.Sort(texts)
	key := keyOf('s', groups...)
	for _, text := range slices.Compact(texts) {
		key += text
	}
	return st.s.tabled(key, st.branch)
}

// branch tries the alternatives of one clause.
func (st *state) branch() Answer {
	// A value by the conditions known so far may do already; if there is none,
	// there is none by more conditions.
	switch a := st.leaf(st.strange); {
	case a.Status == Found && st.s.holdAll(st.goal, a.Value):
		return a
	case a.Status == None:
		// What is known so far need not say yet which names the sender knows.
		if st.s.relax(func() Answer { return st.leaf(nil) }).Status == None {
			return a
		}
	}
	best := 0
	for i, c := range st.clauses {
		if len(c.alternatives) < len(st.clauses[best].alternatives) {
			best = i
		}
	}
	c := st.clauses[best]
	rest := slices.Delete(slices.Clone(st.clauses), best, best+1)
	alternatives := slices.Clone(c.alternatives)
	slices.SortStableFunc(alternatives, func(x, y []*term) int { return weight(x) - weight(y) })
	unknown := Answer{Status: None}
	refuted := st.refuted
	for _, alternative := range alternatives {
		if st.s.steps > st.s.effort {
			return Answer{Status: Unknown, Keyword: c.keyword}
		}
		next := &state{
			s: st.s, family: st.family, goal: st.goal, strange: st.strange,
			asserted: cloned(st.asserted), refuted: refuted,
			pending: slices.Clone(alternative), atoms: slices.Clone(st.atoms), clauses: rest,
		}
		a := next.solve()
		switch a.Status {
		case Found:
			return a
		case Unknown:
			unknown = a
		case None:
			if len(alternative) == 1 {
				refuted = cloned(refuted)
				refuted[alternative[0].id] = true
			}
		}
	}
	return unknown
}

func cloned(m map[int]bool) map[int]bool {
	c := make(map[int]bool, len(m)+4)
	for k, v := range m {
		c[k] = v
	}
	return c
}

// weight puts simple alternatives first.
func weight(list []*term) int {
	w := len(list)
	for _, t := range list {
		switch t.op {
		case opLiteral:
			w += 4
		case opHasItem, opHasRest, opHasMatch, opHasOther, opHasName, opUndecided:
			w += 2
		}
	}
	return w
}

// enumerated settles questions that leave a few values only.
func (st *state) enumerated() (Answer, bool) {
	var values *term
	for _, t := range st.atoms {
		if t.op == opValues && (values == nil || len(t.values) < len(values.values)) {
			values = t
		}
	}
	if values == nil {
		return Answer{}, false
	}
	for _, v := range values.values {
		if v.Kind == kindOf[st.family] && st.s.holdAll(st.goal, v) {
			return Answer{Status: Found, Value: v}, true
		}
	}
	return Answer{Status: None}, true
}

// leaf looks for a value by the atoms alone.
func (st *state) leaf(strange []string) Answer {
	for _, t := range st.atoms {
		if t.op == opUndecided {
			return Answer{Status: Unknown, Keyword: t.name}
		}
	}
	work := func() Answer {
		switch st.family {
		case nulls, booleans:
			return st.small()
		case numbers:
			return st.s.number(st.atoms)
		case strs:
			return st.s.text(st.atoms)
		case arrays:
			return st.s.array(st.atoms)
		}
		return st.s.object(st.atoms, strange)
	}
	groups := [][]int{{int(st.family)}, idsOf(st.atoms)}
	for _, name := range strange {
		groups[0] = append(groups[0], st.s.terms.atom(term{op: opMention, name: name}).id)
	}
	return st.s.tabled(keyOf('l', groups...), work)
}

func (st *state) small() Answer {
	candidates := []*document.Value{{Kind: document.Null}}
	if st.family == booleans {
		candidates = []*document.Value{{Kind: document.Bool, Bool: true}, {Kind: document.Bool}}
	}
	for _, v := range candidates {
		if !excludedValue(st.atoms, v) {
			return Answer{Status: Found, Value: v}
		}
	}
	return Answer{Status: None}
}

// excludedValue tells whether a value is one that it must not be.
func excludedValue(atoms []*term, v *document.Value) bool {
	for _, t := range atoms {
		if t.op == opNotValues && slices.ContainsFunc(t.values, v.Equal) {
			return true
		}
	}
	return false
}

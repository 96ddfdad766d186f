package inclusion

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// maxItems bounds the arrays that are built.
const maxItems = 2000

// layout is the conditions on an array, by kind.
type layout struct {
	s           *Solver
	least, most int64
	unique      bool
	repeated    bool // two items must be equal
	items       []*term
	has         []*term // opHasItem, opHasRest
	contains    []*term
	excluded    []*document.Value
	unknown     string
}

// array looks for an array by conditions on its length and its items.
func (s *Solver) array(atoms []*term) Answer {
	l := layout{s: s}
	l.least, l.most = bounds(atoms)
	for _, t := range atoms {
		switch t.op {
		case opUnique:
			l.unique = true
		case opNotUnique:
			l.repeated = true
		case opItem, opRest:
			l.items = append(l.items, t)
		case opHasItem:
			l.has = append(l.has, t)
			l.least = max(l.least, t.n+1)
		case opHasRest:
			l.has = append(l.has, t)
			l.least = max(l.least, t.n+1)
		case opContains:
			l.contains = append(l.contains, t)
			if t.m >= 0 && t.n > t.m {
				return Answer{Status: None}
			}
			l.least = max(l.least, t.n)
		}
	}
	if l.unique && l.repeated {
		return Answer{Status: None}
	}
	if l.repeated {
		l.least = max(l.least, 2)
	}
	l.excluded = together(atoms, opNotValues)
	if l.least > l.most {
		return Answer{Status: None}
	}
	if l.least > maxItems {
		return Answer{Status: Unknown, Keyword: "minItems"}
	}
	// Items that nothing asks for can be left out, so that it is enough to look a
	// little beyond what is asked for.
	reach := l.least
	for _, t := range l.items {
		reach = max(reach, t.n)
	}
	reach += int64(len(l.has)) + int64(len(l.excluded))
	for _, t := range l.contains {
		reach += t.n
	}
	if l.repeated {
		reach += 2
	}
	for n := l.least; n <= min(reach, l.most, maxItems); n++ {
		if a := l.build(int(n)); a.Status == Found {
			return a
		}
	}
	if l.unknown != "" {
		return Answer{Status: Unknown, Keyword: l.unknown}
	}
	if reach > maxItems {
		return Answer{Status: Unknown, Keyword: "minItems"}
	}
	return Answer{Status: None}
}

// build looks for an array of n items.
func (l *layout) build(n int) Answer {
	goals := make([][]*term, n)
	for i := range goals {
		for _, t := range l.items {
			if t.op == opItem && t.n == int64(i) || t.op == opRest && t.n <= int64(i) {
				goals[i] = append(goals[i], t.sub)
			}
		}
	}
	budget := 3000
	return l.place(goals, l.has, &budget)
}

// place puts what must exist somewhere, then sees to contains.
func (l *layout) place(goals [][]*term, has []*term, budget *int) Answer {
	if *budget--; *budget < 0 {
		l.unknown = "items"
		return Answer{Status: None}
	}
	if len(has) == 0 {
		return l.matching(goals, l.contains, budget)
	}
	t := has[0]
	from, to := int(t.n), len(goals)
	if t.op == opHasItem {
		to = from + 1
	}
	for i := from; i < min(to, len(goals)); i++ {
		if i > from+12 && i < len(goals)-1 {
			continue // all alike
		}
		next := slices.Clone(goals)
		next[i] = append(slices.Clone(goals[i]), t.sub)
		if l.s.hopeless(next[i]) {
			continue
		}
		if a := l.place(next, has[1:], budget); a.Status == Found {
			return a
		}
	}
	return Answer{Status: None}
}

// matching decides which items match each contains.
func (l *layout) matching(goals [][]*term, contains []*term, budget *int) Answer {
	if len(contains) == 0 {
		return l.fill(goals)
	}
	t := contains[0]
	anti := l.s.terms.negated(t.sub)
	most := int64(len(goals))
	if t.m >= 0 {
		most = min(most, t.m)
	} else {
		most = t.n
	}
	var choose func(i int, chosen int64, next [][]*term) Answer
	choose = func(i int, chosen int64, next [][]*term) Answer {
		if *budget--; *budget < 0 {
			l.unknown = "contains"
			return Answer{Status: None}
		}
		if chosen+int64(len(goals)-i) < t.n {
			return Answer{Status: None}
		}
		if i == len(goals) {
			return l.matching(next, contains[1:], budget)
		}
		try := func(extra *term, count int64) Answer {
			g := slices.Clone(next)
			if extra != nil {
				g[i] = append(slices.Clone(next[i]), extra)
				if l.s.hopeless(g[i]) {
					return Answer{Status: None}
				}
			}
			return choose(i+1, chosen+count, g)
		}
		if chosen < most {
			if a := try(t.sub, 1); a.Status == Found {
				return a
			}
		}
		if t.m >= 0 {
			return try(anti, 0)
		}
		return try(nil, 0)
	}
	return choose(0, 0, slices.Clone(goals))
}

// fill gives every item a value.
func (l *layout) fill(goals [][]*term) Answer {
	if !l.repeated {
		return l.values(goals)
	}
	for i := range min(len(goals), 12) {
		for j := i + 1; j < min(len(goals), 14); j++ {
			both := slices.Concat(goals[i], goals[j])
			next := slices.Clone(goals)
			next[i], next[j] = both, both
			if a := l.values(next); a.Status == Found {
				return a
			}
		}
	}
	return Answer{Status: None}
}

func (l *layout) values(goals [][]*term) Answer {
	v := &document.Value{Kind: document.Array, Items: make([]*document.Value, len(goals))}
	order := make([]int, len(goals))
	for i := range order {
		order[i] = i
	}
	if l.unique {
		// What is asked most of has the least choice, and comes first.
		slices.SortStableFunc(order, func(i, j int) int { return len(goals[j]) - len(goals[i]) })
	}
	var taken []*document.Value
	for k, i := range order {
		goal := goals[i]
		if l.unique && k > 0 {
			goal = append(slices.Clone(goal), l.s.terms.atom(term{op: opNotValues, values: slices.Clone(taken)}))
		}
		a := l.s.value(goal)
		switch a.Status {
		case None:
			if l.unique && k > 0 && !l.alike(goals) {
				l.unknown = "uniqueItems"
			}
			return a
		case Unknown:
			l.unknown = a.Keyword
			return Answer{Status: None}
		}
		v.Items[i] = a.Value
		taken = append(taken, a.Value)
	}
	if l.repeated || !slices.ContainsFunc(l.excluded, v.Equal) {
		if slices.ContainsFunc(l.excluded, v.Equal) {
			l.unknown = "uniqueItems"
			return Answer{Status: None}
		}
		return Answer{Status: Found, Value: v}
	}
	// One of the items must differ.
	for i, goal := range goals {
		more := append(slices.Clone(goal), l.s.terms.atom(term{op: opNotValues, values: []*document.Value{v.Items[i]}}))
		if a := l.s.value(more); a.Status == Found {
			w := &document.Value{Kind: document.Array, Items: slices.Clone(v.Items)}
			w.Items[i] = a.Value
			if !slices.ContainsFunc(l.excluded, w.Equal) && (!l.unique || distinct(w.Items)) {
				return Answer{Status: Found, Value: w}
			}
			l.unknown = "enum"
		} else if a.Status == Unknown {
			l.unknown = a.Keyword
		}
	}
	return Answer{Status: None}
}

// alike tells whether the goals are all one: then values taken one by one run
// out only when there are too few.
func (l *layout) alike(goals [][]*term) bool {
	first := idsOf(goals[0])
	for _, g := range goals[1:] {
		if !slices.Equal(first, idsOf(g)) {
			return false
		}
	}
	return true
}

func distinct(items []*document.Value) bool {
	seen := map[string]bool{}
	for _, v := range items {
		text := v.Canonical()
		if seen[text] {
			return false
		}
		seen[text] = true
	}
	return true
}

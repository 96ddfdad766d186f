package inclusion

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// maxMembers bounds the objects that are built.
const maxMembers = 2000

// maxPatterns bounds how many patterns for member names are told apart in full.
const maxPatterns = 6

// frame is the conditions on an object, by kind.
type frame struct {
	s           *Solver
	least, most int64
	required    []string
	absent      map[string]bool
	members     map[string][]*term
	matching    []*term
	others      []*term
	names       []*term
	has         []*term // opHasMatch, opHasOther, opHasName
	excluded    []*document.Value
	strange     map[string]bool // names that must not be used
	mentions    []string        // names that conditions talk about, sorted
	patterns    []string
	unknown     string
	free        map[string]Answer
}

// object looks for an object by conditions on its members. Names of the list
// strange are used only where the sender's conditions know them.
func (s *Solver) object(atoms []*term, strange []string) Answer {
	f := frame{s: s, absent: map[string]bool{}, members: map[string][]*term{}, strange: map[string]bool{}, free: map[string]Answer{}}
	f.least, f.most = bounds(atoms)
	var knownNames, knownPatterns []string
	open := true
	mentions := map[string]bool{}
	patterns := map[string]bool{}
	for _, t := range atoms {
		ours := t.side == Sender && t.known
		switch t.op {
		case opRequired:
			f.required = append(f.required, t.name)
			mentions[t.name] = true
		case opAbsent:
			f.absent[t.name] = true
		case opMember:
			f.members[t.name] = append(f.members[t.name], t.sub)
			mentions[t.name] = true
		case opMatching:
			f.matching = append(f.matching, t)
			patterns[t.name] = true
			if ours {
				knownPatterns = append(knownPatterns, t.name)
			}
		case opOthers:
			f.others = append(f.others, t)
			open = open && !ours
		case opNames:
			f.names = append(f.names, t)
		case opHasMatch, opHasOther, opHasName:
			f.has = append(f.has, t)
			if t.op == opHasMatch {
				patterns[t.name] = true
			}
		}
		for _, p := range t.patterns {
			patterns[p] = true
		}
		for _, n := range t.names {
			mentions[n] = true
		}
		if ours && (t.op == opRequired || t.op == opMember || t.op == opMention) {
			knownNames = append(knownNames, t.name)
		}
	}
	if open {
		for _, name := range strange {
			if !slices.Contains(knownNames, name) && !slices.ContainsFunc(knownPatterns, func(p string) bool { return s.matches(p, name) }) {
				f.strange[name] = true
			}
		}
	}
	for name := range mentions {
		f.mentions = append(f.mentions, name)
	}
	slices.Sort(f.mentions)
	for p := range patterns {
		f.patterns = append(f.patterns, p)
	}
	slices.Sort(f.patterns)
	slices.Sort(f.required)
	f.required = slices.Compact(f.required)
	f.excluded = together(atoms, opNotValues)
	if f.least > f.most || int64(len(f.required)) > f.most {
		return Answer{Status: None}
	}
	if f.least > maxMembers {
		return Answer{Status: Unknown, Keyword: "minProperties"}
	}
	goals := map[string][]*term{}
	for _, name := range f.required {
		goal, ok := f.goal(name)
		if !ok {
			return Answer{Status: None}
		}
		goals[name] = goal
	}
	for _, goal := range goals {
		switch a := s.value(goal); a.Status {
		case None:
			return a
		case Unknown:
			f.unknown = a.Keyword
		}
	}
	budget := 3000
	a := f.place(goals, f.has, &budget)
	if a.Status != Found && f.unknown != "" {
		return Answer{Status: Unknown, Keyword: f.unknown}
	}
	return a
}

// goal gives what must hold of the member called name; false when there must be
// no such member.
func (f *frame) goal(name string) ([]*term, bool) {
	if f.absent[name] || f.strange[name] {
		return nil, false
	}
	text := &document.Value{Kind: document.String, Text: name}
	for _, t := range f.names {
		if f.s.Holds(t.sub.node, text) == t.sub.not {
			return nil, false
		}
	}
	goal := slices.Clone(f.members[name])
	for _, t := range f.matching {
		if f.s.matches(t.name, name) {
			goal = append(goal, t.sub)
		}
	}
	for _, t := range f.others {
		if f.isOther(t, name) {
			goal = append(goal, t.sub)
		}
	}
	for _, t := range goal {
		if _, never := trivial(t); never {
			return nil, false
		}
	}
	return goal, true
}

func (f *frame) isOther(t *term, name string) bool {
	return !slices.Contains(t.names, name) && !slices.ContainsFunc(t.patterns, func(p string) bool { return f.s.matches(p, name) })
}

// suits tells whether a member of a name is what t says there is one of.
func (f *frame) suits(t *term, name string) bool {
	switch t.op {
	case opHasMatch:
		return f.s.matches(t.name, name)
	case opHasOther:
		return f.isOther(t, name)
	}
	return f.s.Holds(t.sub.node, &document.Value{Kind: document.String, Text: name}) != t.sub.not
}

// place finds a member for everything there must be one for.
func (f *frame) place(goals map[string][]*term, has []*term, budget *int) Answer {
	if *budget--; *budget < 0 {
		f.unknown = "patternProperties"
		return Answer{Status: None}
	}
	if int64(len(goals)) > f.most {
		return Answer{Status: None}
	}
	if len(has) == 0 {
		return f.fill(goals)
	}
	t := has[0]
	try := func(name string) Answer {
		goal, there := goals[name]
		if !there {
			var ok bool
			if goal, ok = f.goal(name); !ok {
				return Answer{Status: None}
			}
		}
		if t.op != opHasName {
			goal = append(slices.Clone(goal), t.sub)
		}
		if f.s.hopeless(goal) {
			return Answer{Status: None}
		}
		next := make(map[string][]*term, len(goals)+1)
		for k, v := range goals {
			next[k] = v
		}
		next[name] = goal
		return f.place(next, has[1:], budget)
	}
	tried := map[string]bool{}
	each := func(name string) (Answer, bool) {
		if tried[name] || !f.suits(t, name) {
			return Answer{}, false
		}
		tried[name] = true
		a := try(name)
		return a, a.Status == Found
	}
	var present []string
	for name := range goals {
		present = append(present, name)
	}
	slices.Sort(present)
	for _, name := range slices.Concat(present, f.mentions) {
		if a, ok := each(name); ok {
			return a
		}
	}
	var extra []*term
	if t.op == opHasName {
		extra = []*term{t.sub}
	}
	for _, name := range f.fresh(extra, goals, 1) {
		if a, ok := each(name); ok {
			return a
		}
	}
	return Answer{Status: None}
}

// fresh gives names that no condition mentions: some for each set of patterns
// that a name can match together.
func (f *frame) fresh(extra []*term, used map[string][]*term, count int) []string {
	var names []string
	profiles := 1 << min(len(f.patterns), maxPatterns)
	if len(f.patterns) > maxPatterns {
		f.unknown = "patternProperties"
	}
	taken := make([]*document.Value, 0, len(f.mentions)+len(used))
	take := func(name string) { taken = append(taken, &document.Value{Kind: document.String, Text: name}) }
	for _, name := range f.mentions {
		take(name)
	}
	for _, list := range []map[string]bool{f.strange, f.absent} {
		for name := range list {
			take(name)
		}
	}
	for name := range used {
		take(name)
	}
	for profile := range profiles {
		var goal []*term
		for i, p := range f.patterns[:min(len(f.patterns), maxPatterns)] {
			o := opNotPattern
			if profile&(1<<i) != 0 {
				o = opPattern
			}
			goal = append(goal, f.s.terms.atom(term{op: o, name: p}))
		}
		for _, t := range f.names {
			goal = append(goal, t.sub)
		}
		goal = append(goal, extra...)
		for range count {
			// Members of the empty name are legal and confuse everybody.
			a := f.s.word(append(slices.Clone(goal), f.s.terms.atom(term{op: opNotValues, values: slices.Clone(taken)}), f.s.terms.atom(term{op: opLeast, n: 1})))
			if a.Status == None {
				a = f.s.word(append(slices.Clone(goal), f.s.terms.atom(term{op: opNotValues, values: slices.Clone(taken)})))
			}
			if a.Status == Unknown {
				f.unknown = "propertyNames"
				if len(f.patterns) > 0 {
					f.unknown = "patternProperties"
				}
			}
			if a.Status != Found {
				break
			}
			names = append(names, a.Value.Text)
			take(a.Value.Text)
		}
	}
	return names
}

// word looks for a string of which all terms hold, literals and conditions.
func (s *Solver) word(goal []*term) Answer {
	return s.tabled(keyOf('w', idsOf(goal)), func() Answer {
		st := &state{s: s, family: strs, goal: goal, asserted: map[int]bool{}, pending: slices.Clone(goal)}
		return st.solve()
	})
}

// fill adds members until there are enough, and gives each a value.
func (f *frame) fill(goals map[string][]*term) Answer {
	for extra := range int64(len(f.excluded) + 1) {
		want := max(f.least, int64(len(goals))+extra)
		if extra > 0 {
			// The objects made so far were ones it must not be.
			want = max(f.least, int64(len(goals))) + extra
		}
		if want > f.most {
			break
		}
		full, ok := f.enough(goals, want)
		if !ok {
			break
		}
		if a := f.values(full); a.Status == Found {
			return a
		}
		if f.unknown != "" && len(f.excluded) == 0 {
			break
		}
	}
	return Answer{Status: None}
}

// enough adds members that may be there until there are n.
func (f *frame) enough(goals map[string][]*term, n int64) (map[string][]*term, bool) {
	full := make(map[string][]*term, n)
	for k, v := range goals {
		full[k] = v
	}
	add := func(name string) {
		if _, there := full[name]; there || int64(len(full)) >= n {
			return
		}
		goal, ok := f.goal(name)
		if !ok {
			return
		}
		switch a := f.s.value(goal); a.Status {
		case Found:
			full[name] = goal
		case Unknown:
			f.unknown = a.Keyword
		}
	}
	for _, name := range f.mentions {
		add(name)
	}
	if missing := n - int64(len(full)); missing > 0 {
		for _, name := range f.fresh(nil, full, int(missing)) {
			add(name)
		}
	}
	return full, int64(len(full)) >= n
}

func (f *frame) values(goals map[string][]*term) Answer {
	names := make([]string, 0, len(goals))
	for name := range goals {
		names = append(names, name)
	}
	slices.Sort(names)
	v := &document.Value{Kind: document.Object}
	for _, name := range names {
		a := f.s.value(goals[name])
		if a.Status != Found {
			if a.Status == Unknown {
				f.unknown = a.Keyword
			}
			return Answer{Status: None}
		}
		v.Members = append(v.Members, document.Member{Name: name, Value: a.Value})
	}
	if !slices.ContainsFunc(f.excluded, v.Equal) {
		return Answer{Status: Found, Value: v}
	}
	if len(names) > len(f.required) {
		f.unknown = "enum" // other names might do
	}
	// One of the members must differ.
	for i, name := range names {
		more := append(slices.Clone(goals[name]), f.s.terms.atom(term{op: opNotValues, values: []*document.Value{v.Members[i].Value}}))
		switch a := f.s.value(more); a.Status {
		case Found:
			w := &document.Value{Kind: document.Object, Members: slices.Clone(v.Members)}
			w.Members[i].Value = a.Value
			if !slices.ContainsFunc(f.excluded, w.Equal) {
				return Answer{Status: Found, Value: w}
			}
			f.unknown = "enum"
		case Unknown:
			f.unknown = a.Keyword
		}
	}
	return Answer{Status: None}
}

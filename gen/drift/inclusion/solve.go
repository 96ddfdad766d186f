package inclusion

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Status is the kind of an answer.
type Status uint8

// The answers to the question whether there is a value.
const (
	None    Status = iota // certainly not
	Found                 // yes: Value
	Unknown               // it could not be decided: Keyword stood in the way
)

// Answer says whether there is a value of which all literals hold.
type Answer struct {
	Status  Status
	Value   *document.Value // when Found; its numbers and strings have no place in a file
	Keyword string          // when Unknown
}

// TooLarge stands for the keyword when none stood in the way but the work.
const TooLarge = "the size of the schema"

// Options choose how a Solver judges.
type Options struct {
	// Formats makes format a rule.
	Formats bool
	// Conventional keeps senders from using names that only the receiver's
	// properties list: an open object may carry any other member, but not by
	// chance one that the other side will take to mean something.
	Conventional bool
	// Effort bounds the work for one question; 0 is a sensible bound.
	Effort int
}

// Solver answers questions about schemas, which may be of several graphs. It
// remembers what it has found out, so one Solver for many questions about the
// same graphs is cheaper than many. It must not be used by several goroutines
// at once.
type Solver struct {
	formats      bool
	conventional bool
	effort       int

	terms    *terms
	formulas map[expansion]*formula
	outlines map[*schema.Node]*outline
	types    map[*schema.Node]schema.Types
	strips   map[*schema.Node]map[expansion]*schema.Node
	eithers  map[Label]*schema.Node
	names    map[*schema.Node][]string
	patterns map[string]*wire.Pattern
	automata map[string]*automaton

	// A value that shows something is looked for near the top first: limit is how
	// deep values may nest, depth how deep they do, and cut remembers which
	// questions had no answer with how many levels left.
	limit, depth int
	cut          map[string]int

	// relaxed suspends conventional: what has no value even so has none.
	relaxed bool

	memo  map[string]*entry
	stack []*open // questions being answered, outermost first
	low   int     // the outermost one that what is being worked out leans on
	steps int
}

// entry is an answer that is remembered.
type entry struct {
	answer Answer
	low    int // depth of the open question it leans on, or free
}

// open is a question that is being answered.
type open struct {
	key    string
	leaned []string // keys of answers found meanwhile that lean on open questions
}

// free marks an answer that leans on no open question.
const free = math.MaxInt

// New makes a solver.
func New(o Options) *Solver {
	s := &Solver{
		formats: o.Formats, conventional: o.Conventional, effort: o.Effort,
		terms:    &terms{labels: NewLabels(o.Formats, false), by: map[string]*term{}, nodes: map[literalKey]*term{}},
		formulas: map[expansion]*formula{}, outlines: map[*schema.Node]*outline{}, types: map[*schema.Node]schema.Types{},
		strips:   map[*schema.Node]map[expansion]*schema.Node{},
		eithers:  map[Label]*schema.Node{},
		names:    map[*schema.Node][]string{},
		patterns: map[string]*wire.Pattern{}, automata: map[string]*automaton{},
		memo: map[string]*entry{},
	}
	if s.effort == 0 {
		s.effort = 60_000
	}
	return s
}

// Solve looks for a value of which all of the literals hold.
func (s *Solver) Solve(literals ...Literal) Answer {
	goal := make([]*term, len(literals))
	for i, l := range literals {
		goal[i] = s.terms.literal(l)
	}
	for i, limit := range limits {
		last := i == len(limits)-1
		s.steps, s.low, s.stack, s.limit, s.depth, s.cut = 0, free, nil, limit, 0, map[string]int{}
		if !last {
			s.steps = s.effort - min(s.effort, s.effort/16)
		}
		if a := s.value(goal); a.Status != Unknown || last {
			return a
		}
	}
	return Answer{}
}

// Quick is Included with little effort: where it would take more the answer is
// Unknown.
func (s *Solver) Quick(sender, receiver *schema.Node) Answer {
	effort := s.effort
	s.effort = min(effort, 3000)
	defer func() { s.effort = effort }()
	return s.Included(sender, receiver)
}

// limits are the depths that are tried one after the other.
var limits = []int{3, 7, maxDepth}

// Included tells whether every value that one schema accepts is accepted by
// another: the answer None says so, and Found brings a value that is not.
func (s *Solver) Included(sender, receiver *schema.Node) Answer {
	return s.Solve(Literal{Node: sender, Side: Sender}, Literal{Node: receiver, Not: true, Side: Receiver})
}

// maxDepth bounds how deep values nest.
const maxDepth = 250

// tabled answers a question by its key, once. A question that comes up while it
// is being answered has, within that answer, no value: a smallest value of the
// outer question contains no other value of it. Answers that lean on such an
// assumption are remembered for good only when it turns out true.
func (s *Solver) tabled(key string, work func() Answer) Answer {
	if s.relaxed {
		key += "r"
	}
	left := s.limit - s.depth
	if tried, ok := s.cut[key]; ok && tried >= left {
		return Answer{Status: Unknown, Keyword: TooLarge}
	}
	if e := s.memo[key]; e != nil {
		s.low = min(s.low, e.low)
		return e.answer
	}
	for depth := len(s.stack) - 1; depth >= 0; depth-- {
		if s.stack[depth].key == key {
			s.low = min(s.low, depth)
			return Answer{Status: None}
		}
	}
	depth := len(s.stack)
	if s.steps++; s.steps > s.effort || depth > 4*maxDepth {
		return Answer{Status: Unknown, Keyword: TooLarge}
	}
	o := &open{key: key}
	s.stack = append(s.stack, o)
	outer := s.low
	s.low = free
	a := work()
	s.stack = s.stack[:depth]
	low := s.low
	if low >= depth {
		low = free
	}
	s.low = min(outer, low)
	forget := func() {
		for _, k := range o.leaned {
			delete(s.memo, k)
		}
	}
	switch {
	case a.Status == Found:
		// A value is a value, whatever was assumed on the way; what leaned on there
		// being none is forgotten.
		forget()
		s.memo[key] = &entry{a, free}
		s.low = outer
	case a.Status == Unknown:
		forget()
		if s.steps > s.effort || s.limit < maxDepth {
			s.cut[key] = left // another question may have more effort, or depth
		} else if low == free {
			s.memo[key] = &entry{a, free}
		}
	default:
		s.memo[key] = &entry{a, low}
		for _, k := range o.leaned {
			if e := s.memo[k]; e != nil && (low == free || e.low > low) {
				e.low = low
			}
		}
		if low != free {
			// It may yet turn out wrong, and all below with it.
			outside := s.stack[depth-1]
			outside.leaned = append(append(outside.leaned, o.leaned...), key)
		}
	}
	return a
}

// relax answers a question without regard to which names the sender knows.
func (s *Solver) relax(question func() Answer) Answer {
	if !s.conventional || s.relaxed {
		return question()
	}
	s.relaxed = true
	defer func() { s.relaxed = false }()
	return question()
}

// hopeless tells whether a goal has no value, nor has any that asks for more.
func (s *Solver) hopeless(goal []*term) bool {
	return s.relax(func() Answer { return s.value(goal) }).Status == None
}

func keyOf(kind byte, groups ...[]int) string {
	b := []byte{kind}
	for _, g := range groups {
		for _, id := range g {
			b = binary.AppendUvarint(b, uint64(id)+1)
		}
		b = append(b, 0)
	}
	return string(b)
}

func idsOf(list []*term) []int {
	ids := make([]int, len(list))
	for i, t := range list {
		ids[i] = t.id
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// value looks for a value of which all terms of the goal hold: literals, and
// values it must not be.
func (s *Solver) value(goal []*term) Answer {
	ids := idsOf(goal)
	goal = make([]*term, len(ids))
	for i, id := range ids {
		goal[i] = s.terms.list[id]
	}
	for _, t := range goal {
		if _, never := trivial(t); never {
			return Answer{Status: None}
		}
		if s.denied(t, func(id int) bool { _, found := slices.BinarySearch(ids, id); return found }) {
			return Answer{Status: None}
		}
	}
	if s.depth > s.limit {
		return Answer{Status: Unknown, Keyword: TooLarge}
	}
	s.depth++
	defer func() { s.depth-- }()
	return s.tabled(keyOf('v', ids), func() Answer {
		unknown := Answer{Status: None}
		strange := s.strange(goal)
		for f := range families {
			st := &state{s: s, family: f, goal: goal, strange: strange, asserted: map[int]bool{}, pending: slices.Clone(goal)}
			switch a := st.solve(); a.Status {
			case Found:
				return a
			case Unknown:
				unknown = a
			}
		}
		return unknown
	})
}

// denied tells whether the opposite of a literal is among terms.
func (s *Solver) denied(t *term, has func(int) bool) bool {
	return t.op == opLiteral && (t.anti[0] >= 0 && has(t.anti[0]) || t.anti[1] >= 0 && has(t.anti[1]))
}

// strange gives the names that the receiver's schemas of a goal list.
func (s *Solver) strange(goal []*term) []string {
	if !s.conventional || s.relaxed {
		return nil
	}
	var names []string
	for _, t := range goal {
		if t.op == opLiteral && t.side == Receiver {
			list, ok := s.names[t.node]
			if !ok {
				list = declared(t.node)
				s.names[t.node] = list
			}
			names = append(names, list...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

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

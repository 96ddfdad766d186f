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

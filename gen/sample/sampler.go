package sample

import (
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Rule says which rule of a schema an instance is about, and where in the
// instance it is felt.
type Rule struct {
	Keyword         string // "minLength", "required", "oneOf", ...
	Document        string // name of the file that holds the schema
	SchemaPointer   string // of the schema that holds the keyword
	InstancePointer string // of the value the keyword is about
}

// Instance is a valid instance that is at an edge of a rule, or just inside.
type Instance struct {
	Rule
	JSON []byte
}

// Miss is an instance that breaks exactly one rule.
//
// Rules that are said twice, in two schemas that both hold of one value, count
// as one, and so does a type together with the const or enum beside it. A value
// that fits no branch of a union breaks the union when a member tells the
// branches apart and names none of them, or when the value is of a kind no branch
// takes; else it breaks what the nearest branch wants.
type Miss struct {
	Rule
	JSON []byte
}

// Skipped is an instance that could not be made.
type Skipped struct {
	Rule
	Reason string
}

// String is for logs: rule, place and reason.
func (s Skipped) String() string {
	return fmt.Sprintf("%s of %s#%s: %s", s.Keyword, s.Document, s.SchemaPointer, s.Reason)
}

// Option changes what a Sampler makes.
type Option func(*Sampler)

// Check gives the last word on validity to a function of the caller. Instances
// about which it disagrees are not handed out but reported as given up.
func Check(valid func(json []byte) bool) Option {
	return func(s *Sampler) { s.check = valid }
}

// GaveUp reports every instance that could not be made.
func GaveUp(report func(Skipped)) Option {
	return func(s *Sampler) { s.gaveUp = report }
}

// AssertFormats makes format a rule: valid instances have it, and near misses
// break it. Without it instances have their format where the other rules let
// them, and none is made to break it.
func AssertFormats() Option { return func(s *Sampler) { s.formats = true } }

// Depth is how deep values nest before only what is required is made; 5 unless
// given.
func Depth(n int) Option { return func(s *Sampler) { s.depth = max(n, 0) } }

// Seed starts the random choices of Boundaries and NearMisses.
func Seed(seed uint64) Option { return func(s *Sampler) { s.seed = seed } }

// Sampler makes instances of one schema. It keeps what it has worked out about
// the schema, so one Sampler for many instances is cheaper than many. It must
// not be used by several goroutines at once.
type Sampler struct {
	root    *schema.Node
	check   func([]byte) bool
	gaveUp  func(Skipped)
	formats bool
	depth   int
	seed    uint64
	names   bool // only strings are looked at: the instances are member names

	heights  map[*schema.Node]int
	opens    map[*schema.Node]bool    // nothing is demanded
	patterns map[string]*wire.Pattern // nil where a pattern cannot be read
	words    map[string]*words
	tags     map[*schema.Node][]tag // by first branch of the union
}

// New makes a Sampler for the instances of a node.
func New(n *schema.Node, options ...Option) *Sampler {
	s := &Sampler{
		root: n, depth: 5, seed: 1,
		opens: map[*schema.Node]bool{}, patterns: map[string]*wire.Pattern{}, words: map[string]*words{}, tags: map[*schema.Node][]tag{},
	}
	for _, o := range options {
		o(s)
	}
	s.heights = heights(n)
	return s
}

// Valid makes a valid instance of n; see [Sampler.Valid].
func Valid(n *schema.Node, rng *rand.Rand, options ...Option) ([]byte, bool) {
	return New(n, options...).Valid(rng)
}

// Boundaries makes the valid instances at the edges of n; see
// [Sampler.Boundaries].
func Boundaries(n *schema.Node, options ...Option) iter.Seq[Instance] {
	return New(n, options...).Boundaries()
}

// NearMisses makes the near misses of n; see [Sampler.NearMisses].
func NearMisses(n *schema.Node, options ...Option) iter.Seq[Miss] {
	return New(n, options...).NearMisses()
}

// attempts is how often a whole instance is begun anew.
const attempts = 4

// Valid makes a valid instance. It is false when none was found within the
// bounds on work: the schema may have none, or have only such that cannot be
// built from its rules.
func (s *Sampler) Valid(rng *rand.Rand) ([]byte, bool) {
	reason := "no instance was found within the bounds on work"
	for range attempts {
		m := s.maker(rng)
		v := m.make([]*schema.Node{s.root}, nil, 0)
		if v == nil {
			continue
		}
		json := encode(v)
		if s.agrees(json, true) {
			return json, true
		}
		reason = "the caller's validator refuses what the schema seems to accept"
	}
	s.giveUp(Skipped{ruleOf(s.root, "", ""), reason})
	return nil, false
}

func (s *Sampler) agrees(json []byte, valid bool) bool {
	return s.check == nil || s.check(json) == valid
}

func (s *Sampler) giveUp(what Skipped) {
	if s.gaveUp != nil {
		s.gaveUp(what)
	}
}

func (s *Sampler) rng() *rand.Rand { return rand.New(rand.NewPCG(s.seed, 0x5eed)) }

func ruleOf(n *schema.Node, keyword, instance string) Rule {
	return Rule{Keyword: keyword, Document: n.File.Name, SchemaPointer: n.Pointer, InstancePointer: instance}
}

// pattern gives the matcher of a pattern, or nil when it cannot be read.
func (s *Sampler) pattern(text string) *wire.Pattern {
	p, ok := s.patterns[text]
	if !ok {
		p, _ = wire.ParsePattern(text)
		s.patterns[text] = p
	}
	return p
}

// matches tells whether a pattern matches; one that cannot be read matches
// nothing.
func (s *Sampler) matches(pattern, text string) bool {
	p := s.pattern(pattern)
	return p != nil && p.Match([]byte(text))
}

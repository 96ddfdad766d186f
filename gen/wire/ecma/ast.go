package ecma

// Op tells what a [Node] is.
type Op uint8

// The sorts of node.
const (
	OpEmpty         Op = iota // matches the empty string
	OpSet                     // one code point of Set
	OpConcat                  // Subs one after another
	OpAlternate               // one of Subs
	OpRepeat                  // Subs[0], Min to Max times
	OpGroup                   // Subs[0], captured as group Index
	OpStart                   // ^: the start of the input
	OpEnd                     // $: the end of the input
	OpWordBoundary            // \b
	OpNotBoundary             // \B
	OpLookahead               // (?=…)
	OpNotLookahead            // (?!…)
	OpLookbehind              // (?<=…)
	OpNotLookbehind           // (?<!…)
	OpBackreference           // what the groups Groups captured
)

// Unbounded is the Max of a repetition without upper bound.
const Unbounded = -1

// Node is a node of the tree of a pattern.
type Node struct {
	Op       Op
	Set      Set     // of OpSet
	Subs     []*Node // operands
	Min, Max int     // of OpRepeat; Max may be Unbounded
	Lazy     bool    // of OpRepeat; of no effect on whether a string matches
	Index    int     // of OpGroup: its number from 1
	Name     string  // of OpGroup: its name, if it has one
	Groups   []int   // of OpBackreference: numbers of the groups of that name
}

// Pattern is a parsed regular expression.
type Pattern struct {
	Source string
	Root   *Node
	Groups int // number of capturing groups
}

// String is the source.
func (p *Pattern) String() string { return p.Source }

// Regular tells whether the pattern has an automaton: it has no
// back-reference.
func (p *Pattern) Regular() bool { return !p.Root.has(OpBackreference) }

// LooksAround tells whether the pattern has look-ahead or look-behind.
func (p *Pattern) LooksAround() bool {
	return p.Root.has(OpLookahead, OpNotLookahead, OpLookbehind, OpNotLookbehind)
}

func (n *Node) has(ops ...Op) bool {
	for _, op := range ops {
		if n.Op == op {
			return true
		}
	}
	for _, s := range n.Subs {
		if s.has(ops...) {
			return true
		}
	}
	return false
}

// Size is about how many instructions the automaton of the pattern takes, cut
// to a large number; beyond [MaxSize] there is none.
func (p *Pattern) Size() int { return p.Root.size() }

// MaxSize is the largest size of an automaton.
const MaxSize = maxInstructions - 16

func (n *Node) size() int {
	total := 1
	for _, s := range n.Subs {
		total += s.size() + 1
	}
	if n.Op == OpRepeat {
		copies := max(n.Min, n.Max, 1)
		if n.Subs[0].Op == OpEmpty {
			copies = 1
		}
		total = (total + 1) * min(copies, 2*maxInstructions)
	}
	return min(total, 2*maxInstructions)
}

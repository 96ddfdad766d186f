package inclusion

import (
	"encoding/binary"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Side tells whose schema a literal is. It matters only to a solver that keeps
// senders from names they do not know; see [New].
type Side uint8

// The sides.
const (
	Sender Side = iota
	Receiver
)

// Literal is a schema that must hold of a value, or must not.
type Literal struct {
	Node *schema.Node
	Not  bool
	Side Side
}

// family is a kind of values that keywords look at apart from others.
type family uint8

const (
	nulls family = iota
	booleans
	numbers
	strs
	arrays
	objects
	families
)

var typesOf = [families]schema.Types{schema.TypeNull, schema.TypeBoolean, schema.TypeInteger | schema.TypeNumber, schema.TypeString, schema.TypeArray, schema.TypeObject}

var kindOf = [families]document.Kind{document.Null, document.Bool, document.Number, document.String, document.Array, document.Object}

// op is what a term demands. All but opLiteral are conditions of one family.
type op uint8

const (
	opLiteral   op = iota
	opValues       // one of values
	opNotValues    // none of values
	opMin          // number: at least num, or above it when strict
	opMax          // number: at most num, or below it when strict
	opMultiple     // number: a multiple of num
	opNotMultiple
	opLeast // length, items or members: at least n
	opMost  // at most n
	opPattern
	opNotPattern
	opFormat
	opNotFormat
	opUnique
	opNotUnique
	opItem      // the item at n, if there is one: sub
	opHasItem   // there is an item at n, and of it: sub
	opRest      // items from n on: sub
	opHasRest   // there is an item from n on with: sub
	opContains  // n to m items hold sub; m < 0: no limit
	opRequired  // the member called name is there
	opAbsent    // it is not
	opMember    // the member called name, if there: sub
	opMatching  // members whose names match the pattern name: sub
	opHasMatch  // there is a member whose name matches, with: sub
	opOthers    // members not in names and matching none of patterns: sub
	opHasOther  // there is one, with: sub
	opNames     // member names: sub
	opHasName   // there is a member name with: sub
	opUndecided // what the keyword name says could not be worked out
	opMention   // the schema talks about the name; demands nothing
)

// term is one demand on a value, interned: equal terms are one pointer.
type term struct {
	id   int
	op   op
	side Side
	// known marks a condition that its schema states of all values, not one that
	// arises from a schema that must not hold.
	known bool

	node *schema.Node // opLiteral
	not  bool
	anti [2]int // ids of the opposite literal, by side; -1 = not made yet

	values   []*document.Value
	num      document.Decimal
	strict   bool
	n, m     int64
	name     string
	names    []string
	patterns []string
	sub      *term // a literal
}

// terms interns.
type terms struct {
	labels *Labels
	by     map[string]*term
	list   []*term
	nodes  map[literalKey]*term
}

type literalKey struct {
	node *schema.Node
	not  bool
	side Side
}

func (t *terms) literal(l Literal) *term {
	key := literalKey{l.Node, l.Not, l.Side}
	if have := t.nodes[key]; have != nil {
		return have
	}
	node := l.Node.Target()
	// Of a double negation nothing is left.
	for node.Not != nil && onlyNot(node) {
		node, l.Not = node.Not.Target(), !l.Not
	}
	label := t.labels.Of(node)
	text := func(not bool, side Side) string {
		b := []byte{byte(opLiteral), 0, byte(side)}
		if not {
			b[1] = 1
		}
		return string(append(b, label[:]...))
	}
	own := text(l.Not, l.Side)
	have := t.by[own]
	if have == nil {
		have = t.add(own, term{op: opLiteral, side: l.Side, node: node, not: l.Not, anti: [2]int{-1, -1}})
		for side := range Side(2) {
			if anti := t.by[text(!l.Not, side)]; anti != nil {
				have.anti[side] = anti.id
				anti.anti[l.Side] = have.id
			}
		}
	}
	t.nodes[key] = have
	return have
}

// onlyNot tells whether not is all that a schema says.
func onlyNot(n *schema.Node) bool {
	return n.Value != nil && n.Value.Kind == document.Object && len(n.Value.Members) == 1
}

func (t *terms) add(text string, x term) *term {
	x.id = len(t.list)
	t.list = append(t.list, &x)
	t.by[text] = &x
	return &x
}

// atom interns a condition.
func (t *terms) atom(x term) *term {
	b := []byte{byte(x.op), byte(x.side), 0, 0}
	if x.known {
		b[2] = 1
	}
	if x.strict {
		b[3] = 1
	}
	b = binary.AppendVarint(b, x.n)
	b = binary.AppendVarint(b, x.m)
	add := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	add(x.name)
	if x.op >= opMin && x.op <= opNotMultiple {
		add(x.num.String())
	}
	if x.op == opValues || x.op == opNotValues {
		texts := make([]string, len(x.values))
		for i, v := range x.values {
			texts[i] = v.Canonical()
		}
		slices.Sort(texts)
		for _, s := range texts {
			add(s)
		}
	}
	for _, s := range x.names {
		add(s)
	}
	b = append(b, 0xff)
	for _, s := range x.patterns {
		add(s)
	}
	if x.sub != nil {
		b = binary.AppendVarint(b, int64(x.sub.id))
	}
	if have := t.by[string(b)]; have != nil {
		return have
	}
	return t.add(string(b), x)
}

// negated gives the literal that holds where t does not.
func (t *terms) negated(x *term) *term {
	return t.literal(Literal{Node: x.node, Not: !x.not, Side: x.side})
}

// trivial tells whether a literal holds of every value, or of none.
func trivial(x *term) (always, never bool) {
	if x.op != opLiteral {
		return false, false
	}
	n := x.node
	switch {
	case n.Always != nil:
		return *n.Always != x.not, *n.Always == x.not
	case n.Value != nil && n.Value.Kind == document.Object && len(n.Value.Members) == 0:
		return !x.not, x.not
	}
	return false, false
}

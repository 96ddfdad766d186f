package ecma

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrNotRegular is returned for patterns with back-references, or for
// look-around where an automaton cannot have it.
var ErrNotRegular = errors.New("the pattern is no regular language")

// ErrTooLarge is returned when an automaton would have too many states.
var ErrTooLarge = errors.New("the automaton of the pattern would be too large")

// maxInstructions bounds the size of an NFA: nested counts multiply.
const maxInstructions = 1 << 17

type opcode uint8

const (
	opSet     opcode = iota // a code point of the classes set, then x
	opSplit                 // x or y
	opStart                 // at the start, then x
	opEnd                   // at the end, then x
	opWord                  // at a word boundary, then x
	opNotWord               // not at one, then x
	opLook                  // if look y holds here, then x
	opNotLook               // if it does not, then x
	opMatch
)

type instruction struct {
	op   opcode
	x, y int32
	set  []uint64
}

// look is a look-around: an automaton of its own, run over the whole input
// before the one that asks for it. A look-ahead runs backwards, so that both
// sorts tell at each position whether the inner pattern matches there.
type look struct {
	start   int32
	forward bool
}

// NFA is the non-deterministic automaton of a pattern. It is safe for
// concurrent use.
type NFA struct {
	classes  *Classes
	code     []instruction
	start    int32
	looks    []look // inner ones before outer ones
	words    bool   // the pattern asks for word boundaries
	machines sync.Pool
}

// NFA builds the automaton of the pattern. The error is [ErrNotRegular] or
// [ErrTooLarge], wrapped.
func (p *Pattern) NFA() (*NFA, error) {
	if !p.Regular() {
		return nil, fmt.Errorf("pattern %q: %w", p.Source, ErrNotRegular)
	}
	n := &NFA{words: p.Root.has(OpWordBoundary, OpNotBoundary)}
	b := builder{nfa: n, index: map[*Node]int{}, ids: map[string]int{}}
	b.collect(p.Root)
	n.classes, b.members = newClasses(b.sets, n.words)
	match := b.emit(instruction{op: opMatch})
	n.start = b.build(p.Root, match, true)
	if b.full {
		return nil, fmt.Errorf("pattern %q: %w", p.Source, ErrTooLarge)
	}
	n.machines.New = func() any { return newMachine(len(n.code)) }
	return n, nil
}

type builder struct {
	nfa     *NFA
	sets    []Set
	index   map[*Node]int  // of each OpSet, into sets
	ids     map[string]int // key of a set -> index into sets
	members [][]uint64
	full    bool
}

func setKey(s Set) string {
	b := make([]byte, 0, 8*len(s))
	for _, r := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(r.Lo))
		b = binary.LittleEndian.AppendUint32(b, uint32(r.Hi))
	}
	return string(b)
}

func (b *builder) collect(n *Node) {
	if n.Op == OpSet {
		k := setKey(n.Set)
		i, ok := b.ids[k]
		if !ok {
			i = len(b.sets)
			b.ids[k] = i
			b.sets = append(b.sets, n.Set)
		}
		b.index[n] = i
	}
	for _, s := range n.Subs {
		b.collect(s)
	}
}

func (b *builder) emit(i instruction) int32 {
	if len(b.nfa.code) >= maxInstructions {
		b.full = true
		return 0
	}
	b.nfa.code = append(b.nfa.code, i)
	return int32(len(b.nfa.code) - 1)
}

// build emits n so that it goes on at next, and returns where it begins.
// Backwards, n reads its input from the end.
func (b *builder) build(n *Node, next int32, forward bool) int32 {
	if b.full {
		return next
	}
	switch n.Op {
	case OpSet:
		return b.emit(instruction{op: opSet, x: next, set: b.members[b.index[n]]})
	case OpConcat:
		for i := range n.Subs {
			if forward {
				i = len(n.Subs) - 1 - i
			}
			next = b.build(n.Subs[i], next, forward)
		}
		return next
	case OpAlternate:
		e := b.build(n.Subs[len(n.Subs)-1], next, forward)
		for _, s := range slices.Backward(n.Subs[:len(n.Subs)-1]) {
			e = b.emit(instruction{op: opSplit, x: b.build(s, next, forward), y: e})
		}
		return e
	case OpRepeat:
		return b.repeat(n, next, forward)
	case OpGroup:
		return b.build(n.Subs[0], next, forward)
	case OpStart:
		return b.emit(instruction{op: opStart, x: next})
	case OpEnd:
		return b.emit(instruction{op: opEnd, x: next})
	case OpWordBoundary:
		return b.emit(instruction{op: opWord, x: next})
	case OpNotBoundary:
		return b.emit(instruction{op: opNotWord, x: next})
	case OpLookahead, OpNotLookahead, OpLookbehind, OpNotLookbehind:
		l := look{forward: n.Op == OpLookbehind || n.Op == OpNotLookbehind}
		l.start = b.build(n.Subs[0], b.emit(instruction{op: opMatch}), l.forward)
		b.nfa.looks = append(b.nfa.looks, l)
		op := opLook
		if n.Op == OpNotLookahead || n.Op == OpNotLookbehind {
			op = opNotLook
		}
		return b.emit(instruction{op: op, x: next, y: int32(len(b.nfa.looks) - 1)})
	}
	return next
}

func (b *builder) repeat(n *Node, next int32, forward bool) int32 {
	copies := n.Min
	e := next
	if n.Max == Unbounded {
		loop := b.emit(instruction{op: opSplit, x: next, y: next})
		body := b.build(n.Subs[0], loop, forward)
		if b.full {
			return next
		}
		b.nfa.code[loop].x = body
		e = loop
		if copies > 0 {
			copies--
			e = body
		}
	} else {
		for range n.Max - n.Min {
			body := b.build(n.Subs[0], e, forward)
			if b.full || body == e {
				break
			}
			e = b.emit(instruction{op: opSplit, x: body, y: next})
		}
	}
	for range copies {
		body := b.build(n.Subs[0], e, forward)
		if b.full || body == e {
			break
		}
		e = body
	}
	return e
}

package ecma

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"
)

// State is a state of a [DFA].
type State uint32

// States that every DFA has.
const (
	Dead    State = 0 // no continuation matches
	Matched State = 1 // every continuation matches
)

// DFA is a complete deterministic automaton: it accepts the strings in which
// the pattern matches somewhere. It is immutable.
type DFA struct {
	classes *Classes
	width   uint32   // number of classes
	start   uint32   // states are multiplied by width
	next    []uint32 // by state and class
	accept  []bool   // by state: the input may end here
}

// DFA makes the automaton deterministic. It gives up with [ErrTooLarge] beyond
// the given number of states and with [ErrNotRegular] for look-around.
func (n *NFA) DFA(maxStates int) (*DFA, error) {
	if len(n.looks) > 0 {
		return nil, fmt.Errorf("look-around: %w", ErrNotRegular)
	}
	d := determinizer{
		nfa: n, machine: newMachine(len(n.code)), ids: map[string]uint32{}, limit: maxStates,
		dfa: &DFA{classes: n.classes, width: uint32(n.classes.Len())},
	}
	if d.dfa.width == 0 {
		d.dfa.width = 1
	}
	d.row(Dead, false)
	d.row(Matched, true)
	start, ok := d.state([]int32{n.start}, edge)
	for k := 0; ok && k < len(d.todo); k++ {
		ok = d.fill(k)
	}
	if !ok {
		return nil, ErrTooLarge
	}
	d.dfa.start = start
	return d.dfa, nil
}

// determinizer builds the states that can be reached. A state is the set of
// instructions to go on from, with the context before the position;
// assertions about what follows wait in it until that is known.
type determinizer struct {
	nfa     *NFA
	dfa     *DFA
	machine *machine
	ids     map[string]uint32
	todo    []kernel
	limit   int
	work    int
}

type kernel struct {
	id     uint32
	pcs    []int32
	before context
}

// row adds a state all of whose continuations lead to itself.
func (d *determinizer) row(s State, accept bool) {
	for range d.dfa.width {
		d.dfa.next = append(d.dfa.next, uint32(s)*d.dfa.width)
	}
	d.dfa.accept = append(d.dfa.accept, accept)
}

// Bounds on the size of a table and on the work to make it.
const (
	maxTable = 1 << 20
	maxWork  = 1 << 21
)

// state returns the state to go on from pcs, adding it if it is new.
func (d *determinizer) state(pcs []int32, before context) (uint32, bool) {
	m := d.machine
	m.seen.clear()
	m.stack = append(m.stack[:0], pcs...)
	var kept []int32
	for len(m.stack) > 0 {
		pc := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if !m.seen.add(pc) {
			continue
		}
		switch i := &d.nfa.code[pc]; i.op {
		case opSplit:
			m.stack = append(m.stack, i.y, i.x)
		case opStart:
			if before == edge {
				m.stack = append(m.stack, i.x)
			}
		case opMatch:
			return uint32(Matched) * d.dfa.width, true
		default:
			kept = append(kept, pc)
		}
	}
	d.work += len(m.seen.dense) + 1
	if len(kept) == 0 {
		return uint32(Dead) * d.dfa.width, true
	}
	slices.Sort(kept)
	key := make([]byte, 0, 4*len(kept)+1)
	for _, pc := range kept {
		key = binary.LittleEndian.AppendUint32(key, uint32(pc))
	}
	// An assertion that waits may lead to one about what came before.
	key = append(key, byte(before))
	if id, ok := d.ids[string(key)]; ok {
		return id, true
	}
	count := len(d.dfa.accept)
	if count >= d.limit || (count+1)*int(d.dfa.width) > maxTable || d.work > maxWork {
		return 0, false
	}
	id := uint32(count) * d.dfa.width
	d.ids[string(key)] = id
	d.row(Dead, false)
	d.todo = append(d.todo, kernel{id, kept, before})
	return id, true
}

// fill works out the transitions of a state.
func (d *determinizer) fill(k int) bool {
	s := d.todo[k]
	m := d.machine
	d.dfa.accept[s.id/d.dfa.width] = d.close(s, edge)
	follow := []context{anyText}
	if d.nfa.words {
		follow = append(follow, inWord)
	}
	var pcs, ready []int32
	for _, after := range follow {
		matched := d.close(s, after)
		ready = append(ready[:0], m.seen.dense...)
		for c := range d.nfa.classes.Len() {
			if d.nfa.words && d.nfa.classes.word[c] != (after == inWord) {
				continue
			}
			to := uint32(Matched) * d.dfa.width
			if !matched {
				pcs = append(pcs[:0], d.nfa.start)
				for _, pc := range ready {
					if i := &d.nfa.code[pc]; i.op == opSet && i.set[c/64]&(1<<(c%64)) != 0 {
						pcs = append(pcs, i.x)
					}
				}
				var ok bool
				if to, ok = d.state(pcs, after); !ok {
					return false
				}
			}
			d.dfa.next[s.id+uint32(c)] = to
		}
	}
	return true
}

func (d *determinizer) close(s kernel, after context) bool {
	m := d.machine
	m.now.clear()
	for _, pc := range s.pcs {
		m.now.add(pc)
	}
	m.seen.clear()
	matched := d.nfa.close(m, 0, s.before, after)
	d.work += len(m.seen.dense)
	return matched
}

// Match tells whether the pattern matches somewhere in s, which is UTF-8.
func (d *DFA) Match(s []byte) bool {
	at := d.start
	matched := uint32(Matched) * d.width
	next := d.next
	for i := 0; i < len(s); {
		if at <= matched {
			return at == matched
		}
		if c := s[i]; c < utf8.RuneSelf {
			at = next[at+uint32(d.classes.ascii[c])]
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		at = next[at+uint32(d.classes.lookup(r))]
		i += size
	}
	return d.accept[at/d.width]
}

// Classes are the classes of code points that the automaton tells apart.
func (d *DFA) Classes() *Classes { return d.classes }

// Len is the number of states.
func (d *DFA) Len() int { return len(d.accept) }

// Start is the state before any input.
func (d *DFA) Start() State { return State(d.start / d.width) }

// Next is the state behind a code point of the class.
func (d *DFA) Next(s State, class int) State {
	return State(d.next[uint32(s)*d.width+uint32(class)] / d.width)
}

// Accepts tells whether the input may end in s.
func (d *DFA) Accepts(s State) bool { return d.accept[s] }

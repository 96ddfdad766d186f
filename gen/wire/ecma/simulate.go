package ecma

import "unicode/utf8"

// context is what stands beside a position.
type context uint8

const (
	edge    context = iota // the start or the end of the input
	other                  // a code point outside of \w
	inWord                 // one of \w
	anyText context = other
)

// sparse is a set of instructions with constant-time insertion and clearing.
type sparse struct {
	dense []int32
	index []int32
}

func newSparse(n int) sparse { return sparse{make([]int32, 0, n), make([]int32, n)} }

func (s *sparse) add(pc int32) bool {
	if i := s.index[pc]; int(i) < len(s.dense) && s.dense[i] == pc {
		return false
	}
	s.index[pc] = int32(len(s.dense))
	s.dense = append(s.dense, pc)
	return true
}

func (s *sparse) clear() { s.dense = s.dense[:0] }

// machine is the scratch of one simulation.
type machine struct {
	now, next sparse
	seen      sparse
	stack     []int32
	input     []uint16 // class of each code point
	holds     [][]bool // of each look-around, for each position
}

func newMachine(n int) *machine {
	return &machine{now: newSparse(n), next: newSparse(n), seen: newSparse(n)}
}

// Match tells whether the pattern matches somewhere in s, which is UTF-8, in
// time linear in its length.
func (n *NFA) Match(s []byte) bool {
	m := n.machines.Get().(*machine)
	m.input = m.input[:0]
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			m.input = append(m.input, n.classes.ascii[c])
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		m.input = append(m.input, n.classes.lookup(r))
		i += size
	}
	for k := range n.looks {
		if k == len(m.holds) {
			m.holds = append(m.holds, nil)
		}
		if need := len(m.input) + 1; cap(m.holds[k]) < need {
			m.holds[k] = make([]bool, need, 2*need)
		} else {
			m.holds[k] = m.holds[k][:need]
		}
		n.run(m, n.looks[k].start, n.looks[k].forward, m.holds[k])
	}
	matched := n.run(m, n.start, true, nil)
	if cap(m.input) <= 1<<16 {
		n.machines.Put(m)
	}
	return matched
}

// at is the context on one side of a position: that of the code point i.
func (n *NFA) at(m *machine, i int) context {
	switch {
	case i < 0 || i >= len(m.input):
		return edge
	case n.classes.word[m.input[i]]:
		return inWord
	}
	return other
}

// run simulates the automaton from start, begun anew at every position. With
// holds nil it stops at the first match and reports it; otherwise it notes for
// each position whether a match ends there, in the direction of reading.
func (n *NFA) run(m *machine, start int32, forward bool, holds []bool) bool {
	m.now.clear()
	for step := 0; step <= len(m.input); step++ {
		pos, read := step, step
		if !forward {
			pos = len(m.input) - step
			read = pos - 1
		}
		m.now.add(start)
		m.seen.clear()
		matched := n.close(m, pos, n.at(m, pos-1), n.at(m, pos))
		if holds != nil {
			holds[pos] = matched
		} else if matched {
			return true
		}
		if step == len(m.input) {
			break
		}
		m.next.clear()
		c := m.input[read]
		for _, pc := range m.seen.dense {
			if i := &n.code[pc]; i.op == opSet && i.set[c/64]&(1<<(c%64)) != 0 {
				m.next.add(i.x)
			}
		}
		m.now, m.next = m.next, m.now
	}
	return false
}

// close follows all instructions that read nothing, from m.now into m.seen,
// and tells whether one of them is a match.
func (n *NFA) close(m *machine, pos int, before, after context) bool {
	matched := false
	m.stack = append(m.stack[:0], m.now.dense...)
	for len(m.stack) > 0 {
		pc := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if !m.seen.add(pc) {
			continue
		}
		switch i := &n.code[pc]; i.op {
		case opSplit:
			m.stack = append(m.stack, i.y, i.x)
		case opMatch:
			matched = true
		case opLook, opNotLook:
			if m.holds[i.y][pos] == (i.op == opLook) {
				m.stack = append(m.stack, i.x)
			}
		case opSet:
		default:
			if i.op.holds(before, after) {
				m.stack = append(m.stack, i.x)
			}
		}
	}
	return matched
}

// holds tells whether an assertion holds between two contexts.
func (op opcode) holds(before, after context) bool {
	switch op {
	case opStart:
		return before == edge
	case opEnd:
		return after == edge
	case opWord:
		return (before == inWord) != (after == inWord)
	case opNotWord:
		return (before == inWord) == (after == inWord)
	}
	return false
}

package sample

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/hallmark-kit/hallmark/gen/wire/ecma"
)

// Bounds on automata.
const (
	maxStates  = 3000    // of one pattern
	maxProduct = 6000    // of several together
	maxReach   = 1 << 22 // states times lengths looked at
)

// words is the strings for which some patterns match and others do not: the
// product of the automata, with letters that stand for what no pattern tells
// apart.
type words struct {
	letters []ecma.Set
	next    [][]int32 // by state and letter
	final   []bool
	// can[k][s]: k more letters can lead from state s to a final one.
	can [][]bool
}

// wordsOf gives the strings that patterns want, or nil where there is no
// automaton for them.
func (s *Sampler) wordsOf(patterns []wanted) *words {
	key := ""
	for _, w := range patterns {
		key += strconv.Quote(w.pattern) + strconv.FormatBool(w.match)
	}
	if w, ok := s.words[key]; ok {
		return w
	}
	s.words[key] = multiply(patterns)
	return s.words[key]
}

func multiply(patterns []wanted) *words {
	dfas := make([]*ecma.DFA, len(patterns))
	for i, w := range patterns {
		p, err := ecma.Parse(w.pattern)
		if err != nil {
			return nil
		}
		nfa, err := p.NFA()
		if err != nil {
			return nil
		}
		if dfas[i], err = nfa.DFA(maxStates); err != nil {
			return nil
		}
	}
	w := &words{}
	classes := w.divide(dfas)
	ids := map[string]int32{}
	var todo [][]ecma.State
	state := func(tuple []ecma.State) int32 {
		key := make([]byte, 0, 4*len(tuple))
		for _, s := range tuple {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		id, ok := ids[string(key)]
		if !ok {
			id = int32(len(todo))
			ids[string(key)] = id
			todo = append(todo, tuple)
			final := true
			for i, s := range tuple {
				final = final && dfas[i].Accepts(s) == patterns[i].match
			}
			w.final = append(w.final, final)
		}
		return id
	}
	start := make([]ecma.State, len(dfas))
	for i, d := range dfas {
		start[i] = d.Start()
	}
	state(start)
	for k := 0; k < len(todo); k++ {
		if len(todo) > maxProduct {
			return nil
		}
		row := make([]int32, len(w.letters))
		for l := range w.letters {
			tuple := make([]ecma.State, len(dfas))
			for i, d := range dfas {
				tuple[i] = d.Next(todo[k][i], classes[l][i])
			}
			row[l] = state(tuple)
		}
		w.next = append(w.next, row)
	}
	w.can = [][]bool{w.final}
	return w
}

// divide finds the letters, and for each its class in every automaton.
func (w *words) divide(dfas []*ecma.DFA) [][]int {
	cuts := []rune{0}
	for _, d := range dfas {
		for k := range d.Classes().Len() {
			for _, r := range d.Classes().Set(k) {
				cuts = append(cuts, r.Lo, r.Hi+1)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var classes [][]int
	var ranges [][]ecma.Range
	ids := map[string]int{}
	for i, low := range cuts {
		high := rune(0x10ffff)
		if i+1 < len(cuts) {
			high = cuts[i+1] - 1
		}
		if low > 0x10ffff || low >= 0xd800 && high <= 0xdfff {
			continue
		}
		tuple := make([]int, len(dfas))
		var key []byte
		for k, d := range dfas {
			tuple[k] = d.Classes().Of(low)
			key = binary.LittleEndian.AppendUint32(key, uint32(tuple[k]))
		}
		id, ok := ids[string(key)]
		if !ok {
			id = len(classes)
			ids[string(key)] = id
			classes, ranges = append(classes, tuple), append(ranges, nil)
		}
		ranges[id] = append(ranges[id], ecma.Range{Lo: low, Hi: high})
	}
	for _, r := range ranges {
		w.letters = append(w.letters, ecma.NewSet(r...))
	}
	return classes
}

// reach works out can up to n letters, as far as the bound on work allows.
func (w *words) reach(n int) int {
	for len(w.can) <= n && len(w.can)*len(w.final) < maxReach {
		before := w.can[len(w.can)-1]
		now := make([]bool, len(w.final))
		for s, row := range w.next {
			now[s] = slices.ContainsFunc(row, func(t int32) bool { return before[t] })
		}
		w.can = append(w.can, now)
	}
	return min(n, len(w.can)-1)
}

// spell makes a word with a length in the bounds of the rule, a short one most
// of the time.
func (w *words) spell(m *maker, r stringRule, astral bool) (string, bool) {
	var lengths []int
	for k := int(r.low); int64(k) <= min(r.high, r.low+400); k++ {
		if w.reach(k) < k {
			break
		}
		if w.can[k][0] {
			if lengths = append(lengths, k); len(lengths) == 24 {
				break
			}
		}
	}
	if len(lengths) == 0 {
		return "", false
	}
	n := lengths[min(m.rng.IntN(len(lengths)), m.rng.IntN(len(lengths)))]
	out := make([]rune, 0, n)
	s := int32(0)
	for k := n - 1; k >= 0; k-- {
		var ways []int
		for l, t := range w.next[s] {
			if w.can[k][t] {
				ways = append(ways, l)
			}
		}
		l := pick(m.rng, ways)
		out = append(out, m.letter(w.letters[l], astral))
		s = w.next[s][l]
	}
	return string(out), true
}

// longest gives the greatest length up to n for which there is a word.
func (w *words) longest(n int) (int, bool) {
	for k := w.reach(n); k >= 0; k-- {
		if w.can[k][0] {
			return k, true
		}
	}
	return 0, false
}

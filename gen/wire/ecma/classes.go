package ecma

import (
	"slices"
	"unicode/utf8"
)

// Classes divides the scalar values so that no set of some patterns divides a
// class: an automaton need only look at the class of a code point.
type Classes struct {
	starts []rune   // first code points of intervals, ascending from 0
	class  []uint16 // class of each interval
	ascii  [utf8.RuneSelf]uint16
	sets   []Set  // the code points of each class
	word   []bool // the class is part of \w
}

// newClasses makes the coarsest classes that respect the sets and, if words is
// true, \w. It also returns for each set the classes it consists of.
func newClasses(sets []Set, words bool) (*Classes, [][]uint64) {
	all := sets
	if words {
		all = append(slices.Clone(sets), wordSet)
	}
	cuts := []rune{0, firstSurrogate, lastSurrogate + 1}
	for _, s := range all {
		for _, r := range s {
			cuts = append(cuts, r.Lo, r.Hi+1)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)

	c := &Classes{}
	next := make([]int, len(all)) // the range of each set that ends at or behind the cut
	ids := map[string]uint16{}
	var signatures []string
	key := make([]byte, (len(all)+7)/8)
	ranges := [][]Range{}
	for i, lo := range cuts {
		if lo > maxRune {
			break
		}
		hi := rune(maxRune)
		if i+1 < len(cuts) {
			hi = cuts[i+1] - 1
		}
		clear(key)
		for k, s := range all {
			for next[k] < len(s) && s[next[k]].Hi < lo {
				next[k]++
			}
			if next[k] < len(s) && s[next[k]].Lo <= lo {
				key[k/8] |= 1 << (k % 8)
			}
		}
		id, known := ids[string(key)]
		if lo == firstSurrogate {
			id, known = 0, true // never looked up
		}
		if !known {
			id = uint16(len(ids))
			ids[string(key)] = id
			signatures = append(signatures, string(key))
			ranges = append(ranges, nil)
		}
		c.starts = append(c.starts, lo)
		c.class = append(c.class, id)
		if lo != firstSurrogate {
			ranges[id] = append(ranges[id], Range{lo, hi})
		}
	}
	for _, r := range ranges {
		c.sets = append(c.sets, NewSet(r...))
	}
	for r := range rune(utf8.RuneSelf) {
		c.ascii[r] = c.lookup(r)
	}
	c.word = make([]bool, len(c.sets))
	members := make([][]uint64, len(all))
	for k := range all {
		members[k] = make([]uint64, (len(c.sets)+63)/64)
		for id, s := range signatures {
			if s[k/8]&(1<<(k%8)) != 0 {
				members[k][id/64] |= 1 << (id % 64)
			}
		}
	}
	if words {
		for id := range c.word {
			c.word[id] = members[len(all)-1][id/64]&(1<<(id%64)) != 0
		}
	}
	return c, members[:len(sets)]
}

// lookup finds the class of r by bisection.
func (c *Classes) lookup(r rune) uint16 {
	lo, hi := 0, len(c.starts)
	for hi-lo > 1 {
		m := int(uint(lo+hi) >> 1)
		if c.starts[m] <= r {
			lo = m
		} else {
			hi = m
		}
	}
	return c.class[lo]
}

// Of is the class of r.
func (c *Classes) Of(r rune) int {
	if r >= 0 && r < utf8.RuneSelf {
		return int(c.ascii[r])
	}
	return int(c.lookup(r))
}

// Len is the number of classes.
func (c *Classes) Len() int { return len(c.sets) }

// Set is the code points of a class.
func (c *Classes) Set(class int) Set { return c.sets[class] }

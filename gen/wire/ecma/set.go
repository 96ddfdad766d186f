package ecma

import (
	"slices"
	"unicode"
)

// Range is the code points from Lo to Hi, both included.
type Range struct{ Lo, Hi rune }

// Set is a set of code points: sorted ranges that neither overlap nor touch.
// Surrogates are never in a set.
type Set []Range

const (
	maxRune        = unicode.MaxRune
	firstSurrogate = 0xd800
	lastSurrogate  = 0xdfff
)

// All is the set of all Unicode scalar values.
func All() Set { return Set{{0, firstSurrogate - 1}, {lastSurrogate + 1, maxRune}} }

// NewSet is the set of the code points of the ranges, given in any order.
func NewSet(ranges ...Range) Set {
	list := make([]Range, 0, len(ranges))
	for _, r := range ranges {
		r.Lo, r.Hi = max(r.Lo, 0), min(r.Hi, maxRune)
		if r.Lo < firstSurrogate && r.Hi >= firstSurrogate {
			list = append(list, Range{r.Lo, firstSurrogate - 1})
			r.Lo = firstSurrogate
		}
		if r.Lo >= firstSurrogate && r.Lo <= lastSurrogate {
			r.Lo = lastSurrogate + 1
		}
		if r.Lo <= r.Hi {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b Range) int { return int(a.Lo - b.Lo) })
	s := Set{}
	for _, r := range list {
		if n := len(s); n > 0 && r.Lo <= s[n-1].Hi+1 {
			s[n-1].Hi = max(s[n-1].Hi, r.Hi)
			continue
		}
		s = append(s, r)
	}
	return s
}

// Contains tells whether c is in the set.
func (s Set) Contains(c rune) bool {
	i, found := slices.BinarySearchFunc(s, c, func(r Range, c rune) int {
		switch {
		case r.Hi < c:
			return -1
		case r.Lo > c:
			return 1
		}
		return 0
	})
	_ = i
	return found
}

// Union is the set of the code points of s and of the others.
func (s Set) Union(others ...Set) Set {
	all := slices.Clone(s)
	for _, o := range others {
		all = append(all, o...)
	}
	return NewSet(all...)
}

// Complement is the set of all scalar values not in s.
func (s Set) Complement() Set {
	out := []Range{}
	next := rune(0)
	for _, r := range s {
		if r.Lo > next {
			out = append(out, Range{next, r.Lo - 1})
		}
		next = r.Hi + 1
	}
	if next <= maxRune {
		out = append(out, Range{next, maxRune})
	}
	return NewSet(out...)
}

// Intersect is the set of the code points that both s and o have.
func (s Set) Intersect(o Set) Set {
	out := Set{}
	for i, j := 0, 0; i < len(s) && j < len(o); {
		lo, hi := max(s[i].Lo, o[j].Lo), min(s[i].Hi, o[j].Hi)
		if lo <= hi {
			out = append(out, Range{lo, hi})
		}
		if s[i].Hi < o[j].Hi {
			i++
		} else {
			j++
		}
	}
	return out
}

// Equal tells whether the sets have the same code points.
func (s Set) Equal(o Set) bool { return slices.Equal(s, o) }

// Count is the number of code points in the set.
func (s Set) Count() int {
	n := 0
	for _, r := range s {
		n += int(r.Hi-r.Lo) + 1
	}
	return n
}

// fromTables is the union of Unicode tables.
func fromTables(tables ...*unicode.RangeTable) Set {
	var list []Range
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			list = append(list, Range{lo, hi})
			return
		}
		for c := lo; c <= hi; c += stride {
			list = append(list, Range{c, c})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return NewSet(list...)
}

// The sets of the class escapes, ECMA-262 22.2.2.9.
var (
	digitSet      = Set{{'0', '9'}}
	wordSet       = Set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	terminatorSet = Set{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
	spaceSet      = NewSet(Range{'\t', '\r'}, Range{' ', ' '}, Range{0xa0, 0xa0}, Range{0x1680, 0x1680},
		Range{0x2000, 0x200a}, Range{0x2028, 0x2029}, Range{0x202f, 0x202f}, Range{0x205f, 0x205f},
		Range{0x3000, 0x3000}, Range{0xfeff, 0xfeff})
	dotSet = terminatorSet.Complement()
)

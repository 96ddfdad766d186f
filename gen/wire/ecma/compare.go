package ecma

import "unicode"

// Includes tells whether a accepts every string that b accepts. If not,
// witness is a shortest string that b accepts and a does not.
func Includes(a, b *DFA) (witness string, ok bool) {
	w, found := search(a, b, func(x, y bool) bool { return y && !x })
	return w, !found
}

// Equivalent tells whether a and b accept the same strings. If not, witness is
// a shortest string that only one of them accepts.
func Equivalent(a, b *DFA) (witness string, ok bool) {
	w, found := search(a, b, func(x, y bool) bool { return x != y })
	return w, !found
}

// Disjoint tells whether no string is accepted by both. If one is, witness is
// a shortest such string.
func Disjoint(a, b *DFA) (witness string, ok bool) {
	w, found := search(a, b, func(x, y bool) bool { return x && y })
	return w, !found
}

// Shortest is a shortest string that d accepts; ok is false if there is none.
func (d *DFA) Shortest() (witness string, ok bool) {
	return search(d, d, func(x, _ bool) bool { return x })
}

// search looks, shortest first, for a string whose acceptance by a and b is as
// wanted. Its time is bounded by the product of the numbers of states and
// classes.
func search(a, b *DFA, want func(inA, inB bool) bool) (string, bool) {
	type pair struct{ a, b State }
	type step struct {
		pair
		from int
		by   rune
	}
	letters := jointLetters(a.classes, b.classes)
	start := pair{a.Start(), b.Start()}
	queue := []step{{start, -1, 0}}
	seen := map[pair]bool{start: true}
	for k := 0; k < len(queue); k++ {
		p := queue[k].pair
		if want(a.Accepts(p.a), b.Accepts(p.b)) {
			var word []rune
			for i := k; queue[i].from >= 0; i = queue[i].from {
				word = append(word, queue[i].by)
			}
			for i, j := 0, len(word)-1; i < j; i, j = i+1, j-1 {
				word[i], word[j] = word[j], word[i]
			}
			return string(word), true
		}
		for _, l := range letters {
			q := pair{a.Next(p.a, l.a), b.Next(p.b, l.b)}
			if !seen[q] {
				seen[q] = true
				queue = append(queue, step{q, k, l.r})
			}
		}
	}
	return "", false
}

// letter is one code point that stands for all of a class of a and a class of
// b.
type letter struct {
	a, b int
	r    rune
}

// jointLetters has a letter for each pair of classes with a code point in
// common, readable ones where possible.
func jointLetters(a, b *Classes) []letter {
	var list []letter
	best := map[[2]int]int{}
	try := func(r rune) {
		if r >= firstSurrogate && r <= lastSurrogate {
			return
		}
		k := [2]int{a.Of(r), b.Of(r)}
		i, ok := best[k]
		switch {
		case !ok:
			best[k] = len(list)
			list = append(list, letter{k[0], k[1], r})
		case plainness(r) > plainness(list[i].r):
			list[i].r = r
		}
	}
	for r := rune(0); r < 0x250; r++ {
		try(r)
	}
	for _, c := range []*Classes{a, b} {
		for _, lo := range c.starts {
			try(lo)
		}
	}
	return list
}

func plainness(r rune) int {
	switch {
	case r >= 'a' && r <= 'z':
		return 5
	case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
		return 4
	case r > ' ' && r < 0x7f:
		return 3
	case unicode.IsLetter(r):
		return 2
	case unicode.IsPrint(r):
		return 1
	}
	return 0
}

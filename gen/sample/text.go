package sample

import (
	"math"

	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/gen/wire/ecma"
)

// wanted is a pattern that must match, or must not.
type wanted struct {
	pattern string
	match   bool
}

// stringRule is what several schemas demand of one string.
type stringRule struct {
	low, high int64
	patterns  []wanted
	formats   []string // that it should have
	strict    bool     // that it must have
}

func (s *Sampler) stringOf(nodes []*schema.Node) stringRule {
	var r stringRule
	r.low, r.high = bounds(nodes, func(n *schema.Node) (*int64, *int64) { return n.MinLength, n.MaxLength })
	for _, n := range nodes {
		if n.Pattern != nil {
			r.patterns = append(r.patterns, wanted{*n.Pattern, true})
		}
		if n.Format != "" && wire.KnownFormat(n.Format) {
			r.formats = append(r.formats, n.Format)
			r.strict = r.strict || s.formats || n.AssertFormat
		}
	}
	return r
}

func (r stringRule) hasFormats(text string) bool {
	for _, f := range r.formats {
		if !wire.Format(f, []byte(text)) {
			return false
		}
	}
	return true
}

func (s *Sampler) satisfies(r stringRule, text string) bool {
	n := int64(len([]rune(text)))
	if n < r.low || n > r.high {
		return false
	}
	for _, w := range r.patterns {
		if s.matches(w.pattern, text) != w.match {
			return false
		}
	}
	return true
}

func (m *maker) text(p *plan) *value {
	r := m.s.stringOf(p.nodes)
	r.low, r.high = p.sizes(r.low, r.high)
	if r.low > maxLength || r.low > r.high {
		return nil
	}
	if s, ok := m.word(r, p.wish != nil && p.wish.astral); ok {
		return text(s)
	}
	return nil
}

// word makes a string by a rule.
func (m *maker) word(r stringRule, astral bool) (string, bool) {
	for _, f := range r.formats {
		for range 8 {
			s := m.formatted(f)
			if r.hasFormats(s) && m.s.satisfies(r, s) {
				return s, true
			}
		}
	}
	tries := 1
	if len(r.formats) > 0 {
		tries = 12
	}
	for i := range tries {
		s, ok := m.spelled(r, astral)
		if !ok {
			return "", false
		}
		if r.hasFormats(s) || i == tries-1 && !r.strict {
			return s, true
		}
	}
	return "", false
}

// spelled makes a string by its length and its patterns.
func (m *maker) spelled(r stringRule, astral bool) (string, bool) {
	if len(r.patterns) == 0 {
		return m.letters(int(m.length(r)), astral), true
	}
	if w := m.s.wordsOf(r.patterns); w != nil {
		return w.spell(m, r, astral)
	}
	// No automaton: follow the pattern's tree, and see.
	for range 200 {
		for _, w := range r.patterns {
			if p, err := ecma.Parse(w.pattern); err == nil {
				if s := m.grown(p.Root, r); m.s.satisfies(r, s) {
					return s, true
				}
			}
		}
	}
	return "", false
}

// length picks a length within the rule, a short one.
func (m *maker) length(r stringRule) int64 {
	most := min(r.high, r.low+12)
	if m.rng.IntN(20) == 0 {
		most = min(r.high, r.low+200)
	}
	return r.low + m.rng.Int64N(most-r.low+1)
}

var everything = ecma.All()

// letter picks a character of a set: a plain one where the set has some.
func (m *maker) letter(set ecma.Set, astral bool) rune {
	if astral {
		for range 4 {
			r := set[len(set)-1]
			if r.Hi > 0xffff {
				return m.between(max(r.Lo, 0x10000), r.Hi)
			}
		}
	}
	if m.rng.IntN(16) > 0 {
		for range 12 {
			if c := pick(m.rng, plainLetters); set.Contains(c) {
				return c
			}
		}
	}
	r := pick(m.rng, set)
	if m.rng.IntN(2) == 0 {
		// The edges of a class are where mistakes are made.
		return pick(m.rng, []rune{r.Lo, r.Hi})
	}
	return m.between(r.Lo, r.Hi)
}

var plainLetters = []rune("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 -_.:/é")

func (m *maker) between(low, high rune) rune {
	c := low + rune(m.rng.Int64N(int64(high-low)+1))
	if c >= 0xd800 && c <= 0xdfff {
		return low
	}
	return c
}

// grown makes a string by walking down the tree of a pattern. What stands around
// a match is free, so an unanchored one may get more letters.
func (m *maker) grown(root *ecma.Node, r stringRule) string {
	var out []rune
	groups := map[int][]rune{}
	var walk func(n *ecma.Node)
	walk = func(n *ecma.Node) {
		if len(out) > 4000 {
			return
		}
		switch n.Op {
		case ecma.OpSet:
			if len(n.Set) > 0 {
				out = append(out, m.letter(n.Set, false))
			}
		case ecma.OpConcat:
			for _, s := range n.Subs {
				walk(s)
			}
		case ecma.OpAlternate:
			walk(pick(m.rng, n.Subs))
		case ecma.OpGroup:
			at := len(out)
			walk(n.Subs[0])
			groups[n.Index] = append([]rune(nil), out[min(at, len(out)):]...)
		case ecma.OpRepeat:
			most := n.Max
			if most == ecma.Unbounded || most > n.Min+4 {
				most = n.Min + 4
			}
			for range min(n.Min+m.rng.IntN(most-n.Min+1), 4000) {
				walk(n.Subs[0])
			}
		case ecma.OpLookahead:
			// What is ahead is often just what must come.
			if m.rng.IntN(3) == 0 {
				walk(n.Subs[0])
			}
		case ecma.OpBackreference:
			for _, g := range n.Groups {
				out = append(out, groups[g]...)
			}
		}
	}
	walk(root)
	for int64(len(out)) < r.low && m.rng.IntN(8) > 0 {
		out = append(out, m.letter(everything, false))
	}
	if m.rng.IntN(3) == 0 && int64(len(out)) < min(r.high, math.MaxInt32) {
		out = append(out, m.letter(everything, false))
	}
	return string(out)
}

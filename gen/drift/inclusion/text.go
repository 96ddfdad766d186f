package inclusion

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/gen/wire/ecma"
)

// Bounds on automata and on the length of strings that are built.
const (
	maxStates = 4000
	maxText   = 1 << 17
)

// automaton is that of a pattern or of its opposite; nil inside when there is none.
type automaton struct{ dfa *ecma.DFA }

// automatonOf gives the automaton of a pattern, or nil when it is not regular, or
// too large.
func (s *Solver) automatonOf(pattern string, not bool) *ecma.DFA {
	key := pattern
	if not {
		key = "!" + pattern
	} else {
		key = "=" + pattern
	}
	if a := s.automata[key]; a != nil {
		return a.dfa
	}
	var d *ecma.DFA
	if p, err := ecma.Parse(pattern); err == nil {
		if d, err = p.DFA(maxStates); err != nil {
			d = nil
		} else if not {
			d = d.Complement()
		}
	}
	s.automata[key] = &automaton{d}
	return d
}

// text looks for a string: a length, patterns that must match and must not, and
// strings it must not be.
func (s *Solver) text(atoms []*term) Answer {
	found := func(text string) Answer {
		return Answer{Status: Found, Value: &document.Value{Kind: document.String, Text: text}}
	}
	least, most := bounds(atoms)
	if least > most {
		return Answer{Status: None}
	}
	excluded := map[string]bool{}
	for _, v := range together(atoms, opNotValues) {
		if v.Kind == document.String {
			excluded[v.Text] = true
		}
	}
	var product *ecma.DFA
	unknown := ""
	var formats, misformats []string
	for _, t := range atoms {
		switch t.op {
		case opPattern, opNotPattern:
			d := s.automatonOf(t.name, t.op == opNotPattern)
			if d != nil && product != nil {
				d, _ = ecma.Intersect(product, d, maxStates)
			}
			if d == nil {
				unknown = "pattern"
				continue
			}
			product = d
		case opFormat:
			formats = append(formats, t.name)
		case opNotFormat:
			misformats = append(misformats, t.name)
		}
	}
	if least > maxText {
		return Answer{Status: Unknown, Keyword: "minLength"}
	}
	for _, f := range formats {
		if slices.Contains(misformats, f) {
			return Answer{Status: None}
		}
	}
	// What no automaton tells is tried.
	suits := func(text string) bool {
		n := int64(utf8.RuneCountInString(text))
		if n < least || n > most || excluded[text] {
			return false
		}
		for _, t := range atoms {
			switch t.op {
			case opPattern, opNotPattern:
				if s.matches(t.name, text) != (t.op == opPattern) {
					return false
				}
			case opFormat, opNotFormat:
				if wire.Format(t.name, []byte(text)) != (t.op == opFormat) {
					return false
				}
			}
		}
		return true
	}
	w := words{dfa: product, least: int(least), most: most, tries: len(excluded) + 1}
	exact := unknown == "" && len(formats)+len(misformats) == 0
	if !exact {
		w.tries += 200
		for _, f := range formats {
			for _, text := range formatExamples[f] {
				if suits(text) {
					return found(text)
				}
			}
			unknown = "format"
		}
		if len(misformats) > 0 && unknown == "" {
			unknown = "format"
		}
	}
	some := false
	for text := range w.all {
		some = true
		if suits(text) {
			return found(text)
		}
	}
	if !exact && some {
		if text, ok := s.guess(atoms, suits); ok {
			return found(text)
		}
	}
	switch {
	case !exact && some:
		return Answer{Status: Unknown, Keyword: unknown}
	case unknown == "pattern" && product == nil:
		return Answer{Status: Unknown, Keyword: unknown}
	}
	return Answer{Status: None}
}

// bounds merges the bounds on a count.
func bounds(atoms []*term) (least, most int64) {
	most = math.MaxInt64
	for _, t := range atoms {
		switch t.op {
		case opLeast:
			least = max(least, t.n)
		case opMost:
			most = min(most, t.n)
		}
	}
	return least, most
}

// words runs through strings that an automaton accepts, within bounds on their
// length, short ones first.
type words struct {
	dfa   *ecma.DFA // nil accepts all
	least int
	most  int64
	tries int
}

func (w words) all(yield func(string) bool) {
	if w.dfa == nil {
		w.plain(yield)
		return
	}
	letters := w.letters()
	// can[k][state]: whether k more letters lead to acceptance.
	states := w.dfa.Len()
	last := make([]bool, states)
	for st := range states {
		last[st] = w.dfa.Accepts(ecma.State(st))
	}
	can := [][]bool{last}
	reach := func(k int) bool {
		for len(can) <= k {
			if len(can)*states > 1<<24 {
				return false
			}
			before := can[len(can)-1]
			now := make([]bool, states)
			for st := range states {
				for class := range letters {
					if before[w.dfa.Next(ecma.State(st), class)] {
						now[st] = true
						break
					}
				}
			}
			can = append(can, now)
		}
		return true
	}
	tries := w.tries
	out := make([]rune, 0, w.least+8)
	var spell func(st ecma.State, left int) bool
	spell = func(st ecma.State, left int) bool {
		if left == 0 {
			tries--
			return yield(string(out)) && tries > 0
		}
		for class, set := range letters {
			next := w.dfa.Next(st, class)
			if !can[left-1][next] {
				continue
			}
			for _, r := range set {
				out = append(out, r)
				on := spell(next, left-1)
				out = out[:len(out)-1]
				if !on {
					return false
				}
			}
		}
		return true
	}
	// Where there is a word of some length there is one at most a round through
	// all states longer than the shortest allowed.
	for k := w.least; int64(k) <= w.most && k <= w.least+2*states+w.tries; k++ {
		if !reach(k) {
			return
		}
		if can[k][w.dfa.Start()] && !spell(w.dfa.Start(), k) {
			return
		}
	}
}

// letters picks for each class some of its code points, plain ones first.
func (w words) letters() [][]rune {
	classes := w.dfa.Classes()
	out := make([][]rune, classes.Len())
	most := min(w.tries, 64)
	for c := range out {
		set := classes.Set(c)
		for _, r := range plainLetters {
			if len(out[c]) < most && set.Contains(r) {
				out[c] = append(out[c], r)
			}
		}
		for _, span := range set {
			for r := span.Lo; r <= span.Hi && len(out[c]) < most; r++ {
				if !slices.Contains(out[c], r) {
					out[c] = append(out[c], r)
				}
			}
		}
	}
	return out
}

var plainLetters = []rune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.:/")

// plain runs through strings when any will do.
func (w words) plain(yield func(string) bool) {
	tries := w.tries
	for k := w.least; int64(k) <= w.most; k++ {
		out := make([]rune, k)
		for i := range out {
			out[i] = 'a'
		}
		if k == 0 {
			if !yield("") {
				return
			}
			tries--
		}
		for i := 0; k > 0 && i < len(plainLetters); i++ {
			out[k-1] = plainLetters[i]
			if tries--; tries < 0 || !yield(string(out)) {
				return
			}
			if k > 1 {
				out[0] = plainLetters[(i+1)%len(plainLetters)]
			}
		}
		// The alphabet of single letters is large; beyond the plain ones lie others.
		for r := rune(0xc0); k > 0 && r < 0x24f; r++ {
			out[k-1] = r
			if tries--; tries < 0 || !yield(string(out)) {
				return
			}
		}
	}
}

// guess tries strings that the schemas themselves name or that look like them.
func (s *Solver) guess(atoms []*term, suits func(string) bool) (string, bool) {
	for _, t := range atoms {
		if t.op != opPattern && t.op != opNotPattern {
			continue
		}
		p, err := ecma.Parse(t.name)
		if err != nil {
			continue
		}
		for seed := range uint64(200) {
			if text := grow(p.Root, seed); suits(text) {
				return text, true
			}
		}
	}
	for _, examples := range formatExamples {
		for _, text := range examples {
			if suits(text) {
				return text, true
			}
		}
	}
	return "", false
}

// grow makes a string by walking down the tree of a pattern.
func grow(root *ecma.Node, seed uint64) string {
	var out []rune
	groups := map[int][]rune{}
	state := seed*0x9e3779b97f4a7c15 + 1
	draw := func(n int) int {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		return int(state % uint64(n))
	}
	var walk func(*ecma.Node)
	walk = func(n *ecma.Node) {
		if len(out) > 2000 {
			return
		}
		switch n.Op {
		case ecma.OpSet:
			for _, r := range plainLetters {
				if n.Set.Contains(r) && draw(3) > 0 {
					out = append(out, r)
					return
				}
			}
			if len(n.Set) > 0 {
				out = append(out, n.Set[draw(len(n.Set))].Lo)
			}
		case ecma.OpConcat:
			for _, sub := range n.Subs {
				walk(sub)
			}
		case ecma.OpAlternate:
			walk(n.Subs[draw(len(n.Subs))])
		case ecma.OpGroup:
			at := len(out)
			walk(n.Subs[0])
			groups[n.Index] = slices.Clone(out[min(at, len(out)):])
		case ecma.OpRepeat:
			most := n.Max
			if most == ecma.Unbounded || most > n.Min+3 {
				most = n.Min + 3
			}
			for range min(n.Min+draw(most-n.Min+1), 500) {
				walk(n.Subs[0])
			}
		case ecma.OpLookahead:
			if draw(3) == 0 {
				walk(n.Subs[0])
			}
		case ecma.OpBackreference:
			for _, g := range n.Groups {
				out = append(out, groups[g]...)
			}
		}
	}
	walk(root)
	return string(out)
}

// formatExamples are strings of the formats of validation 7.3, short ones first.
var formatExamples = map[string][]string{
	"date-time": {"2000-01-01T00:00:00Z"}, "date": {"2000-01-01"}, "time": {"00:00:00Z"}, "duration": {"P1D"},
	"email": {"a@b.c"}, "idn-email": {"a@b.c"}, "hostname": {"a", "a.b"}, "idn-hostname": {"a"},
	"ipv4": {"1.1.1.1"}, "ipv6": {"::", "::1"}, "uri": {"a:", "http://a", "https://a.b/c"}, "uri-reference": {"", "a", "http://a"},
	"iri": {"a:", "http://a"}, "iri-reference": {"", "a"}, "uuid": {"00000000-0000-0000-0000-000000000000"},
	"uri-template": {"", "a"}, "json-pointer": {"", "/a"}, "relative-json-pointer": {"0"}, "regex": {"", "a"},
}

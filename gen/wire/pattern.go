package wire

import (
	"fmt"
	"sync"

	"github.com/dlclark/regexp2/v2"

	"github.com/hallmark-kit/hallmark/gen/wire/ecma"
)

// Pattern is a regular expression of ECMA-262, as the keyword "pattern" means
// it: an unanchored search by code point with the meaning of the u flag.
//
// Patterns that are runs of character classes are matched by tables, others by
// a deterministic automaton, or if that were too large by simulating a
// non-deterministic one; all of these take time linear in the input. Only
// back-references, and counts so large that no automaton fits, go to a
// backtracking engine, whose work is bounded.
//
// A Pattern is safe for concurrent use. Its matcher is built when it is first
// needed.
type Pattern struct {
	source string
	parsed *ecma.Pattern
	runs   *runs // nil if the pattern is no such sequence

	once sync.Once
	dfa  *ecma.DFA
	nfa  *ecma.NFA
	back *regexp2.Regexp
}

// maxStates bounds the deterministic automaton of a pattern.
const maxStates = 2048

// ParsePattern reads a pattern; see [ecma.Parse] for what is taken.
func ParsePattern(pattern string) (*Pattern, error) {
	parsed, err := ecma.Parse(pattern)
	if err != nil {
		return nil, err
	}
	p := &Pattern{source: pattern, parsed: parsed, runs: findRuns(parsed.Root)}
	if !parsed.Regular() || parsed.Size() > ecma.MaxSize {
		if p.back, err = compileBacktracking(parsed); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	return p, nil
}

// MustPattern is [ParsePattern] for patterns known to be good; it panics on
// others.
func MustPattern(pattern string) *Pattern {
	p, err := ParsePattern(pattern)
	if err != nil {
		panic(err)
	}
	return p
}

// String is the pattern as written.
func (p *Pattern) String() string { return p.source }

// Match tells whether the pattern matches somewhere in s, which is valid
// UTF-8.
func (p *Pattern) Match(s []byte) bool {
	if p.runs != nil {
		if v := p.runs.match(s); v != unknown {
			return v == yes
		}
	}
	p.once.Do(p.compile)
	if p.dfa != nil {
		return p.dfa.Match(s)
	}
	if p.nfa != nil {
		return p.nfa.Match(s)
	}
	return matchBacktracking(p.back, s)
}

func (p *Pattern) compile() {
	if p.back != nil {
		return
	}
	var err error
	if p.dfa, err = p.parsed.DFA(maxStates); err == nil {
		return
	}
	if p.nfa, err = p.parsed.NFA(); err != nil {
		// ParsePattern keeps patterns without an automaton from here.
		panic(err)
	}
}

package wire

import (
	"fmt"
	"sync"
	"sync/atomic"

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
	runs   atomic.Pointer[runs] // noRuns if the pattern is no such sequence, nil if it has not been read yet

	once sync.Once
	dfa  *ecma.DFA
	nfa  *ecma.NFA
	back *regexp2.Regexp
}

// noRuns stands for the matcher of a pattern that is no sequence of runs.
var noRuns = new(runs)

// maxStates bounds the deterministic automaton of a pattern.
const maxStates = 2048

// ParsePattern reads a pattern; see [ecma.Parse] for what is taken.
func ParsePattern(pattern string) (*Pattern, error) {
	p := &Pattern{source: pattern}
	parsed, err := p.read()
	if err != nil {
		return nil, err
	}
	if backtracks(parsed) {
		if _, err = compileBacktracking(parsed); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	return p, nil
}

// MustPattern is [ParsePattern] for patterns known to be good. They are read when they are first needed: programs start
// sooner, and what is not used costs nothing. A bad one panics then.
func MustPattern(pattern string) *Pattern { return &Pattern{source: pattern} }

// read reads the pattern and makes the matcher that needs no automaton.
func (p *Pattern) read() (*ecma.Pattern, error) {
	parsed, err := ecma.Parse(p.source)
	if err != nil {
		return nil, err
	}
	if m := findRuns(parsed.Root); m != nil {
		p.runs.Store(m)
	} else {
		p.runs.Store(noRuns)
	}
	return parsed, nil
}

// backtracks tells whether a pattern goes to the backtracking engine.
func backtracks(parsed *ecma.Pattern) bool { return !parsed.Regular() || parsed.Size() > ecma.MaxSize }

// String is the pattern as written.
func (p *Pattern) String() string { return p.source }

// Match tells whether the pattern matches somewhere in s, which is valid
// UTF-8.
func (p *Pattern) Match(s []byte) bool {
	m := p.runs.Load()
	if m == nil {
		if _, err := p.read(); err != nil {
			panic(err)
		}
		m = p.runs.Load()
	}
	if m != noRuns {
		if v := m.match(s); v != unknown {
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

// compile makes the automaton, or whatever else there is to match with. [ParsePattern] keeps patterns for which there is
// nothing from here.
func (p *Pattern) compile() {
	parsed, err := ecma.Parse(p.source)
	if err == nil && backtracks(parsed) {
		p.back, err = compileBacktracking(parsed)
	} else if err == nil {
		if p.dfa, err = parsed.DFA(maxStates); err != nil {
			p.dfa = nil
			p.nfa, err = parsed.NFA()
		}
	}
	if err != nil {
		panic(err)
	}
}

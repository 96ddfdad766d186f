package engine

import (
	"fmt"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/scope"
)

type state int

const (
	waiting state = iota
	done
)

// polled is what a node says when it is polled.
type polled struct {
	state    state
	deadline time.Time // waiting: when to poll again although nothing has arrived

	// failure ends the scenario. When stuck is set as well, it is about a message the node cannot take, and a block
	// around it may know another node that can.
	failure *failure
	stuck   bool
}

// failure is why a step did not hold.
type failure struct {
	step        *scenario.Step
	reason      string
	differences []match.Difference
	message     string
	missed      *missed // the answer that was waited for in vain, when it was one
}

// node is one step under way. poll moves on as far as possible and never blocks.
type node interface {
	poll(c *conversation, now time.Time) polled
	current() *scenario.Step // the step it is at
	doing() string           // "waiting for …", for the message when a bound is over
}

// newNode makes the node of a step. bound is how long a step waits that has no bound of its own.
func newNode(step *scenario.Step, s *scope.Scope, bound time.Duration) node {
	if step.Within > 0 {
		bound = step.Within
	}
	one := single{step: step, scope: s, bound: bound, own: step.Within > 0}
	switch step.Word {
	case scenario.Expect, scenario.Maybe, scenario.Until:
		return &await{single: one}
	case scenario.Answer:
		return &answer{single: one}
	case scenario.EndOfStream:
		return &endOfStream{single: one}
	case scenario.Comment:
		return &comment{single: one}
	case scenario.NearMisses:
		return newMisses(one)
	case scenario.Some:
		return &row{single: one, idle: !one.own}
	case scenario.Observe:
		return &observe{single: one}
	case scenario.Silence:
		return &silence{single: one}
	case scenario.Exit:
		return &exit{single: one}
	case scenario.Stderr:
		return &stderr{single: one}
	case scenario.InOrder:
		return limited(one, newSequence(step.Steps, s, bound))
	case scenario.InAnyOrder, scenario.Parallel:
		return limited(one, newTogether(step, s, bound))
	case scenario.Repeat:
		return &rounds{single: one}
	case scenario.Call:
		if step.Again != nil {
			return &insist{act: act{single: one}}
		}
		return &act{single: one}
	default:
		return &act{single: one}
	}
}

// single is what all nodes of one step have.
type single struct {
	step  *scenario.Step
	scope *scope.Scope
	bound time.Duration
	own   bool // the bound is the step's own
	limit time.Time
	began time.Time
}

func (s *single) current() *scenario.Step { return s.step }

// begin starts the clock at the first poll.
func (s *single) begin(now time.Time) {
	if s.limit.IsZero() {
		s.began, s.limit = now, now.Add(s.bound)
	}
}

// until is when the step has waited long enough.
func (s *single) until(c *conversation) time.Time {
	if c.broken.IsZero() {
		return s.limit
	}
	from := s.began
	if from.Before(c.broken) {
		from = c.broken
	}
	return earlier(s.limit, from.Add(patience))
}

// waited tells how long that was, in words.
func (s *single) waited(c *conversation) string {
	if c.broken.IsZero() {
		return s.bound.String()
	}
	return fmt.Sprintf("%s (no longer, since a standing rule was broken)", patience)
}

func (s *single) failed(reason string) polled {
	return polled{failure: &failure{step: s.step, reason: reason}}
}

// value expands a value of the step. A name that is not bound yet makes the node wait: a sibling may bind it.
func (s *single) value(c *conversation, v any, now time.Time) (any, *polled) {
	s.scope.Requirement = s.step.For
	out, err := s.scope.Expand(v)
	if err == nil {
		return out, nil
	}
	if e, ok := err.(*scope.Error); ok && e.Unbound != "" && now.Before(s.until(c)) && !c.ended {
		return nil, &polled{deadline: s.until(c)}
	}
	p := s.failed(err.Error())
	return nil, &p
}

// earlier is the earlier of two deadlines; zero means none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

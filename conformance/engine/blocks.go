package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/scope"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// sequence is steps one after the other.
type sequence struct {
	count int
	make  func(i int) node
	at    int
	now   node
	last  *scenario.Step
}

func newSequence(steps []*scenario.Step, s *scope.Scope, bound time.Duration) *sequence {
	return &sequence{count: len(steps), make: func(i int) node { return newNode(steps[i], s, bound) }}
}

func (q *sequence) poll(c *conversation, now time.Time) polled {
	for q.at < q.count {
		if q.now == nil {
			q.now = q.make(q.at)
			if step := q.now.current(); step != nil && step.Note != "" {
				c.transcript.Add(transcript.Note, step.Note)
			}
		}
		p := q.now.poll(c, now)
		if p.state != done || p.failure != nil {
			return p
		}
		q.last, q.now = q.now.current(), nil
		q.at++
		c.moves++
		if c.stop {
			break
		}
	}
	return polled{state: done}
}

func (q *sequence) current() *scenario.Step {
	if q.now != nil {
		return q.now.current()
	}
	return q.last
}

func (q *sequence) doing() string {
	if q.now != nil {
		return q.now.doing()
	}
	return "at its end"
}

// together is nodes side by side. A message that one of them cannot take may be taken by another; it is a failure
// only when all that are left are stuck.
type together struct {
	step  *scenario.Step
	nodes []node
	done  []bool
}

func newTogether(step *scenario.Step, s *scope.Scope, bound time.Duration) *together {
	t := &together{step: step, done: make([]bool, len(step.Steps))}
	for _, inner := range step.Steps {
		t.nodes = append(t.nodes, newNode(inner, s, bound))
	}
	return t
}

func (t *together) poll(c *conversation, now time.Time) polled {
	for {
		before := c.moves
		out := t.round(c, now)
		if out.state == done || out.failure != nil && !out.stuck || c.moves == before || c.stop {
			return out
		}
	}
}

// round polls every node that is left once.
func (t *together) round(c *conversation, now time.Time) polled {
	out := polled{state: done}
	left, stuck := 0, 0
	var nearest *failure
	for i, n := range t.nodes {
		if t.done[i] {
			continue
		}
		p := n.poll(c, now)
		switch {
		case p.failure != nil && !p.stuck:
			return p
		case p.state == done:
			t.done[i] = true
			c.moves++
			continue
		case p.stuck:
			stuck++
			if nearest == nil || len(p.failure.differences) < len(nearest.differences) {
				nearest = p.failure
			}
		}
		left++
		out.state = waiting
		out.deadline = earlier(out.deadline, p.deadline)
		if c.stop {
			return out
		}
	}
	if left > 0 && stuck == left {
		out.failure, out.stuck = nearest, true
	}
	return out
}

func (t *together) current() *scenario.Step {
	for i, n := range t.nodes {
		if !t.done[i] && n.current() != nil {
			return n.current()
		}
	}
	return t.step
}

func (t *together) doing() string {
	var parts []string
	for i, n := range t.nodes {
		if !t.done[i] && len(parts) < 4 {
			parts = append(parts, n.doing())
		}
	}
	return strings.Join(parts, ", and ")
}

// rounds is a repeat. How often is known when it begins.
type rounds struct {
	single
	inner node
}

func (r *rounds) poll(c *conversation, now time.Time) polled {
	if r.inner == nil {
		r.begin(now)
		times := r.step.Times
		if r.step.AsMany != "" {
			v, wait := r.value(c, r.step.AsMany, now)
			if wait != nil {
				return *wait
			}
			n, err := strconv.Atoi(value.Text(v))
			if err != nil || n < 1 || n > 10000 {
				return r.failed(r.step.AsMany + " is no number between 1 and 10000")
			}
			times = n
		}
		r.inner = limited(r.single, newRounds(r.step, times, r.scope, r.bound))
	}
	return r.inner.poll(c, now)
}

func (r *rounds) current() *scenario.Step {
	if r.inner == nil {
		return r.step
	}
	return r.inner.current()
}

func (r *rounds) doing() string {
	if r.inner == nil {
		return "at repeat"
	}
	return r.inner.doing()
}

// newRounds makes the rounds of a repeat, each with names of its own.
func newRounds(step *scenario.Step, times int, s *scope.Scope, bound time.Duration) node {
	round := func(i int) node {
		inner := s.Child()
		if step.As != "" {
			inner.Set(step.As, value.Int(int64(i+1)))
		}
		return newSequence(step.Steps, inner, bound)
	}
	if !step.AtOnce {
		return &sequence{count: times, make: round, last: step}
	}
	t := &together{step: step, done: make([]bool, times)}
	for i := range times {
		t.nodes = append(t.nodes, round(i))
	}
	return t
}

// bounded is a block that must be complete within a time.
type bounded struct {
	single
	inner node
}

func limited(s single, inner node) node {
	if !s.own {
		return inner
	}
	return &bounded{s, inner}
}

func (b *bounded) poll(c *conversation, now time.Time) polled {
	b.begin(now)
	p := b.inner.poll(c, now)
	if p.state == done || p.failure != nil && !p.stuck {
		return p
	}
	if !now.Before(b.limit) {
		step := b.inner.current()
		if step == nil {
			step = b.step
		}
		if p.failure != nil {
			return polled{failure: p.failure}
		}
		return polled{failure: &failure{step: step, reason: fmt.Sprintf("not complete within %s: still %s", b.bound, b.inner.doing())}}
	}
	p.deadline = earlier(p.deadline, b.limit)
	return p
}

func (b *bounded) doing() string { return b.inner.doing() }

func (b *bounded) current() *scenario.Step { return b.inner.current() }

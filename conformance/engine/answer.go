package engine

import (
	"fmt"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// answer waits for the answer to a request: all of it, or the head of a stream.
type answer struct {
	single
	matcher any
}

func (a *answer) doing() string { return "waiting for an answer like " + a.what(a.matcher) }

func (a *answer) poll(c *conversation, now time.Time) polled {
	a.begin(now)
	if wait := a.unsent(c, now); wait != nil {
		return *wait
	}
	m, wait := a.value(c, a.step.Matcher, now)
	if wait != nil {
		return *wait
	}
	a.matcher = m
	x := c.exchangeOf(a.step.Exchange, a.scope)
	if x.record == nil {
		switch {
		case x.aborted:
			return a.failed("the kit has closed the connection itself")
		case c.ended:
			return a.failed("the target has ended (" + exitText(c.exit) + ") while " + a.doing())
		case !now.Before(a.until(c)):
			p := a.failed(fmt.Sprintf("no answer came within %s while %s", a.waited(c), a.doing()))
			p.failure.missed = &missed{x.stream(), a.bound}
			return p
		}
		return polled{deadline: a.until(c)}
	}
	r := match.Match(m, x.record)
	if !r.OK() {
		reason := "the answer is not the one expected"
		if why := c.over[x.stream()]; x.Answer == nil && why != "" {
			reason += ": " + why
		}
		return polled{failure: &failure{step: a.step, reason: reason, differences: r.Differences, message: transcript.Shorten(value.Text(x.record), 2048)}}
	}
	if f := a.validParts(c, x.record); f != nil {
		return polled{failure: f}
	}
	for _, cap := range r.Captures {
		a.scope.Set(cap.Name, cap.Value)
	}
	return polled{state: done}
}

// endOfStream waits for the end of a stream of which everything has been read.
type endOfStream struct{ single }

func (e *endOfStream) doing() string { return "waiting for the end of the stream" }

func (e *endOfStream) poll(c *conversation, now time.Time) polled {
	e.begin(now)
	if wait := e.unsent(c, now); wait != nil {
		return *wait
	}
	x := c.exchangeOf(e.step.Exchange, e.scope)
	stream := x.stream()
	if it := c.messages.head(stream); it != nil {
		return polled{failure: &failure{step: e.step, reason: "the end of the stream is expected, and another event came", message: value.Text(it.value)}}
	}
	switch {
	case x.Finished && x.Stream && !x.aborted && c.over[stream] == streamEnded:
		return polled{state: done}
	case x.Finished:
		return e.failed("the stream has not ended in order: " + c.over[stream])
	case c.ended:
		return e.failed("the target has ended (" + exitText(c.exit) + ") while " + e.doing())
	case !now.Before(e.until(c)):
		return e.failed(fmt.Sprintf("the stream has not ended within %s", e.waited(c)))
	}
	return polled{deadline: e.until(c)}
}

// comment waits for a frame without data.
type comment struct{ single }

func (m *comment) doing() string { return "waiting for a frame without data" }

func (m *comment) poll(c *conversation, now time.Time) polled {
	m.begin(now)
	if wait := m.unsent(c, now); wait != nil {
		return *wait
	}
	x := c.exchangeOf(m.step.Exchange, m.scope)
	switch {
	case x.idle > 0:
		x.idle--
		return polled{state: done}
	case x.Finished, c.ended:
		return m.failed("the stream has ended while " + m.doing())
	case !now.Before(m.until(c)):
		return m.failed(fmt.Sprintf("no frame without data came within %s", m.waited(c)))
	}
	return polled{deadline: m.until(c)}
}

package engine

import (
	"fmt"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// silence watches for a time that nothing arrives.
type silence struct {
	single
	matcher  any
	bytes    int64 // received when it began
	expanded bool
}

func (s *silence) poll(c *conversation, now time.Time) polled {
	if !s.expanded {
		s.bound = s.step.Lasting
		s.begin(now)
		if !s.step.Anything {
			m, wait := s.value(c, s.step.Matcher, now)
			if wait != nil {
				return *wait
			}
			s.matcher = m
		}
		s.bytes, s.expanded = c.conn.Received(), true
	}
	if s.step.Anything {
		if n := c.conn.Received() - s.bytes; n > 0 {
			return s.failed(fmt.Sprintf("the target wrote %d bytes, and silence was expected", n))
		}
	} else if f := s.disturbed(c, true); f != nil {
		return polled{failure: f}
	}
	if !now.Before(s.limit) || c.ended && s.step.Of == "" {
		return polled{state: done}
	}
	return polled{deadline: s.limit}
}

func (s *silence) doing() string { return "listening for silence" }

// disturbed finds something that should not have arrived.
func (s *silence) disturbed(c *conversation, unreadOnly bool) *failure {
	return found(c, s.step, s.matcher, unreadOnly)
}

// found looks for a message, or a recording of a stand-in, that matches.
func found(c *conversation, step *scenario.Step, matcher any, unreadOnly bool) *failure {
	items, what := c.messages.all, "a message"
	if step.Of != "" {
		items, what = c.recordings.all, "a recording of "+step.Of
	}
	for _, it := range items {
		if unreadOnly && it.consumed {
			continue
		}
		if step.Exchange != "" && !c.http.about(it.stream, step.Exchange) {
			continue
		}
		if step.Of != "" {
			if from, _ := it.value.Get("standIn"); from != any(step.Of) {
				continue
			}
		}
		if match.Match(matcher, it.value).OK() {
			shown := any(it.value)
			if step.Of != "" {
				shown = withoutSecrets(it.value)
			}
			return &failure{step: step, reason: what + " came that should not have come", message: value.Text(shown)}
		}
	}
	return nil
}

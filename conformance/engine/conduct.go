package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/transport"
)

// Conduct is charged, in place of a requirement of the protocol, with what no implementation of any protocol may do:
// end unasked, or flood its output. It always fails.
const Conduct = "conduct"

// ConductSentence is what it says.
const ConductSentence = "The target serves until it is asked to stop, answers what it is asked, and keeps its output within bounds."

// stopping notes that the kit asks the target to stop. What is under way is given up then.
func (c *conversation) stopping() {
	c.asked = true
	if c.rules != nil {
		c.rules.Stopping()
	}
}

// unexpected says what is wrong with how the target ended, or "". How a target ends that was asked to is a matter of
// its protocol, unless a signal killed it that the kit did not send.
func (c *conversation) unexpected(e transport.Exit) string {
	switch {
	case c.killed || c.asked && (e.Signal == "" || c.signals[e.Signal]):
		return ""
	case c.asked:
		return "the target ended by " + e.Signal + ", which the kit had not sent"
	}
	return "the target ended (" + exitText(e) + ") although nothing had asked it to"
}

// flooded charges more output than any conversation needs, and ends the scenario.
func (c *conversation) flooded() {
	c.charge(Charge{
		Requirement: Conduct,
		Reason:      fmt.Sprintf("the target floods its output: more than %d messages or %d bytes", c.mostMessages(), c.limits.Bytes),
	})
	c.stop = true
}

// repliesPerMessage is how many messages a message to the target may bring about beyond the bound of the conversation.
const repliesPerMessage = 4

// mostMessages bounds how many messages are taken: who is asked much may answer much.
func (c *conversation) mostMessages() int { return c.limits.Messages + repliesPerMessage*c.told }

// failing tells whether the scenario fails already, whatever else is found.
func (c *conversation) failing() bool {
	for _, ch := range c.charges {
		if c.binding(ch.Requirement) {
			return true
		}
	}
	return false
}

// settleAnswers waits for answers that should have come by now, and charges the requests that never get one. The
// answers to requests that depend on others are only missed when a step has waited for them in vain.
func (c *conversation) settleAnswers(ctx context.Context) error {
	for !c.ended && !c.failing() {
		due := time.Time{}
		for _, u := range c.rules.Unanswered() {
			if limit := c.due(u); limit.After(due) {
				due = limit
			}
		}
		if !time.Now().Before(due) {
			break
		}
		if err := c.wait(ctx, due); err != nil {
			return err
		}
		c.drain()
	}
	c.chargeUnanswered()
	return nil
}

// due is when an answer should have come; zero when it may still be under way.
func (c *conversation) due(u protocol.Unanswered) time.Time {
	switch {
	case u.Slow == 0:
		return u.Sent.Add(c.bounds.Step)
	case c.missed == nil || c.missed.stream != u.Stream:
		return time.Time{}
	case c.missed.bound == c.bounds.Step:
		return u.Sent.Add(c.bounds.Step)
	}
	return u.Sent.Add(max(u.Slow, c.bounds.Step)) // a step that allows a time of its own is about how long it takes
}

// chargeUnanswered charges requests whose answer is overdue, or can no longer come.
func (c *conversation) chargeUnanswered() {
	var requests []string
	requirement := ""
	now := time.Now()
	for _, u := range c.rules.Unanswered() {
		if due := c.due(u); c.ended || !due.IsZero() && !now.Before(due) {
			requests, requirement = append(requests, u.Request), u.Requirement
		}
	}
	if len(requests) == 0 {
		return
	}
	const most = 3
	what := strings.Join(requests[:min(most, len(requests))], ", ")
	if more := len(requests) - most; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	if c.ended {
		what = "the target ended (" + exitText(c.exit) + ") without an answer to " + what
	} else {
		what = "no answer has come to " + what
	}
	c.charge(Charge{Requirement: requirement, Reason: what})
}

// unended tells, after a sentence about what has not come, what came of it, or why nothing can come any more.
func unended(conn transport.Conn, secrets *transcript.Transcript) string {
	u, ok := conn.(interface {
		Unended() (beginning []byte, n int64, closed bool)
	})
	if !ok {
		return ""
	}
	beginning, n, closed := u.Unended()
	text := ""
	if n > 0 {
		shown := strings.TrimSuffix(transcript.Shorten(secrets.Redact(string(beginning)), 120), fmt.Sprintf(" (%d bytes)", len(beginning)))
		text += fmt.Sprintf("; it has written %d bytes that no line feed ends: %s", n, shown)
	}
	if closed {
		text += "; it has closed its standard output"
	}
	return text
}

// missed is an answer that a step has waited for in vain.
type missed struct {
	stream string
	bound  time.Duration
}

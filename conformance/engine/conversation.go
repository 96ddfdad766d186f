package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/scope"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// Charge is something that did not hold, and whose fault it is.
type Charge struct {
	Requirement string
	Reason      string             // one sentence
	Step        *scenario.Step     // nil for a standing rule
	Differences []match.Difference // of a message that did not match
	Message     string             // that message; "" when it was not about one
}

// conversation is one scenario with one target.
type conversation struct {
	scenario *scenario.Scenario
	protocol *protocol.Protocol
	role     protocol.Role
	rules    protocol.Rules
	binding  func(requirement string) bool
	limits   Limits
	bounds   Bounds

	conn       transport.Conn
	events     <-chan transport.Event // nil once it has ended
	inbox      *inbox
	standIns   map[string]*standIn
	transcript *transcript.Transcript
	root       *scope.Scope

	messages   *store
	recordings *store
	over       map[string]string // streams of which no more is expected, and why
	unsent     []byte            // what was written since the last end of a line
	stderr     []byte            // the beginning, up to a bound
	leaks      leaks
	count      int   // messages received
	bytes      int64 // and their length
	moves      int   // steps forward; tells blocks whether to look again

	asked   bool            // the target is asked to stop
	signals map[string]bool // that the kit has sent
	told    int             // messages to the target
	missed  *missed         // answer that a step has waited for in vain

	http    *requests // nil: the target is sent messages
	ended   bool
	exit    transport.Exit
	killed  bool // by the kit: what is cut off then is not the target's doing
	charges []Charge
	stop    bool      // a charge ends the scenario
	broken  time.Time // when a standing rule that is binding was broken; steps get little time from then on
}

// patience is how long steps wait once a standing rule has been broken: long enough to see whether they hold.
const patience = 300 * time.Millisecond

// charge notes what did not hold. A step that did not hold ends the scenario; after a broken rule the steps go on, to
// see whether they hold, but not for long.
func (c *conversation) charge(ch Charge) {
	for _, before := range c.charges {
		if before.Requirement == ch.Requirement && before.Step == nil && ch.Step == nil {
			return // one breach of a standing rule says it all
		}
	}
	c.charges = append(c.charges, ch)
	switch {
	case ch.Step != nil:
		c.stop = true
	case c.broken.IsZero() && c.binding(ch.Requirement):
		c.broken = time.Now()
	}
}

// converse polls the steps until they are done, one fails, or the time is over. completed tells that they are done.
func (c *conversation) converse(ctx context.Context, within time.Duration) (completed bool, err error) {
	limit := time.Now().Add(within)
	root := newSequence(c.scenario.Steps, c.root, c.bounds.Step)
	for {
		c.drain()
		if c.stop {
			return false, nil
		}
		now := time.Now()
		p := root.poll(c, now)
		if c.stop {
			return false, nil
		}
		switch {
		case p.state == done:
			return true, nil
		case p.failure != nil:
			c.fail(p.failure)
			return false, nil
		case !now.Before(limit):
			c.fail(&failure{step: root.current(), reason: fmt.Sprintf("the scenario was not over within %s; it was still %s", within, root.doing())})
			return false, nil
		}
		until := limit
		if !p.deadline.IsZero() && p.deadline.Before(until) {
			until = p.deadline
		}
		if err := c.wait(ctx, until); err != nil {
			return false, err
		}
	}
}

func (c *conversation) fail(f *failure) {
	ch := Charge{Requirement: c.scenario.Decides[0], Reason: f.reason, Step: f.step, Differences: f.differences, Message: f.message}
	if f.step != nil {
		ch.Requirement = f.step.For
	}
	if ch.Step == nil {
		ch.Step = c.scenario.Steps[0]
	}
	c.charge(ch)
	c.missed = f.missed
	if c.http != nil && f.missed != nil && f.missed.bound == c.bounds.Step && !c.failing() {
		c.charge(Charge{Requirement: Conduct, Reason: "a request was never answered: " + f.reason})
	}
}

// wait returns when something has arrived or the time has come.
func (c *conversation) wait(ctx context.Context, until time.Time) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case e := <-c.events:
		c.handle(e)
	case <-c.inbox.wake:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// drain takes everything that has arrived: first what the target wrote, then what stand-ins recorded. A recording
// is made before the target can answer to it, so whoever has seen a message has seen what led to it.
func (c *conversation) drain() {
	for range c.limits.Messages {
		select {
		case e := <-c.events:
			c.handle(e)
			if !c.stop && !c.ended {
				continue
			}
		default:
		}
		break
	}
	for _, e := range c.inbox.take() {
		v, err := recorded(e)
		if err != nil {
			continue // a stand-in records only what can be written as an object; its own tests see to that
		}
		c.transcript.Add(transcript.Observed, fmt.Sprintf("%s: %s", e.StandIn, value.Text(withoutSecrets(v))))
		c.recordings.add(recordingStream(e.StandIn, e.Kind), v)
		if c.role.Observed != nil {
			for _, b := range c.role.Observed(e.StandIn, v) {
				c.charge(Charge{Requirement: b.Requirement, Reason: b.Reason, Message: transcript.Shorten(value.Text(withoutSecrets(v)), 1024)})
			}
		}
	}
}

func recordingStream(standIn, event string) string { return standIn + "\x00" + event }

// withoutSecrets is a recording as reports may show it: what travels in Authorization headers stays out.
func withoutSecrets(recording *value.Object) any {
	v := value.Clone(recording).(*value.Object)
	for _, noise := range []string{"seq", "at", "standIn"} {
		v.Delete(noise)
	}
	if h, ok := v.Get("headers"); ok {
		if headers, ok := h.(*value.Object); ok {
			for _, name := range headers.Names() {
				switch strings.ToLower(name) {
				case "authorization", "x-api-key", "x-goog-api-key", "cookie":
					headers.Set(name, "[hidden]")
				}
			}
		}
	}
	if env, ok := v.Get("env"); ok {
		if variables, ok := env.(*value.Object); ok {
			v.Set("env", fmt.Sprintf("(%d variables)", len(variables.Members)))
		}
	}
	return v
}

// handle takes one event of the connection.
func (c *conversation) handle(e transport.Event) {
	switch e.Kind {
	case transport.Line:
		c.line(e.Data)
	case transport.Tail:
		if !c.killed {
			c.transcript.Add(transcript.Received, string(e.Data))
			c.framing("the last line is not ended by a line feed", e.Data)
			c.leaked("standard output", c.leaks.look("standard output", e.Data))
		}
	case transport.TooLong:
		reason := e.Reason
		if reason == "" {
			reason = fmt.Sprintf("a line is longer than %d bytes", c.limits.Line)
		}
		c.framing(reason, nil)
		c.stop = true
	case transport.ErrorOut:
		c.transcript.Add(transcript.Stderr, strings.TrimRight(string(e.Data), "\n"))
		c.stderr = append(c.stderr, e.Data[:min(len(e.Data), max(0, c.limits.Stderr-len(c.stderr)))]...)
		c.leaked("standard error", c.leaks.lookStderr(e.Data))
	case transport.Unwanted:
		c.transcript.Add(transcript.Process, "the target no longer reads its input")
	case transport.Printed, transport.Head, transport.Body, transport.Framed, transport.Idle, transport.Over:
		c.exchanged(e)
	case transport.Ended:
		c.ended, c.exit, c.events = true, e.Exit, nil
		c.transcript.Add(transcript.Process, "the target ended: "+exitText(e.Exit))
		if reason := c.unexpected(e.Exit); reason != "" {
			c.charge(Charge{Requirement: Conduct, Reason: reason})
		}
	}
}

func exitText(e transport.Exit) string {
	if e.Signal != "" {
		return e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Status)
}

// framing charges a line that is no message.
func (c *conversation) framing(reason string, line []byte) {
	c.charge(Charge{Requirement: c.role.Framing, Reason: reason, Message: transcript.Shorten(string(line), 1024)})
	if c.binding(c.role.Framing) {
		c.stop = true
	}
}

func (c *conversation) leaked(place string, found []canary) {
	for _, f := range found {
		c.charge(Charge{Requirement: f.requirement, Reason: f.leaked(place)})
	}
}

// line takes one line of the target: it must be a valid message, and is then put into its stream.
func (c *conversation) line(line []byte) {
	c.transcript.Add(transcript.Received, string(line))
	c.leaked("standard output", c.leaks.look("standard output", line))
	c.count++
	c.bytes += int64(len(line))
	if c.count > c.mostMessages() || c.bytes > c.limits.Bytes {
		c.flooded()
		return
	}
	v, err := value.Parse(line)
	message, isObject := v.(*value.Object)
	switch {
	case err != nil:
		c.framing("a line is not JSON: "+err.Error(), line)
		c.stop = true
		return
	case !isObject:
		c.framing("a line is JSON, but not an object", line)
		c.stop = true
		return
	}
	if violations := c.role.Emits(line); len(violations) > 0 {
		c.framing("a line is not a valid message: "+nearestViolations(violations), line)
	}
	for _, b := range c.rules.Received(message) {
		c.charge(Charge{Requirement: b.Requirement, Reason: b.Reason, Message: transcript.Shorten(string(line), 1024)})
	}
	stream := c.protocol.Stream(message)
	c.messages.add(stream, message)
	if stream != "" && c.role.Ends(message) {
		c.over[stream] = "the last message of " + stream + " has been seen: " + transcript.Shorten(string(line), 200)
	}
}

// nearestViolations tells the violations deepest in the message: those of the variant that was meant.
func nearestViolations(violations []protocol.Violation) string {
	deepest := 0
	depth := func(v protocol.Violation) int { return strings.Count(v.Pointer, "/") }
	for _, v := range violations {
		deepest = max(deepest, depth(v))
	}
	var parts []string
	for _, v := range violations {
		if depth(v) == deepest && len(parts) < 3 {
			parts = append(parts, v.String())
		}
	}
	return strings.Join(parts, "; ")
}

// transmit writes bytes to the target and tells the rules about every line they complete. messages are what the bytes
// hold, when each of them is a line of its own; nil when that is not known.
func (c *conversation) transmit(b []byte, w scenario.Writing, messages []any) {
	c.transcript.Add(transcript.Sent, strings.TrimRight(string(b), "\r\n"))
	defer c.conn.Write(w.Chunks(b))
	if len(messages) > 0 && len(c.unsent) == 0 && w.End != "" {
		for _, m := range messages {
			c.tell(m, true) // parsing a large line again takes its time
		}
		return
	}
	c.unsent = append(c.unsent, b...)
	for {
		line, rest, found := bytes.Cut(c.unsent, []byte("\n"))
		if !found {
			break
		}
		c.unsent = rest
		c.sent(line)
	}
	c.unsent = bytes.Clone(c.unsent)
}

func (c *conversation) sent(line []byte) {
	v, err := value.Parse(line)
	c.tell(v, err == nil)
}

// tell tells the rules of a line that goes to the target.
func (c *conversation) tell(v any, isJSON bool) {
	c.told++
	message, ok := v.(*value.Object)
	if ok && c.role.Stops != nil && c.role.Stops(message) {
		c.stopping()
	}
	c.rules.Sent(v, isJSON)
	if !ok {
		return
	}
	for _, member := range c.protocol.Correlation {
		if v, ok := message.Get(member); ok {
			delete(c.over, member+"="+value.Text(v)) // more may come now
		}
	}
}

func (c *conversation) closeInput() {
	if len(c.unsent) > 0 {
		c.sent(c.unsent) // an unterminated last line is a line
		c.unsent = nil
	}
	c.stopping()
	c.transcript.Add(transcript.Process, "the kit closes the target's standard input")
	c.conn.CloseInput()
}

// finish lets the target stop, or ends it, and takes what it still writes.
func (c *conversation) finish(ctx context.Context) error {
	c.checkArguments()
	if c.http != nil {
		return c.finishHTTP(ctx)
	}
	if err := c.settleAnswers(ctx); err != nil {
		return errors.Join(err, c.end(ctx))
	}
	if !c.ended && !c.stop && c.broken.IsZero() {
		c.closeInput()
		c.takeUntilEnd(ctx, c.bounds.Stop)
		if c.ended {
			c.chargeUnanswered()
		}
	}
	return c.end(ctx)
}

// end kills the target if it has not ended.
func (c *conversation) end(ctx context.Context) error {
	if c.ended {
		return nil
	}
	c.killed = true
	c.transcript.Add(transcript.Process, "the kit kills the target")
	c.conn.Kill()
	c.takeUntilEnd(context.WithoutCancel(ctx), transport.Unkillable)
	if !c.ended {
		return errors.New("the target could not be killed")
	}
	return nil
}

func (c *conversation) takeUntilEnd(ctx context.Context, within time.Duration) {
	limit := time.Now().Add(within)
	for !c.ended && time.Now().Before(limit) && (!c.stop || c.killed) {
		if c.killed {
			select { // what it wrote before it was killed no longer matters
			case e := <-c.events:
				if e.Kind == transport.Ended {
					c.handle(e)
				}
			case <-time.After(time.Until(limit)):
			}
			continue
		}
		if err := c.wait(ctx, limit); err != nil {
			return
		}
		c.drain()
	}
}

// checkArguments looks for secrets on the command lines of the target and what it started.
func (c *conversation) checkArguments() {
	a, ok := c.conn.(interface{ Arguments() []string })
	if !ok || len(c.leaks.canaries) == 0 || c.ended {
		return
	}
	for _, line := range a.Arguments() {
		c.leaked("the arguments of a process", c.leaks.look("the arguments of a process", []byte(line)))
	}
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/scope"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// requests is the part of a conversation that is about HTTP.
type requests struct {
	caller    transport.Caller
	role      *protocol.HTTP
	rules     protocol.HTTPRules
	seed      uint64
	exchanges []*exchange // by number
	misses    Misses
}

// exchange is one request and what came of it.
type exchange struct {
	*protocol.Exchange
	name    string        // as the scenario calls it
	record  *value.Object // of the answer, as steps match it; nil: there is none yet
	aborted bool          // by the kit
	idle    int           // frames without data that no step has read
}

// stream is the name of the stream that the events of the exchange make up.
func (x *exchange) stream() string { return "request " + strconv.Itoa(x.Number) }

// about tells whether a stream belongs to a request of that name.
func (w *requests) about(stream, name string) bool {
	return w == nil || slices.ContainsFunc(w.exchanges, func(x *exchange) bool { return x.name == name && x.stream() == stream })
}

// requestKey is the name under which a scope knows the number of a request. No scenario can give such a name.
func requestKey(name string) string { return scope.Hidden + "request " + name }

// exchangeOf is the exchange that a step means, nil when there was no such request yet.
func (c *conversation) exchangeOf(name string, s *scope.Scope) *exchange {
	v, ok := s.Get(requestKey(name))
	if !ok {
		return nil
	}
	n, _ := strconv.Atoi(value.Text(v))
	return c.http.exchanges[n]
}

// call sends a request. shown is how the transcript tells it.
func (c *conversation) call(x *protocol.Exchange, name string, s *scope.Scope, r transport.Request, shown string) *exchange {
	one := &exchange{Exchange: x, name: name}
	x.Number = len(c.http.exchanges)
	c.http.exchanges = append(c.http.exchanges, one)
	c.told++
	s.Set(requestKey(name), value.Int(int64(x.Number)))
	c.transcript.Add(transcript.Sent, c.numbered(one)+shown)
	c.http.caller.Call(x.Number, r)
	return one
}

// numbered begins an entry of the transcript that belongs to an exchange.
func (c *conversation) numbered(x *exchange) string {
	if x.name != "" {
		return fmt.Sprintf("#%d %s: ", x.Number+1, x.name)
	}
	return fmt.Sprintf("#%d ", x.Number+1)
}

// abort closes the connection of an exchange.
func (c *conversation) abort(x *exchange) {
	c.transcript.Add(transcript.Process, c.numbered(x)+"the kit closes the connection")
	x.aborted, x.Finished = true, true
	c.over[x.stream()] = "the kit has closed the connection"
	c.http.caller.Abort(x.Number)
}

// exchanged takes what came of a request.
func (c *conversation) exchanged(e transport.Event) {
	if e.Kind == transport.Printed {
		c.transcript.Add(transcript.Process, "on standard output: "+string(e.Data))
		c.leaked("standard output", c.leaks.look("standard output", e.Data))
		return
	}
	x := c.http.exchanges[e.Exchange]
	if x.aborted {
		return
	}
	switch e.Kind {
	case transport.Head, transport.Body:
		c.answered(x, e.Answer, e.Kind == transport.Head)
	case transport.Framed:
		c.framed(x, e.Frame)
	case transport.Idle:
		x.idle++
		c.transcript.Add(transcript.Received, c.numbered(x)+"(a frame without data)")
		c.breaches(x, c.frameBreaches(x, e.Frame, nil), "")
	case transport.Over:
		c.finished(x, e.Reason)
	}
}

// answered takes an answer, or the head of a stream.
func (c *conversation) answered(x *exchange, a *transport.Answer, stream bool) {
	x.Answer, x.Stream = a, stream
	x.record = value.Of("status", value.Int(int64(a.Status)), "headers", headers(a.Header))
	shown := fmt.Sprintf("%d %s", a.Status, a.Header.Get("Content-Type"))
	if !stream {
		shown += " " + string(a.Body)
		if v, err := value.Parse(a.Body); err == nil {
			x.Content, x.HasJSON = v, true
			x.record.Set("body", v)
		} else {
			x.record.Set("text", strings.ToValidUTF8(string(a.Body), "\uFFFD"))
		}
		x.Finished = true
		c.over[x.stream()] = "the answer is no stream: " + transcript.Shorten(shown, 300)
	}
	c.transcript.Add(transcript.Received, c.numbered(x)+shown)
	c.received(len(a.Body))
	c.leaked("an answer", c.leaks.look("an answer", a.Body))
	for _, lines := range a.Header {
		for _, line := range lines {
			c.leaked("a header of an answer", c.leaks.look("a header", []byte(line)))
		}
	}
	c.breaches(x, c.http.rules.Answered(x.Exchange), shown)
}

// received counts what came, and charges a flood.
func (c *conversation) received(bytes int) {
	c.count++
	c.bytes += int64(bytes)
	if c.count > c.mostMessages() || c.bytes > c.limits.Bytes {
		c.flooded()
	}
}

// headers are the headers as steps match them: names in lower case, several lines joined.
func headers(h http.Header) *value.Object {
	o := &value.Object{}
	for name, lines := range h {
		o.Set(strings.ToLower(name), strings.Join(lines, ", "))
	}
	slices.SortFunc(o.Members, func(a, b value.Member) int { return strings.Compare(a.Name, b.Name) })
	return o
}

// framed takes one event of a stream.
func (c *conversation) framed(x *exchange, f *transport.Frame) {
	c.transcript.Add(transcript.Received, c.numbered(x)+string(f.Data))
	c.received(f.Bytes)
	c.leaked("a stream", c.leaks.look("a stream", f.Data))
	v, _ := value.Parse(f.Data)
	event, _ := v.(*value.Object)
	x.Events++
	c.breaches(x, c.frameBreaches(x, f, event), string(f.Data))
	if event != nil {
		c.messages.add(x.stream(), event)
	}
}

func (c *conversation) frameBreaches(x *exchange, f *transport.Frame, event *value.Object) []protocol.Breach {
	found, last := c.http.rules.Framed(x.Exchange, f, event)
	if last && x.Last == nil {
		x.Last = event
	}
	return found
}

// streamEnded is why nothing more comes of a stream that ended in order.
const streamEnded = "the stream has ended"

// finished is told that nothing more comes.
func (c *conversation) finished(x *exchange, reason string) {
	x.Finished = true
	shown := reason
	if shown == "" {
		shown = streamEnded
	}
	c.transcript.Add(transcript.Process, c.numbered(x)+shown)
	c.over[x.stream()] = shown
	if x.record == nil {
		x.record = value.Of("closed", true)
		return
	}
	c.breaches(x, c.http.rules.Over(x.Exchange, reason), "")
}

func (c *conversation) breaches(x *exchange, found []protocol.Breach, message string) {
	for _, b := range found {
		c.charge(Charge{Requirement: b.Requirement, Reason: b.Reason + " (" + x.Method + " " + x.Target + ")", Message: transcript.Shorten(message, 1024)})
	}
}

// finishHTTP waits a little for streams that have had their last event, then lets go of the target: nothing in HTTP
// asks it to stop.
func (c *conversation) finishHTTP(ctx context.Context) error {
	if !c.ended && !c.stop && c.broken.IsZero() {
		c.settle(ctx)
	}
	started := false
	if s, ok := c.conn.(interface{ Started() bool }); ok {
		started = s.Started()
	}
	if c.ended {
		return nil
	}
	c.killed = true
	c.conn.Kill()
	if !started {
		c.ended = true
		return nil
	}
	c.transcript.Add(transcript.Process, "the kit kills the target")
	c.takeUntilEnd(context.WithoutCancel(ctx), transport.Unkillable)
	if !c.ended {
		return errors.New("the target could not be killed")
	}
	return nil
}

// settle takes what is still to come of streams that have had their last event.
func (c *conversation) settle(ctx context.Context) {
	open := func() *exchange {
		for _, x := range c.http.exchanges {
			if x.Last != nil && !x.Finished {
				return x
			}
		}
		return nil
	}
	limit := time.Now().Add(c.bounds.Stop)
	c.drain()
	for open() != nil && time.Now().Before(limit) && !c.ended && !c.stop {
		if c.wait(ctx, limit) != nil {
			return
		}
		c.drain()
	}
	if x := open(); x != nil && !c.ended && !c.stop {
		c.charge(Charge{Requirement: c.http.role.StreamEnd, Reason: fmt.Sprintf("the stream has not ended within %s after its last event (%s %s)", c.bounds.Stop, x.Method, x.Target)})
	}
}

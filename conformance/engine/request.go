package engine

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// request sends the request of the step.
func (a *act) request(c *conversation, now time.Time) polled {
	x, r, wait := a.compose(c, now)
	if wait != nil {
		return *wait
	}
	q := a.step.Request
	var shown string
	switch {
	case q.Bytes != nil:
		b, err := a.bytes(q.Bytes)
		if err != nil {
			return a.failed(err.Error())
		}
		r.Body, shown = a.step.Writing.Chunks(b), transcript.Shorten(string(b), 400)
	case q.HasBody:
		v, wait := a.value(c, q.Body, now)
		if wait != nil {
			return *wait
		}
		text := value.Append(nil, v)
		if check := c.http.role.Body(q.Method, x.Target); check != nil {
			if reason := scenario.Judge(a.step.Invalid, check(text)); reason != "" {
				return a.failed("this cannot be sent: " + reason)
			}
		}
		x.Body, x.IsJSON = v, true
		r.Body, shown = a.step.Writing.Chunks(text), string(text)
	}
	c.call(x, q.Name, a.scope, r, described(r)+" "+shown)
	return polled{state: done}
}

// compose makes everything of a request but its body.
func (s *single) compose(c *conversation, now time.Time) (*protocol.Exchange, transport.Request, *polled) {
	q := s.step.Request
	fail := func(reason string) (*protocol.Exchange, transport.Request, *polled) {
		p := s.failed(reason)
		return nil, transport.Request{}, &p
	}
	if c.ended {
		return fail("the target has ended (" + exitText(c.exit) + ") before this could be sent")
	}
	s.scope.Requirement = s.step.For
	target, err := s.scope.ExpandText(q.Target)
	if err != nil {
		return fail(err.Error())
	}
	x := &protocol.Exchange{Method: q.Method, Target: target.(string), Header: make(http.Header)}
	x.Operation = c.http.role.Operation(x.Method, x.Target)
	r := transport.Request{Method: x.Method, Target: x.Target, Chunked: q.Chunked}
	token, wait := s.value(c, q.Token, now)
	if wait != nil {
		return nil, r, wait
	}
	var own *value.Object
	if q.Headers != nil {
		v, wait := s.value(c, q.Headers, now)
		if wait != nil {
			return nil, r, wait
		}
		own, _ = v.(*value.Object)
	}
	add := func(name, text string) {
		if own != nil && hasHeader(own, name) {
			return // the step says itself what it is to be
		}
		r.Header = append(r.Header, [2]string{name, text})
	}
	for _, h := range c.http.role.Headers {
		add(h[0], h[1])
	}
	if text, ok := token.(string); ok {
		x.Token = text
		add("Authorization", "Bearer "+text)
	}
	if q.Accept != "" {
		add("Accept", q.Accept)
	}
	if q.HasBody || q.Bytes != nil {
		add("Content-Type", "application/json")
	}
	if own != nil {
		for _, m := range own.Members {
			switch v := m.Value.(type) {
			case string:
				r.Header = append(r.Header, [2]string{m.Name, v})
			case value.List:
				for _, item := range v {
					r.Header = append(r.Header, [2]string{m.Name, fmt.Sprint(item)})
				}
			}
		}
	}
	for _, h := range r.Header {
		if strings.ContainsAny(h[1], "\r\n") {
			return fail("the header " + h[0] + " holds the end of a line")
		}
		x.Header.Add(h[0], h[1])
	}
	return x, r, nil
}

func hasHeader(o *value.Object, name string) bool {
	for _, m := range o.Members {
		if strings.EqualFold(m.Name, name) {
			return true
		}
	}
	return false
}

// described is a request without its body, for people.
func described(r transport.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Method, r.Target)
	for _, h := range r.Header {
		fmt.Fprintf(&b, " | %s: %s", h[0], h[1])
	}
	return b.String()
}

// abort closes the connection of a request.
func (a *act) abort(c *conversation, now time.Time) polled {
	if wait := a.unsent(c, now); wait != nil {
		return *wait
	}
	c.abort(c.exchangeOf(a.step.Exchange, a.scope))
	return polled{state: done}
}

// unsent makes a step wait for the request it speaks of: a sibling may send it.
func (s *single) unsent(c *conversation, now time.Time) *polled {
	if c.http == nil || c.exchangeOf(s.step.Exchange, s.scope) != nil {
		return nil
	}
	p := polled{deadline: s.until(c)}
	if !now.Before(s.until(c)) {
		p = s.failed("the request was not sent within " + s.waited(c))
	}
	return &p
}

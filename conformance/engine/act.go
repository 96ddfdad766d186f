package engine

import (
	"bytes"
	"fmt"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// act is a step that is done as soon as it is reached.
type act struct{ single }

func (a *act) doing() string { return "at " + string(a.step.Word) }

func (a *act) poll(c *conversation, now time.Time) polled {
	a.begin(now)
	switch a.step.Word {
	case scenario.Send, scenario.SendTogether:
		return a.send(c, now)
	case scenario.RawBytes:
		return a.raw(c)
	case scenario.Call:
		return a.request(c, now)
	case scenario.Never:
		m, wait := a.value(c, a.step.Matcher, now)
		if wait != nil {
			return *wait
		}
		if f := found(c, a.step, m, false); f != nil {
			return polled{failure: f}
		}
	case scenario.Release:
		c.transcript.Add(transcript.Note, "the kit opens the gate "+a.step.Gate+" of "+a.step.Of)
		c.standIns[a.step.Of].gates.Release(a.step.Gate)
	case scenario.Close:
		if c.http != nil {
			return a.abort(c, now)
		}
		c.closeInput()
	case scenario.Signal:
		return a.signal(c)
	case scenario.Let:
		for _, m := range a.step.Values.Members {
			v, wait := a.value(c, m.Value, now)
			if wait != nil {
				return *wait
			}
			a.scope.Set(m.Name, v)
		}
	case scenario.Check:
		return a.check(c, now)
	}
	return polled{state: done}
}

func (a *act) send(c *conversation, now time.Time) polled {
	if c.ended {
		return a.failed("the target has ended (" + exitText(c.exit) + ") before this could be sent")
	}
	var (
		out      []byte
		messages []any
	)
	for _, m := range a.step.Messages {
		v, wait := a.value(c, m, now)
		if wait != nil {
			return *wait
		}
		text := value.Append(nil, v)
		if reason := scenario.Judge(a.step.Invalid, c.role.Accepts(text)); reason != "" {
			return a.failed("this cannot be sent: " + reason)
		}
		out = append(append(out, text...), a.step.Writing.End...)
		messages = append(messages, v)
	}
	c.transmit(out, a.step.Writing, messages)
	return polled{state: done}
}

func (a *act) raw(c *conversation) polled {
	if c.ended {
		return a.failed("the target has ended (" + exitText(c.exit) + ") before this could be sent")
	}
	b, err := a.bytes(a.step.Raw)
	if err != nil {
		return a.failed(err.Error())
	}
	out := append(b, a.step.Writing.End...)
	if c.http != nil {
		x := &protocol.Exchange{Raw: true}
		c.call(x, a.step.Request.Name, a.scope, transport.Request{Raw: a.step.Writing.Chunks(out)}, transcript.Shorten(string(out), 400))
		return polled{state: done}
	}
	c.transmit(out, a.step.Writing, nil)
	return polled{state: done}
}

// bytes gives the bytes that a scenario writes as text or in base64.
func (s *single) bytes(raw *scenario.Raw) ([]byte, error) {
	b := raw.Bytes
	if raw.Text != "" {
		s.scope.Requirement = s.step.For
		text, err := s.scope.ExpandText(raw.Text)
		if err != nil {
			return nil, err
		}
		b = []byte(text.(string))
	}
	return bytes.Repeat(b, raw.Times), nil
}

func (a *act) signal(c *conversation) polled {
	if c.ended {
		return a.failed("the target has ended (" + exitText(c.exit) + ") before it could get " + a.step.Signal)
	}
	c.transcript.Add(transcript.Process, "the kit sends "+a.step.Signal)
	if a.step.Signal == "SIGKILL" {
		c.killed = true
	}
	c.signals[a.step.Signal] = true
	c.stopping()
	if err := c.conn.Signal(a.step.Signal); err != nil {
		return a.failed(fmt.Sprintf("%s could not be sent: %v", a.step.Signal, err))
	}
	return polled{state: done}
}

func (a *act) check(c *conversation, now time.Time) polled {
	v, wait := a.value(c, a.step.Value, now)
	if wait != nil {
		return *wait
	}
	m, wait := a.value(c, a.step.Matcher, now)
	if wait != nil {
		return *wait
	}
	r := match.Match(m, v)
	if !r.OK() {
		return polled{failure: &failure{step: a.step, reason: "the value is not what is expected", differences: r.Differences, message: value.Text(v)}}
	}
	for _, cap := range r.Captures {
		a.scope.Set(cap.Name, cap.Value)
	}
	return polled{state: done}
}

// exit waits for the end of the process.
type exit struct{ single }

func (e *exit) doing() string { return "waiting for the target to end" }

func (e *exit) poll(c *conversation, now time.Time) polled {
	e.begin(now)
	if !c.ended {
		if !now.Before(e.until(c)) {
			return e.failed(fmt.Sprintf("the target has not ended within %s", e.waited(c)))
		}
		return polled{deadline: e.until(c)}
	}
	got := exitText(c.exit)
	if e.step.Status != nil && (c.exit.Signal != "" || c.exit.Status != *e.step.Status) {
		return e.failed(fmt.Sprintf("the target ended with %s, expected is exit status %d", got, *e.step.Status))
	}
	if e.step.Signal != "" && c.exit.Signal != e.step.Signal {
		return e.failed(fmt.Sprintf("the target ended with %s, expected is %s", got, e.step.Signal))
	}
	return polled{state: done}
}

// stderr waits until everything written to standard error so far matches.
type stderr struct{ single }

func (s *stderr) doing() string { return "waiting for standard error to be like " + s.what(nil) }

func (s *stderr) poll(c *conversation, now time.Time) polled {
	s.begin(now)
	m, wait := s.value(c, s.step.Matcher, now)
	if wait != nil {
		return *wait
	}
	r := match.Match(m, string(c.stderr))
	switch {
	case r.OK():
		for _, cap := range r.Captures {
			s.scope.Set(cap.Name, cap.Value)
		}
		return polled{state: done}
	case c.ended || !now.Before(s.until(c)):
		return polled{failure: &failure{step: s.step, reason: "standard error is not what is expected", differences: r.Differences}}
	}
	return polled{deadline: s.until(c)}
}

package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/scope"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/sample"
)

// Misses counts generated messages.
type Misses struct {
	Tried int    // rules that a message was sent for
	Rules int    // rules there are
	Seed  uint64 // which messages
}

// maxShrinks bounds how often a smaller message is tried once one was accepted.
const maxShrinks = 200

// misses sends near misses one after the other, a valid message after each.
type misses struct {
	single
	scope   *scope.Scope // of the requests it sends
	left    []protocol.Miss
	loaded  bool
	now     *protocol.Miss // that is under way
	valid   bool           // a valid message is under way
	failed  *failure       // of the miss that was accepted; it is being made smaller
	shrink  *shrinking
	shrinks int
}

func newMisses(one single) node {
	m := &misses{single: one, scope: one.scope.Child()}
	m.own = true // the bound is for the whole only when the step says so
	if one.step.Within == 0 {
		m.bound = max(time.Minute, 12*one.bound) // a minute is twelve times the default
	}
	return m
}

func (m *misses) doing() string {
	if m.now != nil {
		return "waiting for the answer to a body that breaks " + shownRule(m.now.Rule)
	}
	return "sending near misses"
}

func shownRule(r protocol.Rule) string {
	return fmt.Sprintf("%s at %s (%s)", r.Keyword, value.Shown(r.Pointer), r.Schema)
}

func (m *misses) poll(c *conversation, now time.Time) polled {
	m.begin(now)
	if !m.loaded {
		if p := m.load(c); p != nil {
			return *p
		}
	}
	for {
		if m.now == nil && len(m.left) == 0 {
			return polled{state: done}
		}
		if m.now == nil {
			m.now, m.left = &m.left[0], m.left[1:]
			c.http.misses.Tried++
			if p := m.send(c, now, m.now.Body); p != nil {
				return *p
			}
		}
		x := c.exchangeOf("", m.scope)
		switch {
		case x.record != nil:
		case c.ended:
			return m.failure("the target has ended (" + exitText(c.exit) + ") while " + m.doing())
		case !now.Before(m.until(c)):
			return m.failure("no answer came within the bound while " + m.doing())
		default:
			return polled{deadline: m.until(c)}
		}
		if p := m.judge(c, x, now); p != nil {
			return *p
		}
	}
}

func (m *misses) failure(reason string) polled {
	f := &failure{step: m.step, reason: reason}
	if m.now != nil {
		f.message = transcript.Shorten(string(m.now.Body), 1024)
	}
	return polled{failure: f}
}

// load makes the messages.
func (m *misses) load(c *conversation) *polled {
	q := m.step.Request
	all, rules, err := c.http.role.Misses(c.http.role.Operation(q.Method, q.Target), c.http.seed)
	if err != nil {
		p := m.failure("no near misses could be made: " + err.Error())
		return &p
	}
	c.http.misses.Rules += rules
	m.left = slices.DeleteFunc(slices.Clone(all), func(one protocol.Miss) bool {
		return slices.ContainsFunc(m.step.Unlike, func(r scenario.Rule) bool { return unlike(r, one.Rule) })
	})
	m.loaded = true
	return nil
}

// unlike tells whether a rule is one that a scenario leaves out.
func unlike(left scenario.Rule, r protocol.Rule) bool {
	want, _ := value.Tokens(left.Pointer)
	got, _ := value.Tokens(r.Pointer)
	if left.Keyword != "*" && left.Keyword != r.Keyword || len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != "*" && want[i] != got[i] {
			return false
		}
	}
	return true
}

// send sends a body.
func (m *misses) send(c *conversation, now time.Time, body []byte) *polled {
	x, r, wait := m.compose(c, now)
	if wait != nil {
		return wait
	}
	r.Body = [][]byte{body}
	if v, err := value.Parse(body); err == nil {
		x.Body, x.IsJSON = v, true
	}
	c.call(x, "", m.scope, r, described(r)+" "+transcript.Shorten(string(body), 400))
	return nil
}

// judge looks at an answer and goes on.
func (m *misses) judge(c *conversation, x *exchange, now time.Time) *polled {
	if m.shrink != nil {
		return m.smaller(c, !match.Match(m.refusal(), x.record).OK(), now)
	}
	if m.valid {
		m.valid, m.now = false, nil
		if r := match.Match(m.step.Accepted, x.record); m.step.Accepted != nil && !r.OK() {
			return &polled{failure: &failure{step: m.step, reason: "after a near miss a valid body is not accepted", differences: r.Differences, message: transcript.Shorten(value.Text(x.record), 1024)}}
		}
		return nil
	}
	r := match.Match(m.refusal(), x.record)
	if !r.OK() {
		m.failed = &failure{
			step: m.step, differences: r.Differences,
			reason: "a body that breaks " + shownRule(m.now.Rule) + " is not refused as it should be",
		}
		m.shrink = startShrinking(m.now)
		return m.smaller(c, true, now)
	}
	body, wait := m.value(c, m.step.Request.Body, now)
	if wait != nil {
		return wait
	}
	m.valid = true
	return m.send(c, now, value.Append(nil, body))
}

// refusal is the matcher of the answer to a near miss.
func (m *misses) refusal() any {
	if m.step.Refused != nil {
		return m.step.Refused
	}
	return value.Of("status", value.Of("$range", value.Of("min", value.Int(400), "max", value.Int(499))))
}

// smaller tells the shrinking what came of the last message, and sends the next one. In the end the failure is told
// with the smallest message.
func (m *misses) smaller(c *conversation, accepted bool, now time.Time) *polled {
	m.shrink.verdict(accepted && m.shrinks < maxShrinks)
	m.shrinks++
	body, more := m.shrink.next()
	if more {
		return m.send(c, now, body)
	}
	m.failed.message = transcript.Shorten(string(body), 2048)
	return &polled{failure: m.failed}
}

// shrinking makes a message smaller step by step, in a goroutine of its own, as what shrinks asks and waits.
type shrinking struct {
	candidates chan []byte
	verdicts   chan bool
	smallest   chan []byte
	begun      bool
}

func startShrinking(miss *protocol.Miss) *shrinking {
	s := &shrinking{candidates: make(chan []byte), verdicts: make(chan bool), smallest: make(chan []byte, 1)}
	go func() {
		s.smallest <- sample.Shrink(miss.Body, func(body []byte) bool {
			if miss.Shrinks == nil || !miss.Shrinks(body) {
				return false
			}
			s.candidates <- body
			return <-s.verdicts
		})
	}()
	return s
}

// verdict answers the last candidate; the first one is about the message as it was made.
func (s *shrinking) verdict(accepted bool) {
	if s.begun {
		s.verdicts <- accepted
	}
	s.begun = true
}

// next gives the next candidate, or the smallest message once there is none.
func (s *shrinking) next() (body []byte, more bool) {
	select {
	case body = <-s.candidates:
		return body, true
	case body = <-s.smallest:
		return body, false
	}
}

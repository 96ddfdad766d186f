package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// anyStream stands for the streams of a matcher that leaves open which one is meant.
const anyStream = "\x00any"

// streamOf is the stream that a matcher reads: the one its own correlation member names, or that of the request.
func (s *single) streamOf(c *conversation, m any) string {
	if c.http != nil {
		if one := c.exchangeOf(s.step.Exchange, s.scope); one != nil {
			return one.stream()
		}
		return "" // nothing ever comes in it
	}
	o, ok := m.(*value.Object)
	if !ok {
		return anyStream
	}
	for _, member := range c.protocol.Correlation {
		if v, ok := o.Get(member); ok {
			switch v.(type) {
			case string, value.Number:
				return member + "=" + value.Text(v)
			}
			return anyStream
		}
	}
	return ""
}

func (c *conversation) head(stream string) *item {
	if stream == anyStream {
		return c.messages.headOfAny()
	}
	return c.messages.head(stream)
}

// silenced says why nothing more can come on a stream, or "".
func (c *conversation) silenced(stream string) string {
	if c.ended {
		return "the target has ended (" + exitText(c.exit) + ")"
	}
	return c.over[stream]
}

func (c *conversation) consume(it *item) {
	it.consumed = true
	c.moves++
}

// takes decides whether a message is what the step wants. Names are captured when it is.
func (s *single) takes(c *conversation, matcher any, it *item) *failure {
	r := match.Match(matcher, it.value)
	if !r.OK() {
		return &failure{step: s.step, reason: "the next message is not the one expected", differences: r.Differences, message: value.Text(it.value)}
	}
	if f := s.validParts(c, it.value); f != nil {
		return f
	}
	for _, cap := range r.Captures {
		s.scope.Set(cap.Name, cap.Value)
	}
	return nil
}

// validParts checks the parts of a message that must be valid as a type of their own.
func (s *single) validParts(c *conversation, message *value.Object) *failure {
	for _, part := range s.step.ValidAs {
		v, ok := value.At(message, part.Pointer)
		if !ok {
			return &failure{step: s.step, reason: fmt.Sprintf("there is nothing at %s, where a valid %s is expected", value.Shown(part.Pointer), part.Type), message: value.Text(message)}
		}
		if violations := c.protocol.Types[part.Type](value.Append(nil, v)); len(violations) > 0 {
			return &failure{step: s.step, reason: fmt.Sprintf("what is at %s is not a valid %s: %s", value.Shown(part.Pointer), part.Type, violations[0]), message: value.Text(message)}
		}
	}
	return nil
}

// late is the failure when the bound is over.
func (s *single) late(c *conversation, doing string) polled {
	reason := fmt.Sprintf("nothing came within %s while %s", s.waited(c), doing)
	if others := c.messages.unread(3); len(others) > 0 {
		var texts []string
		for _, it := range others {
			texts = append(texts, transcript.Shorten(value.Text(it.value), 160))
		}
		reason += "; unread in other streams: " + strings.Join(texts, " ")
	}
	reason += unended(c.conn, c.transcript)
	return s.failed(reason)
}

// await is expect, maybe and until: one message of a stream.
type await struct {
	single
	matcher  any
	stream   string
	expanded bool
	passed   *failure // until: why the last message was passed over
}

func (a *await) poll(c *conversation, now time.Time) polled {
	a.begin(now)
	if !a.expanded {
		if wait := a.unsent(c, now); wait != nil {
			return *wait
		}
		m, wait := a.value(c, a.step.Matcher, now)
		if wait != nil {
			return *wait
		}
		a.matcher, a.stream, a.expanded = m, a.streamOf(c, m), true
	}
	for {
		it := c.head(a.stream)
		if it == nil {
			return a.nothing(c, now)
		}
		f := a.takes(c, a.matcher, it)
		switch {
		case f == nil:
			c.consume(it)
			return polled{state: done}
		case a.step.Word == scenario.Maybe:
			return polled{state: done}
		case a.step.Word == scenario.Until:
			c.consume(it)
			a.passed = f
			if !a.own {
				a.limit = now.Add(a.bound) // as long as something comes, somebody is there
			}
			continue
		case len(f.differences) == 0 || !now.Before(a.until(c)):
			return polled{failure: f}
		default:
			return polled{deadline: a.until(c), failure: f, stuck: true}
		}
	}
}

// nothing is the answer while the stream is empty.
func (a *await) nothing(c *conversation, now time.Time) polled {
	why := c.silenced(a.stream)
	over := !now.Before(a.until(c))
	if why == "" && !over {
		return polled{deadline: a.until(c)}
	}
	if a.step.Word == scenario.Maybe {
		return polled{state: done}
	}
	var p polled
	if why != "" {
		p = a.failed(why + " while " + a.doing())
	} else {
		p = a.late(c, a.doing())
		p.failure.missed = &missed{a.stream, a.bound}
	}
	if a.passed != nil {
		p.failure.differences, p.failure.message = a.passed.differences, a.passed.message
		p.failure.reason += "; the last one passed over is shown"
	}
	return p
}

func (a *await) doing() string { return "waiting for " + a.what(a.matcher) }

// what shows a matcher in a sentence.
func (s *single) what(matcher any) string {
	if matcher == nil {
		matcher = s.step.Matcher
	}
	return transcript.Shorten(value.Text(matcher), 300)
}

// row is some: messages in a row.
type row struct {
	single
	idle     bool // the bound is for the gap between messages
	matcher  any
	count    any
	joined   *value.Object
	stream   string
	expanded bool
	taken    []*value.Object
}

func (r *row) poll(c *conversation, now time.Time) polled {
	r.begin(now)
	if !r.expanded {
		if wait := r.expand(c, now); wait != nil {
			return *wait
		}
	}
	exact, fixed := r.exact()
	for {
		if fixed && len(r.taken) == exact {
			return r.end()
		}
		it := c.head(r.stream)
		if it == nil {
			why := c.silenced(r.stream)
			switch {
			case why != "" && (len(r.taken) > 0 || r.mayBeEmpty()):
				return r.end()
			case why != "":
				return r.failed(why + " while " + r.doing())
			case !now.Before(r.until(c)):
				return r.late(c, r.doing())
			}
			return polled{deadline: r.until(c)}
		}
		f := r.takes(c, r.matcher, it)
		if f == nil {
			c.consume(it)
			r.taken = append(r.taken, it.value)
			if r.idle {
				r.limit = now.Add(r.bound)
			}
			continue
		}
		if len(r.taken) > 0 && len(f.differences) > 0 && !fixed || r.mayBeEmpty() {
			return r.end()
		}
		if fixed {
			f.reason = fmt.Sprintf("%d messages in a row are expected, number %d is another", exact, len(r.taken)+1)
		}
		return polled{deadline: r.until(c), failure: f, stuck: len(r.taken) == 0 && len(f.differences) > 0 && now.Before(r.until(c))}
	}
}

func (r *row) expand(c *conversation, now time.Time) *polled {
	if wait := r.unsent(c, now); wait != nil {
		return wait
	}
	m, wait := r.value(c, r.step.Matcher, now)
	if wait != nil {
		return wait
	}
	count, wait := r.value(c, r.step.Count, now)
	if wait != nil {
		return wait
	}
	if r.step.Joined != nil {
		joined, wait := r.value(c, r.step.Joined, now)
		if wait != nil {
			return wait
		}
		r.joined = joined.(*value.Object)
	}
	r.matcher, r.count, r.stream, r.expanded = m, count, r.streamOf(c, m), true
	return nil
}

// exact is the number of messages when it is a plain one.
func (r *row) exact() (n int, fixed bool) {
	number, ok := r.count.(value.Number)
	if !ok {
		return 0, false
	}
	_, err := fmt.Sscan(string(number), &n)
	return n, err == nil
}

func (r *row) mayBeEmpty() bool {
	return r.step.Counts && len(r.taken) == 0 && match.Match(r.count, value.Int(0)).OK()
}

// end checks the row as a whole.
func (r *row) end() polled {
	if r.step.Counts {
		if m := match.Match(r.count, value.Int(int64(len(r.taken)))); !m.OK() {
			return r.failed(fmt.Sprintf("%d messages came in a row, expected is %s", len(r.taken), m.Differences[0].Wanted))
		}
	}
	if r.joined != nil {
		for _, want := range r.joined.Members {
			var text strings.Builder
			for _, message := range r.taken {
				v, _ := value.At(message, want.Name)
				s, _ := v.(string)
				text.WriteString(s)
			}
			if m := match.Match(want.Value, text.String()); !m.OK() {
				return polled{failure: &failure{
					step: r.step, reason: fmt.Sprintf("the texts at %s of %d messages, joined, are not what is expected", want.Name, len(r.taken)),
					differences: m.Differences,
				}}
			}
		}
	}
	return polled{state: done}
}

func (r *row) doing() string {
	return fmt.Sprintf("waiting for messages in a row like %s (%d came)", r.what(r.matcher), len(r.taken))
}

package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// observe takes recordings of a stand-in.
type observe struct {
	single
	matcher  any
	want     int
	taken    int
	expanded bool
}

func (o *observe) poll(c *conversation, now time.Time) polled {
	o.begin(now)
	if !o.expanded {
		m, wait := o.value(c, o.step.Matcher, now)
		if wait != nil {
			return *wait
		}
		o.matcher, o.want, o.expanded = m, 1, true
		if o.step.Counts {
			n, wait := o.value(c, o.step.Count, now)
			if wait != nil {
				return *wait
			}
			if _, err := fmt.Sscan(value.Text(n), &o.want); err != nil {
				return o.failed("observe wants a plain number as count")
			}
		}
	}
	for o.taken < o.want {
		it := o.head(c)
		if it == nil {
			if !now.Before(o.until(c)) {
				return o.failed(fmt.Sprintf("nothing came within %s while %s%s", o.waited(c), o.doing(), o.others(c)))
			}
			return polled{deadline: o.until(c)}
		}
		r := match.Match(o.matcher, it.value)
		if !r.OK() {
			f := &failure{step: o.step, reason: "the next recording of " + o.step.Of + " is not the one expected", differences: r.Differences, message: value.Text(withoutSecrets(it.value))}
			return polled{deadline: o.until(c), failure: f, stuck: now.Before(o.until(c))}
		}
		for _, cap := range r.Captures {
			o.scope.Set(cap.Name, cap.Value)
		}
		c.consume(it)
		o.taken++
	}
	return polled{state: done}
}

// head is the oldest unread recording of the stand-in with the same event, or of any event when none is named.
func (o *observe) head(c *conversation) *item {
	if m, ok := o.matcher.(*value.Object); ok {
		if v, ok := m.Get("event"); ok {
			if event, ok := v.(string); ok {
				return c.recordings.head(recordingStream(o.step.Of, event))
			}
		}
	}
	for _, it := range c.recordings.all {
		if from, _ := it.value.Get("standIn"); !it.consumed && from == any(o.step.Of) {
			return it
		}
	}
	return nil
}

// others names what else the stand-in recorded that nobody has read.
func (o *observe) others(c *conversation) string {
	var events []string
	for _, it := range c.recordings.all {
		from, _ := it.value.Get("standIn")
		if event, ok := it.value.Get("event"); ok && !it.consumed && from == any(o.step.Of) && len(events) < 8 {
			events = append(events, value.Text(event))
		}
	}
	if len(events) == 0 {
		return ""
	}
	return "; unread recordings: " + strings.Join(events, ", ")
}

func (o *observe) doing() string {
	return "waiting for a recording of " + o.step.Of + " like " + o.what(o.matcher)
}

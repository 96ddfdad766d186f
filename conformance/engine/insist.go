package engine

import (
	"time"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// pause lies between a request and the same request again.
const pause = 50 * time.Millisecond

// insist sends a request again and again until its answer matches.
type insist struct {
	act
	sent  bool
	again time.Time // when it is to be sent again; zero: its answer is waited for
}

func (i *insist) doing() string { return "waiting for an answer like " + i.what(i.step.Again) }

func (i *insist) poll(c *conversation, now time.Time) polled {
	i.begin(now)
	m, wait := i.value(c, i.step.Again, now)
	if wait != nil {
		return *wait
	}
	for {
		if !i.sent || !i.again.IsZero() && !now.Before(i.again) {
			if p := i.request(c, now); p.state != done || p.failure != nil {
				return p
			}
			i.sent, i.again = true, time.Time{}
		}
		over := !now.Before(i.until(c))
		if !i.again.IsZero() {
			return polled{deadline: i.again}
		}
		x := c.exchangeOf(i.step.Request.Name, i.scope)
		if x.record == nil {
			if over || c.ended {
				return i.failed("no answer came while " + i.doing())
			}
			return polled{deadline: i.until(c)}
		}
		r := match.Match(m, x.record)
		switch {
		case r.OK():
			for _, cap := range r.Captures {
				i.scope.Set(cap.Name, cap.Value)
			}
			return polled{state: done}
		case over:
			return polled{failure: &failure{
				step: i.step, reason: "the answer has not become the one expected within " + i.waited(c), differences: r.Differences,
				message: transcript.Shorten(value.Text(x.record), 2048),
			}}
		}
		i.again = now.Add(pause)
	}
}

package run

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// take empties a queue, n events at most.
func take(q *Queue, n int) (events []protocol.RunEvent, over bool) {
	for len(events) < n {
		ev, over := q.Take()
		if ev == nil {
			return events, over
		}
		events = append(events, ev)
	}
	return events, false
}

// Whatever is put in comes out in order, numbered without a gap, with text whole
// and in pieces that fit a frame; in between, anybody may take some out.
func TestQueueKeepsOrderAndText(t *testing.T) {
	p := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	p.Property("order and text are kept", prop.ForAll(func(moves []int) (string, error) {
		q := NewQueue("r", func() {})
		var put, got strings.Builder
		var events []protocol.RunEvent
		for i, m := range moves {
			switch {
			case m < 3: // an event that is not text
				q.Put(&protocol.StepStarted{})
				put.WriteByte('|')
			case m < 5:
				some, _ := take(q, m)
				events = append(events, some...)
			default:
				text := strings.Repeat(fmt.Sprintf("%d😀", i), m*m)
				q.Put(&protocol.TextDelta{Text: text})
				put.WriteString(text)
			}
		}
		q.End()
		q.Put(&protocol.TextDelta{Text: "after the end"})
		rest, over := take(q, 1<<20)
		for i, ev := range append(events, rest...) {
			if Sequence(ev) != int64(i+1) || ID(ev) != "r" {
				return fmt.Sprintf("event %d is %s", i+1, ev.AppendJSON(nil)), nil
			}
			if text, ok := ev.(*protocol.TextDelta); ok {
				if len(text.Text) > maxDelta || text.Text == "" || !utf8.ValidString(text.Text) {
					return fmt.Sprintf("a piece has %d bytes, or is cut in a character", len(text.Text)), nil
				}
				got.WriteString(text.Text)
				continue
			}
			got.WriteByte('|')
		}
		if !over || got.String() != put.String() {
			return "what came out is not what was put in", nil
		}
		return "", nil
	}, gen.SliceOf(gen.IntRange(0, 60))))
	p.TestingRun(t)
}

func TestQueueOverflowsOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		put    func() protocol.RunEvent
		before int // puts that fit
	}{
		"text":   {func() protocol.RunEvent { return &protocol.TextDelta{Text: strings.Repeat("x", 1000)} }, maxQueuedText / 1000},
		"events": {func() protocol.RunEvent { return &protocol.StepStarted{} }, maxQueuedItems},
	} {
		t.Run(name, func(t *testing.T) {
			overflows := 0
			q := NewQueue("r", func() { overflows++ })
			for range tt.before {
				q.Put(tt.put())
			}
			if overflows != 0 {
				t.Fatalf("it overflows after %d", tt.before)
			}
			for range 10 {
				q.Put(tt.put())
			}
			if overflows != 1 {
				t.Errorf("it overflows %d times", overflows)
			}
			q.Put(&protocol.RunFailed{Type: protocol.RunFailedTypeRunCancelled})
			q.End()
			all, over := take(q, 1<<20)
			if last, ok := all[len(all)-1].(*protocol.RunFailed); !ok || !over {
				t.Errorf("the last event is %v", last)
			}
		})
	}
}

// A consumer that keeps up gets every piece by itself.
func TestTextIsNotMergedForThoseWhoKeepUp(t *testing.T) {
	q := NewQueue("r", nil)
	for range 1000 {
		q.Put(&protocol.TextDelta{Text: "a"})
		if got, _ := take(q, 9); len(got) != 1 {
			t.Fatalf("got %d events", len(got))
		}
	}
	for range 1000 {
		q.Put(&protocol.TextDelta{Text: "a"})
	}
	if got, _ := take(q, 1<<20); len(got) != mergeFrom {
		t.Errorf("got %d events", len(got))
	}
}

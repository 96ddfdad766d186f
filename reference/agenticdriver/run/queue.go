package run

import (
	"sync"
	"time"
	"unicode/utf8"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
)

// Bounds of what a consumer may leave unread.
const (
	maxQueuedText  = 2_000_000 // bytes of text
	maxQueuedItems = 1024
	maxDelta       = 128 << 10 // bytes of text in one event: far below a frame's bound
	mergeFrom      = 16        // items waiting from which on pieces of text are merged
)

// Queue carries the events of one run to its one consumer. Events get their
// sequence and time when they are taken out; until then adjacent pieces of text
// are merged, once the consumer has fallen behind.
type Queue struct {
	runID    string
	overflow func() // called once when the consumer is too slow

	mu       sync.Mutex
	items    []item
	text     int // bytes in items
	over     bool
	ended    bool
	signal   chan struct{} // has a value when there is something new
	sequence int64
}

// item is an event, or a piece of text.
type item struct {
	event protocol.RunEvent // nil: text
	text  []byte
}

// NewQueue makes a queue. overflow is called once, by whoever puts an event in
// that is too much.
func NewQueue(runID string, overflow func()) *Queue {
	return &Queue{runID: runID, overflow: overflow, signal: make(chan struct{}, 1)}
}

// Put adds an event.
func (q *Queue) Put(ev protocol.RunEvent) {
	q.mu.Lock()
	if q.ended {
		q.mu.Unlock()
		return
	}
	if delta, ok := ev.(*protocol.TextDelta); ok {
		q.addText(delta.Text)
	} else {
		q.items = append(q.items, item{event: ev})
	}
	tooMuch := !q.over && q.overflow != nil && (q.text > maxQueuedText || len(q.items) > maxQueuedItems)
	q.over = q.over || tooMuch
	q.mu.Unlock()
	q.notify()
	if tooMuch {
		q.overflow()
	}
}

// addText merges text with what is waiting, in pieces that fit an event. What
// comes after an overflow is dropped: the run is being ended.
func (q *Queue) addText(text string) {
	if q.over {
		return
	}
	q.text += len(text)
	for text != "" {
		if n := len(q.items); n < mergeFrom || q.items[n-1].event != nil || len(q.items[n-1].text) >= maxDelta {
			q.items = append(q.items, item{})
		}
		last := &q.items[len(q.items)-1]
		cut := min(len(text), maxDelta-len(last.text))
		for cut > 0 && cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut--
		}
		if cut == 0 { // no room for the next character
			q.items = append(q.items, item{})
			continue
		}
		last.text = append(last.text, text[:cut]...)
		text = text[cut:]
	}
}

// End tells that no events follow.
func (q *Queue) End() {
	q.mu.Lock()
	q.ended = true
	q.mu.Unlock()
	q.notify()
}

func (q *Queue) notify() {
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

// Signal has a value when Take may give something new.
func (q *Queue) Signal() <-chan struct{} { return q.signal }

// Take gives the next event, numbered and timed; nil if there is none now, and
// whether there will be none any more.
func (q *Queue) Take() (ev protocol.RunEvent, over bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return nil, q.ended
	}
	first := &q.items[0]
	ev = first.event
	if ev == nil {
		ev = &protocol.TextDelta{Text: string(first.text)}
		q.text -= len(first.text)
	}
	q.items = q.items[1:]
	if len(q.items) == 0 {
		q.items = nil
	} else {
		q.notify()
	}
	q.sequence++
	Stamp(ev, q.runID, q.sequence, pending.Stamp(time.Now()))
	if len(q.items) == 0 && q.ended {
		q.notify()
	}
	return ev, false
}

// Stamp sets what every event has.
func Stamp(ev protocol.RunEvent, runID string, sequence int64, timestamp string) {
	if id, seq, at := envelope(ev); id != nil {
		*id, *seq, *at = runID, sequence, timestamp
	}
}

// Sequence is the event's number.
func Sequence(ev protocol.RunEvent) int64 {
	if _, seq, _ := envelope(ev); seq != nil {
		return *seq
	}
	return 0
}

// ID is the run that the event belongs to.
func ID(ev protocol.RunEvent) string {
	if id, _, _ := envelope(ev); id != nil {
		return *id
	}
	return ""
}

// envelope gives the members that every event has.
func envelope(ev protocol.RunEvent) (runID *string, sequence *int64, timestamp *string) {
	switch e := ev.(type) {
	case *protocol.RunStarted:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.StepStarted:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.TextDelta:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.RunProgress:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.ToolCalled:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.ToolCompleted:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.UsageReported:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.RunCompleted:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.RunFailed:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.ApprovalRequested:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.ApprovalResolved:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.ToolExecutionRequested:
		return &e.RunID, &e.Sequence, &e.Timestamp
	case *protocol.OptionalEvent:
		return &e.RunID, &e.Sequence, &e.Timestamp
	}
	return nil, nil, nil
}

// Terminal gives how the run ended, if the event says it.
func Terminal(ev protocol.RunEvent) (*protocol.RunResult, *protocol.ErrorInfo) {
	switch e := ev.(type) {
	case *protocol.RunCompleted:
		return &e.Result, nil
	case *protocol.RunFailed:
		return nil, &e.Error
	}
	return nil, nil
}

// Type is the event's type.
func Type(ev protocol.RunEvent) string {
	switch e := ev.(type) {
	case *protocol.RunFailed:
		return string(e.Type)
	case *protocol.OptionalEvent:
		return e.Type
	case interface{ Type() string }:
		return e.Type()
	}
	return ""
}

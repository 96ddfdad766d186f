// Package record keeps what stand-ins saw, in one order, and lets the kit wait for it.
//
// A stand-in records an [Event] for everything that can be observed from its side of the wire. The kit awaits
// events as it awaits messages: with a context as the bound, never with a sleep.
package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// ErrClosed is wrapped by the error of an Await that can no longer succeed because the recorder was closed.
var ErrClosed = errors.New("the recorder is closed")

// Event is one observation of one stand-in.
type Event struct {
	Seq     int       // 1, 2, 3 … in the order of recording, over all stand-ins that share the recorder
	At      time.Time // when it was recorded
	StandIn string    // name of the stand-in in the scenario
	Kind    string    // what happened: "request", "closed", "call" …; the stand-in's package lists its kinds
	Detail  any       // the facts; marshals to a JSON object, nil when there are none
}

// MarshalJSON writes the event as one flat object: seq, at (RFC 3339), standIn, event (the kind), then the members
// of Detail. Matchers of scenarios are applied to this form.
func (e Event) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(struct {
		Seq     int       `json:"seq"`
		At      time.Time `json:"at"`
		StandIn string    `json:"standIn"`
		Kind    string    `json:"event"`
	}{e.Seq, e.At, e.StandIn, e.Kind})
	if err != nil || e.Detail == nil {
		return head, err
	}
	tail, err := json.Marshal(e.Detail)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(tail, []byte("{")) {
		return nil, fmt.Errorf("the detail of event %q is not a JSON object", e.Kind)
	}
	if bytes.Equal(tail, []byte("{}")) {
		return head, nil
	}
	return append(append(head[:len(head)-1], ','), tail[1:]...), nil
}

// String names the event for diagnostics: stand-in, kind and number, never the detail (it may hold a secret).
func (e Event) String() string { return fmt.Sprintf("%s: %s (#%d)", e.StandIn, e.Kind, e.Seq) }

// Recorder collects events. All methods may be called from any goroutine.
type Recorder struct {
	mu      sync.Mutex
	events  []Event
	changed chan struct{} // closed and replaced at every change
	closed  bool
	tees    []func(Event)
	reader  *Reader
}

// New returns an empty recorder. Each tee is called with every event, in order and before any Await returns it;
// it must be quick and must not call the recorder. A tee is how events reach a transcript in the order of things.
func New(tees ...func(Event)) *Recorder {
	r := &Recorder{changed: make(chan struct{}), tees: tees}
	r.reader = r.Reader()
	return r
}

// Record adds an event and returns it with its number and time. After Close it is dropped and the result is zero.
func (r *Recorder) Record(standIn, kind string, detail any) Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return Event{}
	}
	e := Event{Seq: len(r.events) + 1, At: time.Now(), StandIn: standIn, Kind: kind, Detail: detail}
	r.events = append(r.events, e)
	for _, tee := range r.tees {
		tee(e)
	}
	r.wake()
	return e
}

// wake lets every waiting Await look again. The lock is held.
func (r *Recorder) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// All returns every event so far, oldest first.
func (r *Recorder) All() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Event(nil), r.events...)
}

// Count returns how many events so far match.
func (r *Recorder) Count(match func(Event) bool) int {
	n := 0
	for _, e := range r.All() {
		if match(e) {
			n++
		}
	}
	return n
}

// Close drops further events and ends every Await that finds nothing with [ErrClosed].
func (r *Recorder) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.wake()
	}
}

// Await reads from the recorder's own reader; see [Reader.Await].
func (r *Recorder) Await(ctx context.Context, match func(Event) bool) (Event, error) {
	return r.reader.Await(ctx, match)
}

// Reader returns a new set of read marks: events read through it stay unread for every other reader.
func (r *Recorder) Reader() *Reader { return &Reader{from: r, read: map[int]bool{}} }

// Reader remembers which events of a recorder have been read.
type Reader struct {
	from *Recorder
	done int          // events before this index are all read
	read map[int]bool // read events at or after done
}

// Await returns the oldest unread event that match accepts and marks it, and only it, read; events that match
// refuses stay unread for a later Await. It waits until there is such an event, ctx ends or the recorder is closed.
// match must be quick; it is called with the recorder locked. The error wraps ctx's error or [ErrClosed] and lists
// what was seen instead.
func (r *Reader) Await(ctx context.Context, match func(Event) bool) (Event, error) {
	rec, seen := r.from, 0
	for {
		rec.mu.Lock()
		for i := max(seen, r.done); i < len(rec.events); i++ {
			if !r.read[i] && match(rec.events[i]) {
				e := rec.events[i]
				r.mark(i)
				rec.mu.Unlock()
				return e, nil
			}
		}
		seen = len(rec.events)
		changed, closed := rec.changed, rec.closed
		rec.mu.Unlock()
		if closed {
			return Event{}, r.failure(ErrClosed)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Event{}, r.failure(ctx.Err())
		}
	}
}

// Unread returns the events not read yet, oldest first.
func (r *Reader) Unread() []Event {
	r.from.mu.Lock()
	defer r.from.mu.Unlock()
	var out []Event
	for i := r.done; i < len(r.from.events); i++ {
		if !r.read[i] {
			out = append(out, r.from.events[i])
		}
	}
	return out
}

// mark notes event i as read. The recorder's lock is held.
func (r *Reader) mark(i int) {
	r.read[i] = true
	for r.read[r.done] {
		delete(r.read, r.done)
		r.done++
	}
}

// maxListed bounds how many unread events an error names.
const maxListed = 12

func (r *Reader) failure(cause error) error {
	unread := r.Unread()
	if len(unread) == 0 {
		return fmt.Errorf("no stand-in event matched: %w; there was no unread event", cause)
	}
	var names []string
	for _, e := range unread {
		if len(names) == maxListed {
			names = append(names, fmt.Sprintf("and %d more", len(unread)-maxListed))
			break
		}
		names = append(names, e.String())
	}
	return fmt.Errorf("no stand-in event matched: %w; unread: %s", cause, strings.Join(names, ", "))
}

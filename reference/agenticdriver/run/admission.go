package run

import (
	"context"
	"slices"
	"sync"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// Admission shares out execution slots: runs, jobs and retrieval take one each.
type Admission struct {
	mu         sync.Mutex
	slots      int
	perSubject int
	queue      int
	used       int
	bySubject  map[string]int
	waiting    []*Ticket
	freed      chan struct{} // has a value when a slot was freed
}

// Ticket is the right to execute, now or once it is its turn.
type Ticket struct {
	admission *Admission
	subject   string
	ready     chan struct{}
	once      sync.Once
}

// NewAdmission makes an admission with that many slots, of which one subject
// may hold perSubject, and room for queue waiting tickets.
func NewAdmission(slots, perSubject, queue int) *Admission {
	return &Admission{slots: slots, perSubject: perSubject, queue: queue, bySubject: map[string]int{}, freed: make(chan struct{}, 1)}
}

// Reserve gives a ticket, or refuses at once.
func (a *Admission) Reserve(subject string) (*Ticket, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := &Ticket{admission: a, subject: subject, ready: make(chan struct{})}
	switch {
	case a.fits(subject):
		a.take(t)
	case a.queue == 0:
		return nil, failure.New(protocol.ErrorCodeBUSY, "The host is busy.")
	case len(a.waiting) >= a.queue:
		return nil, failure.New(protocol.ErrorCodeQUEUEFULL, "The host's queue is full.")
	default:
		a.waiting = append(a.waiting, t)
	}
	return t, nil
}

// Try gives a ticket that is ready, or nil. Nobody who waits is passed over.
func (a *Admission) Try(subject string) *Ticket {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) > 0 || !a.fits(subject) {
		return nil
	}
	t := &Ticket{admission: a, subject: subject, ready: make(chan struct{})}
	a.take(t)
	return t
}

// Freed has a value after a slot was freed, for whoever uses Try.
func (a *Admission) Freed() <-chan struct{} { return a.freed }

func (a *Admission) fits(subject string) bool {
	return a.used < a.slots && a.bySubject[subject] < a.perSubject
}

func (a *Admission) take(t *Ticket) {
	a.used++
	a.bySubject[t.subject]++
	close(t.ready)
}

// Wait returns when the ticket is ready, or with ctx's cause when that ends.
func (t *Ticket) Wait(ctx context.Context) error {
	select {
	case <-t.ready:
		return nil
	default:
	}
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Queued tells whether the ticket has yet to wait.
func (t *Ticket) Queued() bool {
	select {
	case <-t.ready:
		return false
	default:
		return true
	}
}

// Release gives the slot, or the place in the queue, back. It may be called
// more than once.
func (t *Ticket) Release() { t.once.Do(t.release) }

func (t *Ticket) release() {
	a := t.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.waiting, t); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
		return
	}
	a.used--
	if a.bySubject[t.subject]--; a.bySubject[t.subject] == 0 {
		delete(a.bySubject, t.subject)
	}
	for i := 0; i < len(a.waiting); {
		if next := a.waiting[i]; a.fits(next.subject) {
			a.waiting = slices.Delete(a.waiting, i, i+1)
			a.take(next)
			continue
		}
		i++
	}
	select {
	case a.freed <- struct{}{}:
	default:
	}
}

package engine

import (
	"sync"

	"github.com/hallmark-kit/hallmark/conformance/standin/record"
)

// inbox takes the recordings of stand-ins. It never blocks a stand-in; a scenario makes few recordings.
type inbox struct {
	mu     sync.Mutex
	events []record.Event
	wake   chan struct{}
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

func (b *inbox) put(e record.Event) {
	b.mu.Lock()
	b.events = append(b.events, e)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *inbox) take() []record.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	events := b.events
	b.events = nil
	return events
}

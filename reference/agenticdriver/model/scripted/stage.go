package scripted

import (
	"context"
	"maps"
	"sync"
)

// Stage is what all scripted providers of a host share: counters and gates, by
// name.
type Stage struct {
	mu       sync.Mutex
	counters map[string]*counters
	gates    map[string]chan struct{} // closed once the gate is open
	changed  chan struct{}            // closed and replaced whenever a counter changes
}

// counters say what has happened to the runs of one name.
type counters struct {
	Runs      int64            `json:"runs"`      // whose first model call began
	Calls     int64            `json:"calls"`     // model calls
	Completed int64            `json:"completed"` // runs whose last model call asked for no tools
	Cancelled int64            `json:"cancelled"` // model calls and tools that were cancelled
	Failed    int64            `json:"failed"`    // model calls that failed
	Tools     map[string]int64 `json:"tools"`     // host tools that were started
}

// NewStage makes a stage on which nothing has happened.
func NewStage() *Stage {
	return &Stage{counters: map[string]*counters{}, gates: map[string]chan struct{}{}, changed: make(chan struct{})}
}

// Tool counts the start of a host tool for runs of that name.
func (s *Stage) Tool(name, tool string) {
	s.count(name, func(c *counters) { c.Tools[tool]++ })
}

// Cancelled counts that a tool was cancelled.
func (s *Stage) Cancelled(name string) {
	s.count(name, func(c *counters) { c.Cancelled++ })
}

// Wait returns when the gate is open, or with an error when ctx ends.
func (s *Stage) Wait(ctx context.Context, gate string) error {
	s.mu.Lock()
	opened := s.gate(gate)
	s.mu.Unlock()
	select {
	case <-opened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release opens a gate, for good.
func (s *Stage) Release(gate string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.gate(gate): // again
	default:
		close(s.gate(gate))
	}
}

// gate finds a gate, with the lock held.
func (s *Stage) gate(name string) chan struct{} {
	g := s.gates[name]
	if g == nil {
		g = make(chan struct{})
		s.gates[name] = g
	}
	return g
}

func (s *Stage) count(name string, change func(*counters)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.of(name))
	s.notify()
}

// begin counts a run and gives its number among those of the name, from 1.
func (s *Stage) begin(name string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.of(name)
	c.Runs++
	s.notify()
	return c.Runs
}

func (s *Stage) snapshot(name string) counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := *s.of(name)
	c.Tools = maps.Clone(c.Tools)
	return c
}

// of finds counters, with the lock held.
func (s *Stage) of(name string) *counters {
	c := s.counters[name]
	if c == nil {
		c = &counters{Tools: map[string]int64{}}
		s.counters[name] = c
	}
	return c
}

// notify wakes those who wait, with the lock held.
func (s *Stage) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// until waits for a condition, which is looked at with the lock held.
func (s *Stage) until(ctx context.Context, holds func() bool) error {
	for {
		s.mu.Lock()
		held, changed := holds(), s.changed
		s.mu.Unlock()
		if held {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// reached tells whether a counter has the value, with the lock held.
func (s *Stage) reached(name string, c *condition) bool {
	have := s.of(name)
	value, known := map[string]int64{"runs": have.Runs, "calls": have.Calls, "completed": have.Completed,
		"cancelled": have.Cancelled, "failed": have.Failed}[c.Counter]
	if !known {
		value = have.Tools[c.Counter]
	}
	return value >= c.AtLeast
}

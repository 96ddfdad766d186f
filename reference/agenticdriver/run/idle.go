package run

import (
	"sync"
	"time"
)

// idle ends a run in which nothing happens for too long. The zero bound never
// does.
type idle struct {
	bound  time.Duration
	expire func()

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

func (i *idle) start() {
	if i.bound <= 0 {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.timer = time.AfterFunc(i.bound, i.expire)
}

// reset starts the time anew, unless the clock is stopped.
func (i *idle) reset() {
	i.mu.Lock()
	defer i.mu.Unlock()
	// A timer that has fired stays fired: the run is being ended already.
	if i.timer != nil && !i.stopped && i.timer.Stop() {
		i.timer.Reset(i.bound)
	}
}

// stop halts the clock until resume.
func (i *idle) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = true
	if i.timer != nil {
		i.timer.Stop()
	}
}

// resume starts the time in full.
func (i *idle) resume() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = false
	if i.timer != nil {
		i.timer.Reset(i.bound)
	}
}

// Package gate holds back stand-ins until the kit lets them go on.
//
// A script names a gate where the stand-in has to wait; a scenario releases it. The point in time is then decided
// by messages, not by the clock.
package gate

import (
	"context"
	"sync"
)

// Set is a family of named gates. All gates start shut; a released gate stays open. All methods may be called from
// any goroutine. The zero value is not usable, see [New].
type Set struct {
	mu    sync.Mutex
	gates map[string]*one
}

type one struct {
	open     bool
	released chan struct{}
}

// New returns a set with every gate shut.
func New() *Set { return &Set{gates: map[string]*one{}} }

// get returns the named gate, making it on first use. The lock is held.
func (s *Set) get(name string) *one {
	g := s.gates[name]
	if g == nil {
		g = &one{released: make(chan struct{})}
		s.gates[name] = g
	}
	return g
}

// Release opens the named gate for everyone who waits or will wait at it. Releasing it again changes nothing.
func (s *Set) Release(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.get(name); !g.open {
		g.open = true
		close(g.released)
	}
}

// Released tells whether the named gate is open.
func (s *Set) Released(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(name).open
}

// Wait returns nil once the named gate is open, or ctx's error when that ends first.
func (s *Set) Wait(ctx context.Context, name string) error {
	s.mu.Lock()
	g := s.get(name)
	s.mu.Unlock()
	select {
	case <-g.released:
		return nil
	default:
	}
	select {
	case <-g.released:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

package gate_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/hallmark-kit/hallmark/conformance/standin/gate"
)

func TestReleaseLetsEveryoneThroughBeforeAndAfter(t *testing.T) {
	s := gate.New()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := s.Wait(t.Context(), "g"); err != nil {
				t.Error(err)
			}
		})
	}
	s.Release("g")
	s.Release("g")
	wg.Wait()
	if err := s.Wait(t.Context(), "g"); err != nil || !s.Released("g") {
		t.Fatalf("a released gate is shut again: %v", err)
	}
}

func TestGatesAreIndependentAndWaitingEndsWithItsContext(t *testing.T) {
	s := gate.New()
	s.Release("other")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Wait(ctx, "g"); !errors.Is(err, context.Canceled) || s.Released("g") {
		t.Fatalf("got %v", err)
	}
	if err := s.Wait(ctx, "other"); err != nil {
		t.Fatalf("an open gate needs no waiting: %v", err)
	}
}

package framing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"
)

func TestWriterKeepsOrderAndFlushes(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, nil)
	var want bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&want, "line %d\n", i)
		w.Line(fmt.Appendf(nil, "line %d", i))
	}
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want.Bytes()) {
		t.Errorf("lines are lost or out of order")
	}
	w.Close()
	w.Line([]byte("late"))
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestWriterDoesNotBlockOnAPeerThatStopsReading(t *testing.T) {
	r, pipe := io.Pipe()
	w := NewWriter(pipe, nil)
	for range 100 {
		w.Line(make([]byte, 64<<10)) // would block for ever if it waited
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := w.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Flush gave %v, want the context's error", err)
	}
	_ = r.Close()
	w.Close()
}

func TestWriterReportsABrokenStreamOnce(t *testing.T) {
	r, pipe := io.Pipe()
	_ = r.Close()
	failed := make(chan error, 2)
	w := NewWriter(pipe, func(err error) { failed <- err })
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { w.Line([]byte("a")) })
	}
	wg.Wait()
	if err := <-failed; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	if err := w.Flush(t.Context()); err != nil {
		t.Errorf("Flush gave %v though nothing is left to write", err)
	}
	if len(failed) > 0 {
		t.Error("the failure was reported twice")
	}
}

package stdio

import (
	"os"
	"sync"
)

// writer writes queued chunks in a goroutine of its own, so that a target that does not read cannot hold up the
// engine.
type writer struct {
	mu      sync.Mutex
	changed *sync.Cond
	queue   [][]byte
	closing bool // close once the queue is empty
	gone    bool // close now
	to      *os.File
	failed  func()
	done    chan struct{}
}

func newWriter(to *os.File, failed func()) *writer {
	w := &writer{to: to, failed: failed, done: make(chan struct{})}
	w.changed = sync.NewCond(&w.mu)
	go w.run()
	return w
}

func (w *writer) write(chunks [][]byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(w.queue, chunks...)
	w.changed.Signal()
}

func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closing = true
	w.changed.Signal()
}

// abandon closes at once; a write that is blocked fails.
func (w *writer) abandon() {
	w.mu.Lock()
	w.gone = true
	w.changed.Signal()
	w.mu.Unlock()
	_ = w.to.Close()
}

func (w *writer) wait() { <-w.done }

// next waits for the next chunk; ok is false when there will be none.
func (w *writer) next() (chunk []byte, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 && !w.closing && !w.gone {
		w.changed.Wait()
	}
	if w.gone || len(w.queue) == 0 {
		return nil, false
	}
	chunk, w.queue = w.queue[0], w.queue[1:]
	return chunk, true
}

func (w *writer) run() {
	defer close(w.done)
	for {
		chunk, ok := w.next()
		if !ok {
			_ = w.to.Close()
			return
		}
		if _, err := w.to.Write(chunk); err != nil {
			w.mu.Lock()
			told := w.gone // the target has ended, which is reported anyway
			w.gone = true
			w.mu.Unlock()
			if !told {
				w.failed()
			}
		}
	}
}

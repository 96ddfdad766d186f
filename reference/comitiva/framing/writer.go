package framing

import (
	"context"
	"io"
	"sync"
)

// Writer writes lines to a stream, in the order in which they were given, from
// a goroutine of its own. What the peer has not read yet waits in memory: the
// protocol has no flow control.
type Writer struct {
	w      io.Writer
	failed func(error)

	mu     sync.Mutex
	queue  [][]byte
	busy   bool
	broken bool
	wake   chan struct{} // buffered by one
	idle   chan struct{} // closed and replaced whenever the queue runs empty
}

// NewWriter writes lines to w. When a write fails, failed is called once, from
// the writing goroutine, and every later line is dropped.
func NewWriter(w io.Writer, failed func(error)) *Writer {
	q := &Writer{w: w, failed: failed, wake: make(chan struct{}, 1), idle: make(chan struct{})}
	go q.run()
	return q
}

// Line queues one line; the line feed is added here. The slice must not be
// changed afterwards. Line never blocks.
func (q *Writer) Line(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.broken {
		return
	}
	q.queue = append(q.queue, append(line, '\n'))
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Flush waits until everything queued so far is written, the stream is broken,
// or ctx ends.
func (q *Writer) Flush(ctx context.Context) error {
	for {
		q.mu.Lock()
		idle, done := q.idle, q.broken || (len(q.queue) == 0 && !q.busy)
		q.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close ends the writing goroutine once the queue is empty. Lines given after
// it are dropped.
func (q *Writer) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.broken {
		q.broken = true
		close(q.wake)
	}
}

func (q *Writer) run() {
	for range q.wake {
		for {
			q.mu.Lock()
			lines := q.queue
			q.queue = nil
			q.busy = len(lines) > 0
			if !q.busy {
				close(q.idle)
				q.idle = make(chan struct{})
			}
			q.mu.Unlock()
			if len(lines) == 0 {
				break
			}
			for _, line := range lines {
				if _, err := q.w.Write(line); err != nil {
					q.fail(err)
					return
				}
			}
		}
	}
}

func (q *Writer) fail(err error) {
	q.mu.Lock()
	q.broken, q.busy, q.queue = true, false, nil
	close(q.idle)
	q.idle = make(chan struct{})
	q.mu.Unlock()
	if q.failed != nil {
		q.failed(err)
	}
}

package tools

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// StartError says that a tool server is not available.
type StartError struct {
	Message string
	Stopped bool // deliberately: trying again will not help
}

func (e *StartError) Error() string { return e.Message }

// instance is one tool server under one launch, with the session it has at the
// moment, if any.
type instance struct {
	m      *Manager
	launch Launch
	roots  []Root
	key    string
	ctx    context.Context // ends when the instance is closed
	cancel context.CancelFunc

	// Guarded by the manager's lock.
	refs       int
	superseded bool
	idle       *time.Timer

	mu        sync.Mutex
	closed    bool
	current   *start
	failures  int
	notBefore time.Time
}

// start is one attempt to start the server, and the session that came of it.
type start struct {
	done    chan struct{} // closed when the attempt has ended
	session Session
	tools   []Tool
	err     *StartError
	broken  atomic.Bool // the session failed though it did not end
}

func (s *start) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func (s *start) alive() bool {
	if s.session == nil || s.broken.Load() {
		return false
	}
	select {
	case <-s.session.Done():
		return false
	default:
		return true
	}
}

// use returns the attempt to wait for: the running one, the one with a live
// session, or a new one. After a failure there is no new one before the
// back-off has passed.
func (i *instance) use() *start {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		failed := &start{done: make(chan struct{}), err: i.stopped()}
		close(failed.done)
		return failed
	}
	if c := i.current; c != nil {
		if !c.ended() || c.alive() || (c.err != nil && time.Now().Before(i.notBefore)) {
			return c
		}
	}
	attempt := &start{done: make(chan struct{})}
	previous := i.current
	i.current = attempt
	go i.start(attempt, previous)
	return attempt
}

func (i *instance) start(attempt, previous *start) {
	defer close(attempt.done)
	if previous != nil && previous.session != nil {
		previous.session.Close(i.ctx)
	}
	session, err := i.m.open(i.ctx, i.launch, i.roots)
	var offered []Tool
	if err == nil {
		if offered, err = session.Tools(i.ctx); err != nil {
			session.Close(i.ctx)
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.closed:
		if err == nil {
			session.Close(i.ctx)
		}
		attempt.err = i.stopped()
	case err != nil:
		i.notBefore = time.Now().Add(i.m.o.Limits.backoff(i.failures))
		i.failures++
		attempt.err = &StartError{Message: "The tool server \"" + i.launch.Name + "\" could not be started: " + i.launch.scrub(reason(err)) + "."}
		i.m.o.Logger.Warn("tool server did not start", "toolServerId", i.launch.ID)
	default:
		i.failures = 0
		attempt.session, attempt.tools = session, offered
	}
}

// reason says why, without the address of a request: it may carry a key.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it did not answer in time"
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	return err.Error()
}

func (i *instance) stopped() *StartError {
	return &StartError{Stopped: true, Message: "The tool server \"" + i.launch.Name + "\" was stopped."}
}

// ready waits for a live session.
func (i *instance) ready(ctx context.Context, s *start) (*start, error) {
	select {
	case <-s.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.err != nil {
		return nil, s.err
	}
	return s, nil
}

func (i *instance) call(ctx context.Context, tool string, input json.RawMessage) (Output, error) {
	s, err := i.ready(ctx, i.use())
	if err != nil {
		if ctx.Err() != nil {
			return Output{}, ctx.Err()
		}
		return failure("tool_server_failed", err.Error()), nil
	}
	callCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		out Output
		err error
	}
	answer := make(chan outcome, 1)
	go func() {
		out, err := s.session.Call(callCtx, tool, input)
		answer <- outcome{out, err}
	}()
	select {
	case a := <-answer:
		switch {
		case a.err == nil:
			return a.out.coded(i.launch.Builtin != ""), nil
		case ctx.Err() != nil:
			return Output{}, ctx.Err()
		}
	case <-ctx.Done():
		return Output{}, ctx.Err()
	case <-i.ctx.Done():
		return failure("tool_server_failed", i.stopped().Message), nil
	}
	// The session is of no use any more: the next call starts another.
	s.broken.Store(true)
	go s.session.Close(i.ctx)
	return failure("tool_server_failed", "The tool server \""+i.launch.Name+"\" ended while the tool was running."), nil
}

// retire makes the instance start nothing more.
func (i *instance) retire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
}

// close ends the instance for good and returns when its process is gone.
func (i *instance) close(ctx context.Context) {
	i.retire()
	i.mu.Lock()
	s := i.current
	i.mu.Unlock()
	i.cancel()
	if s == nil {
		return
	}
	<-s.done
	if s.session != nil {
		s.session.Close(ctx)
	}
}

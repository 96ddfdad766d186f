package tools

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Limits are the times that tool servers are given.
type Limits struct {
	Request    time.Duration // initialize, and each page of tools
	Call       time.Duration // a call without progress
	Pages      int           // of tools that are read: a list may not end
	Backoff    time.Duration // after the first failed start; doubles each time
	MaxBackoff time.Duration
	Idle       time.Duration // until an unused built-in server is closed
	Grace      time.Duration // to end after its input has, and again after SIGTERM
}

// DefaultLimits are those of the protocol.
func DefaultLimits() Limits {
	return Limits{Request: 30 * time.Second, Call: 10 * time.Minute, Pages: 1000, Backoff: time.Second,
		MaxBackoff: 30 * time.Second, Idle: 10 * time.Minute, Grace: 400 * time.Millisecond}
}

func (l Limits) backoff(failures int) time.Duration {
	return min(l.Backoff<<min(failures, 16), l.MaxBackoff)
}

// Options configure a Manager. Nil members get their usual values.
type Options struct {
	Version   string // of the runner, as tool servers see it
	Limits    Limits
	Logger    *slog.Logger
	Transport http.RoundTripper // for servers over HTTP

	Environment func(launch map[string]string) []string // of a server's process
	Arguments   func(l Launch, roots []Root) []string   // of a server's process
	Open        func(next Opener) Opener                // every start passes through it
	Wrap        func(l Launch, session Session) Session // every session passes through it
}

// Opener opens a session with a tool server, and starts its process if it has
// one.
type Opener func(ctx context.Context, l Launch, roots []Root) (Session, error)

// Manager holds the tool servers of a runner. Its methods may be used from any
// goroutine.
type Manager struct {
	o    Options
	open Opener

	mu     sync.Mutex
	all    map[*instance]bool
	closed bool
}

// NewManager makes a manager without servers.
func NewManager(o Options) *Manager {
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Environment == nil {
		o.Environment = environment
	}
	if o.Arguments == nil {
		o.Arguments = Launch.arguments
	}
	if o.Wrap == nil {
		o.Wrap = func(_ Launch, s Session) Session { return s }
	}
	if o.Open == nil {
		o.Open = func(next Opener) Opener { return next }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	m := &Manager{o: o, all: map[*instance]bool{}}
	m.open = o.Open(m.start)
	return m
}

func (m *Manager) start(ctx context.Context, l Launch, roots []Root) (Session, error) {
	var s Session
	var err error
	if l.URL != "" {
		s, err = startHTTP(ctx, l, m.o)
	} else {
		s, err = startStdio(ctx, l, roots, m.o)
	}
	if err != nil {
		return nil, err
	}
	return m.o.Wrap(l, s), nil
}

// Lease is the use of one tool server by one run. It is given back with
// Release, once.
type Lease struct {
	i     *instance
	first *start
}

// Acquire takes the use of a tool server, and starts it if that is needed. It
// does not wait. An instance under another launch of the same id ends when its
// last user gives it back.
func (m *Manager) Acquire(l Launch, roots []Root) *Lease {
	key := l.key(roots)
	m.mu.Lock()
	var found *instance
	var old []*instance
	for i := range m.all {
		switch {
		case i.launch.ID != l.ID || i.superseded:
		case i.key == key:
			found = i
		case l.Builtin == filesystem && i.launch.Builtin == filesystem && !sameRoots(i.roots, roots):
			// The file system server keeps one process for each set of roots.
		default:
			i.superseded = true
			if i.refs == 0 {
				old = append(old, i)
				delete(m.all, i)
			}
		}
	}
	if found == nil {
		ctx, cancel := context.WithCancel(context.Background())
		found = &instance{m: m, launch: l, roots: roots, key: key, ctx: ctx, cancel: cancel, closed: m.closed}
		m.all[found] = true
	}
	found.refs++
	if found.idle != nil {
		found.idle.Stop()
		found.idle = nil
	}
	m.mu.Unlock()
	for _, i := range old {
		go i.close(context.Background())
	}
	return &Lease{i: found, first: found.use()}
}

func sameRoots(a, b []Root) bool { return slices.Equal(a, b) }

// Tools waits until the server is ready and returns its tools. The error is a
// *StartError, or that of ctx.
func (l *Lease) Tools(ctx context.Context) ([]Tool, error) {
	s, err := l.i.ready(ctx, l.first)
	if err != nil {
		return nil, err
	}
	return s.tools, nil
}

// Call calls a tool, restarting the server first if it has ended. Whatever goes
// wrong is part of the output; the error is that of ctx.
func (l *Lease) Call(ctx context.Context, tool string, input json.RawMessage) (Output, error) {
	return l.i.call(ctx, tool, input)
}

// Release gives the server back.
func (l *Lease) Release() {
	m, i := l.i.m, l.i
	m.mu.Lock()
	i.refs--
	last := i.refs == 0
	if last && i.superseded {
		delete(m.all, i)
	}
	if last && !i.superseded && i.launch.Builtin != "" && !m.closed {
		i.idle = time.AfterFunc(m.o.Limits.Idle, func() { m.closeIdle(i) })
	}
	m.mu.Unlock()
	if last && i.superseded {
		go i.close(context.Background())
	}
}

func (m *Manager) closeIdle(i *instance) {
	m.mu.Lock()
	unused := i.refs == 0
	if unused {
		delete(m.all, i)
	}
	m.mu.Unlock()
	if unused {
		i.close(context.Background())
	}
}

// Stop ends every instance of a tool server, and returns at once; the channel
// is closed when their processes are gone. An unknown id is no error.
func (m *Manager) Stop(ctx context.Context, id string) <-chan struct{} {
	return m.end(ctx, func(i *instance) bool { return i.launch.ID == id })
}

// Close ends every tool server and returns when their processes are gone. No
// server can be started afterwards.
func (m *Manager) Close(ctx context.Context) {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	<-m.end(ctx, func(*instance) bool { return true })
}

func (m *Manager) end(ctx context.Context, which func(*instance) bool) <-chan struct{} {
	m.mu.Lock()
	var ending []*instance
	for i := range m.all {
		if which(i) {
			i.retire()
			ending = append(ending, i)
			delete(m.all, i)
		}
	}
	m.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		var wg sync.WaitGroup
		for _, i := range ending {
			wg.Go(func() { i.close(ctx) })
		}
		wg.Wait()
	}()
	return gone
}

package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/hallmark-kit/hallmark/conformance/standin/channel"
	"github.com/hallmark-kit/hallmark/conformance/standin/gate"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
)

// Options places a tool server among the other stand-ins of a scenario. The zero value is usable: missing parts are
// made.
type Options struct {
	Name     string           // name in events, default tools
	Recorder *record.Recorder // where events go
	Gates    *gate.Set        // where calls wait
}

// Control is the kit's half of a tool server. Close it when done.
type Control struct {
	script   Script
	options  Options
	listener *channel.Listener
	listed   []json.RawMessage

	mu     sync.Mutex
	spawns int
	calls  int
	called map[string]int // by tool
}

// Start validates the script and begins to wait for processes.
func Start(s Script, o Options) (*Control, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = "tools"
	}
	if o.Recorder == nil {
		o.Recorder = record.New()
	}
	if o.Gates == nil {
		o.Gates = gate.New()
	}
	c := &Control{script: s, options: o, listed: []json.RawMessage{}, called: map[string]int{}}
	for i := range s.Tools {
		c.listed = append(c.listed, s.Tools[i].listing())
	}
	var err error
	c.listener, err = channel.Listen(func(ctx context.Context, conn *channel.Conn, started channel.Process) {
		(&process{control: c, conn: conn, pending: map[int]*pending{}}).serve(ctx, started)
	})
	if err != nil {
		return nil, fmt.Errorf("tool server stand-in: %w", err)
	}
	return c, nil
}

// Args is what follows the executable of the kit on the command line that starts a process of this tool server.
func (c *Control) Args() []string {
	return append([]string{"stand-in", "tool-server"}, channel.Arguments(c.listener.Address(), c.options.Name)...)
}

// Recorder is where the tool server's events go.
func (c *Control) Recorder() *record.Recorder { return c.options.Recorder }

// Gates is where calls wait.
func (c *Control) Gates() *gate.Set { return c.options.Gates }

// Close ends the control channels, which ends the processes, and returns when nothing of the kit's half runs on.
func (c *Control) Close() error { return c.listener.Close() }

func (c *Control) record(kind string, detail any) {
	c.options.Recorder.Record(c.options.Name, kind, detail)
}

// process is one running process as the kit sees it.
type process struct {
	control *Control
	conn    *channel.Conn
	spawn   int
	running sync.WaitGroup // calls

	mu       sync.Mutex
	pending  map[int]*pending // by the process's id
	scripted bool             // its end is the script's doing
}

// pending is a call that has no act yet.
type pending struct {
	seen   Call
	cancel context.CancelFunc
}

// serve talks to the process until it is gone.
func (p *process) serve(open context.Context, started channel.Process) {
	c := p.control
	refuse := p.arrive(started)
	p.scripted = refuse != nil && refuse.Exit != nil
	p.conn.Send(toProcess{Begin: &begin{Refuse: refuse, Stubborn: c.script.Stubborn, Tools: c.listed, PageSize: c.script.PageSize}})

	ctx, cancel := context.WithCancel(open)
	for {
		var m fromProcess
		if p.conn.Receive(&m) != nil {
			break
		}
		switch {
		case m.Initialize != nil:
			m.Initialize.Spawn = p.spawn
			c.record(KindInitialize, m.Initialize)
		case m.Listed != nil:
			m.Listed.Spawn = p.spawn
			c.record(KindListed, m.Listed)
		case m.Call != nil:
			p.call(ctx, m.Call)
		case m.Cancelled != nil:
			p.cancelled(*m.Cancelled)
		}
	}
	cancel()
	p.running.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if open.Err() == nil {
		c.record(KindExited, &Exited{Spawn: p.spawn, PID: started.PID, Scripted: p.scripted})
	}
}

// arrive numbers and records a start and says how it goes.
func (p *process) arrive(started channel.Process) *Refuse {
	c := p.control
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spawns++
	p.spawn = c.spawns
	c.record(KindStarted, &Started{p.spawn, started})
	if n := len(c.script.Starts); n > 0 {
		return c.script.Starts[min(p.spawn, n)-1].Refuse
	}
	return c.script.Refuse
}

// call records a call and begins to play its behaviour.
func (p *process) call(ctx context.Context, r *request) {
	behaviour, seen := p.control.take(p.spawn, r)
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	p.pending[r.ID] = &pending{seen, cancel}
	p.mu.Unlock()
	p.running.Go(func() { p.play(ctx, r, seen, behaviour) })
}

// take numbers and records a call and finds its behaviour; nil: there is no such tool.
func (c *Control) take(spawn int, r *request) (*Behaviour, Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var behaviour *Behaviour
	for i := range c.script.Tools {
		t := &c.script.Tools[i]
		if t.Name != r.Tool {
			continue
		}
		behaviour = &t.Behaviour
		if n := len(t.Calls); n > 0 {
			behaviour = &t.Calls[min(c.called[t.Name], n-1)]
		}
		c.called[t.Name]++
	}
	c.calls++
	seen := Call{Spawn: spawn, Call: c.calls, Tool: r.Tool, Unknown: behaviour == nil}
	full := seen
	full.Arguments = r.Arguments
	c.record(KindCall, &full)
	return behaviour, seen
}

// play brings a call to its end. ctx ends when the call is cancelled or the process is gone.
func (p *process) play(ctx context.Context, r *request, seen Call, b *Behaviour) {
	if b == nil {
		p.end(KindAnswered, act{ID: r.ID, Error: &Error{Code: -32602, Message: "stand-in: there is no such tool"}})
		return
	}
	if b.Wait != "" {
		seen.Gate = b.Wait
		p.control.record(KindWaiting, &seen)
		if p.control.options.Gates.Wait(ctx, b.Wait) != nil {
			return
		}
	}
	switch {
	case b.Hang:
		<-ctx.Done()
	case b.Crash != nil:
		p.end("", act{ID: r.ID, Crash: b.Crash})
	case b.Error != nil:
		p.end(KindAnswered, act{ID: r.ID, Error: b.Error})
	default:
		p.end(KindAnswered, act{ID: r.ID, Result: b.Result.result(r.Arguments)})
	}
}

// end sends the act for a call, unless the call was cancelled meanwhile. The event is recorded before anything can
// come of the act.
func (p *process) end(kind string, a act) {
	p.mu.Lock()
	call := p.pending[a.ID]
	delete(p.pending, a.ID)
	if call != nil {
		call.cancel()
		if kind != "" {
			p.control.record(kind, &call.seen)
		}
		p.scripted = p.scripted || a.Crash != nil
	}
	p.mu.Unlock()
	if call != nil {
		p.conn.Send(toProcess{Act: &a})
	}
}

// cancelled ends the wait of a call that the client cancelled.
func (p *process) cancelled(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if call := p.pending[id]; call != nil {
		delete(p.pending, id)
		p.control.record(KindCancelled, &call.seen)
		call.cancel()
	}
}

package comitiva

import (
	"context"
	"fmt"
	"sync"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// runs are the active runs of a runner. A run is active from its start until
// its terminal event, and its id is free again before that event is written.
type runs struct {
	mu     sync.Mutex
	active map[string]*run
}

func newRuns() *runs { return &runs{active: map[string]*run{}} }

func (r *runs) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.active)
}

// cancel cancels an active run. The answer is given before anything that
// follows from it.
func (r *runs) cancel(id string, answer func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	run, ok := r.active[id]
	if !ok {
		return false
	}
	run.abort(answer)
	return true
}

func (r *runs) approve(id, toolUseID string, decision protocol.Decision) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run, ok := r.active[id]; ok {
		run.decide(toolUseID, decision)
	}
}

// endAll cancels every run, and waits until each has written its terminal event
// or ctx ends.
func (r *runs) endAll(ctx context.Context) {
	r.mu.Lock()
	var ending []*run
	for _, run := range r.active {
		ending = append(ending, run)
		run.abort(func() {})
	}
	r.mu.Unlock()
	for _, run := range ending {
		select {
		case <-run.ended:
		case <-ctx.Done():
			return
		}
	}
}

// run is one run. Its lock orders everything that is written about it.
type run struct {
	s      *server
	id     string
	ctx    context.Context // ends when the run is cancelled
	cancel context.CancelFunc
	ended  chan struct{} // closed after the terminal event

	mu        sync.Mutex
	over      bool
	cancelled bool
	waiting   map[string]chan protocol.Decision // by tool use
}

// startRun answers run.start and begins the run.
func (s *server) startRun(req *protocol.RunStart, reply reply) {
	t, unknown := s.target(req.Connection, req.Secret)
	if unknown != nil {
		reply(nil, unknown)
		return
	}
	r := &run{s: s, id: req.RunID, ended: make(chan struct{}), waiting: map[string]chan protocol.Decision{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	s.runs.mu.Lock()
	_, taken := s.runs.active[r.id]
	if !taken {
		s.runs.active[r.id] = r
	}
	s.runs.mu.Unlock()
	if taken {
		r.cancel()
		reply(nil, appError(protocol.ErrorCodeInvalidRequest, "A run with this runId is active."))
		return
	}
	reply(&protocol.RunStartResult{RunID: r.id}, nil)
	go func() {
		defer r.cancel()
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("a run failed unexpectedly", "runId", r.id, "panic", fmt.Sprint(p))
				r.end(nil, &protocol.RunError{Code: protocol.ErrorCodeInternal, Message: "The run failed unexpectedly."})
			}
		}()
		(&turn{run: r, req: req, target: t}).play()
	}()
}

// emit writes an event of the run, unless it has ended or is being cancelled.
func (r *run) emit(ev protocol.RunEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over && !r.cancelled {
		r.write(ev)
	}
}

// end writes the last events of the run: its usage, if there is any, and the
// terminal event. When the run is being cancelled, that is its end, whatever
// else happened meanwhile.
func (r *run) end(usage *protocol.RunUsage, terminal protocol.RunEvent) {
	runs := r.s.runs
	runs.mu.Lock() // until the event is written: whoever sees no active run finds everything written
	defer runs.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	r.over = true
	delete(runs.active, r.id)
	if r.cancelled {
		terminal = &protocol.RunDone{StopReason: protocol.StopReasonCancelled}
	}
	if usage != nil {
		usage.Estimated = usage.Estimated || r.cancelled
		r.write(usage)
	}
	r.write(terminal)
	close(r.ended)
}

// write stamps and writes an event. The lock is held.
func (r *run) write(ev protocol.RunEvent) {
	stampEvent(ev, r.id, r.s.clock.now())
	r.s.emit(ev)
}

// abort marks the run as cancelled, answers, and ends whatever it waits for.
func (r *run) abort(answer func()) {
	r.mu.Lock()
	r.cancelled = true
	answer()
	r.mu.Unlock()
	r.cancel()
}

// await makes the run wait for a decision about a tool use. The wait begins at
// once; the decision comes through the channel.
func (r *run) await(toolUseID string) <-chan protocol.Decision {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := make(chan protocol.Decision, 1)
	r.waiting[toolUseID] = c
	return c
}

// decide hands a decision to the tool use that waits for it, if one does.
func (r *run) decide(toolUseID string, decision protocol.Decision) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.waiting[toolUseID]; ok {
		delete(r.waiting, toolUseID)
		c <- decision
	}
}

// stampEvent sets what every run event carries.
func stampEvent(ev protocol.RunEvent, id string, now wire.Number) {
	ts := wire.Some(now)
	switch ev := ev.(type) {
	case *protocol.RunSession:
		ev.RunID, ev.TS = id, ts
	case *protocol.RunTextDelta:
		ev.RunID, ev.TS = id, ts
	case *protocol.RunBlock:
		ev.RunID, ev.TS = id, ts
	case *protocol.RunToolCall:
		ev.RunID, ev.TS = id, ts
	case *protocol.RunToolResult:
		ev.RunID, ev.TS = id, ts
	case *protocol.RunUsage:
		ev.RunID, ev.TS = id, ts
	case *protocol.RunDone:
		ev.RunID, ev.TS = id, ts
	case *protocol.RunError:
		ev.RunID, ev.TS = id, ts
	}
}

package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
	"unicode/utf8"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
)

// MaxFrame bounds an event or an answer, in bytes: clients read no more.
const MaxFrame = 2_000_000

// frameRoom is what an event has beside its result.
const frameRoom = 1000

// execution is a run being carried out. It belongs to one goroutine, but for
// its idle clock.
type execution struct {
	*Run
	engine *Engine
	ctx    context.Context
	cancel context.CancelCauseFunc
	put    func(protocol.RunEvent)
	idle   idle
	record []wire.Raw // nil again once there was too much

	recorded  int // bytes of what is, or would be, on record
	messages  []model.Message
	state     any // the adapter's
	native    wire.Raw
	callIDs   map[string]bool
	usage     usage
	worked    bool // a model call has begun
	uncertain bool // a tool may have had effects that nobody knows of
	retrieval *protocol.RetrievalResult

	step     int64
	streamed bool // text of this step has been shown
	received int
	progress time.Time // of the last event of the awaited call
}

// Execute carries out a run to its end, which is the queue's end as well. The
// run is cancelled through cancel, whose cause says why.
func (e *Engine) Execute(ctx context.Context, cancel context.CancelCauseFunc, r *Run) {
	x := &execution{Run: r, engine: e, ctx: ctx, cancel: cancel, put: r.Queue.Put, callIDs: map[string]bool{}}
	if e.Events != nil {
		x.put = e.Events(r, x.put)
	}
	x.idle.bound = r.Plan.idle
	x.idle.expire = func() {
		cancel(failure.New(protocol.ErrorCodeIDLETIMEOUT, "Nothing happened for longer than the idle timeout."))
	}
	x.emit(&protocol.RunStarted{Provider: r.Plan.Request.Provider, Model: r.Plan.Request.Model})
	result, err := x.work()
	x.idle.stop()
	last := x.end(result, err)
	r.Ticket.Release()
	x.emit(last)
	r.Queue.End()
	cancel(nil)
}

// work waits for the slot and carries out the steps. A run that panics fails;
// it takes no others down. What it panicked with is not logged: it may hold
// anything.
func (x *execution) work() (result *protocol.RunResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.engine.Log.Error("a run made the host panic", "run", x.ID, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			result, err = nil, errPanicked
		}
	}()
	if x.engine.Policy.IdleWhileQueued {
		x.idle.start()
	}
	queued := x.Ticket.Queued()
	if err := x.Ticket.Wait(x.ctx); err != nil {
		return nil, err
	}
	if queued && x.Recheck != nil {
		if err := x.Recheck(); err != nil {
			return nil, err
		}
	}
	x.idle.start()
	if err := x.gather(); err != nil {
		return nil, err
	}
	for x.step = 1; ; x.step++ {
		turn, err := x.turn()
		if err != nil {
			return nil, err
		}
		if len(turn.Calls) == 0 {
			return x.result(turn)
		}
		if x.step >= x.Plan.steps {
			if x.engine.Policy.LastStepRunsTools {
				if err := x.calls(turn); err != nil {
					return nil, err
				}
			}
			return nil, failure.New(protocol.ErrorCodeSTEPLIMIT, "The model asked for tools in the last step of the run.")
		}
		if err := x.calls(turn); err != nil {
			return nil, err
		}
	}
}

var errPanicked = errors.New("the run panicked")

// turn makes the model call of a step, again if that is safe and asked for.
func (x *execution) turn() (model.Turn, error) {
	x.emit(&protocol.StepStarted{Step: wire.Int(x.step)})
	x.streamed, x.received, x.progress, x.worked = false, 0, time.Time{}, true
	req := x.Plan.Request
	call := model.Call{RunID: x.ID, Step: x.step, Model: req.Model, Input: req.Input, Instructions: req.Instructions.Or(""),
		Messages: x.messages, Tools: x.Plan.tools, MaxOutputTokens: x.Plan.tokens, Native: x.native, State: &x.state}
	if x.Turn != nil {
		call.Instructions = x.Turn.Instructions
	}
	turn, err := x.Plan.adapter.Turn(x.ctx, call, x)
	for attempt := int64(1); err != nil && req.Retry != nil && attempt < req.Retry.MaxAttempts; attempt++ {
		if e := failure.Of(err); x.ctx.Err() != nil || !e.Retryable || e.Uncertain || x.streamed {
			break
		}
		base, limit := req.Retry.BaseDelayMs.Or(defaultRetryBase), req.Retry.MaxDelayMs.Or(defaultRetryMax)
		if err := sleep(x.ctx, min(base<<(attempt-1), limit)); err != nil {
			return model.Turn{}, err
		}
		turn, err = x.Plan.adapter.Turn(x.ctx, call, x)
	}
	if err == nil && x.ctx.Err() != nil {
		err = context.Cause(x.ctx)
	}
	if err != nil {
		return model.Turn{}, err
	}
	x.idle.reset()
	x.usage.add(turn.Usage)
	if turn.Native != nil {
		x.native = turn.Native
	}
	if turn.Usage != nil {
		x.emit(&protocol.UsageReported{Step: wire.Int(x.step), Usage: *turn.Usage})
	}
	if !x.streamed && turn.Text != "" && !x.engine.Policy.UnstreamedSilent {
		x.emit(&protocol.TextDelta{Text: turn.Text})
	}
	return turn, nil
}

func sleep(ctx context.Context, ms int64) error {
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Text takes a piece of visible text from the adapter.
func (x *execution) Text(text string) {
	x.idle.reset()
	if text == "" {
		return
	}
	if x.received += len(text); x.received > MaxFrame {
		x.cancel(failure.New(protocol.ErrorCodeOUTPUTBUFFERLIMIT, "The answer is too large."))
		return
	}
	x.streamed = true
	x.emit(&protocol.TextDelta{Text: text})
}

// Progress takes a sign of life from the adapter.
func (x *execution) Progress() {
	if !x.engine.Policy.ProgressUncounted {
		x.idle.reset()
	}
	x.showProgress(protocol.RunProgressPhaseModel)
}

// showProgress emits at most one event a second for the call that is awaited.
func (x *execution) showProgress(phase protocol.RunProgressPhase) {
	if now := time.Now(); now.Sub(x.progress) >= time.Second {
		x.progress = now
		x.emit(&protocol.RunProgress{Phase: phase})
	}
}

// Event takes an advisory event from the adapter.
func (x *execution) Event(kind string, members wire.Members) {
	x.idle.reset()
	if x.Optional {
		x.emit(&protocol.OptionalEvent{Type: kind, Extra: members})
	}
}

// emit puts an event on its way, and on record if the run is recorded.
func (x *execution) emit(ev protocol.RunEvent) {
	if x.Record != nil && Recorded(ev) {
		Stamp(ev, x.ID, int64(len(x.record))+1, pending.Stamp(time.Now()))
		x.keep(ev.AppendJSON(nil))
		if result, failed := Terminal(ev); result != nil || failed != nil {
			x.Record(x.record, ev)
		}
	}
	x.put(ev)
}

// keep puts an event on record, unless that has become too long to be kept at
// all.
func (x *execution) keep(text wire.Raw) {
	if x.recorded += len(text); x.recorded > maxRecord {
		x.record = nil
		return
	}
	x.record = append(x.record, text)
}

// maxRecord bounds what is kept of a run to be replayed, in bytes: tools may
// have given far more.
const maxRecord = 16 << 20

// end makes the last event, and ends the session's turn.
func (x *execution) end(result *protocol.RunResult, err error) protocol.RunEvent {
	if err == nil {
		err = x.commit(result)
	} else if x.Turn != nil {
		x.Turn.Abort(x.worked)
	}
	if err == nil {
		return &protocol.RunCompleted{Result: *result}
	}
	last := &protocol.RunFailed{Type: protocol.RunFailedTypeRunFailed}
	if x.ctx.Err() != nil {
		err = context.Cause(x.ctx)
		last.Type = protocol.RunFailedTypeRunCancelled
		if err == context.Canceled {
			err = failure.New(protocol.ErrorCodeCANCELLED, "The run was cancelled.")
		}
	}
	why := *failure.Of(err)
	if x.engine.Policy.RawFailures {
		why.Message = err.Error()
	}
	if x.uncertain {
		if why.Code != string(protocol.ErrorCodeIDLETIMEOUT) && why.Code != string(protocol.ErrorCodeCANCELLED) {
			why.Code, why.Message = string(protocol.ErrorCodeTOOLOUTCOMEUNCERTAIN), "A tool was started, and what it did is not known."
		}
		why.Retryable, why.Uncertain = false, true
	}
	last.Error = why.Info()
	return last
}

// commit ends the session's turn with the answer.
func (x *execution) commit(result *protocol.RunResult) error {
	if x.Turn == nil {
		return nil
	}
	if utf8.RuneCountInString(result.Text) > maxMessage {
		x.Turn.Abort(true)
		return failure.New(protocol.ErrorCodeSESSIONCONTEXTLIMIT, "The answer is too long for a session.")
	}
	info, ok := x.Turn.Commit(x.Plan.Request.Input, result.Text, x.native)
	if !ok {
		return failure.New("SESSION_DELETED", "The session was deleted.")
	}
	result.Session = info
	return nil
}

// maxMessage bounds a message of a history, in characters.
const maxMessage = 100_000

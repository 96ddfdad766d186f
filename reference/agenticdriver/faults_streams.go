package agenticdriver

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// streamFaults are wrong ways to tell the events of a run.
var streamFaults = []fault{
	{"stream-as-text", "the content type of streams", "Says that a stream is plain text.",
		exchange{head: func(h http.Header) { h.Set("Content-Type", "text/plain; charset=utf-8") }}.apply},
	{"stream-left-open", "the end of streams", "Leaves a stream open when its run is over.",
		exchange{after: func(r *http.Request) { <-r.Context().Done() }}.apply},
	{"no-heartbeats", "quiet streams", "Writes nothing on a quiet stream.", func(e *edges) { e.policy.NoHeartbeats = true }},
	{"refusals-as-streams", "refusals of streams", "Answers a refusal of a run with a stream that fails.", asStream(http.StatusBadRequest, http.StatusForbidden)},
	{"conflicts-as-streams", "conflicts of streams", "Answers a conflict of a run with a stream that fails.", asStream(http.StatusConflict)},
	{"unasked-event", "events that nobody knows", "Sends events that nobody knows without being asked.",
		onHeader(func(h http.Header) { h.Set("AgenticDriver-Accept-Optional-Events", "true") })},
	{"unmarked-event", "marks of optional events", "Does not mark events that nobody knows as optional.",
		onFrame(func(f *frame) { drop(f.data, "/optional") })},
	{"host-tools-dispatched", "tools of the host", "Asks the client to carry out tools of the host.",
		onRun(func(r *run.Run, next emitter) emitter {
			return func(ev protocol.RunEvent) {
				next(ev)
				if called, ok := ev.(*protocol.ToolCalled); ok {
					next(&protocol.ToolExecutionRequested{Execution: protocol.ToolExecutionRequest{ExecutionID: uuid.NewString(), RunID: r.ID,
						Call: protocol.ToolCall{ID: called.Call.ID, Name: called.Call.Name}}})
				}
			}
		})},

	{"frame-id-constant", "frames and their events", "Gives every frame the id 1.", onFrame(func(f *frame) { f.id = "1" })},
	{"frame-oversized", "the size of frames", "Puts a comment of 2,000,001 bytes into a frame.",
		onFrame(func(f *frame) {
			if f.event == "run.completed" {
				f.before = append(append([]byte(": "), bytes.Repeat([]byte("x"), run.MaxFrame-1)...), '\n')
			}
		})},
	{"run-id-changes", "one run on a stream", "Ends a stream with an event of another run.",
		onFrame(func(f *frame) {
			if f.event == "run.completed" {
				f.data["runId"] = uuid.NewString()
			}
		})},
	{"sequence-gap", "sequences", "Leaves out a number after the second event.",
		onFrame(func(f *frame) {
			if n := len(f.id); n > 1 || f.id > "2" {
				f.id += "0"
				f.data["sequence"] = wire.Raw(f.id)
			}
		})},
	{"timestamp-without-zone", "timestamps", "Leaves the zone out of timestamps.",
		onFrame(func(f *frame) { f.data["timestamp"] = strings.TrimSuffix(text(f.data, "/timestamp"), "Z") })},
	{"started-names-nobody", "what a run was asked for", "Does not say in run.started which model runs.",
		onEvent(func(next emitter, s *protocol.RunStarted) {
			s.Model = "unknown"
			next(s)
		})},

	{"step-before-started", "the first event", "Tells the first step before the run.", delayed[*protocol.RunStarted, *protocol.StepStarted]()},
	{"delta-before-step", "texts inside their step", "Tells the first text before its step.", delayed[*protocol.StepStarted, *protocol.TextDelta]()},
	{"completed-before-called", "calls before completions", "Tells the completion of a call before the call.", delayed[*protocol.ToolCalled, *protocol.ToolCompleted]()},
	{"terminal-twice", "one terminal event", "Tells the end of a run twice.",
		onEvent(func(next emitter, done *protocol.RunCompleted) {
			again := *done
			next(done)
			next(&again)
		})},
	{"progress-after-terminal", "nothing after the terminal event", "Tells progress after the end of a run.",
		onEvent(func(next emitter, f *protocol.RunFailed) {
			next(f)
			next(&protocol.RunProgress{Phase: protocol.RunProgressPhaseModel})
		})},
	{"deltas-swapped", "the order of texts", "Swaps the first two texts of a run.",
		onRun(func(_ *run.Run, next emitter) emitter {
			seen := 0
			var held protocol.RunEvent
			return func(ev protocol.RunEvent) {
				if _, ok := ev.(*protocol.TextDelta); ok {
					if seen++; seen == 1 {
						held = ev
						return
					}
				}
				next(ev)
				if held != nil {
					next(held)
					held = nil
				}
			}
		})},
	{"delta-dropped", "every text", "Leaves out the second text of a run.",
		onRun(func(_ *run.Run, next emitter) emitter {
			seen := 0
			return func(ev protocol.RunEvent) {
				if _, ok := ev.(*protocol.TextDelta); ok {
					if seen++; seen == 2 {
						return
					}
				}
				next(ev)
			}
		})},
	{"unstreamed-text-silent", "text that was not streamed", "Does not tell text that the provider did not stream.",
		func(e *edges) { e.policy.UnstreamedSilent = true }},
	{"usage-not-reported", "usage of a step", "Does not tell the usage of a step.", onEvent(func(emitter, *protocol.UsageReported) {})},

	{"failures-always-uncertain", "failures before any tool", "Says of every failure that effects may have occurred.",
		onEnd(func(f *protocol.RunFailed) { f.Error.Outcome = wire.Some("uncertain") })},
	{"tool-failure-is-certain", "failures after a tool has started", "Never says that effects may have occurred.",
		onEnd(func(f *protocol.RunFailed) { f.Error.Outcome = wire.Opt[string]{} })},
	{"tool-failure-retryable", "trying again after a tool has started", "Says of every failure that it may be tried again.",
		onEnd(func(f *protocol.RunFailed) { f.Error.Retryable = true })},
}

// asStream answers refusals of runs with one of the statuses as streams, if a
// stream was asked for.
func asStream(statuses ...int) func(*edges) {
	return onAnswer(func(r *http.Request, a *reply) {
		e, err := protocol.DecodeError(a.body)
		if err != nil || r.RequestURI != "/v1/runs" || !strings.Contains(r.Header.Get("Accept"), "text/event-stream") || !slices.Contains(statuses, a.status) {
			return
		}
		a.status, a.body = http.StatusOK, nil
		a.header.Set("Content-Type", "text/event-stream; charset=utf-8")
		id := uuid.NewString()
		for i, ev := range []protocol.RunEvent{&protocol.RunStarted{Provider: "unknown", Model: "unknown"},
			&protocol.RunFailed{Type: protocol.RunFailedTypeRunFailed, Error: e.Error}} {
			run.Stamp(ev, id, int64(i)+1, pending.Stamp(time.Now()))
			a.body = appendFrame(a.body, ev)
		}
	})
}

package agenticdriver

import (
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// idempotencyFaults are wrong ways to keep the keys of runs, and to replay what
// became of them.
var idempotencyFaults = []fault{
	{"key-dropped-without-feature", "keys on a host that keeps none", "Drops the key of a run if the host keeps none.",
		droppedWithout(func(f *run.Features) bool { return f.Idempotency }, func(o object) { drop(o, "/idempotencyKey") })},
	{"key-ignored", "runs with the same key", "Drops the keys of runs.", onBody("/v1/runs", func(o object) { drop(o, "/idempotencyKey") })},
	{"key-conflict-unnoticed", "keys of other requests", "Replays what a key stands for whatever is asked for under it.",
		func(e *edges) { e.policy.KeyConflictUnnoticed = true }},
	{"fingerprint-of-text", "the order of members under a key", "Compares requests under a key as text.", func(e *edges) { e.policy.FingerprintOfText = true }},
	{"keys-shared", "keys of another subject", "Has one set of keys for all subjects.", func(e *edges) { e.policy.KeysShared = true }},
	{"in-progress-final", "keys of runs that go on", "Says that it is no use to try again while the first run goes on.",
		refused(func(f *failure.Error) { f.Retryable = false }, "OPERATION_IN_PROGRESS")},
	{"replay-before-grants", "replays that were not granted", "Replays a run before it looks at the grant.", func(e *edges) { e.policy.ReplayBeforeGrants = true }},
	{"failure-not-recorded", "runs that failed", "Keeps no record of runs that failed.",
		onRecord(func(_ []wire.Raw, events []wire.Raw, terminal protocol.RunEvent) []wire.Raw {
			if _, failed := run.Terminal(terminal); failed != nil {
				return nil
			}
			return events
		})},
	{"replay-keeps-deltas", "what a replay tells", "Replays all events of a run.",
		onRecord(func(all, events []wire.Raw, _ protocol.RunEvent) []wire.Raw {
			return append(all, events[len(events)-1])
		})},
	{"replay-keeps-sequences", "the sequences of a replay", "Replays events with the sequences that they had.", keepingSequences},
	{"replay-under-new-id", "the run of a replay", "Tells a replay as a run of another id.", renamingReplays},
}

// onRecord changes what is recorded of a run when it ends; nil: nothing is.
// change is given all events but the last one, and those that would be
// recorded.
func onRecord(change func(all, events []wire.Raw, terminal protocol.RunEvent) []wire.Raw) func(*edges) {
	return onRun(func(r *run.Run, next emitter) emitter {
		record := r.Record
		if record == nil {
			return next
		}
		var all []wire.Raw
		r.Record = func(events []wire.Raw, terminal protocol.RunEvent) {
			if kept := change(all, events, terminal); kept != nil {
				record(kept, terminal)
			}
		}
		return func(ev protocol.RunEvent) {
			run.Stamp(ev, r.ID, int64(len(all))+1, pending.Stamp(time.Now()))
			all = append(all, ev.AppendJSON(nil))
			next(ev)
		}
	})
}

// keepingSequences numbers the events of a replay as they were numbered in the
// stream that it repeats.
func keepingSequences(e *edges) {
	type told struct{ event, id string }
	type stream struct {
		events []told
		over   bool
		next   int // of the events that a replay repeats
	}
	var mu sync.Mutex
	streams := map[string]*stream{} // by run
	onFrame(func(f *frame) {
		mu.Lock()
		defer mu.Unlock()
		s := streams[text(f.data, "/runId")]
		if s == nil {
			s = &stream{}
			streams[text(f.data, "/runId")] = s
		}
		if !s.over {
			s.events = append(s.events, told{f.event, f.id})
			s.over = terminal(f.event)
			return
		}
		for s.next < len(s.events) {
			one := s.events[s.next]
			s.next++
			if one.event == f.event {
				f.id, f.data["sequence"] = one.id, wire.Raw(one.id)
				break
			}
		}
		if terminal(f.event) {
			s.next = 0
		}
	})(e)
}

func terminal(event string) bool {
	return event == "run.completed" || event == "run.failed" || event == "run.cancelled"
}

// renamingReplays gives a run that was told before another id.
func renamingReplays(e *edges) {
	var told sync.Map
	onAnswer(func(r *http.Request, a *reply) {
		if r.RequestURI != "/v1/runs" || a.status != http.StatusOK {
			return
		}
		a.body = changed(a.body, func(o object) {
			if _, again := told.LoadOrStore(o["runId"], true); again {
				o["runId"] = uuid.NewString()
			}
		})
	})(e)
}

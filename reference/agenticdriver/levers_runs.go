package agenticdriver

import (
	"bytes"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// emitter takes the events of a run on their way to its queue, where they are
// numbered and timed.
type emitter = func(protocol.RunEvent)

// onRun goes around the events of each run, streamed or not.
func onRun(around func(r *run.Run, next emitter) emitter) func(*edges) {
	return func(e *edges) {
		inner := e.events
		e.events = func(r *run.Run, next emitter) emitter {
			if inner != nil {
				next = inner(r, next)
			}
			return around(r, next)
		}
	}
}

// onEvent handles each event of one kind; next lets it pass.
func onEvent[E protocol.RunEvent](do func(next emitter, ev E)) func(*edges) {
	return onRun(func(_ *run.Run, next emitter) emitter {
		return func(ev protocol.RunEvent) {
			if one, ok := ev.(E); ok {
				do(next, one)
				return
			}
			next(ev)
		}
	})
}

// onResult changes the results of runs.
func onResult(change func(r *run.Run, result *protocol.RunResult)) func(*edges) {
	return onRun(func(r *run.Run, next emitter) emitter {
		return func(ev protocol.RunEvent) {
			if done, ok := ev.(*protocol.RunCompleted); ok {
				change(r, &done.Result)
			}
			next(ev)
		}
	})
}

// onEnd changes how runs fail or are cancelled.
func onEnd(change func(f *protocol.RunFailed)) func(*edges) {
	return onEvent(func(next emitter, f *protocol.RunFailed) {
		change(f)
		next(f)
	})
}

// delayed holds an event of one kind back until one of another kind, or the
// run's end, has passed.
func delayed[Held, Until protocol.RunEvent]() func(*edges) {
	return onRun(func(_ *run.Run, next emitter) emitter {
		var held protocol.RunEvent
		return func(ev protocol.RunEvent) {
			if _, ok := ev.(Held); ok && held == nil {
				held = ev
				return
			}
			result, failed := run.Terminal(ev)
			over := result != nil || failed != nil
			if _, ok := ev.(Until); held != nil && ok && !over {
				next(ev)
				next(held)
				held = nil
				return
			}
			if held != nil && over {
				next(held)
				held = nil
			}
			next(ev)
		}
	})
}

// frame is one frame of an event stream.
type frame struct {
	before    []byte // lines to write before the others
	id, event string
	data      object
}

// onFrame changes the frames of streams.
func onFrame(change func(f *frame)) func(*edges) { return exchange{frame: change}.apply }

// changeFrames changes frames that appendFrame has written; comments stay.
func changeFrames(b []byte, change func(*frame)) []byte {
	var out []byte
	for one := range bytes.SplitSeq(bytes.TrimSuffix(b, []byte("\n\n")), []byte("\n\n")) {
		out = append(append(out, changeFrame(one, change)...), "\n\n"...)
	}
	return out
}

func changeFrame(b []byte, change func(*frame)) []byte {
	var f frame
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch string(name) {
		case "id":
			f.id = string(value)
		case "event":
			f.event = string(value)
		case "data":
			data := changed(value, func(o object) {
				f.data = o
				change(&f)
			})
			return append(append(f.before, "id: "+f.id+"\nevent: "+f.event+"\ndata: "...), data...)
		}
	}
	return b
}

package agenticdriver

import (
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// order holds the events of a run to their order:
//
//	run      = run.started context* step* end
//	context  = run.progress{context}                 only when the run retrieves
//	step(n)  = step.started{n}                       n = 1, 2, 3 …
//	           ( text.delta | run.progress{model} )*
//	           usage.reported{n}?
//	           text.delta?                           only if there was none in this step
//	           call*
//	call     = tool.called
//	           ( approval.requested approval.resolved )?
//	           tool.execution.requested?
//	           run.progress{tool}*
//	           tool.completed
//	end      = run.completed | run.failed | run.cancelled
//
// run.completed follows a step without calls and tells its number and its text; the other two may come at any time.
type order struct {
	request *value.Object
	started bool
	step    int64
	deltas  strings.Builder // texts of this step
	any     bool            // there was a delta in this step
	usage   bool            // this step has reported its usage
	closed  bool            // this step takes no more texts
	calls   int             // of this step
	call    *call           // under way
	ids     map[string]bool
}

// call is a tool call that is not completed yet.
type call struct {
	id       string
	approval string // requested, resolved or ""
	sent     bool   // to the application
}

func newOrder(request *value.Object) *order {
	return &order{request: request, ids: make(map[string]bool)}
}

func (o *order) take(kind string, event *value.Object) []protocol.Breach {
	wrong := func(format string, args ...any) []protocol.Breach { return breach("AD-S07", format, args...) }
	if kind == "run.started" {
		if o.started {
			return wrong("run.started came a second time")
		}
		o.started = true
		return nil
	}
	o.started = true // AD-S02 says what comes first
	switch kind {
	case "step.started":
		return o.stepStarted(event)
	case "text.delta":
		late := o.closed || o.usage && o.any
		o.any, o.closed = true, o.usage
		o.deltas.WriteString(text(event, "text"))
		switch {
		case o.step == 0 || o.call != nil || o.calls > 0:
			return wrong("text.delta came outside the text of a step")
		case late:
			return wrong("text.delta came after the usage of a step that had streamed its text")
		}
	case "run.progress":
		return o.progress(text(event, "phase"))
	case "usage.reported":
		n, _ := number(event, "step")
		switch {
		case o.step == 0 || n != o.step:
			return wrong("usage.reported is about step %d in step %d", n, o.step)
		case o.usage || o.calls > 0:
			return wrong("usage.reported came twice in a step, or after a call")
		}
		o.usage = true
	case "tool.called":
		id := text(object(event, "call"), "id")
		switch {
		case o.step == 0 || o.call != nil:
			return wrong("tool.called came before the call under way was completed, or outside a step")
		case o.ids[id]:
			return wrong("the call id %q came a second time", id)
		}
		o.ids[id], o.calls, o.call = true, o.calls+1, &call{id: id}
	case "approval.requested", "approval.resolved", "tool.execution.requested":
		return o.within(kind, event)
	case "tool.completed":
		id := text(event, "callId")
		if o.call == nil || o.call.id != id {
			return wrong("tool.completed of %q came without its tool.called", id)
		}
		open := o.call.approval == "requested"
		o.call = nil
		if open {
			return wrong("tool.completed of %q came before its approval was resolved", id)
		}
	case "run.completed":
		return o.completed(object(event, "result"))
	case "run.failed", "run.cancelled":
		if o.call != nil && o.call.approval == "requested" && text(object(event, "error"), "code") != "APPROVAL_AUDIT_FAILED" {
			return wrong("%s came while an approval was open, without approval.resolved", kind)
		}
	}
	return nil
}

func (o *order) stepStarted(event *value.Object) []protocol.Breach {
	n, _ := number(event, "step")
	switch {
	case n != o.step+1:
		return breach("AD-S07", "step %d started after step %d", n, o.step)
	case o.call != nil:
		return breach("AD-S07", "step %d started before the call %q was completed", n, o.call.id)
	case o.step > 0 && o.calls == 0:
		return breach("AD-S07", "step %d started although step %d had no calls", n, o.step)
	}
	o.step, o.any, o.usage, o.closed, o.calls = n, false, false, false, 0
	o.deltas.Reset()
	return nil
}

func (o *order) progress(phase string) []protocol.Breach {
	switch _, retrieves := o.request.Get("retrieval"); phase {
	case "context":
		if o.step > 0 || !retrieves {
			return breach("AD-S07", "progress of the context came in step %d, or in a run that retrieves nothing", o.step)
		}
	case "model":
		if o.step == 0 || o.calls > 0 {
			return breach("AD-S07", "progress of the model came outside the text of a step")
		}
	case "tool":
		if o.call == nil || o.call.approval == "requested" {
			return breach("AD-S07", "progress of a tool came outside its call")
		}
	}
	return nil
}

// within takes what comes between tool.called and tool.completed.
func (o *order) within(kind string, event *value.Object) []protocol.Breach {
	wrong := func(format string, args ...any) []protocol.Breach { return breach("AD-S07", format, args...) }
	id := text(object(event, "resolution"), "callId")
	if kind != "approval.resolved" {
		about := object(event, "approval")
		if kind == "tool.execution.requested" {
			about = object(event, "execution")
		}
		id = text(object(about, "call"), "id")
	}
	switch {
	case o.call == nil || o.call.id != id:
		return wrong("%s of %q came outside its call", kind, id)
	case kind == "approval.requested":
		if o.call.approval != "" || o.call.sent {
			return wrong("approval.requested of %q came a second time, or after the call was sent", id)
		}
		o.call.approval = "requested"
	case kind == "approval.resolved":
		if o.call.approval != "requested" {
			return wrong("approval.resolved of %q came without its approval.requested", id)
		}
		o.call.approval = "resolved"
	default:
		if o.call.approval == "requested" || o.call.sent {
			return wrong("tool.execution.requested of %q came before its approval was resolved, or twice", id)
		}
		o.call.sent = true
	}
	return nil
}

func (o *order) completed(result *value.Object) []protocol.Breach {
	steps, _ := number(result, "steps")
	whole := text(result, "text")
	switch {
	case o.step == 0 || o.call != nil || o.calls > 0:
		return breach("AD-S07", "run.completed does not follow a step without calls")
	case steps != o.step:
		return breach("AD-S07", "the result tells %d steps, the last one was %d", steps, o.step)
	case o.any && o.deltas.String() != whole:
		return breach("AD-S08", "the deltas of the last step make up %d bytes, the text of the result has %d, and they differ", o.deltas.Len(), len(whole))
	}
	if _, keyed := o.request.Get("idempotencyKey"); !o.any && whole != "" && !keyed {
		return breach("AD-S15", "the text of the result came in no text.delta")
	}
	return nil
}

package client

import (
	"encoding/json"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// order holds the events of a run to their order and to what was asked for.
type order struct {
	client     *Client
	request    *agenticdriver.RunRequest
	reading    []wire.Option
	stream     insist // INVALID_STREAM
	unknown    insist // UNSUPPORTED_EVENT
	run        string // id, "" before the first event
	sequence   int64  // of the last event
	ended      bool
	executions map[string]bool // ids of tool executions
	calls      map[string]bool // ids of their calls
}

func newOrder(c *Client, q *agenticdriver.RunRequest) *order {
	return &order{
		client: c, request: q, reading: c.reading(),
		stream: insist{c.policy, codeStream}, unknown: insist{c.policy, codeEvent},
		executions: make(map[string]bool), calls: make(map[string]bool),
	}
}

// take reads one event. It gives nil for one that is passed over.
func (o *order) take(data []byte) (agenticdriver.RunEvent, error) {
	data = o.client.policy.text(data)
	event, err := agenticdriver.DecodeRunEvent(data, o.reading...)
	if err != nil {
		return nil, o.undecoded(data, err)
	}
	if !o.client.policy.takes(event) {
		return nil, fail(codeStream, "event %d is not taken", o.sequence+1)
	}
	head := envelopeOf(event)
	if err := o.advance(event, head); err != nil {
		return nil, err
	}
	switch e := event.(type) {
	case *agenticdriver.OptionalEvent:
		if o.client.policy.noOptional {
			err = o.unknown.broken(RuleKnown, fail(codeEvent, "the event %s is not known", e.Type))
		}
		return nil, err
	case *agenticdriver.RunStarted:
		err = o.stream.on(RuleProvider, e.Provider == o.request.Provider && e.Model == o.request.Model, "run.started names another provider or model")
	case *agenticdriver.ApprovalRequested:
		err = o.approval(e)
	case *agenticdriver.ApprovalResolved:
		err = first(
			o.unknown.on(RuleNegotiated, o.request.Approvals != nil, "approval.resolved in a run without approvals"),
			o.stream.on(RuleApproval, e.Resolution.RunID == head.run, "the resolved approval is of another run"))
	case *agenticdriver.ToolExecutionRequested:
		err = o.execution(e)
	case *agenticdriver.RunCompleted:
		o.ended = true
		err = o.stream.result(o.request, &e.Result, head.run)
	case *agenticdriver.RunFailed:
		o.ended = true
	}
	if err != nil {
		return nil, err
	}
	return event, nil
}

// undecoded tells what is wrong with an event that is no RunEvent: its type may be one that this client does not know.
func (o *order) undecoded(data []byte, err error) error {
	if head, ok := foreign(data); ok {
		if o.client.policy.waives(RuleKnown) {
			o.sequence++
			return o.stream.on(RuleSequence, head.sequence == o.sequence, "the sequence is %d, expected %d", head.sequence, o.sequence)
		}
		return o.unknown.broken(RuleKnown, fail(codeEvent, "an event of an unknown type that is not optional").because(err))
	}
	if o.client.policy.waives(RuleEvent) {
		o.sequence++
		return nil
	}
	return o.stream.broken(RuleEvent, fail(codeStream, "event %d breaks the document: %s", o.sequence+1, brief(err)).because(err))
}

// advance holds an event to the ones before.
func (o *order) advance(event agenticdriver.RunEvent, head envelope) error {
	_, starts := event.(*agenticdriver.RunStarted)
	isFirst := o.sequence == 0
	if isFirst {
		o.run = head.run
	}
	o.sequence++
	want := o.sequence
	if o.client.policy.waives(RuleSequence) {
		o.sequence = max(head.sequence, 1)
	}
	if head.run != "" && head.sequence == want && head.run == o.run && starts == isFirst {
		return nil // of nearly every event; nothing is put into words for it
	}
	return first(
		o.stream.on(RuleEvent, head.run != "", "event %d names no run", want),
		o.stream.on(RuleSequence, head.sequence == want, "the sequence is %d, expected %d", head.sequence, want),
		o.stream.on(RuleRun, head.run == o.run, "event %d is of another run", want),
		o.stream.on(RuleStart, starts == isFirst, "event %d is run.started: %t", want, starts),
	)
}

func (o *order) approval(e *agenticdriver.ApprovalRequested) error {
	policy := o.request.Approvals
	if policy == nil {
		return o.unknown.on(RuleNegotiated, false, "approval.requested in a run without approvals")
	}
	return o.stream.on(RuleApproval, e.Approval.RunID == o.run && e.Approval.IdlePolicy == policy.IdlePolicy,
		"the approval is of another run or has another idle policy")
}

func (o *order) execution(e *agenticdriver.ToolExecutionRequested) error {
	if len(o.request.ApplicationTools) == 0 {
		return o.unknown.on(RuleNegotiated, false, "tool.execution.requested in a run without application tools")
	}
	id, call := e.Execution.ExecutionID, e.Execution.Call
	isNew := !o.executions[id] && !o.calls[call.ID]
	o.executions[id], o.calls[call.ID] = true, true
	return first(
		o.stream.on(RuleExecution, e.Execution.RunID == o.run, "the tool execution is of another run"),
		o.stream.on(RuleExecution, o.offers(call.Name), "the tool execution is of a tool that this run does not offer"),
		o.stream.on(RuleExecution, isNew, "the tool execution repeats the id of an earlier one or of its call"),
		o.stream.on(RuleExecution, len(o.executions) <= maxExecutions, "there are more than %d tool executions", maxExecutions),
	)
}

// offers tells whether an application tool is defined and selected.
func (o *order) offers(name string) bool {
	defined, selected := false, false
	for i := range o.request.ApplicationTools {
		defined = defined || o.request.ApplicationTools[i].Name == name
	}
	for _, tool := range o.request.Tools {
		selected = selected || tool == name
	}
	return defined && selected
}

// envelope is what every event has.
type envelope struct {
	run      string
	sequence int64
}

func envelopeOf(event agenticdriver.RunEvent) envelope {
	switch e := event.(type) {
	case *agenticdriver.ApprovalRequested:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.ApprovalResolved:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.OptionalEvent:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.RunCompleted:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.RunFailed:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.RunProgress:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.RunStarted:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.StepStarted:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.TextDelta:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.ToolCalled:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.ToolCompleted:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.ToolExecutionRequested:
		return envelope{e.RunID, e.Sequence}
	case *agenticdriver.UsageReported:
		return envelope{e.RunID, e.Sequence}
	}
	return envelope{}
}

// known are the types of events that are never passed over, whatever they say of themselves.
var known = map[string]bool{
	"run.started": true, "step.started": true, "text.delta": true, "run.progress": true, "tool.called": true,
	"tool.completed": true, "usage.reported": true, "run.completed": true, "run.failed": true, "run.cancelled": true,
	"approval.requested": true, "approval.resolved": true, "tool.execution.requested": true,
}

// foreign reads the envelope of an event whose type is not known; ok tells that it is such an event and the envelope is
// whole.
func foreign(data []byte) (head envelope, ok bool) {
	var members map[string]json.RawMessage // names in Go structs would match in any case
	if json.Unmarshal(data, &members) != nil {
		return head, false
	}
	var kind, stamp string
	var optional bool
	for name, into := range map[string]any{"type": &kind, "runId": &head.run, "sequence": &head.sequence, "timestamp": &stamp} {
		if raw, has := members[name]; !has || string(raw) == "null" || json.Unmarshal(raw, into) != nil {
			return head, false
		}
	}
	if raw, has := members["optional"]; has && (string(raw) == "null" || json.Unmarshal(raw, &optional) != nil) {
		return head, false
	}
	whole := kind != "" && !known[kind] && head.run != "" && head.sequence > 0 && wire.Format("date-time", []byte(stamp))
	return head, whole
}

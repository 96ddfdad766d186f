package run

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf16"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
)

// Bounds of tool calls.
const (
	maxCalls    = 32      // in one turn
	maxCallSize = 128_000 // bytes of JSON of a call that somebody outside is asked about
	maxCallID   = 256     // UTF-16 code units
)

// calls carries out the calls of a turn, one after another, once all of them
// have been checked.
func (x *execution) calls(turn model.Turn) error {
	singly := x.engine.Policy.CheckedSingly
	if !singly {
		if err := x.checkCalls(turn.Calls); err != nil {
			return err
		}
	}
	x.messages = append(x.messages, model.Message{Role: model.Assistant, Content: turn.Text, Calls: turn.Calls})
	for i := range turn.Calls {
		c := &turn.Calls[i]
		if singly {
			if err := x.checkCalls(turn.Calls[i : i+1]); err != nil {
				return err
			}
		}
		output, err := x.call(c)
		if err != nil {
			return err
		}
		x.messages = append(x.messages, model.Message{Role: model.ToolRole, Content: string(output), CallID: c.ID})
	}
	return nil
}

func (x *execution) checkCalls(calls []model.ToolCall) error {
	policy := x.engine.Policy
	if len(calls) > maxCalls && !policy.Unlimited {
		return failure.Newf(protocol.ErrorCodeTOOLLIMIT, "The model asked for more than %d tool calls at once.", maxCalls)
	}
	for i := range calls {
		c := &calls[i]
		host, app := x.Plan.host[c.Name], x.Plan.apps[c.Name]
		if host == nil && app == nil && policy.UnlistedCalled {
			host = x.engine.Tools[c.Name]
			x.Plan.host[c.Name] = host
		}
		if host == nil && app == nil {
			return failure.New(protocol.ErrorCodeTOOLNOTALLOWED, "The model asked for a tool that the run does not have.")
		}
		n := len(utf16.Encode([]rune(c.ID)))
		if n == 0 || n > maxCallID || x.callIDs[c.ID] && !policy.IDsUnchecked {
			return failure.New(protocol.ErrorCodeINVALIDTOOLCALL, "The model gave a tool call no id of its own.")
		}
		x.callIDs[c.ID] = true
		if c.Arguments.Valid() != nil || c.Arguments.Kind() != wire.KindObject {
			return failure.New(protocol.ErrorCodeINVALIDTOOLARGUMENTS, "The model's arguments are no object.")
		}
		input := host.inputOr(app)
		if !input.Valid(c.Arguments) && !policy.ArgumentsUnchecked {
			return failure.New(protocol.ErrorCodeINVALIDTOOLARGUMENTS, "The model's arguments are not valid by the tool's input schema.")
		}
	}
	return nil
}

// call carries out one call and gives its output.
func (x *execution) call(c *model.ToolCall) (wire.Raw, error) {
	x.progress = time.Time{}
	x.emit(&protocol.ToolCalled{Call: protocol.CalledTool{ID: c.ID, Name: c.Name, Arguments: c.Arguments}})
	host, app := x.Plan.host[c.Name], x.Plan.apps[c.Name]
	told := protocol.ToolCall{ID: c.ID, Name: c.Name}
	if err := json.Unmarshal(c.Arguments, &told.Arguments); err != nil {
		return nil, err
	}
	asks := host != nil && host.RequiresApproval || app != nil && app.needsApproval
	if asks {
		if err := x.approval(told); err != nil {
			if x.engine.Policy.DeniedToolRuns && host != nil && x.Plan.Request.Approvals != nil {
				_, _ = x.runHost(host, c)
				x.uncertain = false
			}
			return nil, err
		}
	}
	if x.ctx.Err() != nil {
		return nil, context.Cause(x.ctx)
	}
	var output wire.Raw
	var err error
	if host != nil {
		output, err = x.runHost(host, c)
		if asks && x.engine.Policy.ApprovedRunsTwice {
			output, err = x.runHost(host, c)
		}
	} else {
		output, err = x.runApplication(app, told)
	}
	if err != nil {
		return nil, err
	}
	x.uncertain = false
	x.idle.reset()
	x.emit(&protocol.ToolCompleted{CallID: c.ID, Output: output})
	return output, nil
}

func (x *execution) runHost(t *HostTool, c *model.ToolCall) (wire.Raw, error) {
	x.uncertain = true
	output, err := t.do(x.ctx, x.Plan.Request.Input, c.Arguments)
	if err == nil && x.ctx.Err() != nil {
		err = context.Cause(x.ctx)
	}
	if err == nil && len(output) > maxHostOutput {
		err = failure.New(protocol.ErrorCodeTOOLOUTPUTLIMIT, "The tool's output is too large.")
	}
	return output, err
}

func (x *execution) runApplication(t *appTool, call protocol.ToolCall) (wire.Raw, error) {
	if len(call.AppendJSON(nil)) > maxCallSize {
		return nil, failure.New(protocol.ErrorCodeINVALIDTOOLCALL, "The model's call is too large.")
	}
	alive := make(chan struct{}, 1)
	one := &pending.Execution{RunID: x.ID, CallID: call.ID, Tool: call.Name, Provider: x.Plan.Provider.ID, Output: t.output,
		Progress: func() {
			x.idle.reset()
			select {
			case alive <- struct{}{}:
			default:
			}
		}}
	if err := x.engine.Executions.Open(x.Principal, one); err != nil {
		return nil, err
	}
	defer x.engine.Executions.Close(one)
	x.uncertain = true
	x.emit(&protocol.ToolExecutionRequested{Execution: protocol.ToolExecutionRequest{ExecutionID: one.ID, RunID: x.ID, Call: call}})
	for {
		select {
		case r := <-one.Result:
			return r.Output, r.Err
		case <-alive:
			x.showProgress(protocol.RunProgressPhaseTool)
		case <-x.ctx.Done():
			return nil, context.Cause(x.ctx)
		}
	}
}

// approval asks whether a call may be carried out; nil if so.
func (x *execution) approval(call protocol.ToolCall) error {
	policy := x.Plan.Request.Approvals
	if policy == nil {
		return failure.New(protocol.ErrorCodeAPPROVALREQUIRED, "The tool needs an approval, and the run takes none.")
	}
	if len(call.AppendJSON(nil)) > maxCallSize {
		return failure.New(protocol.ErrorCodeINVALIDTOOLCALL, "The model's call is too large.")
	}
	one, err := x.engine.Approvals.Open(x.Principal, x.Plan.Provider.ID, x.ID, call, policy)
	if err != nil {
		return err
	}
	x.emit(&protocol.ApprovalRequested{Approval: one.Request})
	if policy.IdlePolicy == protocol.IdlePolicyPause {
		x.idle.stop()
	}
	resolution := x.await(one)
	x.emit(&protocol.ApprovalResolved{Resolution: resolution})
	switch resolution.Outcome {
	case protocol.ApprovalOutcomeApproved:
		if policy.IdlePolicy == protocol.IdlePolicyPause {
			x.idle.resume()
		} else {
			x.idle.reset()
		}
		return nil
	case protocol.ApprovalOutcomeDenied:
		return failure.New(protocol.ErrorCodeAPPROVALDENIED, "The call was denied.")
	case protocol.ApprovalOutcomeExpired:
		return failure.New(protocol.ErrorCodeAPPROVALEXPIRED, "Nobody decided on the call in time.")
	}
	cancelled := failure.New(protocol.ErrorCodeCANCELLED, "The run was cancelled.")
	x.cancel(cancelled) // does nothing if that is why
	return cancelled
}

// await gives how the approval ended: by a decision, its deadline, or the run's
// end.
func (x *execution) await(one *pending.Approval) protocol.ApprovalResolution {
	var expired <-chan time.Time
	if left, ok := one.Left(); ok {
		timer := time.NewTimer(left)
		defer timer.Stop()
		expired = timer.C
	}
	why := protocol.ApprovalOutcomeExpired
	select {
	case r := <-one.Decision:
		return r
	case <-x.ctx.Done():
		why = protocol.ApprovalOutcomeCancelled
	case <-expired:
	}
	if r, closed := x.engine.Approvals.Close(one, why); closed {
		return r
	}
	return <-one.Decision // it came first
}

package comitiva

import (
	"errors"
	"strings"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/comitiva/history"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
	"github.com/hallmark-kit/hallmark/reference/comitiva/tools"
)

// turn plays one run: model calls and tool calls in turns, until the model has
// nothing more to ask for.
type turn struct {
	*run
	req    *protocol.RunStart
	target target

	call    provider.Call
	catalog catalog
	gate    tools.Gate
	usage   *usage
}

// noModelText is the message of a run that fails for want of a model.
const noModelText = "Neither the agent nor the connection names a model."

// defaultIterations is how many model calls a run may make when its agent does
// not say.
const defaultIterations = 25

func (t *turn) play() {
	model := t.req.Agent.Model.Or(t.target.defaultModel)
	if model == "" {
		t.fail(protocol.ErrorCodeInvalidRequest, noModelText, false)
		return
	}
	stored, err := storedMessages(t.req.Messages)
	if err == nil {
		t.call.Messages, err = history.Normalise(stored)
	}
	if err != nil {
		t.failWith(err)
		return
	}
	params := t.req.Agent.Params
	t.call.Model, t.call.System = model, t.req.Agent.Role
	t.call.Temperature, t.call.TopP, t.call.MaxTokens = pointer(params.Temperature), pointer(params.TopP), pointer(params.MaxTokens)
	t.gate = t.s.policy.gate(tools.Policy(t.req.Agent.PermissionPolicy), t.req.AlwaysAllowed)

	leases := make([]*tools.Lease, len(t.req.ToolServers))
	for i, server := range t.req.ToolServers {
		leases[i] = t.s.tools.Acquire(launch(server), roots(t.req.Agent.Roots))
		defer leases[i].Release()
	}
	if !t.openCatalog(leases) {
		return
	}
	t.usage = &usage{add: t.s.policy.addUsage}
	stop, err := t.loop(int(params.MaxToolIterations.Or(defaultIterations)))
	if err != nil {
		t.failWith(err)
		return
	}
	t.end(t.usage.event(model), &protocol.RunDone{StopReason: stop})
}

// openCatalog waits for the tool servers and puts their tools together; false:
// the run has ended.
func (t *turn) openCatalog(leases []*tools.Lease) bool {
	for i, lease := range leases {
		offered, err := lease.Tools(t.ctx)
		var failed *tools.StartError
		if errors.As(err, &failed) {
			if failed = t.s.policy.noServer(failed); failed != nil {
				t.fail(protocol.ErrorCodeToolServerFailed, failed.Message, !failed.Stopped)
				return false
			}
		} else if err != nil {
			t.failWith(err)
			return false
		}
		l := launch(t.req.ToolServers[i])
		t.catalog.add(t.s.policy, l, lease, offered)
	}
	t.call.Tools = t.catalog.offered(t.gate)
	return true
}

// loop makes model calls until one asks for no tools, or the limit is reached.
// An error ends the run; that of the context, as cancelled.
func (t *turn) loop(limit int) (protocol.StopReason, error) {
	for n := 1; ; n++ {
		reply, said, err := t.ask()
		switch {
		case err != nil:
			return "", err
		case len(reply.ToolUses) == 0, reply.Stop == provider.MaxTokens, reply.Stop == provider.Refusal:
			return protocol.StopReason(reply.Stop), nil
		case n >= limit:
			return protocol.StopReasonMaxIterations, nil
		}
		results := make([]provider.ToolResult, len(reply.ToolUses))
		going := t.s.policy.eachCall(reply.ToolUses, func(i int) bool {
			result, ok := t.callTool(reply.ToolUses[i])
			results[i] = result
			return ok
		})
		if !going {
			return "", t.ctx.Err()
		}
		answer := provider.Message{Role: provider.Assistant, ToolUses: reply.ToolUses}
		if said != "" {
			answer.Parts = []provider.Part{{Text: said}}
		}
		t.call.Messages = append(t.call.Messages, answer, provider.Message{Role: provider.ToolTurn, Results: results})
	}
}

// ask makes one model call, writing what arrives, and counts its usage.
func (t *turn) ask() (provider.Reply, string, error) {
	sink := &sink{turn: t}
	reply, err := t.target.adapter.Stream(t.ctx, t.target.endpoint, t.call, sink)
	t.usage.count(t.call, reply, sink.text.Len()+sink.input, err)
	return reply, sink.text.String(), err
}

// sink writes what a model call produces as events of the run.
type sink struct {
	*turn
	text  strings.Builder
	input int // bytes of tool inputs
}

func (s *sink) Text(text string) {
	if text == "" {
		return
	}
	s.text.WriteString(text)
	s.emit(&protocol.RunTextDelta{Text: text})
}

func (s *sink) ToolUse(use provider.ToolUse) {
	s.input += len(use.Input)
	block := &protocol.ToolUseBlock{ID: use.ID, Name: use.Name, Input: wire.Raw(use.Input)}
	if tool, ok := s.catalog.find(use.Name, s.gate); ok {
		block.ToolServerID = tool.server.ID
	}
	s.emit(&protocol.RunBlock{Block: block})
}

// failWith ends the run for an error of package provider. Any other error is
// that of the run's own context: end makes the run a cancelled one.
func (t *turn) failWith(err error) {
	var known *provider.Error
	if errors.As(err, &known) {
		t.fail(protocol.ErrorCode(known.Code), known.Message, known.Retryable)
		return
	}
	t.fail(protocol.ErrorCodeInternal, "The run failed unexpectedly.", false)
}

func (t *turn) fail(code protocol.ErrorCode, message string, retryable bool) {
	var used *protocol.RunUsage
	if t.usage != nil {
		used = t.usage.event(t.call.Model)
	}
	t.end(used, &protocol.RunError{Code: code, Message: message, Retryable: retryable})
}

func pointer[T any](o wire.Opt[T]) *T {
	if !o.Set {
		return nil
	}
	return &o.Value
}

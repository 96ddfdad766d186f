package comitiva

import (
	"bytes"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
	"github.com/hallmark-kit/hallmark/reference/comitiva/tools"
)

// callTool carries out one call that the model asks for, with permission where
// that is needed, and writes its events. False: the run is cancelled.
func (t *turn) callTool(use provider.ToolUse) (provider.ToolResult, bool) {
	out, took, ok := t.carryOut(use)
	if !ok {
		return provider.ToolResult{}, false
	}
	event := &protocol.RunToolResult{ToolUseID: use.ID, IsError: out.IsError, DurationMs: whole(took), Output: []protocol.ResultBlock{}}
	result := provider.ToolResult{ToolUseID: use.ID, Name: use.Name, IsError: out.IsError}
	for _, b := range out.Blocks {
		if b.MediaType == "" {
			event.Output = append(event.Output, &protocol.TextBlock{Text: b.Text})
		} else {
			event.Output = append(event.Output, &protocol.ImageBlock{Source: &protocol.Base64Source{MediaType: b.MediaType, Data: b.Data}})
		}
		result.Parts = append(result.Parts, provider.Part{Text: b.Text, MediaType: b.MediaType, Data: b.Data})
	}
	t.emit(event)
	return result, true
}

func (t *turn) carryOut(use provider.ToolUse) (out tools.Output, took time.Duration, ok bool) {
	tool, known := t.catalog.find(use.Name, t.gate)
	if !known {
		return tools.Unknown(), 0, true
	}
	input := bytes.TrimSpace(use.Input)
	if len(input) == 0 || input[0] != '{' {
		return tools.Unreadable(), 0, true
	}
	verdict := t.gate.Check(tool.server.ID, tool.tool.Name, tool.readOnly)
	if verdict == tools.Refuse {
		return tools.Denied(), 0, true
	}
	announcement := &protocol.RunToolCall{ToolUseID: use.ID, ToolServerID: tool.server.ID, ToolName: tool.tool.Name,
		Input: wire.Raw(use.Input), RequiresApproval: verdict == tools.AskFor}
	if verdict == tools.AskFor {
		decided := t.await(use.ID) // before the shell can know of it
		t.emit(announcement)
		select {
		case decision := <-decided:
			switch decision {
			case protocol.DecisionAllow:
			case protocol.DecisionAllowAlways:
				t.gate.Allow(tool.server.ID, tool.tool.Name)
			default:
				return tools.Denied(), 0, true
			}
		case <-t.ctx.Done():
			return tools.Output{}, 0, false
		}
	} else {
		t.emit(announcement)
	}
	begin := time.Now()
	out, err := tool.lease.Call(t.ctx, tool.tool.Name, use.Input)
	return out, time.Since(begin), err == nil
}

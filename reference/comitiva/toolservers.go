package comitiva

import (
	"errors"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/comitiva/tools"
)

// startToolServer answers toolServer.start. The server stays for later runs.
func (s *server) startToolServer(req *protocol.ToolServerStart, answer reply) {
	lease := s.tools.Acquire(launch(req.ToolServer), roots(req.Roots))
	s.aside(answer, func(answer reply) {
		defer lease.Release()
		offered, err := lease.Tools(s.ctx)
		var failed *tools.StartError
		switch {
		case err == nil:
			answer(toolList(offered), nil)
		case errors.As(err, &failed):
			answer(nil, startError(failed))
		}
		// Otherwise the runner is stopping, and nobody waits for an answer.
	})
}

func startError(err *tools.StartError) *protocol.AppError {
	return &protocol.AppError{Code: protocol.ErrorCodeToolServerFailed, Message: err.Message, Retryable: !err.Stopped}
}

func toolList(offered []tools.Tool) []*protocol.ToolDef {
	list := make([]*protocol.ToolDef, len(offered))
	for i, t := range offered {
		def := &protocol.ToolDef{Name: t.Name, Title: given(t.Title), Description: given(t.Description), InputSchema: wire.Raw(t.Schema)}
		if a := t.Annotations; a != nil {
			def.Annotations = &protocol.ToolAnnotations{ReadOnlyHint: hint(a.ReadOnly), DestructiveHint: hint(a.Destructive),
				IdempotentHint: hint(a.Idempotent), OpenWorldHint: hint(a.OpenWorld)}
		}
		list[i] = def
	}
	return list
}

func given(text string) wire.Opt[string] {
	return wire.Opt[string]{Value: text, Set: text != ""}
}

func hint(value *bool) wire.Opt[bool] {
	if value == nil {
		return wire.Opt[bool]{}
	}
	return wire.Some(*value)
}

// launch is a tool server as package tools starts it.
func launch(t protocol.ToolServer) tools.Launch {
	switch t := t.(type) {
	case *protocol.StdioToolServer:
		return tools.Launch{ID: t.ID, Name: t.Name, Command: t.Command, Args: t.Args, Env: values(t.Env), Builtin: string(t.Builtin.Or(""))}
	case *protocol.HTTPToolServer:
		return tools.Launch{ID: t.ID, Name: t.Name, URL: t.URL, Headers: values(t.Headers)}
	}
	return tools.Launch{}
}

func values(m wire.Map[string]) map[string]string {
	out := make(map[string]string, len(m))
	for _, e := range m {
		out[e.Name] = e.Value
	}
	return out
}

func roots(list []protocol.Root) []tools.Root {
	var out []tools.Root
	for _, r := range list {
		out = append(out, tools.Root{Path: r.Path, Mode: string(r.Mode)})
	}
	return out
}

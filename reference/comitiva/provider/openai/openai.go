package openai

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

// Adapter is the adapter of the dialect.
type Adapter struct{}

// Probe lists the models.
func (Adapter) Probe(ctx context.Context, e provider.Endpoint) error {
	var any json.RawMessage
	return e.Get(ctx, "/models", &any)
}

// Models lists the models. Some servers say more than an id: OpenRouter and LM
// Studio give a name or the size of the context.
func (Adapter) Models(ctx context.Context, e provider.Endpoint) ([]provider.Model, error) {
	var list struct {
		Data []struct {
			ID            string `json:"id"`
			Name          string `json:"name"`
			ContextLength int64  `json:"context_length"`
		} `json:"data"`
	}
	if err := e.Get(ctx, "/models", &list); err != nil {
		return nil, err
	}
	models := []provider.Model{}
	for _, m := range list.Data {
		if m.ID != "" {
			models = append(models, provider.Model{ID: m.ID, Name: m.Name, ContextWindow: max(m.ContextLength, 0)})
		}
	}
	return models, nil
}

// Stream makes one model call.
func (Adapter) Stream(ctx context.Context, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error) {
	req, err := newRequest(e.Preset, call)
	if err != nil {
		return provider.Reply{}, err
	}
	res, err := e.Post(ctx, "/chat/completions", req)
	if err != nil {
		return provider.Reply{}, err
	}
	defer res.Body.Close()
	s := stream{endpoint: e, sink: sink}
	err = s.read(ctx, provider.NewEvents(res.Body))
	return s.reply(), err
}

type chunk struct {
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Delta struct {
			Content   string     `json:"content"`
			ToolCalls []fragment `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Details    *struct {
			Cached *int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

// fragment is a piece of a tool call: the pieces of one call share an index.
type fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type pending struct {
	index     int
	id, name  string
	arguments strings.Builder
}

type stream struct {
	endpoint provider.Endpoint
	sink     provider.Sink
	calls    []*pending
	uses     []provider.ToolUse
	finish   string
	model    string
	usage    *provider.Usage
}

var doneMark = []byte("[DONE]")

func (s *stream) read(ctx context.Context, events *provider.Events) error {
	for {
		data, err := events.Next()
		switch {
		case errors.Is(err, io.EOF) && s.finish != "":
			// Complete, though the server left the end mark out.
			s.flush()
			return nil
		case err != nil:
			return provider.TransportError(ctx, s.endpoint, err)
		case bytes.Equal(bytes.TrimSpace(data), doneMark):
			s.flush()
			return nil
		}
		if err := s.chunk(data); err != nil {
			return err
		}
	}
}

func (s *stream) chunk(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return provider.Errorf(provider.Failed, "The provider sent an event that is not the JSON that was expected.")
	}
	if len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) {
		return provider.StreamError(s.endpoint, provider.ErrorText(data))
	}
	if c.Model != "" {
		s.model = c.Model
	}
	for _, choice := range c.Choices {
		if choice.Delta.Content != "" {
			s.sink.Text(choice.Delta.Content)
		}
		for _, f := range choice.Delta.ToolCalls {
			s.add(f)
		}
		if choice.FinishReason != "" {
			s.finish = choice.FinishReason
		}
	}
	if u := c.Usage; u != nil {
		s.usage = &provider.Usage{Input: u.Prompt, Output: max(u.Completion, 0)}
		if u.Details != nil && u.Details.Cached != nil {
			cached := max(*u.Details.Cached, 0)
			s.usage.CacheRead = &cached
			s.usage.Input -= cached
		}
		s.usage.Input = max(s.usage.Input, 0)
	}
	return nil
}

// add joins a fragment to its call. A fragment without an index belongs to the
// newest call, unless it brings an id of its own.
func (s *stream) add(f fragment) {
	var call *pending
	for _, c := range s.calls {
		if f.Index != nil && c.index == *f.Index {
			call = c
		}
	}
	if f.Index == nil && f.ID == "" && len(s.calls) > 0 {
		call = s.calls[len(s.calls)-1]
	}
	if call == nil {
		call = &pending{index: len(s.calls)}
		if f.Index != nil {
			call.index = *f.Index
		}
		s.calls = append(s.calls, call)
	}
	if f.ID != "" {
		call.id = f.ID
	}
	if f.Function.Name != "" {
		call.name = f.Function.Name
	}
	call.arguments.WriteString(f.Function.Arguments)
}

// flush hands out the tool calls, complete now that the stream has ended.
func (s *stream) flush() {
	for _, c := range s.calls {
		use := provider.ToolUse{ID: c.id, Name: c.name, Input: provider.Input(c.arguments.String())}
		if use.ID == "" {
			use.ID = "call_" + rand.Text()
		}
		s.uses = append(s.uses, use)
		s.sink.ToolUse(use)
	}
	s.calls = nil
}

func (s *stream) reply() provider.Reply {
	return provider.Reply{Stop: stop(s.finish), ToolUses: s.uses, Usage: s.usage, Model: s.model}
}

func stop(reason string) provider.Stop {
	switch reason {
	case "stop":
		return provider.EndTurn
	case "length":
		return provider.MaxTokens
	case "tool_calls", "function_call":
		return provider.ToolCalls
	case "content_filter":
		return provider.Refusal
	}
	return provider.Other
}

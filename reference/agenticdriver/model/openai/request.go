package openai

import (
	"encoding/json"

	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
)

type request struct {
	Model         string        `json:"model"`
	Messages      []message     `json:"messages"`
	Stream        bool          `json:"stream"`
	StreamOptions streamOptions `json:"stream_options"`
	Tools         []tool        `json:"tools,omitempty"`
	MaxTokens     int64         `json:"max_tokens,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"` // a string, parts, or null beside tool calls
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type toolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string     `json:"type"`
	Function definition `json:"function"`
}

type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func newRequest(call model.Call) request {
	req := request{Model: call.Model, Stream: true, StreamOptions: streamOptions{IncludeUsage: true}, MaxTokens: call.MaxOutputTokens}
	for _, t := range call.Tools {
		req.Tools = append(req.Tools, tool{Type: "function", Function: definition{t.Name, t.Description, json.RawMessage(t.InputSchema)}})
	}
	if call.Instructions != "" {
		req.Messages = append(req.Messages, message{Role: "system", Content: call.Instructions})
	}
	for _, m := range call.Messages {
		req.Messages = append(req.Messages, messageOf(m))
	}
	return req
}

func messageOf(m model.Message) message {
	out := message{Role: string(m.Role), Content: m.Content, ToolCallID: m.CallID}
	if m.Content == "" && len(m.Calls) > 0 {
		out.Content = nil
	}
	if len(m.Parts) > 0 {
		parts := []part{{Type: "text", Text: m.Content}}
		for _, p := range m.Parts {
			parts = append(parts, part{Type: "image_url", ImageURL: &imageURL{"data:" + p.MediaType + ";base64," + p.Data}})
		}
		out.Content = parts
	}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, toolCall{ID: c.ID, Type: "function", Function: function{c.Name, string(c.Arguments)}})
	}
	return out
}

package openai

import (
	"encoding/json"
	"strings"

	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

type request struct {
	Model               string        `json:"model"`
	Messages            []message     `json:"messages"`
	Stream              bool          `json:"stream"`
	StreamOptions       streamOptions `json:"stream_options"`
	Tools               []tool        `json:"tools,omitempty"`
	Temperature         *float64      `json:"temperature,omitempty"`
	TopP                *float64      `json:"top_p,omitempty"`
	MaxTokens           *int64        `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int64        `json:"max_completion_tokens,omitempty"`
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
	Text     *string   `json:"text,omitempty"`
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
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// presetOpenAI is the vendor itself, which names the output limit differently.
const presetOpenAI = "openai"

func newRequest(preset string, call provider.Call) (request, error) {
	req := request{
		Model: call.Model, Stream: true, StreamOptions: streamOptions{IncludeUsage: true},
		Temperature: call.Temperature, TopP: call.TopP, Messages: []message{},
	}
	if preset == presetOpenAI {
		req.MaxCompletionTokens = call.MaxTokens
	} else {
		req.MaxTokens = call.MaxTokens
	}
	for _, t := range call.Tools {
		req.Tools = append(req.Tools, tool{Type: "function",
			Function: toolFunction{Name: t.Name, Description: t.Description, Parameters: t.Schema}})
	}
	if call.System != "" {
		req.Messages = append(req.Messages, message{Role: "system", Content: call.System})
	}
	for _, m := range call.Messages {
		more, err := messages(m)
		if err != nil {
			return request{}, err
		}
		req.Messages = append(req.Messages, more...)
	}
	return req, nil
}

// messages writes one turn: a tool turn is one message a result, followed by a
// user message with the images that the results held, for a tool message takes
// text only.
func messages(m provider.Message) ([]message, error) {
	switch m.Role {
	case provider.User:
		return []message{{Role: "user", Content: content(m.Parts)}}, nil
	case provider.Assistant:
		out := message{Role: "assistant"}
		var text strings.Builder
		for _, p := range m.Parts {
			if p.Image() {
				return nil, provider.Errorf(provider.UnsupportedContent, "This provider takes no image in an assistant message.")
			}
			text.WriteString(p.Text)
		}
		if text.Len() > 0 {
			out.Content = text.String()
		}
		for _, use := range m.ToolUses {
			out.ToolCalls = append(out.ToolCalls, toolCall{ID: use.ID, Type: "function",
				Function: function{Name: use.Name, Arguments: arguments(use.Input)}})
		}
		return []message{out}, nil
	}
	var out []message
	var images []provider.Part
	for _, r := range m.Results {
		var text strings.Builder
		for _, p := range r.Parts {
			if p.Image() {
				images = append(images, p)
				text.WriteString("[image: in the next message]")
				continue
			}
			text.WriteString(p.Text)
		}
		out = append(out, message{Role: "tool", ToolCallID: r.ToolUseID, Content: text.String()})
	}
	if len(images) > 0 {
		out = append(out, message{Role: "user", Content: content(images)})
	}
	return out, nil
}

// content is a plain string for text alone, else a list of parts.
func content(parts []provider.Part) any {
	if len(parts) == 1 && !parts[0].Image() {
		return parts[0].Text
	}
	out := make([]part, 0, len(parts))
	for _, p := range parts {
		if p.Image() {
			out = append(out, part{Type: "image_url", ImageURL: &imageURL{URL: "data:" + p.MediaType + ";base64," + p.Data}})
		} else {
			out = append(out, part{Type: "text", Text: &p.Text})
		}
	}
	return out
}

// arguments is the input as the text that the dialect wants. A JSON string is
// what an unreadable text was kept as: it goes back as it came.
func arguments(input json.RawMessage) string {
	var text string
	if json.Unmarshal(input, &text) == nil {
		return text
	}
	return string(input)
}

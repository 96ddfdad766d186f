package ollama

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

// DefaultBaseURL is where a connection without a base URL is reached.
//
// Source: RunnerRequest.json, the default of the ollama connection's baseUrl.
const DefaultBaseURL = "http://localhost:11434"

// Adapter is the adapter of the dialect.
type Adapter struct{}

// Probe asks for the server's version.
func (Adapter) Probe(ctx context.Context, e provider.Endpoint) error {
	var any json.RawMessage
	return e.Get(ctx, "/api/version", &any)
}

// Models lists the models that the server holds.
func (Adapter) Models(ctx context.Context, e provider.Endpoint) ([]provider.Model, error) {
	var list struct {
		Models []struct {
			Model string `json:"model"`
			Name  string `json:"name"`
		} `json:"models"`
	}
	if err := e.Get(ctx, "/api/tags", &list); err != nil {
		return nil, err
	}
	models := []provider.Model{}
	for _, m := range list.Models {
		id := m.Model
		if id == "" {
			id = m.Name
		}
		if id != "" {
			models = append(models, provider.Model{ID: id, Name: m.Name})
		}
	}
	return models, nil
}

type request struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Stream   bool      `json:"stream"`
	Tools    []tool    `json:"tools,omitempty"`
	Options  *options  `json:"options,omitempty"`
}

type options struct {
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	NumPredict  *int64   `json:"num_predict,omitempty"`
}

type message struct {
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	Images    []string   `json:"images,omitempty"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
	ToolName  string     `json:"tool_name,omitempty"`
}

type toolCall struct {
	ID       string   `json:"id,omitempty"`
	Function function `json:"function"`
}

type function struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
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

func newRequest(call provider.Call) (request, error) {
	req := request{Model: call.Model, Stream: true, Messages: []message{}}
	if call.Temperature != nil || call.TopP != nil || call.MaxTokens != nil {
		req.Options = &options{Temperature: call.Temperature, TopP: call.TopP, NumPredict: call.MaxTokens}
	}
	for _, t := range call.Tools {
		req.Tools = append(req.Tools, tool{Type: "function",
			Function: toolFunction{Name: t.Name, Description: t.Description, Parameters: t.Schema}})
	}
	if call.System != "" {
		req.Messages = append(req.Messages, message{Role: "system", Content: call.System})
	}
	for _, m := range call.Messages {
		if m.Role == provider.ToolTurn {
			for _, r := range m.Results {
				out := join("tool", r.Parts)
				out.ToolName = r.Name
				req.Messages = append(req.Messages, out)
			}
			continue
		}
		out := join(string(m.Role), m.Parts)
		if m.Role == provider.Assistant && len(out.Images) > 0 {
			return request{}, provider.Errorf(provider.UnsupportedContent, "This provider takes no image in an assistant message.")
		}
		for _, use := range m.ToolUses {
			out.ToolCalls = append(out.ToolCalls, toolCall{Function: function{Name: use.Name, Arguments: object(use.Input)}})
		}
		req.Messages = append(req.Messages, out)
	}
	return req, nil
}

// join writes parts as the dialect wants them: one text and a list of images.
func join(role string, parts []provider.Part) message {
	out := message{Role: role}
	var texts []string
	for _, p := range parts {
		if p.Image() {
			out.Images = append(out.Images, p.Data)
		} else {
			texts = append(texts, p.Text)
		}
	}
	separator := "\n\n"
	if role == string(provider.Assistant) {
		separator = "" // pieces of one text that a stream delivered
	}
	out.Content = strings.Join(texts, separator)
	return out
}

// object is the input when it is an object, else an empty one: the dialect
// takes nothing else.
func object(input json.RawMessage) json.RawMessage {
	if trimmed := bytes.TrimSpace(input); len(trimmed) > 0 && trimmed[0] == '{' {
		return input
	}
	return json.RawMessage(`{}`)
}

type line struct {
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Message struct {
		Content   string `json:"content"`
		ToolCalls []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason"`
	Prompt     *int64 `json:"prompt_eval_count"`
	Eval       *int64 `json:"eval_count"`
}

// Stream makes one model call.
func (Adapter) Stream(ctx context.Context, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error) {
	var reply provider.Reply
	req, err := newRequest(call)
	if err != nil {
		return reply, err
	}
	e.Retry = provider.Retry{}
	res, err := e.Post(ctx, "/api/chat", req)
	if err != nil {
		return reply, err
	}
	defer res.Body.Close()
	lines := provider.NewLines(res.Body)
	for {
		data, err := lines.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // the last line says done
			}
			return reply, provider.TransportError(ctx, e, err)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		var l line
		if json.Unmarshal(data, &l) != nil {
			return reply, provider.Errorf(provider.Failed, "The provider sent a line that is not the JSON that was expected.")
		}
		if len(l.Error) > 0 && !bytes.Equal(l.Error, []byte("null")) {
			return reply, provider.StreamError(e, provider.ErrorText(data))
		}
		if l.Model != "" {
			reply.Model = l.Model
		}
		if l.Message.Content != "" {
			sink.Text(l.Message.Content)
		}
		for _, c := range l.Message.ToolCalls {
			use := provider.ToolUse{ID: c.ID, Name: c.Function.Name, Input: input(c.Function.Arguments)}
			if use.ID == "" {
				use.ID = "call_" + rand.Text()
			}
			reply.ToolUses = append(reply.ToolUses, use)
			sink.ToolUse(use)
		}
		if l.Done {
			reply.Stop = stop(l.DoneReason)
			if l.Prompt != nil || l.Eval != nil {
				reply.Usage = &provider.Usage{Input: count(l.Prompt), Output: count(l.Eval)}
			}
			return reply, nil
		}
	}
}

// input is the arguments as they came; some models write them as a text of JSON.
func input(arguments json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(arguments, &text) == nil {
		return provider.Input(text)
	}
	return provider.Input(string(arguments))
}

func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return max(*n, 0)
}

func stop(reason string) provider.Stop {
	switch reason {
	case "stop", "":
		return provider.EndTurn
	case "length":
		return provider.MaxTokens
	}
	return provider.Other
}

package model

import (
	"encoding/json"
	"strconv"
	"strings"
)

// chatRequest is what both dialects' chat requests have in common.
type chatRequest struct {
	number int // of the request
	model  string
	user   string   // text of the last user message
	tools  []string // offered names
	stream bool
	usage  bool // openai: usage was asked for
}

// readChat reads a chat request. It is lenient: what a request must look like is for scenarios to say, which see the
// whole body. ok is false when the body is not a JSON object.
func readChat(dialect Dialect, number int, body []byte) (r *chatRequest, ok bool) {
	var in struct {
		Model    string            `json:"model"`
		Messages []json.RawMessage `json:"messages"`
		Tools    []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
		Stream        *bool `json:"stream"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if json.Unmarshal(body, &in) != nil {
		return nil, false
	}
	r = &chatRequest{number: number, model: in.Model, stream: dialect == Ollama, usage: in.StreamOptions.IncludeUsage}
	if in.Stream != nil {
		r.stream = *in.Stream
	}
	for _, t := range in.Tools {
		r.tools = append(r.tools, t.Function.Name)
	}
	for i := len(in.Messages) - 1; i >= 0; i-- {
		var m struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(in.Messages[i], &m) == nil && m.Role == "user" {
			r.user = contentText(m.Content)
			break
		}
	}
	return r, true
}

// contentText is the text of a message's content: a string, or the text parts of an array.
func contentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// toolName resolves the name of a scripted call against the tools that the request offers.
func (r *chatRequest) toolName(scripted string) string {
	var found []string
	for _, name := range r.tools {
		if name == scripted {
			return name
		}
		if strings.HasSuffix(name, "_"+scripted) {
			found = append(found, name)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return scripted
}

// callID is the id that call i carries; empty: none.
func (r *chatRequest) callID(c *Call, i int) string {
	if c.ID != nil {
		return *c.ID
	}
	return "call_" + strconv.Itoa(r.number) + "_" + strconv.Itoa(i+1)
}

// argumentsText is the arguments as the text that a model wrote.
func (c *Call) argumentsText() string {
	var text string
	switch {
	case c.Arguments == nil:
		return "{}"
	case json.Unmarshal(c.Arguments, &text) == nil:
		return text
	}
	return string(c.Arguments)
}

// piece is one step of a streamed answer.
type piece struct {
	wait  string // gate to wait at first
	bytes []byte // what to send then; nil: nothing, and the piece is no chunk
}

// wire turns turns into the bytes of a dialect.
type wire interface {
	contentType(stream bool) string
	pieces(t *Turn, r *chatRequest) []piece // the content, chunk by chunk
	end(t *Turn, r *chatRequest) []byte     // what follows the content when the turn ends as it should
	streamError(raw json.RawMessage) []byte // an error inside a stream
	whole(t *Turn, r *chatRequest) []byte   // the answer to a request that asks for no stream
	failure(status int, message string) any // body of an HTTP error
}

// marshal is for values that always have a JSON form.
func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("model stand-in: " + err.Error())
	}
	return data
}

// compact brings JSON that a person wrote onto one line.
func compact(raw json.RawMessage) []byte { return marshal(raw) }

// object is a JSON object in the making.
type object = map[string]any

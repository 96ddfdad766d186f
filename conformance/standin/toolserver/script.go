package toolserver

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/standin/script"
)

// Script is what a tool server does.
type Script struct {
	Tools    []Tool  `json:"tools,omitempty"`
	PageSize int     `json:"pageSize,omitempty"` // tools a page; default: all on one
	Refuse   *Refuse `json:"refuse,omitempty"`   // how every start fails
	Starts   []Begin `json:"starts,omitempty"`   // how the first, second … start goes; the last one stays
	Stubborn bool    `json:"stubborn,omitempty"` // the process ignores the end of its input and SIGTERM
}

// Begin is how one start of the process goes.
type Begin struct {
	Refuse *Refuse `json:"refuse,omitempty"` // default: it starts
}

// Refuse is how a start fails, before the process reads any message: exactly one of Exit and Hang.
type Refuse struct {
	Exit   *int   `json:"exit,omitempty"`   // exit at once with this status
	Stderr string `json:"stderr,omitempty"` // with exit: written to standard error before
	Hang   bool   `json:"hang,omitempty"`   // never answer anything
}

// Tool is one tool: what is listed of it, and what a call does. It has either one behaviour or several in Calls.
type Tool struct {
	Name        string                     `json:"name"`
	Title       string                     `json:"title,omitempty"`
	Description string                     `json:"description,omitempty"`
	InputSchema json.RawMessage            `json:"inputSchema,omitempty"` // default {"type": "object"}
	Annotations *Annotations               `json:"annotations,omitempty"`
	With        map[string]json.RawMessage `json:"with,omitempty"` // further members of the listed tool; null takes one out

	Behaviour
	Calls []Behaviour `json:"calls,omitempty"` // of the first, second … call, counted over restarts; the last one stays
}

// Annotations are the hints of a tool. They are listed exactly as given: a hint that is left out is absent.
type Annotations struct {
	Title           string `json:"title,omitempty"`
	ReadOnlyHint    *bool  `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool  `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool  `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`
}

// Behaviour is what a call does: it waits at the gate, if any, and then does one of the others; without any, the
// result is the text ok.
type Behaviour struct {
	Wait   string  `json:"wait,omitempty"`
	Result *Result `json:"result,omitempty"`
	Hang   bool    `json:"hang,omitempty"`  // nothing, until the call is cancelled or the process ends
	Crash  *Crash  `json:"crash,omitempty"` // the process exits
	Error  *Error  `json:"error,omitempty"` // an error of the protocol, not of the tool
}

// Result is the result of a call: one of Text, Content, Echo, or none of them; and Structured beside any.
type Result struct {
	Text       *string           `json:"text,omitempty"`   // one block of text
	Repeat     int               `json:"repeat,omitempty"` // with text: so many times in a row
	Content    []json.RawMessage `json:"content,omitempty"`
	Echo       bool              `json:"echo,omitempty"` // the arguments, as JSON text
	Structured json.RawMessage   `json:"structured,omitempty"`
	IsError    bool              `json:"isError,omitempty"`
}

// Expand reads the shorthand: the text alone.
func (r *Result) Expand(raw json.RawMessage) error {
	var text *string
	if json.Unmarshal(raw, &text) != nil || text == nil {
		return errors.New("expected a text, or an object with text, content, echo or structured")
	}
	r.Text = text
	return nil
}

// Crash is the end of the process in the middle of a call. As a shorthand, true (status 1) or the status.
type Crash struct {
	Status int `json:"status"`
}

// Expand reads the shorthand.
func (c *Crash) Expand(raw json.RawMessage) error {
	if string(raw) == "true" {
		c.Status = 1
		return nil
	}
	if json.Unmarshal(raw, &c.Status) != nil || string(raw) == "null" {
		return errors.New("expected true or an exit status")
	}
	return nil
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Decode reads a script strictly and validates it. Errors are of type [*script.Error].
func Decode(data []byte) (Script, error) {
	var s Script
	if err := script.Decode(data, &s); err != nil {
		return Script{}, err
	}
	return s, s.Validate()
}

// Validate tells what about the script cannot be played. Errors are of type [*script.Error].
func (s *Script) Validate() error {
	if s.PageSize < 0 {
		return script.Errorf([]any{"pageSize"}, "expected a number of tools, 1 or more")
	}
	if s.Refuse != nil && s.Starts != nil {
		return script.Errorf([]any{"starts"}, "expected refuse or starts, not both")
	}
	if err := s.Refuse.validate([]any{"refuse"}); err != nil {
		return err
	}
	if s.Starts != nil && len(s.Starts) == 0 {
		return script.Errorf([]any{"starts"}, "expected at least one start")
	}
	for i, b := range s.Starts {
		if err := b.Refuse.validate([]any{"starts", i, "refuse"}); err != nil {
			return err
		}
	}
	if s.Stubborn && (s.Refuse != nil && s.Refuse.Exit != nil || len(s.Starts) > 0) {
		return script.Errorf([]any{"stubborn"}, "a process that is to exit by itself cannot be stubborn")
	}
	seen := map[string]bool{}
	for i := range s.Tools {
		t, path := &s.Tools[i], []any{"tools", i}
		at := func(more ...any) []any { return append(path[:len(path):len(path)], more...) }
		switch {
		case t.Name == "":
			return script.Errorf(at("name"), "expected the name of the tool")
		case seen[t.Name]:
			return script.Errorf(at("name"), "another tool of this server has the same name")
		case t.InputSchema != nil && !strings.HasPrefix(string(t.InputSchema), "{"):
			return script.Errorf(at("inputSchema"), "expected an object; to list something else, put it under with")
		case t.Calls != nil && t.Behaviour != (Behaviour{}):
			return script.Errorf(at("calls"), "expected one behaviour or calls, not both")
		case t.Calls != nil && len(t.Calls) == 0:
			return script.Errorf(at("calls"), "expected at least one behaviour")
		}
		seen[t.Name] = true
		if err := t.Behaviour.validate(path); err != nil {
			return err
		}
		for j := range t.Calls {
			if err := t.Calls[j].validate(at("calls", j)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Refuse) validate(path []any) error {
	switch {
	case r == nil:
		return nil
	case (r.Exit != nil) == r.Hang:
		return script.Errorf(path, "expected one of exit, hang")
	case r.Stderr != "" && r.Hang:
		return script.Errorf(path, "stderr needs exit beside it")
	case r.Exit != nil && (*r.Exit < 0 || *r.Exit > 255):
		return script.Errorf(append(path, "exit"), "expected an exit status, 0 to 255")
	}
	return nil
}

// maxText bounds the length of a repeated text, in bytes.
const maxText = 16 << 20

func (b *Behaviour) validate(path []any) error {
	at := func(name string) []any { return append(path[:len(path):len(path)], name) }
	count := 0
	for _, given := range []bool{b.Result != nil, b.Hang, b.Crash != nil, b.Error != nil} {
		if given {
			count++
		}
	}
	if count > 1 {
		return script.Errorf(path, "expected one of result, hang, crash, error")
	}
	if b.Crash != nil && (b.Crash.Status < 0 || b.Crash.Status > 255) {
		return script.Errorf(at("crash"), "expected an exit status, 0 to 255")
	}
	if b.Error != nil && b.Error.Message == "" {
		return script.Errorf(at("error"), "expected a code and a message")
	}
	r := b.Result
	if r == nil {
		return nil
	}
	given := 0
	for _, is := range []bool{r.Text != nil, r.Content != nil, r.Echo} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return script.Errorf(at("result"), "expected one of text, content, echo")
	case r.Repeat < 0 || r.Repeat > 0 && (r.Text == nil || len(*r.Text) > maxText/r.Repeat):
		return script.Errorf(at("result"), "repeat says how often text comes; together at most %d bytes", maxText)
	}
	return nil
}

// listing is the tool as it is listed.
func (t *Tool) listing() json.RawMessage {
	members := map[string]any{"name": t.Name, "inputSchema": json.RawMessage(`{"type":"object"}`)}
	if t.InputSchema != nil {
		members["inputSchema"] = t.InputSchema
	}
	if t.Title != "" {
		members["title"] = t.Title
	}
	if t.Description != "" {
		members["description"] = t.Description
	}
	if t.Annotations != nil {
		members["annotations"] = t.Annotations
	}
	for name, value := range t.With {
		if string(value) == "null" {
			delete(members, name)
		} else {
			members[name] = value
		}
	}
	return marshal(members)
}

// result is the result of the call as the protocol writes it.
func (r *Result) result(arguments json.RawMessage) *callResult {
	out := &callResult{Content: []json.RawMessage{}}
	if r == nil {
		out.Content = append(out.Content, textBlock("ok"))
		return out
	}
	switch {
	case r.Text != nil:
		out.Content = append(out.Content, textBlock(strings.Repeat(*r.Text, max(1, r.Repeat))))
	case r.Echo:
		out.Content = append(out.Content, textBlock(string(arguments)))
	case r.Content != nil:
		out.Content = r.Content
	}
	out.Structured, out.IsError = r.Structured, r.IsError
	return out
}

func textBlock(text string) json.RawMessage {
	return marshal(map[string]string{"type": "text", "text": text})
}

// marshal is for values that always have a JSON form.
func marshal(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("tool server stand-in: " + err.Error())
	}
	return data
}

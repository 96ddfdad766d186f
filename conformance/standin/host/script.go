package host

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/standin/script"
)

// Script is what a host does.
type Script struct {
	Prefix  string                     `json:"prefix,omitempty"`  // path before all targets, such as /hosts/1
	TLS     string                     `json:"tls,omitempty"`     // one of the certificates below; default none
	Each    map[string]json.RawMessage `json:"each,omitempty"`    // members of every event that does not have them itself
	Count   string                     `json:"count,omitempty"`   // member that numbers the events of an answer from 1
	Headers map[string]json.RawMessage `json:"headers,omitempty"` // of every answer that does not say otherwise
	Answers []Answer                   `json:"answers,omitempty"`
	// Always are answers to requests that a client may send at any time besides those that it is asked to send, such as
	// asking for the version when it connects.
	Always []Answer `json:"always,omitempty"`
}

// Certificates.
const (
	TLSRight     = "right"      // for the address that is served, by the authority in the facts
	TLSOtherName = "other name" // for another name, by the same authority
)

// Answer is how one request is answered.
type Answer struct {
	To      string                     `json:"to"`                    // METHOD TARGET of the request, without the prefix
	Wait    string                     `json:"wait,omitempty"`        // gate to wait at before anything is sent
	Status  int                        `json:"status,omitempty"`      // default 200
	Headers map[string]json.RawMessage `json:"headers,omitempty"`     // a text, a list of texts, or null for one that is not sent
	Body    json.RawMessage            `json:"body,omitempty"`        // sent as JSON
	Invalid string                     `json:"invalid,omitempty"`     // KEYWORD at POINTER: the rule that the body breaks
	Pad     int                        `json:"pad,omitempty"`         // spaces behind the body, up to so many bytes together
	Items   []Item                     `json:"events,omitempty"`      // instead of a body: a stream of events
	Bytes   *Bytes                     `json:"bytes,omitempty"`       // instead: the body as it is
	Nothing bool                       `json:"nothing,omitempty"`     // not even a status
	LineEnd string                     `json:"line end,omitempty"`    // of frames: lf (default), crlf or cr
	Every   int                        `json:"split every,omitempty"` // bytes a write
	Then    string                     `json:"then,omitempty"`        // close (default), hold or reset
}

// What happens to the connection when everything is sent.
const (
	ThenClose = "close"
	ThenHold  = "hold"  // it stays open until the client leaves
	ThenReset = "reset" // it is broken
)

// Item is a part of a stream.
type Item struct {
	Event   json.RawMessage `json:"event,omitempty"`   // a frame with one line of data
	Invalid string          `json:"invalid,omitempty"` // KEYWORD at POINTER: the rule that the event breaks
	Bytes   *Bytes          `json:"bytes,omitempty"`   // as they are
	Wait    string          `json:"wait,omitempty"`    // gate to wait at before it is sent
}

// Bytes are sent as they are; as a shorthand, their text alone.
type Bytes struct {
	Text   string `json:"text,omitempty"`
	Base64 string `json:"base64,omitempty"` // instead of text
	Times  int    `json:"times,omitempty"`  // default 1
}

// Expand reads the shorthand.
func (b *Bytes) Expand(raw json.RawMessage) error {
	if json.Unmarshal(raw, &b.Text) != nil {
		return errors.New("expected a text or an object with text or base64")
	}
	return nil
}

// all gives the bytes. Validate has seen that they can be read.
func (b *Bytes) all() []byte {
	data := []byte(b.Text)
	if b.Base64 != "" {
		data, _ = base64.StdEncoding.DecodeString(b.Base64)
	}
	return slices.Repeat(data, max(1, b.Times))
}

// Decode reads a script and says what is wrong with it.
func Decode(data []byte) (Script, error) {
	var s Script
	if err := script.Decode(data, &s); err != nil {
		return s, err
	}
	return s, s.Validate()
}

var lineEnds = map[string]string{"": "\n", "lf": "\n", "crlf": "\r\n", "cr": "\r"}

// Validate says what is wrong with a script, as a *script.Error.
func (s *Script) Validate() error {
	if s.Prefix != "" && (!strings.HasPrefix(s.Prefix, "/") || strings.HasSuffix(s.Prefix, "/")) {
		return script.Errorf([]any{"prefix"}, "expected a path with a slash in front and none behind")
	}
	if !slices.Contains([]string{"", TLSRight, TLSOtherName}, s.TLS) {
		return script.Errorf([]any{"tls"}, "expected right or other name")
	}
	if err := checkHeaders(s.Headers, "headers"); err != nil {
		return err
	}
	for i := range s.Answers {
		if err := s.Answers[i].validate("answers", i); err != nil {
			return err
		}
	}
	for i := range s.Always {
		if err := s.Always[i].validate("always", i); err != nil {
			return err
		}
	}
	return nil
}

func (a *Answer) validate(at ...any) error {
	wrong := func(member, format string, args ...any) error {
		return script.Errorf(append(slices.Clone(at), member), format, args...)
	}
	method, target, ok := strings.Cut(a.To, " ")
	bodies := 0
	for _, given := range []bool{a.Body != nil, a.Items != nil, a.Bytes != nil, a.Nothing} {
		if given {
			bodies++
		}
	}
	switch {
	case !ok || method != strings.ToUpper(method) || !strings.HasPrefix(target, "/"):
		return wrong("to", "expected METHOD TARGET of the request, such as POST /v1/runs")
	case bodies > 1:
		return script.Errorf(at, "expected one of body, events, bytes and nothing")
	case a.Status != 0 && (a.Status < 200 || a.Status > 599):
		return wrong("status", "expected a status from 200 to 599")
	case a.Invalid != "" && a.Body == nil:
		return wrong("invalid", "invalid speaks of the body, and there is none; say it of the event")
	case a.Pad > 0 && a.Body == nil:
		return wrong("pad", "pad goes with a body")
	case a.Every < 0:
		return wrong("split every", "expected a number of bytes")
	case !slices.Contains([]string{"", ThenClose, ThenHold, ThenReset}, a.Then):
		return wrong("then", "expected close, hold or reset")
	}
	if _, ok := lineEnds[a.LineEnd]; !ok {
		return wrong("line end", "expected lf, crlf or cr")
	}
	if a.Bytes != nil {
		if err := a.Bytes.validate(append(slices.Clone(at), "bytes")); err != nil {
			return err
		}
	}
	for i := range a.Items {
		if err := a.Items[i].validate(append(slices.Clone(at), "events", i)); err != nil {
			return err
		}
	}
	return checkHeaders(a.Headers, append(slices.Clone(at), "headers")...)
}

func (i *Item) validate(at []any) error {
	if (i.Event == nil) == (i.Bytes == nil) {
		return script.Errorf(at, "expected either event or bytes")
	}
	if i.Bytes != nil {
		if i.Invalid != "" {
			return script.Errorf(append(slices.Clone(at), "invalid"), "invalid speaks of an event, and there is none")
		}
		return i.Bytes.validate(append(slices.Clone(at), "bytes"))
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(i.Event, &members) != nil || members == nil {
		return script.Errorf(append(slices.Clone(at), "event"), "expected an object; bytes sends what is none")
	}
	return nil
}

func (b *Bytes) validate(at []any) error {
	if b.Text != "" && b.Base64 != "" {
		return script.Errorf(at, "expected either text or base64")
	}
	if _, err := base64.StdEncoding.DecodeString(b.Base64); err != nil {
		return script.Errorf(append(slices.Clone(at), "base64"), "expected base64 with padding: %v", err)
	}
	if b.Times < 0 || len(b.Text)+len(b.Base64) > 0 && b.Times > (64<<20)/(len(b.Text)+len(b.Base64)) {
		return script.Errorf(append(slices.Clone(at), "times"), "expected a number that makes at most 64 MiB")
	}
	return nil
}

func checkHeaders(headers map[string]json.RawMessage, at ...any) error {
	for name, raw := range headers {
		if _, err := texts(raw); err != nil {
			return script.Errorf(append(slices.Clone(at), name), "%s", err.Error())
		}
	}
	return nil
}

// texts reads the lines of a header.
func texts(raw json.RawMessage) ([]string, error) {
	var one *string
	if json.Unmarshal(raw, &one) == nil {
		if one == nil {
			return nil, nil
		}
		return []string{*one}, nil
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil, errors.New("expected a text, a list of texts or null")
	}
	return list, nil
}

// Events are the events of an answer as they are sent, by their place in Items; nil for bytes.
func (s *Script) Events(a *Answer) ([][]byte, error) {
	out := make([][]byte, len(a.Items))
	count := 0
	for i, item := range a.Items {
		if item.Event == nil {
			continue
		}
		count++
		event, err := s.filled(item.Event, count)
		if err != nil {
			return nil, err
		}
		out[i] = event
	}
	return out, nil
}

// filled puts the members into an event that it does not have itself, behind its own. The number that an event gives
// itself is where counting does not go on: the next one has the number of its place.
func (s *Script) filled(event json.RawMessage, count int) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(event, &members); err != nil {
		return nil, err
	}
	add := make(map[string]json.RawMessage, len(s.Each)+1)
	for name, v := range s.Each {
		add[name] = v
	}
	if s.Count != "" {
		add[s.Count] = json.RawMessage(fmt.Sprint(count))
	}
	text := strings.TrimSuffix(strings.TrimSpace(string(event)), "}")
	for _, name := range sorted(add) {
		if _, has := members[name]; has {
			continue
		}
		if !strings.HasSuffix(strings.TrimSpace(text), "{") {
			text += ","
		}
		key, _ := json.Marshal(name)
		text += string(key) + ":" + string(add[name])
	}
	return []byte(text + "}"), nil
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// status is that of an answer.
func (a *Answer) status() int {
	if a.Status == 0 {
		return http.StatusOK
	}
	return a.Status
}

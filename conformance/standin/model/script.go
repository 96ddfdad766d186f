package model

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/standin/script"
)

// Dialect names the wire that the server speaks.
type Dialect string

// The dialects.
const (
	OpenAI Dialect = "openai"
	Ollama Dialect = "ollama"
)

// DefaultModel is the one model of a script that lists none.
const DefaultModel = "stand-in"

// Script is what a model server does.
type Script struct {
	Dialect Dialect `json:"dialect"`
	Base    *string `json:"base,omitempty"`    // path of the base URL; default /v1 for openai, empty for ollama
	Refuse  bool    `json:"refuse,omitempty"`  // the URL refuses connections
	Models  []Model `json:"models,omitempty"`  // default: DefaultModel alone
	Version string  `json:"version,omitempty"` // ollama: answer of GET /api/version, default 0.9.0
	Probe   *Probe  `json:"probe,omitempty"`   // how every GET is answered, instead of normally
	Probes  []Probe `json:"probes,omitempty"`  // how the first, second … GET is answered
	Turns   []Turn  `json:"turns,omitempty"`   // how chat requests are answered
}

// Model is one entry of the list of models; as a shorthand, its id alone.
type Model struct {
	ID   string                     `json:"id"`
	With map[string]json.RawMessage `json:"with,omitempty"` // members put into the entry as they stand; null takes one out
}

// Expand reads the shorthand.
func (m *Model) Expand(raw json.RawMessage) error {
	if json.Unmarshal(raw, &m.ID) != nil || string(raw) == "null" {
		return errors.New("expected a model id or an object with an id")
	}
	return nil
}

// Probe is how a GET is answered. Without status, the normal answer is given (after the gate, if any).
type Probe struct {
	Status  int               `json:"status,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"` // a string is sent as text, anything else as JSON
	Headers map[string]string `json:"headers,omitempty"`
	Wait    string            `json:"wait,omitempty"`  // gate to wait at before anything is sent
	Stall   bool              `json:"stall,omitempty"` // nothing is sent until the client leaves
	Cut     bool              `json:"cut,omitempty"`   // the connection is closed without an answer
	Reset   bool              `json:"reset,omitempty"` // with cut: by a reset
}

// Turn is how one chat request is answered: either an HTTP error (Status), or content (one of Text, Deltas, Chunks;
// then Calls) followed by an end: the normal one, or one of Error, Stall, Cut, Unfinished.
type Turn struct {
	When   *When `json:"when,omitempty"`   // which requests may take the turn; default any
	Times  int   `json:"times,omitempty"`  // how often it may be taken, default 1
	Always bool  `json:"always,omitempty"` // it is never used up

	Wait    string            `json:"wait,omitempty"` // gate to wait at before anything is sent
	Status  int               `json:"status,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"`    // with status: a string is sent as text, anything else as JSON
	Headers map[string]string `json:"headers,omitempty"` // sent with the answer

	Text       string  `json:"text,omitempty"`   // one delta
	Deltas     []Delta `json:"deltas,omitempty"` // one delta each
	Chunks     int     `json:"chunks,omitempty"` // that many deltas, the texts of Chunk
	Calls      []Call  `json:"calls,omitempty"`
	Interleave bool    `json:"interleave,omitempty"` // openai: the fragments of the calls alternate

	Error      json.RawMessage `json:"error,omitempty"`      // an error inside the stream: a message, or the object to send
	Stall      bool            `json:"stall,omitempty"`      // send no more until the client leaves
	Cut        *int            `json:"cut,omitempty"`        // close the connection after that many chunks; 0: before the status line
	Reset      bool            `json:"reset,omitempty"`      // with cut: by a reset, which may also destroy what was sent
	Unfinished bool            `json:"unfinished,omitempty"` // end the body properly, but without the end that the dialect requires

	Usage  *Usage `json:"usage,omitempty"`  // default {input: 11, output: 7}
	Stop   string `json:"stop,omitempty"`   // finish reason as the dialect spells it
	Pieces int    `json:"pieces,omitempty"` // flush after every that many bytes, wherever that cuts
}

// When selects requests; all given members must hold. As a shorthand, the text of Contains alone.
type When struct {
	Contains string `json:"contains,omitempty"` // in the text of the last user message
	Equals   string `json:"equals,omitempty"`   // is the text of the last user message
	Model    string `json:"model,omitempty"`    // is the model asked for
}

// Expand reads the shorthand.
func (w *When) Expand(raw json.RawMessage) error {
	if json.Unmarshal(raw, &w.Contains) != nil || w.Contains == "" {
		return errors.New("expected a text that the last user message contains, or an object")
	}
	return nil
}

func (w *When) matches(r *chatRequest) bool {
	return w == nil || strings.Contains(r.user, w.Contains) &&
		(w.Equals == "" || w.Equals == r.user) && (w.Model == "" || w.Model == r.model)
}

// Delta is one chunk of content; as a shorthand, its text alone.
type Delta struct {
	Wait string `json:"wait,omitempty"` // gate to wait at first
	Text string `json:"text,omitempty"`
	Raw  string `json:"raw,omitempty"` // instead of text: sent as one line of the dialect, valid or not
}

// Expand reads the shorthand.
func (d *Delta) Expand(raw json.RawMessage) error {
	if json.Unmarshal(raw, &d.Text) != nil || d.Text == "" {
		return errors.New("expected a text that is not empty, or an object with wait, text or raw")
	}
	return nil
}

// Call is one tool call that the model makes.
type Call struct {
	// Tool is the name to call. If the request offers no tool of this name and exactly one whose name ends with an
	// underscore and this name, that one is called; so a script need not know how a host names the tools it offers.
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // default {}; a string is sent as the raw text of the arguments
	ID        *string         `json:"id,omitempty"`        // default made up; empty: none is sent
	Fragments int             `json:"fragments,omitempty"` // openai: pieces the arguments arrive in, default 2
}

// Usage is what the model says it used. As a shorthand, the text none: it says nothing.
type Usage struct {
	None   bool `json:"-"`
	Input  int  `json:"input,omitempty"`  // tokens of the prompt, those read from a cache included
	Output int  `json:"output,omitempty"` // tokens of the answer
	Cached *int `json:"cached,omitempty"` // openai: tokens of the prompt that were read from a cache
}

// Expand reads the shorthand.
func (u *Usage) Expand(raw json.RawMessage) error {
	if string(raw) != `"none"` {
		return errors.New("expected none, or an object with input, output, cached")
	}
	u.None = true
	return nil
}

// Chunk is the text of delta i (from 0) of a turn with chunks: every one different and with characters of one to
// four bytes.
func Chunk(i int) string { return "chunk " + strconv.Itoa(i) + " – ü😀\n" }

// Content is the whole text that the turn sends if nothing cuts it short. Raw deltas add nothing.
func (t *Turn) Content() string {
	var b strings.Builder
	for _, d := range t.deltas() {
		b.WriteString(d.Text)
	}
	return b.String()
}

// deltas brings the three ways to write content into one form.
func (t *Turn) deltas() []Delta {
	switch {
	case t.Text != "":
		return []Delta{{Text: t.Text}}
	case t.Chunks > 0:
		out := make([]Delta, t.Chunks)
		for i := range out {
			out[i].Text = Chunk(i)
		}
		return out
	}
	return t.Deltas
}

// usage is what the turn reports.
func (t *Turn) usage() Usage {
	if t.Usage == nil {
		return Usage{Input: 11, Output: 7}
	}
	return *t.Usage
}

// Decode reads a script strictly and validates it. Errors are of type [*script.Error].
func Decode(data []byte) (Script, error) {
	var s Script
	if err := script.Decode(data, &s); err != nil {
		return Script{}, err
	}
	return s, s.Validate()
}

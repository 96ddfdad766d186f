package provider

import (
	"cmp"
	"context"
	"encoding/json"
)

// Adapter speaks the dialect of one provider. Every method returns soon after
// its context ends, with an error for which errors.Is(err, ctx.Err()) holds;
// every other error is an *Error.
type Adapter interface {
	// Probe asks the provider for the least that shows the connection works.
	Probe(ctx context.Context, e Endpoint) error
	// Models lists the models on offer.
	Models(ctx context.Context, e Endpoint) ([]Model, error)
	// Stream makes one model call. What arrives is handed to sink at once; the
	// reply repeats the tool calls and says how the call ended. With an error
	// the reply holds what had arrived.
	Stream(ctx context.Context, e Endpoint, call Call, sink Sink) (Reply, error)
}

// Sink takes what a model call produces, in order, from one goroutine.
type Sink interface {
	Text(text string)
	ToolUse(use ToolUse)
}

// Model is one entry of a provider's list.
type Model struct {
	ID            string
	Name          string // empty: not given
	ContextWindow int64  // tokens; 0: not given
}

// Call is one request for a reply.
type Call struct {
	Model       string
	System      string // empty: none
	Messages    []Message
	Tools       []Tool
	Temperature *float64
	TopP        *float64
	MaxTokens   *int64
}

// Tool is a tool on offer to the model, under the name that the model sees.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // a JSON Schema object
}

// Role tells whose turn a message is.
type Role string

// The roles of a normalised conversation: a tool turn directly follows the
// assistant turn whose calls it answers.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolTurn  Role = "tool"
)

// Message is one turn. Only a user turn has images, only an assistant turn has
// tool uses, only a tool turn has results.
type Message struct {
	Role     Role
	Parts    []Part // text and images, in order
	ToolUses []ToolUse
	Results  []ToolResult
}

// Part is a piece of a turn: text, or an image when MediaType is set.
type Part struct {
	Text      string
	MediaType string
	Data      string // base64, as it came
}

// Image tells whether the part is an image.
func (p Part) Image() bool { return p.MediaType != "" }

// ToolUse is a call that the model asks for.
type ToolUse struct {
	ID    string
	Name  string
	Input json.RawMessage // any JSON value
}

// ToolResult answers the tool use with the same ID.
type ToolResult struct {
	ToolUseID string
	Name      string // of the tool, as the model knows it
	Parts     []Part
	IsError   bool
}

// Reply is how a model call ended.
type Reply struct {
	Stop     Stop
	Model    string // that answered, in the provider's words; empty: not said
	ToolUses []ToolUse
	Usage    *Usage // nil: the provider did not report it
}

// Usage counts tokens.
type Usage struct {
	Input      int64 // without what came from the cache
	Output     int64
	CacheRead  *int64 // nil: not reported
	CacheWrite *int64 // nil: not reported
}

// Add sums the usage of two calls.
func (u Usage) Add(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: addReported(u.CacheRead, v.CacheRead), CacheWrite: addReported(u.CacheWrite, v.CacheWrite)}
}

func addReported(a, b *int64) *int64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	sum := *a + *b
	return &sum
}

// Stop is why the model stopped, in the protocol's words.
type Stop string

// The reasons that a provider may give.
const (
	EndTurn   Stop = "end_turn"
	MaxTokens Stop = "max_tokens"
	ToolCalls Stop = "tool_use"
	Refusal   Stop = "refusal"
	Other     Stop = "other"
)

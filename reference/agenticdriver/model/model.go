package model

import (
	"context"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Adapter carries out model calls of one provider.
type Adapter interface {
	// Turn makes one model call. It returns soon after ctx ends. An error that
	// callers may see is a *failure.Error; all others stay inside the host.
	Turn(ctx context.Context, call Call, sink Sink) (Turn, error)
	// Models asks the provider for its inventory.
	Models(ctx context.Context) ([]string, error)
}

// Call is what one model call is given.
type Call struct {
	RunID           string
	Step            int64
	Model           string
	Input           string // of the run, before anything was added to it
	Instructions    string
	Messages        []Message
	Tools           []Tool
	MaxOutputTokens int64
	Native          wire.Raw // private state of a session; nil: none
	State           *any     // the adapter's own, kept for the length of a run
}

// Role tells who speaks.
type Role string

// The roles of a conversation. A tool message answers a call of the assistant
// message before it.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one message of a conversation.
type Message struct {
	Role    Role
	Content string
	Parts   []Part // images and files of a user message
	Calls   []ToolCall
	CallID  string // of a tool message
}

// Part is content that is not text.
type Part struct {
	MediaType string
	Data      string // base64
}

// ToolCall is a tool call that a model asked for.
type ToolCall struct {
	ID        string
	Name      string
	Arguments wire.Raw // as the model wrote them
}

// Tool is a tool on offer.
type Tool struct {
	Name        string
	Description string
	InputSchema wire.Raw
}

// Turn is what a model call gave.
type Turn struct {
	Text   string // all of it, streamed or not
	Calls  []ToolCall
	Usage  *protocol.Usage // nil: not reported
	Length bool            // cut off by the output limit
	Native wire.Raw        // private state; nil: none
}

// Sink takes what arrives during a call, in order, from one goroutine.
type Sink interface {
	// Text takes a piece of visible text.
	Text(text string)
	// Progress tells that the model is at work on something that is not shown.
	Progress()
	// Event takes an advisory event of a type that the protocol does not name.
	Event(kind string, members wire.Members)
}

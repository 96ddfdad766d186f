package history

import (
	"encoding/json"

	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

// Role is whose message a stored message is.
type Role string

// The roles of stored messages.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is a stored message.
type Message struct {
	Role   Role
	Blocks []Block
}

// Block is a piece of a stored message: Text, Image, Document, ToolUse or
// ToolResult. The data of images and documents is base64.
type Block interface{ block() }

// Text is plain text.
type Text struct{ Text string }

// Image is a picture.
type Image struct{ MediaType, Data string }

// Document is an attached file.
type Document struct{ Name, MediaType, Data string }

// ToolUse is a call that the model asked for.
type ToolUse struct {
	ID, Name string
	Input    json.RawMessage
}

// ToolResult is the stored answer to a call.
type ToolResult struct {
	ToolUseID string
	Content   []Block // Text, Image or Document
	IsError   bool
}

func (Text) block()       {}
func (Image) block()      {}
func (Document) block()   {}
func (ToolUse) block()    {}
func (ToolResult) block() {}

// Interrupted is the result of a tool use for which none is stored.
const Interrupted = "interrupted: The tool call ended before it gave a result."

// Normalise makes the turns of a conversation. The error is a *provider.Error:
// a block stands where it cannot, or the data of a document cannot be read.
func Normalise(messages []Message) ([]provider.Message, error) {
	n := normaliser{results: storedResults(messages)}
	for _, m := range messages {
		if err := n.message(m); err != nil {
			return nil, err
		}
	}
	n.flush()
	return n.turns, nil
}

// stored is one result with its place among all blocks of the conversation.
type stored struct {
	at     int
	result ToolResult
	used   bool
}

func storedResults(messages []Message) map[string][]*stored {
	all := map[string][]*stored{}
	at := 0
	for _, m := range messages {
		for _, b := range m.Blocks {
			at++
			if r, ok := b.(ToolResult); ok {
				all[r.ToolUseID] = append(all[r.ToolUseID], &stored{at: at, result: r})
			}
		}
	}
	return all
}

type normaliser struct {
	results map[string][]*stored
	turns   []provider.Message
	at      int // of the current block, counted over all messages

	open    provider.Message // the assistant turn being put together
	answers []provider.ToolResult
	closed  bool // a result was seen: what follows is another turn
}

func (n *normaliser) message(m Message) error {
	if m.Role == Assistant {
		n.flush()
		for _, b := range m.Blocks {
			n.at++
			if err := n.assistant(b); err != nil {
				return err
			}
		}
		return nil
	}
	turn := provider.Message{Role: provider.User}
	for _, b := range m.Blocks {
		n.at++
		switch b.(type) {
		case ToolResult: // taken by its tool use already
		case ToolUse:
			return provider.Errorf(provider.UnsupportedContent, "A tool use cannot stand in a %s message.", m.Role)
		default:
			more, err := parts([]Block{b})
			if err != nil {
				return err
			}
			turn.Parts = append(turn.Parts, more...)
		}
	}
	if len(turn.Parts) > 0 {
		n.flush()
		n.turns = append(n.turns, turn)
	}
	return nil
}

func (n *normaliser) assistant(b Block) error {
	if _, ok := b.(ToolResult); ok {
		n.closed = len(n.open.ToolUses) > 0
		return nil
	}
	if n.closed {
		n.flush()
	}
	if use, ok := b.(ToolUse); ok {
		n.open.ToolUses = append(n.open.ToolUses, provider.ToolUse{ID: use.ID, Name: use.Name, Input: use.Input})
		answer, err := n.answer(use)
		n.answers = append(n.answers, answer)
		return err
	}
	more, err := parts([]Block{b})
	if len(n.open.ToolUses) > 0 && len(more) > 0 {
		// Text after a tool use belongs to the next model call.
		n.flush()
	}
	n.open.Parts = append(n.open.Parts, more...)
	return err
}

// answer finds the first result of a use that is stored after it.
func (n *normaliser) answer(use ToolUse) (provider.ToolResult, error) {
	for _, s := range n.results[use.ID] {
		if !s.used && s.at > n.at {
			s.used = true
			content, err := parts(s.result.Content)
			return provider.ToolResult{ToolUseID: use.ID, Name: use.Name, Parts: content, IsError: s.result.IsError}, err
		}
	}
	return provider.ToolResult{ToolUseID: use.ID, Name: use.Name, IsError: true,
		Parts: []provider.Part{{Text: Interrupted}}}, nil
}

// flush ends the open assistant turn, with the tool turn that answers it.
func (n *normaliser) flush() {
	if len(n.open.Parts) > 0 || len(n.open.ToolUses) > 0 {
		n.open.Role = provider.Assistant
		n.turns = append(n.turns, n.open)
	}
	if len(n.answers) > 0 {
		n.turns = append(n.turns, provider.Message{Role: provider.ToolTurn, Results: n.answers})
	}
	n.open, n.answers, n.closed = provider.Message{}, nil, false
}

package comitiva

import (
	"encoding/json"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/reference/comitiva/history"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

// storedMessages turns the messages of run.start into those of package history.
// The shell resolves attachments first: one that is still a file is refused,
// and never opened. The error is a *provider.Error.
func storedMessages(messages []protocol.Message) ([]history.Message, error) {
	out := make([]history.Message, len(messages))
	for i, m := range messages {
		out[i].Role = history.Role(m.Role)
		for _, b := range m.Content {
			block, err := storedBlock(b)
			if err != nil {
				return nil, err
			}
			out[i].Blocks = append(out[i].Blocks, block)
		}
	}
	return out, nil
}

func storedBlock(b protocol.Block) (history.Block, error) {
	switch b := b.(type) {
	case *protocol.TextBlock:
		return history.Text{Text: b.Text}, nil
	case *protocol.ImageBlock:
		mediaType, data, err := inline(b.Source)
		return history.Image{MediaType: mediaType, Data: data}, err
	case *protocol.DocumentBlock:
		_, data, err := inline(b.Source)
		return history.Document{Name: b.Name, MediaType: b.MediaType, Data: data}, err
	case *protocol.ToolUseBlock:
		return history.ToolUse{ID: b.ID, Name: b.Name, Input: json.RawMessage(b.Input)}, nil
	case *protocol.ToolResultBlock:
		result := history.ToolResult{ToolUseID: b.ToolUseID, IsError: b.IsError}
		for _, c := range b.Content {
			// Every result block is a block.
			block, err := storedBlock(c.(protocol.Block))
			if err != nil {
				return nil, err
			}
			result.Content = append(result.Content, block)
		}
		return result, nil
	}
	return history.Text{}, nil
}

func inline(s protocol.Source) (mediaType, data string, err error) {
	if s, ok := s.(*protocol.Base64Source); ok {
		return s.MediaType, s.Data, nil
	}
	return "", "", provider.Errorf(provider.InvalidRequest, "An attachment is a file: only inline data can be sent.")
}

package tools

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Output is what a call of a tool gave.
type Output struct {
	Blocks  []Block // at least one
	IsError bool
}

// Block is text, or an image when MediaType is set.
type Block struct {
	Text      string
	MediaType string
	Data      string // base64
}

// maxText is how many characters of text one result may hold.
const maxText = 100_000

// failure is an output that tells the model, in the protocol's form, what went
// wrong.
func failure(code, text string) Output {
	return Output{IsError: true, Blocks: []Block{{Text: code + ": " + text}}}
}

// Denied answers a call that the user did not permit.
func Denied() Output {
	return failure("approval_denied", "The user did not allow this tool call.")
}

// Unknown answers a call of a tool that is not on offer.
func Unknown() Output {
	return failure("invalid_request", "There is no tool of this name.")
}

// Unreadable answers a call whose arguments are not a JSON object.
func Unreadable() Output {
	return failure("invalid_request", "The arguments of a tool call must be a JSON object.")
}

func convertResult(r *mcp.CallToolResult) Output {
	out := Output{IsError: r.IsError}
	left := maxText
	text := func(s string) {
		n := utf8.RuneCountInString(s)
		switch {
		case left < 0:
			return
		case n > left:
			s = string([]rune(s)[:left]) + "\n[truncated: the result is longer than " + fmt.Sprint(maxText) + " characters]"
			left = -1
		default:
			left -= n
		}
		out.Blocks = append(out.Blocks, Block{Text: s})
	}
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			text(c.Text)
		case *mcp.ImageContent:
			out.Blocks = append(out.Blocks, Block{MediaType: cmp.Or(c.MIMEType, "application/octet-stream"), Data: base64.StdEncoding.EncodeToString(c.Data)})
		case *mcp.AudioContent:
			text("[audio: " + c.MIMEType + "]")
		case *mcp.ResourceLink:
			text("[link: " + strings.TrimSpace(c.Name+" "+c.URI) + "]")
		case *mcp.EmbeddedResource:
			text(resource(c.Resource))
		default:
			text("[content of an unknown kind]")
		}
	}
	if len(out.Blocks) == 0 && r.StructuredContent != nil {
		if data, err := json.Marshal(r.StructuredContent); err == nil {
			text(string(data))
		}
	}
	if len(out.Blocks) == 0 {
		text("(no output)")
	}
	return out
}

func resource(r *mcp.ResourceContents) string {
	switch {
	case r == nil:
		return "[resource]"
	case r.Blob != nil:
		return "[binary resource: " + strings.TrimSpace(r.URI+" "+r.MIMEType) + "]"
	}
	return r.Text
}

// serverCodes are the codes that built-in servers put first themselves.
var serverCodes = []string{"outside_roots", "read_only_root", "not_found", "unsupported_content",
	"rate_limited", "auth_failed", "invalid_request", "tool_failed"}

// coded makes the first text of a failed output begin with a code.
func (o Output) coded(builtin bool) Output {
	if !o.IsError {
		return o
	}
	for i, b := range o.Blocks {
		if b.MediaType != "" {
			continue
		}
		if hasCode(b.Text, builtin) {
			return o
		}
		blocks := append([]Block(nil), o.Blocks...)
		blocks[i].Text = "tool_failed: " + b.Text
		return Output{IsError: true, Blocks: blocks}
	}
	return Output{IsError: true, Blocks: append([]Block{{Text: "tool_failed: The tool reported an error."}}, o.Blocks...)}
}

func hasCode(text string, builtin bool) bool {
	for _, code := range serverCodes {
		if (builtin || code == "tool_failed") && strings.HasPrefix(text, code+": ") {
			return true
		}
	}
	return false
}

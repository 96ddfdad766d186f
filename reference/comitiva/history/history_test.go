package history

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"

	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

// show writes turns in short: role, texts, +uses, and =results.
func show(turns []provider.Message) string {
	var out []string
	for _, m := range turns {
		parts := []string{string(m.Role[0])}
		for _, p := range m.Parts {
			if p.Image() {
				parts = append(parts, "<"+p.MediaType+">")
			} else {
				parts = append(parts, p.Text)
			}
		}
		for _, u := range m.ToolUses {
			parts = append(parts, "+"+u.ID)
		}
		for _, r := range m.Results {
			text := r.Parts[0].Text
			if text == Interrupted && r.IsError {
				text = "?"
			}
			parts = append(parts, r.ToolUseID+"="+text)
		}
		out = append(out, strings.Join(parts, " "))
	}
	return strings.Join(out, " | ")
}

func use(id string) Block { return ToolUse{ID: id, Name: "t", Input: json.RawMessage(`{}`)} }

func result(id, text string) Block {
	return ToolResult{ToolUseID: id, Content: []Block{Text{text}}}
}

func TestNormalise(t *testing.T) {
	user := func(blocks ...Block) Message { return Message{User, blocks} }
	reply := func(blocks ...Block) Message { return Message{Assistant, blocks} }
	tool := func(blocks ...Block) Message { return Message{Tool, blocks} }
	tests := []struct {
		name   string
		stored []Message
		want   string
	}{
		{"nothing", nil, ""},
		{"plain", []Message{user(Text{"a"}), reply(Text{"b"})}, "u a | a b"},
		{"empty messages are dropped", []Message{user(), user(Text{""}), reply(Text{""}), user(Text{"a"})}, "u a"},
		{"results inside the reply", []Message{reply(Text{"a"}, use("1"), use("2"), result("1", "x"), result("2", "y"), Text{"b"})},
			"a a +1 +2 | t 1=x 2=y | a b"},
		{"results in a message of their own", []Message{reply(use("1")), tool(result("1", "x")), reply(Text{"b"})}, "a +1 | t 1=x | a b"},
		{"results in a user message, beside text", []Message{reply(use("1")), user(result("1", "x"), Text{"b"})}, "a +1 | t 1=x | u b"},
		{"results come in the order of the uses", []Message{reply(use("1"), use("2")), tool(result("2", "y"), result("1", "x"))}, "a +1 +2 | t 1=x 2=y"},
		{"a use without a result", []Message{reply(use("1"), use("2"), result("2", "y")), user(Text{"b"})}, "a +1 +2 | t 1=? 2=y | u b"},
		{"a use at the very end", []Message{user(Text{"a"}), reply(use("1"))}, "u a | a +1 | t 1=?"},
		{"a result without a use", []Message{user(Text{"a"}), tool(result("1", "x")), reply(result("2", "y"), Text{"b"})}, "u a | a b"},
		{"a result before its use", []Message{tool(result("1", "x")), reply(use("1"))}, "a +1 | t 1=?"},
		{"one id used twice", []Message{reply(use("1"), result("1", "x"), use("1"), result("1", "y"))}, "a +1 | t 1=x | a +1 | t 1=y"},
		{"text after a use is another turn", []Message{reply(use("1"), Text{"b"}, use("2"), result("1", "x"), result("2", "y"))}, "a +1 | t 1=x | a b +2 | t 2=y"},
		{"an image", []Message{user(Text{"a"}, Image{"image/png", "AAAA"})}, "u a <image/png>"},
		{"a document of text", []Message{user(Document{"n", "application/json; charset=utf-8", "e30="})}, "u <document name=\"n\">\n{}\n</document>"},
		{"a document that is no text", []Message{user(Document{"n", "application/pdf", "!"})}, "u [The document \"n\" (application/pdf) cannot be read by this provider.]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			turns, err := Normalise(tt.stored)
			if got := show(turns); err != nil || got != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestBlocksThatCannotBeSent(t *testing.T) {
	for name, tt := range map[string]struct {
		message Message
		code    provider.Code
	}{
		"a tool use of the user":    {Message{User, []Block{use("1")}}, provider.UnsupportedContent},
		"a document without base64": {Message{User, []Block{Document{"n", "text/plain", "???"}}}, provider.InvalidRequest},
		"the same inside of a result": {Message{Assistant, []Block{use("1"), ToolResult{ToolUseID: "1",
			Content: []Block{Document{"n", "text/plain", "???"}}}}}, provider.InvalidRequest},
	} {
		_, err := Normalise([]Message{tt.message})
		if known, ok := err.(*provider.Error); !ok || known.Code != tt.code {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Whatever is stored, each assistant turn with tool uses is followed by exactly
// one tool turn that answers each of them once, in order, and nothing else has
// results.
func TestEveryToolUseIsAnsweredOnce(t *testing.T) {
	block := gen.IntRange(0, 9).Map(func(n int) Block {
		id := fmt.Sprint(n % 3)
		switch {
		case n < 3:
			return Text{strings.Repeat("x", n)}
		case n < 6:
			return use(id)
		default:
			return result(id, "r")
		}
	})
	message := gopter.CombineGens(gen.IntRange(0, 2), gen.SliceOf(block)).Map(func(v []any) Message {
		m := Message{Role: []Role{User, Assistant, Tool}[v[0].(int)]}
		for _, b := range v[1].([]Block) {
			if _, isUse := b.(ToolUse); !isUse || m.Role == Assistant {
				m.Blocks = append(m.Blocks, b)
			}
		}
		return m
	})
	properties := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	properties.Property("strict turns", prop.ForAll(func(stored []Message) bool {
		turns, err := Normalise(stored)
		if err != nil {
			return false
		}
		for i, m := range turns {
			if len(m.Parts)+len(m.ToolUses)+len(m.Results) == 0 || (len(m.Results) > 0) != (m.Role == provider.ToolTurn) {
				return false
			}
			if len(m.ToolUses) == 0 {
				continue
			}
			if m.Role != provider.Assistant || i+1 == len(turns) || len(turns[i+1].Results) != len(m.ToolUses) {
				return false
			}
			for k, r := range turns[i+1].Results {
				if r.ToolUseID != m.ToolUses[k].ID {
					return false
				}
			}
		}
		return true
	}, gen.SliceOf(message)))
	properties.TestingRun(t)
}

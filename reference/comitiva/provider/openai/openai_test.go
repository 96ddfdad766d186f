package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

// sink writes what arrives, in short.
type sink struct{ strings.Builder }

func (s *sink) Text(text string) { s.WriteString(text) }
func (s *sink) ToolUse(use provider.ToolUse) {
	fmt.Fprintf(s, "[%s %s %s]", use.ID, use.Name, use.Input)
}

// stream answers a call with a body and returns what arrived.
func streamed(t *testing.T, body string) (string, provider.Reply, error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
	defer server.Close()
	var s sink
	reply, err := Adapter{}.Stream(t.Context(), provider.Endpoint{BaseURL: server.URL, Client: server.Client()}, provider.Call{}, &s)
	return s.String(), reply, err
}

func events(list ...string) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

func fragments(list ...string) string {
	return `{"choices":[{"delta":{"tool_calls":[` + strings.Join(list, ",") + `]}}]}`
}

func TestToolCallFragments(t *testing.T) {
	end := `{"choices":[{"finish_reason":"tool_calls"}]}`
	tests := []struct{ name, body, want string }{
		{"one whole call", events(fragments(`{"index":0,"id":"a","function":{"name":"t","arguments":"{}"}}`), end), `[a t {}]`},
		{"interleaved", events(
			fragments(`{"index":0,"id":"a","function":{"name":"t"}}`, `{"index":1,"id":"b","function":{"name":"u","arguments":"{\"x\":"}}`),
			fragments(`{"index":0,"function":{"arguments":"{}"}}`), fragments(`{"index":1,"function":{"arguments":"1}"}}`), end), `[a t {}][b u {"x":1}]`},
		{"without index", events(fragments(`{"id":"a","function":{"name":"t","arguments":"{"}}`), fragments(`{"function":{"arguments":"}"}}`),
			fragments(`{"id":"b","function":{"name":"u"}}`), end), `[a t {}][b u {}]`},
		{"arguments that are not JSON", events(fragments(`{"index":0,"id":"a","function":{"name":"t","arguments":"{x"}}`), end), `[a t "{x"]`},
		{"after text", events(`{"choices":[{"delta":{"content":"so: "}}]}`, fragments(`{"index":0,"id":"a","function":{"name":"t"}}`), end), `so: [a t {}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, tail := range []string{"data: [DONE]\n\n", ""} {
				got, reply, err := streamed(t, tt.body+tail)
				if err != nil || got != tt.want || reply.Stop != provider.ToolCalls || len(reply.ToolUses) != strings.Count(tt.want, "[") {
					t.Errorf("got %s, %+v, %v", got, reply, err)
				}
			}
		})
	}
}

func TestToolCallWithoutIDGetsOne(t *testing.T) {
	got, _, err := streamed(t, events(fragments(`{"index":0,"function":{"name":"t"}}`), "[DONE]"))
	if err != nil || !regexp.MustCompile(`^\[call_\w{20,} t \{\}\]$`).MatchString(got) {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		name, usage   string
		input, output int64
		cached        int64 // -1: not reported
	}{
		{"plain", `{"prompt_tokens":5,"completion_tokens":3}`, 5, 3, -1},
		{"net of the cache", `{"prompt_tokens":5,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":2}}`, 3, 3, 2},
		{"details without a figure", `{"prompt_tokens":5,"completion_tokens":3,"prompt_tokens_details":{}}`, 5, 3, -1},
		{"more from the cache than there is", `{"prompt_tokens":5,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":9}}`, 0, 3, 9},
	}
	for _, tt := range tests {
		_, reply, err := streamed(t, events(`{"choices":[{"finish_reason":"stop"}]}`, `{"choices":[],"usage":`+tt.usage+`}`, "[DONE]"))
		if err != nil || reply.Usage == nil {
			t.Fatalf("%s: got %+v, %v", tt.name, reply, err)
		}
		cached := int64(-1)
		if reply.Usage.CacheRead != nil {
			cached = *reply.Usage.CacheRead
		}
		if reply.Usage.Input != tt.input || reply.Usage.Output != tt.output || cached != tt.cached {
			t.Errorf("%s: got %+v", tt.name, reply.Usage)
		}
	}
}

func TestMessages(t *testing.T) {
	image := provider.Part{MediaType: "image/png", Data: "AAAA"}
	text := provider.Part{Text: "t"}
	tests := []struct {
		name    string
		message provider.Message
		want    string
	}{
		{"text alone is a string", provider.Message{Role: provider.User, Parts: []provider.Part{text}}, `[{"role":"user","content":"t"}]`},
		{"several parts", provider.Message{Role: provider.User, Parts: []provider.Part{text, image}},
			`[{"role":"user","content":[{"type":"text","text":"t"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]`},
		{"a reply of tool calls only", provider.Message{Role: provider.Assistant, ToolUses: []provider.ToolUse{{ID: "a", Name: "n", Input: json.RawMessage(`"{x"`)}}},
			`[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"n","arguments":"{x"}}]}]`},
		{"images of results follow them", provider.Message{Role: provider.ToolTurn, Results: []provider.ToolResult{{ToolUseID: "a", Parts: []provider.Part{text, image}}, {ToolUseID: "b", Parts: []provider.Part{text}}}},
			`[{"role":"tool","content":"t[image: in the next message]","tool_call_id":"a"},{"role":"tool","content":"t","tool_call_id":"b"},` +
				`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, err := messages(tt.message)
			got, _ := json.Marshal(list)
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
	_, err := messages(provider.Message{Role: provider.Assistant, Parts: []provider.Part{image}})
	var known *provider.Error
	if !errors.As(err, &known) || known.Code != provider.UnsupportedContent {
		t.Errorf("an image of the assistant: got %v", err)
	}
}

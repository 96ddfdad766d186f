package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

// sink writes what arrives, in short.
type sink struct{ strings.Builder }

func (s *sink) Text(text string)             { s.WriteString(text) }
func (s *sink) ToolUse(use provider.ToolUse) { fmt.Fprintf(s, "[%s %s]", use.Name, use.Input) }

func TestStream(t *testing.T) {
	tests := []struct {
		name, body, want string
		code             provider.Code // empty: success
		stop             provider.Stop
	}{
		{"text", "{\"message\":{\"content\":\"a\"}}\r\n\n{\"message\":{\"content\":\"b\"},\"done\":true,\"done_reason\":\"length\"}", "ab", "", provider.MaxTokens},
		{"no reason", `{"done":true}`, "", "", provider.EndTurn},
		{"another reason", `{"done":true,"done_reason":"load"}`, "", "", provider.Other},
		{"tool calls", `{"message":{"tool_calls":[{"function":{"name":"t","arguments":{"a":1}}},{"function":{"name":"u","arguments":"{\"b\":2}"}},{"function":{"name":"v"}}]},"done":true}`,
			`[t {"a":1}][u {"b":2}][v {}]`, "", provider.EndTurn},
		{"an error", "{\"message\":{\"content\":\"a\"}}\n{\"error\":\"no luck\"}\n", "a", provider.Failed, ""},
		{"no JSON", "{\"message\":{\"content\":\"a\"}}\nhello\n", "a", provider.Failed, ""},
		{"no end", "{\"message\":{\"content\":\"a\"}}\n", "a", provider.Unavailable, ""},
		{"nothing", "", "", provider.Unavailable, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, tt.body) }))
			defer server.Close()
			var s sink
			reply, err := Adapter{}.Stream(t.Context(), provider.Endpoint{BaseURL: server.URL, Client: server.Client(), Retry: provider.Retry{Attempts: 2}}, provider.Call{}, &s)
			var known *provider.Error
			if tt.code != "" && (!errors.As(err, &known) || known.Code != tt.code) || tt.code == "" && err != nil {
				t.Errorf("got the error %v", err)
			}
			if s.String() != tt.want || reply.Stop != tt.stop {
				t.Errorf("got %s, %+v", s.String(), reply)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	image := provider.Part{MediaType: "image/png", Data: "AAAA"}
	call := provider.Call{Model: "m", System: "s", Messages: []provider.Message{
		{Role: provider.User, Parts: []provider.Part{{Text: "a"}, image, {Text: "b"}}},
		{Role: provider.Assistant, Parts: []provider.Part{{Text: "c"}, {Text: "d"}}, ToolUses: []provider.ToolUse{{ID: "1", Name: "t", Input: json.RawMessage(`{"x":1}`)}, {ID: "2", Name: "u", Input: json.RawMessage(`"{x"`)}}},
		{Role: provider.ToolTurn, Results: []provider.ToolResult{{ToolUseID: "1", Name: "t", Parts: []provider.Part{{Text: "r"}, image}}}},
	}}
	req, err := newRequest(call)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(req.Messages)
	want := `[{"role":"system","content":"s"},{"role":"user","content":"a\n\nb","images":["AAAA"]},` +
		`{"role":"assistant","content":"cd","tool_calls":[{"function":{"name":"t","arguments":{"x":1}}},{"function":{"name":"u","arguments":{}}}]},` +
		`{"role":"tool","content":"r","images":["AAAA"],"tool_name":"t"}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	_, err = newRequest(provider.Call{Messages: []provider.Message{{Role: provider.Assistant, Parts: []provider.Part{image}}}})
	var known *provider.Error
	if !errors.As(err, &known) || known.Code != provider.UnsupportedContent {
		t.Errorf("an image of the assistant: got %v", err)
	}
}

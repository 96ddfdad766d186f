package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
)

// heard is a sink that writes down what arrives.
type heard struct {
	texts    []string
	progress int
	on       func()
}

func (h *heard) Text(text string) {
	h.texts = append(h.texts, text)
	if h.on != nil {
		h.on()
	}
}
func (h *heard) Progress()                  { h.progress++ }
func (h *heard) Event(string, wire.Members) {}

// serve starts a server that answers with the handler.
func serve(t *testing.T, handler http.HandlerFunc) *Provider {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return &Provider{BaseURL: s.URL + "/v1/", Key: func() (string, error) { return "the key", nil }}
}

// says answers with chunks, each a JSON text.
func says(chunks ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, c := range chunks {
			fmt.Fprintf(w, "data: %s\n\n", c)
			w.(http.Flusher).Flush()
		}
	}
}

func TestTurns(t *testing.T) {
	text := func(s string) string { return fmt.Sprintf(`{"choices":[{"delta":{"content":%q}}]}`, s) }
	stop := func(why string) string { return fmt.Sprintf(`{"choices":[{"delta":{},"finish_reason":%q}]}`, why) }
	call := func(fragments string) string {
		return `{"choices":[{"delta":{"tool_calls":[` + fragments + `]}}]}`
	}
	arguments := func(c model.ToolCall) string { return c.ID + " " + c.Name + " " + string(c.Arguments) }
	tests := []struct {
		name     string
		answer   http.HandlerFunc
		texts    []string
		calls    []string
		usage    string
		length   bool
		progress int
		code     string
	}{
		{name: "text in pieces", answer: says(text("he"), text("llo"), stop("stop"), "[DONE]"), texts: []string{"he", "llo"}},
		{name: "no [DONE] behind the reason", answer: says(text("a"), stop("stop")), texts: []string{"a"}},
		{name: "no reason before [DONE]", answer: says(text("a"), "[DONE]"), texts: []string{"a"}},
		{name: "cut off by the limit", answer: says(text("a"), stop("length"), "[DONE]"), texts: []string{"a"}, length: true},
		{name: "usage in a chunk of its own", answer: says(text("a"), stop("stop"),
			`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":2}}}`, "[DONE]"),
			texts: []string{"a"}, usage: `{"inputTokens":3,"outputTokens":0,"cachedInputTokens":1,"reasoningTokens":2}`},
		{name: "counts that are none", answer: says(text("a"), `{"choices":[],"usage":{"prompt_tokens":-1}}`, "[DONE]"), texts: []string{"a"}, usage: `{}`},
		{name: "a call in pieces", answer: says(call(`{"index":0,"id":"c1","function":{"name":"echo","arguments":""}}`), call(`{"index":0,"function":{"arguments":"{\"x\""}}`),
			call(`{"index":0,"function":{"arguments":":1}"}}`), stop("tool_calls"), "[DONE]"), calls: []string{`c1 echo {"x":1}`}, progress: 3},
		{name: "two calls", answer: says(call(`{"index":0,"id":"c1","function":{"name":"a"}},{"index":1,"id":"c2","function":{"name":"b","arguments":"{}"}}`), stop("tool_calls")),
			calls: []string{"c1 a {}", "c2 b {}"}, progress: 1},
		{name: "an id that is repeated", answer: says(call(`{"index":0,"id":"c1","function":{"name":"a","arguments":"{"}}`), call(`{"index":0,"id":"c1","function":{"arguments":"}"}}`), stop("tool_calls")),
			calls: []string{"c1 a {}"}, progress: 2},
		{name: "calls without an index", answer: says(call(`{"id":"c1","function":{"name":"a","arguments":"{}"}}`), call(`{"id":"c2","function":{"name":"b","arguments":"{\"y\":2}"}}`), stop("tool_calls")),
			calls: []string{"c1 a {}", `c2 b {"y":2}`}, progress: 2},
		{name: "reasoning is progress, not text", answer: says(`{"choices":[{"delta":{"reasoning_content":"hm"}}]}`, text("a"), stop("stop")), texts: []string{"a"}, progress: 1},
		{name: "a call cut off by the limit", answer: says(call(`{"index":0,"id":"c1","function":{"name":"a","arguments":"{"}}`), stop("length")), progress: 1, code: "TRUNCATED_TOOL_CALL"},
		{name: "comments and other fields", answer: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, ": hello\r\nevent: x\r\ndata:%s\r\n\r\ndata: [DONE]\r\n\r\n", text("a"))
		}, texts: []string{"a"}},
		{name: "an answer that ends too early", answer: says(text("a")), texts: []string{"a"}, code: "INVALID_PROVIDER_RESPONSE"},
		{name: "not JSON", answer: says("{"), code: "INVALID_PROVIDER_RESPONSE"},
		{name: "no stream at all", answer: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"choices":[]}`) }, code: "INVALID_PROVIDER_RESPONSE"},
		{name: "a failure in the stream", answer: says(text("a"), `{"error":{"message":"SECRET"}}`), texts: []string{"a"}, code: "PROVIDER_FAILED"},
		{name: "a line without end", answer: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "data: "+strings.Repeat("x", maxLine))
		}, code: "INVALID_PROVIDER_RESPONSE"},
		{name: "calls without end", answer: func(w http.ResponseWriter, r *http.Request) {
			for i := 0; r.Context().Err() == nil; i++ {
				fmt.Fprintf(w, "data: %s\n\n", call(fmt.Sprintf(`{"index":0,"id":"c","function":{"arguments":"%s"}}`, strings.Repeat("x", 100_000))))
			}
		}, code: "INVALID_PROVIDER_RESPONSE", progress: -1},
		{name: "401", answer: status(401), code: "AUTH_REQUIRED"},
		{name: "403", answer: status(403), code: "ACCESS_DENIED"},
		{name: "429", answer: status(429), code: "RATE_LIMITED"},
		{name: "400", answer: status(400), code: "PROVIDER_REJECTED"},
		{name: "503", answer: status(503), code: "PROVIDER_UNAVAILABLE"},
		{name: "a redirect is not followed", answer: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				says(text("followed"), "[DONE]")(w, r)
				return
			}
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, code: "PROVIDER_REJECTED"},
		{name: "a connection that breaks", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, code: "PROVIDER_UNREACHABLE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sink := &heard{}
			turn, err := serve(t, tt.answer).Turn(t.Context(), model.Call{Model: "m"}, sink)
			code := ""
			if err != nil {
				code = failure.Of(err).Code
				if strings.Contains(err.Error(), "SECRET") {
					t.Errorf("the provider's words are repeated: %v", err)
				}
			}
			if code != tt.code {
				t.Fatalf("got %v, want %q", err, tt.code)
			}
			var calls []string
			for _, c := range turn.Calls {
				calls = append(calls, arguments(c))
			}
			usage := ""
			if turn.Usage != nil {
				usage = string(turn.Usage.AppendJSON(nil))
			}
			if !reflect.DeepEqual(sink.texts, tt.texts) || sink.progress != tt.progress && tt.progress >= 0 {
				t.Errorf("got the texts %q and %d times progress", sink.texts, sink.progress)
			}
			if err == nil && (!reflect.DeepEqual(calls, tt.calls) || usage != tt.usage || turn.Length != tt.length || turn.Text != strings.Join(tt.texts, "")) {
				t.Errorf("got %q, calls %q, usage %s, length %v", turn.Text, calls, usage, turn.Length)
			}
		})
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "SECRET", code) }
}

func TestTheRequestIsThatOfTheDialect(t *testing.T) {
	var method, path, key string
	var body map[string]any
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		method, path, key = r.Method, r.URL.Path, r.Header.Get("Authorization")
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		says("[DONE]")(w, r)
	})
	_, err := p.Turn(t.Context(), model.Call{Model: "m", Instructions: "be kind", MaxOutputTokens: 9,
		Messages: []model.Message{
			{Role: model.User, Content: "look", Parts: []model.Part{{MediaType: "image/png", Data: "AAAA"}}},
			{Role: model.Assistant, Calls: []model.ToolCall{{ID: "c1", Name: "echo", Arguments: wire.Raw(`{"x":1}`)}}},
			{Role: model.ToolRole, Content: `{"x":1}`, CallID: "c1"},
		},
		Tools: []model.Tool{{Name: "echo", Description: "repeats", InputSchema: wire.Raw(`{"type":"object"}`)}}}, &heard{})
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(`{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,
		"tools":[{"type":"function","function":{"name":"echo","description":"repeats","parameters":{"type":"object"}}}],
		"messages":[{"role":"system","content":"be kind"},
			{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"echo","arguments":"{\"x\":1}"}}]},
			{"role":"tool","content":"{\"x\":1}","tool_call_id":"c1"}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if method != "POST" || path != "/v1/chat/completions" || key != "Bearer the key" || !reflect.DeepEqual(body, want) {
		t.Errorf("got %s %s %s %v", method, path, key, body)
	}
}

func TestCancellingEndsTheCall(t *testing.T) {
	left := make(chan bool)
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		says(`{"choices":[{"delta":{"content":"a"}}]}`)(w, r)
		<-r.Context().Done()
		left <- true
	})
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := p.Turn(ctx, model.Call{}, &heard{on: cancel}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	<-left
}

func TestModels(t *testing.T) {
	tests := []struct {
		name, answer string
		status       int
		want         []string
		code         string
	}{
		{"a list", `{"data":[{"id":"a"},{"id":"b"}]}`, 200, []string{"a", "b"}, ""},
		{"an empty list", `{"data":[]}`, 200, []string{}, ""},
		{"no JSON", `<html>`, 200, nil, "INVALID_DISCOVERY_RESPONSE"},
		{"no access", ``, 403, nil, "ACCESS_DENIED"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != "GET" || r.URL.Path != "/v1/models" {
					t.Errorf("got %s %s", r.Method, r.URL.Path)
				}
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.answer)
			}).Models(t.Context())
			code := ""
			if err != nil {
				code = failure.Of(err).Code
			}
			if !reflect.DeepEqual(got, tt.want) || code != tt.code {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestAKeyThatCannotBeReadSendsNothing(t *testing.T) {
	p := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	p.Key = func() (string, error) { return "", io.ErrUnexpectedEOF }
	if _, err := p.Turn(t.Context(), model.Call{}, &heard{}); failure.Of(err).Code != "AUTH_REQUIRED" {
		t.Errorf("got %v", err)
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	_, err := (&Provider{BaseURL: s.URL}).Turn(t.Context(), model.Call{}, &heard{})
	if e := failure.Of(err); e.Code != "PROVIDER_UNREACHABLE" || !e.Retryable {
		t.Errorf("got %v", err)
	}
}

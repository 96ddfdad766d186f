package comitiva

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// model is a scripted model server: the n-th chat request is answered by the
// n-th of its turns.
type model struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	turns    []modelTurn
	requests []modelRequest
	gone     chan struct{} // one entry for each client that went away early
}

type modelTurn func(w http.ResponseWriter, req *http.Request)

type modelRequest struct {
	header http.Header
	body   map[string]any
}

// newModel starts a model server; every turn beyond the script answers "ok".
func newModel(t *testing.T, turns ...modelTurn) *model {
	m := &model{t: t, turns: turns, gone: make(chan struct{}, 100)}
	m.Server = httptest.NewServer(m)
	t.Cleanup(func() {
		m.CloseClientConnections()
		m.Close()
	})
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	data, _ := io.ReadAll(req.Body)
	var body map[string]any
	_ = json.Unmarshal(data, &body)
	m.mu.Lock()
	turn := sse(delta("ok"), finish("stop"), usageOf(11, 7, 0))
	if req.Method == http.MethodGet {
		turn = models
	} else if strings.HasSuffix(req.URL.Path, "/api/chat") {
		turn = ndjson(`{"message":{"content":"ok"},"done":false}`, `{"done":true,"done_reason":"stop","prompt_eval_count":11,"eval_count":7}`)
	}
	if len(m.turns) > 0 {
		turn, m.turns = m.turns[0], m.turns[1:]
	}
	m.requests = append(m.requests, modelRequest{req.Header, body})
	m.mu.Unlock()
	turn(w, req)
	if req.Context().Err() != nil {
		m.gone <- struct{}{}
	}
}

func (m *model) openai() message { return connection("openai-compatible", m.URL+"/v1") }
func (m *model) ollama() message { return connection("ollama", m.URL) }

// request is the n-th request that came, from 0.
func (m *model) request(n int) modelRequest {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if n >= len(m.requests) {
		m.t.Fatalf("only %d requests came", len(m.requests))
	}
	return m.requests[n]
}

func (m *model) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.requests)
}

// messages are the messages of the n-th request, in JSON.
func (m *model) messages(n int) []string {
	m.t.Helper()
	list, _ := m.request(n).body["messages"].([]any)
	var out []string
	for _, item := range list {
		data, _ := json.Marshal(item)
		out = append(out, string(data))
	}
	return out
}

func models(w http.ResponseWriter, req *http.Request) {
	if strings.HasSuffix(req.URL.Path, "/v1/models") {
		fmt.Fprint(w, `{"data":[{"id":"one","name":"One","context_length":4096},{"id":"two"}]}`)
		return
	}
	fmt.Fprint(w, `{"version":"1","models":[{"model":"one","name":"One"},{"name":"two"}]}`)
}

// lines answers with lines, each flushed by itself.
func lines(lines ...string) modelTurn {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, line := range lines {
			fmt.Fprint(w, line)
			w.(http.Flusher).Flush()
		}
	}
}

// sse answers with events, and the mark of the end.
func sse(events ...string) modelTurn {
	var out []string
	for _, e := range append(events, "[DONE]") {
		out = append(out, "data: "+e+"\n\n")
	}
	return lines(out...)
}

func ndjson(objects ...string) modelTurn {
	var out []string
	for _, o := range objects {
		out = append(out, o+"\n")
	}
	return lines(out...)
}

func delta(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"model":"scripted-1","choices":[{"delta":{"content":` + string(quoted) + `}}]}`
}

func finish(reason string) string {
	return `{"choices":[{"delta":{},"finish_reason":"` + reason + `"}]}`
}

func usageOf(input, output, cached int) string {
	return fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`, input, output, cached)
}

// calls answers with tool calls, each in two fragments; a call is id, tool and
// arguments.
func calls(list ...[3]string) modelTurn {
	var events []string
	for i, c := range list {
		half := len(c[2]) / 2
		first, _ := json.Marshal(c[2][:half])
		second, _ := json.Marshal(c[2][half:])
		events = append(events,
			fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":%d,"id":%q,"function":{"name":%q,"arguments":%s}}]}}]}`, i, c[0], c[1], first),
			fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}}]}`, i, second))
	}
	return sse(append(events, finish("tool_calls"), usageOf(10, 5, 0))...)
}

func status(code int, body string) modelTurn {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// stall writes some lines and then nothing, until the client goes away.
func stall(before ...string) modelTurn {
	return func(w http.ResponseWriter, req *http.Request) {
		lines(before...)(w, req)
		<-req.Context().Done()
	}
}

// until writes some lines, then waits for ctx, then goes on.
func until(ctx context.Context, before []string, then modelTurn) modelTurn {
	return func(w http.ResponseWriter, req *http.Request) {
		lines(before...)(w, req)
		select {
		case <-ctx.Done():
			then(w, req)
		case <-req.Context().Done():
		}
	}
}

// reset writes some lines and breaks the connection off.
func reset(before ...string) modelTurn {
	return func(w http.ResponseWriter, req *http.Request) {
		lines(before...)(w, req)
		panic(http.ErrAbortHandler)
	}
}

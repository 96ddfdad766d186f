package model_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/standin/model"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
)

// start runs a server for a script written as JSON.
func start(t *testing.T, text string) *model.Server {
	t.Helper()
	s, err := model.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	server, err := model.Start(s, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// await returns the next event of the kind as JSON members.
func await(t *testing.T, server *model.Server, kind string) map[string]any {
	t.Helper()
	e, err := server.Recorder().Await(bounded(t), func(e record.Event) bool { return e.Kind == kind })
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func post(t *testing.T, ctx context.Context, url, body string) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer k")
	return http.DefaultTransport.RoundTrip(r)
}

// chat is the body of a chat request with streaming and usage.
func chat(user string, tools ...string) string {
	offered := []any{}
	for _, name := range tools {
		offered = append(offered, map[string]any{"type": "function", "function": map[string]any{"name": name}})
	}
	data, err := json.Marshal(map[string]any{
		"model": "m", "stream": true, "stream_options": map[string]any{"include_usage": true}, "tools": offered,
		"messages": []any{map[string]any{"role": "user", "content": "earlier"}, map[string]any{"role": "user", "content": user}},
	})
	if err != nil {
		panic(err)
	}
	return string(data)
}

// call is a tool call as a client puts it together.
type call struct{ ID, Name, Arguments string }

// reply is a streamed answer as a client understands it.
type reply struct {
	status  int
	text    string
	calls   []call
	finish  string
	usage   map[string]any
	failure any
	done    bool
	err     error
}

// read understands an answer in either dialect.
func read(t *testing.T, resp *http.Response) (out reply) {
	t.Helper()
	defer func() { _ = resp.Body.Close() }()
	out.status = resp.StatusCode
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		line := strings.TrimPrefix(lines.Text(), "data: ")
		if line == "" {
			continue
		}
		if line == "[DONE]" {
			out.done = true
			continue
		}
		var m struct {
			Choices []struct {
				Delta struct {
					Content   string `json:"content"`
					ToolCalls []struct {
						Index    int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
			Usage   map[string]any
			Error   any
			Message struct {
				Content   string
				ToolCalls []struct {
					ID       string
					Function struct {
						Name      string
						Arguments json.RawMessage
					}
				} `json:"tool_calls"`
			}
			Done       bool
			DoneReason string `json:"done_reason"`
			Input      *int   `json:"prompt_eval_count"`
			Output     *int   `json:"eval_count"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			out.failure = "malformed: " + line
			continue
		}
		if m.Error != nil {
			out.failure = m.Error
		}
		if m.Usage != nil {
			out.usage = m.Usage
		}
		for _, c := range m.Choices {
			out.text += c.Delta.Content
			if c.FinishReason != "" {
				out.finish = c.FinishReason
			}
			for _, f := range c.Delta.ToolCalls {
				for len(out.calls) <= f.Index {
					out.calls = append(out.calls, call{})
				}
				out.calls[f.Index].ID += f.ID
				out.calls[f.Index].Name += f.Function.Name
				out.calls[f.Index].Arguments += f.Function.Arguments
			}
		}
		out.text += m.Message.Content
		for _, c := range m.Message.ToolCalls {
			out.calls = append(out.calls, call{c.ID, c.Function.Name, string(c.Function.Arguments)})
		}
		if m.Done {
			out.done, out.finish = true, m.DoneReason
			if m.Input != nil && m.Output != nil {
				out.usage = map[string]any{"input": float64(*m.Input), "output": float64(*m.Output)}
			}
		}
	}
	out.err = lines.Err()
	return out
}

// ask posts a chat request and reads the whole answer.
func ask(t *testing.T, server *model.Server, path, body string) reply {
	t.Helper()
	resp, err := post(t, bounded(t), server.BaseURL()+path, body)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, resp)
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(bounded(t), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

const (
	completions = "/chat/completions"
	apiChat     = "/api/chat"
)

// noGoroutine waits until no goroutine runs any of the functions, except the test itself.
func noGoroutine(t *testing.T, functions ...string) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		left := ""
		for _, stack := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			for _, f := range functions {
				if strings.Contains(stack, f) {
					left = stack
				}
			}
		}
		if left == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("a goroutine is left behind:\n%s", left)
		}
	}
}

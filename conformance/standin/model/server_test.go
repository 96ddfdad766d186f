package model_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"syscall"
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
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
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

func TestRecordsWhatTheClientSent(t *testing.T) {
	server := start(t, `{"dialect":"openai","base":"/a/b","turns":[{"text":"hi"}]}`)
	if got := ask(t, server, completions+"?q=1", chat("hello", "fs__read")); got.text != "hi" || !got.done {
		t.Fatalf("got %+v", got)
	}
	e := await(t, server, model.KindRequest)
	if e["path"] != "/a/b/chat/completions" || e["query"] != "q=1" || e["method"] != "POST" || e["turn"] != 0.0 ||
		e["user"] != "hello" || e["model"] != "m" || e["tools"].([]any)[0] != "fs__read" || e["standIn"] != "model" {
		t.Errorf("got %v", e)
	}
	if h := e["headers"].(map[string]any); h["authorization"] != "Bearer k" {
		t.Errorf("headers %v", h)
	}
	if body := e["body"].(map[string]any); body["stream"] != true {
		t.Errorf("body %v", body)
	}
	if f := await(t, server, model.KindFinished); f["request"] != 1.0 || f["chunks"] != 1.0 || f["status"] != 200.0 {
		t.Errorf("got %v", f)
	}
}

func TestTakesTurnsInOrderAndTellsWhenNoneIsLeft(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"text":"one"},{"text":"two","times":2},{"when":"never","text":"x"}]}`)
	var texts []string
	for range 3 {
		texts = append(texts, ask(t, server, completions, chat("q")).text)
	}
	if got := strings.Join(texts, " "); got != "one two two" {
		t.Errorf("got %s", got)
	}
	if unused := server.Unused(); len(unused) != 1 || unused[0] != 2 {
		t.Errorf("unused %v", unused)
	}
	if got := ask(t, server, completions, chat("q")); got.status != 400 || got.failure == nil {
		t.Errorf("got %+v", got)
	}
	if e := await(t, server, model.KindExhausted); e["request"] != 4.0 || e["reason"] == "" {
		t.Errorf("got %v", e)
	}
}

func TestSelectorsGiveEachRunItsOwnStory(t *testing.T) {
	server := start(t, `{"dialect":"ollama","turns":[
		{"when":"beta","text":"b1"},{"when":{"equals":"alpha"},"text":"a1"},{"when":"beta","text":"b2"},
		{"when":{"contains":"a","model":"other"},"text":"wrong"},{"text":"rest","always":true}]}`)
	for i, c := range []struct{ user, want string }{
		{"alpha", "a1"}, {"to beta", "b1"}, {"to beta", "b2"}, {"to beta", "rest"}, {"alpha", "rest"},
	} {
		if got := ask(t, server, apiChat, chat(c.user)); got.text != c.want {
			t.Errorf("request %d (%s): got %q, want %q", i+1, c.user, got.text, c.want)
		}
	}
	if unused := server.Unused(); len(unused) != 1 || unused[0] != 3 {
		t.Errorf("unused %v", unused)
	}
}

func TestSelectorsReadContentInParts(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"when":"in parts","text":"found"}]}`)
	body := `{"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"said in parts"},{"type":"image_url","image_url":{"url":"x"}}]},{"role":"assistant","content":"x"}]}`
	if got := ask(t, server, completions, body); got.text != "found" {
		t.Errorf("got %+v", got)
	}
}

func TestStreamsContentInEitherDialect(t *testing.T) {
	var hundred strings.Builder
	for i := range 100 {
		hundred.WriteString(model.Chunk(i))
	}
	for _, c := range []struct {
		name, turn string
		want       string
		chunks     float64
	}{
		{"text", `{"text":"hello"}`, "hello", 1},
		{"deltas", `{"deltas":["he","llo",{"text":" – 😀"}]}`, "hello – 😀", 3},
		{"chunks", `{"chunks":100}`, hundred.String(), 100},
		{"pieces cut anywhere", `{"chunks":5,"pieces":3}`, hundred.String()[:strings.Index(hundred.String(), "chunk 5")], 5},
		{"nothing", `{}`, "", 0},
	} {
		for dialect, path := range map[string]string{"openai": completions, "ollama": apiChat} {
			t.Run(c.name+" "+dialect, func(t *testing.T) {
				server := start(t, `{"dialect":"`+dialect+`","turns":[`+c.turn+`]}`)
				got := ask(t, server, path, chat("q"))
				if got.text != c.want || !got.done || got.finish != "stop" || got.err != nil || got.failure != nil {
					t.Errorf("got %+v", got)
				}
				if f := await(t, server, model.KindFinished); f["chunks"] != c.chunks {
					t.Errorf("got %v", f)
				}
			})
		}
	}
}

func TestContentIsWhatIsStreamed(t *testing.T) {
	s, err := model.Decode([]byte(`{"dialect":"openai","turns":[{"deltas":["a",{"wait":"g"},{"raw":"{"},"b"]},{"chunks":2},{"text":"t"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"ab", model.Chunk(0) + model.Chunk(1), "t"} {
		if got := s.Turns[i].Content(); got != want {
			t.Errorf("turn %d: got %q, want %q", i, got, want)
		}
	}
}

func TestAnswersWholeWhenNoStreamIsAskedFor(t *testing.T) {
	body := `{"model":"m","stream":false,"messages":[{"role":"user","content":"q"}]}`
	for dialect, path := range map[string]string{"openai": completions, "ollama": apiChat} {
		server := start(t, `{"dialect":"`+dialect+`","turns":[{"deltas":["a","b"],"calls":[{"tool":"t"}]},{"error":"x"}]}`)
		resp, err := post(t, bounded(t), server.BaseURL()+path, body)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !json.Valid(data) || !bytes.Contains(data, []byte(`"content":"ab"`)) || !bytes.Contains(data, []byte(`"name":"t"`)) {
			t.Errorf("%s: got %s, %v", dialect, data, err)
		}
		if got := ask(t, server, path, body); got.status != 500 || got.failure == nil {
			t.Errorf("%s: got %+v", dialect, got)
		}
	}
}

func TestToolCallsArriveAsTheDialectSendsThem(t *testing.T) {
	for _, c := range []struct {
		name, dialect, turn string
		want                []call
		finish              string
		chunks              float64
	}{
		{"fragments", "openai", `{"text":"let me see","calls":[{"tool":"t","arguments":{"é":1},"fragments":3}]}`,
			[]call{{"call_1_1", "t", `{"é":1}`}}, "tool_calls", 5},
		{"alternating", "openai", `{"interleave":true,"calls":[{"tool":"a","id":"x","arguments":{"n":1}},{"tool":"b","id":"y","arguments":{"n":2}}]}`,
			[]call{{"x", "a", `{"n":1}`}, {"y", "b", `{"n":2}`}}, "tool_calls", 6},
		{"without id, broken arguments", "openai", `{"calls":[{"tool":"a","id":"","arguments":"{broken"}]}`,
			[]call{{"", "a", `{broken`}}, "tool_calls", 3},
		{"claimed stop", "openai", `{"stop":"length","calls":[{"tool":"a"}]}`, []call{{"call_1_1", "a", `{}`}}, "length", 3},
		{"whole", "ollama", `{"calls":[{"tool":"a","arguments":{"n":1}},{"tool":"b","id":"y"}]}`,
			[]call{{"", "a", `{"n":1}`}, {"y", "b", `{}`}}, "stop", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := start(t, `{"dialect":"`+c.dialect+`","turns":[`+c.turn+`]}`)
			path := completions
			if c.dialect == "ollama" {
				path = apiChat
			}
			got := ask(t, server, path, chat("q"))
			if len(got.calls) != len(c.want) || got.finish != c.finish || !got.done {
				t.Fatalf("got %+v", got)
			}
			for i := range c.want {
				if got.calls[i] != c.want[i] {
					t.Errorf("call %d: got %+v, want %+v", i, got.calls[i], c.want[i])
				}
			}
			if f := await(t, server, model.KindFinished); f["chunks"] != c.chunks {
				t.Errorf("got %v", f)
			}
		})
	}
}

func TestToolNamesAreResolvedAgainstTheOfferedOnes(t *testing.T) {
	for _, c := range []struct {
		scripted string
		offered  []string
		want     string
	}{
		{"clock__wait", []string{"clock__wait", "x_clock__wait"}, "clock__wait"},
		{"wait", []string{"clock__wait", "clock__now"}, "clock__wait"},
		{"wait", []string{"a__wait", "b__wait"}, "wait"},
		{"wait", []string{"clock__await"}, "wait"},
		{"fs__write", nil, "fs__write"},
	} {
		server := start(t, `{"dialect":"openai","turns":[{"calls":[{"tool":"`+c.scripted+`"}]}]}`)
		if got := ask(t, server, completions, chat("q", c.offered...)); len(got.calls) != 1 || got.calls[0].Name != c.want {
			t.Errorf("%s of %v: got %+v, want %s", c.scripted, c.offered, got.calls, c.want)
		}
	}
}

func TestUsageIsReportedAsScripted(t *testing.T) {
	unasked := strings.Replace(chat("q"), `"include_usage":true`, `"include_usage":false`, 1)
	for _, c := range []struct{ name, dialect, turn, body, want string }{
		{"default", "openai", `{}`, chat("q"), `{"completion_tokens":7,"prompt_tokens":11,"total_tokens":18}`},
		{"cached", "openai", `{"usage":{"input":100,"output":7,"cached":40}}`, chat("q"), `{"completion_tokens":7,"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":40},"total_tokens":107}`},
		{"none", "openai", `{"usage":"none"}`, chat("q"), `null`},
		{"not asked for", "openai", `{}`, unasked, `null`},
		{"default", "ollama", `{}`, chat("q"), `{"input":11,"output":7}`},
		{"zero", "ollama", `{"usage":{"input":5}}`, chat("q"), `{"input":5,"output":0}`},
		{"none", "ollama", `{"usage":"none"}`, chat("q"), `null`},
	} {
		t.Run(c.dialect+" "+c.name, func(t *testing.T) {
			server := start(t, `{"dialect":"`+c.dialect+`","turns":[`+c.turn+`]}`)
			path := map[string]string{"openai": completions, "ollama": apiChat}[c.dialect]
			got := ask(t, server, path, c.body)
			if data, _ := json.Marshal(got.usage); string(data) != c.want || !got.done {
				t.Errorf("got %s, want %s", data, c.want)
			}
		})
	}
}

func TestErrorsByStatusCarryBodyAndHeaders(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"status":429,"times":3},{"status":401,"body":{"x":1}},{"status":503,"body":"busy","headers":{"Retry-After":"7"}}]}`)
	for _, c := range []struct {
		status                int
		body, header, header2 string
	}{
		{429, `"rate_limit_error"`, "1", ""}, {429, "scripted status 429", "1", ""}, {429, "", "1", ""},
		{401, `{"x":1}`, "", ""}, {503, `busy`, "1", "7"},
	} {
		resp, err := post(t, bounded(t), server.BaseURL()+completions, chat("q"))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(data), c.body) ||
			resp.Header.Get("retry-after-ms") != c.header || resp.Header.Get("retry-after") != c.header2 {
			t.Errorf("got %d %v %s, %v; want %+v", resp.StatusCode, resp.Header, data, err, c)
		}
	}
}

func TestErrorsInsideTheStream(t *testing.T) {
	for _, c := range []struct{ dialect, turn, want string }{
		{"openai", `{"text":"a","error":"overloaded"}`, `{"code":null,"message":"overloaded","type":"server_error"}`},
		{"openai", "{\"text\":\"a\",\"error\":{\"error\":\n{\"x\": 1}}}", `{"x":1}`},
		{"ollama", `{"text":"a","error":"overloaded"}`, `"overloaded"`},
		{"ollama", `{"deltas":["a",{"raw":"{broken"}],"unfinished":true}`, `"malformed: {broken"`},
		{"openai", `{"text":"a","unfinished":true}`, `null`},
	} {
		server := start(t, `{"dialect":"`+c.dialect+`","turns":[`+c.turn+`]}`)
		path := map[string]string{"openai": completions, "ollama": apiChat}[c.dialect]
		got := ask(t, server, path, chat("q"))
		if data, _ := json.Marshal(got.failure); string(data) != c.want || got.text != "a" || got.done || got.err != nil {
			t.Errorf("%s %s: got %s, %+v", c.dialect, c.turn, data, got)
		}
		await(t, server, model.KindFinished)
	}
}

func TestGatesHoldBackWhatFollows(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"wait":"first","deltas":["a",{"wait":"second","text":"b"},{"wait":"third"}]}]}`)
	type outcome struct {
		reply reply
		err   error
	}
	answered := make(chan outcome, 1)
	go func() {
		resp, err := post(t, context.Background(), server.BaseURL()+completions, chat("q"))
		if err != nil {
			answered <- outcome{err: err}
			return
		}
		answered <- outcome{reply: read(t, resp)}
	}()
	for i, name := range []string{"first", "second", "third"} {
		e := await(t, server, model.KindWaiting)
		if e["gate"] != name || e["chunks"] != float64(i) {
			t.Fatalf("got %v, want gate %s", e, name)
		}
		server.Gates().Release(name)
	}
	if got := <-answered; got.err != nil || got.reply.text != "ab" || !got.reply.done {
		t.Errorf("got %+v", got)
	}
}

func TestNoticesThatTheClientLeft(t *testing.T) {
	for _, c := range []struct {
		name, turn, at string
		chunks         float64
	}{
		{"while stalled before the headers", `{"stall":true}`, model.KindStalled, 0},
		{"while stalled in the middle", `{"chunks":2,"stall":true}`, model.KindStalled, 2},
		{"at a gate before the headers", `{"wait":"g"}`, model.KindWaiting, 0},
		{"at a gate in the middle", `{"deltas":["a",{"wait":"g"}]}`, model.KindWaiting, 1},
	} {
		for dialect, path := range map[string]string{"openai": completions, "ollama": apiChat} {
			t.Run(c.name+" "+dialect, func(t *testing.T) {
				server := start(t, `{"dialect":"`+dialect+`","turns":[`+c.turn+`]}`)
				ctx, leave := context.WithCancel(bounded(t))
				ended := make(chan error, 1)
				go func() {
					resp, err := post(t, ctx, server.BaseURL()+path, chat("q"))
					if err == nil {
						err = read(t, resp).err
					}
					ended <- err
				}()
				await(t, server, c.at)
				leave()
				if e := await(t, server, model.KindClosed); e["request"] != 1.0 || e["chunks"] != c.chunks {
					t.Errorf("got %v", e)
				}
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("the client got %v", err)
				}
			})
		}
	}
}

func TestCutsTheConnection(t *testing.T) {
	for _, c := range []struct {
		name, turn string
		early      bool
		text       string
	}{
		{"before the headers", `{"text":"a","cut":0}`, true, ""},
		{"by reset", `{"cut":0,"reset":true}`, true, ""},
		{"after two chunks", `{"deltas":["a","b","c"],"cut":2}`, false, "ab"},
		{"after all chunks", `{"deltas":["a","b","c"],"cut":9}`, false, "abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := start(t, `{"dialect":"openai","turns":[`+c.turn+`]}`)
			resp, err := post(t, bounded(t), server.BaseURL()+completions, chat("q"))
			if (err != nil) != c.early {
				t.Fatalf("got %v", err)
			}
			if err == nil {
				if got := read(t, resp); got.text != c.text || got.done || !errors.Is(got.err, io.ErrUnexpectedEOF) {
					t.Errorf("got %+v", got)
				}
			}
			if e := await(t, server, model.KindCut); e["chunks"] != float64(len(c.text)) {
				t.Errorf("got %v", e)
			}
		})
	}
}

func TestRefusesConnections(t *testing.T) {
	server := start(t, `{"dialect":"openai","refuse":true}`)
	if _, err := post(t, bounded(t), server.BaseURL()+completions, chat("q")); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
}

func TestListsModels(t *testing.T) {
	for _, c := range []struct{ script, path, want string }{
		{`{"dialect":"openai"}`, "/models", `{"data":[{"created":0,"id":"stand-in","object":"model","owned_by":"stand-in"}],"object":"list"}`},
		{`{"dialect":"openai","models":[]}`, "/models", `{"data":[],"object":"list"}`},
		{`{"dialect":"openai","models":["a",{"id":"b","with":{"created":null,"n":[1]}}]}`, "/models",
			`{"data":[{"created":0,"id":"a","object":"model","owned_by":"stand-in"},{"id":"b","n":[1],"object":"model","owned_by":"stand-in"}],"object":"list"}`},
		{`{"dialect":"ollama","models":[{"id":"a","with":{"model":null,"modified_at":null,"size":null}}]}`, "/api/tags", `{"models":[{"name":"a"}]}`},
		{`{"dialect":"ollama"}`, "/api/version", `{"version":"0.9.0"}`},
		{`{"dialect":"ollama","version":"1.2"}`, "/api/version", `{"version":"1.2"}`},
	} {
		server := start(t, c.script)
		if status, body := get(t, server.BaseURL()+c.path); status != 200 || body != c.want {
			t.Errorf("%s: got %d %s\nwant %s", c.script, status, body, c.want)
		}
		if e := await(t, server, model.KindRequest); e["method"] != "GET" || e["turn"] != nil {
			t.Errorf("got %v", e)
		}
	}
}

func TestProbesAreAnsweredAsScripted(t *testing.T) {
	server := start(t, `{"dialect":"openai","probes":[{"status":401},{"status":418,"body":"tea"},{"wait":"g","headers":{"x":"y"}},{"cut":true}]}`)
	server.Gates().Release("g")
	for _, want := range []struct {
		status int
		body   string
	}{{401, "authentication_error"}, {418, "tea"}, {200, "stand-in"}} {
		if status, body := get(t, server.BaseURL()+"/models"); status != want.status || !strings.Contains(body, want.body) {
			t.Errorf("got %d %s, want %+v", status, body, want)
		}
	}
	if _, err := post(t, bounded(t), server.BaseURL()+"/models", ""); err != nil {
		t.Fatal(err)
	}
	await(t, server, model.KindUnexpected)
	r, err := http.NewRequestWithContext(bounded(t), http.MethodPut, server.BaseURL()+"/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultTransport.RoundTrip(r); err != nil || resp.StatusCode != 404 {
		t.Errorf("got %v, %v", resp, err)
	}
	await(t, server, model.KindUnexpected)
	// The transport repeats a GET on a connection that was in use before; a fresh client does not.
	fresh := &http.Transport{DisableKeepAlives: true}
	r, err = http.NewRequestWithContext(bounded(t), http.MethodGet, server.BaseURL()+"/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fresh.RoundTrip(r); err == nil {
		t.Error("the connection was not cut")
	}
	await(t, server, model.KindCut)
	if status, _ := get(t, server.BaseURL()+"/models"); status != 400 {
		t.Errorf("got %d", status)
	}
	await(t, server, model.KindExhausted)
}

func TestEveryProbeStallsUntilTheClientLeaves(t *testing.T) {
	server := start(t, `{"dialect":"ollama","probe":{"stall":true}}`)
	for range 2 {
		ctx, leave := context.WithCancel(bounded(t))
		ended := make(chan error, 1)
		go func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.BaseURL()+"/api/tags", nil)
			if err == nil {
				_, err = http.DefaultTransport.RoundTrip(r)
			}
			ended <- err
		}()
		await(t, server, model.KindStalled)
		leave()
		await(t, server, model.KindClosed)
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestUnexpectedRequestsAreAnsweredAndRecorded(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"text":"x"}]}`)
	if status, body := get(t, server.URL()+"/models"); status != 404 || !strings.Contains(body, "error") {
		t.Errorf("the base path is not checked: got %d %s", status, body)
	}
	if e := await(t, server, model.KindUnexpected); e["reason"] != "no such operation: GET /models" {
		t.Errorf("got %v", e)
	}
	if got := ask(t, server, completions, "{broken"); got.status != 400 {
		t.Errorf("got %+v", got)
	}
	await(t, server, model.KindUnexpected)
	await(t, server, model.KindRequest)
	if e := await(t, server, model.KindRequest); e["text"] != "{broken" || e["body"] != nil {
		t.Errorf("got %v", e)
	}
}

func TestLargeBodiesArriveIntact(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"text":"ok"}]}`)
	big := strings.Repeat("0123456789abcdef", 1<<18)
	if got := ask(t, server, completions, chat(big)); got.text != "ok" {
		t.Fatalf("got %+v", got)
	}
	e, err := server.Recorder().Await(bounded(t), func(e record.Event) bool { return e.Kind == model.KindRequest })
	if err != nil {
		t.Fatal(err)
	}
	if seen := e.Detail.(*model.Request); seen.User != big || len(seen.Body) != seen.Size {
		t.Errorf("the text of the user message arrived damaged; %d bytes", seen.Size)
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	server := start(t, `{"dialect":"openai","turns":[{"when":"stall","chunks":1,"stall":true,"always":true},{"when":"gate","wait":"never","always":true},{"text":"x","always":true}]}`)
	client := &http.Transport{}
	ended := make(chan struct{}, 12)
	for range 4 {
		for _, user := range []string{"stall", "gate", "plain"} {
			go func() {
				defer func() { ended <- struct{}{} }()
				r, err := http.NewRequest(http.MethodPost, server.BaseURL()+completions, strings.NewReader(chat(user)))
				if err != nil {
					t.Error(err)
					return
				}
				resp, err := client.RoundTrip(r)
				if err != nil {
					return // the gate: closed before the headers
				}
				if got := read(t, resp); (user == "plain") != got.done {
					t.Errorf("%s: got %+v", user, got)
				}
			}()
		}
	}
	for range 4 {
		await(t, server, model.KindStalled)
		await(t, server, model.KindWaiting)
		await(t, server, model.KindFinished)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	for range 12 {
		<-ended
	}
	client.CloseIdleConnections()
	if n := server.Recorder().Count(func(e record.Event) bool { return e.Kind == model.KindClosed }); n != 0 {
		t.Errorf("%d clients were said to have left; it was the server that closed", n)
	}
	noGoroutine(t, "standin/model.(*", "net/http.(*conn).serve")
}

// noGoroutine waits until no goroutine runs any of the functions, except the test itself.
func noGoroutine(t *testing.T, functions ...string) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
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

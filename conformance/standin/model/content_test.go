package model_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/conformance/standin/model"
)

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

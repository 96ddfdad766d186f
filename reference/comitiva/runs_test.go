package comitiva

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestRun(t *testing.T) {
	for _, providerID := range []string{"openai-compatible", "ollama"} {
		t.Run(providerID, func(t *testing.T) {
			var want strings.Builder
			var events []string
			for i := range 100 {
				piece := fmt.Sprintf("%d é€😀 ", i)
				want.WriteString(piece)
				if providerID == "ollama" {
					quoted, _ := json.Marshal(piece)
					events = append(events, `{"message":{"content":`+string(quoted)+`}}`)
				} else {
					events = append(events, delta(piece))
				}
			}
			m := newModel(t)
			c := m.ollama()
			m.turns = []modelTurn{ndjson(append(events, `{"model":"scripted-1","done":true,"done_reason":"length","prompt_eval_count":60,"eval_count":7}`)...)}
			if providerID != "ollama" {
				c = m.openai()
				m.turns = []modelTurn{sse(append(events, finish("length"), usageOf(100, 7, 40))...)}
			}
			s := start(t, nil)
			s.send(runStart("r", c))
			if got := s.result("sr"); got["runId"] != "r" {
				t.Errorf("run.start gave %v", got)
			}
			got := s.finish("r")
			if kinds(got) != "text_delta usage done" || said(got) != want.String() {
				t.Errorf("got %s, said %q", kinds(got), said(got))
			}
			usage := got[len(got)-2]
			if usage["inputTokens"] != 60.0 || usage["outputTokens"] != 7.0 || usage["estimated"] != false || usage["model"] != "scripted-1" {
				t.Errorf("the usage is %v", usage)
			}
			if providerID != "ollama" && usage["cacheReadTokens"] != 40.0 {
				t.Errorf("the usage is %v", usage)
			}
			if got[len(got)-1]["stopReason"] != "max_tokens" {
				t.Errorf("it stopped with %v", got[len(got)-1])
			}
			last := 0.0
			for _, ev := range got {
				ts, ok := ev["ts"].(float64)
				if !ok || ts < last || ts < 1.7e12 {
					t.Errorf("the time stamp of %v follows %v", ev, last)
				}
				last = ts
			}
			if auth := m.request(0).header.Get("Authorization"); auth != "" {
				t.Errorf("a run without a secret sends %q", auth)
			}
		})
	}
}

func TestStopReasons(t *testing.T) {
	for reason, want := range map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use",
		"content_filter": "refusal", "strange": "other"} {
		m := newModel(t, sse(delta("x"), finish(reason)))
		s := start(t, nil)
		s.send(runStart("r", m.openai()))
		if got := s.finish("r"); got[len(got)-1]["stopReason"] != want {
			t.Errorf("%s: got %v", reason, got[len(got)-1])
		}
	}
}

func TestFailedRuns(t *testing.T) {
	tests := []struct {
		name      string
		turn      modelTurn
		ollama    bool
		code      string
		retryable bool
		requests  int
	}{
		{"401", status(401, `{"error":{"message":"bad key the-secret"}}`), false, "auth_failed", false, 1},
		{"400", status(400, ``), false, "provider_error", false, 1},
		{"408", status(408, ``), false, "timeout", true, 3},
		{"409", status(409, ``), false, "provider_error", false, 3},
		{"429", status(429, ``), false, "rate_limited", true, 3},
		{"500", status(500, ``), false, "provider_unavailable", true, 3},
		{"500 of Ollama is not tried again", status(500, ``), true, "provider_unavailable", true, 1},
		{"an error inside the stream", sse(delta("x"), `{"error":{"message":"no luck with the-secret"}}`), false, "provider_error", false, 1},
		{"an error inside a stream of Ollama", ndjson(`{"message":{"content":"x"}}`, `{"error":"no luck"}`), true, "provider_error", false, 1},
		{"a broken line of Ollama", ndjson(`{"message":{"content":"x"}}`, `{broken`), true, "provider_error", false, 1},
		{"a broken event", sse(delta("x"), `{broken`), false, "provider_error", false, 1},
		{"a stream that breaks off", reset("data: " + delta("x") + "\n\n"), false, "provider_unavailable", true, 1},
		{"a stream of Ollama that breaks off", reset(`{"message":{"content":"x"}}` + "\n"), true, "provider_unavailable", true, 1},
		{"a stream without an end", lines("data: " + delta("x") + "\n\n"), false, "provider_unavailable", true, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(t, tt.turn, tt.turn, tt.turn, tt.turn)
			c := m.openai()
			if tt.ollama {
				c = m.ollama()
			}
			s := start(t, nil)
			run := runStart("r", c)
			run["secret"] = "the-secret"
			s.send(run)
			events := s.finish("r")
			got := events[len(events)-1]
			if got["type"] != "run.error" || got["code"] != tt.code || got["retryable"] != tt.retryable {
				t.Errorf("got %v", got)
			}
			if events[len(events)-2]["type"] != "run.usage" || events[len(events)-2]["estimated"] != true {
				t.Errorf("before the end came %v", events[len(events)-2])
			}
			if m.count() != tt.requests {
				t.Errorf("%d requests came, want %d", m.count(), tt.requests)
			}
			s.stop()
			if strings.Contains(s.transcript(), "the-secret") || strings.Contains(s.stderr.String(), "the-secret") {
				t.Error("the secret was passed on")
			}
			if auth := m.request(0).header.Get("Authorization"); auth != "Bearer the-secret" {
				t.Errorf("the secret is not sent: %q", auth)
			}
		})
	}
}

func TestRefusedModelCallIsTriedAgain(t *testing.T) {
	m := newModel(t, status(503, ``), status(429, ``))
	s := start(t, nil)
	s.send(runStart("r", m.openai()))
	if got := s.finish("r"); said(got) != "ok" || m.count() != 3 {
		t.Errorf("said %q after %d requests", said(got), m.count())
	}
}

func TestUsageIsEstimatedWhenItIsNotReported(t *testing.T) {
	m := newModel(t, sse(delta("four words of text"), finish("stop")))
	s := start(t, nil)
	s.send(runStart("r", m.openai()))
	got := s.finish("r")
	if usage := got[len(got)-2]; usage["estimated"] != true || usage["inputTokens"] == 0.0 || usage["outputTokens"] != 5.0 {
		t.Errorf("got %v", usage)
	}
}

func TestAmbientKeysAreIgnored(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "ambient")
	t.Setenv("HTTP_PROXY", "http://user:ambient@127.0.0.1:1")
	m := newModel(t)
	s := start(t, nil)
	s.send(runStart("r", m.openai()))
	s.finish("r")
	if auth := m.request(0).header.Get("Authorization"); auth != "" {
		t.Errorf("sends %q", auth)
	}
}

func TestModelOfARun(t *testing.T) {
	tests := []struct {
		name        string
		agent       any
		connections any
		want        string
	}{
		{"the agent's", "mine", "default", "mine"},
		{"the connection's when the agent has none", nil, "default", "default"},
		{"none", nil, nil, ""},
		{"an empty name does not fall back", "", "default", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(t)
			s := start(t, nil)
			run := runStart("r", m.openai())
			run["agent"] = agentWith("model", tt.agent)
			config := message{"baseUrl": m.URL + "/v1"}
			if tt.connections != nil {
				config["defaultModel"] = tt.connections
			}
			run["connection"].(message)["config"] = config
			s.send(run)
			s.result("sr")
			got := s.finish("r")
			if tt.want == "" {
				if kinds(got) != "error" || got[0]["code"] != "invalid_request" {
					t.Errorf("got %v", got)
				}
				return
			}
			if model := m.request(0).body["model"]; model != tt.want {
				t.Errorf("the model is %v", model)
			}
		})
	}
}

// agentWith is an agent with one member changed.
func agentWith(name string, value any) message {
	a := agent()
	a[name] = value
	return a
}

func TestParametersReachTheModel(t *testing.T) {
	params := message{"temperature": 0.5, "topP": 0.25, "maxTokens": 12}
	m := newModel(t)
	s := start(t, nil)
	for i, preset := range []string{"custom", "openai"} {
		run := runStart(fmt.Sprint("r", i), m.openai())
		run["agent"] = agentWith("params", params)
		run["agent"].(message)["role"] = "Be brief."
		run["connection"].(message)["config"] = message{"baseUrl": m.URL + "/v1/", "defaultModel": "x", "preset": preset}
		s.send(run)
		s.finish(fmt.Sprint("r", i))
		body := m.request(i).body
		limit, other := "max_tokens", "max_completion_tokens"
		if preset == "openai" {
			limit, other = other, limit
		}
		if body["temperature"] != 0.5 || body["top_p"] != 0.25 || body[limit] != 12.0 || body[other] != nil || body["stream"] != true {
			t.Errorf("%s: sent %v", preset, body)
		}
		if m.messages(i)[0] != `{"content":"Be brief.","role":"system"}` {
			t.Errorf("sent %v", m.messages(i))
		}
	}
	run := runStart("o", m.ollama())
	run["agent"] = agentWith("params", params)
	s.send(run)
	s.finish("o")
	options, _ := json.Marshal(m.request(2).body["options"])
	if string(options) != `{"num_predict":12,"temperature":0.5,"top_p":0.25}` {
		t.Errorf("sent %s", options)
	}
}

func TestDuplicateRun(t *testing.T) {
	going, goOn := context.WithCancel(t.Context())
	m := newModel(t, until(going, []string{"data: " + delta("first") + "\n\n"}, sse(finish("stop"))))
	s := start(t, nil)
	s.send(runStart("r", m.openai()))
	s.result("sr")
	s.event("r", "run.text_delta")
	s.send(runStart("r", m.openai()))
	if got := s.refused("sr"); got["code"] != "invalid_request" {
		t.Errorf("got %v", got)
	}
	goOn()
	if got := s.finish("r"); kinds(got) != "text_delta usage done" {
		t.Errorf("the first run gave %s", kinds(got))
	}
	s.send(runStart("r", m.openai()))
	s.result("sr")
	s.event("r", "run.done")
}

func TestCancelMidStream(t *testing.T) {
	for _, providerID := range []string{"openai-compatible", "ollama"} {
		t.Run(providerID, func(t *testing.T) {
			m := newModel(t)
			c := m.openai()
			m.turns = []modelTurn{stall("data: " + delta("some") + "\n\n")}
			if providerID == "ollama" {
				c = m.ollama()
				m.turns = []modelTurn{stall(`{"message":{"content":"some"}}` + "\n")}
			}
			s := start(t, nil)
			s.send(runStart("r", c))
			s.event("r", "run.text_delta")
			s.send(message{"id": "c1", "type": "run.cancel", "runId": "r"})
			if got := s.result("c1"); got["cancelled"] != true {
				t.Errorf("got %v", got)
			}
			got := s.finish("r")
			if kinds(got) != "text_delta usage done" || got[len(got)-1]["stopReason"] != "cancelled" || got[len(got)-2]["estimated"] != true {
				t.Errorf("got %v", got)
			}
			<-m.gone
			s.send(message{"id": "c2", "type": "run.cancel", "runId": "r"})
			if got := s.result("c2"); got["cancelled"] != false {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestCancelBeforeAnythingArrives(t *testing.T) {
	m := newModel(t, stall())
	s := start(t, nil)
	s.send(runStart("r", m.openai()))
	eventually(t, "the model is asked", func() bool { return m.count() == 1 })
	s.write(encoded(t, message{"id": "c1", "type": "run.cancel", "runId": "r"}) + "\n")
	if got := s.finish("r"); kinds(got) != "usage done" {
		t.Errorf("got %s", kinds(got))
	}
}

func TestCancelRightAfterTheStart(t *testing.T) {
	m := newModel(t, stall(), stall())
	s := start(t, nil)
	s.write(encoded(t, runStart("r", m.openai())) + "\n" + encoded(t, message{"id": "c1", "type": "run.cancel", "runId": "r"}) + "\n")
	if got := s.result("c1"); got["cancelled"] != true {
		t.Errorf("got %v", got)
	}
	if got := s.finish("r"); got[len(got)-1]["stopReason"] != "cancelled" {
		t.Errorf("got %v", got)
	}
}

func TestRunsStreamSideBySide(t *testing.T) {
	going, goOn := context.WithCancel(t.Context())
	m := newModel(t)
	for range 8 {
		m.turns = append(m.turns, until(going, []string{"data: " + delta("a") + "\n\n"}, sse(delta("b"), finish("stop"))))
	}
	s := start(t, nil)
	for i := range 8 {
		s.send(runStart(fmt.Sprint("r", i), m.openai()))
	}
	for i := range 8 {
		s.event(fmt.Sprint("r", i), "run.text_delta")
	}
	s.send(message{"id": "c", "type": "run.cancel", "runId": "r3"})
	s.result("c")
	s.finish("r3")
	s.ping("p")
	goOn()
	for i := range 8 {
		if i == 3 {
			continue
		}
		if got := s.finish(fmt.Sprint("r", i)); said(got) != "ab" {
			t.Errorf("run %d gave %q", i, said(got))
		}
	}
}

func TestHistoryIsNormalised(t *testing.T) {
	use := func(id, name string) message {
		return message{"type": "tool_use", "id": id, "toolServerId": "srv", "name": name, "input": message{"a": 1}}
	}
	result := func(id, text string) message {
		return message{"type": "tool_result", "toolUseId": id, "content": []any{textBlock(text)}, "isError": false}
	}
	m := newModel(t)
	s := start(t, nil)
	run := runStart("r", m.openai())
	run["messages"] = []any{
		userMessage(textBlock("one")),
		userMessage(textBlock("")),
		storedMessage("assistant", textBlock("look"), use("u1", "t1"), use("u2", "t2"), result("u1", "r1"), result("gone", "x"), textBlock("then"), use("u3", "t3")),
		storedMessage("tool", result("u3", "r3")),
		userMessage(textBlock("two")),
	}
	s.send(run)
	s.finish("r")
	want := []string{
		`{"content":"one","role":"user"}`,
		`{"content":"look","role":"assistant","tool_calls":[{"function":{"arguments":"{\"a\":1}","name":"t1"},"id":"u1","type":"function"},{"function":{"arguments":"{\"a\":1}","name":"t2"},"id":"u2","type":"function"}]}`,
		`{"content":"r1","role":"tool","tool_call_id":"u1"}`,
		`{"content":"interrupted: The tool call ended before it gave a result.","role":"tool","tool_call_id":"u2"}`,
		`{"content":"then","role":"assistant","tool_calls":[{"function":{"arguments":"{\"a\":1}","name":"t3"},"id":"u3","type":"function"}]}`,
		`{"content":"r3","role":"tool","tool_call_id":"u3"}`,
		`{"content":"two","role":"user"}`,
	}
	if got := m.messages(0); !slices.Equal(got, want) {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAttachments(t *testing.T) {
	image := strings.Repeat("iVBORw0K", 100)
	encodedText := base64.StdEncoding.EncodeToString([]byte("a <b> text"))
	base64Source := func(mediaType, data string) message {
		return message{"kind": "base64", "mediaType": mediaType, "data": data}
	}
	blocks := []any{
		textBlock("see"),
		message{"type": "image", "source": base64Source("image/png", image)},
		message{"type": "document", "name": `a"b&c`, "mediaType": "text/plain; charset=utf-8", "source": base64Source("text/plain", encodedText)},
		message{"type": "document", "name": "p", "mediaType": "application/pdf", "source": base64Source("application/pdf", "AAAA")},
	}
	m := newModel(t)
	s := start(t, nil)
	run := runStart("r", m.openai())
	run["messages"] = []any{userMessage(blocks...)}
	s.send(run)
	s.finish("r")
	doc, note := `<document name="a&quot;b&amp;c">\na <b> text\n</document>`, `[The document \"p\" (application/pdf) cannot be read by this provider.]`
	doc = strings.NewReplacer(`"`, `\"`, `<`, `\u003c`, `>`, `\u003e`, `&`, `\u0026`).Replace(doc)
	want := `{"content":[{"text":"see","type":"text"},{"image_url":{"url":"data:image/png;base64,` + image + `"},"type":"image_url"},{"text":"` + doc +
		`","type":"text"},{"text":"` + note + `","type":"text"}],"role":"user"}`
	if got := m.messages(0); got[0] != want {
		t.Errorf("sent\n%s\nwant\n%s", got[0], want)
	}
	run = runStart("o", m.ollama())
	run["messages"] = []any{userMessage(blocks...)}
	s.send(run)
	s.finish("o")
	if got := m.messages(1)[0]; !strings.Contains(got, `"images":["`+image+`"]`) {
		t.Errorf("sent %s", got)
	}
}

func TestFileAttachmentIsRefusedAndNotOpened(t *testing.T) {
	fifo := t.TempDir() + "/fifo"
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	m := newModel(t)
	s := start(t, nil)
	run := runStart("r", m.openai())
	run["messages"] = []any{userMessage(message{"type": "image", "source": message{"kind": "file", "path": fifo}})}
	s.send(run)
	s.result("sr")
	got := s.finish("r") // opening the FIFO would wait for ever
	if last := got[len(got)-1]; last["code"] != "invalid_request" || last["retryable"] != false || m.count() != 0 {
		t.Errorf("got %v", last)
	}
	if strings.Contains(s.transcript(), fifo) {
		t.Error("the path was repeated")
	}
}

func TestLargeLine(t *testing.T) {
	image := strings.Repeat("QUJD", 4<<20) // 16 MiB
	m := newModel(t)
	s := start(t, nil)
	run := runStart("r", m.openai())
	run["messages"] = []any{userMessage(message{"type": "image", "source": message{"kind": "base64", "mediaType": "image/png", "data": image}})}
	s.send(run)
	s.finish("r")
	if got := m.messages(0)[0]; !strings.Contains(got, image) {
		t.Errorf("the image did not arrive: %d bytes", len(got))
	}
}

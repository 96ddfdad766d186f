package comitiva

import (
	"strings"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/value"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// Lines beginning with > go to the runner; the others come from it.
func TestStandingRules(t *testing.T) {
	cases := map[string]struct{ lines, breaches string }{
		"one answer an id": {`>{"id":"1","type":"ping"}
			{"type":"response","id":"1","ok":true,"result":{}}`, ""},
		"two answers to one id": {`>{"id":"1","type":"ping"}
			{"type":"response","id":"1","ok":true,"result":{}}
			{"type":"response","id":"1","ok":true,"result":{}}`, `CO-04: 1 requests had the id "1", and this is response number 2 to it`},
		"two requests with one id": {`>{"id":"1","type":"ping"}
			>{"id":"1","type":"ping"}
			{"type":"response","id":"1","ok":true,"result":{}}
			{"type":"response","id":"1","ok":true,"result":{}}`, ""},
		"an answer to an id that was never sent": {`>{"id":"1","type":"ping"}
			{"type":"response","id":"2","ok":true,"result":{}}`, `CO-04: the response has the id "2", which no request had`},
		"lines without an id of their own": {`>{"type":"ping"}
			>{"id":7,"type":"ping"}
			>null
			{"type":"response","id":"","ok":false}
			{"type":"response","id":"7","ok":false}
			{"type":"response","id":"","ok":false}`, ""},
		"an id whose text form is up to the runner": {`>{"id":{"a":1},"type":"ping"}
			{"type":"response","id":"[object Object]","ok":false}`, ""},
		"one terminal": {`>{"id":"1","type":"run.start","runId":"r"}
			{"type":"run.text_delta","runId":"r","ts":1,"text":"a"}
			{"type":"run.done","runId":"r","ts":1}
			{"type":"run.text_delta","runId":"r","ts":2}
			{"type":"run.error","runId":"r","ts":2}
			>{"id":"1","type":"run.start","runId":"other"}
			{"type":"run.usage","runId":"other","ts":1}`, `CO-31: run.text_delta came after the run r had ended with run.done
			CO-31: run.error came after the run r had ended with run.done`},
		"a run id used again": {`>{"id":"1","type":"run.start","runId":"r"}
			{"type":"run.done","runId":"r","ts":1}
			>{"id":"2","type":"run.start","runId":"r"}
			{"type":"run.done","runId":"r","ts":1}`, ""},
		"time goes back": {`>{"id":"1","type":"run.start","runId":"a"}
			>{"id":"2","type":"run.start","runId":"b"}
			{"type":"run.usage","runId":"a","ts":2.5}
			{"type":"run.usage","runId":"b","ts":1}
			{"type":"run.done","runId":"a","ts":2.25}`, "CO-36: the ts of run.done is 2.25, after 2.5 in the same run"},
		"no time": {`>{"id":"1","type":"run.start","runId":"a"}
			{"type":"run.usage","runId":"a"}`, "CO-36: run.usage has no ts"},
		"time in microseconds": {`>{"id":"1","type":"run.start","runId":"a"}
			{"type":"run.usage","runId":"a","ts":1700000000000}`, "CO-36: the ts of run.usage is 1700000000000, which is not the time in milliseconds since 1970: that is about 1"},
		"a run that nobody started": {`>{"id":"1","type":"run.start","runId":"a"}
			{"type":"run.usage","runId":"b","ts":1}`, `CO-36: run.usage is about the run "b", which nobody started`},
		"a call that took longer than its run": {`>{"id":"1","type":"run.start","runId":"a"}
			{"type":"run.tool_result","runId":"a","ts":1,"durationMs":900}
			{"type":"run.tool_result","runId":"a","ts":1,"durationMs":2000}
			{"type":"run.tool_result","runId":"a","ts":1,"durationMs":1.5}`, `CO-112: durationMs is 2000, but the run has been going on for 0 ms
			CO-112: durationMs is 1.5, not whole milliseconds`},
		"codes of the shell": {`>{"id":"1","type":"ping"}
			{"type":"response","id":"1","ok":false,"error":{"code":"runner_crashed"}}
			>{"id":"2","type":"run.start","runId":"r"}
			>{"id":"3","type":"run.start","runId":"s"}
			{"type":"run.error","runId":"r","ts":1,"code":"model_required"}
			{"type":"run.error","runId":"s","ts":1,"code":"internal"}`, `CO-79: the code runner_crashed belongs to the shell
			CO-79: the code model_required belongs to the shell`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := rulesAt(func() time.Time { return time.UnixMilli(1) })
			var got []string
			for line := range strings.SplitSeq(c.lines, "\n") {
				line = strings.TrimSpace(line)
				if sent, ok := strings.CutPrefix(line, ">"); ok {
					r.Sent(parse(t, sent), true)
					continue
				}
				for _, b := range r.Received(parse(t, line).(*value.Object)) {
					got = append(got, b.Requirement+": "+b.Reason)
				}
			}
			if g, w := strings.Join(got, "\n"), strings.ReplaceAll(c.breaches, "\t", ""); g != w {
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}

func TestShapesAreValid(t *testing.T) {
	p, err := Protocol()
	if err != nil {
		t.Fatal(err)
	}
	for _, dialect := range []string{"openai", "ollama"} {
		c, _ := p.Shape("model", "model", value.Of("dialect", dialect, "baseUrl", "http://127.0.0.1:1/v1")).Get("connection")
		request := value.Of("id", "1", "type", "connection.test", "connection", c)
		if v := p.Roles["runner"].Accepts(value.Append(nil, request)); len(v) > 0 {
			t.Errorf("%s: %v", dialect, v)
		}
	}
	l, _ := p.Shape("tools", "clock", value.Of("command", "/x", "args", value.List{"a"})).Get("launch")
	request := value.Of("id", "1", "type", "toolServer.start", "toolServer", l)
	if v := p.Roles["runner"].Accepts(value.Append(nil, request)); len(v) > 0 {
		t.Error(v)
	}
	if v := p.Roles["runner"].Accepts(value.Append(nil, p.Roles["runner"].Ready)); len(v) > 0 {
		t.Error(v)
	}
}

func TestStreamsAreNamedByTheFirstCorrelationMember(t *testing.T) {
	p, err := Protocol()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"runId":"r","id":"1"}`: `runId="r"`, `{"id":"1"}`: `id="1"`, `{"type":"log"}`: "",
	} {
		if got := p.Stream(parse(t, text).(*value.Object)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

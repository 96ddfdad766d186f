package agenticdriver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// pass lets time go by, in a bubble.
func pass(d time.Duration) { <-time.After(d) }

func TestAStalledRunIsCancelledAfterItsIdleTimeout(t *testing.T) {
	tests := []struct {
		name, limits, turns, more string
		after                     time.Duration // 0: the run completes
	}{
		{"as asked", "{}", `[[{"text":"a"},{"stall":true}]]`, `"idleTimeoutMs":300`, 300 * time.Millisecond},
		{"the host's own bound", "{ idleTimeoutMs: 200 }", `[[{"stall":true}]]`, `"metadata":{}`, 200 * time.Millisecond},
		{"the lesser of both", "{ idleTimeoutMs: 200 }", `[[{"stall":true}]]`, `"idleTimeoutMs":300`, 200 * time.Millisecond},
		{"0 does not lift the host's", "{ idleTimeoutMs: 200 }", `[[{"stall":true}]]`, `"idleTimeoutMs":0`, 200 * time.Millisecond},
		{"no bound at all", "{}", `[[{"quiet":600000},{"text":"a"}]]`, `"idleTimeoutMs":0`, 0},
		{"text starts it anew", "{}", `[[{"text":"a","times":20,"everyMs":290}]]`, `"idleTimeoutMs":300`, 0},
		{"progress starts it anew", "{}", `[[{"progress":20,"everyMs":290},{"text":"a"}]]`, `"idleTimeoutMs":300`, 0},
		{"heartbeats do not", "{ heartbeatMs: 50 }", `[[{"quiet":400},{"text":"a"}]]`, `"idleTimeoutMs":300`, 300 * time.Millisecond},
		{"the pause before another attempt counts", "{}", `[[{"fail":{"code":"RATE_LIMITED","message":"later","retryable":true},"first":1},{"text":"a"}]]`,
			`"idleTimeoutMs":300,"retry":{"maxAttempts":2}`, 300 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, tt.limits, func(t *testing.T, h *host) {
				begun := time.Now()
				s := h.stream(alice, runBody(script("", tt.turns), tt.more))
				if tt.after == 0 {
					until[*protocol.RunCompleted](s)
					return
				}
				last := until[*protocol.RunFailed](s)
				if last.Type != protocol.RunFailedTypeRunCancelled || last.Error.Code != "IDLE_TIMEOUT" || !last.Error.Retryable || last.Error.Outcome.Set {
					t.Errorf("got %s", last.AppendJSON(nil))
				}
				if took := time.Since(begun); took != tt.after {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

func TestAnIdleRunInJSONModeIsAGatewayTimeout(t *testing.T) {
	inBubble(t, "{}", func(t *testing.T, h *host) {
		r := h.do("POST", "/v1/runs", alice, runBody(script("", `[[{"stall":true}]]`), `"idleTimeoutMs":300`))
		if r.status != http.StatusGatewayTimeout || r.code() != "IDLE_TIMEOUT" {
			t.Errorf("got %d %s", r.status, r.body)
		}
	})
}

// How long a client may take to read an answer has nothing to do with how long
// it takes to make one.
func TestRunsMayTakeLongerThanTheWriteTimeout(t *testing.T) {
	inBubble(t, "{ writeTimeoutMs: 1000 }", func(t *testing.T, h *host) {
		body := runBody(script("", `[[{"quiet":100000},{"text":"a"}]]`))
		if r := post(h, protocol.DecodeRunResult, "/v1/runs", alice, body); r.Text != "a" {
			t.Errorf("got %s", r.AppendJSON(nil))
		}
		if got := h.stream(alice, body).types(); got != "run.started step.started text.delta run.completed" {
			t.Errorf("got %s", got)
		}
		post(h, protocol.DecodeRunResult, "/v1/runs", alice, runBody(`"on the same connection"`))
	})
}

func TestAnAnswerThatNobodyReadsIsGivenUp(t *testing.T) {
	inBubble(t, "{ writeTimeoutMs: 1000 }", func(t *testing.T, h *host) {
		c, err := h.http.Transport.(*http.Transport).DialContext(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		body := runBody(`"` + strings.Repeat("x", 90_000) + `"`)
		if _, err := fmt.Fprintf(c, "POST /v1/runs HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", alice, len(body), body); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Second)
		if text, _ := io.ReadAll(c); len(text) > 1000 {
			t.Errorf("%d bytes were still to be had", len(text))
		}
	})
}

func TestAQuietStreamHasHeartbeats(t *testing.T) {
	inBubble(t, "{}", func(t *testing.T, h *host) {
		s := h.stream(alice, runBody(script("", `[[{"quiet":50000},{"text":"a"}]]`)))
		begun := time.Now()
		var beats []time.Duration
		for {
			line, err := s.lines.ReadString('\n')
			if err != nil {
				break
			}
			if strings.HasPrefix(line, ":") {
				beats = append(beats, time.Since(begun))
				if line != ": heartbeat\n" {
					t.Errorf("got %q", line)
				}
			}
		}
		if fmt.Sprint(beats) != "[15s 30s 45s]" {
			t.Errorf("got heartbeats after %v", beats)
		}
	})
}

func TestProgressIsShownOnceASecond(t *testing.T) {
	inBubble(t, "{}", func(t *testing.T, h *host) {
		got := h.stream(alice, runBody(script("", `[[{"progress":35,"everyMs":100},{"text":"a"}]]`))).types()
		want := "run.started step.started run.progress run.progress run.progress run.progress text.delta run.completed"
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestARunThatWaitsShowsThatItWasAcceptedAndNoMore(t *testing.T) {
	inBubble(t, "{ slots: 1, slotsPerSubject: 1, queue: 1 }", func(t *testing.T, h *host) {
		running := h.stream(alice, runBody(script("", `[[{"text":"a"},{"hold":"go"}]]`)))
		until[*protocol.TextDelta](running)
		waiting := h.stream(bob, runBody(script("waiting", `[[{"text":"b"}]]`), `"idleTimeoutMs":300`))
		until[*protocol.RunStarted](waiting)
		pass(10 * time.Second) // no idle time passes
		h.refused("QUEUE_FULL", "/v1/runs", bob, runBody(`"x"`), "Accept", "text/event-stream")
		running.cancel()
		if got := waiting.types(); got != "step.started text.delta run.completed" {
			t.Errorf("got %s", got)
		}
	})
}

func TestAFullHostRefusesRunsOnly(t *testing.T) {
	inBubble(t, "{ slots: 3, slotsPerSubject: 2 }", func(t *testing.T, h *host) {
		for range 2 {
			until[*protocol.TextDelta](h.stream(alice, runBody(script("", `[[{"text":"a"},{"stall":true}]]`))))
		}
		h.refused("BUSY", "/v1/runs", alice, runBody(`"x"`)) // the subject's share is taken
		post(h, protocol.DecodeRunResult, "/v1/runs", bob, runBody(`"x"`))
		last := h.stream(bob, runBody(script("", `[[{"text":"a"},{"stall":true}]]`)))
		until[*protocol.TextDelta](last)
		r := h.do("POST", "/v1/runs", bob, runBody(`"x"`))
		if e, err := protocol.DecodeError(r.body); err != nil || r.status != http.StatusTooManyRequests || e.Error.Code != "BUSY" || !e.Error.Retryable {
			t.Errorf("got %d %s", r.status, r.body)
		}
		h.refused("BUSY", "/v1/retrieval/search", bob, `{"corpus":"docs","query":"x"}`)
		if r := h.do("GET", "/v1/providers", alice, ""); r.status != http.StatusOK {
			t.Errorf("got %d %s", r.status, r.body)
		}
		post(h, protocol.DecodeSessionSnapshot, "/v1/sessions/create", alice, `{"provider":"mock","model":"demo","mode":"history"}`)
		h.refused("APPROVAL_NOT_FOUND", "/v1/approvals/decisions", alice, decision("00000000-0000-4000-8000-000000000000", "r", `{"id":"c","name":"guarded","arguments":{}}`, "approve"))
		last.cancel()
		for h.do("POST", "/v1/runs", bob, runBody(`"x"`)).status != http.StatusOK { // the slot comes back
			pass(time.Millisecond)
		}
	})
}

func TestRetriesWaitLongerEachTime(t *testing.T) {
	inBubble(t, "{}", func(t *testing.T, h *host) {
		begun := time.Now()
		fails := `{"fail":{"code":"RATE_LIMITED","message":"later","retryable":true}}`
		h.refused("RATE_LIMITED", "/v1/runs", alice, runBody(script("again", "[["+fails+"]]"), `"retry":{"maxAttempts":4,"maxDelayMs":1500}`))
		if took := time.Since(begun); took != 3*time.Second { // 0.5, 1 and, bounded, 1.5 s
			t.Errorf("it took %v", took)
		}
		if got := h.counters("again", "", 0); !strings.Contains(got, `"calls":4`) {
			t.Errorf("got %s", got)
		}
		for name, turns := range map[string]string{
			"what was shown is not repeated": `[[{"text":"a"},` + fails + `]]`,
			"what is not retryable":          `[[{"fail":{"code":"X","message":"no","retryable":false}}]]`,
			"what may have had effects":      `[[{"fail":{"code":"X","message":"?","retryable":true,"outcome":"uncertain"}}]]`,
		} {
			until[*protocol.RunFailed](h.stream(alice, runBody(script(name, turns), `"retry":{"maxAttempts":4}`)))
			if got := h.counters(name, "", 0); !strings.Contains(got, `"calls":1,`) {
				t.Errorf("%s: got %s", name, got)
			}
		}
		h.refused("UNSUPPORTED_CAPABILITY", "/v1/runs", alice, `{"provider":"plain","model":"demo","input":"x","retry":{"maxAttempts":2}}`)
	})
}

func TestDisconnectingCancelsARunInJSONMode(t *testing.T) {
	h := start(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if res, err := h.request(ctx, "POST", "/v1/runs", alice, runBody(script("left", `[[{"stall":true}]]`))); err == nil {
			t.Errorf("got %d", res.StatusCode)
		}
	}()
	h.counters("left", "runs", 1)
	cancel()
	<-done
	if got := h.counters("left", "cancelled", 1); !strings.Contains(got, `"cancelled":1`) {
		t.Errorf("got %s", got)
	}
}

// Clients read no frame beyond 2,000,000 bytes, so the host writes none.
func TestAVeryLongTextComesInPieces(t *testing.T) {
	h := start(t, Options{})
	s := h.stream(alice, runBody(script("", `[[{"text":"`+strings.Repeat("é", 40_000)+`","times":12}]]`)))
	var text strings.Builder
	for {
		switch ev := s.read().(type) {
		case *protocol.TextDelta:
			text.WriteString(ev.Text)
			if len(ev.Text) > 200_000 {
				t.Errorf("a piece has %d bytes", len(ev.Text))
			}
		case *protocol.RunCompleted:
			if ev.Result.Text != text.String() || text.Len() != 960_000 {
				t.Errorf("the pieces have %d bytes, the result %d", text.Len(), len(ev.Result.Text))
			}
			return
		case *protocol.RunFailed:
			t.Fatalf("got %s", ev.AppendJSON(nil))
		}
	}
}

func TestAnAnswerThatFitsNoFrameFails(t *testing.T) {
	h := start(t, Options{})
	for _, action := range []string{`{"text":"` + strings.Repeat("x", 90_000) + `","times":23}`, `{"text":"` + strings.Repeat(`\u0001`, 9_000) + `","times":40}`} {
		last := until[*protocol.RunFailed](h.stream(alice, runBody(script("", "[["+action+"]]"))))
		if last.Error.Code != "OUTPUT_BUFFER_LIMIT" {
			t.Errorf("got %s", last.AppendJSON(nil))
		}
	}
}

func TestAdvisoryEventsAreForThoseWhoAskForThem(t *testing.T) {
	h := start(t, Options{})
	body := runBody(script("", `[[{"event":{"type":"weather.changed","sky":"blue"}},{"text":"a"}]]`))
	want := "run.started step.started text.delta run.completed"
	for _, opted := range []string{"", "false", "TRUE", "true"} {
		if opted == "true" {
			want = "run.started step.started weather.changed text.delta run.completed"
		}
		if got := h.stream(alice, body, "Agenticdriver-Accept-Optional-Events", opted).types(); got != want {
			t.Errorf("with %q: got %s", opted, got)
		}
	}
}

func TestTextThatIsNotStreamedIsShownWhole(t *testing.T) {
	h := start(t, Options{})
	got := h.stream(alice, runBody(script("", `[[{"whole":"all of it"},{"usage":{"outputTokens":3}}]]`))).types()
	if want := "run.started step.started usage.reported text.delta run.completed"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestUsageThatAStepLacksHasNoTotal(t *testing.T) {
	h := start(t, Options{})
	call := func(i int) string { return fmt.Sprintf(`{"call":{"id":"c%d","name":"echo"}}`, i) }
	r := post(h, protocol.DecodeRunResult, "/v1/runs", alice, runBody(script("",
		`[[`+call(1)+`,{"usage":{"inputTokens":1,"outputTokens":0,"costUsd":0.1}}],[`+call(2)+`,{"usage":{"inputTokens":2,"outputTokens":5,"costUsd":0.2}}],[{"text":"a"},{"usage":{"outputTokens":1}}]]`), `"tools":["echo"]`))
	if got := string(r.Usage.AppendJSON(nil)); got != `{"outputTokens":6}` || r.Steps != "3" {
		t.Errorf("got %s in %s steps", got, r.Steps)
	}
	none := post(h, protocol.DecodeRunResult, "/v1/runs", alice, runBody(`"x"`))
	if got := string(none.Usage.AppendJSON(nil)); got != `{}` {
		t.Errorf("got %s", got)
	}
}

func TestToolCallsThatAreRefusedRunNothing(t *testing.T) {
	h := start(t, Options{})
	good := `{"call":{"id":"good","name":"echo"}}`
	tests := []struct{ name, turns, more, code string }{
		{"a tool that the run does not have", `[[` + good + `,{"call":{"id":"c2","name":"broken"}}]]`, `"tools":["echo"]`, "TOOL_NOT_ALLOWED"},
		{"one id twice", `[[` + good + `,` + good + `]]`, `"tools":["echo"]`, "INVALID_TOOL_CALL"},
		{"no id", `[[` + good + `,{"call":{"id":"","name":"echo"}}]]`, `"tools":["echo"]`, "INVALID_TOOL_CALL"},
		{"arguments that are no object", `[[` + good + `,{"call":{"id":"c2","name":"echo","arguments":[1]}}]]`, `"tools":["echo"]`, "INVALID_TOOL_ARGUMENTS"},
		{"arguments that break the schema", `[[` + good + `,{"call":{"id":"c2","name":"checked","arguments":{"x":1.5}}}]]`, `"tools":["echo","checked"]`, "INVALID_TOOL_ARGUMENTS"},
		{"too many", `[[{"call":{"id":"c","name":"echo"},"times":33}]]`, `"tools":["echo"]`, "TOOL_LIMIT"},
		{"in the last step", `[[{"call":{"id":"c","name":"echo"}}]]`, `"tools":["echo"],"maxSteps":1`, "STEP_LIMIT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h.t = t
			last := until[*protocol.RunFailed](h.stream(alice, runBody(script(tt.name, tt.turns), tt.more)))
			if last.Type != protocol.RunFailedTypeRunFailed || last.Error.Code != tt.code || last.Error.Outcome.Set {
				t.Errorf("got %s", last.AppendJSON(nil))
			}
			if got := h.counters(tt.name, "", 0); !strings.Contains(got, `"tools":{}`) {
				t.Errorf("a tool ran: %s", got)
			}
		})
	}
	h.t = t
}

func TestAFailureAfterAToolHasBegunIsUncertain(t *testing.T) {
	h := start(t, Options{})
	for tool, code := range map[string]string{"broken": "TOOL_OUTCOME_UNCERTAIN", "large": "TOOL_OUTCOME_UNCERTAIN", "blocking": "IDLE_TIMEOUT"} {
		last := until[*protocol.RunFailed](h.stream(alice, runBody(script("", fmt.Sprintf(`[[{"call":{"id":"c","name":%q}}]]`, tool)),
			fmt.Sprintf(`"tools":[%q]`, tool), `"idleTimeoutMs":100`)))
		if last.Error.Code != code || last.Error.Retryable || last.Error.Outcome.Value != "uncertain" {
			t.Errorf("%s: got %s", tool, last.AppendJSON(nil))
		}
	}
}

func TestStructuredOutput(t *testing.T) {
	h := start(t, Options{})
	const dialect = `"$schema":"https://json-schema.org/draft/2020-12/schema"`
	tests := []struct{ name, schema, text, want, code string }{
		{"matches", `{"type":"object","required":["a"]}`, `{"a":1.50}`, `{"a":1.50}`, ""},
		{"does not match", `{"type":"object","required":["a"]}`, `{}`, "", "INVALID_OUTPUT"},
		{"no JSON", `{}`, `hello`, "", "INVALID_OUTPUT"},
		{"prefixItems says nothing in draft-07", `{"prefixItems":[{"type":"string"}]}`, `[1]`, `[1]`, ""},
		{"but does in 2020-12", `{` + dialect + `,"prefixItems":[{"type":"string"}]}`, `[1]`, "", "INVALID_OUTPUT"},
		{"formats are not asserted", `{"type":"string","format":"date-time"}`, `"x"`, `"x"`, ""},
		{"a remote reference", `{"$ref":"https://example.com/x"}`, `1`, "", "INVALID_SCHEMA"},
		{"asynchronous", `{"$async":true}`, `1`, "", "INVALID_SCHEMA"},
		{"another dialect", `{"$schema":"http://json-schema.org/draft-04/schema#"}`, `1`, "", "INVALID_SCHEMA"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h.t = t
			body := runBody(script("", `[[{"text":`+quoted(tt.text)+`}]]`), `"outputSchema":`+tt.schema)
			if tt.code != "" {
				h.refused(tt.code, "/v1/runs", alice, body)
				return
			}
			if r := post(h, protocol.DecodeRunResult, "/v1/runs", alice, body); string(r.Output) != tt.want || r.Text != tt.text {
				t.Errorf("got %s, %s", r.Output, r.Text)
			}
		})
	}
	h.t = t
}

func TestCrossOriginStreams(t *testing.T) {
	h := start(t, Options{})
	s := h.stream(alice, runBody(`"x"`), "Origin", "https://app.example")
	for name, want := range map[string]string{"Access-Control-Allow-Origin": "https://app.example", "Vary": "Origin", "Access-Control-Expose-Headers": "AgenticDriver-Version",
		"Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no", "Cache-Control": "no-store", "Agenticdriver-Version": "1.0"} {
		if got := s.res.Header.Get(name); got != want {
			t.Errorf("%s: got %q", name, got)
		}
	}
	s.types()
	if r := h.do("GET", "/v1/protocol", "nobody", "", "Origin", "https://app.example"); r.header.Get("Access-Control-Allow-Origin") == "" {
		t.Error("an error cannot be read by the browser")
	}
	if r := h.do("GET", "/v1/protocol", alice, ""); r.header.Get("Access-Control-Allow-Origin") != "" || r.header.Get("Vary") != "" {
		t.Errorf("got %v", r.header)
	}
}

func TestAHostThatEndsBreaksItsStreams(t *testing.T) {
	h := start(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), bounded)
	defer cancel()
	begun, ended := make(chan struct{}), make(chan error)
	go func() {
		ended <- newReader(h.url).follow(ctx, alice, runBody(script("", `[[{"text":"a"},{"stall":true}]]`)), func(ev protocol.RunEvent) {
			switch ev.(type) {
			case *protocol.TextDelta:
				close(begun)
			case *protocol.RunFailed, *protocol.RunCompleted:
				t.Error("the stream has a last event")
			}
		})
	}()
	<-begun
	h.stop()
	if err := <-ended; err == nil {
		t.Error("the stream was not broken")
	}
}

package client_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

const patience = time.Minute

// story runs a stream to its end: the Go types of its events and the code of its failure.
func story(t *testing.T, h *host, q *agenticdriver.RunRequest) string {
	t.Helper()
	s, err := h.client(t).Stream(t.Context(), q)
	if err != nil {
		return "refused " + code(t, err)
	}
	var out []string
	for event, err := range s.Events() {
		if err != nil {
			out = append(out, code(t, err))
			break
		}
		out = append(out, strings.TrimPrefix(fmt.Sprintf("%T", event), "*agenticdriver."))
	}
	return strings.Join(out, " ")
}

const good = "RunStarted StepStarted TextDelta RunCompleted"

func TestStreamsThatAreRight(t *testing.T) {
	whole := events(started, step, hello, completed)
	for name, stream := range map[string]string{
		"LF":              whole,
		"CR LF":           strings.ReplaceAll(whole, "\n", "\r\n"),
		"CR":              strings.ReplaceAll(whole, "\n", "\r"),
		"byte order mark": "\uFEFF" + whole,
		"comments":        ": hello\n\n" + strings.ReplaceAll(whole, "\n\n", "\n: x\nid: 7\nevent: e\nretry: 1\n\n"),
		"data in lines":   strings.ReplaceAll(whole, `,"runId"`, ",\ndata:\ndata:  \"runId\""),
		"bare data":       strings.ReplaceAll(whole, "data: ", "data\ndata: "),
		"no space":        strings.ReplaceAll(whole, "data: ", "data:"),
		"1.0":             strings.ReplaceAll(whole, `"sequence":1,`, `"sequence":1.0,`),
		"more members":    strings.ReplaceAll(whole, `"runId"`, `"RunId":"x","further":null,"runId"`),
		"after the end":   whole + "data: not JSON",
	} {
		if got := story(t, newHost(t, streamHead+stream), request()); got != good {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestOptionalEventsArePassedOverAndCounted(t *testing.T) {
	stream := events(started, `future.thing "optional":true,"x":1`, step, hello, completed)
	if got := story(t, newHost(t, streamHead+stream), request()); got != good {
		t.Error(got)
	}
}

func TestStreamsThatAreWrong(t *testing.T) {
	whole := events(started, step, hello, completed)
	result := strings.TrimPrefix(completed, "run.completed ")
	swap := func(old, new string) string { return strings.Replace(whole, old, new, 1) }
	end := func(old, new string) string {
		return events(started, step, "run.completed "+strings.Replace(result, old, new, 1))
	}
	for name, c := range map[string]struct{ stream, want string }{
		"empty":                  {"", "INCOMPLETE_STREAM"},
		"only a heartbeat":       {": heartbeat\n\n", "INCOMPLETE_STREAM"},
		"missing end":            {events(started, step), "RunStarted StepStarted INCOMPLETE_STREAM"},
		"last frame unended":     {strings.TrimSuffix(whole, "\n"), "RunStarted StepStarted TextDelta INCOMPLETE_STREAM"},
		"last line unended":      {strings.TrimSuffix(whole, "}\n\n"), "RunStarted StepStarted TextDelta INCOMPLETE_STREAM"},
		"unended comment":        {events(started) + ": x\n", "RunStarted INCOMPLETE_STREAM"},
		"bad text":               {swap("hello", "h\xffllo"), "RunStarted StepStarted INVALID_STREAM"},
		"bad text in a comment":  {": \xc3\n\n" + whole, "INVALID_STREAM"},
		"half a character":       {events(started) + "data: \xc3", "RunStarted INVALID_STREAM"},
		"no JSON":                {"data: {\n\n", "INVALID_STREAM"},
		"null":                   {"data: null\n\n", "INVALID_STREAM"},
		"missing start":          {events(step, completed), "INVALID_STREAM"},
		"second start":           {events(started, started), "RunStarted INVALID_STREAM"},
		"gap":                    {strings.Replace(whole, `"sequence":2`, `"sequence":3`, 1), "RunStarted INVALID_STREAM"},
		"repeated":               {strings.Replace(whole, `"sequence":2`, `"sequence":1`, 1), "RunStarted INVALID_STREAM"},
		"begins with two":        {swap(`"sequence":1`, `"sequence":2`), "INVALID_STREAM"},
		"half a sequence":        {swap(`"sequence":1`, `"sequence":1.5`), "INVALID_STREAM"},
		"true for a sequence":    {swap(`"sequence":1`, `"sequence":true`), "INVALID_STREAM"},
		"sequence as text":       {swap(`"sequence":1`, `"sequence":"1"`), "INVALID_STREAM"},
		"no run":                 {swap(`"runId":"r"`, `"runId":""`), "INVALID_STREAM"},
		"changed run":            {events(started) + "data: " + strings.Replace(event(2, step), `"r"`, `"s"`, 1) + "\n\n", "RunStarted INVALID_STREAM"},
		"no such day":            {swap("2026-01-02", "2026-02-30"), "INVALID_STREAM"},
		"no seconds":             {swap("03:04:05.678Z", "03:04Z"), "INVALID_STREAM"},
		"other provider":         {swap(`"provider":"p"`, `"provider":"q"`), "INVALID_STREAM"},
		"bad delta":              {swap(`"text":"hello"`, `"text":null`), "RunStarted StepStarted INVALID_STREAM"},
		"unknown event":          {events(started, "future.thing"), "RunStarted UNSUPPORTED_EVENT"},
		"optional false":         {events(started, `future.thing "optional":false`), "RunStarted UNSUPPORTED_EVENT"},
		"optional one":           {events(started, `future.thing "optional":1`), "RunStarted INVALID_STREAM"},
		"optional but bad":       {events(started) + `data: {"type":"f","runId":"r","sequence":"2",` + at + `,"optional":true}` + "\n\n", "RunStarted INVALID_STREAM"},
		"optional out of order":  {events(started) + "data: " + event(3, `future.thing "optional":true`) + "\n\n", "RunStarted INVALID_STREAM"},
		"known but optional":     {events(started, `text.delta "optional":true`), "RunStarted INVALID_STREAM"},
		"failure without error":  {events(started, "run.failed"), "RunStarted INVALID_STREAM"},
		"bad outcome":            {events(started, `run.failed "error":{"code":"X","message":"","retryable":false,"outcome":"certain"}`), "RunStarted INVALID_STREAM"},
		"approval unasked":       {events(started, `approval.requested "optional":true,"approval":{"approvalId":"a","runId":"r","call":{"id":"c","name":"n","arguments":{}},"requestedAt":"2026-01-02T03:04:05Z","idlePolicy":"pause"}`), "RunStarted UNSUPPORTED_EVENT"},
		"execution unasked":      {events(started, `tool.execution.requested "execution":{"executionId":"e","runId":"r","call":{"id":"c","name":"n","arguments":{}}}`), "RunStarted UNSUPPORTED_EVENT"},
		"result of another run":  {end(`"runId":"r"`, `"runId":"s"`), "RunStarted StepStarted INVALID_STREAM"},
		"other model":            {end(`"model":"m"`, `"model":"n"`), "RunStarted StepStarted INVALID_STREAM"},
		"negative usage":         {end(`"usage":{}`, `"usage":{"inputTokens":-1}`), "RunStarted StepStarted INVALID_STREAM"},
		"null usage":             {end(`"usage":{}`, `"usage":{"inputTokens":null}`), "RunStarted StepStarted INVALID_STREAM"},
		"no step":                {end(`"steps":1`, `"steps":0`), "RunStarted StepStarted INVALID_STREAM"},
		"unknown finish":         {end(`"stop"`, `"tired"`), "RunStarted StepStarted INVALID_STREAM"},
		"session unasked":        {end(`"runId"`, `"session":{"id":"00000000-0000-4000-8000-000000000000","revision":1,"provider":"p","model":"m","mode":"history","state":"ready","createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z","expiresAt":"2026-01-03T03:04:05.678Z"},"runId"`), "RunStarted StepStarted INVALID_STREAM"},
		"source listed twice":    {end(`"runId"`, `"sources":[`+source+`,`+source+`],"runId"`), "RunStarted StepStarted INVALID_STREAM"},
		"artifact of no source":  {end(`"runId"`, `"artifacts":[{"id":"00000000-0000-4000-8000-000000000000","name":"a","mediaType":"text/plain","status":"draft","content":"","sha256":"`+strings.Repeat("0", 64)+`","sourceIds":["s"]}],"runId"`), "RunStarted StepStarted INVALID_STREAM"},
		"frame too long, no end": {"data: " + strings.Repeat("x", 2_000_000), "RESPONSE_TOO_LARGE"},
	} {
		if got := story(t, newHost(t, streamHead+c.stream), request()); got != c.want {
			t.Errorf("%s: %s, expected %s", name, got, c.want)
		}
	}
}

const source = `{"id":"s","revision":"1","mediaType":"text/plain","bytes":1,"sha256":"0000000000000000000000000000000000000000000000000000000000000000","origin":"inline"}`

func TestFramesAreBoundedInBytes(t *testing.T) {
	delta := func(text string) string {
		return events(started, step, `text.delta "text":"`+text+`"`, completed)
	}
	empty := len(strings.Split(delta(""), "\n\n")[2])
	for name, c := range map[string]struct{ text, want string }{
		"many wide characters": {strings.Repeat("\U0001F600", 70_000), good},
		"at the bound":         {strings.Repeat("x", 2_000_000-empty), good},
		"beyond the bound":     {strings.Repeat("x", 2_000_001-empty), "RunStarted StepStarted RESPONSE_TOO_LARGE"},
		"too wide":             {strings.Repeat("\U0001F600", 500_001), "RunStarted StepStarted RESPONSE_TOO_LARGE"},
	} {
		if got := story(t, newHost(t, streamHead+delta(c.text)), request()); got != c.want {
			t.Errorf("%s: %s, expected %s", name, got, c.want)
		}
	}
}

// Every place where a stream with all three ends of lines and wide characters can be cut is tried on a real connection.
func TestStreamsCutAnywhereAreReadAlike(t *testing.T) {
	stream := "\uFEFF" + strings.Replace(strings.Replace(events(started, `text.delta "text":"é😀"`, completed), "\n\n", "\r\n\r\n", 1), "\n\n", "\r\r", 1)
	for i := range len(stream) {
		h := newHost(t, streamHead, stream[:i], stream[i:])
		if got := story(t, h, request()); got != "RunStarted TextDelta RunCompleted" {
			t.Fatalf("cut at %d: %s", i, got)
		}
	}
}

func TestWhatAStreamMayAskForIsTaken(t *testing.T) {
	q := request()
	q.Tools = []string{"look"}
	q.ApplicationTools = []agenticdriver.ApplicationToolDefinition{{Name: "look", Description: "d", InputSchema: wire.Raw(`{}`)}}
	q.Approvals = &agenticdriver.ApprovalPolicy{IdlePolicy: agenticdriver.IdlePolicyPause}
	called := `tool.called "call":{"id":"c","name":"look","arguments":{}}`
	asks := `approval.requested "approval":{"approvalId":"a","runId":"r","call":{"id":"c","name":"look","arguments":{}},"requestedAt":"2026-01-02T03:04:05Z","idlePolicy":"pause"}`
	decided := `approval.resolved "resolution":{"approvalId":"a","runId":"r","callId":"c","outcome":"approved","decidedAt":"2026-01-02T03:04:05Z"}`
	execute := `tool.execution.requested "execution":{"executionId":"e","runId":"r","call":{"id":"c","name":"look","arguments":{}}}`
	before := "RunStarted StepStarted ToolCalled ApprovalRequested ApprovalResolved ToolExecutionRequested "
	for name, c := range map[string]struct {
		last []string
		want string
	}{
		"right":               {[]string{`tool.completed "callId":"c","output":null`, `step.started "step":2`, completed}, before + "ToolCompleted StepStarted RunCompleted"},
		"execution repeated":  {[]string{execute}, before + "INVALID_STREAM"},
		"call repeated":       {[]string{strings.Replace(execute, `"e"`, `"f"`, 1)}, before + "INVALID_STREAM"},
		"tool not offered":    {[]string{strings.NewReplacer(`"e"`, `"f"`, `"c"`, `"d"`, "look", "leap").Replace(execute)}, before + "INVALID_STREAM"},
		"another idle policy": {[]string{strings.NewReplacer(`"a"`, `"b"`, "pause", "continue").Replace(asks)}, before + "INVALID_STREAM"},
	} {
		h := newHost(t, streamHead+events(append([]string{started, step, called, asks, decided, execute}, c.last...)...))
		if got := story(t, h, q); got != c.want {
			t.Errorf("%s: %s, expected %s", name, got, c.want)
		}
	}
}

func TestAStreamMustBeOne(t *testing.T) {
	for head, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n":                                        "refused INVALID_RESPONSE",
		"HTTP/1.1 200 OK\r\n\r\n":                                                                          "refused INVALID_RESPONSE",
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nAgenticDriver-Version: 2.0\r\n\r\n":         "refused UNSUPPORTED_PROTOCOL_VERSION",
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nAgenticDriver-Version: 1.0\r\n\r\n":         good,
		"HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream\r\n\r\n":                                       good,
		"HTTP/1.1 302 Found\r\nLocation: /v1/runs\r\nContent-Type: text/event-stream\r\n\r\n":              "refused HTTP_ERROR",
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n": good,
	} {
		h := newHost(t, head+events(started, step, hello, completed))
		if got := story(t, h, request()); got != want {
			t.Errorf("%q: %s, expected %s", head, got, want)
		}
		if h.count() != 1 {
			t.Errorf("%q: %d requests", head, h.count())
		}
	}
}

func TestTheEndOfTheRunClosesTheConnection(t *testing.T) {
	h := newHost(t, streamHead+events(started, step, hello, completed))
	h.hold = true
	s, err := h.client(t).Stream(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := s.Next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	left(t, h)
}

func TestClosingAndCancellingCloseTheConnection(t *testing.T) {
	for name, stop := range map[string]func(context.CancelFunc, io.Closer){
		"close":  func(_ context.CancelFunc, s io.Closer) { _ = s.Close() },
		"cancel": func(cancel context.CancelFunc, _ io.Closer) { cancel() },
	} {
		h := newHost(t, streamHead+events(started))
		h.hold = true
		ctx, cancel := context.WithCancel(t.Context())
		s, err := h.client(t).Stream(ctx, request())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
		stop(cancel, s)
		for range 2 {
			if _, err := s.Next(); code(t, err) != "CANCELLED" {
				t.Errorf("%s: %v", name, err)
			}
		}
		left(t, h)
		cancel()
	}
}

func left(t *testing.T, h *host) {
	t.Helper()
	select {
	case <-h.gone:
	case <-time.After(patience):
		t.Fatal("the connection is still open")
	}
	if h.count() != 1 {
		t.Errorf("%d requests", h.count())
	}
}

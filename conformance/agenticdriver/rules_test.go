package agenticdriver

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// Each line is an event without runId, sequence and timestamp, unless it gives them itself.
func TestOrderOfAStream(t *testing.T) {
	const (
		started = `{"type":"run.started","provider":"p","model":"m"}` + "\n"
		step1   = `{"type":"step.started","step":1}` + "\n"
		step2   = `{"type":"step.started","step":2}` + "\n"
		a       = `{"type":"text.delta","text":"a"}` + "\n"
		usage1  = `{"type":"usage.reported","step":1,"usage":{}}` + "\n"
		called  = `{"type":"tool.called","call":{"id":"c","name":"t","arguments":{}}}` + "\n"
		done    = `{"type":"tool.completed","callId":"c","output":null}` + "\n"
		asked   = `{"type":"approval.requested","approval":{"approvalId":"x","runId":"r","call":{"id":"c","name":"t","arguments":{}},"requestedAt":"2026-01-02T03:04:05Z","idlePolicy":"pause"}}` + "\n"
		solved  = `{"type":"approval.resolved","resolution":{"approvalId":"x","runId":"r","callId":"c","outcome":"approved","decidedAt":"2026-01-02T03:04:05Z"}}` + "\n"
		sent    = `{"type":"tool.execution.requested","execution":{"executionId":"e","runId":"r","call":{"id":"c","name":"t","arguments":{}}}}` + "\n"
		work    = `{"type":"run.progress","phase":"tool"}` + "\n"
		think   = `{"type":"run.progress","phase":"model"}` + "\n"
		look    = `{"type":"run.progress","phase":"context"}` + "\n"
		failed  = `{"type":"run.failed","error":{"code":"X","message":"","retryable":false}}` + "\n"
	)
	end := func(text string, steps int) string {
		return fmt.Sprintf(`{"type":"run.completed","result":{"runId":"r","provider":"p","model":"m","text":%q,"usage":{},"steps":%d,"finishReason":"stop"}}`, text, steps) + "\n"
	}
	plain := `{"provider":"p","model":"m","input":"x"}`
	rich := `{"provider":"p","model":"m","input":"x","approvals":{},"applicationTools":[]}`
	cases := map[string]struct{ request, events, breaches string }{
		"text":                       {plain, started + step1 + think + a + a + usage1 + end("aa", 1), ""},
		"no text":                    {plain, started + step1 + end("", 1), ""},
		"text in one piece":          {plain, started + step1 + usage1 + a + end("a", 1), ""},
		"a call":                     {plain, started + step1 + a + usage1 + called + work + work + done + step2 + a + end("a", 2), ""},
		"everything about a call":    {rich, started + step1 + called + asked + solved + sent + work + done + step2 + end("", 2), ""},
		"failure at once":            {plain, started + failed, ""},
		"failure in a call":          {plain, started + step1 + called + failed, ""},
		"replay":                     {`{"provider":"p","model":"m","input":"x","idempotencyKey":"k"}`, started + step1 + end("a", 1), ""},
		"unknown optional":           {plain, started + `{"type":"x.y","optional":true}` + "\n" + step1 + end("", 1), "AD-S06"},
		"unknown":                    {plain, started + `{"type":"x.y"}` + "\n" + step1 + end("", 1), "AD-S06"},
		"nothing first":              {plain, step1 + a + end("a", 1), "AD-S02"},
		"another provider":           {plain, `{"type":"run.started","provider":"q","model":"m"}` + "\n" + step1 + end("", 1), "AD-S02"},
		"started twice":              {plain, started + started + step1 + end("", 1), "AD-S07"},
		"a gap":                      {plain, started + `{"type":"step.started","step":1,"sequence":3}` + "\n" + `{"type":"text.delta","text":"","sequence":4}` + "\n" + failed, "AD-S03 AD-S03"},
		"another run":                {plain, started + `{"type":"step.started","step":1,"runId":"s"}` + "\n" + failed, "AD-S03"},
		"no zone":                    {plain, started + `{"type":"step.started","step":1,"timestamp":"2026-01-02T03:04:05"}` + "\n" + failed, "AD-S03"},
		"no such day":                {plain, started + `{"type":"step.started","step":1,"timestamp":"2026-02-30T03:04:05Z"}` + "\n" + failed, "AD-S03"},
		"two ends":                   {plain, started + failed + failed, "AD-S04"},
		"text before its step":       {plain, started + a + step1 + end("", 1), "AD-S07"},
		"text after a call":          {plain, started + step1 + called + a + failed, "AD-S07"},
		"text after usage":           {plain, started + step1 + a + usage1 + a + end("aa", 1), "AD-S07"},
		"usage twice":                {plain, started + step1 + usage1 + usage1 + end("", 1), "AD-S07"},
		"usage of another step":      {plain, started + step1 + `{"type":"usage.reported","step":2,"usage":{}}` + "\n" + end("", 1), "AD-S07"},
		"steps skipped":              {plain, started + step2 + failed, "AD-S07"},
		"a step without a call":      {plain, started + step1 + step2 + failed, "AD-S07"},
		"completed first":            {plain, started + step1 + done + called + failed, "AD-S07"},
		"calls interleaved":          {plain, started + step1 + called + strings.ReplaceAll(called, `"c"`, `"d"`) + failed, "AD-S07"},
		"a call id again":            {plain, started + step1 + called + done + step2 + called + failed, "AD-S07"},
		"completed while open":       {rich, started + step1 + called + asked + done + failed, "AD-S07"},
		"failed while open":          {rich, started + step1 + called + asked + failed, "AD-S07"},
		"sent while open":            {rich, started + step1 + called + asked + sent + failed, "AD-S07 AD-S07"},
		"resolved unasked":           {rich, started + step1 + called + solved + failed, "AD-S07"},
		"sent twice":                 {rich, started + step1 + called + sent + sent + failed, "AD-S07"},
		"approval unasked":           {plain, started + step1 + called + asked + solved + done + step2 + end("", 2), "AD-S12 AD-S12"},
		"end after a call":           {plain, started + step1 + called + done + end("", 1), "AD-S07"},
		"steps miscounted":           {plain, started + step1 + end("", 2), "AD-S07"},
		"deltas lost":                {plain, started + step1 + a + end("ab", 1), "AD-S08"},
		"text never streamed":        {plain, started + step1 + end("a", 1), "AD-S15"},
		"context in a run without":   {plain, started + look + step1 + end("", 1), "AD-S07"},
		"model outside a step":       {plain, started + think + step1 + end("", 1), "AD-S07"},
		"tool outside a call":        {plain, started + step1 + work + end("", 1), "AD-S07"},
		"result of another run":      {plain, started + step1 + strings.Replace(end("", 1), `"runId":"r"`, `"runId":"s"`, 1), "AD-S17"},
		"result with an extra":       {plain, started + step1 + strings.Replace(end("", 1), `"steps"`, `"retrieval":{},"steps"`, 1), "AD-V02 AD-S17"},
		"event without what it says": {plain, started + `{"type":"step.started"}` + "\n" + failed, "AD-V02 AD-S07"},
	}
	for name, c := range cases {
		request := parse(t, c.request).(*value.Object)
		r := newRules()
		x := &protocol.Exchange{Body: request, Header: http.Header{}}
		var got []string
		for i, line := range strings.Split(strings.TrimSpace(c.events), "\n") {
			event := parse(t, line).(*value.Object)
			for _, m := range []value.Member{{Name: "runId", Value: "r"}, {Name: "sequence", Value: value.Int(int64(i + 1))}, {Name: "timestamp", Value: "2026-01-02T03:04:05.678Z"}} {
				if _, given := event.Get(m.Name); !given {
					event.Set(m.Name, m.Value)
				}
			}
			sequence, _ := event.Get("sequence")
			kind, _ := event.Get("type")
			f := &transport.Frame{ID: value.Text(sequence), Event: kind.(string), Fields: []string{"data"}, Data: value.Append(nil, event)}
			found, _ := r.Framed(x, f, event)
			for _, b := range found {
				got = append(got, b.Requirement)
			}
		}
		for _, b := range r.Over(x, "") {
			got = append(got, b.Requirement)
		}
		if strings.Join(got, " ") != c.breaches {
			t.Errorf("%s: %v, expected %q", name, got, c.breaches)
		}
	}
}

func TestFramesAreHeldToTheirEvents(t *testing.T) {
	event := parse(t, `{"type":"run.started","runId":"r","sequence":1,"timestamp":"2026-01-02T03:04:05Z","provider":"p","model":"m"}`).(*value.Object)
	right := transport.Frame{ID: "1", Event: "run.started", Fields: []string{"id", "event", "data"}, Data: value.Append(nil, event), Bytes: 2_000_000}
	with := func(change func(f *transport.Frame)) *transport.Frame {
		f := right
		change(&f)
		return &f
	}
	cases := map[string]struct {
		frame    *transport.Frame
		event    *value.Object
		breaches string
	}{
		"right":         {&right, event, "[]"},
		"heartbeat":     {&transport.Frame{Fields: []string{""}}, nil, "[]"},
		"too long":      {with(func(f *transport.Frame) { f.Bytes++ }), event, "[AD-S09]"},
		"another id":    {with(func(f *transport.Frame) { f.ID = "0" }), event, "[AD-S05]"},
		"another event": {with(func(f *transport.Frame) { f.Event = "message" }), event, "[AD-S05]"},
		"no UTF-8":      {with(func(f *transport.Frame) { f.BadText = true }), event, "[AD-V02]"},
		"no object":     {with(func(f *transport.Frame) { f.Data = []byte("null") }), nil, "[AD-V02]"},
	}
	for name, c := range cases {
		found, _ := newRules().Framed(&protocol.Exchange{Header: http.Header{}}, c.frame, c.event)
		got := []string{}
		for _, b := range found {
			got = append(got, b.Requirement)
		}
		if fmt.Sprint(got) != c.breaches {
			t.Errorf("%s: %v, expected %s", name, got, c.breaches)
		}
	}
}

func TestAnswersAreHeldToTheirDescription(t *testing.T) {
	const info = `{"protocol":"agenticdriver","version":"1.0","supportedVersions":["1.0"],"features":[]}`
	job := func(change ...string) string {
		text := `{"id":"0b8f9c52-3a41-4d7e-9c11-5f2d8a6b7c01","runId":"0b8f9c52-3a41-4d7e-9c11-5f2d8a6b7c01","provider":"p","model":"m","state":"queued","cursor":0,"cancelRequested":false,"createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z"}`
		return strings.NewReplacer(change...).Replace(text)
	}
	const failure = `{"error":{"code":"X","message":"","retryable":false}}`
	cases := map[string]struct {
		target   string
		status   int
		version  string
		kind     string
		body     string
		breaches string
	}{
		"right":                       {"GET /v1/protocol", 200, "1.0", "application/json; charset=utf-8", info, "[]"},
		"no version":                  {"GET /v1/protocol", 200, "", "application/json", info, "[AD-T03]"},
		"invalid":                     {"GET /v1/protocol", 200, "1.0", "application/json", `{}`, "[AD-V01]"},
		"as text":                     {"GET /v1/protocol", 200, "1.0", "text/plain", info, "[AD-V01]"},
		"error":                       {"GET /v1/protocol", 401, "1.0", "application/json", failure, "[]"},
		"error without code":          {"GET /v1/protocol", 401, "1.0", "application/json", `{"error":{}}`, "[AD-T05]"},
		"error as text":               {"GET /nowhere", 404, "1.0", "text/plain", failure, "[AD-T05]"},
		"redirect":                    {"GET /v1/protocol", 307, "1.0", "", "", "[AD-T20]"},
		"health":                      {"GET /health", 200, "1.0", "application/json", `{"status":"up","protocol":"agenticdriver.v1"}`, "[AD-T02]"},
		"queued job":                  {"POST /v1/jobs/read", 200, "1.0", "application/json", job(), "[]"},
		"queued job with events":      {"POST /v1/jobs/read", 200, "1.0", "application/json", job(`"cursor":0`, `"cursor":1`), "[AD-J09]"},
		"ended job without an expiry": {"POST /v1/jobs/read", 200, "1.0", "application/json", job("queued", "completed", `"cursor":0`, `"cursor":3`), "[AD-J09]"},
	}
	for name, c := range cases {
		method, target, _ := strings.Cut(c.target, " ")
		x := &protocol.Exchange{
			Method: method, Target: target, Operation: operation(method, target), Header: http.Header{},
			Answer: &transport.Answer{Status: c.status, Header: http.Header{}, Body: []byte(c.body)},
		}
		if c.version != "" {
			x.Answer.Header.Set("AgenticDriver-Version", c.version)
		}
		x.Answer.Header.Set("Content-Type", c.kind)
		if v, err := value.Parse([]byte(c.body)); err == nil {
			x.Content, x.HasJSON = v, true
		}
		got := []string{}
		for _, b := range newRules().Answered(x) {
			got = append(got, b.Requirement)
		}
		if fmt.Sprint(got) != c.breaches {
			t.Errorf("%s: %v, expected %s", name, got, c.breaches)
		}
	}
}

func TestPagesHoldEventsInARow(t *testing.T) {
	job := `"job":{"id":"j","runId":"r","state":"completed","cursor":3}`
	event := func(n int, kind string) string {
		return fmt.Sprintf(`{"type":%q,"runId":"r","sequence":%d}`, kind, n)
	}
	cases := map[string]struct {
		after    int
		events   []string
		rest     string
		breaches string
	}{
		"all":             {0, []string{event(1, "run.started"), event(2, "step.started"), event(3, "run.completed")}, `"nextCursor":3,"hasMore":false`, "[]"},
		"first":           {0, []string{event(1, "run.started")}, `"nextCursor":1,"hasMore":true`, "[]"},
		"nothing more":    {3, nil, `"nextCursor":3,"hasMore":false`, "[]"},
		"a gap":           {0, []string{event(2, "step.started")}, `"nextCursor":2,"hasMore":true`, "[AD-J12]"},
		"start again":     {1, []string{event(2, "run.started")}, `"nextCursor":2,"hasMore":true`, "[AD-J12]"},
		"another end":     {2, []string{event(3, "run.failed")}, `"nextCursor":3,"hasMore":false`, "[AD-J09]"},
		"end too early":   {1, []string{event(2, "run.completed")}, `"nextCursor":2,"hasMore":true`, "[AD-J12]"},
		"an approval":     {1, []string{event(2, "approval.requested")}, `"nextCursor":2,"hasMore":true`, "[AD-J12]"},
		"wrong cursor":    {0, []string{event(1, "run.started")}, `"nextCursor":2,"hasMore":true`, "[AD-J12]"},
		"more than there": {3, nil, `"nextCursor":3,"hasMore":true`, "[AD-J12]"},
	}
	for name, c := range cases {
		body := parse(t, "{"+job+`,"events":[`+strings.Join(c.events, ",")+"],"+c.rest+"}").(*value.Object)
		x := &protocol.Exchange{Body: value.Of("id", "j", "after", value.Int(int64(c.after)))}
		got := []string{}
		for _, b := range page(x, body) {
			got = append(got, b.Requirement)
		}
		if fmt.Sprint(got) != c.breaches {
			t.Errorf("%s: %v, expected %s", name, got, c.breaches)
		}
	}
}

func TestNearMissesAreInvalidAndTheSameForOneSeed(t *testing.T) {
	total, rules := 0, 0
	for _, o := range agenticdriver.Operations {
		if o.Body == nil {
			continue
		}
		check := protocol.Of(o.Body.As("application/json").Schema)
		first, n, err := makeMisses(o, 7)
		if err != nil {
			t.Fatal(err)
		}
		again, _, _ := makeMisses(o, 7)
		for i, m := range first {
			if len(check(m.Body)) == 0 {
				t.Errorf("%s: %s is valid, it is to break %s at %s", o.ID, m.Body, m.Rule.Keyword, m.Rule.Pointer)
			}
			if !slices.Equal(m.Body, again[i].Body) {
				t.Errorf("%s: the same seed made two messages", o.ID)
			}
		}
		total, rules = total+len(first), rules+n
	}
	if total < rules*9/10 {
		t.Errorf("%d near misses for %d rules", total, rules)
	}
}

func TestOnlyTheListOfProvidersTakesAQuery(t *testing.T) {
	for target, there := range map[string]bool{
		"/v1/providers": true, "/v1/providers?refresh=true": true, "/v1/providers?refresh=false": false,
		"/v1/protocol": true, "/v1/protocol?refresh=true": false, "/v1/protocol/": false,
	} {
		if (operation("GET", target) != nil) != there {
			t.Errorf("%s: %t", target, !there)
		}
	}
}

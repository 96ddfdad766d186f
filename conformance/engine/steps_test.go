package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/comitiva"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/requirement"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/schemas"
)

// scripted is a connection whose target says prepared lines in answer to what it is sent.
type scripted struct {
	mu       sync.Mutex
	events   chan transport.Event
	replies  map[string][]string // a part of what is sent to the lines that are said then
	received int64
	sent     strings.Builder
	pending  string
	ended    bool
}

func newScript(replies map[string][]string) *scripted {
	s := &scripted{events: make(chan transport.Event, 1000), replies: replies}
	s.say(replies["start"])
	return s
}

func (s *scripted) say(lines []string) {
	for _, line := range lines {
		s.received += int64(len(line)) + 1
		if text, ok := strings.CutPrefix(line, "!"); ok {
			s.events <- transport.Event{Kind: transport.ErrorOut, Data: []byte(text)}
		} else if line == "end" {
			s.end(transport.Exit{})
		} else if !s.ended {
			s.events <- transport.Event{Kind: transport.Line, Data: []byte(line)}
		}
	}
}

func (s *scripted) end(e transport.Exit) {
	if !s.ended {
		s.ended = true
		s.events <- transport.Event{Kind: transport.Ended, Exit: e}
	}
}

func (s *scripted) Events() <-chan transport.Event { return s.events }

func (s *scripted) Received() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received
}

func (s *scripted) Write(chunks [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range chunks {
		s.sent.Write(c)
		s.pending += string(c)
	}
	for {
		line, rest, found := strings.Cut(s.pending, "\n")
		if !found {
			return
		}
		s.pending = rest
		for part, lines := range s.replies {
			if strings.Contains(line, part) {
				s.say(lines)
			}
		}
	}
}

func (s *scripted) CloseInput() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.say(s.replies["close"])
	s.end(transport.Exit{})
}

func (s *scripted) Signal(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(transport.Exit{Status: -1, Signal: name})
	return nil
}

func (s *scripted) Kill()    { _ = s.Signal("SIGKILL") }
func (s *scripted) Release() {}

// patient are rules that let scripts leave requests unanswered, and speak of runs that nobody has started.
type patient struct{ protocol.Rules }

func (patient) Unanswered() []protocol.Unanswered { return nil }

func (p patient) Received(m *value.Object) []protocol.Breach {
	return slices.DeleteFunc(p.Rules.Received(m), func(b protocol.Breach) bool { return strings.HasSuffix(b.Reason, "which nobody started") })
}

const catalogue = `
protocol: comitiva
requirements:
  - { id: CO-01, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-02, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-03, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-04, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-31, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-36, level: MUST, role: runner, sentence: S, basis: { kind: observed } }
  - { id: CO-48, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-79, level: MUST, role: runner, sentence: S, basis: { kind: observed } }
  - { id: CO-112, level: MUST, role: runner, sentence: S, basis: { kind: observed } }
`

// play carries out steps against a script and returns what was charged, a line each.
func play(t *testing.T, steps string, replies map[string][]string, recordings ...record.Event) (charges []string, conn *scripted, all *transcript.Transcript) {
	t.Helper()
	p, err := comitiva.Protocol()
	if err != nil {
		t.Fatal(err)
	}
	c, err := requirement.Load(fstest.MapFS{"r": {Data: []byte(catalogue)}}, "r", "r", schemas.FS, p)
	if err != nil {
		t.Fatal(err)
	}
	text := "title: T\nrole: runner\ndecides: [CO-01, CO-03]\nfault: x\nstand-ins: { model: {} }\nsteps:\n" + steps
	s, errs := scenario.Read("s", "s.yaml", []byte(text), scenario.Library{Protocol: p, Catalogue: c})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	conn = newScript(replies)
	role := p.Roles["runner"]
	r := &runner{scenario: s, transcript: transcript.New(time.Now()), job: Job{Protocol: p, Target: &target.Target{}}}
	conv := &conversation{
		scenario: s, protocol: p, role: role, rules: patient{role.NewRules()},
		binding: func(id string) bool { return c.Get(id) == nil || c.Get(id).Binding(false) },
		limits:  DefaultLimits, bounds: Bounds{Step: 200 * time.Millisecond, Stop: time.Second}, inbox: newInbox(),
		transcript: r.transcript, messages: newStore(), recordings: newStore(), over: make(map[string]string), signals: make(map[string]bool),
		conn: conn, events: conn.Events(),
	}
	conv.root = r.scope(conv, scenario.Offers{})
	for i, e := range recordings {
		e.Seq = i + 1
		conv.inbox.put(e)
	}
	completed, err := conv.converse(t.Context(), 2*time.Second)
	if err == nil {
		err = conv.finish(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, ch := range conv.charges {
		line := ch.Requirement + " " + ch.Reason
		for _, d := range ch.Differences {
			line += fmt.Sprintf("; %s wanted %s got %s", d.Pointer, d.Wanted, d.Got)
		}
		charges = append(charges, line)
	}
	if completed == (len(charges) > 0) && !strings.Contains(strings.Join(charges, "\n"), "CO-36") && conv.broken.IsZero() {
		t.Errorf("completed is %v with charges %q", completed, charges)
	}
	return charges, conn, r.transcript
}

const (
	answerA = `{"type":"response","id":"a","ok":true,"result":{"n":1}}`
	answerB = `{"type":"response","id":"b","ok":true,"result":{"n":2}}`
	pingA   = "  - send: { id: a, type: ping }\n"
	pingB   = "  - send: { id: b, type: ping }\n"
	unasked = "conduct the target ended (exit status 0) although nothing had asked it to\n"
)

func delta(text string) string {
	return fmt.Sprintf(`{"type":"run.text_delta","runId":"r","ts":%d,"text":%q}`, begun, text)
}

// begun is the time that all events tell.
var begun = time.Now().UnixMilli()

var doneR = fmt.Sprintf(`{"type":"run.done","runId":"r","ts":%d,"stopReason":"end_turn"}`, begun)

func TestSteps(t *testing.T) {
	cancel := "  - send: { id: a, type: run.cancel, runId: r }\n"
	run := func(lines ...string) map[string][]string { return map[string][]string{`"a"`: lines} }
	cases := map[string]struct {
		steps   string
		replies map[string][]string
		want    string // what is charged; "" when everything holds
	}{
		"expect matches a subset": {pingA + "  - expect: { id: a, result: { n: 1 } }\n", run(answerA), ""},
		"expect fails at once":    {pingA + "  - expect: { id: a, result: { n: 2 } }\n", run(answerA), "CO-01 the next message is not the one expected; /result/n wanted 2 got 1"},
		"expect waits no longer than its bound": {pingA + "  - expect: { id: a }\n    within: 20ms\n    for: CO-03\n", run(),
			`CO-03 nothing came within 20ms while waiting for {"id":"a"}`},
		"streams are read for themselves": {pingA + pingB + "  - expect: { id: a }\n  - expect: { id: b }\n",
			map[string][]string{`"b"`: {answerB, answerA}}, ""},
		"a matcher as id reads any stream": {pingA + "  - expect: { id: { $any of: [x, a] } }\n", run(answerA), ""},
		"no id reads the rest":             {pingA + "  - expect: { type: log }\n  - expect: { id: a }\n", run(answerA, `{"type":"log","level":"info","message":"m"}`), ""},
		"captured names": {pingA + "  - expect: { id: a, result: { $capture: r } }\n  - check: $r.n\n    is: { $range: { above: 1 } }\n", run(answerA),
			`CO-01 the value is not what is expected;  wanted a number in {"above":1} got 1`},
		"nothing more of an ended stream is waited for": {cancel + "  - until: { type: run.usage, runId: r }\n", run(delta("x"), doneR),
			`CO-01 the last message of runId="r" has been seen: ` + doneR + ` while waiting for {"type":"run.usage","runId":"r"}; the last one passed over is shown; /type wanted "run.usage" got "run.done"`},
		"nothing more of an ended target is waited for": {pingA + "  - expect: { id: a }\n", run("end"), unasked + `CO-01 the target has ended (exit status 0) while waiting for {"id":"a"}`},
		"until passes over":                             {cancel + "  - until: { type: run.done, runId: r }\n", run(delta("x"), delta("y"), doneR), ""},
		"maybe takes what is there":                     {cancel + "  - maybe: { type: run.text_delta, runId: r }\n  - expect: { type: run.done, runId: r }\n", run(delta("x"), doneR), ""},
		"maybe leaves what is another":                  {cancel + "  - maybe: { type: run.usage, runId: r }\n  - expect: { type: run.done, runId: r }\n", run(doneR), ""},
		"some takes a row":                              {cancel + "  - some: { type: run.text_delta, runId: r }\n    joined: { /text: xy }\n    count: 2\n  - expect: { type: run.done, runId: r }\n", run(delta("x"), delta("y"), doneR), ""},
		"some wants at least one":                       {cancel + "  - some: { type: run.text_delta, runId: r }\n", run(doneR), `CO-01 the next message is not the one expected; /type wanted "run.text_delta" got "run.done"`},
		"some with a count of its own":                  {cancel + "  - some: { type: run.text_delta, runId: r }\n    count: { $range: { min: 3 } }\n", run(delta("x"), delta("y"), doneR), `CO-01 2 messages came in a row, expected is a number in {"min":3}`},
		"some with an exact count":                      {cancel + "  - some: { type: run.text_delta, runId: r }\n    count: 1\n  - expect: { type: run.text_delta, runId: r, text: y }\n", run(delta("x"), delta("y")), ""},
		"some with too few":                             {cancel + "  - some: { type: run.text_delta, runId: r }\n    count: 2\n", run(delta("x"), doneR), `CO-01 2 messages in a row are expected, number 2 is another; /type wanted "run.text_delta" got "run.done"`},
		"some may be none":                              {cancel + "  - some: { type: run.text_delta, runId: r }\n    count: { $range: { min: 0 } }\n  - expect: { type: run.done, runId: r }\n", run(doneR), ""},
		"joined texts are compared":                     {cancel + "  - some: { type: run.text_delta, runId: r }\n    joined: { /text: yx }\n", run(delta("x"), delta("y"), doneR), `CO-01 the texts at /text of 2 messages, joined, are not what is expected;  wanted "yx" got "xy"`},
		"any order, one stream":                         {cancel + "  - in any order:\n      - expect: { type: run.text_delta, runId: r, text: y }\n      - expect: { type: run.text_delta, runId: r, text: x }\n", run(delta("x"), delta("y")), ""},
		"any order, nobody takes it":                    {cancel + "  - in any order:\n      - expect: { type: run.text_delta, runId: r, text: y }\n      - expect: { type: run.text_delta, runId: r, text: z }\n", run(delta("x")), `CO-01 the next message is not the one expected; /text wanted "y" got "x"`},
		"order inside any order":                        {cancel + "  - in any order:\n      - in order:\n          - expect: { runId: r, text: x }\n          - expect: { runId: r, text: z }\n      - expect: { runId: r, text: y }\n", run(delta("x"), delta("y"), delta("z")), ""},
		"a block with a bound":                          {cancel + "  - within: 30ms\n    in order:\n      - expect: { runId: r, text: x }\n      - expect: { runId: r, text: y }\n        within: 10s\n        for: CO-03\n", run(delta("x")), `CO-03 not complete within 30ms: still waiting for {"runId":"r","text":"y"}`},
		"rounds have names of their own": {"  - repeat:\n      times: 3\n      as: i\n      steps:\n        - send: { id: \"${i}\", type: ping }\n        - expect: { id: \"${i}\" }\n",
			map[string][]string{`"1"`: {`{"type":"response","id":"1","ok":true,"result":1}`}, `"2"`: {`{"type":"response","id":"2","ok":true,"result":1}`}}, `CO-01 nothing came within 200ms while waiting for {"id":"3"}`},
		"rounds at once": {"  - repeat:\n      times: 2\n      as: i\n      at once: true\n      steps:\n        - send: { id: \"${i}\", type: ping }\n        - expect: { id: \"${i}\" }\n",
			map[string][]string{`"2"`: {`{"type":"response","id":"2","ok":true,"result":1}`, `{"type":"response","id":"1","ok":true,"result":1}`}}, ""},
		"silence holds":               {pingA + "  - expect: { id: a }\n  - silence: { for: 20ms, about: { type: log } }\n", run(answerA), ""},
		"silence is broken":           {pingA + "  - silence: { for: 10s, about: { type: log } }\n", run(`{"type":"log","level":"info","message":"m"}`), "CO-01 a message came that should not have come"},
		"silence of everything":       {"  - silence: { for: 20ms }\n", nil, ""},
		"what was read is no noise":   {pingA + "  - expect: { id: a }\n  - silence: { for: 5ms, about: { id: a } }\n", run(answerA), ""},
		"never looks back":            {pingA + "  - expect: { id: a }\n  - never: { about: { ok: true } }\n", run(answerA), "CO-01 a message came that should not have come"},
		"never holds":                 {pingA + "  - expect: { id: a }\n  - never: { about: { ok: false } }\n", run(answerA), ""},
		"a name that nobody gave yet": {"  - in any order:\n      - in order:\n          - send: { id: a, type: ping }\n          - expect: { id: a, result: { n: { $capture: n } } }\n      - check: $n\n        is: 1\n", run(answerA), ""},
		"exit":                        {"  - close: stdin\n  - exit: { status: 0 }\n", nil, ""},
		"exit with another status":    {"  - close: stdin\n  - exit: { status: 1 }\n", nil, "CO-01 the target ended with exit status 0, expected is exit status 1"},
		"exit by signal":              {"  - signal: SIGTERM\n  - exit: { signal: SIGTERM }\n", nil, ""},
		"exit by another signal":      {"  - signal: SIGINT\n  - exit: { status: 0 }\n", nil, "CO-01 the target ended with SIGINT, expected is exit status 0"},
		"no exit":                     {"  - exit: {}\n    within: 10ms\n", nil, "CO-01 the target has not ended within 10ms"},
		"sending to nobody":           {pingA + "  - exit: {}\n" + pingB, run("end"), unasked + "CO-01 the target has ended (exit status 0) before this could be sent"},
		"standard error":              {pingA + "  - stderr: { $contains: oops }\n", run("!oo", "!ps"), ""},
		"standard error is another":   {pingA + "  - stderr: { $contains: oops }\n    within: 10ms\n", run("!fine"), `CO-01 standard error is not what is expected;  wanted text that contains "oops" got "fine"`},
		"a canary in standard error":  {"  - send: { id: a, type: ping, x: $canary.word }\n  - expect: { id: a }\n", run("!"+canaryText("canary", "word")[:20], "!"+canaryText("canary", "word")[20:], answerA), "CO-01 what the scenario calls $canary.word appears in standard error"},
		"a secret in standard output": {"  - send: { id: a, type: ping, x: $secret.key }\n  - until: { type: log }\n", run(`{"type":"log","level":"info","message":"` + canaryText("secret", "key") + `"}`), "CO-48 what the scenario calls $secret.key appears in standard output"},
		"valid as":                    {pingA + "  - expect: { id: a }\n    valid as: { /result: PingResult }\n", run(answerA), `CO-01 what is at /result is not a valid PingResult: required at (root): the member "version"`},
		"valid as of nothing":         {pingA + "  - expect: { id: a }\n    valid as: { /error: AppError }\n", run(answerA), "CO-01 there is nothing at /error, where a valid AppError is expected"},
		"a broken rule lets the step speak": {pingA + "  - expect: { id: a }\n    within: 10s\n    for: CO-03\n", run(answerB),
			"CO-04 the response has the id \"b\", which no request had\nCO-03 nothing came within 300ms (no longer, since a standing rule was broken) while waiting for"},
		"a rule that is not binding": {cancel + "  - expect: { runId: r }\n", run(`{"type":"run.done","runId":"r","stopReason":"end_turn"}`), "CO-36 run.done has no ts"},
		"rules hold until the end":   {pingA + "  - expect: { id: a }\n", map[string][]string{`"a"`: {answerA}, "close": {answerA}}, `CO-04 1 requests had the id "a", and this is response number 2 to it`},
		"a message decided when it is sent": {pingA + "  - expect: { id: a, result: { n: { $capture: n } } }\n  - send: { id: $n, type: ping }\n", run(answerA),
			"CO-01 this cannot be sent: this message is not valid: type at /id: a string"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			charges, _, _ := play(t, c.steps, c.replies)
			got := strings.Join(charges, "\n")
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// canaryText is what the scenario of these tests calls $KIND.NAME.
func canaryText(kind, name string) string {
	r := &runner{scenario: &scenario.Scenario{ID: "s"}, transcript: transcript.New(time.Now())}
	return r.canary(&conversation{transcript: r.transcript}, kind, name, "")
}

type detail struct {
	N       int               `json:"n"`
	Headers map[string]string `json:"headers,omitempty"`
}

func TestRecordingsOfStandIns(t *testing.T) {
	events := []record.Event{
		{StandIn: "model", Kind: "request", Detail: detail{1, map[string]string{"authorization": "Bearer hunter2"}}},
		{StandIn: "model", Kind: "closed"},
		{StandIn: "model", Kind: "request", Detail: detail{N: 2}},
	}
	for steps, want := range map[string]string{
		"  - observe: model\n    sees: { event: closed }\n  - observe: model\n    sees: { event: request, n: { $capture: n } }\n    count: 2\n  - check: $n\n    is: 2\n": "",
		"  - observe: model\n    sees: { event: request, n: 2 }\n": "CO-01 the next recording of model is not the one expected; /n wanted 2 got 1",
		"  - in any order:\n      - observe: model\n        sees: { event: request, n: 2 }\n      - observe: model\n        sees: { event: request, n: 1 }\n": "",
		"  - observe: model\n    sees: { event: cut }\n    within: 10ms\n":                                                                                    `CO-01 nothing came within 10ms while waiting for a recording of model like {"event":"cut"}; unread recordings: "request", "closed", "request"`,
		"  - observe: model\n    sees: { n: 1 }\n":                                                                                                            "",
		"  - silence: { for: 5ms, of: model, about: { event: cut } }\n":                                                                                       "",
		"  - silence: { for: 5s, of: model, about: { event: closed } }\n":                                                                                     "CO-01 a recording of model came that should not have come",
		"  - never: { of: model, about: { n: 2 } }\n":                                                                                                         "CO-01 a recording of model came that should not have come",
		"  - observe: model\n    sees: { headers: { authorization: Bearer hunter2 } }\n":                                                                      "",
	} {
		charges, _, all := play(t, steps, nil, events...)
		if got := strings.Join(charges, "\n"); got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", steps, got, want)
		}
		for _, e := range all.Entries() {
			if strings.Contains(e.Text, "hunter2") {
				t.Errorf("the transcript shows a secret: %s", e.Text)
			}
		}
	}
}

func TestBytesAreWrittenAsTheStepSays(t *testing.T) {
	_, conn, _ := play(t, pingA+`
  - raw: { text: "${new.x}é", times: 2 }
    line end: crlf
    split every: 1
  - raw: { base64: AP8= }
    line end: none
  - send together: [ { id: b, type: ping }, { id: c, type: ping } ]
`, nil)
	want := "{\"id\":\"a\",\"type\":\"ping\"}\nx-1éx-1é\r\n\x00\xff{\"id\":\"b\",\"type\":\"ping\"}\n{\"id\":\"c\",\"type\":\"ping\"}\n"
	if got := conn.sent.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestAScenarioHasABoundAsAWhole(t *testing.T) {
	replies := map[string][]string{`"a"`: {answerA}}
	charges, _, _ := play(t, pingA+"  - silence: { for: 60m, about: { type: log } }\n", replies)
	if got := strings.Join(charges, "\n"); got != "CO-01 the scenario was not over within 2s; it was still listening for silence" {
		t.Error(got)
	}
}

func TestSecretsStayOutOfTranscripts(t *testing.T) {
	_, conn, all := play(t, "  - send: { id: a, type: ping, x: $secret.key }\n", nil)
	secret := canaryText("secret", "key")
	if !strings.Contains(conn.sent.String(), secret) {
		t.Error("the secret was not sent")
	}
	for _, e := range all.Entries() {
		if strings.Contains(e.Text, secret) {
			t.Errorf("the transcript shows it: %s", e.Text)
		}
	}
}

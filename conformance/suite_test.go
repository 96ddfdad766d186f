//go:build linux || darwin

package conformance_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hallmark-kit/hallmark/conformance"
	"github.com/hallmark-kit/hallmark/conformance/engine"
	"github.com/hallmark-kit/hallmark/conformance/report"
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
)

const requirements = `
protocol: comitiva
features: { runs: It carries out runs. }
values: { model: A model. }
requirements:
  - { id: CO-02, level: MUST, role: runner, sentence: Lines are messages., basis: { kind: prose } }
  - { id: CO-03, level: MUST, role: runner, sentence: Ping is answered., basis: { kind: prose } }
  - { id: CO-04, level: MUST, role: runner, sentence: One answer an id., basis: { kind: prose } }
  - { id: CO-31, level: MUST, role: runner, sentence: One terminal a run., basis: { kind: prose } }
  - { id: CO-32, level: MUST, role: runner, feature: runs, sentence: Deltas are in order., basis: { kind: prose } }
  - { id: CO-36, level: SHOULD, role: runner, sentence: Time does not go back., basis: { kind: prose } }
  - { id: CO-48, level: MUST, role: runner, sentence: Secrets are kept., basis: { kind: prose } }
  - { id: CO-75, level: MUST, role: runner, sentence: Shutdown ends it., basis: { kind: observed } }
  - { id: CO-76, level: MUST, role: runner, sentence: The end of input ends it., basis: { kind: prose } }
  - { id: CO-79, level: MUST, role: runner, sentence: No codes of the shell., basis: { kind: observed } }
  - { id: CO-112, level: MUST, role: runner, sentence: S, basis: { kind: observed } }
`

const base = `
agent:
  { id: a, name: A, avatar: { color: teal, emoji: "x" }, connectionId: c, model: m, role: Help, params: {}, toolServerIds: [], roots: [],
    permissionPolicy: ask, fallbackConnectionIds: [], tags: [], createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" }
connection:
  { id: c, name: C, kind: api, provider: ollama, secretRef: null, enabled: true, createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z", config: {} }
start: { id: $new.start, type: run.start, runId: $new.run, conversationId: c, agent: $base.agent, connection: $base.connection, messages: [] }
`

// scenarios that the fake runner without a fault passes.
var scenarios = map[string]string{
	"ping": `
title: Ping
role: runner
decides: [CO-03]
fault: x
steps:
  - send: { id: $new.ping, type: ping }
  - expect: { type: response, id: $ping, ok: true, result: { protocolVersion: 1 } }
    valid as: { /result: PingResult }
`,
	"run": `
title: Run
role: runner
decides: [CO-32]
fault: x
steps:
  - repeat:
      times: 3
      at once: true
      steps:
        - send: { $from: $base.start }
        - expect: { type: response, id: $start, result: { runId: $run } }
        - some: { type: run.text_delta, runId: $run }
          joined: { /text: hello }
          count: 2
        - expect: { type: run.done, runId: $run, stopReason: { $capture: why } }
        - check: $why
          is: end_turn
`,
	"observed": `
title: What was only observed
role: runner
decides: [CO-75]
fault: x
steps:
  - send: { id: $new.ping, type: ping }
  - expect: { type: response, id: $ping, ok: true }
`,
	"cancel": `
title: A request whose answer no step waits for
role: runner
decides: [CO-75]
fault: x
steps:
  - send: { id: $new.cancel, type: run.cancel, runId: nobody }
`,
	"secret": `
title: Secret
role: runner
decides: [CO-48]
fault: x
steps:
  - send: { $from: $base.start, secret: $secret.key }
  - until: { type: run.done, runId: $run }
`,
	"stop": `
title: Stop
role: runner
decides: [CO-75, CO-76]
fault: x
steps:
  - send: { id: $new.stop, type: shutdown }
  - expect: { type: response, id: $stop, ok: true }
  - exit: { status: 0 }
    within: 1m
`,
	"any-order": `
title: Any order
role: runner
decides: [CO-04]
fault: x
steps:
  - send together: [ { id: $new.a, type: ping }, { id: $new.b, type: ping } ]
  - in any order:
      - expect: { type: response, id: $b }
      - in order:
          - expect: { type: response, id: $a }
          - send: { id: $new.c, type: ping }
          - expect: { type: response, id: $c }
  - silence: { for: 10ms }
  - never: { about: { ok: false } }
`,
}

func fixtures() fstest.MapFS {
	fsys := fstest.MapFS{
		"comitiva/requirements.yaml": {Data: []byte(requirements)},
		"comitiva/base.yaml":         {Data: []byte(base)},
	}
	for id, text := range scenarios {
		fsys["comitiva/scenarios/"+id+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func load(t *testing.T) *conformance.Suite {
	t.Helper()
	s, err := conformance.Load(fixtures(), "fixtures", "comitiva", nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fakeTarget(t *testing.T, mode string) *target.Target {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &target.Target{
		Protocol: "comitiva", Name: "fake", Role: "runner", Command: []string{self},
		// The race detector would sleep for a second whenever the fake exits.
		Env:      []string{fakeMode + "=" + mode, "GORACE=atexit_sleep_ms=0"},
		Features: []string{"runs"},
		Bounds:   target.Bounds{Start: long, Step: long, Scenario: long, Stop: time.Second},
	}
}

// long is for what comes in any case, and only ends a hang.
const long = time.Minute

// rising are bounds for what never comes while something else has to: the first may be too short on a busy machine.
var rising = []time.Duration{time.Second, 10 * time.Second, long}

// limits are small, so that floods are noticed soon.
var limits = engine.Limits{Messages: 500, Bytes: 1 << 20, Line: 1 << 20, Stderr: 1 << 16}

func run(t *testing.T, mode, pattern string, step time.Duration) (*report.Report, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*long)
	defer cancel()
	tg := fakeTarget(t, mode)
	tg.Bounds.Step = step
	return load(t).Run(ctx, tg, conformance.Options{Pattern: pattern, Limits: limits, Rerun: []string{"hallmark", "certify", "comitiva"}})
}

func TestARightRunnerHolds(t *testing.T) {
	r, err := run(t, "", "", long)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Summary; s.Passed != 7 || s.Scenarios != 7 || s.Requirements != 11 || !report.Held(r) {
		var b strings.Builder
		_ = report.WriteText(&b, r, false)
		t.Errorf("%+v\n%s", s, b.String())
	}
}

func TestMisbehaviourIsNoticedAndNamed(t *testing.T) {
	cases := []struct {
		mode, scenario string
		verdict        report.Verdict
		requirement    string
		reason         string
	}{
		{"garbage", "ping", report.Fail, "CO-02", "a line is not JSON: "},
		{"floods-garbage", "ping", report.Fail, "CO-02", "a line is not JSON: "},
		{"floods-messages", "ping", report.Fail, "conduct", "the target floods its output: more than 504 messages or 1048576 bytes"},
		{"floods-without-line-ends", "ping", report.Fail, "CO-02", "a line is longer than 1048576 bytes"},
		{"invalid-message", "ping", report.Fail, "CO-02", "a line is not a valid message: "},
		{"wrong-id", "ping", report.Fail, "CO-04", `the response has the id "ping-1x", which no request had`},
		{"answers-twice", "ping", report.Fail, "CO-04", `1 requests had the id "ping-1", and this is response number 2 to it`},
		{"never-answers-again", "ping", report.Fail, "CO-03", `nothing came within STEP while waiting for {"type":"response","id":"ping-1",`},
		{"dies-in-the-middle", "ping", report.Fail, "CO-02", "the last line is not ended by a line feed"},
		{"never-answers-again", "observed", report.Fail, "CO-04", `no answer has come to the request "ping-1" (ping)`},
		{"answers-by-halves", "ping", report.Fail, "CO-03", `nothing came within STEP while waiting for {"type":"response","id":"ping-1","ok":true,"result":{"protocolVersion":1}}; it has written 14 bytes that no line feed ends: {"type":"respo`},
		{"closes-its-output", "ping", report.Fail, "CO-03", `nothing came within STEP while waiting for {"type":"response","id":"ping-1","ok":true,"result":{"protocolVersion":1}}; it has closed its standard output`},
		{"answers-no-cancel", "cancel", report.Fail, "CO-04", `no answer has come to the request "cancel-1" (run.cancel)`},
		{"kills-itself", "ping", report.Fail, "CO-03", "the target has ended (SIGKILL) while waiting for"},
		{"kills-itself", "observed", report.Fail, "conduct", "the target ended (SIGKILL) although nothing had asked it to"},
		{"kills-itself", "observed", report.Fail, "CO-04", `the target ended (SIGKILL) without an answer to the request "ping-1" (ping)`},
		{"dies-of-cancel", "cancel", report.Fail, "CO-04", `the target ended (exit status 3) without an answer to the request "cancel-1" (run.cancel)`},
		{"dies-of-cancel", "cancel", report.Fail, "conduct", "the target ended (exit status 3) although nothing had asked it to"},
		{"ends-by-a-signal", "ping", report.Fail, "conduct", "the target ended by SIGKILL, which the kit had not sent"},
		{"shuts-up-and-down", "stop", report.Fail, "CO-04", `the target ended (exit status 0) without an answer to the request "stop-1" (shutdown)`},
		{"leaks", "secret", report.Fail, "CO-48", "what the scenario calls $secret.key appears in standard error"},
		{"talks-after-terminal", "run", report.Fail, "CO-31", "run.text_delta came after the run run-2 had ended with run.done"},
		{"time-goes-back", "run", report.Warn, "CO-36", "the ts of run.done is "},
		{"exits-badly", "stop", report.Warn, "CO-75", "the target ended with exit status 9, expected is exit status 0"},
		{"talks-after-end", "ping", report.Fail, "CO-04", `the response has the id "nobody", which no request had`},
		{"ignores-end", "ping", report.Pass, "", ""},
		{"ignores-everything", "ping", report.Fail, "CO-02", "a line is not JSON: "},
	}
	for _, c := range cases {
		t.Run(c.mode+" "+c.requirement, func(t *testing.T) {
			t.Parallel()
			bounds := []time.Duration{long}
			if strings.HasPrefix(c.reason, "nothing came") || strings.HasPrefix(c.reason, "no answer") {
				bounds = rising
			}
			var r *report.Report
			var got report.Scenario
			found := false
			for _, step := range bounds {
				var err error
				if r, err = run(t, c.mode, c.scenario, step); err != nil {
					t.Fatal(err)
				}
				if got = r.Scenarios[0]; got.Verdict != c.verdict {
					t.Fatalf("the verdict is %s: %+v", got.Verdict, got.Failures)
				}
				if c.requirement == "" {
					return
				}
				reason := strings.Replace(c.reason, "within STEP", "within "+step.String(), 1)
				for _, f := range got.Failures {
					found = found || f.Requirement == c.requirement && strings.HasPrefix(f.Reason, reason)
				}
				if found {
					break
				}
			}
			if !found {
				t.Errorf("%s %q is missing: %+v", c.requirement, c.reason, got.Failures)
			}
			if got.Rerun.Value != "hallmark certify comitiva --run "+c.scenario || len(got.Exchange) == 0 {
				t.Errorf("rerun %q, %d entries", got.Rerun.Value, len(got.Exchange))
			}
			if err := hallmark.ValidateReport(r.AppendJSON(nil)); err != nil {
				t.Error(err)
			}
			for _, q := range r.Requirements {
				if q.ID == c.requirement && q.Verdict != c.verdict {
					t.Errorf("%s is judged %s", q.ID, q.Verdict)
				}
			}
		})
	}
}

func TestATargetThatIsNotThereIsToldApart(t *testing.T) {
	for mode, want := range map[string]string{
		"dies-at-once": "the target ended (exit status 7) before it answered",
		"silent":       "the target has not answered",
		"half":         `the target has not answered {"id":"hallmark-ready","type":"ping"} within START; it has written 6 bytes that no line feed ends: {"type`,
		"not-found":    "the target could not be started: ",
	} {
		tg := fakeTarget(t, mode)
		if mode == "not-found" {
			tg.Command = []string{filepath.Join(t.TempDir(), "nothing")}
		}
		bounds := []time.Duration{long}
		if mode == "silent" || mode == "half" {
			bounds = rising
		}
		var err error
		for _, tg.Bounds.Start = range bounds {
			_, err = load(t).Run(t.Context(), tg, conformance.Options{})
			if err != nil && strings.HasPrefix(err.Error(), strings.Replace(want, "START", tg.Bounds.Start.String(), 1)) {
				want = ""
				break
			}
		}
		var unreachable *engine.UnreachableError
		if want != "" || !errors.As(err, &unreachable) {
			t.Errorf("%s: %v", mode, err)
		}
		if mode == "dies-at-once" && !strings.Contains(err.Error(), "cannot open display") {
			t.Errorf("standard error is missing: %v", err)
		}
	}
}

func TestNothingThatATargetStartedIsLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orphans")
	tg := fakeTarget(t, "leaves-orphans")
	tg.Env = append(tg.Env, "ORPHANS="+file)
	r, err := load(t).Run(t.Context(), tg, conformance.Options{Pattern: "ping", Limits: limits})
	if err != nil || !report.Held(r) {
		t.Fatal(err, r)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(string(data))
	if len(pids) != 2*orphansEach { // of the probe, and of the scenario
		t.Errorf("%d processes were started", len(pids))
	}
	for _, field := range pids {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		if running(pid) {
			t.Errorf("process %d is still running", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// running tells whether the process is there and no mere zombie. A process that has been killed may take a moment.
func running(pid int) bool {
	limit := time.Now().Add(long)
	for time.Now().Before(limit) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return syscall.Kill(pid, 0) == nil && !errors.Is(err, os.ErrNotExist)
		}
		if at := strings.LastIndexByte(string(stat), ')'); strings.HasPrefix(string(stat)[at+1:], " Z") {
			return false
		}
	}
	return true
}

func TestScenariosAreSkippedWithAReason(t *testing.T) {
	tg := fakeTarget(t, "")
	tg.Features = nil
	r, err := load(t).Run(t.Context(), tg, conformance.Options{Pattern: "run,ping"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Scenarios {
		if s.ID == "run" && (s.Verdict != report.Skip || s.Reason.Value != "the target does not provide runs") {
			t.Errorf("%s: %s %s", s.ID, s.Verdict, s.Reason.Value)
		}
	}
	if r.Summary.Skipped != 1 || r.Summary.Passed != 1 {
		t.Errorf("%+v", r.Summary)
	}
}

func TestFindChoosesScenarios(t *testing.T) {
	s := load(t)
	for pattern, want := range map[string]string{
		"": "any-order cancel observed ping run secret stop", "ping": "ping", "co-75": "cancel observed stop", "s*": "secret stop", "r": "any-order observed run secret", "ping, stop": "ping stop",
	} {
		found, err := s.Find(pattern)
		if err != nil {
			t.Error(err)
		}
		var ids []string
		for _, f := range found {
			ids = append(ids, f.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q: %s", pattern, got)
		}
	}
	for pattern, want := range map[string]string{
		"pnig": "no scenario or requirement is called pnig; did you mean ping?", "CO-79": "no scenario decides CO-79", "[": "the pattern [ is malformed",
	} {
		var usage *conformance.UsageError
		if _, err := s.Find(pattern); !errors.As(err, &usage) || err.Error() != want {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}

func TestInterruptedRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tg := fakeTarget(t, "never-answers-again")
	_, err := load(t).Run(ctx, tg, conformance.Options{Progress: started(cancel)})
	if !errors.Is(err, context.Canceled) || err.Error() != "interrupted; 0 of 7 scenarios were decided" {
		t.Error(err)
	}
}

// started cancels as soon as a scenario has begun.
type started context.CancelFunc

func (started) Total(int)                 {}
func (s started) Started(string)          { s() }
func (started) Finished(*report.Scenario) {}

func TestPatienceStretchesEveryBoundOfWaiting(t *testing.T) {
	files := fixtures()
	files["comitiva/scenarios/step.yaml"] = &fstest.MapFile{Data: []byte(`
title: A step with a bound, in a block
role: runner
decides: [CO-03]
fault: x
steps:
  - in order:
      - send: { id: $new.ping, type: ping }
      - expect: { type: response, id: $ping }
        within: 20ms
`)}
	files["comitiva/scenarios/whole.yaml"] = &fstest.MapFile{Data: []byte(`
title: A scenario with a bound
role: runner
decides: [CO-03]
fault: x
within: 30ms
steps:
  - send: { id: $new.ping, type: ping }
  - expect: { type: response, id: $ping }
    within: 1m
`)}
	s, err := conformance.Load(files, "fixtures", "comitiva", nil)
	if err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string][2]string{
		"step":  {"nothing came within 20ms", "nothing came within 50ms"},
		"whole": {"the scenario was not over within 30ms", "the scenario was not over within 75ms"},
		"ping":  {"nothing came within 100ms", "nothing came within 250ms"},
	} {
		for i, patience := range []float64{0, 2.5} {
			tg := fakeTarget(t, "never-answers-again")
			tg.Bounds.Step = 100 * time.Millisecond
			r, err := s.Run(t.Context(), tg, conformance.Options{Pattern: pattern, Limits: limits, Patience: patience})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Scenarios[0].Failures; len(got) == 0 || !strings.HasPrefix(got[0].Reason, want[i]) {
				t.Errorf("%s, patience %v: %+v", pattern, patience, got)
			}
		}
	}
}

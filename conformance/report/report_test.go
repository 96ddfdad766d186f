package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample is a report with everything in it.
func sample() *Report {
	failure := Failure{
		Requirement: "CO-41", Level: hallmark.LevelMUST, Sentence: "Cancel closes the connection.", Reason: "the next message is not the one expected",
		File: wire.Some("fixtures/comitiva/scenarios/cancel.yaml"), Line: wire.Some(int64(12)), Column: wire.Some(int64(5)),
		Step:        wire.Some(`{"expect":{"runId":"$run","type":"run.done"}}`),
		Message:     wire.Some("{\"type\":\"run.error\",\"message\":\"\x1b[31mred\"}"),
		Differences: []Difference{{Pointer: "/type", Wanted: `"run.done"`, Got: `"run.error"`}, {Pointer: "", Wanted: "an object", Got: "[]"}},
	}
	exchange := []Entry{
		{Seconds: 0.001, Direction: hallmark.ExchangeDirectionProcess, Text: "the kit starts the target"},
		{Seconds: 0.012, Direction: hallmark.ExchangeDirectionSent, Text: `{"id":"start-1","type":"run.start"}`},
		{Seconds: 0.02, Direction: hallmark.ExchangeDirectionObserved, Text: `model: {"event":"request"}`},
		{Seconds: 0.5, Direction: hallmark.ExchangeDirectionReceived, Text: `{"type":"run.error"}`},
		{Seconds: 0.55, Direction: hallmark.ExchangeDirectionReceived, Text: `{"type":"run.error"}`},
		{Seconds: 0.6, Direction: hallmark.ExchangeDirectionStderr, Text: "panic:\nnil"},
	}
	return &Report{
		Summary:  Summary{Scenarios: 4, Requirements: 3, Passed: 1, Failed: 1, Warned: 1, Skipped: 1, Seconds: 1.25},
		Protocol: "comitiva", Suite: strings.Repeat("ab", 32),
		Target: Target{Name: "My runner", Version: wire.Some("1.2"), Role: "runner", Command: []string{"runner"}},
		Requirements: []Requirement{
			{ID: "CO-03", Level: hallmark.LevelMUST, Basis: hallmark.BasisKindProse, Sentence: "Ping is answered.", Verdict: Pass, Scenarios: []string{"ping"}},
			{ID: "CO-41", Level: hallmark.LevelMUST, Basis: hallmark.BasisKindProse, Sentence: "Cancel closes the connection.", Verdict: Fail, Scenarios: []string{"cancel"}},
			{ID: "CO-79", Level: hallmark.LevelSHOULD, Basis: hallmark.BasisKindObserved, Sentence: "No codes of the shell.", Verdict: Warn, Scenarios: []string{"codes"}},
			{ID: "CO-70", Level: hallmark.LevelMUST, Basis: hallmark.BasisKindProse, Sentence: "Agents run.", Verdict: Skip, Reason: wire.Some("the target does not provide claude-code")},
		},
		Scenarios: []Scenario{
			{ID: "cancel", Title: "Cancelling ends a run", Verdict: Fail, Seconds: 0.7, Decides: []string{"CO-41"}, Failures: []Failure{failure}, Exchange: exchange, Rerun: wire.Some("hallmark certify comitiva --run cancel")},
			{ID: "codes", Title: "Codes", Verdict: Warn, Seconds: 0.1, Decides: []string{"CO-79"}, Failures: []Failure{{
				Requirement: "CO-79", Level: hallmark.LevelSHOULD, Sentence: "No codes of the shell.", Reason: "the code interrupted belongs to the shell"}}},
			{ID: "agent", Title: "An agent runs", Verdict: Skip, Reason: wire.Some("the target does not provide claude-code"), Decides: []string{"CO-70"}},
			{ID: "ping", Title: "Ping", Verdict: Pass, Seconds: 0.05, Decides: []string{"CO-03"}},
		},
	}
}

func TestReportsReadAsRecorded(t *testing.T) {
	for name, write := range map[string]func(*bytes.Buffer) error{
		"report.txt":        func(b *bytes.Buffer) error { return WriteText(b, sample(), false) },
		"report-colour.txt": func(b *bytes.Buffer) error { return WriteText(b, sample(), true) },
		"report.json":       func(b *bytes.Buffer) error { return WriteJSON(b, sample()) },
		"report.xml":        func(b *bytes.Buffer) error { return WriteJUnit(b, sample()) },
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s differs (run with -update after checking):\n%s", name, d)
		}
	}
}

func TestJSONBeginsWithTheSummaryAndIsValid(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, sample()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "{\n  \"summary\": {\n    \"scenarios\": 4,") {
		t.Errorf("it begins with %.60s", b.String())
	}
	var again hallmark.Report
	if err := json.Unmarshal(b.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sample(), &again); d != "" {
		t.Error(d)
	}
}

func TestJUnitIsXMLWhateverATargetSays(t *testing.T) {
	r := sample()
	r.Scenarios[0].Failures[0].Reason = "\x00\x1b]]>&\xff\uFFFE"
	var b bytes.Buffer
	if err := WriteJUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&b)
	for {
		if _, err := d.Token(); err != nil {
			if err.Error() != "EOF" {
				t.Error(err)
			}
			return
		}
	}
}

func TestTheHeadlineSaysWhatWarned(t *testing.T) {
	for want, s := range map[string]Summary{
		": comitiva runner holds\n": {Passed: 4}, ": comitiva runner holds, with 1 warning\n": {Passed: 3, Warned: 1},
		": comitiva runner holds, with 2 warnings\n": {Warned: 2}, ": comitiva runner does not hold\n": {Failed: 1, Warned: 2},
	} {
		r := sample()
		r.Summary = s
		var b strings.Builder
		if err := WriteText(&b, r, false); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%v %s is missing in\n%s", err, want, b.String())
		}
	}
}

func TestTheEndNamesEveryRequirementThatDidNotHoldOnce(t *testing.T) {
	r := sample()
	one := r.Scenarios[0]
	one.Failures = append(one.Failures, Failure{Requirement: "conduct", Reason: "the target floods its output"})
	r.Scenarios = nil
	for _, id := range []string{"a", "b", "c", "d"} {
		one.ID = id
		r.Scenarios = append(r.Scenarios, one)
	}
	var b strings.Builder
	if err := WriteText(&b, r, false); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	want := []string{
		"fail  CO-41 in 4 scenarios (a, b, c, …): the next message is not the one expected",
		"fail  conduct in 4 scenarios (a, b, c, …): the target floods its output", "",
	}
	if got := lines[len(lines)-5 : len(lines)-2]; cmp.Diff(want, got) != "" {
		t.Error(cmp.Diff(want, got))
	}
}

func TestATargetCannotSteerTheTerminal(t *testing.T) {
	var b bytes.Buffer
	if err := WriteText(&b, sample(), false); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(b.String(), '\x1b') {
		t.Error("an escape character of the target is printed")
	}
}

func TestProgressRewritesOneLineOnATerminal(t *testing.T) {
	var b bytes.Buffer
	p := NewProgress(&b, true)
	p.Total(1)
	p.Started("ping")
	p.Finished(&Scenario{ID: "ping", Verdict: Fail})
	p.Close()
	if got := b.String(); strings.Contains(got, "\n") || !strings.Contains(got, "1/1 scenarios, 1 failed") || !strings.HasSuffix(got, " \r") {
		t.Errorf("%q", got)
	}
}

func TestProgressIsQuietElsewhereWhileThingsAreQuick(t *testing.T) {
	var b bytes.Buffer
	p := NewProgress(&b, false)
	p.Total(1)
	p.Started("ping")
	p.Finished(&Scenario{ID: "ping", Verdict: Pass})
	p.Close()
	if b.Len() > 0 {
		t.Errorf("%q", b.String())
	}
	p.told = p.told.Add(-2 * quiet)
	p.Started("run")
	if got := b.String(); !strings.HasPrefix(got, "1/1 scenarios, 0 failed") || !strings.HasSuffix(got, "running: run\n") {
		t.Errorf("%q", got)
	}
}

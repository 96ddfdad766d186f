package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance"
	"github.com/hallmark-kit/hallmark/conformance/report"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver"
)

// The suite is worth something only if it can fail. Every scenario passes on the reference implementation, is not met
// (for a requirement that it decides) when the reference shows the scenario's fault, and passes again without it.
func TestEveryScenarioPassesAndIsNotMetUnderItsFault(t *testing.T) {
	for protocol, all := range references {
		for _, role := range all.roles() {
			t.Run(protocol+" "+role, func(t *testing.T) {
				t.Parallel()
				proveFaults(t, protocol, role)
			})
		}
	}
}

func proveFaults(t *testing.T, protocol, role string) {
	suite, err := loadSuite(protocol, "")
	if err != nil {
		t.Fatal(err)
	}
	suite.Scenarios = slices.DeleteFunc(slices.Clone(suite.Scenarios), func(s *scenario.Scenario) bool { return s.Role != role })
	reference, _ := references[protocol].as(role)
	hallmark, err := exec.LookPath("hallmark")
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, pattern, fault string, without []string, parallel int, patience float64) *report.Report {
		t.Helper()
		target, err := referenceTarget(protocol, role, []string{hallmark})
		if err != nil {
			t.Fatal(err)
		}
		if serve := inside[protocol]; serve != nil && role == "host" && pattern != "" {
			url, stop := serve(t, fault, without)
			defer stop()
			target.Command, target.URL = nil, url
		}
		if flag := reference.without; flag != "" && target.URL == "" {
			for _, feature := range without {
				target.Command = append(target.Command, flag, feature)
			}
		}
		if fault != "" && target.URL == "" {
			target.Command = append(target.Command, "--fault", fault)
		}
		if fault != "" {
			target.Bounds.Step = 3 * time.Second // what faults take that leave out an answer
		}
		r, err := suite.Run(context.Background(), target, conformance.Options{
			Pattern: pattern, Kit: []string{hallmark}, Parallel: parallel, Patience: patience})
		if err != nil {
			t.Error(err)
			return &report.Report{Scenarios: make([]report.Scenario, 1)}
		}
		return r
	}
	alone := map[string]bool{} // left out of the runs of the whole suite
	for _, s := range suite.Scenarios {
		alone[s.ID] = s.Slow || len(s.Without) > 0
	}
	passes := func(t *testing.T, r *report.Report) {
		t.Helper()
		for _, s := range r.Scenarios {
			leftOut := s.Verdict == report.Skip && len(r.Scenarios) > 1 && alone[s.ID]
			if s.Verdict != report.Pass && !leftOut {
				t.Errorf("%s on the reference without a fault: %s %v", s.ID, s.Verdict, reasons(&s))
			}
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(suite.Scenarios), func(s *scenario.Scenario) bool { return s.Slow && testing.Short() })
	slices.SortStableFunc(chosen, func(a, b *scenario.Scenario) int { // the slow ones first: the others go on beside them
		return cmp.Compare(fmt.Sprint(b.Slow), fmt.Sprint(a.Slow))
	})
	passes(t, run(t, "", "", nil, 0, patient))
	// Most of the time is spent waiting for what a fault leaves out, so many run side by side.
	var workers sync.WaitGroup
	slots := make(chan struct{}, 12)
	work := func(do func()) {
		slots <- struct{}{}
		workers.Go(func() {
			defer func() { <-slots }()
			do()
		})
	}
	for _, s := range chosen {
		if alone[s.ID] {
			work(func() { passes(t, run(t, s.ID, "", s.Without, 1, patient)) })
		}
		work(func() {
			problem := ""
			for _, patience := range []float64{1, 1, 4, patient} {
				got := run(t, s.ID, s.Fault, s.Without, 1, patience).Scenarios[0]
				if problem = unnoticed(s, &got); problem == "" {
					return
				}
				t.Logf("patience %v: %s", patience, problem)
			}
			t.Error(problem)
		})
	}
	workers.Wait()
	passes(t, run(t, "", "", nil, 0, patient))
}

// patient is how many times as long a scenario may take as its bounds say: on a loaded machine the reference may be
// late, and what a fault does, or another message before it, may come when the scenario no longer listens. One run that
// notices the fault proves that the scenario can fail.
const patient = 20

// unnoticed says why a run of a scenario under its fault does not prove that the scenario notices it, or "".
func unnoticed(s *scenario.Scenario, got *report.Scenario) string {
	switch {
	case got.Verdict != report.Fail && got.Verdict != report.Warn:
		return fmt.Sprintf("%s under the fault %s: the verdict is %s", s.ID, s.Fault, got.Verdict)
	case !slices.ContainsFunc(got.Failures, func(f report.Failure) bool { return slices.Contains(s.Decides, f.Requirement) }):
		return fmt.Sprintf("%s under the fault %s is not met, but for another reason than %v: %v", s.ID, s.Fault, s.Decides, reasons(got))
	}
	return ""
}

// inside are the reference implementations that serve a URL: for one scenario they are started inside this process,
// which takes a tenth of the time that a process of its own takes.
var inside = map[string]func(t *testing.T, fault string, without []string) (url string, stop func()){
	"agenticdriver": func(t *testing.T, fault string, without []string) (string, func()) {
		ctx, cancel := context.WithCancel(context.Background())
		out, in := io.Pipe()
		var log strings.Builder
		ended := make(chan int, 1)
		go func() {
			code := agenticdriver.Main(ctx, agenticdriver.Options{
				Listen: "127.0.0.1:0", Fault: fault, Without: without, Stdin: strings.NewReader(""), Stdout: in, Stderr: &log})
			_ = in.Close()
			ended <- code
		}()
		var bound struct{ URL string }
		if err := json.NewDecoder(out).Decode(&bound); err != nil {
			cancel()
			<-ended
			t.Errorf("the host with the fault %q does not serve: %v %s", fault, err, log.String())
		}
		return bound.URL, func() {
			cancel()
			<-ended
		}
	},
}

func reasons(s *report.Scenario) []string {
	var out []string
	for _, f := range s.Failures {
		out = append(out, f.Requirement+": "+f.Reason)
	}
	return out
}

// A fault that no scenario notices proves nothing.
func TestEveryFaultIsNoticedByAScenario(t *testing.T) {
	for protocol := range references {
		suite, err := loadSuite(protocol, "")
		if err != nil {
			t.Fatal(err)
		}
		used := map[string]bool{}
		for _, s := range suite.Scenarios {
			used[s.Fault] = true
		}
		for _, id := range faultIDs(protocol) {
			if !used[id] {
				t.Errorf("%s: no scenario names the fault %s", protocol, id)
			}
		}
	}
}

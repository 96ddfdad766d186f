package report

import (
	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
)

// Verdict is what came of a scenario or a requirement.
type Verdict string

// The verdicts.
const (
	Pass Verdict = "pass"
	Fail Verdict = "fail"
	Warn Verdict = "warn" // it did not hold, but is not binding: observed only, or what SHOULD be
	Skip Verdict = "skip" // not decided; there is a reason
)

// Report is what came of a run. Its JSON form is described by schemas/hallmark/report.json.
type Report struct {
	Summary      Summary       `json:"summary"`
	Protocol     string        `json:"protocol"`
	Suite        string        `json:"suite"` // sha256 of everything that decides: requirements, scenarios, documents
	Target       Target        `json:"target"`
	Requirements []Requirement `json:"requirements"`
	Scenarios    []Scenario    `json:"scenarios"`
}

// Summary counts. passed, failed, warned and skipped are scenarios.
type Summary struct {
	Scenarios    int     `json:"scenarios"`
	Requirements int     `json:"requirements"` // that were decided
	Passed       int     `json:"passed"`
	Failed       int     `json:"failed"`
	Warned       int     `json:"warned"`
	Skipped      int     `json:"skipped"`
	Seconds      float64 `json:"seconds"`
}

// Target is who was tested.
type Target struct {
	Name    string   `json:"name"`
	Version string   `json:"version,omitempty"`
	Role    string   `json:"role"`
	Command []string `json:"command,omitempty"`
}

// Requirement is the verdict on one requirement.
type Requirement struct {
	ID        string   `json:"id"`
	Level     string   `json:"level"`
	Basis     string   `json:"basis"`
	Sentence  string   `json:"sentence"`
	Verdict   Verdict  `json:"verdict"`
	Reason    string   `json:"reason,omitempty"`    // of skip
	Scenarios []string `json:"scenarios,omitempty"` // that decided it; for fail and warn those it failed in
}

// Scenario is the verdict on one scenario.
type Scenario struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Verdict  Verdict   `json:"verdict"`
	Reason   string    `json:"reason,omitempty"` // of skip
	Seconds  float64   `json:"seconds"`
	Decides  []string  `json:"decides"`
	Failures []Failure `json:"failures,omitempty"`
	// Exchange is what happened, given when something did not hold.
	Exchange []transcript.Entry `json:"exchange,omitempty"`
	Rerun    string             `json:"rerun,omitempty"` // command that runs it alone
}

// Failure is one thing that did not hold.
type Failure struct {
	Requirement string             `json:"requirement"`
	Level       string             `json:"level"`
	Sentence    string             `json:"sentence"`
	Reason      string             `json:"reason"`
	File        string             `json:"file,omitempty"` // of the step
	Line        int                `json:"line,omitempty"`
	Column      int                `json:"column,omitempty"`
	Step        string             `json:"step,omitempty"`    // as it was written, as JSON
	Message     string             `json:"message,omitempty"` // the message it is about, shortened
	Differences []match.Difference `json:"differences,omitempty"`
}

// Held tells whether the target conforms: nothing binding failed.
func (r *Report) Held() bool { return r.Summary.Failed == 0 }

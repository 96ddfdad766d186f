package report

import "github.com/hallmark-kit/hallmark/gen/protocol/hallmark"

// The parts of a report. Their JSON form is described by schemas/hallmark/report.json, from which they are generated.
type (
	Report      = hallmark.Report
	Summary     = hallmark.ReportSummary
	Target      = hallmark.ReportTarget
	Requirement = hallmark.RequirementVerdict
	Scenario    = hallmark.ScenarioVerdict
	Failure     = hallmark.Failure
	Difference  = hallmark.Difference
	Entry       = hallmark.ExchangeEntry
	Verdict     = hallmark.Verdict
)

// The verdicts.
const (
	Pass = hallmark.VerdictPass
	Fail = hallmark.VerdictFail
	Warn = hallmark.VerdictWarn // it did not hold, but is not binding: observed only, or what SHOULD be
	Skip = hallmark.VerdictSkip // not decided; there is a reason
)

// Held tells whether the target conforms: nothing binding failed.
func Held(r *Report) bool { return r.Summary.Failed == 0 }

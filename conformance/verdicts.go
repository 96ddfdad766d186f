package conformance

import (
	"slices"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/report"
	"github.com/hallmark-kit/hallmark/conformance/requirement"
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// optional is text that is left out when it is empty.
func optional(text string) wire.Opt[string] { return wire.Opt[string]{Value: text, Set: text != ""} }

// report puts results together.
func (s *Suite) report(t *target.Target, results []result, strict bool, began time.Time) *report.Report {
	out := &report.Report{
		Protocol: s.Protocol.Name, Suite: s.Digest,
		Target: report.Target{Name: t.Name, Version: optional(t.Version), Role: t.Role, Command: t.Command, URL: optional(t.URL)},
	}
	for _, r := range results {
		out.Scenarios = append(out.Scenarios, r.report)
		if m := r.report.NearMisses; m != nil {
			if out.Summary.NearMisses == nil {
				out.Summary.NearMisses = &hallmark.NearMisses{Seed: m.Seed}
			}
			out.Summary.NearMisses.Tried += m.Tried
			out.Summary.NearMisses.Rules += m.Rules
		}
		switch r.report.Verdict {
		case report.Pass:
			out.Summary.Passed++
		case report.Fail:
			out.Summary.Failed++
		case report.Warn:
			out.Summary.Warned++
		case report.Skip:
			out.Summary.Skipped++
		}
	}
	standing := s.Protocol.Roles[t.Role].Standing
	for _, q := range s.Requirements.Requirements {
		if q.Role != t.Role {
			continue
		}
		verdict, concerned := s.verdict(q, results, slices.Contains(standing, q.ID) && (!q.Feature.Set || t.Provides(q.Feature.Value)), strict)
		if !concerned {
			continue
		}
		if verdict.Verdict != report.Skip {
			out.Summary.Requirements++
		}
		out.Requirements = append(out.Requirements, verdict)
	}
	out.Summary.Scenarios = int64(len(results))
	out.Summary.Seconds = time.Since(began).Seconds()
	return out
}

// verdict judges one requirement over all scenarios that decide it; a standing one is decided by every scenario that
// ran. concerned is false when no scenario of the run has to do with it.
func (s *Suite) verdict(q *requirement.Requirement, results []result, standing, strict bool) (v report.Requirement, concerned bool) {
	v = report.Requirement{ID: q.ID, Level: q.Level, Basis: q.Basis.Kind, Sentence: q.Sentence, Verdict: report.Skip}
	var (
		broke, held []string
		none        wire.Opt[string]
	)
	holds := false
	for _, r := range results {
		decides := slices.Contains(r.scenario.Decides, q.ID)
		switch {
		case r.charged[q.ID]:
			broke = append(broke, r.scenario.ID)
		case decides && r.completed:
			holds = true
			held = append(held, r.scenario.ID)
		case standing && r.ran:
			holds = true
		case decides && !r.ran:
			v.Reason = r.report.Reason
		case decides && !v.Reason.Set:
			v.Reason = wire.Some("the scenario " + r.scenario.ID + " ended before it was decided")
		default:
			continue
		}
		concerned = true
	}
	switch {
	case len(broke) > 0 && q.Binding(strict):
		v.Verdict, v.Scenarios, v.Reason = report.Fail, broke, none
	case len(broke) > 0:
		v.Verdict, v.Scenarios, v.Reason = report.Warn, broke, none
	case holds:
		v.Verdict, v.Scenarios, v.Reason = report.Pass, held, none
	}
	return v, concerned
}

package drift

import (
	"encoding/json"
	"io"
	"path/filepath"
)

// The parts of SARIF 2.1.0 that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Full  sarifText `json:"fullDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties,omitempty"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// WriteSARIF writes the report in the Static Analysis Results Interchange Format
// 2.1.0.
func WriteSARIF(w io.Writer, r *Report) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "hallmark drift", InformationURI: "https://github.com/hallmark-kit/hallmark"}}, Results: []sarifResult{}}
	for _, rule := range Rules() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{rule.ID, sarifText{rule.Title}, sarifText{rule.Explain}})
	}
	location := func(p *Place) sarifLocation {
		l := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{filepath.ToSlash(p.File)}}}
		if p.Line > 0 {
			l.Physical.Region = &sarifRegion{p.Line, p.Column}
		}
		return l
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		result := sarifResult{
			RuleID: f.Rule, Level: map[Class]string{Breaking: "error", Undecided: "warning", Risky: "warning", Compatible: "note"}[f.Class],
			Message:      sarifText{f.Summary + ": " + f.Reason},
			Fingerprints: map[string]string{"hallmark/v1": f.ID},
			Properties:   map[string]any{"class": f.Class, "reach": f.Reach},
		}
		main, other := f.New, f.Old
		if main == nil {
			main, other = f.Old, nil
		}
		result.Locations = []sarifLocation{location(main)}
		if other != nil {
			l := location(other)
			l.ID, l.Message = 1, &sarifText{"the old version"}
			result.Related = []sarifLocation{l}
		}
		for i := range f.Also {
			l := location(&f.Also[i])
			l.ID, l.Message = len(result.Related)+1, &sarifText{"the same change here"}
			result.Related = append(result.Related, l)
		}
		if f.Witness != nil {
			result.Message.Text += "\n" + f.Witness.Message + "\nrefused by the " + f.Witness.RefusedBy + " version: " + refusalText(f.Witness)
			result.Properties["witness"] = f.Witness
		}
		if f.Ignored != nil {
			result.Suppressions = []sarifSuppression{{"external", f.Ignored.Reason}}
		}
		run.Results = append(run.Results, result)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

package drift

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Ignore is an entry of an ignore file: a finding that is known and accepted, for
// a reason and until a day.
type Ignore struct {
	ID      string `yaml:"id"`      // fingerprint of the finding
	Rule    string `yaml:"rule"`    // or: all findings of a rule ...
	Pointer string `yaml:"pointer"` // ... at a place of the old or new document
	Reason  string `yaml:"reason"`
	Expires string `yaml:"expires"` // the last day, as 2006-01-02
	at      string // where the entry is, for messages
}

// ParseIgnores reads an ignore file: a YAML list of entries. Errors name the file
// and the line.
func ParseIgnores(name string, data []byte) ([]Ignore, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	var list []Ignore
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	for i := range list {
		e := &list[i]
		e.at = fmt.Sprintf("%s: entry %d", name, i+1)
		if entries, ok := file.Docs[0].Body.(*ast.SequenceNode); ok && i < len(entries.Values) {
			e.at = fmt.Sprintf("%s:%d", name, entries.Values[i].GetToken().Position.Line)
		}
		switch {
		case e.ID == "" && (e.Rule == "" || e.Pointer == ""):
			return nil, fmt.Errorf("%s: give the finding's id, or rule and pointer", e.at)
		case e.Reason == "":
			return nil, fmt.Errorf("%s: the reason is missing: say why this finding may be ignored", e.at)
		case e.Expires == "":
			return nil, fmt.Errorf("%s: expires is missing: give the last day the entry holds, as 2006-01-02", e.at)
		}
		if _, known := Explain(e.Rule); e.Rule != "" && !known {
			return nil, fmt.Errorf("%s: there is no rule %q; 'hallmark drift --rules' lists them", e.at, e.Rule)
		}
		if _, err := time.Parse(time.DateOnly, e.Expires); err != nil {
			return nil, fmt.Errorf("%s: expires must be a day such as 2006-01-02, not %q", e.at, e.Expires)
		}
	}
	return list, nil
}

// matches tells whether an entry is about a finding.
func (e *Ignore) matches(f *Finding) bool {
	if e.ID != "" {
		return e.ID == f.ID
	}
	at := func(p *Place) bool { return p != nil && p.name() == e.Pointer }
	return e.Rule == f.Rule && (at(f.Old) || at(f.New))
}

// Ignore marks the findings that entries accept. It returns what is wrong with
// entries: those that match nothing, and those that no longer hold.
func (r *Report) Ignore(list []Ignore, today time.Time) (problems []string) {
	for _, e := range list {
		last, _ := time.Parse(time.DateOnly, e.Expires)
		used := false
		expired := today.After(last.AddDate(0, 0, 1))
		for i := range r.Findings {
			f := &r.Findings[i]
			if !e.matches(f) {
				continue
			}
			used = true
			if !expired {
				f.Ignored = &Ignored{Reason: e.Reason, Expires: e.Expires}
			}
		}
		name := e.ID
		if name == "" {
			name = e.Rule + " at " + e.Pointer
		}
		switch {
		case !used:
			problems = append(problems, fmt.Sprintf("%s: %s matches no finding: remove it", e.at, name))
		case expired:
			problems = append(problems, fmt.Sprintf("%s: %s expired on %s: decide again", e.at, name, e.Expires))
		}
	}
	r.finish()
	return problems
}

// FailOn is what makes a comparison fail.
type FailOn string

// The choices.
const (
	FailBreaking  FailOn = "breaking"  // a finding is breaking
	FailUndecided FailOn = "undecided" // or undecided
	FailRisky     FailOn = "risky"     // or risky
	FailAny       FailOn = "any"       // there is any finding
)

// Fails tells whether the report fails. At level strict risky findings count as
// breaking ones.
func (r *Report) Fails(on FailOn) bool {
	c := r.Counts
	if c.Breaking > 0 || r.Level == Strict && c.Risky > 0 {
		return true
	}
	switch on {
	case FailUndecided:
		return c.Undecided > 0
	case FailRisky:
		return c.Undecided+c.Risky > 0
	case FailAny:
		return c.Undecided+c.Risky+c.Compatible > 0
	}
	return false
}

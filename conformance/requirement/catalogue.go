package requirement

import (
	"io/fs"
	"slices"

	"github.com/hallmark-kit/hallmark/conformance/document"
	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/source"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// Requirement is one sentence an implementation is held to.
type Requirement struct {
	ID       string `json:"id"`
	Level    string `json:"level"` // MUST, SHOULD or MAY
	Role     string `json:"role"`
	Feature  string `json:"feature"` // "" when it binds everybody
	Sentence string `json:"sentence"`
	Basis    Basis  `json:"basis"`
}

// Basis is where a requirement comes from.
type Basis struct {
	Kind     string `json:"kind"` // document, prose or observed
	Source   string `json:"source"`
	Inferred bool   `json:"inferred"` // concluded, not read; no firmer than what was observed
}

// Binding tells whether an implementation that does not hold the requirement fails; otherwise it is warned. strict
// makes what SHOULD be so binding. What was only observed never is.
func (r *Requirement) Binding(strict bool) bool {
	if r.Basis.Kind == "observed" || r.Basis.Inferred {
		return false
	}
	return r.Level == "MUST" || strict && r.Level == "SHOULD"
}

// Catalogue is all requirements of a protocol.
type Catalogue struct {
	Protocol     string
	Requirements []*Requirement    // in the order of the file
	Features     map[string]string // name to sentence
	Values       map[string]string // values scenarios ask of a target: name to sentence

	byID map[string]*Requirement
}

// Get returns a requirement, nil when there is none.
func (c *Catalogue) Get(id string) *Requirement { return c.byID[id] }

// IDs lists all ids in the order of the file.
func (c *Catalogue) IDs() []string {
	ids := make([]string, len(c.Requirements))
	for i, r := range c.Requirements {
		ids[i] = r.ID
	}
	return ids
}

// FeatureNames lists the features in alphabetical order.
func (c *Catalogue) FeatureNames() []string { return sortedKeys(c.Features) }

// ValueNames lists the values in alphabetical order.
func (c *Catalogue) ValueNames() []string { return sortedKeys(c.Values) }

func sortedKeys(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Load reads name from fsys. shown is how the file is called in errors, which are of type source.Errors.
func Load(fsys fs.FS, name, shown string, p *protocol.Protocol) (*Catalogue, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	file, err := source.Parse(shown, data)
	if err != nil {
		return nil, err
	}
	if errs := document.Check(document.Requirements, file); len(errs) > 0 {
		return nil, errs
	}
	c := &Catalogue{byID: make(map[string]*Requirement)}
	if err := document.Decode(file, c); err != nil {
		return nil, err
	}
	if errs := c.check(file, p); len(errs) > 0 {
		return nil, errs
	}
	return c, nil
}

func (c *Catalogue) check(file *source.Document, p *protocol.Protocol) source.Errors {
	var errs source.Errors
	wrong := func(at, format string, args ...any) { errs = append(errs, file.Errorf(at, format, args...)) }
	if c.Protocol != p.Name {
		wrong("/protocol", "the protocol %s is expected", p.Name)
	}
	var roles []string
	for r := range p.Roles {
		roles = append(roles, r)
	}
	for i, r := range c.Requirements {
		at := value.JoinIndex("/requirements", i)
		if c.byID[r.ID] != nil {
			wrong(at+"/id", "%s is declared twice", r.ID)
		}
		c.byID[r.ID] = r
		if r.Feature != "" && c.Features[r.Feature] == "" {
			wrong(at+"/feature", "%s is not among the features of this file%s", r.Feature, nearest.Suggestion(r.Feature, c.FeatureNames()))
		}
	}
	for _, role := range roles {
		for _, id := range p.Roles[role].Standing {
			if c.byID[id] == nil {
				wrong("/requirements", "%s is missing: every conversation with a %s is held to it", id, role)
			}
		}
	}
	errs.Sort()
	return errs
}

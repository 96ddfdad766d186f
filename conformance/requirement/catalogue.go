package requirement

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/hallmark-kit/hallmark/conformance/document"
	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/source"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Requirement is one sentence an implementation is held to.
type Requirement hallmark.Requirement

// Binding tells whether an implementation that does not hold the requirement fails; otherwise it is warned. strict
// makes what SHOULD be so binding. What was only observed or inferred never is.
func (r *Requirement) Binding(strict bool) bool {
	if r.Basis.Kind == hallmark.BasisKindObserved || r.Basis.Inferred.Value {
		return false
	}
	return r.Level == hallmark.LevelMUST || strict && r.Level == hallmark.LevelSHOULD
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

func named(m wire.Map[string]) map[string]string {
	out := make(map[string]string, len(m))
	for _, e := range m {
		out[e.Name] = e.Value
	}
	return out
}

func sortedKeys(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Load reads name from fsys. shown is how the file is called in errors, which are of type source.Errors. schemas holds
// the documents that requirements point into, a folder for each protocol.
func Load(fsys fs.FS, name, shown string, schemas fs.FS, p *protocol.Protocol) (*Catalogue, error) {
	data, err := source.ReadFile(fsys, name, shown)
	if err != nil {
		return nil, err
	}
	file, err := source.Parse(shown, data)
	if err != nil {
		return nil, err
	}
	if errs := document.Check("Requirements", file); len(errs) > 0 {
		return nil, errs
	}
	written, err := hallmark.DecodeRequirements(file.JSON)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	c := &Catalogue{
		Protocol: written.Protocol, Features: named(written.Features), Values: named(written.Values),
		byID: make(map[string]*Requirement),
	}
	for _, r := range written.Requirements {
		one := Requirement(r)
		c.Requirements = append(c.Requirements, &one)
	}
	if errs := append(c.check(file, p), c.checkPlaces(file, schemas)...); len(errs) > 0 {
		errs.Sort()
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
	for i, r := range c.Requirements {
		at := value.JoinIndex("/requirements", i)
		if c.byID[r.ID] != nil {
			wrong(at+"/id", "%s is declared twice", r.ID)
		}
		c.byID[r.ID] = r
		if feature, ok := r.Feature.Get(); ok && c.Features[feature] == "" {
			wrong(at+"/feature", "%s is not among the features of this file%s", feature, nearest.Suggestion(feature, c.FeatureNames()))
		}
		if !slices.Contains(p.RoleNames, r.Role) {
			wrong(at+"/role", "the protocol has no role %s%s", r.Role, nearest.Suggestion(r.Role, p.RoleNames))
		}
	}
	for role, rules := range p.Roles {
		for _, id := range rules.Standing {
			if c.byID[id] == nil {
				wrong("/requirements", "%s is missing: every conversation with a %s is held to it", id, role)
			}
		}
	}
	return errs
}

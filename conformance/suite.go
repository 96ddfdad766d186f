package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/agenticdriver"
	"github.com/hallmark-kit/hallmark/conformance/comitiva"
	"github.com/hallmark-kit/hallmark/conformance/engine"
	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/requirement"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/schemas"
)

// protocols are the protocols the kit can test.
var protocols = map[string]func() (*protocol.Protocol, error){
	"agenticdriver": agenticdriver.Protocol,
	"comitiva":      comitiva.Protocol,
}

// Protocols lists the protocols that have a suite, in alphabetical order.
func Protocols() []string {
	var names []string
	for n := range protocols {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// UsageError says that what was asked for does not exist.
type UsageError struct{ Reason string }

func (e *UsageError) Error() string { return e.Reason }

// Suite is the requirements and scenarios of one protocol.
type Suite struct {
	Protocol     *protocol.Protocol
	Requirements *requirement.Catalogue
	Scenarios    []*scenario.Scenario // in the order of their ids
	Digest       string               // sha256 of everything that decides, in hexadecimal

	base *value.Object
}

// Load reads and checks the suite of a protocol from the folder of that name in fixtures, a file system that reports
// and errors call shown. faults are the ids of the reference's faults that scenarios may name; nil leaves them
// unchecked. Errors about the content of files are of type source.Errors and name file, line and column.
func Load(fixtures fs.FS, shown, name string, faults []string) (*Suite, error) {
	make, ok := protocols[name]
	if !ok {
		return nil, &UsageError{"there is no suite for a protocol " + name + nearest.Suggestion(name, Protocols())}
	}
	p, err := make()
	if err != nil {
		return nil, err
	}
	shown = filepath.Join(shown, name)
	s := &Suite{Protocol: p}
	if s.Requirements, err = requirement.Load(fixtures, path.Join(name, "requirements.yaml"), filepath.Join(shown, "requirements.yaml"), schemas.FS, p); err != nil {
		return nil, err
	}
	if s.base, err = scenario.LoadBase(fixtures, path.Join(name, "base.yaml"), filepath.Join(shown, "base.yaml")); err != nil {
		return nil, err
	}
	s.Scenarios, err = scenario.Load(fixtures, path.Join(name, "scenarios"), filepath.Join(shown, "scenarios"), scenario.Library{
		Protocol: p, Catalogue: s.Requirements, Base: s.base, Faults: faults, Scripts: engine.ScriptChecks(p),
	})
	if err != nil {
		return nil, err
	}
	s.Digest, err = digest(name, fixtures, schemas.FS)
	return s, err
}

// digest is the sha256 of all files below the folder in each file system, with their names.
func digest(folder string, systems ...fs.FS) (string, error) {
	h := sha256.New()
	for i, fsys := range systems {
		err := fs.WalkDir(fsys, folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(fsys, name)
			if err == nil {
				_, err = fmt.Fprintf(h, "%d %s %d\n%s", i, name, len(data), data)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Find returns the scenarios that a pattern names, in order. A pattern is one or several, separated by commas, of: the
// id of a scenario, a pattern of ids with * and ?, the id of a requirement, or a part of a scenario's id. The empty
// pattern names all. One that names nothing is a *UsageError.
func (s *Suite) Find(pattern string) ([]*scenario.Scenario, error) {
	if pattern == "" {
		return s.Scenarios, nil
	}
	chosen := make(map[string]bool)
	for one := range strings.SplitSeq(pattern, ",") {
		if one = strings.TrimSpace(one); one == "" {
			return nil, &UsageError{"the pattern " + strconv.Quote(pattern) + " has an empty part: separate names by single commas"}
		}
		ids, err := s.find(one)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			chosen[id] = true
		}
	}
	var out []*scenario.Scenario
	for _, sc := range s.Scenarios {
		if chosen[sc.ID] {
			out = append(out, sc)
		}
	}
	return out, nil
}

func (s *Suite) find(one string) ([]string, error) {
	var known, exact, glob, part []string
	for _, sc := range s.Scenarios {
		known = append(known, sc.ID)
		matched, err := path.Match(one, sc.ID)
		switch {
		case err != nil:
			return nil, &UsageError{"the pattern " + one + " is malformed"}
		case sc.ID == one, slices.ContainsFunc(sc.Decides, func(id string) bool { return strings.EqualFold(id, one) }):
			exact = append(exact, sc.ID)
		case matched:
			glob = append(glob, sc.ID)
		case strings.Contains(sc.ID, one):
			part = append(part, sc.ID)
		}
	}
	for _, ids := range [][]string{exact, glob, part} {
		if len(ids) > 0 && one != "" {
			return ids, nil
		}
	}
	if r := s.Requirements.Get(strings.ToUpper(one)); r != nil {
		return nil, &UsageError{"no scenario decides " + r.ID}
	}
	return nil, &UsageError{"no scenario or requirement is called " + one + nearest.Suggestion(one, append(known, s.Requirements.IDs()...))}
}

// Roles lists the roles whose implementations the suite can test, in alphabetical order.
func (s *Suite) Roles() []string {
	var roles []string
	for r := range s.Protocol.Roles {
		roles = append(roles, r)
	}
	slices.Sort(roles)
	return roles
}

// Skeleton is a commented target file to fill in for an implementation of the role.
func (s *Suite) Skeleton(role string) string {
	entries := func(names []string, sentences map[string]string) []target.Entry {
		var out []target.Entry
		for _, n := range names {
			out = append(out, target.Entry{Name: n, Sentence: sentences[n]})
		}
		return out
	}
	c := s.Requirements
	return target.Skeleton(target.Described{
		Protocol: s.Protocol.Name, Role: role, Adapter: s.Protocol.Roles[role].Adapter,
		Features: entries(s.featuresOf(role), c.Features), Values: entries(s.valuesOf(role), c.Values),
	})
}

// featuresOf lists the features that scenarios of a role need, and those that no scenario of another role needs.
func (s *Suite) featuresOf(role string) []string {
	var own, others []string
	for _, sc := range s.Scenarios {
		if sc.Role == role {
			own = append(own, sc.Needs...)
		} else {
			others = append(others, sc.Needs...)
		}
	}
	for _, id := range s.Requirements.IDs() {
		r := s.Requirements.Get(id)
		if r.Role == role {
			own = append(own, r.Feature.Value)
		} else {
			others = append(others, r.Feature.Value)
		}
	}
	return slices.DeleteFunc(s.Requirements.FeatureNames(), func(name string) bool {
		return !slices.Contains(own, name) && (slices.Contains(others, name) || s.Protocol.Roles[role].Adapter)
	})
}

// valuesOf lists the values that scenarios of a role ask for, and those that no scenario of another role asks for.
func (s *Suite) valuesOf(role string) []string {
	var own, others []string
	for _, sc := range s.Scenarios {
		if sc.Role == role {
			own = append(own, sc.Asks...)
		} else {
			others = append(others, sc.Asks...)
		}
	}
	return slices.DeleteFunc(s.Requirements.ValueNames(), func(name string) bool {
		return !slices.Contains(own, name) && slices.Contains(others, name)
	})
}

// overHTTP lists the roles that serve HTTP.
func (s *Suite) overHTTP() []string {
	return slices.DeleteFunc(s.Roles(), func(role string) bool { return s.Protocol.Roles[role].HTTP == nil })
}

// LoadTarget reads a target file for this suite. Errors about its content are of type source.Errors.
func (s *Suite) LoadTarget(name string) (*target.Target, error) {
	return target.Load(name, target.Expected{
		Protocol: s.Protocol.Name, Roles: s.Roles(), Features: s.Requirements.FeatureNames(), Values: s.Requirements.ValueNames(),
		HTTP: s.overHTTP(),
	})
}

package scenario

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/document"
	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/requirement"
	"github.com/hallmark-kit/hallmark/conformance/source"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
)

// Library is what scenarios of a protocol may refer to.
type Library struct {
	Protocol  *protocol.Protocol
	Catalogue *requirement.Catalogue
	Base      *value.Object // base.yaml; nil when there is none
	Faults    []string      // ids the reference knows; nil: not checked

	// Scripts checks the scripts of stand-ins, by kind; a kind without an entry is not checked.
	Scripts map[string]func(script []byte) []Problem
}

// Problem is something wrong with the script of a stand-in.
type Problem struct {
	Pointer string // into the script
	Reason  string
}

// LoadBase reads base.yaml. A missing file is no error.
func LoadBase(fsys fs.FS, name, shown string) (*value.Object, error) {
	data, err := source.ReadFile(fsys, name, shown)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	file, err := source.Parse(shown, data)
	if err != nil {
		return nil, err
	}
	base, ok := file.Value.(*value.Object)
	if !ok {
		return nil, file.Errorf("", "a mapping of names to values is expected")
	}
	return base, nil
}

// Load reads every .yaml file below dir, in the order of their ids. shown is how dir is called in errors, which are
// of type source.Errors and cover all files.
func Load(fsys fs.FS, dir, shown string, lib Library) ([]*Scenario, error) {
	var scenarios []*Scenario
	var errs source.Errors
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		inside := strings.TrimPrefix(name, dir+"/")
		if err == nil && !d.IsDir() && path.Ext(name) == ".yml" {
			errs = append(errs, &source.Error{File: path.Join(shown, inside), Reason: "scenarios end in .yaml: rename the file, or it would not be run"})
		}
		if err != nil || d.IsDir() || path.Ext(name) != ".yaml" {
			return err
		}
		data, err := source.ReadFile(fsys, name, path.Join(shown, inside))
		if err != nil {
			return err
		}
		s, faults := Read(strings.TrimSuffix(inside, ".yaml"), path.Join(shown, inside), data, lib)
		errs = append(errs, faults...)
		if s != nil {
			scenarios = append(scenarios, s)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(errs) > 0 {
		errs.Sort()
		return nil, errs
	}
	slices.SortFunc(scenarios, func(a, b *Scenario) int { return strings.Compare(a.ID, b.ID) })
	return scenarios, nil
}

// Read reads one scenario. shown is how the file is called in errors.
func Read(id, shown string, data []byte, lib Library) (*Scenario, source.Errors) {
	doc, err := source.Parse(shown, data)
	if err != nil {
		return nil, asErrors(shown, err)
	}
	if errs := document.Check("Scenario", doc); len(errs) > 0 {
		return nil, errs
	}
	f, err := hallmark.DecodeScenario(doc.JSON)
	if err != nil {
		return nil, asErrors(shown, err)
	}
	l := &loader{doc: doc, lib: lib}
	s := l.scenario(id, &f)
	if len(l.errs) == 0 {
		l.rehearse(s)
	}
	if len(l.errs) > 0 {
		l.errs.Sort()
		return nil, l.errs
	}
	return s, nil
}

func asErrors(shown string, err error) source.Errors {
	var one *source.Error
	if errors.As(err, &one) {
		return source.Errors{one}
	}
	return source.Errors{{File: shown, Reason: err.Error()}}
}

type loader struct {
	doc      *source.Document
	lib      Library
	errs     source.Errors
	role     string
	http     bool     // the role serves HTTP
	requests []string // names of the requests before the current step; "" for one without a name
}

func (l *loader) wrong(at, format string, args ...any) {
	l.errs = append(l.errs, l.doc.Errorf(at, format, args...))
}

// known reports a name that is not among the known ones.
func (l *loader) known(at, what, name string, names []string) {
	if !slices.Contains(names, name) {
		l.wrong(at, "there is no %s %s%s", what, name, nearest.Suggestion(name, names))
	}
}

func (l *loader) scenario(id string, f *hallmark.Scenario) *Scenario {
	s := &Scenario{
		ID: id, Title: f.Title, Why: f.Why.Value, Role: f.Role, Decides: f.Decides, Fault: f.Fault, Needs: f.Needs, Without: f.Without, Slow: f.Slow.Value,
		Env: l.object("/env"), Debug: f.Debug.Value, Values: l.object("/values"), File: l.doc,
	}
	var roles []string
	for r := range l.lib.Protocol.Roles {
		roles = append(roles, r)
	}
	l.known("/role", "role", f.Role, roles)
	l.role, l.http = f.Role, l.lib.Protocol.Roles[f.Role].HTTP != nil
	for i, id := range f.Decides {
		at := value.JoinIndex("/decides", i)
		l.known(at, "requirement", id, l.lib.Catalogue.IDs())
		if r := l.lib.Catalogue.Get(id); r != nil && r.Role != f.Role {
			l.wrong(at, "%s binds a %s, and the scenario is about a %s", id, r.Role, f.Role)
		}
	}
	if l.lib.Faults != nil {
		l.known("/fault", "fault", f.Fault, l.lib.Faults)
	}
	for i, n := range f.Needs {
		l.known(value.JoinIndex("/needs", i), "feature", n, l.lib.Catalogue.FeatureNames())
	}
	for i, n := range f.Without {
		l.known(value.JoinIndex("/without", i), "feature", n, l.lib.Catalogue.FeatureNames())
	}
	for _, file := range f.Files {
		if !validRef(strings.ReplaceAll(file.Name, ".", "")) || strings.HasPrefix(file.Name, ".") {
			l.errs = append(l.errs, l.doc.KeyErrorf(value.Join("/files", file.Name), "a name of letters, digits, dots, hyphens and underscores is expected"))
		}
		s.Files = append(s.Files, File{file.Name, file.Value.Text, file.Value.Executable.Value})
	}
	s.Within = l.duration("/within", f.Within)
	s.StandIns = l.standIns()
	s.Steps = l.steps(f.Steps, "/steps", s, s.Decides[0])
	return s
}

func (l *loader) at(pointer string) (any, bool) { return value.At(l.doc.Value, pointer) }

func (l *loader) object(pointer string) *value.Object {
	v, _ := l.at(pointer)
	o, _ := v.(*value.Object)
	return o
}

func (l *loader) standIns() []StandIn {
	var out []StandIn
	if script, ok := l.at("/stand-ins/model"); ok {
		out = append(out, StandIn{"model", KindModel, "model", script, "/stand-ins/model"})
	}
	for _, group := range []struct{ name, kind string }{{"models", KindModel}, {"tools", KindTools}, {"agents", KindAgent}, {"hosts", KindHost}} {
		in := "/stand-ins/" + group.name
		o := l.object(in)
		if o == nil {
			continue
		}
		for _, m := range o.Members {
			at := value.Join(in, m.Name)
			if !validRef(m.Name) {
				l.wrong(at, "a name of letters, digits, hyphens and underscores is expected")
			}
			out = append(out, StandIn{group.name + "." + m.Name, group.kind, m.Name, m.Value, at})
		}
	}
	if script, ok := l.at("/stand-ins/host"); ok { // last: it may redirect to the others
		out = append(out, StandIn{"host", KindHost, "host", script, "/stand-ins/host"})
	}
	return out
}

func validRef(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}

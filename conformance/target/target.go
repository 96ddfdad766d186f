package target

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/document"
	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/source"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Target is an implementation under test.
type Target struct {
	Protocol string
	Name     string // as it appears in reports
	Version  string
	Role     string
	Command  []string // program and arguments
	URL      string   // where it serves already, instead of Command
	CA       string   // file of certificates that an https target is verified with
	Dir      string   // working directory; "" is a temporary one for each scenario
	Env      []string // NAME=value, added to the environment of the kit
	Debug    Debug    // what makes it log as much as it can
	Features []string
	Values   *value.Object     // what scenarios read as $target.NAME
	Secrets  map[string]string // likewise, but never shown
	Bounds   Bounds
}

// Debug is added to the start of a target that should log as much as it can.
type Debug struct{ Env, Args []string }

// Bounds are how long the kit waits; zero means the default.
type Bounds struct {
	Start    time.Duration // from the start to the answer to the first request; default 10s
	Step     time.Duration // for a step that waits and has no bound of its own; default 5s
	Scenario time.Duration // for a scenario that has no bound of its own; default 30s
	Stop     time.Duration // from the end of its input to the end of the process; default 3s
}

// WithDefaults fills in what is zero.
func (b Bounds) WithDefaults() Bounds {
	for _, one := range []struct {
		at   *time.Duration
		mean time.Duration
	}{{&b.Start, 10 * time.Second}, {&b.Step, 5 * time.Second}, {&b.Scenario, 30 * time.Second}, {&b.Stop, 3 * time.Second}} {
		if *one.at <= 0 {
			*one.at = one.mean
		}
	}
	return b
}

// Times is the bounds, the defaults among them, that many times as long.
func (b Bounds) Times(n float64) Bounds {
	b = b.WithDefaults()
	for _, one := range []*time.Duration{&b.Start, &b.Step, &b.Scenario, &b.Stop} {
		*one = time.Duration(float64(*one) * n)
	}
	return b
}

// Provides tells whether the target has the feature.
func (t *Target) Provides(feature string) bool { return slices.Contains(t.Features, feature) }

// Value gives what scenarios read as $target.PATH.
func (t *Target) Value(path []string) (any, bool) {
	if s, ok := t.Secrets[path[0]]; ok && len(path) == 1 {
		return s, true
	}
	return value.Walk(t.Values, path)
}

// Expected is what a target file must agree with.
type Expected struct {
	Protocol string
	Roles    []string
	Features []string
	Values   []string // names scenarios may ask for
	HTTP     []string // roles that serve HTTP
}

// Load reads a target file. Errors about its content are of type source.Errors.
func Load(name string, want Expected) (*Target, error) {
	data, err := source.ReadPath(name)
	if err != nil {
		return nil, err
	}
	return Read(name, data, want, os.LookupEnv)
}

// Read reads the text of a target file called name; paths in it are relative to its folder. env looks up environment
// variables.
func Read(name string, data []byte, want Expected, env func(string) (string, bool)) (*Target, error) {
	doc, err := source.Parse(name, data)
	if err != nil {
		var one *source.Error
		if errors.As(err, &one) {
			return nil, source.Errors{one}
		}
		return nil, err
	}
	if errs := document.Check("Target", doc); len(errs) > 0 {
		return nil, errs
	}
	f, err := hallmark.DecodeTarget(doc.JSON)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := &reader{doc: doc, env: env}
	t := r.target(&f, want, filepath.Dir(name))
	if len(r.errs) > 0 {
		r.errs.Sort()
		return nil, r.errs
	}
	return t, nil
}

type reader struct {
	doc  *source.Document
	env  func(string) (string, bool)
	errs source.Errors
}

func (r *reader) wrong(at, format string, args ...any) {
	r.errs = append(r.errs, r.doc.Errorf(at, format, args...))
}

func (r *reader) known(at, what, name string, names []string) {
	if !slices.Contains(names, name) {
		r.wrong(at, "there is no %s %s%s", what, name, nearest.Suggestion(name, names))
	}
}

func (r *reader) target(f *hallmark.Target, want Expected, folder string) *Target {
	if f.Protocol != want.Protocol {
		r.wrong("/protocol", "the protocol %s is expected", want.Protocol)
	}
	r.known("/role", "role", f.Role, want.Roles)
	t := &Target{
		Protocol: f.Protocol, Name: f.Name, Version: f.Version.Value, Role: f.Role, Features: f.Features,
		URL: f.URL.Value, CA: f.Ca.Value, Secrets: make(map[string]string),
	}
	http := slices.Contains(want.HTTP, f.Role)
	switch {
	case f.URL.Set && !http:
		r.wrong("/url", "a %s does not serve HTTP: say with start how to start it", f.Role)
	case f.Start == nil && !http:
		r.wrong("", "the member \"start\" is expected")
	case (f.Start != nil) == f.URL.Set:
		r.wrong("", "either start or url is expected")
	}
	if b := f.Bounds; b != nil {
		t.Bounds = Bounds{
			Start: r.duration("start", b.Start), Step: r.duration("step", b.Step),
			Scenario: r.duration("scenario", b.Scenario), Stop: r.duration("stop", b.Stop),
		}
	}
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	if t.CA != "" && !filepath.IsAbs(t.CA) {
		t.CA = filepath.Join(folder, t.CA)
	}
	if f.Start != nil {
		r.start(t, f.Start, folder)
	}
	for i, feature := range f.Features {
		r.known(value.JoinIndex("/features", i), "feature", feature, want.Features)
	}
	if v, ok := value.At(r.doc.Value, "/values"); ok {
		t.Values = v.(*value.Object)
		for _, name := range t.Values.Names() {
			r.known(value.Join("/values", name), "value that a scenario asks for,", name, want.Values)
		}
	}
	for _, e := range f.Secrets {
		name, variable := e.Name, e.Value
		at := value.Join("/secrets", name)
		r.known(at, "value that a scenario asks for,", name, want.Values)
		secret, ok := r.env(variable)
		if !ok {
			r.wrong(at, "the environment variable %s is not set", variable)
		}
		t.Secrets[name] = secret
	}
	return t
}

func (r *reader) start(t *Target, f *hallmark.Start, folder string) {
	t.Command, t.Env = slices.Clone(f.Command), r.environment("/start/env", f.Env)
	if d := f.Debug; d != nil {
		t.Debug = Debug{Env: r.environment("/start/debug/env", d.Env), Args: d.Args}
	}
	if program := t.Command[0]; strings.ContainsRune(filepath.ToSlash(program), '/') && !filepath.IsAbs(program) {
		t.Command[0] = filepath.Join(folder, program)
	}
	if dir, ok := f.Cwd.Get(); ok {
		t.Dir = dir
		if !filepath.IsAbs(t.Dir) {
			t.Dir = filepath.Join(folder, t.Dir)
		}
	}
}

func (r *reader) environment(at string, variables wire.Map[string]) []string {
	var out []string
	for _, e := range variables {
		name, v := e.Name, e.Value
		if name == "" || strings.ContainsAny(name, "=\x00") {
			r.wrong(value.Join(at, name), "this is no name of an environment variable")
		}
		out = append(out, name+"="+v)
	}
	slices.Sort(out)
	return out
}

func (r *reader) duration(name string, written wire.Opt[string]) time.Duration {
	text, ok := written.Get()
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > time.Hour {
		r.wrong("/bounds/"+name, "a length of time above zero and up to an hour is expected")
	}
	return d
}

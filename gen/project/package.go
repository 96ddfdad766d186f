package project

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// Request is what a command line says about a package; what it leaves out may stand in a hallmark.yaml.
type Request struct {
	Documents []string // paths, or Stdin
	Config    string   // path of a hallmark.yaml, "" for none
	Package   string
	Out       string // folder for the package
	Account   bool   // it is only for the account of its keywords, so nobody needs to name it
}

// Plan is a package that can be made.
type Plan struct {
	Documents *Documents
	Shape     shape.Config
	Out       string // "" where nobody says
}

// Generate makes the package.
func (p *Plan) Generate() (*gen.Package, error) {
	pkg, err := gen.Build(p.Documents.Set, p.Shape)
	return pkg, p.Placed(err)
}

// Placed makes the place that an error names one that can be opened from where the command was started.
func (p *Plan) Placed(err error) error {
	var e *document.Error
	if errors.As(err, &e) && p.Shape.File != nil && e.File == p.Shape.File.Name {
		return err // the configuration, as it was named
	}
	return p.Documents.Placed(err)
}

// Plan reads the configuration and the documents of a request.
func (r *Request) Plan(stdin io.Reader) (*Plan, error) {
	config, file := &hallmark.Config{}, (*document.File)(nil)
	if r.Config != "" {
		var err error
		if config, file, err = readConfig(r.Config); err != nil {
			return nil, err
		}
	}
	plan := &Plan{Out: r.Out, Shape: shape.Config{
		Package: r.Package, File: file, Title: config.Title.Or(""), Root: config.Root.Or(""), Names: map[string]string{},
	}}
	if plan.Shape.Package == "" {
		plan.Shape.Package = config.Package.Or("")
	}
	if out, ok := config.Out.Get(); ok && plan.Out == "" {
		plan.Out = filepath.Join(folder(r.Config), filepath.FromSlash(out))
	}
	if r.Account && plan.Shape.Package == "" {
		plan.Shape.Package = "documents"
	}
	if err := checkPackageName(plan.Shape.Package); err != nil {
		return nil, err
	}
	for _, name := range config.Names {
		plan.Shape.Names[name.Name] = name.Value
	}
	var err error
	base := ""
	if r.Config != "" {
		base = folder(r.Config) // the names of the configuration are relative to it
	}
	if len(r.Documents) > 0 {
		plan.Documents, err = Open(base, r.Documents, stdin)
	} else {
		plan.Documents, err = OpenConfigured(r.Config, config)
	}
	if err != nil {
		return nil, err
	}
	if plan.Shape.Title == "" {
		plan.Shape.Title = titleOf(plan.Documents.Set.Files()[0])
	}
	return plan, nil
}

// titleOf is what a document calls itself, as far as that is a title and no text.
func titleOf(f *document.File) string {
	const most = 60
	v := f.Root
	if f.Form == document.OpenAPI {
		v = v.Get("info")
	}
	title := v.StringMember("title")
	if len(title) > most || strings.ContainsAny(title, "\r\n") {
		return ""
	}
	return title
}

var packageName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func checkPackageName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("the Go package has no name: give --package NAME, or package: NAME in a %s", ConfigFile)
	case !packageName.MatchString(name) || token.IsKeyword(name) || name == "main" || name == "_":
		return fmt.Errorf("%q cannot be the name of a Go package to import: choose lower-case letters and digits, and no keyword", name)
	}
	return nil
}

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/hallmark-kit/hallmark/conformance"
	"github.com/hallmark-kit/hallmark/fixtures"
	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/gen/project"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/validator"
)

// bindingsChecked is how many generated packages and sets of fixtures were held
// against the documents.
type bindingsChecked struct{ packages, fixtures int }

// staleBindings says which generated packages and which fixtures do not fit the
// documents: of the folders below dir, and of a hallmark.yaml here.
func (p *program) staleBindings(dir string) (problems []string, n bindingsChecked, err error) {
	names, err := protocolFolders(dir)
	_, none := os.Stat(project.ConfigFile)
	if err != nil && none != nil {
		return nil, n, fmt.Errorf("%w; or have a %s here", err, project.ConfigFile)
	}
	stale := func(pkg *gen.Package, out, documents, command string) error {
		n.packages++
		diff, err := pkg.Diff(out)
		if err == nil && diff != "" {
			problems = append(problems, fmt.Sprintf("%s is not up to date with %s: run '%s'", filepath.ToSlash(out), documents, command))
		}
		return err
	}
	for _, name := range names {
		pkg, err := gen.Generate(os.DirFS(dir), name)
		if err != nil {
			return nil, n, err
		}
		if err := stale(pkg, filepath.Join("gen", "protocol", pkg.Name), "the documents in "+path.Join(filepath.ToSlash(dir), name), "hallmark gen "+name); err != nil {
			return nil, n, err
		}
		if _, err := fs.Stat(fixtures.FS, name); err != nil {
			continue // the kit has no suite for it
		}
		if _, err := os.Stat(filepath.Join("fixtures", name)); err != nil {
			continue
		}
		n.fixtures++
		// Scenarios are judged by the documents inside this program, which are those
		// of the checkout that it was built from.
		if _, err := conformance.Load(os.DirFS("fixtures"), "fixtures", name, nil); err != nil {
			problems = append(problems, fmt.Sprintf("the fixtures of %s do not fit its documents: %v", name, err))
		}
		stale, err := staleMessages(os.DirFS(dir), name)
		if err != nil {
			return nil, n, err
		}
		problems = append(problems, stale...)
	}
	if none == nil {
		plan, err := (&project.Request{Config: project.ConfigFile}).Plan(p.stdin)
		if err != nil {
			return nil, n, err
		}
		pkg, err := plan.Generate()
		if err != nil {
			return nil, n, err
		}
		if err := stale(pkg, plan.Out, "the documents that "+project.ConfigFile+" names", "hallmark gen --config "+project.ConfigFile); err != nil {
			return nil, n, err
		}
	}
	return problems, n, nil
}

// staleMessages holds the messages below fixtures/NAME/messages against the
// documents as they are now: those that the index lists as valid must be valid
// still, and those that break a rule invalid.
func staleMessages(documents fs.FS, name string) (problems []string, err error) {
	folder := path.Join("fixtures", name, "messages")
	data, err := os.ReadFile(path.Join(folder, "index.yaml"))
	if err != nil {
		return nil, nil // there are none
	}
	var index struct {
		Valid, Invalid []struct{ File, Type, Breaks string }
	}
	if err := yaml.Unmarshal(data, &index); err != nil {
		return nil, fmt.Errorf("%s/index.yaml: %s", folder, yaml.FormatError(err, false, true))
	}
	set, cfg, err := gen.Read(documents, name)
	if err != nil {
		return nil, err
	}
	_, shapes, err := gen.Shapes(set, cfg)
	if err != nil {
		return nil, err
	}
	nodes := map[string]*schema.Node{}
	for _, t := range shapes.Types {
		nodes[t.Name] = t.Node
	}
	compiled := map[string]*validator.Validator{}
	// judge says what is wrong with a message's violations, if anything is.
	judge := func(file, typeName string, wrong func(error) string) {
		file = path.Join(folder, file)
		v := compiled[typeName]
		data, err := os.ReadFile(file)
		switch n := nodes[typeName]; {
		case err != nil || v != nil:
		case n == nil:
			err = fmt.Errorf("%s is a %s, which the documents of %s do not describe", file, typeName, name)
		default:
			if v, err = validator.Compile(n); err == nil {
				compiled[typeName] = v
			}
		}
		problem := ""
		if err != nil {
			problem = err.Error()
		} else if problem = wrong(v.Validate(data)); problem != "" {
			problem = file + " is " + problem
		}
		if problem != "" {
			problems = append(problems, problem)
		}
	}
	for _, m := range index.Valid {
		judge(m.File, m.Type, func(invalid error) string {
			if invalid == nil {
				return ""
			}
			return fmt.Sprintf("no valid %s any more: %v", m.Type, invalid)
		})
	}
	for _, m := range index.Invalid {
		judge(m.File, m.Type, func(invalid error) string {
			if invalid != nil {
				return ""
			}
			return fmt.Sprintf("a valid %s now, and should break %s", m.Type, m.Breaks)
		})
	}
	return problems, nil
}

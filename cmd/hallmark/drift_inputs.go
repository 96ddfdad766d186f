package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/drift"
	"github.com/hallmark-kit/hallmark/gen/drift/goapi"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
	"github.com/hallmark-kit/hallmark/schemas"
)

func isProtocol(name string) bool {
	return slices.Contains(append(schemas.Protocols(), schemas.Hallmark), name)
}

// committed compares a document with the one of a protocol inside this program:
// the one of the same file name or identifier, else the first published one of
// the same kind.
func committed(protocol string, c comparison, f driftFlags) ([]comparison, error) {
	p, err := gen.ReadProtocol(schemas.FS, protocol)
	if err != nil {
		return nil, err
	}
	given, err := document.Parse(c.new.Name, c.new.Data)
	if err != nil {
		return nil, err
	}
	chosen := ""
	best := 0
	for _, d := range p.Documents {
		data, err := fs.ReadFile(schemas.FS, path.Join(protocol, d.File))
		if err != nil {
			return nil, err
		}
		file, err := document.Parse(d.File, data)
		if err != nil {
			return nil, err
		}
		fit := 0
		id := file.Root.StringMember("$id")
		switch {
		case path.Base(c.new.Name) == d.File:
			fit = 4
		case id != "" && id == given.Root.StringMember("$id"):
			fit = 3
		case file.Form == given.Form && d.Origin == "published":
			fit = 2
		case file.Form == given.Form:
			fit = 1
		}
		if fit > best {
			chosen, best = d.File, fit
		}
	}
	if chosen == "" {
		chosen = p.Documents[0].File
	}
	data, err := fs.ReadFile(schemas.FS, path.Join(protocol, chosen))
	if err != nil {
		return nil, err
	}
	c.old = drift.Input{Name: path.Join("schemas", protocol, chosen), Data: data, Loader: func(uri string) ([]byte, error) {
		return fs.ReadFile(schemas.FS, strings.TrimPrefix(uri, "schemas/"))
	}}
	c.document = chosen
	name := path.Join(protocol, gen.ProtocolFile)
	if c.protocol, err = fs.ReadFile(schemas.FS, name); err != nil {
		return nil, err
	}
	c.options, err = f.options(c.protocol, "schemas/"+name, chosen)
	return []comparison{c}, err
}

// gitComparisons compares files, or all JSON files of folders, with what they were
// in a revision.
func gitComparisons(args []string, f driftFlags) ([]comparison, error) {
	if len(args) == 0 {
		return nil, errors.New("name the files to compare: hallmark drift --git REV -- FILE")
	}
	if strings.HasPrefix(f.git, "-") {
		return nil, fmt.Errorf("%q is no revision", f.git)
	}
	if _, err := git("rev-parse", "--verify", "--quiet", f.git+"^{commit}"); err != nil {
		return nil, fmt.Errorf("git knows no revision %q", f.git)
	}
	files, err := gitFiles(args, f.git)
	if err != nil {
		return nil, err
	}
	show := func(name string) ([]byte, error) {
		data, err := git("show", f.git+":./"+filepath.ToSlash(name))
		if err != nil {
			return nil, fmt.Errorf("%s is not in revision %s: %w", name, f.git, fs.ErrNotExist)
		}
		return data, nil
	}
	var list []comparison
	for _, file := range files {
		data, err := os.ReadFile(file)
		added, removed := false, errors.Is(err, fs.ErrNotExist)
		if err != nil && !removed {
			return nil, err
		}
		old, err := show(file)
		if added = errors.Is(err, fs.ErrNotExist); err != nil && !added {
			return nil, err
		}
		slashed := filepath.ToSlash(file)
		if document.IsYAML(slashed) && !isNamed(file, args) && !isDocument(slashed, old) && !isDocument(slashed, data) {
			continue
		}
		c := comparison{
			old: drift.Input{Name: slashed, Data: old, Loader: func(uri string) ([]byte, error) {
				if strings.Contains(uri, "://") {
					return nil, errNotFetched
				}
				return show(uri)
			}},
			new:      drift.Input{Name: slashed, Data: data, Loader: diskLoader},
			document: path.Base(slashed),
			added:    added,
			removed:  removed,
		}
		var name string
		c.protocol, name = beside(file)
		if c.options, err = f.options(c.protocol, name, c.document); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("there is no document in %s, nor was there in revision %s: a YAML file of a folder counts if it says \"openapi\" or \"$schema\"; name it to have it compared all the same",
			strings.Join(args, " "), f.git)
	}
	return withoutParts(list, args), nil
}

// isNamed tells whether one of the arguments is the file itself.
func isNamed(file string, args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return filepath.Clean(arg) == file })
}

// isDocument tells a YAML file that says by itself what it is, by "openapi" or "$schema", from the many others that
// lie in a folder.
func isDocument(name string, data []byte) bool {
	f, err := document.Parse(name, data)
	return err == nil && (f.Form == document.OpenAPI || f.Root.Get("$schema") != nil)
}

// withoutParts leaves out the files that a description of the list leads to, unless
// they are named: they are compared with it, and need not be documents by themselves.
func withoutParts(list []comparison, named []string) []comparison {
	parts := map[string]bool{}
	for _, c := range list {
		for _, in := range []drift.Input{c.old, c.new} {
			for _, name := range partsOf(in) {
				parts[name] = true
			}
		}
	}
	for _, arg := range named {
		delete(parts, filepath.ToSlash(filepath.Clean(arg)))
	}
	return slices.DeleteFunc(list, func(c comparison) bool { return parts[c.new.Name] })
}

// partsOf gives the files that are parts of a version which is an OpenAPI description.
func partsOf(in drift.Input) (names []string) {
	f, err := document.Parse(in.Name, in.Data)
	if err != nil || f.Form != document.OpenAPI {
		return nil
	}
	set := document.NewSet(f)
	set.Loader = in.Loader
	g, err := schema.Build(set)
	if err != nil {
		return nil // the comparison will say so
	}
	for _, file := range g.Files() {
		if file.Form != document.OpenAPI && g.Form(file) == document.OpenAPI {
			names = append(names, file.Name)
		}
	}
	return names
}

// gitFiles gives the files that arguments name, and the JSON and YAML files of
// folders, as they are now or were in a revision.
func gitFiles(args []string, revision string) ([]string, error) {
	var files []string
	for _, arg := range args {
		listed, err := git("ls-tree", "-r", "-z", "--name-only", revision, "--", arg)
		if err != nil {
			return nil, err
		}
		found := false
		add := func(name string) {
			name = filepath.FromSlash(name)
			if filepath.Clean(name) == filepath.Clean(arg) || filepath.Ext(name) == ".json" || document.IsYAML(name) {
				files, found = append(files, filepath.Clean(name)), true
			}
		}
		for name := range strings.SplitSeq(string(listed), "\x00") {
			if name != "" {
				add(name)
			}
		}
		info, err := os.Stat(arg)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !found:
			return nil, fmt.Errorf("%s is neither here nor in revision %s", arg, revision)
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case !info.IsDir():
			add(arg)
		default:
			err = filepath.WalkDir(arg, func(name string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					add(name)
				}
				return err
			})
			if err != nil {
				return nil, err
			}
			if !found {
				return nil, fmt.Errorf("there is no JSON or YAML file in %s, nor was there in revision %s", arg, revision)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// git runs git in the current folder.
func git(args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// sourceFindings generates the Go bindings of both versions and compares what
// they export.
func (c *comparison) sourceFindings() ([]drift.Finding, error) {
	var apis [2]map[string]string
	for i, in := range []drift.Input{c.old, c.new} {
		api, err := bindings(in)
		if err != nil {
			return nil, fmt.Errorf("%s: the Go bindings cannot be generated: %w", in.Name, err)
		}
		apis[i] = api
	}
	return goapi.Compare(apis[0], apis[1], "the Go bindings of "+c.new.Name), nil
}

func bindings(in drift.Input) (map[string]string, error) {
	// The same name for both versions, so that types without a better one are
	// called alike; in its folder, where what it refers to is.
	f, err := document.Parse(path.Join(path.Dir(in.Name), "document"+path.Ext(in.Name)), in.Data)
	if err != nil {
		return nil, err
	}
	set := document.NewSet(f)
	set.Loader = in.Loader
	cfg := shape.Config{Package: "bindings"}
	if f.Form != document.OpenAPI {
		cfg.Root = "Document"
	}
	pkg, err := gen.Build(set, cfg)
	if err != nil {
		return nil, err
	}
	return goapi.Exported(pkg.Files)
}

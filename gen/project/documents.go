package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Stdin is the name of a document that is read from standard input.
const Stdin = "-"

// Such a document is called stdin.json, or stdin.yaml where it does not begin like JSON, in generated code and in errors.
func stdinName(data []byte) string {
	text := bytes.TrimLeft(data, " \t\r\n\ufeff")
	if len(text) == 0 || strings.IndexByte("{[\"", text[0]) >= 0 || bytes.HasPrefix(text, []byte("true")) || bytes.HasPrefix(text, []byte("false")) {
		return stdinBase + ".json"
	}
	return stdinBase + ".yaml"
}

const stdinBase = "stdin"

// Documents are files that belong together. Their names, by which they refer to each other and by which generated code
// and pins know them, are relative to one folder, so that nothing depends on where the command was started.
type Documents struct {
	Set  *document.Set
	base string // the folder
}

// Open reads documents named on a command line: paths, or Stdin. Names are relative to a folder, "" for that of the first.
func Open(base string, files []string, stdin io.Reader) (*Documents, error) {
	switch {
	case len(files) == 0:
		return nil, errors.New("no document is given")
	case base == "" && files[0] != Stdin:
		base = filepath.Dir(files[0])
	case base == "":
		base = "."
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = file
		if file == Stdin {
			continue
		}
		rel, err := relative(base, file)
		if err != nil {
			return nil, err
		}
		names[i] = rel
	}
	return open(base, names, stdin)
}

// OpenConfigured reads the documents that a hallmark.yaml lists.
func OpenConfigured(config string, c *hallmark.Config) (*Documents, error) {
	if len(c.Documents) == 0 {
		return nil, fmt.Errorf("%s lists no documents: add documents: [FILE, ...], or give --document", config)
	}
	return open(folder(config), c.Documents, nil)
}

// relative names a file from a folder; where that cannot be done (another drive), it stays as it is.
func relative(base, file string) (string, error) {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	from, err := filepath.Abs(base)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(from, absolute); err == nil {
		return rel, nil
	}
	return absolute, nil
}

func open(base string, names []string, stdin io.Reader) (*Documents, error) {
	d := &Documents{Set: document.NewSet(), base: base}
	d.Set.Loader = d.load
	for _, name := range names {
		data, err := d.read(name, stdin)
		if err != nil {
			return nil, err
		}
		shown := filepath.ToSlash(name)
		if name == Stdin {
			shown = stdinName(data)
		}
		f, err := document.Parse(shown, data)
		if err != nil {
			return nil, d.Placed(err)
		}
		if err := d.Set.Add(f); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *Documents) read(name string, stdin io.Reader) ([]byte, error) {
	if name == Stdin {
		if stdin == nil {
			return nil, errors.New("a document from standard input cannot be listed in " + ConfigFile + "; give --document -")
		}
		return io.ReadAll(stdin)
	}
	return os.ReadFile(d.path(name))
}

func (d *Documents) path(name string) string {
	if filepath.IsAbs(filepath.FromSlash(name)) {
		return filepath.FromSlash(name)
	}
	return filepath.Join(d.base, filepath.FromSlash(name))
}

// load reads a file that a reference names. Whatever has a scheme is not fetched: the output must depend on nothing but
// files, and a document is no reason to talk to a server.
func (d *Documents) load(uri string) ([]byte, error) {
	if i := strings.Index(uri, ":"); i >= 2 && !strings.ContainsAny(uri[:i], "/.") {
		return nil, notFetched{uri}
	}
	if strings.HasPrefix(uri, "/") { // also //host/path, which the set has cleaned
		return nil, fmt.Errorf("%w: references lead to files by relative paths only", fs.ErrNotExist)
	}
	return os.ReadFile(d.path(path.Clean(uri)))
}

// notFetched is the error of a reference to a network. It counts as absent, so that the reference is also looked for
// beside the document: documents published together under one address are often kept together in one folder.
type notFetched struct{ uri string }

func (e notFetched) Error() string {
	return "references are not followed over the network: download " + e.uri + " and give it with --document as well (its $id, or the $self of an OpenAPI description, must be this address), or put it where the reference is a relative path"
}

func (e notFetched) Is(target error) bool { return target == fs.ErrNotExist }

// Placed puts the folder in front of the file that an error names, so that the place can be opened from where the
// command was started.
func (d *Documents) Placed(err error) error {
	var e *document.Error
	if errors.As(err, &e) && e.File != "" && !strings.HasPrefix(e.File, stdinBase+".") && !strings.Contains(e.File, "://") && !filepath.IsAbs(e.File) {
		e.File = filepath.ToSlash(filepath.Join(d.base, filepath.FromSlash(e.File)))
	}
	return err
}

// Graph resolves the documents into their schemas.
func (d *Documents) Graph() (*schema.Graph, error) {
	g, err := schema.Build(d.Set)
	return g, d.Placed(err)
}

// Find gives the schema that a person means: "" is the first document as a whole, "/..." or "#/..." a JSON pointer into
// it, "FILE#/..." one into another document, and everything else the name of a definition ($defs, components/schemas)
// or an $anchor of the first document.
func (d *Documents) Find(g *schema.Graph, text string) (*schema.Node, error) {
	first := d.Set.Files()[0]
	location := text
	switch {
	case text == "" || text == "#":
		if first.Form == document.OpenAPI {
			return nil, fmt.Errorf("%s is an %s, which is no schema as a whole: name one of its schemas: %s", first.Name, first.Form, definitions(g))
		}
		if n := g.Roots[first.Name+"#"]; n != nil {
			return n, nil
		}
		location = first.Name + "#"
	case strings.HasPrefix(text, "/"):
		location = first.Name + "#" + text
	case strings.HasPrefix(text, "#"):
		location = first.Name + text
	case !strings.Contains(text, "#"):
		var found []*schema.Node
		for _, def := range g.Defs {
			same := func(n *schema.Node) bool { return n.Target() == def.Node.Target() } // a name for a schema in another file, as often
			if def.Name == text && !slices.ContainsFunc(found, same) {
				found = append(found, def.Node)
			}
		}
		if len(found) > 1 {
			return nil, fmt.Errorf("%d definitions are called %q; give the pointer of one: %s", len(found), text, locations(found))
		}
		if len(found) == 1 {
			return found[0], nil
		}
		location = first.Name + "#" + text
		if n, err := g.At(location); err == nil {
			return n, nil
		}
		return nil, fmt.Errorf("no definition is called %q; there are: %s", text, definitions(g))
	}
	n, err := g.At(location)
	return n, d.Placed(err)
}

func locations(nodes []*schema.Node) string {
	var all []string
	for _, n := range nodes {
		all = append(all, n.Location())
	}
	return strings.Join(all, ", ")
}

// definitions lists the names of the definitions, as far as a message should be long.
func definitions(g *schema.Graph) string {
	const most = 40
	var names []string
	seen := map[string]bool{}
	for _, def := range g.Defs {
		if !seen[def.Name] {
			seen[def.Name] = true
			names = append(names, def.Name)
		}
	}
	if len(names) == 0 {
		return "(none)"
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(", … (%d names)", len(names))
	}
	return strings.Join(names, ", ")
}

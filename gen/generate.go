package gen

import (
	"io/fs"
	"path"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/golang"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// Package is a generated Go package.
type Package struct {
	Name  string            // Go package name
	Files map[string][]byte // file name -> source
}

// Generate makes the Go package of the protocol in a folder of fsys. Errors in a document name file, line, column,
// pointer and reason.
func Generate(fsys fs.FS, dir string) (*Package, error) {
	p, err := ReadProtocol(fsys, dir)
	if err != nil {
		return nil, err
	}
	set := document.NewSet()
	for _, d := range p.Documents {
		data, err := fs.ReadFile(fsys, path.Join(dir, d.File))
		if err != nil {
			return nil, err
		}
		f, err := document.Parse(d.File, data)
		if err != nil {
			return nil, err
		}
		if err := set.Add(f); err != nil {
			return nil, err
		}
	}
	cfg, err := p.config()
	if err != nil {
		return nil, err
	}
	return Build(set, cfg)
}

// Build makes the Go package of a set of documents.
func Build(set *document.Set, cfg shape.Config) (*Package, error) {
	graph, err := schema.Build(set)
	if err != nil {
		return nil, err
	}
	shapes, err := shape.Build(graph, cfg)
	if err != nil {
		return nil, err
	}
	files, err := golang.Generate(shapes)
	if err != nil {
		return nil, err
	}
	return &Package{Name: cfg.Package, Files: files}, nil
}

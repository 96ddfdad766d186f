package gen

import (
	"io/fs"
	"path"
	"sync"

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
	set, cfg, err := Read(fsys, dir)
	if err != nil {
		return nil, err
	}
	return Build(set, cfg)
}

// GenerateAll is [Generate] for several folders, at the same time. The error is that of the first folder that has one.
func GenerateAll(fsys fs.FS, dirs ...string) ([]*Package, error) {
	packages, errs := make([]*Package, len(dirs)), make([]error, len(dirs))
	var wait sync.WaitGroup
	for i, dir := range dirs {
		wait.Go(func() { packages[i], errs[i] = Generate(fsys, dir) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// Read reads the documents of the protocol in a folder of fsys, and what its protocol.yaml says to the generator.
func Read(fsys fs.FS, dir string) (*document.Set, shape.Config, error) {
	p, err := ReadProtocol(fsys, dir)
	if err != nil {
		return nil, shape.Config{}, err
	}
	set := document.NewSet()
	for _, d := range p.Documents {
		data, err := fs.ReadFile(fsys, path.Join(dir, d.File))
		if err != nil {
			return nil, shape.Config{}, err
		}
		f, err := document.Parse(d.File, data)
		if err != nil {
			return nil, shape.Config{}, err
		}
		if err := set.Add(f); err != nil {
			return nil, shape.Config{}, err
		}
	}
	cfg, err := p.config()
	return set, cfg, err
}

// Build makes the Go package of a set of documents.
func Build(set *document.Set, cfg shape.Config) (*Package, error) {
	_, shapes, err := Shapes(set, cfg)
	if err != nil {
		return nil, err
	}
	files, err := golang.Generate(shapes)
	if err != nil {
		return nil, err
	}
	return &Package{Name: cfg.Package, Files: files}, nil
}

// Shapes resolves a set of documents and decides the Go types of its schemas.
func Shapes(set *document.Set, cfg shape.Config) (*schema.Graph, *shape.Package, error) {
	graph, err := schema.Build(set)
	if err != nil {
		return nil, nil, err
	}
	shapes, err := shape.Build(graph, cfg)
	return graph, shapes, err
}

package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

// described is the OpenAPI description that schemas belong to, wherever they stand: it says how they are meant.
type described struct {
	file    *document.File
	dialect *dialect
	layout  reference.Layout
	old     bool // of OpenAPI 3.0, whose schemas are another language
}

// readOpenAPI reads every schema of an OpenAPI description: the entries of
// components/schemas, which become Defs, and those of parameters, headers and
// bodies, which At finds by their place. References lead it to other files.
func (b *builder) readOpenAPI(f *document.File, res *Resource) {
	of := &described{file: f, layout: reference.LayoutOf(f), old: f.Edition() == document.OpenAPI30}
	if f.Edition() == 0 {
		panic(f.Errorf(f.Root.Get("openapi"), "/openapi", "OpenAPI %s is not read; OpenAPI 3.0, 3.1 or 3.2 was expected", f.Version))
	}
	switch {
	case f.Dialect != "":
		at := f.Root.Get("jsonSchemaDialect")
		of.dialect = b.dialect(f.Dialect, func(reason string, args ...any) *document.Error {
			return f.Errorf(at, "/jsonSchemaDialect", reason, args...)
		})
	case f.Edition() == document.OpenAPI32:
		of.dialect = b.dialect(openAPI32Dialect, nil)
	default:
		of.dialect = b.dialect(openAPI31Base, nil)
	}
	res.of, res.dialect = of, of.dialect
	schemas := f.Top().Member("components").Member("schemas")
	if schemas.Value != nil && schemas.Value.Kind != document.Object {
		panic(schemas.Errorf("components/schemas must be an object, not %s", article(schemas.Value)))
	}
	b.definitionsAt(res, schemas)
	w := openAPIWalk{b: b, of: of, seen: map[visit]bool{}}
	w.object(res, f.Top(), reference.Description)
}

// definitionsAt reads a map of schemas with names of their own.
func (b *builder) definitionsAt(res *Resource, at document.Place) {
	for name, place := range at.Members() {
		b.define(name, b.entry(res, place.Pointer, place.Value))
	}
}

// partOf gives the resource of a file that a reference in a description leads to. Unless the file says itself what it
// is (by $schema, or by being a description of its own) it is a part of the description: its schemas are in the dialect
// of that, and it need not be a schema as a whole.
func (b *builder) partOf(of *described, f *document.File) (*Resource, error) {
	d := b.documents[f]
	switch {
	case d == nil && (f.Form == document.JSONSchema && f.Dialect == "" || f.Form == document.FormUnknown):
		d = &documentRoot{resource: newResource(f)}
		d.resource.of, d.resource.dialect = of, of.dialect
		b.documents[f] = d
		for _, at := range []document.Place{f.Top().Member("components").Member("schemas"), f.Top().Member("$defs"), f.Top().Member("definitions")} {
			b.definitionsAt(d.resource, at)
		}
	case d == nil:
		d = b.read(f)
	case d.isPart() && (d.resource.of.dialect != of.dialect || d.resource.of.old != of.old):
		return nil, fmt.Errorf("%s is a part of %s as well, whose schemas are of another version of OpenAPI or in another dialect", f.Name, d.resource.of.file.Name)
	}
	return d.resource, nil
}

// isPart tells a file that is a part of a description from those that stand for themselves.
func (d *documentRoot) isPart() bool {
	return d.resource.of != nil && d.resource.of.file != d.resource.file
}

// nameTarget gives a schema that a description keeps in another file the name it has there: that of the file, or the
// last of the pointer where that leads into a map of schemas.
func (b *builder) nameTarget(from, to *Node) {
	if from.Resource.of == nil || to.File == from.Resource.of.file || to.File.Form == document.OpenAPI {
		return
	}
	if d := b.documents[to.File]; d.schema != nil && b.given[to.File] {
		return // a document for itself, which has its name anyway
	}
	tokens, _ := document.SplitPointer(to.Pointer)
	switch n := len(tokens); {
	case n == 0:
		name := to.File.Name[strings.LastIndexAny(to.File.Name, `/\`)+1:]
		name, _, _ = strings.Cut(name, ".")
		b.define(name, to)
	case n == 1 || slices.Contains([]string{"schemas", "$defs", "definitions"}, tokens[n-2]):
		b.define(tokens[n-1], to)
	}
}

// openAPIWalk finds schemas by the objects of the OpenAPI specification (3.1: 4.8),
// and the files that these lie in.
type openAPIWalk struct {
	b    *builder
	of   *described
	seen map[visit]bool
}

// visit is a value that a reference takes for an object of a kind.
type visit struct {
	value *document.Value
	kind  reference.Kind
}

// object visits the parts of an object of a kind. What has another shape than
// the specification says is not for this package to refuse.
func (w openAPIWalk) object(res *Resource, at document.Place, kind reference.Kind) {
	v := at.Value
	if kind == reference.Schema {
		if v.Kind == document.Object || v.Kind == document.Bool {
			w.b.entry(res, at.Pointer, v)
		}
		return
	}
	layout := w.of.layout.In(at.File())
	if kind == reference.Requirement && layout.Has(document.OpenAPI32) {
		w.requirement(at)
		return
	}
	if layout.MayRefer(kind) && v.Get("$ref") != nil {
		w.follow(at, kind)
		return
	}
	for name, place := range at.Members() {
		part, ok := layout.PartOf(kind, name)
		if !ok || kind == reference.Components && name == "schemas" {
			continue // they have been read, by their names
		}
		for _, object := range part.Values(name, place) {
			w.object(res, object, part.Kind)
		}
	}
}

// follow visits the object of a kind that a reference leads to.
func (w openAPIWalk) follow(at document.Place, kind reference.Kind) {
	to, err := w.of.layout.Follow(w.b.set, at, kind)
	if err != nil {
		panic(err)
	}
	w.reach(to, kind, func(err error) *document.Error {
		return at.Member("$ref").Errorf("$ref %q cannot be resolved: %v", at.Value.Get("$ref").Text, err)
	})
}

// requirement visits the security schemes that a requirement names, which may lie in other files.
func (w openAPIWalk) requirement(at document.Place) {
	for name, member := range at.Members() {
		to, _, err := w.of.layout.SchemeOf(w.b.set, w.of.file, member, name)
		if err != nil {
			panic(err)
		}
		w.reach(to, reference.Scheme, func(err error) *document.Error {
			return member.Errorf("%q cannot be resolved: %v", name, err)
		})
	}
}

// reach visits an object of a kind that something leads to, once.
func (w openAPIWalk) reach(to document.Place, kind reference.Kind, fail func(error) *document.Error) {
	if w.seen[visit{to.Value, kind}] {
		return
	}
	w.seen[visit{to.Value, kind}] = true
	res, err := w.b.partOf(w.of, to.File())
	if err != nil {
		panic(fail(err))
	}
	w.object(res, to, kind)
}

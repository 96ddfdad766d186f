package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// Graph is the schemas of a set of documents with every reference resolved.
type Graph struct {
	// Roots holds the root schema of each file that has one (JSON Schemas, event
	// definitions), keyed by the name of the file and "#".
	Roots map[string]*Node
	// Defs holds every entry of $defs and definitions, at any depth, and of
	// components/schemas of OpenAPI descriptions, and what a description refers to
	// by the name of a file or in a map of schemas there; in order of name, file, pointer.
	Defs []Def
	// Descriptions holds the OpenAPI descriptions of the set as it was given, without
	// those that were loaded for the sake of a reference.
	Descriptions []*document.File

	builder *builder
	mu      sync.Mutex // guards what is above and below
	keys    [2]map[*Node]string
	short   map[string]string // names of files, as document.ShortNames has them
}

// Def is a schema with a name of its own.
type Def struct {
	Name string
	Node *Node
}

// Build reads every file of the set, and what they refer to, into a graph.
// Every error is an *document.Error, except that a set without any schema or OpenAPI description is
// reported plainly.
func Build(set *document.Set) (g *Graph, err error) { return BuildVersion(set, nil) }

// BuildVersion is Build for documents of which another version is read. checked
// tells of a schema that stands by itself whether an equal one has been held
// against the metaschema already; nil is of none.
func BuildVersion(set *document.Set, checked func(*Node) bool) (g *Graph, err error) {
	defer recoverTo(&err)
	b := &builder{
		set:       set,
		checked:   checked,
		nodes:     map[place]*Node{},
		defined:   map[Def]bool{},
		resources: map[string]*Resource{},
		documents: map[*document.File]*documentRoot{},
		given:     map[*document.File]bool{},
		dialects:  map[string]*dialect{},
	}
	g = &Graph{Roots: map[string]*Node{}, builder: b}
	b.graph = g
	files := slices.Clone(set.Files())
	for _, f := range files {
		b.given[f] = true
		if f.Form == document.OpenAPI {
			g.Descriptions = append(g.Descriptions, f)
			b.read(f) // first of all: it tells which of the others are parts of it
		}
	}
	for _, f := range files {
		b.read(f)
	}
	roots := slices.Clone(b.order)
	b.finish()
	for _, f := range set.Files() {
		if d := b.documents[f]; d != nil && d.schema != nil && slices.Contains(roots, d.schema) {
			g.Roots[f.Name+"#"] = b.specialise(d.schema)
		}
	}
	for _, d := range b.defs {
		g.Defs = append(g.Defs, Def{d.Name, b.specialise(d.Node)})
	}
	slices.SortStableFunc(g.Defs, func(x, y Def) int {
		return cmpOr(strings.Compare(x.Name, y.Name),
			strings.Compare(x.Node.File.Name, y.Node.File.Name),
			strings.Compare(x.Node.Pointer, y.Node.Pointer))
	})
	b.definitionsInScope()
	b.checkProgress()
	if len(b.order) == 0 && len(g.Descriptions) == 0 {
		return nil, errors.New("the documents hold no schema")
	}
	return g, nil
}

func cmpOr(results ...int) int {
	for _, r := range results {
		if r != 0 {
			return r
		}
	}
	return 0
}

// Set gives the files of the graph as a set, for references to be followed in.
func (g *Graph) Set() *document.Set { return g.builder.set }

// Files gives the files of the graph: those given, then those loaded for the
// sake of a reference, in the order they were needed.
func (g *Graph) Files() []*document.File { return g.builder.set.Files() }

// Form tells what a file of the graph holds. A file that only an OpenAPI description
// leads to is of its form, whatever it would be by itself.
func (g *Graph) Form(f *document.File) document.Form {
	g.mu.Lock()
	defer g.mu.Unlock()
	if d := g.builder.documents[f]; d != nil && d.isPart() {
		return document.OpenAPI
	}
	return f.Form
}

func (g *Graph) fileName(f *document.File) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if files := g.builder.set.Files(); len(g.short) != len(files) {
		g.short = document.ShortNames(files)
	}
	return g.short[f.Name]
}

// Nodes gives every schema that was read, in order of file and position. Of a
// schema that dynamic scope multiplies it gives the original, whose DynamicRef
// leads where a $ref would; Roots, Defs and At give the ones in scope.
func (g *Graph) Nodes() []*Node {
	g.mu.Lock()
	defer g.mu.Unlock()
	rank := map[*document.File]int{}
	for i, f := range g.Files() {
		rank[f] = i
	}
	nodes := slices.Clone(g.builder.order)
	slices.SortFunc(nodes, func(x, y *Node) int {
		return cmpOr(rank[x.File]-rank[y.File], x.Value.Offset-y.Value.Offset)
	})
	return nodes
}

// At gives the schema at a place: "FILE#/pointer", "URI#anchor", "FILE#". The
// schema is read now if nothing has named the place before (schemas among the
// paths of an OpenAPI description, say), with the checks that Build makes.
func (g *Graph) At(location string) (n *Node, err error) {
	defer recoverTo(&err)
	g.mu.Lock()
	defer g.mu.Unlock()
	uri, fragment, _ := strings.Cut(location, "#")
	b := g.builder
	n, err = b.locate(document.CleanURI(uri), fragment, nil)
	if err != nil {
		return nil, &document.Error{File: location, Reason: "no schema there", Err: err}
	}
	b.finish()
	n = b.specialise(n)
	b.definitionsInScope()
	b.checkProgress()
	return n, nil
}

func recoverTo(err *error) {
	if r := recover(); r != nil {
		e, ok := r.(*document.Error)
		if !ok {
			panic(r)
		}
		*err = e
	}
}

type place struct {
	file    *document.File
	pointer string
}

// documentRoot is what a file stands for when a URI without fragment names it.
type documentRoot struct {
	resource *Resource
	schema   *Node // nil for an OpenAPI description and its parts
}

// builder reads schemas and resolves references. Errors travel as panics of
// *document.Error up to the exported functions.
type builder struct {
	set       *document.Set
	graph     *Graph
	nodes     map[place]*Node
	order     []*Node // nodes as they were read
	defs      []Def
	defined   map[Def]bool         // what defs holds
	resources map[string]*Resource // by base URI
	documents map[*document.File]*documentRoot
	given     map[*document.File]bool // by the set, not loaded for a reference
	dialects  map[string]*dialect
	resolved  int     // nodes of order whose references are resolved
	progress  int     // nodes, those of scopes too, when checkProgress went over them
	unchecked []*Node // schemas not yet held against the metaschema
	checked   func(*Node) bool
	scopes    scopes
}

// read reads the schemas of one file, once.
func (b *builder) read(f *document.File) *documentRoot {
	if d := b.documents[f]; d != nil {
		return d
	}
	d := &documentRoot{resource: newResource(f)}
	b.documents[f] = d
	switch f.Form {
	case document.JSONSchema:
		d.resource.dialect = b.dialectOf(f.Root, f, "", nil)
		d.schema = b.entry(d.resource, "", f.Root)
		d.resource = d.schema.Resource
	case document.EventDefinition:
		d.resource.dialect = b.dialectOf(f.Event.Payload, f, document.PayloadPointer, nil)
		d.schema = b.entry(d.resource, document.PayloadPointer, f.Event.Payload)
	case document.OpenAPI:
		b.readOpenAPI(f, d.resource)
	default:
		panic(f.Errorf(f.Root, "", "a schema (an object or a boolean), an OpenAPI description or an event definition was expected, not %s", f.Root.Kind))
	}
	return d
}

func newResource(f *document.File) *Resource {
	return &Resource{
		URI:     f.Base(),
		anchors: map[string]*Node{}, dynamic: map[string]*Node{},
		file: f, value: f.Root,
	}
}

// define gives a schema a name of its own, once.
func (b *builder) define(name string, n *Node) {
	if d := (Def{name, n}); !b.defined[d] {
		b.defined[d] = true
		b.defs = append(b.defs, d)
	}
}

// entry reads a schema that stands by itself, to be held against the metaschema.
func (b *builder) entry(res *Resource, pointer string, v *document.Value) *Node {
	if n := b.nodes[place{v.File(), pointer}]; n != nil {
		return n
	}
	if res.of != nil && res.of.old {
		v = upgrade{v.File()}.schema(v, pointer)
	}
	n := b.node(res, pointer, v)
	b.unchecked = append(b.unchecked, n)
	return n
}

// node gives the node of a place, reading it and what is below it if need be.
func (b *builder) node(res *Resource, pointer string, v *document.Value) *Node {
	at := place{v.File(), pointer}
	if n := b.nodes[at]; n != nil {
		return n
	}
	n := &Node{File: v.File(), Value: v, Pointer: pointer, Resource: res, graph: b.graph}
	n.Line, n.Column = v.Position()
	b.nodes[at] = n
	b.order = append(b.order, n)
	switch v.Kind {
	case document.Bool:
		always := v.Bool
		n.Always = &always
		if n.isRoot() {
			b.register(res, n)
		}
	case document.Object:
		b.identify(n)
		b.keywords(n)
	default:
		panic(n.errorf("", "a schema is an object or a boolean, not %s", v.Kind))
	}
	return n
}

// isRoot tells whether n is what its resource consists of: the root of a JSON
// Schema, or the payload schema of an event definition.
func (n *Node) isRoot() bool {
	return n.Value == n.Resource.value ||
		(n.File.Form == document.EventDefinition && n.Value == n.File.Event.Payload)
}

// identify handles $id, $anchor and $dynamicAnchor, and what older drafts have instead.
func (b *builder) identify(n *Node) {
	r := reader{b: b, n: n}
	res := n.Resource
	isRoot := n.isRoot()
	inner := res.dialect
	if !isRoot {
		inner = b.embedded(n)
	}
	if r.alone() || (!isRoot && inner.refAlone && n.Value.Get("$ref") != nil) {
		if isRoot {
			b.register(res, n)
		}
		return
	}
	if v := n.Value.Get(inner.id); v != nil && inner.has(inner.id) {
		if v.Kind != document.String {
			r.wrong(inner.id, "a string", v)
		}
		n.ID = v.Text
	}
	anchor := ""
	if n.ID != "" && n.ID != "#" {
		uri, fragment, err := document.ResolveURI(res.URI, n.ID)
		switch {
		case err != nil:
			panic(n.errorf(inner.id, "%v", err))
		case fragment != "" && inner.idAnchors && n.ID[0] == '#':
			anchor, uri = fragment, ""
		case fragment != "" && inner.idAnchors:
			panic(n.errorf(inner.id, "%s must not have both a document and a fragment", inner.id))
		case fragment != "":
			panic(n.errorf("$id", "$id must have no fragment; use $anchor to name a schema inside a resource"))
		}
		switch {
		case anchor != "":
		case isRoot:
			res.URI = uri
		default:
			res = &Resource{URI: uri, anchors: map[string]*Node{}, dynamic: map[string]*Node{},
				dialect: inner, of: res.of, file: n.File, value: n.Value, pointer: n.Pointer}
			if inner != n.Resource.dialect {
				b.unchecked = append(b.unchecked, n)
			}
			n.Resource = res
			isRoot = true
		}
	}
	if isRoot {
		b.register(res, n)
	}
	n.Anchor, n.DynamicAnchor = r.text("$anchor"), r.text("$dynamicAnchor")
	if anchor != "" {
		n.Anchor = anchor
	}
	for _, a := range []struct{ keyword, name string }{{"$anchor", n.Anchor}, {"$dynamicAnchor", n.DynamicAnchor}} {
		if a.name == "" {
			continue
		}
		if other := res.anchors[a.name]; other != nil && other != n {
			panic(n.errorf(a.keyword, "the anchor %q is already used at %s (line %d)", a.name, other.Pointer, other.Line))
		}
		res.anchors[a.name] = n
	}
	if isRoot && r.flag("$recursiveAnchor") {
		n.DynamicAnchor = recursiveAnchor
	}
	if n.DynamicAnchor != "" {
		res.dynamic[n.DynamicAnchor] = n
	}
}

// embedded gives the dialect that n would be in if it turned out to be a resource inside another.
func (b *builder) embedded(n *Node) *dialect {
	s, outer := n.Value.Get("$schema"), n.Resource.dialect
	if s == nil || s.Kind != document.String {
		return outer
	}
	if d := draftOf(s.Text); d != nil {
		if n.Value.Get(d.id) == nil {
			return outer
		}
	} else if n.Value.Get(outer.id) == nil {
		return outer // $schema counts at the root of a resource only
	}
	return b.dialectOf(n.Value, n.File, n.Pointer, outer)
}

func (b *builder) register(res *Resource, n *Node) {
	res.Root, res.Dialect = n, res.dialect.uri
	if other := b.resources[res.URI]; other != nil && other != res {
		panic(n.errorf("$id", "two schemas have the identifier %s; the other is at %s, line %d", res.URI, other.file.Name+"#"+other.pointer, other.line()))
	}
	b.resources[res.URI] = res
}

// finish resolves what is read and unresolved, and checks what is unchecked.
func (b *builder) finish() {
	for b.resolved < len(b.order) {
		n := b.order[b.resolved]
		b.resolved++
		b.resolve(n)
	}
	b.checkContains()
	for _, n := range b.unchecked {
		if b.checked == nil || !b.checked(n) {
			b.checkMeta(n)
		}
	}
	b.unchecked = nil
}

// checkContains refuses what cannot be said in 2020-12: in 2019-09 contains does not count as looking at items, so that
// unevaluatedItems holds for those it matched too.
func (b *builder) checkContains() {
	for _, n := range b.order {
		if n.UnevaluatedItems == nil {
			continue
		}
		n.walk(func(e Edge) bool { return e.Place == InPlace }, func(inner *Node) bool {
			if inner.Contains != nil && inner.Resource.dialect.draft == draft2019 {
				panic(inner.errorf("contains", "contains of 2019-09 in the sight of unevaluatedItems (%s) has a meaning that 2020-12 cannot say; write the schema in 2020-12", n.Location()))
			}
			return true
		})
	}
}

// checkProgress refuses schemas that apply themselves to the same instance again.
func (b *builder) checkProgress() {
	nodes := len(b.order) + len(b.scopes.order)
	if nodes == b.progress {
		return // no schema has been read since
	}
	const (
		open = 1
		done = 2
	)
	state := map[*Node]uint8{}
	var visit func(n *Node)
	visit = func(n *Node) {
		state[n] = open
		for e := range n.Edges() {
			if e.Place != InPlace {
				continue
			}
			switch state[e.Node] {
			case 0:
				visit(e.Node)
			case open:
				keyword := e.Keyword
				if e.Keyword != "$ref" && e.Keyword != "$dynamicRef" {
					keyword = ""
				}
				panic(n.errorf(keyword, "the schema refers to itself (through %s) without looking at a smaller part of the instance, so checking would never end", e.Node.Location()))
			}
		}
		state[n] = done
	}
	for _, n := range b.order {
		// Where scope matters the copies are what is used.
		if state[n] == 0 && len(b.scopes.reach[n]) == 0 {
			visit(n)
		}
	}
	for _, n := range b.scopes.order {
		if state[n] == 0 {
			visit(n)
		}
	}
	b.progress = nodes
}

func index(i int) string { return strconv.Itoa(i) }

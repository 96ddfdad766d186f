package shape

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Config is what a document cannot say about its Go package.
type Config struct {
	Package string            // Go package name
	Title   string            // for the package documentation
	Names   map[string]string // pins: "FILE#/pointer" -> Go type name
	Root    string            // a name for the root of the first document, which makes it a type whatever it describes
	File    *document.File    // where the names are written, under "names"; nil where errors need not say

	Roles      []Role                     // who takes part, sorted by name
	Messages   []Message                  // who sends what
	Methods    []MethodConfig             // what the definitions NAME.params and NAME.result belong to
	Operations map[string]OperationConfig // "METHOD PATH" -> what an OpenAPI description leaves out
}

// Build decides the Go types of a graph. It fails when a pin names no schema or a schema of which no
// type is made, or when two different types would have to share a pinned name.
func Build(g *schema.Graph, cfg Config) (*Package, error) {
	p, err := build(g, cfg)
	var pin *PinError
	if errors.As(err, &pin) && cfg.File != nil {
		pointer := document.Pointer("names", pin.Pointer)
		if v := cfg.File.Root.Lookup(pointer); v != nil {
			at := cfg.File.Errorf(v, pointer, "%v", pin)
			at.Pointer = "" // the pin names a pointer itself
			return nil, at
		}
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func build(g *schema.Graph, cfg Config) (*Package, error) {
	b := &builder{
		graph: g,
		types: map[string]*Type{},
		names: map[*Type][]candidate{},
		defs:  map[*schema.Node]string{},
		byKey: map[string][]*schema.Node{},
		pins:  map[string]string{},
		pinAt: map[string]string{},
		nodes: map[*schema.Node]*Type{},

		standard: map[*schema.Node]*schema.Node{},

		unions: map[*schema.Node]bool{},

		folded:  map[*schema.Node][]*schema.Node{},
		places:  map[*schema.Node]*schema.Node{},
		choices: map[*schema.Node]*schema.Node{},
	}
	b.readDefs()
	if err := b.readPins(cfg.Names); err != nil {
		return nil, err
	}
	roots := make([]string, 0, len(g.Roots))
	for key := range g.Roots {
		roots = append(roots, key)
	}
	sort.Strings(roots)
	if cfg.Root != "" {
		if err := b.nameRoot(cfg.Root); err != nil {
			return nil, err
		}
	}
	for _, key := range roots {
		root := g.Roots[key]
		if isLibrary(root) {
			continue
		}
		b.named(root, candidate{rank: rankTitle, text: rootName(root)})
	}
	for _, def := range g.Defs {
		rank := rankDef
		if def.Node.Target() != def.Node {
			rank = rankTitle // another name for a schema that has its own, or stands elsewhere
		}
		b.named(def.Node, candidate{rank: rank, text: def.Name})
	}
	if err := b.readProtocol(cfg); err != nil {
		return nil, err
	}
	if err := b.assignNames(); err != nil {
		return nil, err
	}
	if err := b.checkMessages(); err != nil {
		return nil, err
	}
	p := &Package{Name: cfg.Package, Title: cfg.Title, Protocol: b.protocol, Documents: g.Files(), nodes: b.nodes, folded: b.folded, places: b.places}
	for _, t := range b.types {
		p.Types = append(p.Types, t)
	}
	sort.Slice(p.Types, func(i, j int) bool { return p.Types[i].Name < p.Types[j].Name })
	b.finish(p)
	return p, checkPins(p, cfg.Names)
}

// nameRoot makes the root of the first document a type of the given name.
func (b *builder) nameRoot(name string) error {
	file := b.graph.Files()[0]
	root, ok := b.graph.Roots[file.Name+"#"]
	if !ok {
		return fmt.Errorf("%s has no root schema to be called %s", file.Name, name)
	}
	t := &Type{Name: name, Node: root, Kind: Raw, Complex: true}
	if n := root.Target(); n == root && !isLibrary(root) {
		t = b.named(root, candidate{rank: rankTitle, text: name})
		t.Name = name
		return nil
	}
	// The root is a mere reference or accepts anything: a type of its own, raw.
	t.Uses = []string{root.Location()}
	b.types["root"] = t
	return nil
}

// isLibrary tells a document that only holds $defs: it describes no value of its own.
func isLibrary(n *schema.Node) bool {
	return n.Always == nil && n.Ref == nil && kindsOf(n) == anyKind && len(n.Properties) == 0 &&
		len(n.AllOf)+len(n.AnyOf)+len(n.OneOf) == 0 && n.Not == nil && n.If == nil
}

func rootName(n *schema.Node) string {
	if e := n.File.Event; e != nil {
		return topicName(e)
	}
	if n.Title != "" {
		return n.Title
	}
	name := n.File.Name
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name
}

type builder struct {
	graph *schema.Graph
	types map[string]*Type          // by identity
	names map[*Type][]candidate     // what each type might be called
	defs  map[*schema.Node]string   // $defs entries and their names
	byKey map[string][]*schema.Node // canonical key -> $defs entries that mean the same
	pins  map[string]string         // canonical key -> pinned name
	pinAt map[string]string         // place -> pinned name

	protocol Protocol
	nodes    map[*schema.Node]*Type // every schema that has a named type

	standard map[*schema.Node]*schema.Node // of $defs entries that mean the same: the one whose type they share

	unions map[*schema.Node]bool // what isUnion found out

	folded  map[*schema.Node][]*schema.Node // a choice -> its branches, each with what stands beside the choice
	places  map[*schema.Node]*schema.Node   // such a branch -> the branch as the document has it
	choices map[*schema.Node]*schema.Node   // such a branch -> the choice
}

func (b *builder) readDefs() {
	for _, def := range b.graph.Defs {
		b.defs[def.Node] = def.Name
		key := def.Node.Key()
		b.byKey[key] = append(b.byKey[key], def.Node)
	}
}

// named returns the named type of n, making it on first sight.
func (b *builder) named(n *schema.Node, c candidate) *Type {
	n = n.Target()
	id := b.identity(n)
	t, ok := b.types[id]
	place := n.Location()
	if branch, ok := b.places[n]; ok {
		place = branch.Location()
	}
	if !ok {
		t = &Type{Node: n}
		if def := b.definitionOf(n); def != nil {
			t.Node = def // what stands for all equal schemas is the one with a name
		}
		b.types[id] = t
	}
	b.nodes[n] = t
	t.Uses = append(t.Uses, place)
	if name, ok := b.defs[n]; ok && c.rank != rankDef {
		b.names[t] = append(b.names[t], candidate{rank: rankDef, text: name})
	}
	if c.rank > rankTitle && n.Title != "" && len(words(n.Title)) <= mostTitleWords {
		b.names[t] = append(b.names[t], candidate{rank: rankTitle, text: n.Title})
	}
	b.names[t] = append(b.names[t], c)
	b.nodes[t.Node] = t
	if !ok {
		b.fill(t)
	}
	return t
}

// mostTitleWords is how long a title can be and still be a name; longer ones are sentences.
const mostTitleWords = 4

// fill decides the kind of a type and what is in it.
func (b *builder) fill(t *Type) {
	n := t.Node
	switch {
	case b.isStruct(n) || b.isEmptyObject(n):
		t.Kind = Struct
		b.fillStruct(t)
	case b.isUnion(n):
		t.Kind = Union
		b.fillUnion(t)
	case isEnum(n):
		t.Kind = Enum
		t.Values = enumValues(n)
		t.Numbers = kindsBesideNull(n) != schema.TypeString
		t.Complex = !onlyRules(n, t.EnumKeyword(), "type") || t.Numbers && ClosedNumbers(n) == nil
	default:
		use := b.use(n, candidate{rank: rankMember, parent: t, text: "Items"}, true)
		t.Complex = use.Complex
		switch use.Kind {
		case UseList:
			t.Kind, t.Elem = List, use.Elem
		case UseMap:
			t.Kind, t.Elem = Map, use.Elem
		case UseRaw:
			t.Kind, t.Complex = Raw, true
		default:
			t.Kind, t.Elem = Scalar, use
		}
		if use.Nullable {
			t.Kind, t.Elem, t.Complex = Raw, nil, true
		}
	}
}

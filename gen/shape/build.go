package shape

import (
	"fmt"
	"math"
	"math/big"
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

	Roles      []Role                     // who takes part, sorted by name
	Messages   []Message                  // who sends what
	Methods    []MethodConfig             // what the definitions NAME.params and NAME.result belong to
	Operations map[string]OperationConfig // "METHOD PATH" -> what an OpenAPI description leaves out
}

// Build decides the Go types of a graph. It fails when a pin names no schema, or when two different types would
// have to share a pinned name.
func Build(g *schema.Graph, cfg Config) (*Package, error) {
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
		b.named(def.Node, candidate{rank: rankDef, text: def.Name})
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
	return p, nil
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
	b.names[t] = append(b.names[t], c)
	b.nodes[t.Node] = t
	if !ok {
		b.fill(t)
	}
	return t
}

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
		for _, text := range enumStrings(n) {
			t.Values = append(t.Values, Value{Text: text})
		}
		t.Complex = !onlyRules(n, "enum", "const", "type")
	default:
		use := b.use(n, candidate{rank: rankMember, parent: t, text: "Item"}, true)
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

// isEmptyObject: a $defs entry that is an object without named members is still a struct, so that members can be
// added to it later without changing the kind of the type.
func (b *builder) isEmptyObject(n *schema.Node) bool {
	_, isDef := b.defs[n]
	return isDef && kindsOf(n) == schema.TypeObject && len(viewOf(n).names) == 0 && len(n.PatternProperties) == 0 &&
		(n.AdditionalProperties == nil || n.AdditionalProperties.Always != nil) && len(n.OneOf)+len(n.AnyOf) == 0
}

func (b *builder) isStruct(n *schema.Node) bool {
	return kindsBesideNull(n) == schema.TypeObject && len(n.OneOf)+len(n.AnyOf) == 0 &&
		(len(viewOf(n).names) > 0 || refusesAll(n.AdditionalProperties) && len(n.PatternProperties) == 0)
}

// isUnion tells an anyOf or oneOf all of whose branches, together with what stands beside it, are structs or unions.
func (b *builder) isUnion(n *schema.Node) bool { return b.isUnionIn(n, map[*schema.Node]bool{}) }

func (b *builder) isUnionIn(n *schema.Node, visiting map[*schema.Node]bool) bool {
	if visiting[n] {
		return false
	}
	branches, ok := b.fold(n)
	if !ok {
		return false
	}
	visiting[n] = true
	defer delete(visiting, n)
	seen := map[string]bool{}
	for _, branch := range branches {
		branch = branch.Target()
		if !b.isStruct(branch) && !b.isUnionIn(branch, visiting) || seen[b.key(branch)] {
			return false
		}
		seen[b.key(branch)] = true
	}
	return true
}

// isEnum tells a closed list of two or more strings. (One string is a constant, not an enum.)
func isEnum(n *schema.Node) bool {
	return len(enumStrings(n)) >= 2 && kindsBesideNull(n) == schema.TypeString && len(n.AllOf)+len(n.AnyOf)+len(n.OneOf) == 0
}

// enumStrings returns the strings of an enum.
func enumStrings(n *schema.Node) []string {
	var texts []string
	for _, v := range n.Enum {
		if v.Kind == document.String {
			texts = append(texts, v.Text)
		}
	}
	return texts
}

func (b *builder) fillStruct(t *Type) {
	t.Open = !refusesAll(t.Node.AdditionalProperties) || len(t.Node.PatternProperties) > 0
	object, fused := Fuse(t.Node)
	t.Complex = !fused
	v := viewOf(t.Node)
	if fused {
		refusing, _ := object.Refusing("", false)
		t.Open = refusing == nil
	}
	for _, name := range v.names {
		members := v.members[name]
		rules := Needed(targets(members))
		if fused {
			if part, _ := object.Refusing(name, true); part != nil {
				continue // another part refuses the member: no value can have it
			}
			rules = object.Rules(name)
		}
		node := members[0]
		if len(rules) > 0 {
			node = original(members, b.best(rules))
		}
		if v.required[name] {
			if values := fixedValues(node); len(values) == 1 && onlyRules(node.Target(), "const", "enum", "type") {
				t.Consts = append(t.Consts, &Const{Name: GoName(name), JSON: name, Value: values[0], Node: node, Also: without(rules, node)})
				continue
			}
		}
		use := b.use(node, candidate{rank: rankMember, parent: t, text: name}, false)
		t.Fields = append(t.Fields, &Field{Name: GoName(name), JSON: name, Use: use, Required: v.required[name], Node: described(members, node), Also: without(rules, node)})
	}
}

func targets(nodes []*schema.Node) []*schema.Node {
	out := make([]*schema.Node, len(nodes))
	for i, n := range nodes {
		out[i] = n.Target()
	}
	return out
}

// best chooses the schema that says most about how a value is held: one value, a named type, a list or map, a scalar.
func (b *builder) best(rules []*schema.Node) *schema.Node {
	worth := func(n *schema.Node) int {
		switch kinds := kindsBesideNull(n); {
		case len(fixedValues(n)) == 1:
			return 5
		case b.isUnion(n):
			return 4
		case b.isStruct(n) || isEnum(n):
			return 3
		case kinds == schema.TypeArray || kinds == schema.TypeObject:
			return 2
		case n.Types != 0:
			return 1
		}
		return 0
	}
	best := rules[0]
	for _, n := range rules[1:] {
		if worth(n) > worth(best) {
			best = n
		}
	}
	return best
}

// original finds the member whose target is n: the reference carries the description of the place.
func original(members []*schema.Node, n *schema.Node) *schema.Node {
	for _, m := range members {
		if m.Target() == n {
			return m
		}
	}
	return n
}

// described prefers a member with a description of its own.
func described(members []*schema.Node, n *schema.Node) *schema.Node {
	if n.Description != "" {
		return n
	}
	for _, m := range members {
		if m.Description != "" && m.Target().Key() == n.Target().Key() {
			return m
		}
	}
	return n
}

func without(rules []*schema.Node, n *schema.Node) []*schema.Node {
	var rest []*schema.Node
	for _, r := range rules {
		if r != n.Target() {
			rest = append(rest, r)
		}
	}
	return rest
}

func (b *builder) fillUnion(t *Type) {
	branches, _ := b.fold(t.Node)
	t.Decision = Decide(branches)
	t.Complex = t.Decision.mustTry()
	labels := branchLabels(t.Decision, len(branches))
	for i, branch := range branches {
		vt := b.named(branch, candidate{rank: rankVariant, parent: t, text: labels[i]})
		vt.Unions = append(vt.Unions, t)
		t.Variants = append(t.Variants, &Variant{Type: vt, Branch: branch})
	}
}

// mustTry reports whether the decision leaves more than one branch anywhere.
func (d *Decision) mustTry() bool {
	if d == nil {
		return false
	}
	if d.Leaf {
		return len(d.Branches) > 1
	}
	for _, next := range d.ByKind {
		if next.mustTry() {
			return true
		}
	}
	for _, c := range d.Cases {
		if c.Next.mustTry() {
			return true
		}
	}
	return d.Other.mustTry()
}

// branchLabels names each branch by the values that lead to it and to nothing else.
func branchLabels(d *Decision, n int) []string {
	labels := make([]string, n)
	var walk func(d *Decision, path string)
	walk = func(d *Decision, path string) {
		switch {
		case d == nil:
		case d.Leaf:
			for _, i := range d.Branches {
				if labels[i] == "" && len(d.Branches) == 1 {
					labels[i] = path
				}
			}
		case d.ByKind != nil:
			for _, kind := range valueKinds {
				walk(d.ByKind[kind], path)
			}
		default:
			for _, c := range d.Cases {
				text := c.Values[0].Text
				if c.Values[0].Kind == document.Bool {
					text = fmt.Sprintf("%s %t", d.Member, c.Values[0].Bool)
				}
				walk(c.Next, strings.TrimSpace(path+" "+text))
			}
			walk(d.Other, strings.TrimSpace(path+" other"))
		}
	}
	walk(d, "")
	return labels
}

// use decides how a value of n is held where it is used. With inner set the outermost type is not made into a named
// type of its own (the caller is making it).
func (b *builder) use(n *schema.Node, c candidate, inner bool) *Use {
	t := n.Target()
	u := &Use{Node: t}
	if rest, ok := withoutNull(t); ok {
		if rest != t {
			if u := b.use(rest, c, inner); u.Kind != UseRaw && !u.Nullable {
				u.Nullable, u.Node = true, t
				return u
			}
			u.Complex = true
			return u
		}
		u.Nullable = true
	}
	switch kinds := kindsBesideNull(t); {
	case t.Always != nil && *t.Always || isLibrary(t) && onlyRules(t):
		u.Node = nil
		return u
	case t.Always != nil:
		u.Complex = true
		return u
	case !inner && (b.isStruct(t) || b.isUnion(t) || isEnum(t)):
		u.Kind, u.Type = UseNamed, b.named(n, c)
		return u
	case !inner && b.defs[t] != "" && b.isEmptyObject(t):
		u.Kind, u.Type = UseNamed, b.named(n, c)
		return u
	case kinds == schema.TypeString:
		u.Kind = UseText
		u.Complex = !onlyRules(t, "type", "minLength", "maxLength", "pattern", "format")
	case kinds == schema.TypeBoolean:
		u.Kind = UseBool
		u.Complex = !onlyRules(t, "type")
	case kinds == schema.TypeInteger:
		u.Kind = UseNumber
		if fitsInt64(t) {
			u.Kind = UseInt
		}
		u.Complex = !onlyRules(t, "type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
	case kinds == schema.TypeInteger|schema.TypeNumber && t.Types != 0:
		u.Kind = UseNumber
		if (t.Minimum != nil || t.ExclusiveMinimum != nil) && (t.Maximum != nil || t.ExclusiveMaximum != nil) && fitsFloat64(t) {
			u.Kind = UseFloat
		}
		u.Complex = !onlyRules(t, "type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
	case kinds == schema.TypeArray && len(t.PrefixItems) == 0 && len(t.OneOf)+len(t.AnyOf) == 0 && (t.Items != nil || len(t.AllOf) == 0 && t.Ref == nil):
		u.Kind = UseList
		u.Complex = !onlyRules(t, "type", "items", "minItems", "maxItems")
		if t.Items == nil {
			u.Elem = &Use{}
		} else {
			u.Elem = b.use(t.Items, c.ofElement(), false)
		}
	case kinds == schema.TypeObject && !acceptsAll(t.AdditionalProperties) && t.AdditionalProperties.Always == nil && len(t.PatternProperties) == 0 &&
		len(viewOf(t).names) == 0 && len(t.OneOf)+len(t.AnyOf) == 0:
		u.Kind = UseMap
		u.Complex = !onlyRules(t, "type", "additionalProperties", "propertyNames", "minProperties", "maxProperties") || !trivialNames(t.PropertyNames)
		u.Elem = b.use(t.AdditionalProperties, c.ofElement(), false)
	default:
		u.Complex, u.Nullable = !(t.Types == schema.TypeObject && onlyRules(t, "type")), false
	}
	return u
}

// trivialNames tells a propertyNames that every member name fulfils.
func trivialNames(n *schema.Node) bool {
	return acceptsAll(n) || n.Target().Types.Has(schema.TypeString) && onlyRules(n.Target(), "type")
}

// withoutNull returns the schema of the values beside null, where the schema is "this or null": the other branch of an
// anyOf or oneOf, or n itself where null stands in its type list or its enum.
func withoutNull(n *schema.Node) (*schema.Node, bool) {
	if nullByItself(n) {
		return n, true
	}
	for _, branches := range [][]*schema.Node{n.AnyOf, n.OneOf} {
		if len(branches) != 2 || !onlyRules(n, "anyOf", "oneOf") {
			continue
		}
		for i, branch := range branches {
			if branch.Target().Types == schema.TypeNull && onlyRules(branch.Target(), "type") && kindsOf(branches[1-i])&schema.TypeNull == 0 {
				return branches[1-i], true
			}
		}
	}
	return nil, false
}

// nullByItself tells a schema that names null beside other kinds, in its type list or in its enum.
func nullByItself(n *schema.Node) bool {
	kinds := kindsOf(n)
	return kinds&schema.TypeNull != 0 && kinds&^schema.TypeNull != 0 && n.Const == nil && (n.Types&schema.TypeNull != 0 || n.Enum != nil) &&
		len(n.AllOf)+len(n.AnyOf)+len(n.OneOf) == 0 && n.Ref == nil
}

// kindsBesideNull returns the kinds of n without a null that n names itself.
func kindsBesideNull(n *schema.Node) schema.Types {
	kinds := kindsOf(n)
	if nullByItself(n) {
		kinds &^= schema.TypeNull
	}
	return kinds
}

func fitsInt64(n *schema.Node) bool {
	lo, hi := n.Minimum, n.Maximum
	if lo == nil {
		lo = n.ExclusiveMinimum
	}
	if hi == nil {
		hi = n.ExclusiveMaximum
	}
	return lo != nil && hi != nil && inRange(lo.Text, math.MinInt64, math.MaxInt64) && inRange(hi.Text, math.MinInt64, math.MaxInt64)
}

func fitsFloat64(n *schema.Node) bool {
	for _, v := range []*document.Value{n.Minimum, n.Maximum, n.ExclusiveMinimum, n.ExclusiveMaximum} {
		if v != nil && !inRange(v.Text, -math.MaxFloat64, math.MaxFloat64) {
			return false
		}
	}
	return true
}

func inRange(text string, lo, hi float64) bool {
	f, _, err := big.ParseFloat(text, 10, 256, big.ToNearestEven)
	return err == nil && f.Cmp(big.NewFloat(lo)) >= 0 && f.Cmp(big.NewFloat(hi)) < 0
}

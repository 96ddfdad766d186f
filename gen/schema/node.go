package schema

import (
	"fmt"
	"iter"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// Types is a set of the type names of the type keyword.
type Types uint8

// The seven names. Number includes Integer in meaning; the set holds what was
// written.
const (
	TypeNull Types = 1 << iota
	TypeBoolean
	TypeInteger
	TypeNumber
	TypeString
	TypeArray
	TypeObject
)

var typeNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

// Names gives the names in the set, in the order of the constants.
func (t Types) Names() []string {
	var names []string
	for i, name := range typeNames {
		if t&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Has tells whether all of u are in t.
func (t Types) Has(u Types) bool { return t&u == u }

// String joins the names with "|".
func (t Types) String() string { return strings.Join(t.Names(), "|") }

// Node is one schema: an object or a boolean at one place of one document. Nodes
// are compared by identity: one place (and one dynamic scope) is one node. A
// built node is read-only.
type Node struct {
	File    *document.File
	Value   *document.Value // the schema as written
	Pointer string          // JSON Pointer of Value in File
	Line    int             // of Value, from 1
	Column  int             // of Value, from 1, in code points
	// Scope is "" but for a schema whose meaning depends on dynamic scope: then it
	// says which $dynamicAnchor means what, so that Pointer and Scope together are
	// unique in a file.
	Scope    string
	Resource *Resource

	// Always is set for a boolean schema; then nothing else is.
	Always *bool

	ID            string // $id as written
	Anchor        string // $anchor
	DynamicAnchor string // $dynamicAnchor

	Ref            *Node  // target of $ref
	RefText        string // $ref as written
	DynamicRef     *Node  // target of $dynamicRef in the scope of this node
	DynamicRefText string // $dynamicRef as written

	Types Types             // type; 0 = not given
	Const *document.Value   // const; nil = not given
	Enum  []*document.Value // enum; nil = not given (an empty one is not nil)

	AllOf, AnyOf, OneOf  []*Node
	Not, If, Then, Else  *Node
	DependentSchemas     []Property
	Properties           []Property // document order
	PatternProperties    []PatternProperty
	AdditionalProperties *Node
	PropertyNames        *Node
	PrefixItems          []*Node
	Items, Contains      *Node

	UnevaluatedItems, UnevaluatedProperties *Node

	Required          []string
	DependentRequired []Dependent

	// Bounds on counts; nil = not given. What exceeds int64 is math.MaxInt64.
	MinProperties, MaxProperties, MinItems, MaxItems *int64
	MinLength, MaxLength, MinContains, MaxContains   *int64
	UniqueItems                                      bool
	Pattern                                          *string // ECMA-262, as written
	Format                                           string
	// AssertFormat is set when the metaschema of the resource requires the
	// format-assertion vocabulary.
	AssertFormat bool

	// Bounds on numbers: values of kind number, exact text; nil = not given.
	Minimum, Maximum, ExclusiveMinimum, ExclusiveMaximum, MultipleOf *document.Value

	ContentEncoding, ContentMediaType string
	ContentSchema                     *Node

	Title, Description, Comment     string
	Default                         *document.Value
	Examples                        []*document.Value
	Deprecated, ReadOnly, WriteOnly bool

	Defs    []Property // $defs, then definitions, document order
	Unknown []Unknown  // keywords of no vocabulary, document order

	graph *Graph
}

// Property is a schema under a member name.
type Property struct {
	Name string
	Node *Node
}

// PatternProperty is a schema under a pattern for member names.
type PatternProperty struct {
	Pattern string // ECMA-262, as written, not anchored
	Node    *Node
}

// Dependent is one member of dependentRequired.
type Dependent struct {
	Name     string   // when this member is present
	Required []string // these must be too
}

// Unknown is a keyword that no vocabulary of the resource's dialect has.
type Unknown struct {
	Keyword string
	Pointer string // of its value, in the file of the node
	Value   *document.Value
}

// Resource is a schema resource: a document root or a schema with $id.
type Resource struct {
	URI  string // base URI (or path) of the references inside, no fragment
	Root *Node
	// Dialect is the URI of the metaschema that the resource is written in.
	Dialect string

	anchors map[string]*Node // $anchor and $dynamicAnchor
	dynamic map[string]*Node // $dynamicAnchor only
	dialect *dialect
	of      *described // the OpenAPI description that it belongs to, or nil
	file    *document.File
	value   *document.Value // what a JSON Pointer in a reference starts from
	pointer string          // of value
}

func (r *Resource) line() int {
	line, _ := r.value.Position()
	return line
}

// FileName is how people are told the file of the schema: by the last part of its
// name, or as much as tells it from the other files of the graph.
func (n *Node) FileName() string { return n.graph.fileName(n.File) }

// Property gives the schema under a name in properties, or nil.
func (n *Node) Property(name string) *Node {
	for _, p := range n.Properties {
		if p.Name == name {
			return p.Node
		}
	}
	return nil
}

// IsRequired tells whether required lists the name.
func (n *Node) IsRequired(name string) bool {
	for _, r := range n.Required {
		if r == name {
			return true
		}
	}
	return false
}

// Target follows $ref (and $dynamicRef) as long as nothing that could change the
// set of valid instances stands beside it; annotations and definitions may. It
// gives n itself when n is no plain reference. It ends: a graph has no cycle of
// references alone.
func (n *Node) Target() *Node {
	for {
		to := n.Ref
		if to == nil {
			to = n.DynamicRef
		}
		if to == nil || n.constrains() {
			return n
		}
		n = to
	}
}

// constrains tells whether there is a rule beside one reference.
func (n *Node) constrains() bool {
	switch {
	case n.Ref != nil && n.DynamicRef != nil,
		n.Types != 0, n.Const != nil, n.Enum != nil, n.Pattern != nil, n.Format != "", n.UniqueItems,
		n.Minimum != nil, n.Maximum != nil, n.ExclusiveMinimum != nil, n.ExclusiveMaximum != nil, n.MultipleOf != nil,
		n.MinProperties != nil, n.MaxProperties != nil, n.MinItems != nil, n.MaxItems != nil,
		n.MinLength != nil, n.MaxLength != nil, n.MinContains != nil, n.MaxContains != nil,
		n.ContentEncoding != "", n.ContentMediaType != "",
		len(n.Required) > 0, len(n.DependentRequired) > 0:
		return true
	}
	for e := range n.Edges() {
		if e.Keyword != "$ref" && e.Keyword != "$dynamicRef" && e.Keyword != "$defs" {
			return true
		}
	}
	return false
}

// Place is where an edge leads: to a check of the same instance, to a check of a
// part of it, or to no check at all.
type Place uint8

// The places of a subschema.
const (
	InPlace    Place = iota // applied to the same instance value
	Child                   // applied to members, items or member names
	Definition              // not applied by this keyword ($defs, contentSchema)
)

// Edge leads from a node to a node it uses.
type Edge struct {
	Keyword string // "$ref", "properties", ...
	Name    string // member name or pattern, where the keyword holds an object
	Index   int    // where the keyword holds an array
	Place   Place
	Node    *Node
}

// Edges gives every node that n names, keyword by keyword in a fixed order and
// document order within a keyword. References are edges too.
func (n *Node) Edges() iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		for _, s := range n.slots() {
			if !s.each(yield) {
				return
			}
		}
	}
}

// Children gives the subschemas of n: what Edges gives, without references.
func (n *Node) Children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for e := range n.Edges() {
			if e.Keyword != "$ref" && e.Keyword != "$dynamicRef" && !yield(e.Node) {
				return
			}
		}
	}
}

// Walk visits every node that can be reached from n, through references too,
// each once, n first. It does not go into what visit answers false for.
func (n *Node) Walk(visit func(*Node) bool) {
	n.walk(func(Edge) bool { return true }, visit)
}

// walk is Walk along some edges only.
func (n *Node) walk(follow func(Edge) bool, visit func(*Node) bool) {
	seen := map[*Node]bool{}
	stack := []*Node{n}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if !visit(n) {
			continue
		}
		at := len(stack)
		for e := range n.Edges() {
			if follow(e) {
				stack = append(stack, e.Node)
			}
		}
		for i, j := at, len(stack)-1; i < j; i, j = i+1, j-1 {
			stack[i], stack[j] = stack[j], stack[i]
		}
	}
}

// Location is FILE#POINTER: the source as it is shown to people.
func (n *Node) Location() string { return n.File.Name + "#" + n.Pointer }

// String is for debugging: location, position, scope and keywords.
func (n *Node) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%d:%d)", n.Location(), n.Line, n.Column)
	if n.Scope != "" {
		fmt.Fprintf(&b, " in scope %s", n.Scope)
	}
	if n.Always != nil {
		fmt.Fprintf(&b, " %t", *n.Always)
		return b.String()
	}
	b.WriteString(" {")
	for i, m := range n.Value.Members {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(m.Name)
		if m.Name == "$ref" || m.Name == "type" {
			b.WriteString(" " + string(m.Value.Raw()))
		}
	}
	b.WriteString("}")
	return b.String()
}

// errorf makes an error at a keyword of n, or at n itself when keyword is "".
func (n *Node) errorf(keyword, format string, args ...any) *document.Error {
	return errorAt(n.File, n.Value, n.Pointer, keyword, format, args...)
}

func errorAt(f *document.File, v *document.Value, pointer, keyword, format string, args ...any) *document.Error {
	if keyword != "" {
		if m := v.Get(keyword); m != nil {
			return f.Errorf(m, pointer+"/"+document.EscapeToken(keyword), format, args...)
		}
	}
	return f.Errorf(v, pointer, format, args...)
}

package shape

import (
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Package is everything one Go package will hold.
type Package struct {
	Name      string           // Go package name
	Title     string           // what doc.go calls it
	Documents []*document.File // in the order given
	Types     []*Type          // sorted by name
	Protocol

	nodes  map[*schema.Node]*Type
	folded map[*schema.Node][]*schema.Node
	places map[*schema.Node]*schema.Node
}

// Branches returns the branches of an anyOf or oneOf, each with what stands beside the choice laid over it; ok is false
// where that cannot be done.
func (p *Package) Branches(n *schema.Node) (branches []*schema.Node, ok bool) {
	branches = p.folded[n]
	return branches, branches != nil
}

// Branch returns the pointer of the branch that a type stands for together with what stands beside its choice, which
// is at the type's own pointer; "" for all other types.
func (p *Package) Branch(t *Type) string {
	if branch, ok := p.places[t.Node]; ok {
		return branch.Pointer
	}
	return ""
}

// TypeOf returns the named type of a schema, nil where it has none.
func (p *Package) TypeOf(n *schema.Node) *Type { return p.nodes[n.Target()] }

// Kind says what a named type is in Go.
type Kind int

// The kinds of named types.
const (
	Struct Kind = iota // an object with named members
	Union              // a sealed interface over variants
	Enum               // a string or int64 type with constants
	List               // a slice
	Map                // an object read as an ordered list of names and values of one type
	Scalar             // a named string, bool, int64, float64 or number
	Raw                // JSON kept as it came, fully validated
)

// String returns the kind as Go programmers call it.
func (k Kind) String() string {
	return [...]string{"struct", "union", "enum", "list", "map", "scalar", "raw"}[k]
}

// Type is one named Go type.
type Type struct {
	Name string
	Kind Kind
	Node *schema.Node // the schema it stands for; of equal ones the first by file and pointer
	Uses []string     // pointers of the equal schemas that share the type, sorted, "FILE#/pointer"

	Fields   []*Field   // Struct, in the order of the document
	Consts   []*Const   // Struct: required members whose value the schema fixes; they are not fields
	Open     bool       // Struct: members the schema does not name are allowed (and kept)
	Variants []*Variant // Union, sorted by name
	Decision *Decision  // Union: how a value finds its variant
	Tags     []*Tag     // Union: the constant members all variants have
	Mixed    []*Tag     // Union: members that are constant in some variants and text in the others
	Values   []Value    // Enum, in the order of the document
	Numbers  bool       // Enum: the values are integers
	Elem     *Use       // List, Map: the element; Scalar: the underlying scalar
	Unions   []*Type    // the unions this type is a variant of, sorted by name
	Tag      string     // Enum: set where the values are those of a tag of the union Node stands for

	// Complex is set where the schema holds rules that reading the members one after the other cannot decide
	// (allOf, not, if, ...): such a value is checked first and built afterwards.
	Complex bool
}

// Nullable reports whether the schema of a struct or an enum allows null too. Where the type is used, the use says so;
// by itself a value of the type is never null.
func (t *Type) Nullable() bool { return (t.Kind == Struct || t.Kind == Enum) && nullByItself(t.Node) }

// ChecksNull reports whether null is only known to be valid after a check, where the type is [Type.Nullable].
func (t *Type) ChecksNull() bool { return mayRefuseNull(t.Node) }

// Field is one member of a struct.
type Field struct {
	Name     string // Go name
	JSON     string // member name
	Use      *Use
	Required bool
	Node     *schema.Node   // the member's schema, for its description and default
	Also     []*schema.Node // further schemas that the value must satisfy
}

// Const is a required member with one possible value.
type Const struct {
	Name  string // Go name of the method that returns it
	JSON  string
	Value *document.Value
	Node  *schema.Node
	Type  *Type          // the enum that the value belongs to, nil: a plain scalar
	Also  []*schema.Node // further schemas that the value must satisfy
}

// Variant is one branch of a union.
type Variant struct {
	Type   *Type
	Branch *schema.Node
}

// Tag is a constant member which every variant of a union has.
type Tag struct {
	Name string // Go name of the method
	JSON string
	Type *Type // the enum of its values, nil: a plain scalar
	Bool bool  // the values are booleans
}

// Value is one constant of an enum.
type Value struct {
	Name       string // Go name of the constant
	Text       string // the string on the wire, or the integer in decimal digits
	Doc        string // what the document tells of it, "" for nothing
	Deprecated bool   // the document marks it so

	called string // its name in the document, "" for none
}

// UseKind says how a value is held where it is used.
type UseKind int

// The ways to hold a value.
const (
	UseRaw    UseKind = iota // wire.Raw
	UseText                  // string
	UseBool                  // bool
	UseInt                   // int64: the schema bounds it to that range
	UseFloat                 // float64: a number with both bounds
	UseNumber                // wire.Number: the JSON text of an unbounded number
	UseNamed                 // a named type
	UseList                  // []T
	UseMap                   // wire.Map[T]
)

// Use is a type at the place where it is used.
type Use struct {
	Kind     UseKind
	Type     *Type        // UseNamed
	Elem     *Use         // UseList, UseMap
	Node     *schema.Node // the rules at this place, nil: none
	Nullable bool         // null is allowed beside the values of the kind
	Indirect bool         // UseNamed: a struct that contains itself here, and so is held by a pointer
	// Complex is set where Node holds rules that the kind does not cover: the value is checked against Node first.
	Complex bool
}

// Decision leads a value to the branches that it can belong to. Exactly one of the three forms is set: a look at the
// value's kind, a look at a member, or a leaf with what remains (none: the value belongs to no branch).
type Decision struct {
	ByKind map[schema.Types]*Decision // keyed by a single kind; a kind that is missing belongs to no branch
	Member string                     // look at this member ...
	Cases  []Case                     // ... and go where its value leads
	Other  *Decision                  // ... or here, when the member is absent or has another value (nil: no branch)

	Leaf     bool
	Branches []int // Leaf: indexes of the branches left
}

// Case is one way out of a decision by a member's value.
type Case struct {
	Values []*document.Value // strings or booleans
	Next   *Decision
}

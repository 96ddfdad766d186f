package schema

import (
	"math"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

// reader reads the keywords of one node, with a positioned error for a value of
// the wrong kind.
type reader struct {
	b *builder
	n *Node
}

// get gives the value of a keyword, or nil when it is absent or not a keyword of
// the resource's dialect.
func (r reader) get(keyword string) *document.Value {
	if !r.n.Resource.dialect.has(keyword) {
		return nil
	}
	return r.n.Value.Get(keyword)
}

func (r reader) wrong(keyword, want string, v *document.Value) {
	panic(r.n.errorf(keyword, "%s must be %s, not %s", keyword, want, article(v)))
}

// article names the kind of a value for a message.
func article(v *document.Value) string { return reference.Article(v.Kind.String()) }

func (r reader) text(keyword string) string {
	v := r.get(keyword)
	if v == nil {
		return ""
	}
	if v.Kind != document.String {
		r.wrong(keyword, "a string", v)
	}
	return v.Text
}

func (r reader) flag(keyword string) bool {
	v := r.get(keyword)
	if v == nil {
		return false
	}
	if v.Kind != document.Bool {
		r.wrong(keyword, "true or false", v)
	}
	return v.Bool
}

// count reads a bound on a count: a whole number from 0, 2.0 being one.
func (r reader) count(keyword string) *int64 {
	v := r.get(keyword)
	if v == nil {
		return nil
	}
	if v.Kind != document.Number {
		r.wrong(keyword, "a whole number from 0", v)
	}
	d := v.Decimal()
	if !d.IsInteger() || d.Sign() < 0 {
		panic(r.n.errorf(keyword, "%s must be a whole number from 0", keyword))
	}
	n, ok := d.Int64()
	if !ok {
		n = math.MaxInt64
	}
	return &n
}

func (r reader) number(keyword string) *document.Value {
	v := r.get(keyword)
	if v != nil && v.Kind != document.Number {
		want := "a number"
		if v.Kind == document.Bool {
			want = "a number in 2020-12 (draft-04 is read where $schema names it)"
		}
		r.wrong(keyword, want, v)
	}
	return v
}

func (r reader) array(keyword string) []*document.Value {
	v := r.get(keyword)
	if v == nil {
		return nil
	}
	if v.Kind != document.Array {
		r.wrong(keyword, "an array", v)
	}
	if v.Items == nil {
		return []*document.Value{}
	}
	return v.Items
}

func (r reader) object(keyword string) []document.Member {
	v := r.get(keyword)
	if v == nil {
		return nil
	}
	if v.Kind != document.Object {
		r.wrong(keyword, "an object", v)
	}
	return v.Members
}

// names reads a list of different strings at a pointer below the node.
func (r reader) names(v *document.Value, pointer, what string) []string {
	if v.Kind != document.Array {
		panic(r.n.File.Errorf(v, pointer, "%s must be an array of strings, not %s", what, article(v)))
	}
	names := make([]string, 0, len(v.Items))
	seen := make(map[string]bool, len(v.Items))
	for i, item := range v.Items {
		at := pointer + "/" + index(i)
		if item.Kind != document.String {
			panic(r.n.File.Errorf(item, at, "%s must hold strings, not %s", what, article(item)))
		}
		if seen[item.Text] {
			panic(r.n.File.Errorf(item, at, "%s names %q twice", what, item.Text))
		}
		seen[item.Text] = true
		names = append(names, item.Text)
	}
	return names
}

func (r reader) pointer(tokens ...string) string {
	return r.n.Pointer + document.Pointer(tokens...)
}

func (r reader) sub(v *document.Value, tokens ...string) *Node {
	return r.b.node(r.n.Resource, r.pointer(tokens...), v)
}

func (r reader) schemas(keyword string) []*Node {
	v := r.get(keyword)
	if v == nil {
		return nil
	}
	if v.Kind != document.Array {
		r.wrong(keyword, "an array of schemas", v)
	}
	if len(v.Items) == 0 {
		panic(r.n.errorf(keyword, "%s must hold at least one schema", keyword))
	}
	nodes := make([]*Node, len(v.Items))
	for i, item := range v.Items {
		nodes[i] = r.sub(item, keyword, index(i))
	}
	return nodes
}

func (r reader) types() Types {
	v := r.get("type")
	if v == nil {
		return 0
	}
	items, pointer := []*document.Value{v}, r.pointer("type")
	if v.Kind == document.Array {
		if items = v.Items; len(items) == 0 {
			panic(r.n.errorf("type", "type must name at least one type"))
		}
	}
	var types Types
	for i, item := range items {
		at := pointer
		if v.Kind == document.Array {
			at += "/" + index(i)
		}
		k := -1
		if item.Kind == document.String {
			k = slices.Index(typeNames, item.Text)
		}
		if k < 0 {
			hint := ""
			if item.Kind == document.Null {
				hint = "; write \"null\" in quotes"
			}
			panic(r.n.File.Errorf(item, at, "type must be one of %s, or an array of them%s", strings.Join(typeNames, ", "), hint))
		}
		if types&(1<<k) != 0 {
			panic(r.n.File.Errorf(item, at, "type names %q twice", item.Text))
		}
		types |= 1 << k
	}
	return types
}

// keywords reads everything but identifiers into n, and every subschema.
func (b *builder) keywords(n *Node) {
	r := reader{b: b, n: n}
	n.RefText, n.DynamicRefText = r.text("$ref"), r.text("$dynamicRef")
	if n.Resource.dialect.has("$recursiveRef") {
		if n.DynamicRefText = r.text("$recursiveRef"); r.get("$recursiveRef") != nil && n.DynamicRefText != "#" {
			panic(n.errorf("$recursiveRef", "$recursiveRef must be \"#\""))
		}
	}
	if r.alone() {
		b.definitions(r, "definitions")
		n.Title, n.Description, n.Comment = r.text("title"), r.text("description"), r.text("$comment")
		b.unknown(r)
		return
	}
	b.subschemas(r)

	n.Types = r.types()
	n.Const = r.get("const")
	n.Enum = r.array("enum")
	if v := r.get("required"); v != nil {
		n.Required = r.names(v, r.pointer("required"), "required")
	}
	for _, m := range r.object("dependentRequired") {
		n.DependentRequired = append(n.DependentRequired, Dependent{m.Name, r.names(m.Value, r.pointer("dependentRequired", m.Name), "dependentRequired")})
	}
	b.dependencies(r)
	n.MinProperties, n.MaxProperties = r.count("minProperties"), r.count("maxProperties")
	n.MinItems, n.MaxItems = r.count("minItems"), r.count("maxItems")
	n.MinLength, n.MaxLength = r.count("minLength"), r.count("maxLength")
	n.MinContains, n.MaxContains = r.count("minContains"), r.count("maxContains")
	n.UniqueItems = r.flag("uniqueItems")
	if r.get("pattern") != nil {
		pattern := r.text("pattern")
		n.Pattern = &pattern
	}
	n.Format = r.text("format")
	n.AssertFormat = n.Resource.dialect.assertFormat
	n.Minimum, n.Maximum = r.number("minimum"), r.number("maximum")
	if n.Resource.dialect.draft == draft4 {
		n.Minimum, n.ExclusiveMinimum = r.exclusive("exclusiveMinimum", n.Minimum)
		n.Maximum, n.ExclusiveMaximum = r.exclusive("exclusiveMaximum", n.Maximum)
	} else {
		n.ExclusiveMinimum, n.ExclusiveMaximum = r.number("exclusiveMinimum"), r.number("exclusiveMaximum")
	}
	n.MultipleOf = r.number("multipleOf")
	if n.MultipleOf != nil && n.MultipleOf.Decimal().Sign() <= 0 {
		panic(n.errorf("multipleOf", "multipleOf must be greater than 0"))
	}

	n.ContentEncoding, n.ContentMediaType = r.text("contentEncoding"), r.text("contentMediaType")
	n.Title, n.Description, n.Comment = r.text("title"), r.text("description"), r.text("$comment")
	n.Default, n.Examples = r.get("default"), r.array("examples")
	n.Deprecated, n.ReadOnly, n.WriteOnly = r.flag("deprecated"), r.flag("readOnly"), r.flag("writeOnly")
	b.unknown(r)
}

// unknown notes the keywords that mean nothing where they stand.
func (b *builder) unknown(r reader) {
	for _, m := range r.n.Value.Members {
		if !r.n.Resource.dialect.has(m.Name) || (r.alone() && !slices.Contains(besideRef, m.Name)) {
			r.n.Unknown = append(r.n.Unknown, Unknown{m.Name, r.pointer(m.Name), m.Value})
		}
	}
}

// besideRef are the keywords that are read even where a draft says that nothing beside $ref counts: they assert nothing.
var besideRef = []string{"$ref", "$schema", "definitions", "title", "description", "$comment"}

// alone tells whether the node is a reference beside which nothing counts.
func (r reader) alone() bool {
	return r.n.Resource.dialect.refAlone && r.n.Value.Get("$ref") != nil
}

// exclusive reads a flag of draft-04 that makes a bound an exclusive one.
func (r reader) exclusive(keyword string, bound *document.Value) (inclusive, exclusive *document.Value) {
	if r.flag(keyword) {
		return nil, bound
	}
	return bound, nil
}

// subschemas fills every slot of n that holds subschemas.
func (b *builder) subschemas(r reader) {
	for _, s := range r.n.slots() {
		switch {
		case s.keyword == "$ref" || s.keyword == "$dynamicRef":
		case r.n.Resource.dialect.itemsList && (s.keyword == "prefixItems" || s.keyword == "items"):
			b.oldItems(r)
		case s.one != nil:
			if v := r.get(s.keyword); v != nil {
				if s.keyword == "items" && v.Kind == document.Array {
					panic(r.n.errorf("items", "a schema is an object or a boolean, not array; a list of items is prefixItems in 2020-12 (older drafts are read where $schema names them)"))
				}
				*s.one = r.sub(v, s.keyword)
			}
		case s.list != nil:
			*s.list = r.schemas(s.keyword)
		case s.patterns != nil:
			for _, m := range r.object(s.keyword) {
				*s.patterns = append(*s.patterns, PatternProperty{m.Name, r.sub(m.Value, s.keyword, m.Name)})
			}
		case s.keyword == "$defs":
			b.definitions(r, "$defs")
			b.definitions(r, "definitions")
		default:
			for _, m := range r.object(s.keyword) {
				*s.named = append(*s.named, Property{m.Name, r.sub(m.Value, s.keyword, m.Name)})
			}
		}
	}
	if r.n.If == nil {
		// Validation 10.2.2: without if these have no effect. They stay reachable
		// as targets of references.
		r.n.Then, r.n.Else = nil, nil
	}
}

// oldItems reads items of the drafts in which a list of them stands for the first items, and additionalItems for the rest.
func (b *builder) oldItems(r reader) {
	n, v := r.n, r.get("items")
	switch {
	case v == nil:
		return // and additionalItems has no effect
	case v.Kind != document.Array:
		n.Items = r.sub(v, "items")
		return
	case n.PrefixItems != nil:
		return
	}
	n.PrefixItems = make([]*Node, len(v.Items))
	for i, item := range v.Items {
		n.PrefixItems[i] = r.sub(item, "items", index(i))
	}
	if rest := r.get("additionalItems"); rest != nil {
		n.Items = r.sub(rest, "additionalItems")
	}
}

func (b *builder) definitions(r reader, keyword string) {
	for _, m := range r.object(keyword) {
		d := r.sub(m.Value, keyword, m.Name)
		r.n.Defs = append(r.n.Defs, Property{m.Name, d})
		b.define(m.Name, d)
	}
}

// dependencies reads the keyword of older drafts that the 2020-12 metaschema
// still describes, into the two keywords that replaced it.
func (b *builder) dependencies(r reader) {
	for _, m := range r.object("dependencies") {
		if m.Value.Kind == document.Array {
			r.n.DependentRequired = append(r.n.DependentRequired, Dependent{m.Name, r.names(m.Value, r.pointer("dependencies", m.Name), "dependencies")})
			continue
		}
		r.n.DependentSchemas = append(r.n.DependentSchemas, Property{m.Name, r.sub(m.Value, "dependencies", m.Name)})
	}
}

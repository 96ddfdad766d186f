package shape

import (
	"maps"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// anyKind is the set of all kinds a JSON value can have.
const anyKind = schema.TypeNull | schema.TypeBoolean | schema.TypeInteger | schema.TypeNumber | schema.TypeString | schema.TypeArray | schema.TypeObject

const numberKinds = schema.TypeInteger | schema.TypeNumber

// kindsOf returns the kinds of values that n can accept at most: a set that may be too large, never too small.
// Number always brings Integer with it, since every integer is a number.
func kindsOf(n *schema.Node) schema.Types { return kindsIn(n, map[*schema.Node]schema.Types{}) }

// kindsIn is kindsOf that asks each schema once: unions that share parts would be asked over and over.
func kindsIn(n *schema.Node, known map[*schema.Node]schema.Types) schema.Types {
	if n == nil {
		return anyKind
	}
	set, done := known[n]
	if !done {
		set = kindsBy(n, known)
		known[n] = set
	}
	return set
}

func kindsBy(n *schema.Node, known map[*schema.Node]schema.Types) schema.Types {
	if n.Always != nil {
		if *n.Always {
			return anyKind
		}
		return 0
	}
	set := anyKind
	if n.Types != 0 {
		set = widen(n.Types)
	}
	if n.Const != nil {
		set &= widen(kindOfValue(n.Const))
	}
	if n.Enum != nil {
		var values schema.Types
		for _, v := range n.Enum {
			values |= widen(kindOfValue(v))
		}
		set &= values
	}
	if n.Ref != nil {
		set &= kindsIn(n.Ref, known)
	}
	for _, part := range n.AllOf {
		set &= kindsIn(part, known)
	}
	for _, branches := range [][]*schema.Node{n.AnyOf, n.OneOf} {
		if len(branches) == 0 {
			continue
		}
		var union schema.Types
		for _, branch := range branches {
			union |= kindsIn(branch, known)
		}
		set &= union
	}
	return set
}

func widen(t schema.Types) schema.Types {
	if t&schema.TypeNumber != 0 {
		t |= schema.TypeInteger
	}
	return t
}

func kindOfValue(v *document.Value) schema.Types {
	switch v.Kind {
	case document.Null:
		return schema.TypeNull
	case document.Bool:
		return schema.TypeBoolean
	case document.Number:
		return schema.TypeNumber
	case document.String:
		return schema.TypeString
	case document.Array:
		return schema.TypeArray
	default:
		return schema.TypeObject
	}
}

// view is an object schema with its allOf parts laid over each other: which members are named, by which schemas,
// and which are required. It is what a struct is made from; it does not decide validity.
type view struct {
	names    []string // in the order of the document
	members  map[string][]*schema.Node
	required map[string]bool
	closed   bool // some part refuses members that it does not name
}

func viewOf(n *schema.Node) *view {
	v := &view{members: map[string][]*schema.Node{}, required: map[string]bool{}}
	v.add(n, map[*schema.Node]bool{})
	return v
}

func (v *view) add(n *schema.Node, seen map[*schema.Node]bool) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	for _, p := range n.Properties {
		if _, ok := v.members[p.Name]; !ok {
			v.names = append(v.names, p.Name)
		}
		v.members[p.Name] = append(v.members[p.Name], p.Node)
	}
	for _, name := range n.Required {
		v.required[name] = true
	}
	if refusesAll(n.AdditionalProperties) || refusesAll(n.UnevaluatedProperties) {
		v.closed = true
	}
	v.add(n.Ref, seen)
	for _, part := range n.AllOf {
		v.add(part, seen)
	}
}

func refusesAll(n *schema.Node) bool { return n != nil && n.Always != nil && !*n.Always }

// acceptsAll tells a schema that says nothing: none, true or an empty one.
func acceptsAll(n *schema.Node) bool {
	if n == nil {
		return true
	}
	n = n.Target()
	if n.Always != nil {
		return *n.Always
	}
	for e := range n.Edges() {
		if e.Place != schema.Definition {
			return false
		}
	}
	return n.Types == 0 && n.Const == nil && n.Enum == nil && len(n.Required)+len(n.DependentRequired) == 0 && !n.UniqueItems &&
		n.MinProperties == nil && n.MaxProperties == nil && n.MinItems == nil && n.MaxItems == nil && n.MinLength == nil && n.MaxLength == nil &&
		n.Pattern == nil && n.Format == "" && n.Minimum == nil && n.Maximum == nil && n.ExclusiveMinimum == nil && n.ExclusiveMaximum == nil &&
		n.MultipleOf == nil
}

// fixedValues returns the values that n allows where these are a few strings or booleans, nil otherwise.
func fixedValues(n *schema.Node) []*document.Value {
	n = n.Target()
	var values []*document.Value
	switch {
	case n.Const != nil:
		values = []*document.Value{n.Const}
	case n.Enum != nil:
		values = n.Enum
	default:
		return nil
	}
	for _, v := range values {
		// An empty string looks like an absent member to a reader that asks for the text alone.
		if v.Kind != document.Bool && (v.Kind != document.String || v.Text == "") {
			return nil
		}
	}
	return values
}

// oneKind reports whether values are all strings or all booleans, and at least one.
func oneKind(values []*document.Value) bool {
	for _, v := range values {
		if v.Kind != values[0].Kind {
			return false
		}
	}
	return len(values) > 0
}

// tagsOf returns the required members of the objects n accepts whose values are fixed, with the values each may have.
func tagsOf(n *schema.Node) map[string]tag { return tagsIn(n, map[*schema.Node]map[string]tag{}) }

// tag says which values a member can have: those listed, or, excluded, all but those listed.
type tag struct {
	values   []*document.Value
	excluded bool
}

// can reports whether the member can have the value.
func (t tag) can(v *document.Value) bool { return hasValue(t.values, v) != t.excluded }

// tagsIn is tagsOf that asks each schema once, like kindsIn.
func tagsIn(n *schema.Node, known map[*schema.Node]map[string]tag) map[string]tag {
	n = n.Target()
	if tags, done := known[n]; done {
		return tags
	}
	tags := map[string]tag{}
	known[n] = tags
	v := viewOf(n)
	for _, name := range v.names {
		if !v.required[name] {
			continue
		}
		for _, member := range v.members[name] {
			if values := fixedValues(member); oneKind(values) {
				keepSmaller(tags, name, tag{values: values})
			} else if values := excludedValues(member); oneKind(values) {
				keepSmaller(tags, name, tag{values: values, excluded: true})
			}
		}
	}
	for _, branches := range [][]*schema.Node{n.AnyOf, n.OneOf} {
		for name, t := range sharedTags(branches, known) {
			keepSmaller(tags, name, t)
		}
	}
	return tags
}

// sharedTags returns the tags with listed values that every branch has, each with the values of all branches together.
func sharedTags(branches []*schema.Node, known map[*schema.Node]map[string]tag) map[string]tag {
	var shared map[string]tag
	for i, branch := range branches {
		tags := tagsIn(branch, known)
		if i == 0 {
			shared = maps.Clone(tags)
		}
		for name, all := range shared {
			t, ok := tags[name]
			if !ok || t.excluded || all.excluded {
				delete(shared, name)
				continue
			}
			for _, value := range t.values {
				if !hasValue(all.values, value) {
					all.values = append(all.values[:len(all.values):len(all.values)], value)
				}
			}
			shared[name] = all
		}
	}
	return shared
}

// excludedValues returns the values that n refuses by not and enum, where that is all there is to tell about a string.
func excludedValues(n *schema.Node) []*document.Value {
	n = n.Target()
	if n.Not == nil || kindsOf(n) != schema.TypeString {
		return nil
	}
	return fixedValues(n.Not)
}

// keepSmaller keeps the narrower of two tags of one member: a list rather than an exclusion, the shorter of two lists.
func keepSmaller(tags map[string]tag, name string, t tag) {
	old, ok := tags[name]
	if !ok || old.excluded && !t.excluded || old.excluded == t.excluded && len(t.values) < len(old.values) {
		tags[name] = t
	}
}

func hasValue(values []*document.Value, v *document.Value) bool {
	for _, have := range values {
		if sameScalar(have, v) {
			return true
		}
	}
	return false
}

// sameScalar compares two strings or booleans.
func sameScalar(a, b *document.Value) bool {
	return a.Kind == b.Kind && a.Text == b.Text && a.Bool == b.Bool
}

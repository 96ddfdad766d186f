package reference

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// standing gives the kind of what stands at a pointer into a file that is laid out like a description, "" where the
// layout says nothing.
func (l Layout) standing(pointer string) Kind {
	tokens, _ := document.SplitPointer(pointer)
	kind := Description
	for i := 0; i < len(tokens); i++ {
		p, _ := l.PartOf(kind, tokens[i])
		if kind = p.Kind; p.Form != One {
			if i++; i == len(tokens) {
				return "" // the map or the list itself
			}
		}
	}
	return kind
}

// appearing gives the kind that an object must be of by its members, "" where that is not certain.
func (l Layout) appearing(v *document.Value) Kind {
	has := func(names ...string) bool {
		return slices.ContainsFunc(v.Members, func(m document.Member) bool { return slices.Contains(names, m.Name) })
	}
	operates := func(m document.Member) bool {
		part, ok := l.PartOf(PathItem, m.Name)
		return ok && part.Kind == operation
	}
	switch {
	case v.Get("openapi") != nil:
		return Description
	case v.Get("name") != nil && v.Get("in") != nil:
		return Parameter
	case v.Get("responses") != nil:
		return operation
	case slices.ContainsFunc(v.Members, operates):
		return PathItem
	case has("type", "properties", "items", "allOf", "anyOf", "oneOf", "enum"):
		return Schema
	}
	return ""
}

// unlike says why a place that a reference leads to does not hold an object of a kind, "" where it may.
func (l Layout) unlike(at document.Place, kind Kind) string {
	l = l.In(at.File())
	if at.Value.Kind != document.Object {
		return "is " + Article(at.Value.Kind.String())
	}
	if is := l.standing(at.Pointer); is != "" && (at.Pointer != "" || at.File().Form == document.OpenAPI) {
		if is == kind {
			return "" // what it lacks is said where it stands
		}
		return "is " + Article(string(is))
	}
	if is := l.appearing(at.Value); is != "" && is != kind && kind != Scheme {
		return "is " + Article(string(is))
	}
	for _, name := range Needed(kind) {
		if at.Value.Get(name) == nil {
			return "has no member " + `"` + name + `"`
		}
	}
	return ""
}

// Article puts a or an before a noun.
func Article(noun string) string {
	switch {
	case noun == "null" || noun == "paths":
		return noun
	case noun == "components":
		return "a components object"
	case strings.ContainsRune("aeiou", rune(noun[0])):
		return "an " + noun
	}
	return "a " + noun
}

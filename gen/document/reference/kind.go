package reference

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// Kind is what an object of an OpenAPI description is.
type Kind string

// The kinds of objects that may stand elsewhere. References of schemas are the business of package schema; examples and
// links are not read.
const (
	Parameter Kind = "parameter"
	Header    Kind = "header"
	Body      Kind = "body"
	Response  Kind = "response"
	PathItem  Kind = "path item"
	Callback  Kind = "callback"
	Scheme    Kind = "scheme"
)

// Kinds holds the kinds above.
var Kinds = []Kind{Parameter, Header, Body, Response, PathItem, Callback, Scheme}

// Kinds that no reference may lead to.
const (
	description Kind = "description"
	components  Kind = "components object"
	operation   Kind = "operation"
	schema      Kind = "schema"
	example     Kind = "example"
	link        Kind = "link"
	media       Kind = "media type"
)

// part is what a member holds: an object of a kind, or a map or list of such.
type part struct {
	kind Kind
	many bool
}

// parts says where the objects of a description stand.
var parts = map[Kind]map[string]part{
	description: {"paths": {PathItem, true}, "webhooks": {PathItem, true}, "components": {components, false}},
	components: {
		"schemas": {schema, true}, "responses": {Response, true}, "parameters": {Parameter, true}, "examples": {example, true},
		"requestBodies": {Body, true}, "headers": {Header, true}, "securitySchemes": {Scheme, true}, "links": {link, true},
		"callbacks": {Callback, true}, "pathItems": {PathItem, true},
	},
	PathItem: {
		"parameters": {Parameter, true},
		"get":        {operation, false}, "put": {operation, false}, "post": {operation, false}, "delete": {operation, false},
		"options": {operation, false}, "head": {operation, false}, "patch": {operation, false}, "trace": {operation, false},
	},
	operation: {
		"parameters": {Parameter, true}, "requestBody": {Body, false}, "responses": {Response, true}, "callbacks": {Callback, true},
	},
	Parameter: {"schema": {schema, false}, "content": {media, true}, "examples": {example, true}},
	Header:    {"schema": {schema, false}, "content": {media, true}, "examples": {example, true}},
	Body:      {"content": {media, true}},
	Response:  {"headers": {Header, true}, "content": {media, true}, "links": {link, true}},
	media:     {"schema": {schema, false}, "examples": {example, true}},
}

// standing gives the kind of what stands at a pointer into a file that is laid out like a description, "" where the
// layout says nothing.
func standing(pointer string) Kind {
	tokens, _ := document.SplitPointer(pointer)
	kind := description
	for i := 0; i < len(tokens); i++ {
		if kind == Callback {
			kind = PathItem // a callback is keyed by expressions
			continue
		}
		p := parts[kind][tokens[i]]
		if kind = p.kind; p.many {
			if i++; i == len(tokens) {
				return "" // the map or the list itself
			}
		}
	}
	return kind
}

// needed lists the members without which an object says nothing.
var needed = map[Kind][]string{Parameter: {"name", "in"}, Body: {"content"}, Scheme: {"type"}}

// appearing gives the kind that an object must be of by its members, "" where that is not certain.
func appearing(v *document.Value) Kind {
	has := func(names ...string) bool {
		return slices.ContainsFunc(v.Members, func(m document.Member) bool { return slices.Contains(names, m.Name) })
	}
	switch {
	case v.Get("openapi") != nil:
		return description
	case v.Get("name") != nil && v.Get("in") != nil:
		return Parameter
	case v.Get("responses") != nil:
		return operation
	case has("get", "put", "post", "delete", "options", "head", "patch", "trace"):
		return PathItem
	case has("type", "properties", "items", "allOf", "anyOf", "oneOf", "enum"):
		return schema
	}
	return ""
}

// unlike says why a place that a reference leads to does not hold an object of a kind, "" where it may.
func unlike(at document.Place, kind Kind) string {
	if at.Value.Kind != document.Object {
		return "is " + Article(at.Value.Kind.String())
	}
	if is := standing(at.Pointer); is != "" && (at.Pointer != "" || at.File().Form == document.OpenAPI) {
		if is == kind {
			return "" // what it lacks is said where it stands
		}
		return "is " + Article(string(is))
	}
	if is := appearing(at.Value); is != "" && is != kind && kind != Scheme {
		return "is " + Article(string(is))
	}
	for _, name := range needed[kind] {
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
	case strings.ContainsRune("aeiou", rune(noun[0])):
		return "an " + noun
	}
	return "a " + noun
}

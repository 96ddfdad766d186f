package reference

import (
	"iter"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// Kind is what an object of an OpenAPI description is, or what a member of one holds.
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
	Media     Kind = "media type" // as of 3.2
)

// kinds holds the kinds above that every edition lets stand elsewhere.
var kinds = []Kind{Parameter, Header, Body, Response, PathItem, Callback, Scheme}

// Kinds that no reference may lead to.
const (
	Description Kind = "description"
	Components  Kind = "components"
	Schema      Kind = "schema"
	Encoding    Kind = "encoding"
	Example     Kind = "example"
	Link        Kind = "link"
	Requirement Kind = "requirement"

	info      Kind = "info"
	server    Kind = "server"
	paths     Kind = "paths"
	operation Kind = "operation"
)

// Kinds that are no objects.
const (
	Text Kind = "string"
	Flag Kind = "boolean"
)

// Part is what a member of an object holds.
type Part struct {
	Kind Kind
	Form Form
}

// Form says how many values of a kind a member holds.
type Form int

// The forms of members.
const (
	One   Form = iota // a value
	List              // an array of them
	Map               // an object whose members are such values
	Keyed             // a Map in which names that begin with x- are extensions
)

// Layout says how descriptions of an edition are laid out.
type Layout struct{ edition document.Edition }

// LayoutOf gives the layout of a description.
func LayoutOf(f *document.File) Layout { return Layout{f.Edition()} }

// In gives the layout of a file that references lead to: its own where it is a description, else that of the one they
// come from.
func (l Layout) In(f *document.File) Layout {
	if f.Form == document.OpenAPI {
		return LayoutOf(f)
	}
	return l
}

// Has tells whether what an edition brought counts.
func (l Layout) Has(edition document.Edition) bool { return l.edition >= edition }

// MayRefer tells whether an object of a kind may stand elsewhere, with a reference in its place.
func (l Layout) MayRefer(kind Kind) bool {
	return slices.Contains(kinds, kind) || kind == Media && l.Has(document.OpenAPI32)
}

// PartOf returns what a member of an object holds by the specification (OpenAPI 3.1, 4.8, and the objects of the same
// names in 3.2.0); ok is false for a member that it does not name or that is not read.
func (l Layout) PartOf(object Kind, member string) (part Part, ok bool) {
	if object == paths || object == Callback {
		return Part{PathItem, One}, !isExtension(member) // their members are templates and expressions
	}
	if part, ok = layout[object][member]; !ok && l.Has(document.OpenAPI32) {
		part, ok = layout32[object][member]
	}
	return part, ok
}

// Holds tells whether a member of a map, of the name, is one of the values, and no extension.
func (p Part) Holds(name string) bool { return p.Form != Keyed || !isExtension(name) }

// Values yields the values that the member of a name holds, each under its own name: in a map that of its entry, else that
// of the member. A member that has another form than it should holds none.
func (p Part) Values(name string, at document.Place) iter.Seq2[string, document.Place] {
	return func(yield func(string, document.Place) bool) {
		switch p.Form {
		case One:
			yield(name, at)
		case List:
			for i := range at.Value.Items {
				if !yield(name, at.Item(i)) {
					return
				}
			}
		default:
			for entry, value := range at.Members() {
				if p.Holds(entry) && !yield(entry, value) {
					return
				}
			}
		}
	}
}

func isExtension(member string) bool { return strings.HasPrefix(member, "x-") }

// Needed lists the members without which an object of a kind says nothing.
func Needed(kind Kind) []string { return needed[kind] }

var needed = map[Kind][]string{
	Description: {"info"}, server: {"url"}, Parameter: {"name", "in"}, Body: {"content"}, Scheme: {"type"},
}

var layout = map[Kind]map[string]Part{
	Description: {
		"info": {info, One}, "servers": {server, List}, "paths": {paths, One}, "webhooks": {PathItem, Map},
		"components": {Components, One}, "security": {Requirement, List},
	},
	info:   {"title": {Text, One}, "version": {Text, One}},
	server: {"url": {Text, One}, "description": {Text, One}},
	Components: {
		"schemas": {Schema, Map}, "responses": {Response, Keyed}, "parameters": {Parameter, Map}, "examples": {Example, Map},
		"requestBodies": {Body, Map}, "headers": {Header, Map}, "securitySchemes": {Scheme, Map}, "links": {Link, Map},
		"callbacks": {Callback, Keyed}, "pathItems": {PathItem, Map},
	},
	PathItem: {
		"parameters": {Parameter, List}, "servers": {server, List}, "summary": {Text, One}, "description": {Text, One},
		"get": {operation, One}, "put": {operation, One}, "post": {operation, One}, "delete": {operation, One},
		"options": {operation, One}, "head": {operation, One}, "patch": {operation, One}, "trace": {operation, One},
	},
	operation: {
		"operationId": {Text, One}, "summary": {Text, One}, "description": {Text, One}, "tags": {Text, List},
		"deprecated": {Flag, One}, "servers": {server, List}, "parameters": {Parameter, List}, "requestBody": {Body, One},
		"responses": {Response, Keyed}, "callbacks": {Callback, Keyed}, "security": {Requirement, List},
	},
	Parameter: {
		"name": {Text, One}, "in": {Text, One}, "description": {Text, One}, "required": {Flag, One}, "deprecated": {Flag, One},
		"style": {Text, One}, "explode": {Flag, One}, "schema": {Schema, One}, "content": {Media, Map}, "examples": {Example, Map},
	},
	Header: {
		"description": {Text, One}, "required": {Flag, One}, "deprecated": {Flag, One}, "style": {Text, One},
		"explode": {Flag, One}, "schema": {Schema, One}, "content": {Media, Map}, "examples": {Example, Map},
	},
	Body:     {"description": {Text, One}, "required": {Flag, One}, "content": {Media, Map}},
	Response: {"description": {Text, One}, "headers": {Header, Map}, "content": {Media, Map}, "links": {Link, Map}},
	Media:    {"schema": {Schema, One}, "encoding": {Encoding, Map}, "examples": {Example, Map}},
	Encoding: {"headers": {Header, Map}},
	Scheme: {
		"type": {Text, One}, "description": {Text, One}, "in": {Text, One}, "name": {Text, One}, "scheme": {Text, One},
		"bearerFormat": {Text, One}, "openIdConnectUrl": {Text, One},
	},
}

// layout32 is what 3.2 adds to layout.
var layout32 = map[Kind]map[string]Part{
	server:     {"name": {Text, One}},
	Components: {"mediaTypes": {Media, Map}},
	PathItem:   {"query": {operation, One}, "additionalOperations": {operation, Map}},
	Response:   {"summary": {Text, One}},
	Media:      {"itemSchema": {Schema, One}, "prefixEncoding": {Encoding, List}, "itemEncoding": {Encoding, One}},
	Encoding:   {"encoding": {Encoding, Map}, "prefixEncoding": {Encoding, List}, "itemEncoding": {Encoding, One}},
	Scheme:     {"deprecated": {Flag, One}, "oauth2MetadataUrl": {Text, One}},
}

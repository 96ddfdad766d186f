package schema

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// The schemas of OpenAPI 3.0 are a dialect of their own, close to draft 4 of JSON Schema. They are translated when they
// are read, so that the graph holds 2020-12 only:
//
//   - nullable: true beside type puts "null" into type (without type it says nothing, as OpenAPI 3.0.3 makes clear);
//   - exclusiveMinimum: true and exclusiveMaximum: true take the value of minimum and maximum, false is left out;
//   - example becomes examples;
//   - what stands beside $ref is left out, since 3.0 ignores it.
//
// Values keep the place at which they are written.

// upgrade translates the schemas of a file.
type upgrade struct {
	file *document.File
}

// part copies a map "{}" or list "[]" of schemas.
func (u upgrade) part(v *document.Value, pointer, part string) *document.Value {
	out := *v
	if part == "[]schema" {
		out.Items = slices.Clone(v.Items)
		for i, item := range v.Items {
			out.Items[i] = u.schema(item, pointer+"/"+index(i))
		}
		return &out
	}
	out.Members = slices.Clone(v.Members)
	for i, m := range v.Members {
		out.Members[i].Value = u.schema(m.Value, pointer+"/"+document.EscapeToken(m.Name))
	}
	return &out
}

// schema translates a schema and those inside it.
func (u upgrade) schema(v *document.Value, pointer string) *document.Value {
	if v.Kind != document.Object {
		return v
	}
	out := *v
	out.Members = nil
	if ref := v.Member("$ref"); ref != nil {
		out.Members = []document.Member{*ref}
		return &out
	}
	nullable := u.flag(v, pointer, "nullable")
	for _, m := range v.Members {
		at := pointer + "/" + document.EscapeToken(m.Name)
		switch m.Name {
		case "nullable":
			continue
		case "type":
			if m.Value.Kind != document.String {
				panic(u.file.Errorf(m.Value, at, "type must be a string in OpenAPI 3.0, not %s", article(m.Value)))
			}
			if nullable {
				m.Value = withNull(m.Value)
			}
		case "exclusiveMinimum", "exclusiveMaximum":
			bound := strings.ToLower(strings.TrimPrefix(m.Name, "exclusive"))
			if !u.flag(v, pointer, m.Name) {
				continue
			}
			value := v.Get(bound)
			if value == nil {
				continue // exclusive of nothing
			}
			m.Value = value
		case "minimum", "maximum":
			if u.flag(v, pointer, "exclusive"+strings.ToUpper(m.Name[:1])+m.Name[1:]) {
				continue
			}
		case "example":
			m.Name = "examples"
			list := *m.Value
			list.Kind, list.Items, list.Members, list.Text = document.Array, []*document.Value{m.Value}, nil, ""
			m.Value = &list
		case "properties":
			m.Value = u.part(m.Value, at, "{}schema")
		case "allOf", "anyOf", "oneOf":
			m.Value = u.part(m.Value, at, "[]schema")
		case "items", "not", "additionalProperties":
			m.Value = u.schema(m.Value, at)
		case "discriminator", "xml", "externalDocs":
			// annotations that no vocabulary has; they stay
		}
		out.Members = append(out.Members, m)
	}
	return &out
}

// flag reads a boolean keyword.
func (u upgrade) flag(v *document.Value, pointer, keyword string) bool {
	f := v.Get(keyword)
	if f == nil {
		return false
	}
	if f.Kind != document.Bool {
		panic(u.file.Errorf(f, pointer+"/"+keyword, "%s must be true or false in OpenAPI 3.0, not %s", keyword, article(f)))
	}
	return f.Bool
}

// withNull makes a list of one type and null.
func withNull(name *document.Value) *document.Value {
	list, null := *name, *name
	null.Text = "null"
	list.Kind, list.Text, list.Items = document.Array, "", []*document.Value{name, &null}
	return &list
}

package drift

import (
	"strconv"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// export writes a schema and all it refers to as one document of 2020-12, as
// package encoding/json would read it.
func export(root *schema.Node) any {
	e := exporter{names: map[*schema.Node]string{}, defs: map[string]any{}}
	e.ref(root)
	return map[string]any{"$ref": "#/$defs/n0", "$defs": e.defs}
}

type exporter struct {
	names map[*schema.Node]string
	defs  map[string]any
}

func (e *exporter) ref(n *schema.Node) any {
	name, known := e.names[n]
	if !known {
		name = "n" + strconv.Itoa(len(e.names))
		e.names[n] = name
		e.defs[name] = e.write(n)
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

func (e *exporter) write(n *schema.Node) any {
	if n.Always != nil {
		return *n.Always
	}
	out := map[string]any{}
	// Everything without schemas inside is taken as it is written.
	for _, m := range n.Value.Members {
		switch m.Name {
		case "type", "const", "enum", "required", "dependentRequired", "minProperties", "maxProperties", "minItems", "maxItems",
			"minLength", "maxLength", "minContains", "maxContains", "uniqueItems", "pattern", "format",
			"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
			out[m.Name] = m.Value.Any()
		}
	}
	for edge := range n.Edges() {
		switch edge.Keyword {
		case "$ref", "$dynamicRef":
			list, _ := out["allOf"].([]any)
			out["allOf"] = append(list, e.ref(edge.Node))
		case "allOf", "anyOf", "oneOf", "prefixItems":
			list, _ := out[edge.Keyword].([]any)
			out[edge.Keyword] = append(list, e.ref(edge.Node))
		case "properties", "patternProperties", "dependentSchemas":
			m, _ := out[edge.Keyword].(map[string]any)
			if m == nil {
				m = map[string]any{}
				out[edge.Keyword] = m
			}
			m[edge.Name] = e.ref(edge.Node)
		case "$defs", "contentSchema":
		default:
			out[edge.Keyword] = e.ref(edge.Node)
		}
	}
	return out
}

// objectOf makes an object of members.
func objectOf(members ...document.Member) *document.Value {
	return &document.Value{Kind: document.Object, Members: members}
}

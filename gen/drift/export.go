package drift

import (
	"strconv"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// export writes a schema as one document of 2020-12, as package encoding/json
// would read it, with everything it refers to as far as a message reaches: what
// stands where the message has no value is left open, since nothing looks there.
//
// The second result says where the schemas stand, as spot has it, by the pointers
// they have in the document made.
func export(root *schema.Node, message *document.Value, spot func(*schema.Node) string) (any, map[string]string) {
	e := exporter{reached: map[reached]bool{}, needed: map[*schema.Node]bool{}, names: map[*schema.Node]string{}, defs: map[string]any{}}
	e.reach(root, message)
	e.ref(root)
	places := map[string]string{}
	for n, name := range e.names {
		places["/$defs/"+name] = spot(n)
	}
	return map[string]any{"$ref": "#/$defs/n0", "$defs": e.defs}, places
}

type exporter struct {
	reached map[reached]bool
	needed  map[*schema.Node]bool
	names   map[*schema.Node]string
	defs    map[string]any
}

type reached struct {
	node  *schema.Node
	value *document.Value
}

// reach finds the schemas that are applied to a value or to parts of it. It may
// find more than that.
func (e *exporter) reach(n *schema.Node, v *document.Value) {
	at := reached{n, v}
	if e.reached[at] {
		return
	}
	e.reached[at] = true
	e.needed[n] = true
	for edge := range n.Edges() {
		switch edge.Keyword {
		case "properties":
			if m := v.Get(edge.Name); m != nil {
				e.reach(edge.Node, m)
			}
		case "prefixItems":
			if edge.Index < len(v.Items) {
				e.reach(edge.Node, v.Items[edge.Index])
			}
		case "items", "contains", "unevaluatedItems":
			for _, item := range v.Items {
				e.reach(edge.Node, item)
			}
		case "patternProperties", "additionalProperties", "unevaluatedProperties":
			for _, m := range v.Members {
				e.reach(edge.Node, m.Value)
			}
		case "propertyNames":
			for _, m := range v.Members {
				e.reach(edge.Node, &document.Value{Kind: document.String, Text: m.Name})
			}
		case "$defs", "contentSchema":
		default:
			e.reach(edge.Node, v)
		}
	}
}

func (e *exporter) ref(n *schema.Node) any {
	if !e.needed[n] {
		return true
	}
	name, known := e.names[n]
	if !known {
		name = "n" + strconv.Itoa(len(e.names))
		e.names[n] = name
		e.defs[name] = e.write(n)
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

// guarded refers to a branch of a union. A branch that demands a constant member
// is looked at only where the member is right: it holds for the same values, and
// unions inside unions do not make the validator look at everything many times.
func (e *exporter) guarded(n *schema.Node) any {
	tags := tagsOf(n)
	if len(tags) == 0 || !e.needed[n] {
		return e.ref(n)
	}
	required, members := []any{}, map[string]any{}
	for name, text := range tags {
		required = append(required, name)
		members[name] = map[string]any{"const": parsed([]byte(text)).Any()}
	}
	return map[string]any{"if": map[string]any{"type": "object", "required": required, "properties": members}, "then": e.ref(n), "else": false}
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
		case "anyOf", "oneOf":
			list, _ := out[edge.Keyword].([]any)
			out[edge.Keyword] = append(list, e.guarded(edge.Node))
		case "allOf", "prefixItems":
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

// maxChecks is how many checks the validator may be asked for with one message.
const maxChecks = 3_000_000

// checks estimates how many checks of a value by a schema it takes without
// remembering any: unions inside unions multiply. With guards branches whose
// constant member is wrong are passed over.
func checks(n *schema.Node, v *document.Value, guards bool, known map[reached]int64) int64 {
	at := reached{n, v}
	if count, ok := known[at]; ok {
		return count
	}
	count := int64(1)
	add := func(n *schema.Node, v *document.Value) {
		if count < maxChecks {
			count += checks(n, v, guards, known)
		}
	}
	for edge := range n.Edges() {
		switch edge.Keyword {
		case "properties":
			if m := v.Get(edge.Name); m != nil {
				add(edge.Node, m)
			}
		case "prefixItems":
			if edge.Index < len(v.Items) {
				add(edge.Node, v.Items[edge.Index])
			}
		case "items", "contains", "unevaluatedItems":
			for _, item := range v.Items {
				add(edge.Node, item)
			}
		case "patternProperties", "additionalProperties", "unevaluatedProperties":
			for _, m := range v.Members {
				add(edge.Node, m.Value)
			}
		case "propertyNames", "$defs", "contentSchema":
		case "anyOf", "oneOf":
			wrong := false
			for name, text := range tagsOf(edge.Node) {
				m := v.Get(name)
				wrong = wrong || m == nil || m.Canonical() != text
			}
			if !guards || !wrong {
				add(edge.Node, v)
			}
		default:
			add(edge.Node, v)
		}
	}
	known[at] = min(count, maxChecks)
	return known[at]
}

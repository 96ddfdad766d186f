package downlevel

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// Spec is an OpenAPI document for ogen.
type Spec struct {
	JSON  []byte
	Notes map[string]int // what was left out or changed: how often
}

type object = map[string]any

// Rewrite makes a document of definitions: schemas by name, as encoding/json
// reads them with UseNumber. References among them are "#" + prefix + name;
// references to "$defs" inside a definition are followed too.
func Rewrite(definitions map[string]any, prefix string) (*Spec, error) {
	r := &rewriter{in: definitions, prefix: prefix, out: object{}, notes: map[string]int{}}
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		to := component(name)
		if _, taken := r.out[to]; taken {
			return nil, fmt.Errorf("two definitions would be named %s", to)
		}
		r.out[to] = r.schema(definitions[name], to)
		if nested, ok := definitions[name].(object); ok {
			defs, _ := nested["$defs"].(object)
			for _, def := range slices.Sorted(maps.Keys(defs)) {
				hoisted := component(name + "." + def)
				r.out[hoisted] = r.schema(defs[def], hoisted)
			}
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	// A path for each definition: ogen writes what operations use.
	paths := object{}
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		to := component(name)
		paths["/"+to] = object{"post": object{
			"operationId": "send" + to,
			"requestBody": object{"required": true, "content": object{"application/json": object{"schema": object{"$ref": componentPrefix + to}}}},
			"responses":   object{"204": object{"description": "taken"}},
		}}
	}
	text, err := json.MarshalIndent(object{
		"openapi":    "3.0.3",
		"info":       object{"title": "rewritten", "version": "1"},
		"paths":      paths,
		"components": object{"schemas": r.out},
	}, "", " ")
	return &Spec{text, r.notes}, err
}

const componentPrefix = "#/components/schemas/"

// component makes a name of an OpenAPI component, and of a Go type, out of any.
func component(name string) string {
	var b strings.Builder
	upper := true
	for _, c := range name {
		switch {
		case c >= 'a' && c <= 'z' && upper:
			b.WriteRune(c - 'a' + 'A')
			upper = false
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			b.WriteRune(c)
			upper = false
		default:
			upper = true
		}
	}
	return b.String()
}

type rewriter struct {
	in     map[string]any
	prefix string
	out    object
	notes  map[string]int
	err    error
}

func (r *rewriter) note(what string) { r.notes[what]++ }

// schema rewrites one schema; name is that of a component it may become.
func (r *rewriter) schema(v any, name string) any {
	in, ok := v.(object)
	if !ok {
		if v == false {
			r.note("false, which takes nothing: takes anything")
		}
		return object{}
	}
	if ref, ok := in["$ref"].(string); ok {
		return object{"$ref": r.reference(ref)}
	}
	in = r.union(in, name)
	out := object{}
	for _, keyword := range slices.Sorted(maps.Keys(in)) {
		r.keyword(out, in, keyword, in[keyword], name)
	}
	if out["type"] == "object" && out["properties"] == nil && out["additionalProperties"] == nil {
		out["additionalProperties"] = true // ogen would drop all members
	}
	if out["enum"] != nil && out["type"] == nil {
		out["type"] = typeOf(out["enum"].([]any)[0])
	}
	return out
}

func (r *rewriter) keyword(out, in object, keyword string, value any, name string) {
	switch keyword {
	case "type":
		if list, ok := value.([]any); ok {
			r.types(out, list)
			return
		}
		out["type"] = value
	case "const":
		out["enum"] = []any{value}
	case "properties":
		properties := object{}
		for n, p := range value.(object) {
			properties[n] = r.schema(p, name+component(n))
		}
		out["properties"] = properties
	case "items":
		out["items"] = r.schema(value, name+"Item")
	case "additionalProperties":
		if _, ok := value.(bool); ok {
			out[keyword] = value
		} else {
			out[keyword] = r.schema(value, name+"Value")
		}
	case "oneOf", "anyOf", "allOf":
		var branches []any
		for i, b := range value.([]any) {
			branches = append(branches, r.schema(b, fmt.Sprintf("%sOf%d", name, i)))
		}
		out[keyword] = branches
	case "exclusiveMinimum":
		r.exclusive(out, in, keyword, "minimum", 1)
	case "exclusiveMaximum":
		r.exclusive(out, in, keyword, "maximum", -1)
	case "enum", "required", "minimum", "maximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems",
		"uniqueItems", "minProperties", "maxProperties", "discriminator", "nullable":
		out[keyword] = value
	case "$schema", "$id", "$defs", "title", "description", "default", "examples", "format", "readOnly", "writeOnly", "deprecated":
		// Annotations, and definitions, which are components by now.
	default:
		r.note(keyword + " left out")
	}
}

func (r *rewriter) types(out object, list []any) {
	list = slices.DeleteFunc(slices.Clone(list), func(t any) bool {
		if t == "null" {
			out["nullable"] = true
		}
		return t == "null"
	})
	if len(list) == 1 {
		out["type"] = list[0]
	} else {
		r.note("several types: takes anything")
	}
}

// exclusive turns a bound that is a number into one that is not exclusive, or
// into the boolean of OpenAPI 3.0.
func (r *rewriter) exclusive(out, in object, keyword, bound string, step int64) {
	if in[bound] != nil {
		r.note(keyword + " beside " + bound + " left out")
		return
	}
	n := in[keyword].(json.Number)
	if in["type"] != "integer" {
		out[bound], out[keyword] = n, true
		return
	}
	value, ok := new(big.Int).SetString(n.String(), 10)
	if !ok {
		r.note(keyword + " of a fraction left out")
		return
	}
	out[bound] = json.Number(value.Add(value, big.NewInt(step)).String())
}

func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	}
	return "object"
}

// reference rewrites a reference to the component it becomes.
func (r *rewriter) reference(ref string) string {
	name, ok := strings.CutPrefix(ref, "#"+r.prefix)
	if !ok {
		r.fail("cannot follow %s", ref)
		return ref
	}
	definition, def, nested := strings.Cut(unescape(name), "/$defs/")
	if nested {
		return componentPrefix + component(definition+"."+def)
	}
	return componentPrefix + component(definition)
}

// resolve follows references in the input.
func (r *rewriter) resolve(v any) object {
	s, _ := v.(object)
	for s["$ref"] != nil {
		name, ok := strings.CutPrefix(s["$ref"].(string), "#"+r.prefix)
		if !ok {
			return s
		}
		definition, def, nested := strings.Cut(unescape(name), "/$defs/")
		target, _ := r.in[definition].(object)
		if nested {
			target, _ = target["$defs"].(object)[def].(object)
		}
		s = target
	}
	return s
}

func unescape(pointer string) string {
	return strings.ReplaceAll(strings.ReplaceAll(pointer, "~1", "/"), "~0", "~")
}

func (r *rewriter) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

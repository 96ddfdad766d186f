// Package world makes small random schemas, rewrites and changes of them, for the
// tests of drift.
package world

import (
	"encoding/json"
	"math/rand"
	"slices"
)

type obj = map[string]any

// Small draws a schema from a small world in which rules meet often.
func Small(r *rand.Rand, depth int) any {
	if depth == 0 || r.Intn(8) == 0 {
		return []any{
			true, false, obj{}, obj{"type": "string"}, obj{"type": "integer"}, obj{"const": 1}, obj{"type": "null"}, obj{"enum": []any{"a", 2}},
			obj{"type": "string", "pattern": "^[ab]*$"}, obj{"type": "number", "minimum": 0, "maximum": 2},
		}[r.Intn(10)]
	}
	s := obj{}
	sub := func() any { return Small(r, depth-1) }
	list := func() []any {
		l := []any{sub(), sub(), sub()}
		return l[:1+r.Intn(3)]
	}
	for range 1 + r.Intn(3) {
		switch r.Intn(28) {
		case 0, 1:
			s["type"] = []any{"null", "boolean", "integer", "number", "string", "array", "object"}[r.Intn(7)]
		case 2:
			s["type"] = []any{"string", []string{"null", "integer", "object"}[r.Intn(3)]}
		case 3:
			s["enum"] = []any{[]any{1, "a"}[r.Intn(2)], []any{nil, true, 2, "ab"}[r.Intn(4)], []any{obj{}, []any{1}, obj{"a": 1}}[r.Intn(3)]}
		case 4:
			s["const"] = []any{1, "a", nil, false, []any{}, obj{}}[r.Intn(6)]
		case 5:
			s[[]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}[r.Intn(4)]] = []any{0, 1, 2, 0.5}[r.Intn(4)]
		case 6:
			s["multipleOf"] = []any{1, 2, 0.5}[r.Intn(3)]
		case 7:
			s[[]string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}[r.Intn(6)]] = r.Intn(3)
		case 8:
			s["properties"] = obj{[]string{"a", "b"}[r.Intn(2)]: sub(), "c": sub()}
		case 9:
			s["required"] = []any{[]string{"a", "b"}[r.Intn(2)]}
		case 10:
			s["additionalProperties"] = sub()
		case 11:
			s["patternProperties"] = obj{[]string{"a", "^b"}[r.Intn(2)]: sub()}
		case 12:
			s["propertyNames"] = sub()
		case 13:
			s["items"] = sub()
		case 14:
			s["prefixItems"] = list()
		case 15:
			s["contains"] = sub()
			if r.Intn(2) == 0 {
				s["minContains"] = r.Intn(3)
			}
			if r.Intn(3) == 0 {
				s["maxContains"] = 1 + r.Intn(2)
			}
		case 16:
			s["anyOf"] = list()
		case 17:
			s["oneOf"] = list()
		case 18:
			s["allOf"] = list()
		case 19:
			s["not"] = sub()
		case 20:
			s["if"], s["then"], s["else"] = sub(), sub(), sub()
		case 21:
			s["dependentRequired"] = obj{"a": []any{"b"}}
		case 22:
			s["dependentSchemas"] = obj{"a": sub()}
		case 23:
			s["uniqueItems"] = true
		case 24:
			s["unevaluatedProperties"] = sub()
		case 25:
			s["unevaluatedItems"] = sub()
		case 26:
			s["pattern"] = []any{"^a", "b", "^[a-c]{2}$", "^(ab)*$"}[r.Intn(4)]
		case 27:
			s["properties"], s["required"] = obj{"a": sub(), "b": sub()}, []any{"a"}
		}
	}
	return s
}

// Mutate changes one thing at a random place.
func Mutate(r *rand.Rand, s any, depth int) any {
	m, ok := s.(obj)
	if !ok || len(m) == 0 || r.Intn(4) == 0 {
		return Small(r, min(depth, 1))
	}
	if r.Intn(3) == 0 {
		return extend(r, m)
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	k := keys[r.Intn(len(keys))]
	out := obj{}
	for n, v := range m {
		out[n] = v
	}
	switch v := m[k].(type) {
	case obj:
		if k == "properties" || k == "patternProperties" || k == "dependentSchemas" {
			inner := obj{}
			names := make([]string, 0, len(v))
			for n, x := range v {
				inner[n] = x
				names = append(names, n)
			}
			slices.Sort(names)
			n := names[r.Intn(len(names))]
			inner[n] = Mutate(r, v[n], depth-1)
			out[k] = inner
		} else if k != "dependentRequired" {
			out[k] = Mutate(r, v, depth-1)
		}
	case []any:
		if k == "allOf" || k == "anyOf" || k == "oneOf" || k == "prefixItems" {
			l := slices.Clone(v)
			i := r.Intn(len(l))
			l[i] = Mutate(r, l[i], depth-1)
			out[k] = l
		} else {
			delete(out, k)
		}
	default:
		delete(out, k)
	}
	return out
}

// extend adds to a schema: a member, a value, a branch, or another keyword.
func extend(r *rand.Rand, m obj) obj {
	out := obj{}
	for k, v := range m {
		out[k] = v
	}
	switch r.Intn(4) {
	case 0:
		members := obj{}
		if have, ok := m["properties"].(obj); ok {
			for n, v := range have {
				members[n] = v
			}
		}
		members[[]string{"a", "b", "c", "d"}[r.Intn(4)]] = Small(r, 1)
		out["properties"] = members
	case 1:
		if have, ok := m["enum"].([]any); ok {
			out["enum"] = append(slices.Clone(have), []any{3, "abc", nil, true}[r.Intn(4)])
		}
	case 2:
		for _, k := range []string{"anyOf", "oneOf", "allOf"} {
			if have, ok := m[k].([]any); ok {
				out[k] = append(slices.Clone(have), Small(r, 1))
				return out
			}
		}
	}
	if more, ok := Small(r, 1).(obj); ok {
		for k, v := range more {
			if _, have := out[k]; !have && k != "if" && k != "then" && k != "else" {
				out[k] = v
			}
		}
	}
	return out
}

// Instances are JSON texts that tell most small schemas apart.
var Instances = func() []string {
	scalars := []any{nil, true, false, 0, 1, 2, 0.5, -1, 3, "", "a", "ab", "abc", "b", "ba"}
	all := slices.Clone(scalars)
	all = append(all, []any{}, obj{}, []any{1, 1}, []any{"a", "ab", "abc"}, []any{1, "a"}, []any{"a", 1}, []any{[]any{}}, []any{obj{"a": 1}}, []any{2, 2, "a"}, []any{nil, 1, true, "a"})
	for _, v := range scalars {
		all = append(all, []any{v}, obj{"a": v}, obj{"b": v}, obj{"c": v}, obj{"z": v}, obj{"a": v, "b": 1}, obj{"a": 1, "c": v}, []any{1, v}, []any{v, "a", "a"},
			obj{"b": "a", "ab": v, "c": 1}, obj{"a": "a", "b": v, "z": nil}, obj{"ba": v, "b": 2})
	}
	all = append(all, obj{"a": obj{}}, obj{"a": obj{"a": 1}}, obj{"a": []any{1}}, obj{"c": obj{"b": "a"}}, []any{obj{}}, []any{obj{"c": 1}}, obj{"a": []any{}, "b": obj{}})
	out := make([]string, len(all))
	for i, v := range all {
		out[i] = Text(v)
	}
	return out
}()

// Text writes a schema as JSON.
func Text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

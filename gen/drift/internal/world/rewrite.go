package world

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
)

// groups are keywords that act on each other and cannot be parted.
var groups = [][]string{
	{"if", "then", "else"}, {"contains", "minContains", "maxContains"}, {"prefixItems", "items"},
	{"properties", "patternProperties", "additionalProperties"},
}

// Rewrite says the same in another way: definitions extracted and inlined,
// branches reordered and wrapped, bounds and types split, constants as lists.
func Rewrite(r *rand.Rand, s any) any {
	w := rewriter{r: r, defs: obj{}}
	out := w.schema(s, false)
	if len(w.defs) == 0 {
		return out
	}
	m, ok := out.(obj)
	if !ok {
		m = obj{"allOf": []any{out}}
	}
	m["$defs"] = w.defs
	return m
}

type rewriter struct {
	r    *rand.Rand
	defs obj
}

// schema rewrites one schema. Where an unevaluated keyword around it sees what it
// evaluates, that must stay the same too.
func (w *rewriter) schema(s any, observed bool) any {
	r := w.r
	m, ok := s.(obj)
	if !ok {
		switch {
		case s == true && r.Intn(2) == 0:
			return obj{}
		case s == false && r.Intn(2) == 0:
			return obj{"not": obj{}}
		}
		return s
	}
	for _, k := range []string{"unevaluatedProperties", "unevaluatedItems"} {
		_, own := m[k]
		observed = observed || own
	}
	out := obj{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		inPlace := observed && slices.Contains([]string{"allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"}, k)
		out[k] = w.keyword(k, m[k], inPlace)
	}
	if v, is := out["const"]; is && r.Intn(2) == 0 {
		delete(out, "const")
		if _, listed := out["enum"]; listed {
			out["allOf"] = append(listOf(out["allOf"]), obj{"const": v})
		} else {
			out["enum"] = []any{v}
		}
	}
	if t, is := out["type"].(string); is && r.Intn(3) == 0 {
		out["type"] = []any{t}
		if t == "number" && r.Intn(2) == 0 {
			out["type"] = []any{"integer", "number"}
		}
	}
	if t, is := out["type"].([]any); is && len(t) == 2 && r.Intn(2) == 0 && out["anyOf"] == nil && !observed {
		delete(out, "type")
		out["anyOf"] = []any{obj{"type": t[1]}, obj{"type": t[0]}}
	}
	if out["type"] == "integer" && r.Intn(3) == 0 {
		if n, is := out["minimum"].(int); is && out["exclusiveMinimum"] == nil {
			delete(out, "minimum")
			out["exclusiveMinimum"] = n - 1
		}
	}
	if !observed && r.Intn(5) == 0 {
		out = split(r, out)
	}
	for _, k := range []string{"minLength", "minItems", "minProperties"} {
		if out[k] == nil && r.Intn(12) == 0 {
			out[k] = 0
		}
	}
	switch r.Intn(8) {
	case 0:
		name := fmt.Sprintf("d%d", len(w.defs))
		w.defs[name] = out
		return obj{"$ref": "#/$defs/" + name}
	case 1:
		return obj{[]string{"allOf", "anyOf", "oneOf"}[r.Intn(3)]: []any{out}}
	case 2:
		if _, some := out["title"]; !some {
			out["title"], out["description"] = "a title", "some words"
		}
	}
	return out
}

func listOf(v any) []any {
	l, _ := v.([]any)
	return slices.Clone(l)
}

func (w *rewriter) keyword(k string, v any, observed bool) any {
	r := w.r
	switch k {
	case "allOf", "anyOf", "oneOf":
		list := listOf(v)
		for i := range list {
			list[i] = w.schema(list[i], observed)
		}
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if k != "oneOf" && r.Intn(4) == 0 {
			list = append(list, list[0])
		}
		return list
	case "prefixItems":
		list := listOf(v)
		for i := range list {
			list[i] = w.schema(list[i], false)
		}
		return list
	case "properties", "patternProperties", "dependentSchemas":
		out := obj{}
		for name, s := range v.(obj) {
			out[name] = w.schema(s, observed)
		}
		return out
	case "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
		return w.schema(v, observed)
	case "enum", "required":
		list := listOf(v)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list
	}
	return v
}

// split moves some keywords into allOf.
func split(r *rand.Rand, m obj) obj {
	taken := map[string]bool{}
	for _, g := range groups {
		if r.Intn(2) == 0 {
			for _, k := range g {
				taken[k] = true
			}
		}
	}
	rest, moved := obj{}, obj{}
	for k, v := range m {
		grouped := slices.ContainsFunc(groups, func(g []string) bool { return slices.Contains(g, k) })
		if taken[k] || !grouped && r.Intn(2) == 0 && k != "allOf" {
			moved[k] = v
		} else {
			rest[k] = v
		}
	}
	if len(moved) == 0 {
		return m
	}
	rest["allOf"] = append(listOf(rest["allOf"]), moved)
	return rest
}

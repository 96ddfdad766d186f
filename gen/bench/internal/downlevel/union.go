package downlevel

import (
	"maps"
	"slices"
)

// union rewrites the unions of a schema: unions within unions are flattened,
// null becomes nullable, and a union whose variants differ in a tag gets them
// as components with a discriminator.
func (r *rewriter) union(in object, name string) object {
	keyword := "oneOf"
	if in[keyword] == nil {
		keyword = "anyOf"
	}
	branches, ok := in[keyword].([]any)
	if !ok || in["oneOf"] != nil && in["anyOf"] != nil {
		return in
	}
	in = maps.Clone(in)
	delete(in, keyword)
	branches = flatten(branches)
	variants := slices.DeleteFunc(slices.Clone(branches), func(b any) bool {
		s, _ := b.(object)
		return s["type"] == "null"
	})
	if len(variants) < len(branches) {
		in["nullable"] = true
	}
	if len(variants) == 1 {
		// The one variant inline: a reference cannot be nullable.
		for k, v := range r.resolve(variants[0]) {
			in[k] = v
		}
		return in
	}
	variants = r.withBase(in, variants)
	tag, values := r.tag(variants)
	if tag == "" {
		r.note("unions without a tag: ogen guesses")
		keyword = "oneOf"
		if r.mentions(variants, componentPrefix+name) {
			keyword = "anyOf" // oneOf would send ogen round in circles
		}
		in[keyword] = variants
		return in
	}
	mapping := object{}
	var references []any
	for i, v := range variants {
		ref, _ := v.(object)["$ref"].(string)
		if ref != "" {
			ref = r.reference(ref)
		} else {
			variant := name + component(values[i][0])
			if r.out[variant] != nil {
				r.fail("two variants would be named %s", variant)
			}
			r.out[variant] = object{}
			r.out[variant] = r.schema(v, variant)
			ref = componentPrefix + variant
		}
		references = append(references, object{"$ref": ref})
		for _, value := range values[i] {
			mapping[value] = ref
		}
	}
	// References of the output already: they must not be rewritten again.
	out := object{"oneOf": references, "discriminator": object{"propertyName": tag, "mapping": mapping}}
	if in["nullable"] == true {
		out["nullable"] = true
	}
	return r.done(out)
}

// mentions tells whether a reference to a component is anywhere in a value.
func (r *rewriter) mentions(v any, ref string) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return r.mentions(e, ref) })
	case object:
		if text, ok := v["$ref"].(string); ok && r.reference(text) == ref {
			return true
		}
		for _, e := range v {
			if r.mentions(e, ref) {
				return true
			}
		}
	}
	return false
}

// done keeps a finished union from being rewritten: its references are named
// the way they are read.
func (r *rewriter) done(out object) object {
	for _, b := range out["oneOf"].([]any) {
		ref := b.(object)
		ref["$ref"] = "#" + r.prefix + ref["$ref"].(string)[len(componentPrefix):]
	}
	return out
}

// flatten puts the branches of branches that are nothing but unions in place.
func flatten(branches []any) []any {
	var flat []any
	for _, b := range branches {
		s, _ := b.(object)
		inner, ok := s["oneOf"].([]any)
		if !ok {
			inner, ok = s["anyOf"].([]any)
		}
		if ok && len(s) == 1 {
			flat = append(flat, flatten(inner)...)
		} else {
			flat = append(flat, b)
		}
	}
	return flat
}

// withBase moves properties beside a union into its variants, and drops the
// variant that takes every tag the others do not: ogen cannot say that.
func (r *rewriter) withBase(in object, variants []any) []any {
	base, ok := in["properties"].(object)
	if !ok {
		return variants
	}
	required, _ := in["required"].([]any)
	delete(in, "properties")
	delete(in, "required")
	delete(in, "type")
	var out []any
	for _, v := range variants {
		variant := maps.Clone(r.resolve(v))
		own, _ := variant["properties"].(object)
		properties := maps.Clone(base)
		rest := false
		for name, p := range own {
			properties[name] = p
			s, _ := p.(object)
			rest = rest || s["not"] != nil
		}
		if rest {
			r.note("variant for all other tags left out")
			continue
		}
		variant["type"], variant["properties"] = "object", properties
		names, _ := variant["required"].([]any)
		for _, n := range required {
			if !slices.Contains(names, n) {
				names = append(slices.Clone(names), n)
			}
		}
		variant["required"] = names
		out = append(out, variant)
	}
	return out
}

// tag finds a required member that has other constant strings in every variant.
func (r *rewriter) tag(variants []any) (tag string, values [][]string) {
	first := r.resolve(variants[0])
	properties, _ := first["properties"].(object)
candidates:
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		seen := map[string]bool{}
		values = nil
		for _, v := range variants {
			of := constants(r.resolve(v), name)
			if len(of) == 0 {
				continue candidates
			}
			for _, value := range of {
				if seen[value] {
					continue candidates
				}
				seen[value] = true
			}
			values = append(values, of)
		}
		return name, values
	}
	return "", nil
}

// constants are the strings that a required member is limited to.
func constants(variant object, name string) []string {
	required, _ := variant["required"].([]any)
	properties, _ := variant["properties"].(object)
	p, _ := properties[name].(object)
	if !slices.Contains(required, any(name)) {
		return nil
	}
	if c, ok := p["const"].(string); ok {
		return []string{c}
	}
	enum, _ := p["enum"].([]any)
	var all []string
	for _, e := range enum {
		s, ok := e.(string)
		if !ok {
			return nil
		}
		all = append(all, s)
	}
	return all
}

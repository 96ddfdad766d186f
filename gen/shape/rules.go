package shape

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Rules lists the keywords by which n itself can refuse a value, in a fixed order. Annotations are not among them;
// format is, since it may be asserted.
func Rules(n *schema.Node) []string {
	var rules []string
	add := func(has bool, keyword string) {
		if has {
			rules = append(rules, keyword)
		}
	}
	add(n.Always != nil && !*n.Always, "false")
	add(n.Ref != nil, "$ref")
	add(n.DynamicRef != nil, "$dynamicRef")
	add(n.Types != 0, "type")
	add(n.Const != nil, "const")
	add(n.Enum != nil, "enum")
	add(len(n.AllOf) > 0, "allOf")
	add(len(n.AnyOf) > 0, "anyOf")
	add(len(n.OneOf) > 0, "oneOf")
	add(n.Not != nil, "not")
	add(n.If != nil && (n.Then != nil || n.Else != nil), "if")
	add(len(n.DependentSchemas) > 0, "dependentSchemas")
	add(len(n.DependentRequired) > 0, "dependentRequired")
	add(len(n.Properties) > 0, "properties")
	add(len(n.PatternProperties) > 0, "patternProperties")
	add(!acceptsAll(n.AdditionalProperties), "additionalProperties")
	add(!acceptsAll(n.UnevaluatedProperties), "unevaluatedProperties")
	add(!trivialNames(n.PropertyNames), "propertyNames")
	add(len(n.Required) > 0, "required")
	add(n.MinProperties != nil && *n.MinProperties > 0, "minProperties")
	add(n.MaxProperties != nil, "maxProperties")
	add(len(n.PrefixItems) > 0, "prefixItems")
	add(!acceptsAll(n.Items), "items")
	add(n.Contains != nil, "contains")
	add(!acceptsAll(n.UnevaluatedItems), "unevaluatedItems")
	add(n.UniqueItems, "uniqueItems")
	add(n.MinItems != nil && *n.MinItems > 0, "minItems")
	add(n.MaxItems != nil, "maxItems")
	add(n.MinLength != nil && *n.MinLength > 0, "minLength")
	add(n.MaxLength != nil, "maxLength")
	add(n.Pattern != nil, "pattern")
	add(n.Format != "", "format")
	add(n.Minimum != nil, "minimum")
	add(n.Maximum != nil, "maximum")
	add(n.ExclusiveMinimum != nil, "exclusiveMinimum")
	add(n.ExclusiveMaximum != nil, "exclusiveMaximum")
	add(n.MultipleOf != nil, "multipleOf")
	return rules
}

// Only reports whether all rules are among the keywords given.
func Only(rules []string, keywords ...string) bool {
	return !slices.ContainsFunc(rules, func(have string) bool { return !slices.Contains(keywords, have) })
}

// Any reports whether some rule is among the keywords given.
func Any(rules []string, keywords ...string) bool {
	return slices.ContainsFunc(rules, func(have string) bool { return slices.Contains(keywords, have) })
}

// onlyRules reports whether n asserts nothing beyond the keywords given.
func onlyRules(n *schema.Node, keywords ...string) bool { return Only(Rules(n), keywords...) }

// Choice returns the branches of n's oneOf, or else of its anyOf, and which of the two it is.
func Choice(n *schema.Node) (keyword string, branches []*schema.Node) {
	if len(n.OneOf) > 0 {
		return "oneOf", n.OneOf
	}
	return "anyOf", n.AnyOf
}

// PropertyNames lists the members that n itself names, in the order of the document.
func PropertyNames(n *schema.Node) []string {
	var names []string
	for _, p := range n.Properties {
		names = append(names, p.Name)
	}
	return names
}

// WantTypes says a type list in words, for violations: "null, a string or an array".
func WantTypes(t schema.Types) string {
	words := map[string]string{"null": "null", "boolean": "a boolean", "integer": "an integer", "number": "a number",
		"string": "a string", "array": "an array", "object": "an object"}
	names := t.Names()
	for i, name := range names {
		names[i] = words[name]
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

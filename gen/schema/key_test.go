package schema_test

import (
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// build reads one schema, failing the test when it cannot.
func build(t testing.TB, text string) *schema.Node {
	t.Helper()
	f, err := document.Parse("test.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := schema.Build(document.NewSet(f))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return g.Roots["test.json#"]
}

func TestKeyIsEqualForEqualMeaning(t *testing.T) {
	for _, test := range []struct{ rule, one, other string }{
		{"annotations do not count", `{"type":"string","title":"T","description":"D","default":"x","examples":["y"],"$comment":"c","deprecated":true,"readOnly":true,"writeOnly":true}`, `{"type":"string"}`},
		{"unknown keywords do not count", `{"type":"string","x-y":1}`, `{"type":"string"}`},
		{"$ref inlined", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string","minLength":1}}}`, `{"properties":{"a":{"type":"string","minLength":1}}}`},
		{"rules beside $ref", `{"$ref":"#/$defs/A","maxLength":5,"$defs":{"A":{"minLength":1}}}`, `{"minLength":1,"maxLength":5}`},
		{"allOf flattened", `{"allOf":[{"required":["a"]},{"properties":{"a":{"minLength":1}}},{"properties":{"a":{"maxLength":2}}}]}`, `{"required":["a"],"properties":{"a":{"minLength":1,"maxLength":2}}}`},
		{"branches reordered", `{"anyOf":[{"type":"string","minLength":1},{"type":"string","pattern":"a"}]}`, `{"anyOf":[{"type":"string","pattern":"a"},{"type":"string","minLength":1}]}`},
		{"oneOf reordered", `{"oneOf":[{"minLength":1},{"pattern":"a"}]}`, `{"oneOf":[{"pattern":"a"},{"minLength":1}]}`},
		{"anyOf of one", `{"anyOf":[{"type":"array"}]}`, `{"type":"array"}`},
		{"oneOf of one", `{"oneOf":[{"type":"array"}]}`, `{"type":"array"}`},
		{"branch repeated", `{"anyOf":[{"minLength":1},{"minLength":1}]}`, `{"minLength":1}`},
		{"branch implied by another", `{"anyOf":[{"minLength":1},{"minLength":1,"pattern":"a"}]}`, `{"minLength":1}`},
		{"const and enum of one", `{"const":"a"}`, `{"enum":["a"]}`},
		{"const with its type", `{"const":"a","type":"string"}`, `{"const":"a"}`},
		{"enum reordered and repeated", `{"enum":["a","b","a"]}`, `{"enum":["b","a"]}`},
		{"enum filtered by type", `{"enum":["a",1,null],"type":["string","null"]}`, `{"enum":["a",null]}`},
		{"enum filtered by bounds", `{"enum":[1,2,3,"abc"],"minimum":2,"maxLength":3}`, `{"enum":[2,3,"abc"]}`},
		{"bounds an enum implies", `{"enum":["a","bc"],"minLength":1,"maxLength":2}`, `{"enum":["a","bc"]}`},
		{"constants in oneOf", `{"oneOf":[{"const":"a"},{"const":"b"}]}`, `{"enum":["a","b"]}`},
		{"enums in anyOf", `{"anyOf":[{"enum":["a","c"]},{"enum":["b","c"]}]}`, `{"enum":["a","b","c"]}`},
		{"boolean as enum", `{"type":"boolean"}`, `{"enum":[true,false]}`},
		{"null as const", `{"type":"null"}`, `{"const":null}`},
		{"anyOf with null", `{"anyOf":[{"type":"string","minLength":1},{"type":"null"}]}`, `{"type":["string","null"],"minLength":1}`},
		{"oneOf with null", `{"oneOf":[{"type":"null"},{"type":"object","required":["a"]}]}`, `{"type":["object","null"],"required":["a"]}`},
		{"type list split", `{"type":["string","number"],"minLength":1,"minimum":0}`, `{"oneOf":[{"type":"number","minimum":0},{"type":"string","minLength":1}]}`},
		{"type list of one", `{"type":["string"]}`, `{"type":"string"}`},
		{"all types", `{"type":["null","boolean","number","string","array","object"]}`, `true`},
		{"integer inside number", `{"type":["integer","number"]}`, `{"type":"number"}`},
		{"integer is a multiple of one", `{"type":"integer"}`, `{"type":"number","multipleOf":1}`},
		{"rules of other types", `{"type":"string","minimum":3,"required":["a"]}`, `{"type":"string"}`},
		{"exclusive bound on integers", `{"type":"integer","exclusiveMinimum":0}`, `{"type":"integer","minimum":1}`},
		{"exclusive upper bound on integers", `{"type":"integer","exclusiveMaximum":10}`, `{"type":"integer","maximum":9}`},
		{"bound between integers", `{"type":"integer","minimum":0.5}`, `{"type":"integer","minimum":1}`},
		{"negative bound between integers", `{"type":"integer","minimum":-1.5,"maximum":-0.5}`, `{"const":-1}`},
		{"few integers", `{"type":"integer","minimum":1,"maximum":3}`, `{"enum":[1,2,3]}`},
		{"bound by value", `{"minimum":10}`, `{"minimum":1.0e1}`},
		{"const by value", `{"const":{"a":1,"b":[2]}}`, `{"const":{"b":[2.0],"a":10e-1}}`},
		{"tighter of two bounds", `{"minimum":1,"exclusiveMinimum":1}`, `{"exclusiveMinimum":1}`},
		{"split bounds", `{"allOf":[{"minimum":1},{"maximum":5.5}],"minimum":2}`, `{"minimum":2,"maximum":5.5}`},
		{"multiples joined", `{"allOf":[{"multipleOf":2},{"multipleOf":3}]}`, `{"multipleOf":6}`},
		{"fractional multiples joined", `{"type":"integer","multipleOf":0.5}`, `{"type":"integer"}`},
		{"impossible bounds", `{"type":"number","minimum":2,"maximum":1}`, `false`},
		{"impossible lengths", `{"type":"string","minLength":2,"maxLength":1}`, `{"not":{}}`},
		{"empty string only", `{"type":"string","maxLength":0}`, `{"const":""}`},
		{"zero bounds", `{"minLength":0,"minItems":0,"minProperties":0,"uniqueItems":false,"required":[]}`, `{}`},
		{"additionalProperties true", `{"additionalProperties":true}`, `{}`},
		{"empty schemas", `{"properties":{"a":true},"items":{},"contains":{"minLength":1},"minContains":0,"propertyNames":true}`, `{}`},
		{"minItems beside contains", `{"contains":{"type":"string"},"minItems":1}`, `{"contains":{"type":"string"}}`},
		{"contains anything", `{"contains":true,"minContains":2,"maxContains":3}`, `{"minItems":2,"maxItems":3}`},
		{"no items after the prefix", `{"prefixItems":[{"type":"string"}],"items":false}`, `{"prefixItems":[{"type":"string"}],"maxItems":1}`},
		{"no items at all", `{"type":"array","items":false}`, `{"type":"array","maxItems":0,"uniqueItems":true,"items":{"type":"string"}}`},
		{"no members at all", `{"additionalProperties":false}`, `{"maxProperties":0}`},
		{"no names allowed", `{"propertyNames":false}`, `{"maxProperties":0}`},
		{"member like the rest", `{"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}}`, `{"additionalProperties":{"type":"string"}}`},
		{"minProperties beside required", `{"required":["a","b"],"minProperties":2}`, `{"required":["b","a"]}`},
		{"maxProperties beside closed", `{"properties":{"a":true},"additionalProperties":false,"maxProperties":1}`, `{"properties":{"a":true},"additionalProperties":false}`},
		{"required but forbidden", `{"type":"object","required":["a"],"properties":{"a":false}}`, `false`},
		{"required but closed", `{"type":"object","required":["b"],"properties":{"a":true},"additionalProperties":false}`, `false`},
		{"forbidden member", `{"type":"object","not":{"required":["a"]}}`, `{"type":"object","properties":{"a":false}}`},
		{"dependentRequired as dependentSchemas", `{"dependentRequired":{"a":["b"]}}`, `{"dependentSchemas":{"a":{"required":["b"]}}}`},
		{"dependentRequired as if", `{"dependentRequired":{"a":["b"]}}`, `{"if":{"required":["a"]},"then":{"required":["b"]}}`},
		{"dependentRequired of required", `{"required":["a"],"dependentRequired":{"a":["b"],"b":["c"]}}`, `{"required":["a","b","c"]}`},
		{"dependencies", `{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, `{"dependentRequired":{"a":["b"],"c":["d"]}}`},
		{"double negation", `{"not":{"not":{"minLength":3}}}`, `{"minLength":3}`},
		{"not any", `{"not":{"anyOf":[{"pattern":"a"},{"pattern":"b"}]}}`, `{"allOf":[{"not":{"pattern":"b"}},{"not":{"pattern":"a"}}]}`},
		{"not a type", `{"not":{"type":["string","null"]}}`, `{"type":["boolean","number","array","object"]}`},
		{"if without then or else", `{"if":{"minLength":2}}`, `true`},
		{"then without if", `{"then":false,"else":false}`, `true`},
		{"if true", `{"if":true,"then":{"minLength":1},"else":false}`, `{"minLength":1}`},
		{"then and else alike", `{"if":{"pattern":"a"},"then":{"minLength":1},"else":{"minLength":1}}`, `{"minLength":1}`},
		{"minContains without contains", `{"minContains":5}`, `true`},
		{"unevaluated as additional", `{"allOf":[{"properties":{"a":{"type":"string"}}}],"properties":{"b":true},"unevaluatedProperties":false}`, `{"properties":{"a":{"type":"string"},"b":true},"additionalProperties":false}`},
		{"unevaluated after additional", `{"additionalProperties":{"type":"string"},"unevaluatedProperties":false}`, `{"additionalProperties":{"type":"string"}}`},
		{"unevaluated beside a dependent schema no object satisfies",
			`{"dependentSchemas":{"a":{"const":1,"patternProperties":{"b":{"minimum":1}}}},"unevaluatedProperties":{"const":2}}`,
			`{"dependentSchemas":{"a":{"anyOf":[{"const":1,"patternProperties":{"b":{"minimum":1}}}]}},"unevaluatedProperties":{"const":2}}`},
		{"unevaluated beside a consequence no array satisfies",
			`{"if":{"minItems":2},"then":{"const":1,"prefixItems":[{"minimum":1}]},"unevaluatedItems":{"const":2}}`,
			`{"if":{"minItems":2},"then":{"const":1},"unevaluatedItems":{"const":2}}`},
		{"unevaluated items", `{"allOf":[{"prefixItems":[{"type":"string"}]}],"unevaluatedItems":false}`, `{"prefixItems":[{"type":"string"}],"items":false}`},
		{"oneOf told apart by a constant is anyOf",
			`{"type":"object","oneOf":[{"required":["t"],"properties":{"t":{"const":"a"}}},{"required":["t"],"properties":{"t":{"const":"b"}}}]}`,
			`{"type":"object","anyOf":[{"required":["t"],"properties":{"t":{"const":"b"}}},{"required":["t"],"properties":{"t":{"enum":["a"]}}}]}`},
		{"recursion through another name",
			`{"$ref":"#/$defs/A","$defs":{"A":{"properties":{"next":{"$ref":"#/$defs/A"}}}}}`,
			`{"properties":{"next":{"$ref":"#"}}}`},
		{"recursion unrolled",
			`{"properties":{"next":{"properties":{"next":{"$ref":"#"}}}}}`,
			`{"properties":{"next":{"$ref":"#"}}}`},
		{"mutual recursion of equals",
			`{"items":{"$ref":"#/$defs/B"},"$defs":{"B":{"items":{"$ref":"#"}}}}`,
			`{"items":{"$ref":"#"}}`},
		{"recursion in a larger cycle of the same meaning",
			`{"properties":{"l":{"$ref":"#/$defs/C"},"r":{"$ref":"#/$defs/A"}},"$defs":{"C":{"properties":{"l":{"$ref":"#"},"r":{"$ref":"#/$defs/A"}}},"A":{"properties":{"l":{"$ref":"#/$defs/A"},"r":{"$ref":"#/$defs/A"}}}}}`,
			`{"properties":{"l":{"$ref":"#"},"r":{"$ref":"#"}}}`},
		{"joined recursion", `{"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}],"$defs":{"A":{"items":{"$ref":"#/$defs/A"},"minItems":1},"B":{"items":{"$ref":"#/$defs/B"},"maxItems":2}}}`,
			`{"items":{"$ref":"#"},"minItems":1,"maxItems":2}`},
		{"dynamicRef with one candidate", `{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}}}`, `{"properties":{"a":{"$ref":"#"}}}`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			one, other := build(t, test.one), build(t, test.other)
			if one.Key() != other.Key() {
				t.Errorf("different keys:\n%s\n%s", test.one, test.other)
			}
		})
	}
}

func TestKeyDiffersForDifferentMeaning(t *testing.T) {
	for _, test := range []struct{ rule, one, other string }{
		{"type", `{"type":"string"}`, `{"type":"number"}`},
		{"integer is not number", `{"type":"integer"}`, `{"type":"number"}`},
		{"null added", `{"type":"string"}`, `{"type":["string","null"]}`},
		{"length", `{"minLength":1}`, `{"minLength":2}`},
		{"minimum and maximum", `{"minimum":1}`, `{"maximum":1}`},
		{"exclusive on numbers", `{"exclusiveMinimum":0}`, `{"minimum":1}`},
		{"pattern", `{"pattern":"a"}`, `{"pattern":"b"}`},
		{"format", `{"format":"uuid"}`, `{}`},
		{"enum", `{"enum":["a","b"]}`, `{"enum":["a"]}`},
		{"number and its text", `{"const":1}`, `{"const":"1"}`},
		{"boolean and number", `{"const":false}`, `{"const":0}`},
		{"required", `{"properties":{"a":true},"required":["a"]}`, `{"properties":{"a":true}}`},
		{"closed", `{"properties":{"a":true},"additionalProperties":false}`, `{"properties":{"a":true}}`},
		{"closed with another name", `{"properties":{"a":true},"additionalProperties":false}`, `{"properties":{"b":true},"additionalProperties":false}`},
		{"two closed objects", `{"allOf":[{"properties":{"a":true},"additionalProperties":false},{"properties":{"b":true},"additionalProperties":false}]}`, `{"properties":{"a":true,"b":true},"additionalProperties":false}`},
		{"member of a member", `{"properties":{"a":{"properties":{"b":{"type":"string"}}}}}`, `{"properties":{"a":{"properties":{"b":{"type":"number"}}}}}`},
		{"oneOf with overlap is not anyOf", `{"oneOf":[{"minLength":1},{"pattern":"a"}]}`, `{"anyOf":[{"minLength":1},{"pattern":"a"}]}`},
		{"oneOf with a repeated branch", `{"oneOf":[{"minLength":1},{"minLength":1},{"pattern":"a"}]}`, `{"oneOf":[{"minLength":1},{"pattern":"a"}]}`},
		{"oneOf told apart by an optional constant", `{"oneOf":[{"properties":{"t":{"const":"a"}}},{"properties":{"t":{"const":"b"}}}]}`, `{"anyOf":[{"properties":{"t":{"const":"a"}}},{"properties":{"t":{"const":"b"}}}]}`},
		{"prefix order", `{"prefixItems":[{"type":"string"},{"type":"number"}]}`, `{"prefixItems":[{"type":"number"},{"type":"string"}]}`},
		{"items after prefix", `{"prefixItems":[true],"items":{"type":"string"}}`, `{"items":{"type":"string"}}`},
		{"then and else swapped", `{"if":{"pattern":"a"},"then":{"minLength":2},"else":{"maxLength":5}}`, `{"if":{"pattern":"a"},"then":{"maxLength":5},"else":{"minLength":2}}`},
		{"unevaluated behind a branch", `{"anyOf":[{"properties":{"a":true},"required":["a"]},{"properties":{"b":true},"required":["b"]}],"unevaluatedProperties":false}`, `{"anyOf":[{"properties":{"a":true},"required":["a"]},{"properties":{"b":true},"required":["b"]}],"properties":{"a":true,"b":true},"additionalProperties":false}`},
		{"what a branch evaluates", `{"anyOf":[{"properties":{"a":true}},{"minProperties":1}],"unevaluatedProperties":false}`, `{"anyOf":[{"properties":{"b":true}},{"minProperties":1}],"unevaluatedProperties":false}`},
		{"what contains evaluates", `{"contains":{"type":"string"},"unevaluatedItems":false}`, `{"contains":{"type":"string"},"items":false}`},
		{"recursion and its end", `{"properties":{"next":{"$ref":"#"}}}`, `{"properties":{"next":{"properties":{"next":true}}}}`},
		{"two recursions", `{"properties":{"a":{"$ref":"#"}},"required":["x"]}`, `{"properties":{"a":{"$ref":"#"}},"required":["y"]}`},
		{"period of a recursion", `{"minItems":1,"items":{"maxItems":9,"items":{"$ref":"#"}}}`, `{"minItems":1,"items":{"maxItems":9,"items":{"maxItems":9,"items":{"$ref":"#"}}}}`},
		{"phase of a recursion", `{"minItems":1,"items":{"maxItems":9,"items":{"$ref":"#"}}}`, `{"maxItems":9,"items":{"minItems":1,"items":{"$ref":"#"}}}`},
		{"huge multiples", `{"const":1e-5000,"type":"integer"}`, `{"const":1e-5000}`},
		{"minContains", `{"contains":{"minLength":1},"minContains":2}`, `{"contains":{"minLength":1}}`},
		{"not", `{"not":{"pattern":"a"}}`, `{"pattern":"a"}`},
		{"names", `{"propertyNames":{"pattern":"a"}}`, `{"propertyNames":{"pattern":"b"}}`},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"dependentRequired":{"b":["a"]}}`},
		{"property and pattern", `{"properties":{"a":{"type":"string"}}}`, `{"patternProperties":{"a":{"type":"string"}}}`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if build(t, test.one).Key() == build(t, test.other).Key() {
				t.Errorf("one key:\n%s\n%s", test.one, test.other)
			}
		})
	}
}

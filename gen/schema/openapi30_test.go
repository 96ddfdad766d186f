package schema_test

import (
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Each schema of OpenAPI 3.0 means what the schema of 2020-12 beside it means.
func TestSchemasOfOpenAPI30AreTranslated(t *testing.T) {
	for _, test := range []struct{ rule, old, want string }{
		{"nullable beside type", `{"type":"string","nullable":true}`, `{"type":["string","null"]}`},
		{"nullable without type", `{"minLength":1,"nullable":true}`, `{"minLength":1}`},
		{"not nullable", `{"type":"string","nullable":false}`, `{"type":"string"}`},
		{"exclusive minimum", `{"type":"number","minimum":1,"exclusiveMinimum":true}`, `{"type":"number","exclusiveMinimum":1}`},
		{"exclusive maximum", `{"type":"number","exclusiveMaximum":true,"maximum":1}`, `{"type":"number","exclusiveMaximum":1}`},
		{"inclusive by word", `{"type":"number","minimum":1,"exclusiveMinimum":false}`, `{"type":"number","minimum":1}`},
		{"exclusive of nothing", `{"type":"number","exclusiveMaximum":true}`, `{"type":"number"}`},
		{"beside a reference", `{"$ref":"#/components/schemas/S","nullable":true,"maxLength":1}`, `{"type":"string"}`},
		{"in properties", `{"type":"object","properties":{"nullable":{"type":"string","nullable":true},"type":{"type":"boolean"}}}`,
			`{"type":"object","properties":{"nullable":{"type":["string","null"]},"type":{"type":"boolean"}}}`},
		{"in items", `{"type":"array","items":{"type":"integer","nullable":true}}`, `{"type":"array","items":{"type":["integer","null"]}}`},
		{"in branches", `{"oneOf":[{"type":"integer","nullable":true},{"type":"string"}]}`, `{"oneOf":[{"type":["integer","null"]},{"type":"string"}]}`},
		{"in not", `{"not":{"type":"integer","nullable":true}}`, `{"not":{"type":["integer","null"]}}`},
		{"in further members", `{"type":"object","additionalProperties":{"type":"string","nullable":true}}`,
			`{"type":"object","additionalProperties":{"type":["string","null"]}}`},
		{"members refused", `{"type":"object","additionalProperties":false}`, `{"type":"object","additionalProperties":false}`},
		{"annotations", `{"type":"string","example":"x","discriminator":{"propertyName":"t"},"xml":{"name":"x"}}`, `{"type":"string"}`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			g, err := schema.Build(document.NewSet(
				parse(t, "old.json", `{"openapi":"3.0.3","components":{"schemas":{"S":{"type":"string"},"X":`+test.old+`}}}`),
				parse(t, "new.json", test.want)))
			if err != nil {
				t.Fatal(err)
			}
			old, err := g.At("old.json#/components/schemas/X")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := old.Key(), g.Roots["new.json#"].Key(); got != want {
				t.Errorf("%s is not read as %s", test.old, test.want)
			}
		})
	}
}

func TestTranslatedSchemasKeepTheirPlaces(t *testing.T) {
	text := `{"openapi":"3.0.3","paths":{"/a":{"get":{
"parameters":[{"name":"q","in":"query","schema":{"type":"string","nullable":true,"example":"x"}}],
"responses":{"200":{"description":"","content":{"application/json":{"schema":{"$ref":"#/components/schemas/X"}}}}}}}},
"components":{"schemas":{"X":{"type":"integer","minimum":0,"exclusiveMinimum":true}}}}`
	g, err := schema.Build(document.NewSet(parse(t, "old.json", text)))
	if err != nil {
		t.Fatal(err)
	}
	q, err := g.At("old.json#/paths/~1a/get/parameters/0/schema")
	if err != nil || q.Types != schema.TypeString|schema.TypeNull || q.Line != 2 || len(q.Examples) != 1 || q.Examples[0].Text != "x" {
		t.Errorf("parameter %v, %v", q, err)
	}
	body, err := g.At("old.json#/paths/~1a/get/responses/200/content/application~1json/schema")
	if err != nil || body.Target().ExclusiveMinimum == nil || body.Target().Line != 4 {
		t.Errorf("body %v, %v", body, err)
	}
}

func TestWhatOpenAPI30DoesNotAllowIsRefused(t *testing.T) {
	for _, test := range []struct{ rule, text, want string }{
		{"a list of types", `{"type":["string","null"]}`, "at /components/schemas/X/type: type must be a string in OpenAPI 3.0, not an array"},
		{"nullable as text", `{"nullable":"yes"}`, "at /components/schemas/X/nullable: nullable must be true or false in OpenAPI 3.0, not a string"},
		{"a bound that excludes by number", `{"exclusiveMinimum":3}`, "at /components/schemas/X/exclusiveMinimum: exclusiveMinimum must be true or false in OpenAPI 3.0, not a number"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			_, err := schema.Build(document.NewSet(parse(t, "old.json", `{"openapi":"3.0.3","components":{"schemas":{"X":`+test.text+`}}}`)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

package schema_test

import (
	"slices"
	"strings"
	"testing"
)

func TestTheDialectsOfOpenAPIAre2020(t *testing.T) {
	for _, dialect := range []string{"https://spec.openapis.org/oas/3.1/dialect/base", "https://spec.openapis.org/oas/3.1/dialect/2024-11-10",
		"https://spec.openapis.org/oas/3.2/dialect/2025-09-17"} {
		for place, text := range map[string]string{
			"jsonSchemaDialect": `{"openapi":"3.2.0","jsonSchemaDialect":"` + dialect + `","components":{"schemas":{"A":{"prefixItems":[true],"xml":{}}}}}`,
			"$schema":           `{"openapi":"3.1.0","components":{"schemas":{"A":{"$id":"a","$schema":"` + dialect + `","prefixItems":[true],"xml":{}}}}}`,
		} {
			g, err := buildFiles(t, text, nil)
			if err != nil {
				t.Errorf("%s in %s: %v", dialect, place, err)
				continue
			}
			n := g.Defs[0].Node
			if n.Resource.Dialect != dialect && place == "$schema" || len(n.PrefixItems) != 1 {
				t.Errorf("%s in %s: the schema is in %s, with %d prefixItems", dialect, place, n.Resource.Dialect, len(n.PrefixItems))
			}
		}
	}
}

func TestAMetaschemaMayRequireTheVocabulariesOfOpenAPI(t *testing.T) {
	for _, edition := range []string{"3.1", "3.2"} {
		_, err := buildFiles(t, `{"openapi":"3.2.0","jsonSchemaDialect":"own.json","components":{"schemas":{"A":{"type":"string"}}}}`, map[string]string{
			"own.json": `{"$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/validation":true,
				"https://spec.openapis.org/oas/` + edition + `/vocab/base":true}}`})
		if err != nil {
			t.Errorf("%s: %v", edition, err)
		}
	}
}

func TestSchemasOfADescriptionOf32AreRead(t *testing.T) {
	main := `"paths":{"/a":{
		"query":{"responses":{"200":{"content":{"text/a":{"schema":{"title":"query"}}}}}},
		"additionalOperations":{"COPY":{"responses":{"200":{"content":{"text/a":{"schema":{"title":"COPY"}}}}}}}}},
	"components":{"mediaTypes":{
		"M":{"itemSchema":{"title":"item"},"prefixEncoding":[{"headers":{"H":{"schema":{"title":"prefix"}}}}],
			"itemEncoding":{"encoding":{"a":{"itemEncoding":{"headers":{"H":{"schema":{"title":"nested"}}}}}}}},
		"Far":{"$ref":"media.json"}}}}`
	files := map[string]string{"media.json": `{"schema":{"title":"far"}}`}
	for version, want := range map[string][]string{"3.2.0": {"COPY", "far", "item", "nested", "prefix", "query"}, "3.1.0": nil} {
		g, err := buildFiles(t, `{"openapi":"`+version+`",`+main, files)
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, n := range g.Nodes() {
			titles = append(titles, n.Title)
		}
		slices.Sort(titles)
		if !slices.Equal(titles, want) {
			t.Errorf("%s: %q, want %q", version, titles, want)
		}
	}
}

func TestReferencesOfSchemasStartFromSelf(t *testing.T) {
	files := map[string]string{"https://a.example/v1/far.json": `{"title":"far"}`, "near.json": `{"title":"near"}`}
	main := `,"components":{"schemas":{"A":{"anyOf":[{"$ref":"far.json"},{"$ref":"near.json"},{"$ref":"api#/components/schemas/B"},{"$ref":"#/components/schemas/B"}]},"B":{"title":"own"}}}}`
	g, err := buildFiles(t, `{"openapi":"3.2.0","$self":"https://a.example/v1/api"`+main, files)
	if err != nil {
		t.Fatal(err)
	}
	n, err := g.At("api.json#/components/schemas/A")
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, branch := range n.AnyOf {
		titles = append(titles, branch.Target().Title)
	}
	if want := []string{"far", "near", "own", "own"}; !slices.Equal(titles, want) {
		t.Errorf("they lead to %q, want %q", titles, want)
	}
	_, err = buildFiles(t, `{"openapi":"3.1.0","$self":"https://a.example/v1/api"`+main, files)
	if want := `$ref "far.json" cannot be resolved: no such document: far.json`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("before 3.2: %v, want %s", err, want)
	}
}

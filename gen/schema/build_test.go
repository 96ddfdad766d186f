package schema_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/schemas"
)

func parse(t testing.TB, name, text string) *document.File {
	t.Helper()
	f, err := document.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestBuildReadsEveryPublishedDocument(t *testing.T) {
	for _, test := range []struct {
		file  string
		defs  int
		roots int
	}{
		{"comitiva/RunnerRequest.json", 0, 1},
		{"nylorun/harness-api.v5.json", 83, 1},
		{"agenticdriver/openapi.json", 58, 0},
		{"tutti/side.updated.event.json", 0, 1},
	} {
		t.Run(test.file, func(t *testing.T) {
			data, err := fs.ReadFile(schemas.FS, test.file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := document.Parse(test.file, data)
			if err != nil {
				t.Fatal(err)
			}
			g, err := schema.Build(document.NewSet(f))
			if err != nil {
				t.Fatal(err)
			}
			if len(g.Defs) != test.defs || len(g.Roots) != test.roots {
				t.Errorf("%d definitions and %d roots, want %d and %d", len(g.Defs), len(g.Roots), test.defs, test.roots)
			}
			for _, n := range g.Nodes() {
				if f.Root.Lookup(n.Pointer) != n.Value {
					t.Errorf("%s does not lead to its value", n)
				}
				if n.Key() == "" {
					t.Errorf("%s has no key", n)
				}
			}
		})
	}
}

// serve is a Loader over texts by URI.
func serve(texts map[string]string) document.Loader {
	return func(uri string) ([]byte, error) {
		if text, ok := texts[uri]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("%s: %w", uri, fs.ErrNotExist)
	}
}

func TestReferencesLeadToTheirTargets(t *testing.T) {
	loader := serve(map[string]string{
		"dir/common.json":              `{"$defs":{"Name":{"type":"string"}},"title":"common"}`,
		"dir/sub dir/deep.json":        `{"$ref":"../common.json#/$defs/Name"}`,
		"https://example.com/b.json":   `{"$id":"https://example.com/b.json","$defs":{"X":{"$anchor":"x"}}}`,
		"https://example.com/api.json": `{"openapi":"3.1.0","components":{"schemas":{"Pet":{"type":"object"}}}}`,
	})
	for _, test := range []struct{ rule, text, from, want string }{
		{"root", `{"items":{"$ref":"#"}}`, "/items", "dir/main.json#"},
		{"pointer", `{"$ref":"#/$defs/A","$defs":{"A":{}}}`, "", "dir/main.json#/$defs/A"},
		{"escaped pointer", `{"$ref":"#/$defs/a~1b%25%22c~0","$defs":{"a/b%\"c~":{}}}`, "", `dir/main.json#/$defs/a~1b%"c~0`},
		{"dots in a name", `{"$ref":"#/$defs/hello.params","$defs":{"hello.params":{}}}`, "", "dir/main.json#/$defs/hello.params"},
		{"index", `{"$ref":"#/anyOf/1","anyOf":[true,{}]}`, "", "dir/main.json#/anyOf/1"},
		{"anchor", `{"$ref":"#a","$defs":{"A":{"$anchor":"a"}}}`, "", "dir/main.json#/$defs/A"},
		{"dynamic anchor as anchor", `{"$ref":"#a","$defs":{"A":{"$dynamicAnchor":"a"}}}`, "", "dir/main.json#/$defs/A"},
		{"unknown keyword", `{"$ref":"#/x-parts/0","x-parts":[{"type":"string"}]}`, "", "dir/main.json#/x-parts/0"},
		{"nested definition", `{"$ref":"#/$defs/A/$defs/__schema0","$defs":{"A":{"$defs":{"__schema0":{}}}}}`, "", "dir/main.json#/$defs/A/$defs/__schema0"},
		{"relative file", `{"$ref":"common.json#/$defs/Name"}`, "", "dir/common.json#/$defs/Name"},
		{"file with a space", `{"$ref":"sub%20dir/deep.json"}`, "", "dir/sub dir/deep.json#"},
		{"relative file beside a document with an identifier", `{"$id":"https://example.org/main.json","$ref":"common.json"}`, "", "dir/common.json#"},
		{"identifier of another file", `{"$id":"https://example.com/a.json","$ref":"b.json#x"}`, "", "https://example.com/b.json#/$defs/X"},
		{"own identifier", `{"$id":"https://example.com/a.json","$ref":"https://example.com/a.json#/$defs/A","$defs":{"A":{}}}`, "", "dir/main.json#/$defs/A"},
		{"embedded resource", `{"$id":"https://example.com/a.json","$ref":"inner","$defs":{"A":{"$id":"/inner"}}}`, "", "dir/main.json#/$defs/A"},
		{"pointer inside an embedded resource", `{"$defs":{"A":{"$id":"https://example.com/e","properties":{"p":{"$ref":"#/$defs/B"}},"$defs":{"B":{}}}}}`, "/$defs/A/properties/p", "dir/main.json#/$defs/A/$defs/B"},
		{"identifier that is a URN", `{"$id":"urn:uuid:deadbeef-1234-0000-0000-4321feebdaed","$ref":"urn:uuid:deadbeef-1234-0000-0000-4321feebdaed#/$defs/A","$defs":{"A":{}}}`, "", "dir/main.json#/$defs/A"},
		{"metaschema", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, "", "https://json-schema.org/draft/2020-12/schema#"},
		{"definition in a vocabulary", `{"$ref":"https://json-schema.org/draft/2020-12/meta/validation#/$defs/nonNegativeInteger"}`, "", "https://json-schema.org/draft/2020-12/meta/validation#/$defs/nonNegativeInteger"},
		{"schema of an OpenAPI description", `{"$ref":"https://example.com/api.json#/components/schemas/Pet"}`, "", "https://example.com/api.json#/components/schemas/Pet"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			set := document.NewSet(parse(t, "dir/main.json", test.text))
			set.Loader = loader
			g, err := schema.Build(set)
			if err != nil {
				t.Fatal(err)
			}
			n, err := g.At("dir/main.json#" + test.from)
			if err != nil {
				t.Fatal(err)
			}
			if n.Ref == nil || n.Ref.Location() != test.want {
				t.Errorf("$ref leads to %v, want %s", n.Ref, test.want)
			}
		})
	}
}

func TestBuildRefusesWithPosition(t *testing.T) {
	for _, test := range []struct{ rule, text, want string }{
		{"not a schema", `[]`, "main.json:1:1: a schema (an object or a boolean), an OpenAPI description or an event definition was expected, not array"},
		{"subschema of another kind", `{"items":3}`, "main.json:1:10: at /items: a schema is an object or a boolean, not number"},
		{"unknown type", "{\n \"type\": \"text\"}", "main.json:2:10: at /type: type must be one of null, boolean, integer, number, string, array, object, or an array of them"},
		{"unknown type in a list", `{"type":["string","int"]}`, "main.json:1:19: at /type/1: type must be one of"},
		{"type twice", `{"type":["string","string"]}`, `main.json:1:19: at /type/1: type names "string" twice`},
		{"empty type list", `{"type":[]}`, "main.json:1:9: at /type: type must name at least one type"},
		{"negative length", `{"minLength":-1}`, "main.json:1:14: at /minLength: minLength must be a whole number from 0"},
		{"fractional count", `{"maxItems":1.5}`, "at /maxItems: maxItems must be a whole number from 0"},
		{"count of another kind", `{"maxItems":"1"}`, "at /maxItems: maxItems must be a whole number from 0, not a string"},
		{"bound of another kind", `{"minimum":"1"}`, "at /minimum: minimum must be a number, not a string"},
		{"old exclusiveMinimum", `{"minimum":1,"exclusiveMinimum":true}`, "at /exclusiveMinimum: exclusiveMinimum must be a number in 2020-12 (draft-04 is read where $schema names it), not a boolean"},
		{"multiple of zero", `{"multipleOf":0}`, "at /multipleOf: multipleOf must be greater than 0"},
		{"flag of another kind", `{"uniqueItems":1}`, "at /uniqueItems: uniqueItems must be true or false, not a number"},
		{"enum of another kind", `{"enum":"a"}`, "at /enum: enum must be an array, not a string"},
		{"required of another kind", `{"required":true}`, "at /required: required must be an array of strings, not a boolean"},
		{"required holds a number", `{"required":["a",1]}`, "at /required/1: required must hold strings, not a number"},
		{"required twice", `{"required":["a","a"]}`, `at /required/1: required names "a" twice`},
		{"dependentRequired of another kind", `{"dependentRequired":{"a/b":"c"}}`, "at /dependentRequired/a~1b: dependentRequired must be an array of strings, not a string"},
		{"properties of another kind", `{"properties":[]}`, "at /properties: properties must be an object, not an array"},
		{"old items", `{"items":[{}]}`, "at /items: a schema is an object or a boolean, not array"},
		{"no branch", `{"anyOf":[]}`, "at /anyOf: anyOf must hold at least one schema"},
		{"branches of another kind", `{"allOf":{}}`, "at /allOf: allOf must be an array of schemas, not an object"},
		{"pattern of another kind", `{"pattern":1}`, "at /pattern: pattern must be a string, not a number"},
		{"title of another kind", `{"title":1}`, "at /title: title must be a string, not a number"},
		{"reference of another kind", `{"$ref":1}`, "at /$ref: $ref must be a string, not a number"},
		{"reference into nothing", `{"$ref":"#/$defs/A"}`, `at /$ref: $ref "#/$defs/A" cannot be resolved: nothing is at /$defs/A in main.json#`},
		{"reference to no schema", `{"$ref":"#/title","title":"t"}`, `cannot be resolved: /title in main.json is a string, not a schema`},
		{"reference that is no pointer", `{"$ref":"#/a~2"}`, `cannot be resolved: "~" must be followed by 0 or 1 in a JSON Pointer`},
		{"reference that is no URI", `{"$ref":"http://[::1"}`, `at /$ref: "http://[::1" is not a URI reference`},
		{"unknown anchor", `{"$ref":"#a"}`, `cannot be resolved: main.json has no $anchor "a"`},
		{"unknown document", `{"$ref":"other.json"}`, `cannot be resolved: no such document: other.json`},
		{"unknown dynamic anchor", `{"$dynamicRef":"#a"}`, `at /$dynamicRef: $dynamicRef "#a" cannot be resolved`},
		{"relative reference from a URN", `{"$id":"urn:x:y","$ref":"other"}`, `"other" cannot be resolved against "urn:x:y"`},
		{"identifier with a fragment", `{"$id":"https://example.com/a#b"}`, "at /$id: $id must have no fragment"},
		{"identifier twice", `{"$defs":{"A":{"$id":"https://example.com/a"},"B":{"$id":"https://example.com/a"}}}`, "at /$defs/B/$id: two schemas have the identifier https://example.com/a; the other is at main.json#/$defs/A, line 1"},
		{"anchor twice", `{"$defs":{"A":{"$anchor":"a"},"B":{"$anchor":"a"}}}`, `at /$defs/B/$anchor: the anchor "a" is already used at /$defs/A (line 1)`},
		{"anchor with odd characters", `{"$anchor":"1/2"}`, "at /$anchor: not a schema of 2020-12"},
		{"wrong below an unknown keyword", `{"$ref":"#/x","x":{"$anchor":"#"}}`, "at /x/$anchor: not a schema of 2020-12"},
		{"endless reference", `{"$ref":"#"}`, "main.json:1:9: at /$ref: the schema refers to itself (through main.json#)"},
		{"endless pair", `{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}`, "at /$defs/B/$ref: the schema refers to itself"},
		{"endless branch", `{"anyOf":[{"type":"null"},{"$ref":"#"}]}`, "at /anyOf/1/$ref: the schema refers to itself"},
		{"endless condition", `{"dependentSchemas":{"a":{"not":{"$ref":"#"}}}}`, "at /dependentSchemas/a/not/$ref: the schema refers to itself"},
		{"unknown dialect", `{"$schema":"https://example.com/mine"}`, "main.json:1:12: at /$schema: the dialect https://example.com/mine is not known"},
		{"not a schema of its draft", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"const":1,"readOnly":"x"}}}`, "at /properties/a/readOnly: readOnly must be true or false, not a string"},
		{"not a schema of draft-04", `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":1}`, "at /exclusiveMinimum: exclusiveMinimum must be true or false, not a number"},
		{"boolean schema of draft-04", `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":true}}`, "at /properties/a: not a schema of draft-04"},
		{"not a schema of the draft inside", `{"$defs":{"a":{"$id":"https://example.com/a","$schema":"http://json-schema.org/draft-07/schema#","items":[{"examples":1}]}}}`, "at /$defs/a/items/0/examples: examples must be an array, not a number"},
		{"other recursive reference", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"#/a"}`, "at /$recursiveRef: $recursiveRef must be \"#\""},
		{"contains of 2019-09 under unevaluatedItems", `{"$schema":"https://json-schema.org/draft/2019-09/schema","unevaluatedItems":false,"allOf":[{"contains":{}}]}`, "at /allOf/0/contains: contains of 2019-09 in the sight of unevaluatedItems (main.json#)"},
		{"draft-03", `{"$schema":"http://json-schema.org/draft-03/schema#"}`, "at /$schema: the dialect http://json-schema.org/draft-03/schema is not known"},
		{"dialect of another kind", `{"$schema":1}`, "at /$schema: $schema must be the URI of a metaschema, not a number"},
		{"OpenAPI 3.3", `{"openapi":"3.3.0"}`, "at /openapi: OpenAPI 3.3.0 is not read; OpenAPI 3.0, 3.1 or 3.2 was expected"},
		{"security scheme that is nowhere", `{"openapi":"3.2.0","security":[{"a.json":[]}]}`, `at /security/0/a.json: components/securitySchemes has no "a.json", and as a URI reference it leads to none: "a.json" cannot be resolved: no such document: a.json`},
		{"wrong schema of the items of a stream", `{"openapi":"3.2.0","components":{"mediaTypes":{"M":{"itemSchema":{"type":"x"}}}}}`, "at /components/mediaTypes/M/itemSchema/type: type must be one of"},
		{"schemas of another kind", `{"openapi":"3.1.0","components":{"schemas":[]}}`, "at /components/schemas: components/schemas must be an object, not an array"},
		{"wrong schema in a body", `{"openapi":"3.1.0","paths":{"/a":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"type":"x"}}}}}}}}}`, "at /paths/~1a/get/responses/200/content/application~1json/schema/type: type must be one of"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			_, err := schema.Build(document.NewSet(parse(t, "main.json", test.text)))
			var e *document.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
			if e != nil && e.Line == 0 {
				t.Errorf("%v has no position", err)
			}
		})
	}
}

func TestDialectsOfOnesOwn(t *testing.T) {
	loader := serve(map[string]string{
		"https://example.com/old":      `{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://example.com/old"}`,
		"https://example.com/2019":     `{"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"https://example.com/2019","$vocabulary":{"https://json-schema.org/draft/2019-09/vocab/applicator":true,"https://json-schema.org/draft/2019-09/vocab/format":true}}`,
		"https://example.com/over":     `{"$schema":"https://example.com/old","$id":"https://example.com/over"}`,
		"https://example.com/own":      `{"$schema":"https://example.com/own","$id":"https://example.com/own"}`,
		"https://example.com/nameless": `{"type":"object"}`,
		"https://example.com/strange":  `{"$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{"https://example.com/vocabulary":true}}`,
	})
	for _, test := range []struct{ text, want string }{
		{`{"$schema":"https://example.com/old","items":[{"minItems":1}]}`, "list"},
		{`{"$schema":"https://example.com/over","items":[{"minItems":1}]}`, "list"},
		{`{"$schema":"https://example.com/2019","items":[{}],"minItems":1,"format":"date"}`, "list without minItems, formats asserted"},
		{`{"$schema":"https://example.com/own"}`, "at /$schema: the metaschema https://example.com/own is described by itself"},
		{`{"$schema":"https://example.com/nameless"}`, "at /$schema: the metaschema https://example.com/nameless has no $schema"},
		{`{"$schema":"https://example.com/strange"}`, "at /$schema: the metaschema https://example.com/strange requires the vocabulary https://example.com/vocabulary"},
	} {
		set := document.NewSet(parse(t, "main.json", test.text))
		set.Loader = loader
		g, err := schema.Build(set)
		got := ""
		if err != nil {
			got = err.Error()
		} else if n := g.Roots["main.json#"]; len(n.PrefixItems) == 1 {
			got = "list"
			if n.Value.Get("minItems") != nil && n.MinItems == nil {
				got += " without minItems"
			}
			if n.AssertFormat {
				got += ", formats asserted"
			}
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestLoadedDocumentsAreReportedWhereTheyAreWrong(t *testing.T) {
	set := document.NewSet(parse(t, "main.json", `{"$ref":"other.json"}`))
	set.Loader = serve(map[string]string{"other.json": "{\n\"type\":\"x\"}"})
	_, err := schema.Build(set)
	if err == nil || !strings.HasPrefix(err.Error(), "other.json:2:8: at /type:") {
		t.Errorf("error %v", err)
	}
}

func TestEventDefinitionsAreTheirPayload(t *testing.T) {
	f := parse(t, "event.json", `{"$schema":"../event-definition.schema.json","topic":"a.b","version":1,
		"payloadSchema":{"type":"object","properties":{"x":{"$ref":"#/$defs/X"},"y":{"$ref":"#/payloadSchema/$defs/X"},"z":{"$ref":"#"}},"$defs":{"X":{"type":"string"}}}}`)
	g, err := schema.Build(document.NewSet(f))
	if err != nil {
		t.Fatal(err)
	}
	root := g.Roots["event.json#"]
	if root == nil || root.Pointer != "/payloadSchema" {
		t.Fatalf("root %v", root)
	}
	x := g.Defs[0].Node
	if root.Property("x").Ref != x || root.Property("y").Ref != x || root.Property("z").Ref != root {
		t.Error("references inside the payload do not lead inside the payload")
	}
}

func TestOpenAPISchemasAreFoundWhereverTheyAre(t *testing.T) {
	f := parse(t, "api.json", `{"openapi":"3.1.0","paths":{"/p/{id}":{
		"parameters":[{"schema":{"title":"path parameter"}}],
		"x-schema":{"schema":{"title":"extension"}},
		"post":{
			"parameters":[{"name":"schema","schema":{"title":"parameter"},"example":{"schema":{"title":"example"}}}],
			"requestBody":{"content":{"application/json":{"schema":{"title":"body"},"encoding":{"e":{"headers":{"H":{"schema":{"title":"encoding header"}}}}}}}},
			"responses":{"200":{"headers":{"schema":{"schema":{"title":"header"}}},"content":{"text/event-stream":{"schema":{"title":"answer"}}}},"x-n":{"content":{"a":{"schema":{"title":"extension"}}}}},
			"callbacks":{"c":{"{$url}":{"post":{"requestBody":{"content":{"a/b":{"schema":{"title":"callback"}}}}}}}}}}},
		"webhooks":{"w":{"get":{"responses":{"default":{"content":{"a/b":{"schema":{"title":"webhook"}}}}}}}},
		"components":{"schemas":{"Z":{"title":"component","$defs":{"In":{"title":"inner"}}},"A":true},
			"parameters":{"schema":{"content":{"a/b":{"schema":{"title":"shared parameter"}}}}}}}`)
	g, err := schema.Build(document.NewSet(f))
	if err != nil {
		t.Fatal(err)
	}
	var titles, defs []string
	for _, n := range g.Nodes() {
		titles = append(titles, n.Title)
	}
	for _, d := range g.Defs {
		defs = append(defs, d.Name)
	}
	want := []string{"path parameter", "parameter", "body", "encoding header", "header", "answer", "callback", "webhook", "component", "inner", "", "shared parameter"}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Errorf("schemas (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"A", "In", "Z"}, defs); diff != "" {
		t.Errorf("definitions (-want +got):\n%s", diff)
	}
	n, err := g.At("api.json#/paths/~1p~1{id}/post/requestBody/content/application~1json/schema")
	if err != nil || n.Title != "body" {
		t.Errorf("At gives %v, %v", n, err)
	}
}

func TestAtReadsAPlaceNothingNamed(t *testing.T) {
	g, err := schema.Build(document.NewSet(parse(t, "a.json", `{"x-other":{"items":{"$ref":"#"}},"title":"t"}`)))
	if err != nil {
		t.Fatal(err)
	}
	n, err := g.At("a.json#/x-other")
	if err != nil {
		t.Fatal(err)
	}
	if n.Items.Ref != g.Roots["a.json#"] {
		t.Error("the reference in it is not resolved")
	}
	if n.Key() != build(t, `{"items":{}}`).Key() {
		t.Error("its key is not that of its meaning")
	}
	if again, _ := g.At("a.json#/x-other"); again != n {
		t.Error("a second time it is another node")
	}
	for _, place := range []string{"a.json#/title", "a.json#/nothing", "b.json#", "a.json#anchor"} {
		if _, err := g.At(place); err == nil {
			t.Errorf("%s gives no error", place)
		}
	}
}

func TestCustomDialectsChooseVocabularies(t *testing.T) {
	set := document.NewSet(parse(t, "main.json", `{"$schema":"https://example.com/meta","type":"string","minLength":"not read","format":"uuid","x":1}`))
	set.Loader = serve(map[string]string{"https://example.com/meta": `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/meta",
		"$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/core":true,"https://json-schema.org/draft/2020-12/vocab/format-assertion":true,"https://example.com/v":false}}`})
	g, err := schema.Build(set)
	if err != nil {
		t.Fatal(err)
	}
	n := g.Roots["main.json#"]
	var unknown []string
	for _, u := range n.Unknown {
		unknown = append(unknown, u.Keyword)
	}
	if n.Types != 0 || !n.AssertFormat || n.Format != "uuid" || !slices.Equal(unknown, []string{"type", "minLength", "x"}) {
		t.Errorf("%v: types %v, format %q asserted %v, unknown %v", n, n.Types, n.Format, n.AssertFormat, unknown)
	}
}

func TestTargetStopsAtRules(t *testing.T) {
	n := build(t, `{"$defs":{"A":{"$ref":"#/$defs/B","title":"t"},"B":{"$ref":"#/$defs/C","minLength":1},"C":{"type":"string"}},"$ref":"#/$defs/A"}`)
	if got := n.Target().Pointer; got != "/$defs/B" {
		t.Errorf("target %s", got)
	}
}

func TestWalkVisitsEachNodeOnce(t *testing.T) {
	n := build(t, `{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#/$defs/B"}},"anyOf":[true,{"$ref":"#/$defs/B"}],"$defs":{"B":{"items":{"$ref":"#/$defs/B"}}}}`)
	var got []string
	n.Walk(func(n *schema.Node) bool { got = append(got, n.Pointer); return true })
	want := []string{"", "/anyOf/0", "/anyOf/1", "/$defs/B", "/$defs/B/items", "/properties/a", "/properties/b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

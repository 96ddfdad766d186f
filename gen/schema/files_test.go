package schema_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// buildFiles makes the graph of a description and of what it refers to.
func buildFiles(t *testing.T, main string, files map[string]string) (*schema.Graph, error) {
	t.Helper()
	set := document.NewSet(parse(t, "api.json", main))
	set.Loader = func(uri string) ([]byte, error) {
		text, ok := files[uri]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	return schema.Build(set)
}

func TestSchemasOfADescriptionAreFoundInItsOtherFiles(t *testing.T) {
	g, err := buildFiles(t, `{"openapi":"3.1.0","paths":{
		"/a":{"$ref":"paths/a.json"},
		"/b":{"get":{"parameters":[{"$ref":"common.json#/components/parameters/Limit"}],"responses":{"200":{"$ref":"common.json#/components/responses/One"}}}}}}`,
		map[string]string{
			"paths/a.json": `{"get":{"parameters":[{"$ref":"../limit.json"}],"responses":{"200":{"description":"","content":{"application/json":{"schema":{"$ref":"../schemas/Thing.json"}}}}},
				"callbacks":{"c":{"$ref":"../callback.json"}}}}`,
			"limit.json":    `{"name":"limit","in":"query","required":true,"schema":{"type":"integer"}}`,
			"callback.json": `{"{$url}":{"post":{"requestBody":{"content":{"application/json":{"schema":{"type":"boolean"}}}}}}}`,
			"common.json": `{"components":{"parameters":{"Limit":{"$ref":"limit.json"}},
				"responses":{"One":{"description":"","headers":{"H":{"$ref":"#/components/headers/H"}},"content":{"application/json":{"schema":{"$ref":"schemas/./Thing.json"}}}}},
				"headers":{"H":{"schema":{"$ref":"#/components/schemas/Count"}}},
				"schemas":{"Count":{"type":"integer"}}}}`,
			"schemas/Thing.json":  `{"type":"object","properties":{"parts":{"$ref":"models.json#/Part"}}}`,
			"schemas/models.json": `{"Part":{"type":"array","items":{"$ref":"Thing.json"}},"$defs":{"Spare":{}}}`,
		})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range g.Defs {
		names = append(names, d.Name+" "+d.Node.Location())
	}
	want := []string{"Count common.json#/components/schemas/Count", "Part schemas/models.json#/Part", "Spare schemas/models.json#/$defs/Spare", "Thing schemas/Thing.json#"}
	if !slices.Equal(names, want) {
		t.Errorf("definitions:\n%s\nwant\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
	at := func(location string) *schema.Node {
		n, err := g.At(location)
		if err != nil {
			t.Fatal(err)
		}
		return n.Target()
	}
	const one = "/content/application~1json/schema"
	if at("paths/a.json#/get/responses/200"+one) != at("common.json#/components/responses/One"+one) {
		t.Error("one schema reached over two files is two")
	}
	for _, location := range []string{"limit.json#/schema", "callback.json#/{$url}/post/requestBody" + one} {
		if !slices.Contains(g.Nodes(), at(location)) {
			t.Errorf("%s has not been read", location)
		}
	}
	if len(g.Roots) != 0 || len(g.Descriptions) != 1 {
		t.Errorf("roots %v, descriptions %v", g.Roots, g.Descriptions)
	}
}

// Files of a description have no version of their own: their schemas are those of its version, wherever the reference
// to them stands.
func TestSchemasInOtherFilesAreOfTheVersionOfTheDescription(t *testing.T) {
	files := map[string]string{
		"limit.json":  `{"name":"limit","in":"query","schema":{"type":"integer","nullable":true}}`,
		"thing.json":  `{"type":"string","nullable":true}`,
		"common.json": `{"components":{"schemas":{"Thing":{"type":"object","properties":{"a":{"type":"string","nullable":true}}}}}}`,
	}
	for version, nullable := range map[string]bool{"3.0.3": true, "3.1.0": false} {
		g, err := buildFiles(t, `{"openapi":"`+version+`","paths":{"/a":{"get":{"parameters":[{"$ref":"limit.json"}]}}},
			"components":{"schemas":{"A":{"$ref":"thing.json"},"B":{"$ref":"common.json#/components/schemas/Thing/properties/a"}}}}`, files)
		if err != nil {
			t.Fatal(err)
		}
		for _, location := range []string{"limit.json#/schema", "api.json#/components/schemas/A", "api.json#/components/schemas/B"} {
			n, err := g.At(location)
			if err != nil {
				t.Fatal(err)
			}
			if got := n.Target().Types&schema.TypeNull != 0; got != nullable {
				t.Errorf("%s: null allowed at %s: %v", version, location, got)
			}
		}
	}
}

func TestAFileOfADescriptionThatSaysWhatItIsStandsForItself(t *testing.T) {
	g, err := buildFiles(t, `{"openapi":"3.0.3","components":{"schemas":{"A":{"$ref":"own.json"},"B":{"$ref":"other.json#/components/schemas/B"}}}}`, map[string]string{
		"own.json":   `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":["string","null"]}`,
		"other.json": `{"openapi":"3.1.0","components":{"schemas":{"B":{"type":["integer","null"]}}},"paths":{"/x":{"get":{}}}}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]schema.Types{"A": schema.TypeString | schema.TypeNull, "B": schema.TypeInteger | schema.TypeNull} {
		if n, err := g.At("api.json#/components/schemas/" + name); err != nil || n.Target().Types != want {
			t.Errorf("%s: %v, %v", name, n, err)
		}
	}
	if len(g.Descriptions) != 1 {
		t.Errorf("what was loaded counts as given: %v", g.Descriptions)
	}
}

func TestReferencesOfADescriptionThatCannotBeFollowedAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		main  string
		files map[string]string
		want  string
	}{
		"a missing file": {`{"openapi":"3.1.0","paths":{"/a":{"$ref":"a.json"}}}`, nil, `api.json:1:42: at /paths/~1a/$ref: $ref "a.json" cannot be resolved: no such document: a.json`},
		"the wrong kind": {`{"openapi":"3.1.0","paths":{"/a":{"get":{"parameters":[{"$ref":"a.json"}]}}}}`, map[string]string{"a.json": `{"type":"string"}`},
			`"a.json" must lead to a parameter, but a.json# is a schema`},
		"a schema that is wrong": {`{"openapi":"3.1.0","paths":{"/a":{"get":{"parameters":[{"$ref":"a.json"}]}}}}`, map[string]string{"a.json": `{"name":"a","in":"query","schema":{"type":"strin"}}`},
			`a.json:1:43: at /schema/type: type must be one of`},
		"a file of which no schema is": {`{"openapi":"3.1.0","components":{"schemas":{"A":{"$ref":"a.json"}}}}`, map[string]string{"a.json": `[]`},
			`$ref "a.json" cannot be resolved: a.json is an array, not a schema`},
		"an anchor that is not there": {`{"openapi":"3.1.0","components":{"schemas":{"A":{"$ref":"a.json#x"}}}}`, map[string]string{"a.json": `{"$anchor":"y"}`},
			`$ref "a.json#x" cannot be resolved: a.json has no $anchor "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := buildFiles(t, test.main, test.files)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v\nwant  %s", err, test.want)
			}
		})
	}
}

func TestAFileIsPartOfDescriptionsOfOneVersionOnly(t *testing.T) {
	text := `","paths":{"/a":{"get":{"parameters":[{"$ref":"p.json"}]}}}}`
	set := document.NewSet(parse(t, "old.json", `{"openapi":"3.0.3`+text), parse(t, "new.json", `{"openapi":"3.1.0`+text))
	set.Loader = func(string) ([]byte, error) {
		return []byte(`{"name":"p","in":"query","schema":{"type":"string"}}`), nil
	}
	_, err := schema.Build(set)
	if err == nil || !strings.Contains(err.Error(), "new.json:1:64: at /paths/~1a/get/parameters/0/$ref: $ref \"p.json\" cannot be resolved: p.json is a part of old.json as well") {
		t.Errorf("error %v", err)
	}
}

// Whoever gives the files of a description by name as well means the same by it.
func TestFilesOfADescriptionMayBeGiven(t *testing.T) {
	set := document.NewSet(
		parse(t, "p.json", `{"name":"p","in":"query","required":true,"schema":{"$ref":"s.json"}}`),
		parse(t, "s.json", `{"type":"string"}`),
		parse(t, "api.json", `{"openapi":"3.1.0","paths":{"/a":{"get":{"parameters":[{"$ref":"p.json"}]}}}}`))
	g, err := schema.Build(set)
	if err != nil {
		t.Fatal(err)
	}
	if g.Roots["p.json#"] != nil || g.Roots["s.json#"] == nil {
		t.Errorf("roots %v", g.Roots)
	}
}

package account_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmark-kit/hallmark/gen/account"
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
	"github.com/hallmark-kit/hallmark/schemas"
)

func accountOf(t *testing.T, files ...*document.File) []*account.Document {
	t.Helper()
	g, err := schema.Build(document.NewSet(files...))
	if err != nil {
		t.Fatal(err)
	}
	p, err := shape.Build(g, shape.Config{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	return account.Of(g, p)
}

func parse(t *testing.T, name, text string) *document.File {
	t.Helper()
	f, err := document.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestModes(t *testing.T) {
	docs := accountOf(t, parse(t, "d.json", `{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/d", "title": "D", "x-own": 1,
		"type": "object", "required": ["a"], "minProperties": 0,
		"properties": {
			"a": {"type": "string", "minLength": 1, "maxLength": 9, "format": "date", "contentEncoding": "base64"},
			"b": {"$ref": "#/$defs/Odd"},
			"c": {"type": ["string", "array"], "items": {"maximum": 3}, "pattern": "x"},
			"d": {"type": "array", "items": {"type": "integer"}, "uniqueItems": true, "minContains": 2}
		},
		"additionalProperties": {"enum": [1, 2]},
		"then": {"const": 1},
		"$defs": {"Odd": {"type": "object", "properties": {"k": {"type": "string"}}, "not": {"required": ["z"]}}}
	}`))
	want := map[string]string{
		"$schema": "resolved 1", "$id": "resolved 1", "$ref": "resolved 1", "$defs": "resolved 1",
		"title": "annotation 1", "format": "annotation 1", "contentEncoding": "annotation 1", "x-own": "annotation 1",
		"minProperties": "always holds 1", "then": "always holds 1", "minContains": "always holds 1", "const": "unused 1",
		"minLength": "one pass 1", "maxLength": "one pass 1",
		"type":       "one pass 5, checked first 1, raw JSON 1",
		"properties": "one pass 1, checked first 1",
		"required":   "one pass 1, checked first 1",
		"not":        "checked first 1", "uniqueItems": "one pass 1",
		"items": "one pass 1, raw JSON 1", "pattern": "raw JSON 1", "maximum": "raw JSON 1",
		"additionalProperties": "one pass 1", "enum": "raw JSON 1",
	}
	got := map[string]string{}
	for _, k := range docs[0].Keywords {
		var parts []string
		for mode := range account.Mode(len(k.Count)) {
			if n := k.Count[mode]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s %d", mode, n))
			}
		}
		got[k.Name] = strings.Join(parts, ", ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]account.Place{{Keyword: "x-own", Pointer: "/x-own", Line: 2, Column: 117}}, docs[0].Unknown); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
}

func TestKeywordsOfOlderDraftsAreAccountedForAsThoseThatReplacedThem(t *testing.T) {
	docs := accountOf(t, parse(t, "d.json", `{
		"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://example.com/d", "title": "D", "type": "object",
		"properties": {
			"a": {"type": "array", "items": [{"type": "string"}], "additionalItems": false},
			"b": {"type": "array", "items": {}, "additionalItems": false},
			"c": {"type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 3, "exclusiveMaximum": false},
			"d": {"$ref": "#/definitions/d", "maxLength": 3},
			"e": {"const": 1}
		},
		"dependencies": {"a": ["b"]},
		"definitions": {"d": {"type": "string"}}
	}`))
	got := map[string][2]int{}
	for _, k := range docs[0].Keywords {
		got[k.Name] = [2]int{k.Total() - k.Count[account.Idle] - k.Count[account.Annotation] - k.Count[account.Resolved], k.Count[account.Unused]}
	}
	want := map[string][2]int{"$schema": {}, "id": {}, "title": {}, "$ref": {}, "definitions": {}, "type": {6, 0}, "properties": {1, 0},
		"items": {1, 0}, "additionalItems": {1, 0}, "minimum": {1, 0}, "exclusiveMinimum": {1, 0}, "maximum": {1, 0}, "exclusiveMaximum": {},
		"maxLength": {}, "const": {}, "dependencies": {1, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("enforced and unused (-want +got):\n%s", diff)
	}
}

// Every rule of a document is accounted for, however its schemas are reached: the counts are those of a plain search
// through the text, and no rule is left without a use.
func TestNothingOfOurDocumentsIsDropped(t *testing.T) {
	var files []*document.File
	for _, name := range []string{"scenario.json", "requirements.json", "target.json", "report.json", "protocol.json"} {
		data, err := schemas.FS.ReadFile(schemas.Hallmark + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, parse(t, name, string(data)))
	}
	for i, d := range accountOf(t, files...) {
		for _, k := range d.Keywords {
			if k.Count[account.Unused] > 0 {
				t.Errorf("%s: %d of %s have no use", d.File.Name, k.Count[account.Unused], k.Name)
			}
			switch k.Name {
			case "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "pattern", "$ref", "additionalProperties":
			default:
				continue // may also be the name of a member
			}
			n := 0
			for _, v := range files[i].Root.All() {
				if v.Get(k.Name) != nil {
					n++
				}
			}
			if k.Total() != n {
				t.Errorf("%s: %d of %s, the text has %d", d.File.Name, k.Total(), k.Name, n)
			}
		}
	}
}

func TestEqualSchemasAreEnforcedLikeTheOneThatStandsForThem(t *testing.T) {
	const odd = `{"type": "object", "properties": {"x": {"type": "array", "uniqueItems": true, "items": {"type": "string"}}, "y": {"type": "string"}}, "not": {"required": ["z"]}}`
	docs := accountOf(t, parse(t, "d.json", `{"title": "D", "type": "object", "properties": {"a": `+odd+`, "b": `+odd+`, "c": {"type": "array", "items": `+odd+`}}}`))
	for _, k := range docs[0].Keywords {
		if mode, asked := map[string]account.Mode{"not": account.CheckedFirst, "uniqueItems": account.OnePass}[k.Name]; asked && k.Count[mode] != 3 {
			t.Errorf("%s: %v", k.Name, k.Count)
		}
	}
}

func TestTextAndJSON(t *testing.T) {
	docs := accountOf(t, parse(t, "dir/d.json", `{"title": "D", "type": "string", "maxLength": 3, "x": {"y": 1}}`))
	var b strings.Builder
	if err := account.WriteText(&b, "p", docs); err != nil {
		t.Fatal(err)
	}
	want := `package p: dir/d.json (JSON Schema, sha256 ` + docs[0].File.SHA256[:12] + `…), 1 schemas, 4 keywords
  keyword         count  one pass  annotation
  maxLength           1         1           .
  title               1         .           1
  type                1         1           .
  x                   1         .           1
  all keywords        4         2           2
  keywords of no vocabulary, which assert nothing:
    dir/d.json:1:55 /x

`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	one := account.JSON("p", docs)
	if err := one.Validate(); err != nil {
		t.Error(err)
	}
	if _, err := hallmark.DecodeAccountPackage(one.AppendJSON(nil)); err != nil {
		t.Error(err)
	}
}

package reference_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

// set holds the description api/main.json, and loads other files by name.
func set(t *testing.T, main string, files map[string]string) (*document.Set, *document.File) {
	t.Helper()
	f, err := document.Parse("api/main.json", []byte(main))
	if err != nil {
		t.Fatal(err)
	}
	s := document.NewSet(f)
	s.Loader = func(uri string) ([]byte, error) {
		text, ok := files[uri]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	return s, f
}

func TestAReferenceLeadsOverFilesToTheObject(t *testing.T) {
	limit := `{"name":"limit","in":"query"}`
	for name, test := range map[string]struct {
		ref   string
		files map[string]string
		want  string
	}{
		"in the same file":               {"#/components/parameters/A", nil, "api/main.json#/components/parameters/A"},
		"over a reference in the file":   {"#/components/parameters/B", nil, "api/main.json#/components/parameters/A"},
		"by the file's own name":         {"main.json#/components/parameters/A", nil, "api/main.json#/components/parameters/A"},
		"by a pointer into another file": {"c.json#/components/parameters/L", map[string]string{"api/c.json": `{"components":{"parameters":{"L":` + limit + `}}}`}, "api/c.json#/components/parameters/L"},
		"a pointer of no known layout":   {"c.json#/L", map[string]string{"api/c.json": `{"L":` + limit + `}`}, "api/c.json#/L"},
		"to a whole file":                {"p/limit.json", map[string]string{"api/p/limit.json": limit}, "api/p/limit.json#"},
		"to a whole file of YAML":        {"p/limit.yaml", map[string]string{"api/p/limit.yaml": "name: limit\nin: query\n"}, "api/p/limit.yaml#"},
		"beside the folder":              {"../shared/limit.json", map[string]string{"shared/limit.json": limit}, "shared/limit.json#"},
		"with an escaped name":           {"my%20limit.json#/a~1b%25", map[string]string{"api/my limit.json": `{"a/b%":` + limit + `}`}, "api/my limit.json#/a~1b%"},
		"over several files, each relative to itself": {"p/a.json", map[string]string{
			"api/p/a.json": `{"$ref":"q/b.json#/b"}`, "api/p/q/b.json": `{"b":{"$ref":"../../c.json"}}`, "api/c.json": limit}, "api/c.json#"},
		"there and back": {"p/a.json", map[string]string{"api/p/a.json": `{"$ref":"../main.json#/components/parameters/A"}`}, "api/main.json#/components/parameters/A"},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := set(t, `{"openapi":"3.1.0","use":{"$ref":"`+test.ref+`"},"components":{"parameters":{
				"A":{"name":"a","in":"query"},"B":{"$ref":"#/components/parameters/A"}}}}`, test.files)
			at, err := reference.LayoutOf(f).Follow(s, f.Top().Member("use"), reference.Parameter)
			if err != nil {
				t.Fatal(err)
			}
			if at.Location() != test.want {
				t.Errorf("it leads to %s, want %s", at.Location(), test.want)
			}
		})
	}
}

// chain is files each of which refers to the next.
func chain(length int) map[string]string {
	files := map[string]string{}
	for i := range length {
		files[fmt.Sprintf("api/%d.json", i)] = fmt.Sprintf(`{"$ref":"%d.json"}`, i+1)
	}
	return files
}

func TestAReferenceThatLeadsNowhereSaysSoWhereItStands(t *testing.T) {
	for name, test := range map[string]struct {
		kind      reference.Kind
		ref       string
		files     map[string]string
		at, wants string
	}{
		"a missing file":    {reference.Parameter, `"no.json"`, nil, "api/main.json /use/$ref", `$ref "no.json" cannot be resolved: no such document: api/no.json`},
		"a missing pointer": {reference.Parameter, `"c.json#/x"`, map[string]string{"api/c.json": `{}`}, "api/main.json /use/$ref", `nothing is at c.json#/x`},
		"a missing file far off": {reference.Parameter, `"c.json"`, map[string]string{"api/c.json": `{"$ref":"no.json"}`},
			"api/c.json /$ref", `$ref "no.json" cannot be resolved: no such document: api/no.json`},
		"a file that cannot be read": {reference.Parameter, `"c.json"`, map[string]string{"api/c.json": `{`},
			"api/main.json /use/$ref", `$ref "c.json" cannot be resolved: api/c.json:1:2: `},
		"an anchor": {reference.Parameter, `"c.json#here"`, map[string]string{"api/c.json": `{}`}, "api/main.json /use/$ref", `named by a JSON Pointer after #`},
		"no text":   {reference.Parameter, `1`, nil, "api/main.json /use/$ref", `$ref must be a string, not a number`},
		"a circle over two files": {reference.Parameter, `"c.json"`, map[string]string{"api/c.json": `{"$ref":"main.json#/use"}`},
			"api/main.json /use/$ref", `the reference leads back to itself`},
		"too long a way": {reference.Parameter, `"0.json"`, chain(200), "api/99.json /$ref", `more than 100 references lead from one to the other here`},
		"a response of another file's components": {reference.Parameter, `"c.json#/components/responses/R"`, map[string]string{"api/c.json": `{"components":{"responses":{"R":{"description":""}}}}`},
			"api/main.json /use/$ref", `"c.json#/components/responses/R" must lead to a parameter, but api/c.json#/components/responses/R is a response`},
		"a header of the same file": {reference.Response, `"#/components/headers/H"`, nil, "api/main.json /use/$ref", `but api/main.json#/components/headers/H is a header`},
		"all components":            {reference.Response, `"#/components"`, nil, "api/main.json /use/$ref", `but api/main.json#/components is a components object`},
		"an operation":              {reference.PathItem, `"#/paths/~1a/get"`, nil, "api/main.json /use/$ref", `but api/main.json#/paths/~1a/get is an operation`},
		"a description":             {reference.PathItem, `"#"`, nil, "api/main.json /use/$ref", `but api/main.json# is a description`},
		"a callback's path item":    {reference.Callback, `"#/components/callbacks/c/{$url}"`, nil, "api/main.json /use/$ref", `{$url} is a path item`},
		"an object that lacks what a parameter needs": {reference.Parameter, `"c.json"`, map[string]string{"api/c.json": `{"description":"x","name":"a"}`},
			"api/main.json /use/$ref", `"c.json" must lead to a parameter, but api/c.json# has no member "in"`},
		"a parameter in a file of its own": {reference.Response, `"c.json"`, map[string]string{"api/c.json": `{"name":"a","in":"query"}`}, "api/main.json /use/$ref", `but api/c.json# is a parameter`},
		"a schema in a file of its own":    {reference.Header, `"c.json"`, map[string]string{"api/c.json": `{"type":"string"}`}, "api/main.json /use/$ref", `but api/c.json# is a schema`},
		"a list":                           {reference.Header, `"c.json"`, map[string]string{"api/c.json": `[]`}, "api/main.json /use/$ref", `but api/c.json# is an array`},
		"what the chain ends in": {reference.Body, `"c.json"`, map[string]string{"api/c.json": `{"$ref":"d.json"}`, "api/d.json": `{"description":"x"}`},
			"api/c.json /$ref", `"d.json" must lead to a body, but api/d.json# has no member "content"`},
		"operations beside the reference of a path item": {reference.PathItem, `"#/paths/~1a","parameters":[]`, nil, "api/main.json /use/parameters", `a path item has parameters beside $ref`},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := set(t, `{"openapi":"3.1.0","use":{"$ref":`+test.ref+`},"paths":{"/a":{"get":{}}},
				"components":{"headers":{"H":{"schema":{}}},"callbacks":{"c":{"{$url}":{}}}}}`, test.files)
			_, err := reference.LayoutOf(f).Follow(s, f.Top().Member("use"), test.kind)
			var e *document.Error
			if !errors.As(err, &e) {
				t.Fatalf("error: %v", err)
			}
			if at := e.File + " " + e.Pointer; at != test.at || !strings.Contains(e.Reason, test.wants) {
				t.Errorf("got  %s: %s\nwant %s: %s", at, e.Reason, test.at, test.wants)
			}
		})
	}
}

func TestAReferenceStartsFromWhatTheDescriptionSaysOfItself(t *testing.T) {
	limit := `{"name":"limit","in":"query"}`
	for name, test := range map[string]struct {
		self, ref string
		files     map[string]string
		want      string
	}{
		"in the same file":          {"https://a.example/v1/api", "#/components/parameters/A", nil, "api/main.json#/components/parameters/A"},
		"by the URI of the file":    {"https://a.example/v1/api", "https://a.example/v1/api#/components/parameters/A", nil, "api/main.json#/components/parameters/A"},
		"by a part of that URI":     {"https://a.example/v1/api", "api#/components/parameters/A", nil, "api/main.json#/components/parameters/A"},
		"by the name of the file":   {"https://a.example/v1/api", "main.json#/components/parameters/A", nil, "api/main.json#/components/parameters/A"},
		"what is published beside":  {"https://a.example/v1/api", "limit", map[string]string{"https://a.example/v1/limit": limit, "api/limit": `{}`}, "https://a.example/v1/limit#"},
		"what lies beside":          {"https://a.example/v1/api", "limit.json", map[string]string{"api/limit.json": limit}, "api/limit.json#"},
		"relative to where it lies": {"../v1/api.json", "limit.json", map[string]string{"v1/limit.json": limit, "api/limit.json": `{}`}, "v1/limit.json#"},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := set(t, `{"openapi":"3.2.0","$self":"`+test.self+`","use":{"$ref":"`+test.ref+`"},"components":{"parameters":{"A":`+limit+`}}}`, test.files)
			at, err := reference.LayoutOf(f).Follow(s, f.Top().Member("use"), reference.Parameter)
			if err != nil {
				t.Fatal(err)
			}
			if at.Location() != test.want {
				t.Errorf("it leads to %s, want %s", at.Location(), test.want)
			}
		})
	}
}

package openapi_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/openapi"
)

// readFiles reads the description api.json of a few files.
func readFiles(t *testing.T, files map[string]string) (*openapi.Description, error) {
	t.Helper()
	f, err := document.Parse("api.json", []byte(files["api.json"]))
	if err != nil {
		t.Fatal(err)
	}
	set := document.NewSet(f)
	set.Loader = func(uri string) ([]byte, error) {
		text, ok := files[uri]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	return openapi.Read(set, f)
}

func TestADescriptionMayLieInSeveralFiles(t *testing.T) {
	d, err := readFiles(t, map[string]string{
		"api.json": head + `"security":[{"token":[]}],
"paths":{"/things/{id}":{"$ref":"paths/things.json"}},
"components":{"securitySchemes":{"token":{"$ref":"common.yaml#/schemes/token"}}}}`,
		"paths/things.json": `{"parameters":[{"$ref":"../common.yaml#/components/parameters/Id"}],
"put":{"operationId":"putThing","requestBody":{"$ref":"../bodies/thing.json"},
"responses":{"200":{"$ref":"../common.yaml#/components/responses/Stored"}},
"callbacks":{"stored":{"$ref":"../callbacks.json#/stored"}}}}`,
		"bodies/thing.json": `{"required":true,"content":{"application/json":{"schema":{"type":"object"}}}}`,
		"callbacks.json":    `{"stored":{"{$url}":{"$ref":"hook.json"}}}`,
		"hook.json":         `{"post":{"responses":{"204":{"description":"taken"}}}}`,
		"common.yaml": `
schemes:
  token: {type: http, scheme: bearer}
components:
  parameters:
    Id: {$ref: parameters.yaml}
  responses:
    Stored:
      description: stored
      headers:
        ETag: {$ref: '#/components/headers/ETag'}
  headers:
    ETag: {schema: {type: string}}
`,
		"parameters.yaml": "{name: id, in: path, required: true, schema: {type: string}}",
	})
	if err != nil {
		t.Fatal(err)
	}
	token := []openapi.Requirement{{Schemes: []openapi.Needed{{Scheme: "token"}}}}
	want := &openapi.Description{
		Title: "Things", Version: "2",
		Schemes: []openapi.Scheme{{Name: "token", Type: "http", Scheme: "bearer", Pointer: "/schemes/token"}},
		Operations: []*openapi.Operation{
			{
				ID: "putThing", Method: "PUT", Path: "/things/{id}", Pointer: "/put", Security: token,
				Parameters: []openapi.Parameter{{Name: "id", In: "path", Required: true, Style: "simple", Schema: "parameters.yaml#/schema"}},
				Body: &openapi.Body{Required: true, Content: []openapi.Media{
					{Type: "application/json", Schema: "bodies/thing.json#/content/application~1json/schema", Pointer: "/content/application~1json"}}},
				Responses: []openapi.Response{{Status: "200", Description: "stored", Pointer: "/components/responses/Stored",
					Headers: []openapi.Header{{Name: "ETag", Schema: "common.yaml#/components/headers/ETag/schema", Pointer: "/components/headers/ETag"}}}},
			},
			{
				Kind: openapi.Callback, Method: "POST", Path: "{$url}", Of: "/put", Name: "stored", Pointer: "/post", Security: token,
				Responses: []openapi.Response{{Status: "204", Description: "taken", Pointer: "/post/responses/204"}},
			},
		},
	}
	if diff := cmp.Diff(want, d, cmpopts.IgnoreTypes(&document.File{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for i, file := range []string{"paths/things.json", "hook.json"} {
		if got := d.Operations[i].File.Name; got != file {
			t.Errorf("operation %d stands in %s, want %s", i, got, file)
		}
	}
}

func TestTextsBesideAReferenceCountIn31Only(t *testing.T) {
	for _, test := range []struct{ version, first, second, want string }{
		{"3.1.0", `,"description":"here"`, `,"description":"on the way"`, "here"},
		{"3.1.0", ``, `,"description":"on the way"`, "on the way"},
		{"3.1.0", `,"summary":"no text of a response"`, ``, "there"},
		{"3.0.3", `,"description":"here"`, `,"description":"on the way"`, "there"},
	} {
		d, err := readFiles(t, map[string]string{
			"api.json": `{"openapi":"` + test.version + `","info":{"title":"","version":""},"paths":{"/a":{"get":{"responses":{"200":{"$ref":"r.json"` + test.first + `}}}}}}`,
			"r.json":   `{"$ref":"s.json"` + test.second + `}`,
			"s.json":   `{"description":"there"}`,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Operations[0].Responses[0].Description; got != test.want {
			t.Errorf("%v: %q", test, got)
		}
	}
}

func TestWhatIsWrongInAnotherFileIsRefusedThere(t *testing.T) {
	for name, test := range map[string]struct {
		files    map[string]string
		at, want string
	}{
		"a member of the wrong kind": {map[string]string{"p.json": `{"name":"q","in":"query","required":"yes","schema":{}}`}, "p.json /required", "required must be a boolean, not a string"},
		"a parameter in no place":    {map[string]string{"p.json": `{"name":"q","in":"body","schema":{}}`}, "p.json /in", "in must be path, query, header or cookie"},
		"no schema":                  {map[string]string{"p.json": `{"name":"q","in":"query"}`}, "p.json ", "a parameter needs a schema (or content)"},
		"the wrong object":           {map[string]string{"p.json": `{"description":"ok"}`}, "api.json /paths/~1a/get/parameters/0/$ref", `"p.json" must lead to a parameter, but p.json# has no member "name"`},
		"no such file":               {nil, "api.json /paths/~1a/get/parameters/0/$ref", `$ref "p.json" cannot be resolved: no such document: p.json`},
	} {
		t.Run(name, func(t *testing.T) {
			test.files = mapsWith(test.files, "api.json", head+`"paths":{"/a":{"get":{"parameters":[{"$ref":"p.json"}]}}}}`)
			_, err := readFiles(t, test.files)
			refusedAt(t, err, test.at, test.want)
		})
	}
}

func TestObjectsThatHoldThemselvesOverFilesAreRefused(t *testing.T) {
	_, err := readFiles(t, map[string]string{
		"api.json":      head + `"paths":{"/a":{"$ref":"item.json"}}}`,
		"item.json":     `{"post":{"callbacks":{"c":{"$ref":"callback.json#/c"}}}}`,
		"callback.json": `{"c":{"{$url}":{"$ref":"item.json"}}}`,
	})
	refusedAt(t, err, "callback.json /c/{$url}/$ref", "item.json# holds itself by way of this reference")
}

// What references make of a description must not grow without bound: each callback here has the next one ten times.
func TestReferencesThatMultiplyADescriptionAreRefused(t *testing.T) {
	files := map[string]string{"api.json": head + `"paths":{"/a":{"post":{"callbacks":{"c":{"$ref":"a.json"}}}}}}`, "k.json": `{"{$url}":{"post":{"responses":{}}}}`}
	for c := 'a'; c < 'k'; c++ {
		var list []string
		for i := range 10 {
			list = append(list, `"c`+string(rune('0'+i))+`":{"$ref":"`+string(c+1)+`.json"}`)
		}
		files[string(c)+".json"] = `{"{$url}":{"post":{"callbacks":{` + strings.Join(list, ",") + `}}}}`
	}
	_, err := readFiles(t, files)
	var e *document.Error
	if !errors.As(err, &e) || !strings.Contains(e.Reason, "because references lead here so often") {
		t.Errorf("error: %v", err)
	}
}

func mapsWith(m map[string]string, key, value string) map[string]string {
	out := map[string]string{key: value}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func refusedAt(t *testing.T, err error, at, reason string) {
	t.Helper()
	var e *document.Error
	if !errors.As(err, &e) {
		t.Fatalf("error: %v", err)
	}
	if got := e.File + " " + e.Pointer; got != at || !strings.Contains(e.Reason, reason) {
		t.Errorf("got  %s: %s\nwant %s: %s", got, e.Reason, at, reason)
	}
}

func TestSecuritySchemesThatAreNoComponentsHaveNamesOfTheirOwn(t *testing.T) {
	d, err := readFiles(t, map[string]string{
		"api.json": head32 + `"security":[{"auth.json#/schemes/key":[]}],
"paths":{"/a":{"get":{"security":[{"key":[]},{"token.json":["a"]}]}},"/b":{"$ref":"paths/b.json"}},
"components":{"securitySchemes":{"key":{"type":"http","scheme":"basic"}}}}`,
		"paths/b.json":    `{"get":{"security":[{"../auth.json#/schemes/key":[]},{"auth.json#/schemes/key":[]}]},"put":{}}`,
		"auth.json":       `{"schemes":{"key":{"type":"http","scheme":"bearer"},"token":{"type":"http","scheme":"digest"}}}`,
		"paths/auth.json": `{"schemes":{"key":{"type":"mutualTLS"}}}`,
		"token.json":      `{"$ref":"auth.json#/schemes/token"}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	schemes := map[string]string{}
	for _, s := range d.Schemes {
		schemes[s.Name] = s.Type + " " + s.Scheme
	}
	// The components keep their names; the others that are called key have that of the first requirement that leads there.
	if diff := cmp.Diff(map[string]string{"key": "http basic", "token": "http digest", "../auth.json#/schemes/key": "http bearer",
		"auth.json#/schemes/key": "mutualTLS "}, schemes); diff != "" {
		t.Errorf("schemes (-want +got):\n%s", diff)
	}
	one := func(name string, scopes ...string) openapi.Requirement {
		return openapi.Requirement{Schemes: []openapi.Needed{{Scheme: name, Scopes: scopes}}}
	}
	want := map[string][]openapi.Requirement{
		"GET /a": {one("key"), one("token", "a")},
		"GET /b": {one("../auth.json#/schemes/key"), one("auth.json#/schemes/key")},
		"PUT /b": {one("../auth.json#/schemes/key")},
	}
	for _, o := range d.Operations {
		if diff := cmp.Diff(want[o.Method+" "+o.Path], o.Security); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", o.Method, o.Path, diff)
		}
	}
}

func TestASecuritySchemeThatIsNoComponentIsHeldAgainstTheSpecification(t *testing.T) {
	_, err := readFiles(t, map[string]string{
		"api.json":  head32 + `"paths":{"/a":{"get":{"security":[{"auth.json":[]}]}}}}`,
		"auth.json": `{"type":"http"}`,
	})
	var e *document.Error
	if !errors.As(err, &e) || e.File != "auth.json" || e.Reason != `a security scheme of type http needs the member "scheme"` {
		t.Errorf("error: %v", err)
	}
}

package openapi_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/openapi"
)

// head is what every description below begins with.
const head = `{"openapi":"3.1.0","info":{"title":"Things","version":"2"},`

func read(t *testing.T, text string) (*openapi.Description, error) {
	t.Helper()
	f, err := document.Parse("api.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return openapi.Read(document.NewSet(f), f)
}

func mustRead(t *testing.T, text string) *openapi.Description {
	t.Helper()
	d, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAnOperationIsReadWithAllItsParts(t *testing.T) {
	d := mustRead(t, head+`
"servers":[{"url":"https://{region}.example.com","description":"live"}],
"security":[{"token":[]}],
"paths":{"/things/{id}":{
  "parameters":[{"$ref":"#/components/parameters/Id"},{"name":"trace","in":"header","schema":{"type":"string"}}],
  "put":{"operationId":"putThing","summary":"Store one","tags":["things"],"deprecated":true,
    "security":[{"token":[]},{"key":["write"]},{}],
    "parameters":[
      {"name":"trace","in":"header","required":true,"schema":{"type":"integer"}},
      {"name":"Authorization","in":"header","schema":{"type":"string"}},
      {"name":"where","in":"query","content":{"application/json":{"schema":{"type":"object"}}}},
      {"name":"tags","in":"query","style":"pipeDelimited","schema":{"type":"array"}}],
    "requestBody":{"$ref":"#/components/requestBodies/Thing"},
    "responses":{
      "200":{"description":"stored","headers":{"ETag":{"required":true,"schema":{"type":"string"}},"Content-Type":{"schema":{}}},
        "content":{"text/event-stream":{"schema":{"type":"string"},"description":"one event a change","itemSchema":{"type":"object"}}}},
      "4XX":{"$ref":"#/components/responses/Wrong"},
      "default":{"description":"else"}}}}},
"components":{
  "parameters":{"Id":{"name":"id","in":"path","required":true,"schema":{"type":"string"}}},
  "requestBodies":{"Thing":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}}},
  "responses":{"Wrong":{"description":"wrong","content":{"application/json":{"schema":{"type":"string"}}}}},
  "schemas":{"Thing":{"type":"object"}},
  "securitySchemes":{"token":{"type":"http","scheme":"bearer","bearerFormat":"JWT"},"key":{"type":"apiKey","in":"header","name":"X-Key"}}}}`)
	want := &openapi.Description{
		Title: "Things", Version: "2",
		Servers: []openapi.Server{{URL: "https://{region}.example.com", Description: "live"}},
		Schemes: []openapi.Scheme{
			{Name: "token", Type: "http", Scheme: "bearer", Format: "JWT", Pointer: "/components/securitySchemes/token"},
			{Name: "key", Type: "apiKey", In: "header", Parameter: "X-Key", Pointer: "/components/securitySchemes/key"},
		},
		Operations: []*openapi.Operation{{
			ID: "putThing", Method: "PUT", Path: "/things/{id}", Summary: "Store one", Tags: []string{"things"}, Deprecated: true,
			Pointer: "/paths/~1things~1{id}/put",
			Parameters: []openapi.Parameter{
				{Name: "id", In: "path", Required: true, Style: "simple", Schema: "api.json#/components/parameters/Id/schema", Pointer: "/components/parameters/Id"},
				{Name: "trace", In: "header", Required: true, Style: "simple", Schema: "api.json#/paths/~1things~1{id}/put/parameters/0/schema",
					Pointer: "/paths/~1things~1{id}/put/parameters/0"},
				{Name: "where", In: "query", Style: "form", Explode: true, MediaType: "application/json",
					Schema:  "api.json#/paths/~1things~1{id}/put/parameters/2/content/application~1json/schema",
					Pointer: "/paths/~1things~1{id}/put/parameters/2"},
				{Name: "tags", In: "query", Style: "pipeDelimited", Schema: "api.json#/paths/~1things~1{id}/put/parameters/3/schema",
					Pointer: "/paths/~1things~1{id}/put/parameters/3"},
			},
			Body: &openapi.Body{Required: true, Pointer: "/components/requestBodies/Thing", Content: []openapi.Media{
				{Type: "application/json", Schema: "api.json#/components/requestBodies/Thing/content/application~1json/schema",
					Pointer: "/components/requestBodies/Thing/content/application~1json"}}},
			Responses: []openapi.Response{
				{Status: "200", Description: "stored", Pointer: "/paths/~1things~1{id}/put/responses/200",
					Headers: []openapi.Header{{Name: "ETag", Required: true, Schema: "api.json#/paths/~1things~1{id}/put/responses/200/headers/ETag/schema",
						Pointer: "/paths/~1things~1{id}/put/responses/200/headers/ETag"}},
					Content: []openapi.Media{{Type: "text/event-stream", Description: "one event a change",
						Schema:  "api.json#/paths/~1things~1{id}/put/responses/200/content/text~1event-stream/schema",
						Item:    "api.json#/paths/~1things~1{id}/put/responses/200/content/text~1event-stream/itemSchema",
						Pointer: "/paths/~1things~1{id}/put/responses/200/content/text~1event-stream"}}},
				{Status: "4XX", Description: "wrong", Pointer: "/components/responses/Wrong", Content: []openapi.Media{
					{Type: "application/json", Schema: "api.json#/components/responses/Wrong/content/application~1json/schema",
						Pointer: "/components/responses/Wrong/content/application~1json"}}},
				{Status: "default", Description: "else", Pointer: "/paths/~1things~1{id}/put/responses/default"},
			},
			Security: []openapi.Requirement{
				{Schemes: []openapi.Needed{{Scheme: "token"}}},
				{Schemes: []openapi.Needed{{Scheme: "key", Scopes: []string{"write"}}}},
				{},
			},
		}},
	}
	if diff := cmp.Diff(want, d, cmpopts.IgnoreFields(openapi.Description{}, "File"), cmpopts.IgnoreFields(openapi.Operation{}, "File"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSecurityIsInheritedUnlessAnOperationSaysOtherwise(t *testing.T) {
	d := mustRead(t, head+`"security":[{"token":[]}],
"paths":{"/a":{"get":{},"put":{"security":[]}}},
"components":{"securitySchemes":{"token":{"type":"http","scheme":"bearer"}}}}`)
	want := map[string][]openapi.Requirement{"GET": {{Schemes: []openapi.Needed{{Scheme: "token"}}}}, "PUT": nil}
	for _, o := range d.Operations {
		if diff := cmp.Diff(want[o.Method], o.Security); diff != "" {
			t.Errorf("%s (-want +got):\n%s", o.Method, diff)
		}
	}
}

func TestWebhooksAndCallbacksAreOperationsOfTheOtherDirection(t *testing.T) {
	d := mustRead(t, head+`
"paths":{"/subscribe":{"post":{"operationId":"subscribe","callbacks":{"changed":{"{$request.body#/url}":{"post":{"operationId":"changed"}}}}}}},
"webhooks":{"gone":{"post":{"operationId":"gone"}}}}`)
	type row struct {
		Kind               openapi.Kind
		ID, Path, Of, Name string
		Pointer            string
	}
	var got []row
	for _, o := range d.Operations {
		got = append(got, row{o.Kind, o.ID, o.Path, o.Of, o.Name, o.Pointer})
	}
	want := []row{
		{openapi.Path, "subscribe", "/subscribe", "", "", "/paths/~1subscribe/post"},
		{openapi.Callback, "changed", "{$request.body#/url}", "/paths/~1subscribe/post", "changed",
			"/paths/~1subscribe/post/callbacks/changed/{$request.body#~1url}/post"},
		{openapi.Webhook, "gone", "gone", "", "", "/webhooks/gone/post"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestServersOfAPathAndOfAnOperation(t *testing.T) {
	d := mustRead(t, head+`"paths":{"/a":{"servers":[{"url":"/path"}],"get":{},"put":{"servers":[{"url":"/own"}]}},"/b":{"get":{}}}}`)
	want := map[string][]openapi.Server{"GET /a": {{URL: "/path"}}, "PUT /a": {{URL: "/own"}}, "GET /b": nil}
	for _, o := range d.Operations {
		if diff := cmp.Diff(want[o.Method+" "+o.Path], o.Servers); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", o.Method, o.Path, diff)
		}
	}
}

func TestOnlyWhereTheSpecificationSaysSoIsANameWithXAnExtension(t *testing.T) {
	d := mustRead(t, head+`
"security":[{"x-key":[]}],
"paths":{
  "x-note":1,
  "/a":{"$ref":"#/components/pathItems/x-a"}},
"components":{
  "pathItems":{"x-a":{"get":{
    "parameters":[{"$ref":"#/components/parameters/x-page"}],
    "responses":{
      "x-note":1,
      "200":{"description":"","headers":{"x-request-id":{"required":true,"schema":{"type":"string"}}},"content":{"x-custom/thing":{"schema":true}}}},
    "callbacks":{"x-note":1,"done":{"x-note":1,"{$request.body#/url}":{"post":{"responses":{"200":{"description":""}}}}}}}}},
  "parameters":{"x-page":{"name":"x-page","in":"query","schema":{"type":"integer"}}},
  "securitySchemes":{"x-key":{"type":"apiKey","in":"header","name":"x-key"}}}}`)
	var got []string
	for _, s := range d.Schemes {
		got = append(got, "scheme "+s.Name)
	}
	for _, o := range d.Operations {
		got = append(got, o.Method+" "+o.Path)
		for _, p := range o.Parameters {
			got = append(got, "parameter "+p.Name)
		}
		for _, r := range o.Responses {
			got = append(got, "response "+r.Status)
			for _, h := range r.Headers {
				got = append(got, "header "+h.Name)
			}
			for _, m := range r.Content {
				got = append(got, "content "+m.Type)
			}
		}
	}
	want := []string{
		"scheme x-key", "GET /a", "parameter x-page", "response 200", "header x-request-id", "content x-custom/thing",
		"POST {$request.body#/url}", "response 200",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
}

func TestDocumentsOf30AreReadToo(t *testing.T) {
	d := mustRead(t, `{"openapi":"3.0.3","info":{"title":"Old","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":"ok",
		"content":{"application/json":{"schema":{"type":"string","nullable":true}}}}}}}}}`)
	if len(d.Operations) != 1 || d.Operations[0].Responses[0].Content[0].Schema == "" {
		t.Errorf("read %+v", d)
	}
}

// head32 begins descriptions of 3.2.
const head32 = `{"openapi":"3.2.0","info":{"title":"Things","version":"2"},`

func TestWhatOpenAPI32AddsIsRead(t *testing.T) {
	d := mustRead(t, head32+`
"servers":[{"url":"/","name":"live"}],
"paths":{"/a":{
  "query":{
    "parameters":[{"name":"q","in":"querystring","content":{"application/json":{"$ref":"#/components/mediaTypes/Any"}}},
      {"name":"c","in":"cookie","style":"cookie","schema":{}}],
    "requestBody":{"content":{"application/json":{"$ref":"#/components/mediaTypes/Any","description":"a question"}}},
    "responses":{"200":{"summary":"found","headers":{"H":{"content":{"text/plain":{"$ref":"#/components/mediaTypes/Any"}}}},
      "content":{"application/jsonl":{"description":"lines","itemSchema":{}}}}}},
  "additionalOperations":{"COPY":{"security":[{"#/components/securitySchemes/s":["copy"]}]},"get":{}},
  "get":{}}},
"components":{
  "mediaTypes":{"Any":{"$ref":"#/components/mediaTypes/Same"},"Same":{"schema":true}},
  "securitySchemes":{"s":{"type":"oauth2","oauth2MetadataUrl":"https://id.example","flows":{},"deprecated":true}}}}`)
	any := "api.json#/components/mediaTypes/Same/schema"
	want := &openapi.Description{
		Title: "Things", Version: "2",
		Servers: []openapi.Server{{Name: "live", URL: "/"}},
		Schemes: []openapi.Scheme{{Name: "s", Type: "oauth2", URL: "https://id.example", Deprecated: true, Pointer: "/components/securitySchemes/s"}},
		Operations: []*openapi.Operation{
			{Method: "QUERY", Path: "/a", Pointer: "/paths/~1a/query",
				Parameters: []openapi.Parameter{
					{Name: "q", In: "querystring", MediaType: "application/json", Schema: any, Pointer: "/paths/~1a/query/parameters/0"},
					{Name: "c", In: "cookie", Style: "cookie", Explode: true, Schema: "api.json#/paths/~1a/query/parameters/1/schema", Pointer: "/paths/~1a/query/parameters/1"}},
				Body: &openapi.Body{Pointer: "/paths/~1a/query/requestBody",
					Content: []openapi.Media{{Type: "application/json", Description: "a question", Schema: any, Pointer: "/components/mediaTypes/Same"}}},
				Responses: []openapi.Response{{Status: "200", Summary: "found", Pointer: "/paths/~1a/query/responses/200",
					Headers: []openapi.Header{{Name: "H", MediaType: "text/plain", Schema: any, Pointer: "/paths/~1a/query/responses/200/headers/H"}},
					Content: []openapi.Media{{Type: "application/jsonl", Description: "lines", Pointer: "/paths/~1a/query/responses/200/content/application~1jsonl",
						Item: "api.json#/paths/~1a/query/responses/200/content/application~1jsonl/itemSchema"}}}}},
			{Method: "COPY", Path: "/a", Pointer: "/paths/~1a/additionalOperations/COPY",
				Security: []openapi.Requirement{{Schemes: []openapi.Needed{{Scheme: "s", Scopes: []string{"copy"}}}}}},
			{Method: "get", Path: "/a", Pointer: "/paths/~1a/additionalOperations/get"},
			{Method: "GET", Path: "/a", Pointer: "/paths/~1a/get"},
		},
	}
	if diff := cmp.Diff(want, d, cmpopts.IgnoreFields(openapi.Description{}, "File"), cmpopts.IgnoreFields(openapi.Operation{}, "File"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWhatOpenAPI32AddsMeansNothingBefore(t *testing.T) {
	d := mustRead(t, head+`
"servers":[{"url":"/","name":1}],
"paths":{"/a":{"query":1,"additionalOperations":{"POST":1},"get":{"responses":{"200":{"summary":1,"description":"d"}}}}},
"components":{"mediaTypes":1,"securitySchemes":{"s":{"type":"oauth2","oauth2MetadataUrl":1,"flows":{},"deprecated":1}}}}`)
	want := &openapi.Description{
		Title: "Things", Version: "2",
		Servers: []openapi.Server{{URL: "/"}},
		Schemes: []openapi.Scheme{{Name: "s", Type: "oauth2", Pointer: "/components/securitySchemes/s"}},
		Operations: []*openapi.Operation{{Method: "GET", Path: "/a", Pointer: "/paths/~1a/get",
			Responses: []openapi.Response{{Status: "200", Description: "d", Pointer: "/paths/~1a/get/responses/200"}}}},
	}
	if diff := cmp.Diff(want, d, cmpopts.IgnoreFields(openapi.Description{}, "File"), cmpopts.IgnoreFields(openapi.Operation{}, "File"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWhatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	get := func(operation string) string { return head + `"paths":{"/a/{id}":{"get":{` + operation + `}}}}` }
	get32 := func(operation string) string { return head32 + `"paths":{"/a/{id}":{"get":{` + operation + `}}}}` }
	parameter := func(p string) string { return get(`"parameters":[` + p + `]`) }
	cases := []struct{ name, text, pointer, reason string }{
		{"an operation that is no object", head + `"paths":{"/a":{"get":3}}}`, "/paths/~1a/get", "an operation must be an object, not a number"},
		{"a missing info", `{"openapi":"3.1.0","paths":{}}`, "", `a description needs the member "info"`},
		{"paths that are no object", head + `"paths":[]}`, "/paths", "paths must be an object, not an array"},
		{"parameters that are no array", get(`"parameters":{}`), "/paths/~1a~1{id}/get/parameters", "parameters must be an array, not an object"},
		{"callbacks that are no object", get(`"callbacks":1`), "/paths/~1a~1{id}/get/callbacks", "callbacks must be an object, not a number"},
		{"an operationId that is no string", get(`"operationId":1`), "/paths/~1a~1{id}/get/operationId", "operationId must be a string, not a number"},
		{"a deprecated that is no boolean", get(`"deprecated":"yes"`), "/paths/~1a~1{id}/get/deprecated", "deprecated must be a boolean, not a string"},
		{"an operationId used twice", head + `"paths":{"/a":{"get":{"operationId":"x"},"put":{"operationId":"x"}}}}`, "/paths/~1a/put/operationId",
			`the operationId "x" is used already, at /paths/~1a/get`},
		{"a parameter without name", parameter(`{"in":"query","schema":{}}`), "/paths/~1a~1{id}/get/parameters/0", `a parameter needs the member "name"`},
		{"a parameter without schema", parameter(`{"name":"q","in":"query"}`), "/paths/~1a~1{id}/get/parameters/0", "a parameter needs a schema (or content)"},
		{"a parameter with schema and content", parameter(`{"name":"q","in":"query","schema":{},"content":{"text/plain":{}}}`),
			"/paths/~1a~1{id}/get/parameters/0/content", "a parameter has schema or content, not both"},
		{"a parameter with two media types", parameter(`{"name":"q","in":"query","content":{"text/plain":{},"text/html":{}}}`),
			"/paths/~1a~1{id}/get/parameters/0/content", "content of a parameter must have exactly one media type"},
		{"a parameter in no place", parameter(`{"name":"q","in":"body","schema":{}}`), "/paths/~1a~1{id}/get/parameters/0/in", "in must be path, query, header or cookie"},
		{"a style of another place", parameter(`{"name":"q","in":"header","style":"form","schema":{}}`),
			"/paths/~1a~1{id}/get/parameters/0/style", "style of a header parameter must be simple"},
		{"a path parameter that the path lacks", parameter(`{"name":"other","in":"path","required":true,"schema":{}}`),
			"/paths/~1a~1{id}/get/parameters/0/name", "the path /a/{id} has no {other}"},
		{"a parameter given twice", parameter(`{"name":"q","in":"query","schema":{}},{"name":"q","in":"query","schema":{}}`),
			"/paths/~1a~1{id}/get/parameters/1", `there is another query parameter "q" in this list`},
		{"a header without schema", get(`"responses":{"200":{"description":"","headers":{"X":{}}}}`),
			"/paths/~1a~1{id}/get/responses/200/headers/X", "a header needs a schema (or content)"},
		{"an answer under no status", get(`"responses":{"ok":{"description":""}}`), "/paths/~1a~1{id}/get/responses/ok",
			"the key of an answer must be a status such as 200, a range such as 4XX, or default"},
		{"a reference to nothing", parameter(`{"$ref":"#/components/parameters/Q"}`), "/paths/~1a~1{id}/get/parameters/0/$ref",
			"nothing is at #/components/parameters/Q"},
		{"a reference to a file that nobody has", parameter(`{"$ref":"other.json#/q"}`), "/paths/~1a~1{id}/get/parameters/0/$ref",
			`$ref "other.json#/q" cannot be resolved: no such document: other.json (no such document in the set, and nothing to load it with)`},
		{"a reference to itself", head + `"components":{"parameters":{"Q":{"$ref":"#/components/parameters/Q"}}}}`, "/components/parameters/Q/$ref",
			"the reference leads back to itself"},
		{"a callback that holds itself", head + `"paths":{},"components":{"callbacks":{"c":{"{$url}":{"post":{"callbacks":{"c":{"$ref":"#/components/callbacks/c"}}}}}}}}`,
			"/components/callbacks/c/{$url}/post/callbacks/c/$ref", "/components/callbacks/c holds itself by way of this reference"},
		{"callbacks that hold each other", head + `"paths":{},"components":{"callbacks":{` +
			`"c":{"{$url}":{"post":{"callbacks":{"d":{"$ref":"#/components/callbacks/d"}}}}},` +
			`"d":{"{$url}":{"post":{"callbacks":{"c":{"$ref":"#/components/callbacks/c"}}}}}}}}`,
			"/components/callbacks/c/{$url}/post/callbacks/d/$ref", "/components/callbacks/d holds itself by way of this reference"},
		{"a reference that is no string", parameter(`{"$ref":1}`), "/paths/~1a~1{id}/get/parameters/0/$ref", "$ref must be a string, not a number"},
		{"an operation that is a reference", head + `"paths":{"/a":{"get":{"$ref":"#/paths/~1b/get"}},"/b":{"get":{}}}}`, "/paths/~1a/get/$ref", "an operation cannot be a reference"},
		{"a reference that is no URI", parameter(`{"$ref":"%zz"}`), "/paths/~1a~1{id}/get/parameters/0/$ref", `"%zz" is not a URI reference`},
		{"an unknown security scheme", get(`"security":[{"token":[]}]`), "/paths/~1a~1{id}/get/security/0/token", `components/securitySchemes has no "token"`},
		{"a security scheme of no type", head + `"components":{"securitySchemes":{"s":{"type":"magic"}}}}`, "/components/securitySchemes/s/type",
			"type of a security scheme must be http, apiKey, oauth2, openIdConnect or mutualTLS"},
		{"an http scheme without scheme", head + `"components":{"securitySchemes":{"s":{"type":"http"}}}}`, "/components/securitySchemes/s",
			`a security scheme of type http needs the member "scheme"`},
		{"an API key without place", head + `"components":{"securitySchemes":{"s":{"type":"apiKey","name":"k"}}}}`, "/components/securitySchemes/s",
			`a security scheme of type apiKey needs the members "name" and "in" (query, header or cookie)`},
		{"a media type that is a reference, before 3.2", head + `"paths":{},"components":{"responses":{"R":{"content":{"text/plain":{"$ref":"#/x"}}}}}}`,
			"/components/responses/R/content/text~1plain/$ref", "a media type cannot be a reference"},
		{"a querystring before 3.2", parameter(`{"name":"q","in":"querystring","content":{"text/plain":{}}}`), "/paths/~1a~1{id}/get/parameters/0/in",
			"in must be path, query, header or cookie"},
		{"the style cookie before 3.2", parameter(`{"name":"q","in":"cookie","style":"cookie","schema":{}}`), "/paths/~1a~1{id}/get/parameters/0/style",
			"style of a cookie parameter must be form"},
		{"a parameter in no place of 3.2", get32(`"parameters":[{"name":"q","in":"body","schema":{}}]`), "/paths/~1a~1{id}/get/parameters/0/in",
			"in must be path, query, querystring, header or cookie"},
		{"a querystring with a schema", get32(`"parameters":[{"name":"q","in":"querystring","schema":{}}]`), "/paths/~1a~1{id}/get/parameters/0/schema",
			"a querystring parameter has no schema; content says how it is written"},
		{"a querystring with a style", get32(`"parameters":[{"name":"q","in":"querystring","style":"form","content":{"text/plain":{}}}]`), "/paths/~1a~1{id}/get/parameters/0/style",
			"a querystring parameter has no style; content says how it is written"},
		{"a querystring without content", get32(`"parameters":[{"name":"q","in":"querystring"}]`), "/paths/~1a~1{id}/get/parameters/0",
			`a querystring parameter needs the member "content"`},
		{"two querystrings", get32(`"parameters":[{"name":"q","in":"querystring","content":{"text/plain":{}}},{"name":"r","in":"querystring","content":{"text/plain":{}}}]`),
			"/paths/~1a~1{id}/get/parameters/1", `the querystring parameter "q" is the whole query string, so there can be no querystring parameter "r"`},
		{"a query of the path beside a querystring", head32 + `"paths":{"/a":{"parameters":[{"name":"r","in":"query","schema":{}}],"query":{"parameters":[{"name":"q","in":"querystring","content":{"text/plain":{}}}]}}}}`,
			"/paths/~1a/parameters/0", `the querystring parameter "q" is the whole query string, so there can be no query parameter "r"`},
		{"a fixed method among the additional ones", head32 + `"paths":{"/a":{"additionalOperations":{"POST":{}}}}}`, "/paths/~1a/additionalOperations/POST",
			`additionalOperations cannot have the method POST; the path item has it under "post"`},
		{"additional operations that are no object", head32 + `"paths":{"/a":{"additionalOperations":[]}}}`, "/paths/~1a/additionalOperations",
			"additionalOperations must be an object, not an array"},
		{"an additional operation that is no object", head32 + `"paths":{"/a":{"additionalOperations":{"COPY":1}}}}`, "/paths/~1a/additionalOperations/COPY",
			"an operation must be an object, not a number"},
		{"a reference to no media type", head32 + `"paths":{},"components":{"responses":{"R":{"content":{"text/plain":{"$ref":"#/components/responses/R"}}}}}}`,
			"/components/responses/R/content/text~1plain/$ref", `"#/components/responses/R" must lead to a media type, but api.json#/components/responses/R is a response`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(t, c.text)
			var e *document.Error
			if !errors.As(err, &e) {
				t.Fatalf("error: %v", err)
			}
			if e.Pointer != c.pointer || e.Reason != c.reason || e.File != "api.json" || e.Line < 1 || e.Column < 1 {
				t.Errorf("got  %s %d:%d %s\nwant %s %s", e.Pointer, e.Line, e.Column, e.Reason, c.pointer, c.reason)
			}
		})
	}
}

func TestOtherDocumentsAreRefused(t *testing.T) {
	_, err := read(t, `{"type":"object"}`)
	if err == nil || !strings.Contains(err.Error(), "an OpenAPI description was expected, not a JSON Schema") {
		t.Errorf("error: %v", err)
	}
}

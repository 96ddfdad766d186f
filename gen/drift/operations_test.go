package drift_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/drift"
)

const (
	ok    = `"responses": {"200": {"description": "d"}}`
	heard = `"post": {"responses": {"200": {"description": "d"}}}`
	keys  = `, "components": {"securitySchemes": {"b": {"type": "http", "scheme": "bearer"}, "c": {"type": "http", "scheme": "bearer", "description": "the same"}, "k": {"type": "apiKey", "in": "header", "name": "K"}, "o": {"type": "oauth2", "flows": {}}}}`
)

// operationChange is a change of what stands around the schemas: members of the
// description after info. The verdict is that of hosts upgraded first.
type operationChange struct {
	name, old, new, verdict string
	rules                   []string
}

var operationChanges = []operationChange{
	{"path renamed", `"paths": {"/a": {"get": {` + ok + `}}}`, `"paths": {"/b": {"get": {` + ok + `}}}`, "breaking", []string{"operation-removed", "operation-added"}},
	{"method changed", `"paths": {"/a": {"put": {` + ok + `}}}`, `"paths": {"/a": {"post": {` + ok + `}}}`, "breaking", []string{"operation-removed", "operation-added"}},
	{"path parameter renamed", `"paths": {"/a/{x}": {"get": {"parameters": [{"name": "x", "in": "path", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`,
		`"paths": {"/a/{y}": {"get": {"parameters": [{"name": "y", "in": "path", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`, "", nil},
	{"path parameters swapped", `"paths": {"/a/{x}/{y}": {"get": {"parameters": [{"name": "x", "in": "path", "required": true, "schema": {"type": "integer"}}, {"name": "y", "in": "path", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`,
		`"paths": {"/a/{y}/{x}": {"get": {"parameters": [{"name": "x", "in": "path", "required": true, "schema": {"type": "integer"}}, {"name": "y", "in": "path", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`, "breaking", []string{"type-changed", "type-changed"}},
	{"path parameter narrowed", `"paths": {"/a/{x}": {"get": {"parameters": [{"name": "x", "in": "path", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`,
		`"paths": {"/a/{x}": {"get": {"parameters": [{"name": "x", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[a-z]+$"}}], ` + ok + `}}}`, "breaking", []string{"pattern-added"}},
	{"parameters of the path item", `"paths": {"/a": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}], "get": {` + ok + `}}}`,
		`"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}], ` + ok + `}}}`, "", nil},
	{"shared parameter", `"paths": {"/a": {"get": {"parameters": [{"$ref": "#/components/parameters/p"}], ` + ok + `}}}, "components": {"parameters": {"p": {"name": "q", "in": "query", "schema": {"type": "string"}}}}`,
		`"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}], ` + ok + `}}}`, "", nil},
	{"parameter moved", `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`,
		`"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "header", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`, "breaking", []string{"parameter-required-added", "parameter-removed"}},
	{"parameter optional added", `"paths": {"/a": {"get": {` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "cookie", "schema": {"type": "string"}}], ` + ok + `}}}`, "compatible", []string{"parameter-added"}},
	{"parameter required added", `"paths": {"/a": {"get": {` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`, "breaking", []string{"parameter-required-added"}},
	{"parameter became required", `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}], ` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`, "breaking", []string{"parameter-became-required"}},
	{"parameter became optional", `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}], ` + ok + `}}}`, "compatible", []string{"parameter-became-optional"}},
	{"parameter removed", `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}], ` + ok + `}}}`, `"paths": {"/a": {"get": {` + ok + `}}}`, "risky", []string{"parameter-removed"}},
	{"parameter written out", `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "array"}}], ` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "style": "form", "explode": true, "schema": {"type": "array"}}], ` + ok + `}}}`, "", nil},
	{"parameter list joined", `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "array"}}], ` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "explode": false, "schema": {"type": "array"}}], ` + ok + `}}}`, "breaking", []string{"parameter-style-changed"}},
	{"style of a single value", `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}], ` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "explode": false, "schema": {"type": "string"}}], ` + ok + `}}}`, "", nil},
	{"parameter became JSON", `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "object"}}], ` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}}], ` + ok + `}}}`, "breaking", []string{"parameter-style-changed"}},
	{"header in another case", `"paths": {"/a": {"get": {"parameters": [{"name": "X-A", "in": "header", "schema": {"type": "string"}}], "responses": {"200": {"description": "d", "headers": {"X-B": {"required": true, "schema": {"type": "string"}}}}}}}}`,
		`"paths": {"/a": {"get": {"parameters": [{"name": "x-a", "in": "header", "schema": {"type": "string"}}], "responses": {"200": {"description": "d", "headers": {"x-b": {"required": true, "schema": {"type": "string"}}}}}}}}`, "", nil},
	{"headers described elsewhere", `"paths": {"/a": {"get": {` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [{"name": "Accept", "in": "header", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}`, "", nil},
	{"body added", `"paths": {"/a": {"post": {` + ok + `}}}`, `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {}}}, ` + ok + `}}}`, "compatible", []string{"body-added"}},
	{"required body added", `"paths": {"/a": {"post": {` + ok + `}}}`, `"paths": {"/a": {"post": {"requestBody": {"required": true, "content": {"application/json": {}}}, ` + ok + `}}}`, "breaking", []string{"body-became-required"}},
	{"body became optional", `"paths": {"/a": {"post": {"requestBody": {"required": true, "content": {"application/json": {}}}, ` + ok + `}}}`, `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {}}}, ` + ok + `}}}`, "compatible", []string{"body-became-optional"}},
	{"body removed", `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {}}}, ` + ok + `}}}`, `"paths": {"/a": {"post": {` + ok + `}}}`, "risky", []string{"body-removed"}},
	{"shared body", `"paths": {"/a": {"post": {"requestBody": {"$ref": "#/components/requestBodies/r"}, ` + ok + `}}}, "components": {"requestBodies": {"r": {"content": {"application/json": {"schema": {"type": "string"}}}}}}`,
		`"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "string"}}}}, ` + ok + `}}}`, "", nil},
	{"media type in another case", `"paths": {"/a": {"post": {"requestBody": {"content": {"application/JSON": {}}}, ` + ok + `}}}`, `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {}}}, ` + ok + `}}}`, "", nil},
	{"media type of a request added", `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {}}}, ` + ok + `}}}`, `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {}, "text/plain": {}}}, ` + ok + `}}}`, "compatible", []string{"media-type-added"}},
	{"media type of a request removed", `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {}, "text/plain": {}}}, ` + ok + `}}}`, `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {}}}, ` + ok + `}}}`, "breaking", []string{"media-type-removed"}},
	{"media type of an answer replaced", `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "content": {"application/json": {}}}}}}}`, `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "content": {"application/cbor": {}}}}}}}`, "breaking", []string{"media-type-removed", "media-type-added"}},
	{"answer became a stream", `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "content": {"application/json": {}}}}}}}`, `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "content": {"text/event-stream": {}}}}}}}`, "breaking", []string{"media-type-removed", "media-type-added"}},
	{"range of media types covers", `"paths": {"/a": {"post": {"requestBody": {"content": {"text/plain": {}}}, ` + ok + `}}}`, `"paths": {"/a": {"post": {"requestBody": {"content": {"text/*": {}}}, ` + ok + `}}}`, "compatible", []string{"media-type-added"}},
	{"success status replaced", `"paths": {"/a": {"post": {"responses": {"200": {"description": "d"}}}}}`, `"paths": {"/a": {"post": {"responses": {"201": {"description": "d"}}}}}`, "breaking", []string{"success-status-removed", "success-status-added"}},
	{"success status added", `"paths": {"/a": {"post": {` + ok + `}}}`, `"paths": {"/a": {"post": {"responses": {"200": {"description": "d"}, "202": {"description": "d"}}}}}`, "risky", []string{"success-status-added"}},
	{"error status added", `"paths": {"/a": {"post": {` + ok + `}}}`, `"paths": {"/a": {"post": {"responses": {"200": {"description": "d"}, "429": {"description": "d"}}}}}`, "risky", []string{"error-status-added"}},
	{"error status covered by default", `"paths": {"/a": {"post": {"responses": {"200": {"description": "d"}, "default": {"description": "d", "content": {"application/json": {"schema": {"type": "object"}}}}}}}}`, `"paths": {"/a": {"post": {"responses": {"200": {"description": "d"}, "404": {"description": "d", "content": {"application/json": {"schema": {"type": "object"}}}}, "default": {"description": "d", "content": {"application/json": {"schema": {"type": "object"}}}}}}}}`, "", nil},
	{"error status unlike default", `"paths": {"/a": {"post": {"responses": {"200": {"description": "d"}, "default": {"description": "d", "content": {"application/json": {"schema": {"type": "object"}}}}}}}}`, `"paths": {"/a": {"post": {"responses": {"200": {"description": "d"}, "404": {"description": "d", "content": {"application/json": {"schema": {"type": "string"}}}}, "default": {"description": "d", "content": {"application/json": {"schema": {"type": "object"}}}}}}}}`, "breaking", []string{"type-changed"}},
	{"error status removed", `"paths": {"/a": {"post": {"responses": {"200": {"description": "d"}, "404": {"description": "d"}}}}}`, `"paths": {"/a": {"post": {` + ok + `}}}`, "compatible", []string{"error-status-removed"}},
	{"new code among errors", `"paths": {"/a": {"get": {"responses": {"200": {"description": "d"}, "400": {"description": "d", "content": {"application/json": {"schema": {"enum": ["a"]}}}}}}}}`, `"paths": {"/a": {"get": {"responses": {"200": {"description": "d"}, "400": {"description": "d", "content": {"application/json": {"schema": {"enum": ["a", "b"]}}}}}}}}`, "risky", []string{"enum-value-added"}},
	{"new code among answers", `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"enum": ["a"]}}}}}}}}`, `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"enum": ["a", "b"]}}}}}}}}`, "breaking", []string{"enum-value-added"}},
	{"answer header added", `"paths": {"/a": {"get": {` + ok + `}}}`, `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "headers": {"X": {"schema": {"type": "string"}}}}}}}}`, "compatible", []string{"header-added"}},
	{"required answer header removed", `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "headers": {"X": {"required": true, "schema": {"type": "string"}}}}}}}}`, `"paths": {"/a": {"get": {` + ok + `}}}`, "breaking", []string{"header-required-removed"}},
	{"answer header became optional", `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "headers": {"X": {"required": true, "schema": {"type": "string"}}}}}}}}`, `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "headers": {"X": {"schema": {"type": "string"}}}}}}}}`, "breaking", []string{"header-required-removed"}},
	{"optional answer header removed", `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "headers": {"X": {"schema": {"type": "string"}}}}}}}}`, `"paths": {"/a": {"get": {` + ok + `}}}`, "compatible", []string{"header-removed"}},
	{"answer header widened", `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "headers": {"X": {"schema": {"enum": ["a"]}}}}}}}}`, `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "headers": {"X": {"schema": {"type": "string"}}}}}}}}`, "breaking", []string{"enum-removed"}},
	{"security demanded", `"paths": {"/a": {"get": {` + ok + `}}}` + keys, `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + keys, "breaking", []string{"security-tightened"}},
	{"security no longer optional", `"paths": {"/a": {"get": {"security": [{"b": []}, {}], ` + ok + `}}}` + keys, `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + keys, "breaking", []string{"security-tightened"}},
	{"security demanded of all", `"paths": {"/a": {"get": {` + ok + `}}}` + keys, `"security": [{"k": []}], "paths": {"/a": {"get": {` + ok + `}}}` + keys, "breaking", []string{"security-tightened"}},
	{"second credential demanded", `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + keys, `"paths": {"/a": {"get": {"security": [{"b": [], "k": []}], ` + ok + `}}}` + keys, "breaking", []string{"security-tightened"}},
	{"credential replaced", `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + keys, `"paths": {"/a": {"get": {"security": [{"k": []}], ` + ok + `}}}` + keys, "breaking", []string{"security-tightened"}},
	{"alternative credential", `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + keys, `"paths": {"/a": {"get": {"security": [{"k": []}, {"b": []}], ` + ok + `}}}` + keys, "compatible", []string{"security-loosened"}},
	{"security dropped", `"security": [{"b": []}], "paths": {"/a": {"get": {` + ok + `}}}` + keys, `"security": [{"b": []}], "paths": {"/a": {"get": {"security": [], ` + ok + `}}}` + keys, "compatible", []string{"security-loosened"}},
	{"scheme renamed", `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + keys, `"paths": {"/a": {"get": {"security": [{"c": []}], ` + ok + `}}}` + keys, "", nil},
	{"scope added", `"paths": {"/a": {"get": {"security": [{"o": ["r"]}], ` + ok + `}}}` + keys, `"paths": {"/a": {"get": {"security": [{"o": ["r", "w"]}], ` + ok + `}}}` + keys, "breaking", []string{"security-tightened"}},
	{"scope removed", `"paths": {"/a": {"get": {"security": [{"o": ["r", "w"]}], ` + ok + `}}}` + keys, `"paths": {"/a": {"get": {"security": [{"o": ["r"]}], ` + ok + `}}}` + keys, "compatible", []string{"security-loosened"}},
	{"scheme changed", `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + keys, `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + strings.Replace(keys, `"scheme": "bearer"`, `"scheme": "basic"`, 1), "breaking", []string{"security-tightened"}},
	{"webhook added", `"paths": {}`, `"webhooks": {"w": {` + heard + `}}`, "compatible", []string{"webhook-added"}},
	{"webhook removed", `"webhooks": {"w": {` + heard + `}}`, `"paths": {}`, "breaking", []string{"webhook-removed"}},
	{"callback removed", `"paths": {"/a": {"post": {` + ok + `, "callbacks": {"c": {"{$request.query.u}": {` + heard + `}}}}}}`, `"paths": {"/a": {"post": {` + ok + `}}}`, "breaking", []string{"webhook-removed"}},
	{"callbacks that have each other, one of them with a new member to send", `"paths": {"/a": {"post": {` + ok + `, "callbacks": {"c": {"$ref": "#/components/callbacks/c"}}}}}, "components": {"callbacks": {` +
		`"c": {"{$request.query.u}": {"post": {` + ok + `, "callbacks": {"d": {"$ref": "#/components/callbacks/d"}}}}}, ` +
		`"d": {"{$request.query.u}": {"post": {` + ok + `, "callbacks": {"c": {"$ref": "#/components/callbacks/c"}}}}}}}`,
		`"paths": {"/a": {"post": {` + ok + `, "callbacks": {"c": {"$ref": "#/components/callbacks/c"}}}}}, "components": {"callbacks": {` +
			`"c": {"{$request.query.u}": {"post": {` + ok + `, "callbacks": {"d": {"$ref": "#/components/callbacks/d"}}}}}, ` +
			`"d": {"{$request.query.u}": {"put": {` + ok + `, "callbacks": {"c": {"$ref": "#/components/callbacks/c"}}}}}}}`, "breaking", []string{"webhook-added", "webhook-removed"}},
	{"shared callback", `"paths": {"/a": {"post": {` + ok + `, "callbacks": {"c": {"$ref": "#/components/callbacks/c"}}}}}, "components": {"callbacks": {"c": {"{$request.query.u}": {` + heard + `}}}}`, `"paths": {"/a": {"post": {` + ok + `, "callbacks": {"c": {"{$request.query.u}": {` + heard + `}}}}}}`, "", nil},
	{"path item shared", `"paths": {"/a": {"$ref": "#/components/pathItems/a"}}, "components": {"pathItems": {"a": {"get": {` + ok + `}}}}`, `"paths": {"/a": {"get": {` + ok + `}}}`, "", nil},
	{"server changed", `"servers": [{"url": "https://a.example"}], "paths": {"/a": {"get": {` + ok + `}}}`, `"servers": [{"url": "https://b.example"}], "paths": {"/a": {"get": {` + ok + `}}}`, "risky", []string{"server-removed"}},
	{"server added", `"servers": [{"url": "https://a.example"}], "paths": {"/a": {"get": {` + ok + `}}}`, `"servers": [{"url": "https://a.example"}, {"url": "https://b.example"}], "paths": {"/a": {"get": {` + ok + `}}}`, "", nil},
	{"operationId changed", `"paths": {"/a": {"get": {"operationId": "a", ` + ok + `}}}`, `"paths": {"/a": {"get": {"operationId": "b", ` + ok + `}}}`, "compatible", []string{"operation-id-changed"}},
	{"deprecated", `"paths": {"/a": {"get": {` + ok + `}}}`, `"paths": {"/a": {"get": {"deprecated": true, ` + ok + `}}}`, "compatible", []string{"operation-deprecated"}},
	{"words and extensions", `"paths": {"/a": {"get": {"summary": "a", "x-a": 1, "tags": ["a"], ` + ok + `}}}`, `"tags": [{"name": "b"}], "paths": {"/a": {"get": {"summary": "b", "tags": ["b"], ` + ok + `}}}`, "", nil},
	{"a schema that nothing uses narrowed", `"paths": {"/a": {"get": {` + ok + `}}}, "components": {"schemas": {"Event": {"type": "string"}}}`, `"paths": {"/a": {"get": {` + ok + `}}}, "components": {"schemas": {"Event": {"type": "string", "maxLength": 3}}}`, "risky", []string{"max-length-added"}},
	{"a schema that nothing uses said differently", `"paths": {"/a": {"get": {` + ok + `}}}, "components": {"schemas": {"Event": {"const": 1}}}`, `"paths": {"/a": {"get": {` + ok + `}}}, "components": {"schemas": {"Event": {"enum": [1]}}}`, "", nil},
	{"one edit for all its uses", `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S"}}}}, "responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/S"}}}}}}}}, "components": {"schemas": {"S": {"type": "object", "properties": {"a": {"type": "string"}}}}}`,
		`"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S"}}}}, "responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/S"}}}}}}}}, "components": {"schemas": {"S": {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}}}`, "breaking", []string{"type-widened"}},
}

func TestChangesAroundTheSchemas(t *testing.T) {
	for _, c := range operationChanges {
		t.Run(c.name, func(t *testing.T) {
			r := compare(t, api+c.old+"}", api+c.new+"}", drift.Options{})
			c.held(t, r)
			for _, f := range r.Findings {
				if f.Class == drift.Breaking && f.Witness == nil {
					t.Errorf("%s breaks without a witness", f.Rule)
				}
				if _, known := drift.Explain(f.Rule); !known {
					t.Errorf("the rule %s is not in the registry", f.Rule)
				}
			}
		})
	}
}

// held holds a report against the verdict and the rules that the change is to have.
func (c *operationChange) held(t *testing.T, r *drift.Report) {
	t.Helper()
	verdict := string(r.Verdict)
	if len(r.Findings) == 0 {
		verdict = ""
	}
	var rules []string
	for _, f := range r.Findings {
		rules = append(rules, f.Rule)
	}
	slices.Sort(rules)
	if want := slices.Sorted(slices.Values(c.rules)); verdict != c.verdict || !slices.Equal(rules, want) {
		t.Errorf("%q with %v, not %q with %v\n%s", verdict, rules, c.verdict, want, findings(r))
	}
}

package drift_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/drift"
)

// carrier is a document around one message.
type carrier struct {
	name     string
	document string // § is the schema
	pointer  string // of the schema
	request  bool   // old senders meet new receivers; else new senders old receivers
	options  drift.Options
}

const api = `{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, `

var carriers = []carrier{
	{"request", `§`, "", true, drift.Options{Direction: drift.Request}},
	{"response", `§`, "", false, drift.Options{Direction: drift.Response}},
	{"request, clients upgraded first", `§`, "", false, drift.Options{Direction: drift.Request, Upgrade: drift.ClientFirst}},
	{"body", api + `"paths": {"/a": {"post": {"requestBody": {"required": true, "content": {"application/json": {"schema": §}}}, "responses": {"204": {"description": "d"}}}}}}`,
		"/paths/~1a/post/requestBody/content/application~1json/schema", true, drift.Options{}},
	{"answer", api + `"paths": {"/a": {"get": {"responses": {"200": {"description": "d", "content": {"application/json": {"schema": §}}}}}}}}`,
		"/paths/~1a/get/responses/200/content/application~1json/schema", false, drift.Options{}},
	{"shared answer", api + `"paths": {"/a": {"get": {"responses": {"200": {"$ref": "#/components/responses/R"}}}}}, "components": {"responses": {"R": {"description": "d", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/S"}}}}}, "schemas": {"S": §}}}`,
		"/components/schemas/S", false, drift.Options{}},
	{"webhook", api + `"webhooks": {"w": {"post": {"requestBody": {"content": {"application/json": {"schema": §}}}, "responses": {"204": {"description": "d"}}}}}}`,
		"/webhooks/w/post/requestBody/content/application~1json/schema", false, drift.Options{}},
	{"answer to a webhook", api + `"webhooks": {"w": {"post": {"requestBody": {"content": {"application/json": {"schema": true}}}, "responses": {"200": {"description": "d", "content": {"application/json": {"schema": §}}}}}}}}`,
		"/webhooks/w/post/responses/200/content/application~1json/schema", true, drift.Options{}},
	{"callback", api + `"paths": {"/a": {"post": {"responses": {"204": {"description": "d"}}, "callbacks": {"c": {"{$request.query.u}": {"post": {"requestBody": {"content": {"application/json": {"schema": §}}}, "responses": {"204": {"description": "d"}}}}}}}}}}`,
		"/paths/~1a/post/callbacks/c/{$request.query.u}/post/requestBody/content/application~1json/schema", false, drift.Options{}},
	{"query parameter", api + `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": §}], "responses": {"204": {"description": "d"}}}}}}`,
		"/paths/~1a/get/parameters/0/schema", true, drift.Options{}},
	{"answer header", api + `"paths": {"/a": {"get": {"responses": {"204": {"description": "d", "headers": {"X-A": {"schema": §}}}}}}}}`,
		"/paths/~1a/get/responses/204/headers/X-A/schema", false, drift.Options{}},
	{"event", `{"topic": "t", "version": 1, "direction": "server->client", "payloadSchema": §}`, "/payloadSchema", false, drift.Options{}},
	{"event of the client", `{"topic": "t", "version": 1, "direction": "client->server", "payloadSchema": §}`, "/payloadSchema", true, drift.Options{}},
}

// changes of a schema: the verdict where the old version sends, and where the new
// one does; "" where there is nothing to report.
var tableChanges = []struct{ name, old, new, oldSends, newSends string }{
	{"optional member added, open", `{"properties": {"a": {"type": "string"}}}`, `{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}`, "risky", "compatible"},
	{"optional member of any kind added, open", `{"properties": {"a": {"type": "string"}}}`, `{"properties": {"a": {"type": "string"}, "b": true}}`, "", ""},
	{"optional member added, closed", `{"properties": {"a": {"type": "string"}}, "additionalProperties": false}`, `{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "additionalProperties": false}`, "compatible", "breaking"},
	{"optional member removed, open", `{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}`, `{"properties": {"a": {"type": "string"}}}`, "compatible", "risky"},
	{"optional member removed, closed", `{"properties": {"a": {}, "b": {}}, "additionalProperties": false}`, `{"properties": {"a": {}}, "additionalProperties": false}`, "breaking", "compatible"},
	{"required member added", `{"type": "object"}`, `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`, "breaking", "compatible"},
	{"required member removed, open", `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`, `{"type": "object"}`, "compatible", "breaking"},
	{"required member removed, closed", `{"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": false}`, `{"type": "object", "additionalProperties": false}`, "breaking", "breaking"},
	{"member became required", `{"type": "object", "properties": {"a": {"type": "string"}}}`, `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`, "breaking", "compatible"},
	{"member became optional", `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`, `{"type": "object", "properties": {"a": {"type": "string"}}}`, "compatible", "breaking"},
	{"member renamed, closed", `{"properties": {"a": {}}, "additionalProperties": false}`, `{"properties": {"b": {}}, "additionalProperties": false}`, "breaking", "breaking"},
	{"value added", `{"enum": ["a", "b"]}`, `{"enum": ["a", "b", "c"]}`, "compatible", "breaking"},
	{"value removed", `{"enum": ["a", "b", "c"]}`, `{"enum": ["a", "b"]}`, "breaking", "compatible"},
	{"value replaced", `{"enum": ["a", "b"]}`, `{"enum": ["a", "c"]}`, "breaking", "breaking"},
	{"values of a free string", `{"type": "string"}`, `{"type": "string", "enum": ["a"]}`, "breaking", "compatible"},
	{"free string of values", `{"type": "string", "enum": ["a"]}`, `{"type": "string"}`, "compatible", "breaking"},
	{"constant changed", `{"const": 1}`, `{"const": 2}`, "breaking", "breaking"},
	{"constant added", `{"type": "integer"}`, `{"type": "integer", "const": 2}`, "breaking", "compatible"},
	{"constant removed", `{"type": "integer", "const": 2}`, `{"type": "integer"}`, "compatible", "breaking"},
	{"integer became number", `{"type": "integer"}`, `{"type": "number"}`, "compatible", "breaking"},
	{"number became integer", `{"type": "number"}`, `{"type": "integer"}`, "breaking", "compatible"},
	{"type replaced", `{"type": "string"}`, `{"type": "integer"}`, "breaking", "breaking"},
	{"type widened", `{"type": "string"}`, `{"type": ["string", "boolean"]}`, "compatible", "breaking"},
	{"null added", `{"type": "string"}`, `{"type": ["string", "null"]}`, "compatible", "breaking"},
	{"null added by a union", `{"type": "string"}`, `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, "compatible", "breaking"},
	{"null removed", `{"oneOf": [{"type": "null"}, {"type": "string"}]}`, `{"type": "string"}`, "breaking", "compatible"},
	{"null among values", `{"enum": ["a", null]}`, `{"enum": ["a"]}`, "breaking", "compatible"},
	{"minimum added", `{"type": "integer"}`, `{"type": "integer", "minimum": 1}`, "breaking", "compatible"},
	{"minimum removed", `{"type": "integer", "minimum": 1}`, `{"type": "integer"}`, "compatible", "breaking"},
	{"minimum raised", `{"type": "number", "minimum": 1}`, `{"type": "number", "minimum": 1.5}`, "breaking", "compatible"},
	{"minimum excluded, numbers", `{"type": "number", "minimum": 0}`, `{"type": "number", "exclusiveMinimum": 0}`, "breaking", "compatible"},
	{"maximum lowered", `{"type": "integer", "maximum": 9007199254740993}`, `{"type": "integer", "maximum": 9007199254740992}`, "breaking", "compatible"},
	{"bounds moved", `{"type": "integer", "minimum": 0, "maximum": 9}`, `{"type": "integer", "minimum": 5, "maximum": 20}`, "breaking", "breaking"},
	{"no longer integers between", `{"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 3}`, `{"type": "integer", "minimum": 2, "maximum": 3}`, "compatible", "breaking"},
	{"step added", `{"type": "integer"}`, `{"type": "integer", "multipleOf": 5}`, "breaking", "compatible"},
	{"step refined", `{"type": "integer", "multipleOf": 6}`, `{"type": "integer", "multipleOf": 3}`, "compatible", "breaking"},
	{"step of fractions", `{"type": "number", "multipleOf": 0.1}`, `{"type": "number", "multipleOf": 0.01}`, "compatible", "breaking"},
	{"maxLength lowered", `{"type": "string", "maxLength": 9}`, `{"type": "string", "maxLength": 8}`, "breaking", "compatible"},
	{"minLength raised", `{"type": "string", "minLength": 1}`, `{"type": "string", "minLength": 2}`, "breaking", "compatible"},
	{"pattern added", `{"type": "string"}`, `{"type": "string", "pattern": "^a"}`, "breaking", "compatible"},
	{"pattern removed", `{"type": "string", "pattern": "^a"}`, `{"type": "string"}`, "compatible", "breaking"},
	{"pattern loosened", `{"type": "string", "pattern": "^[a-f]+$"}`, `{"type": "string", "pattern": "^[a-z]+$"}`, "compatible", "breaking"},
	{"pattern anchored", `{"type": "string", "pattern": "a"}`, `{"type": "string", "pattern": "^a$"}`, "breaking", "compatible"},
	{"pattern replaced", `{"type": "string", "pattern": "^a"}`, `{"type": "string", "pattern": "^b"}`, "breaking", "breaking"},
	{"pattern and length", `{"type": "string", "pattern": "^a*$", "maxLength": 3}`, `{"type": "string", "pattern": "^a{0,2}$"}`, "breaking", "compatible"},
	{"object closed", `{"type": "object", "properties": {"a": {}}}`, `{"type": "object", "properties": {"a": {}}, "additionalProperties": false}`, "breaking", "compatible"},
	{"object opened", `{"type": "object", "properties": {"a": {}}, "additionalProperties": false}`, `{"type": "object", "properties": {"a": {}}}`, "compatible", "breaking"},
	{"further members typed", `{"type": "object", "additionalProperties": true}`, `{"type": "object", "additionalProperties": {"type": "string"}}`, "breaking", "compatible"},
	{"map value widened", `{"type": "object", "additionalProperties": {"type": "integer"}}`, `{"type": "object", "additionalProperties": {"type": "number"}}`, "compatible", "breaking"},
	{"closed by unevaluatedProperties", `{"allOf": [{"properties": {"a": {}}}], "properties": {"b": {}}, "type": "object"}`, `{"allOf": [{"properties": {"a": {}}}], "properties": {"b": {}}, "type": "object", "unevaluatedProperties": false}`, "breaking", "compatible"},
	{"opened by unevaluatedProperties", `{"type": "object", "anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}], "unevaluatedProperties": false}`, `{"type": "object", "anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}`, "compatible", "breaking"},
	{"unevaluated items closed", `{"type": "array", "prefixItems": [{"type": "string"}]}`, `{"type": "array", "prefixItems": [{"type": "string"}], "unevaluatedItems": false}`, "breaking", "compatible"},
	{"alternative added", `{"anyOf": [{"type": "string"}, {"type": "integer"}]}`, `{"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]}`, "compatible", "breaking"},
	{"alternative removed", `{"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]}`, `{"oneOf": [{"type": "string"}, {"type": "integer"}]}`, "breaking", "compatible"},
	{"disjoint alternative added", `{"oneOf": [{"type": "string"}, {"type": "null"}]}`, `{"oneOf": [{"type": "string"}, {"type": "null"}, {"type": "array"}]}`, "compatible", "breaking"},
	{"overlapping alternative added", `{"oneOf": [{"type": "string"}, {"type": "null"}]}`, `{"oneOf": [{"type": "string"}, {"type": "null"}, {"type": "string", "maxLength": 2}]}`, "breaking", "compatible"},
	{"tagged alternative added", `{"oneOf": [{"type": "object", "required": ["t"], "properties": {"t": {"const": "a"}}}]}`, `{"oneOf": [{"type": "object", "required": ["t"], "properties": {"t": {"const": "a"}}}, {"type": "object", "required": ["t"], "properties": {"t": {"const": "b"}}}]}`, "compatible", "breaking"},
	{"anyOf became oneOf, overlapping", `{"anyOf": [{"type": "integer"}, {"minimum": 3}]}`, `{"oneOf": [{"type": "integer"}, {"minimum": 3}]}`, "breaking", "compatible"},
	{"further schema added", `{"type": "string"}`, `{"type": "string", "allOf": [{"maxLength": 3}]}`, "breaking", "compatible"},
	{"further schema removed", `{"allOf": [{"type": "string"}, {"maxLength": 3}]}`, `{"allOf": [{"type": "string"}]}`, "compatible", "breaking"},
	{"ban added", `{"type": "string"}`, `{"type": "string", "not": {"enum": ["a"]}}`, "breaking", "compatible"},
	{"ban narrowed", `{"type": "integer", "not": {"minimum": 3}}`, `{"type": "integer", "not": {"minimum": 5}}`, "compatible", "breaking"},
	{"condition added", `{"properties": {"a": {}, "b": {}}}`, `{"properties": {"a": {}, "b": {}}, "if": {"required": ["a"]}, "then": {"required": ["b"]}}`, "breaking", "compatible"},
	{"other case added", `{"type": "integer", "if": {"minimum": 10}, "then": {"multipleOf": 10}}`, `{"type": "integer", "if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"minimum": 0}}`, "breaking", "compatible"},
	{"uniqueness added", `{"type": "array"}`, `{"type": "array", "uniqueItems": true}`, "breaking", "compatible"},
	{"dependents required", `{"properties": {"a": {}, "b": {}}}`, `{"properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}}`, "breaking", "compatible"},
	{"dependent schema tightened", `{"dependentSchemas": {"a": {"properties": {"b": {"type": "number"}}}}}`, `{"dependentSchemas": {"a": {"properties": {"b": {"type": "integer"}}}}}`, "breaking", "compatible"},
	{"names limited", `{"type": "object"}`, `{"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}`, "breaking", "compatible"},
	{"members by pattern typed", `{"type": "object", "patternProperties": {"^x-": true}}`, `{"type": "object", "patternProperties": {"^x-": {"type": "string"}}}`, "breaking", "compatible"},
	{"item type changed", `{"type": "array", "items": {"type": "string"}}`, `{"type": "array", "items": {"type": "integer"}}`, "breaking", "breaking"},
	{"item value added", `{"type": "array", "items": {"enum": ["a"]}}`, `{"type": "array", "items": {"enum": ["a", "b"]}}`, "compatible", "breaking"},
	{"first items typed", `{"type": "array", "prefixItems": [{"type": "string"}]}`, `{"type": "array", "prefixItems": [{"type": "string"}, {"type": "string"}]}`, "breaking", "compatible"},
	{"items demanded", `{"type": "array", "items": {"type": "integer"}}`, `{"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 5}}`, "breaking", "compatible"},
	{"fewer demanded", `{"type": "array", "contains": {"const": 1}, "minContains": 2}`, `{"type": "array", "contains": {"const": 1}}`, "compatible", "breaking"},
	{"more items", `{"type": "array", "maxItems": 2}`, `{"type": "array", "maxItems": 3}`, "compatible", "breaking"},
	{"more members", `{"type": "object", "maxProperties": 2}`, `{"type": "object", "maxProperties": 3}`, "compatible", "breaking"},
	{"everything allowed", `{"type": "string"}`, `true`, "compatible", "breaking"},
	{"nothing allowed", `{"type": "string"}`, `false`, "breaking", "compatible"},
	{"beside a reference", `{"$ref": "#§/$defs/d", "$defs": {"d": {"type": "string"}}}`, `{"$ref": "#§/$defs/d", "maxLength": 3, "$defs": {"d": {"type": "string"}}}`, "breaking", "compatible"},
	{"deep in a recursion", `{"$defs": {"d": {"type": "object", "properties": {"v": {"enum": [1, 2]}, "next": {"$ref": "#§/$defs/d"}}}}, "$ref": "#§/$defs/d"}`, `{"$defs": {"d": {"type": "object", "properties": {"v": {"enum": [1]}, "next": {"$ref": "#§/$defs/d"}}}}, "$ref": "#§/$defs/d"}`, "breaking", "compatible"},
	// What people and generators read.
	{"format added", `{"type": "string"}`, `{"type": "string", "format": "date"}`, "risky", "risky"},
	{"format changed", `{"type": "string", "format": "date"}`, `{"type": "string", "format": "date-time"}`, "risky", "risky"},
	{"default added", `{"type": "string"}`, `{"type": "string", "default": "a"}`, "risky", "risky"},
	{"default changed", `{"type": "string", "default": "b"}`, `{"type": "string", "default": "a"}`, "risky", "risky"},
	{"read-only", `{"type": "string"}`, `{"type": "string", "readOnly": true}`, "compatible", "compatible"},
	{"write-only", `{"type": "string", "writeOnly": true}`, `{"type": "string"}`, "compatible", "compatible"},
	{"deprecated", `{"type": "string"}`, `{"type": "string", "deprecated": true}`, "compatible", "compatible"},
	{"content", `{"type": "string"}`, `{"type": "string", "contentEncoding": "base64"}`, "risky", "risky"},
	{"discriminator", `{"oneOf": [{"type": "string"}, {"type": "null"}]}`, `{"oneOf": [{"type": "string"}, {"type": "null"}], "discriminator": {"propertyName": "t"}}`, "compatible", "compatible"},
	{"words", `{"type": "string", "title": "A", "description": "a", "examples": ["a"], "$comment": "a"}`, `{"type": "string", "title": "B", "description": "b", "examples": ["b"]}`, "", ""},
	{"unknown keyword", `{"type": "string", "x-a": 1}`, `{"type": "string", "x-a": 2}`, "", ""},
	// The same, said differently.
	{"reference inlined", `{"$ref": "#§/$defs/d", "$defs": {"d": {"type": "string"}}}`, `{"type": "string"}`, "", ""},
	{"definition renamed", `{"properties": {"a": {"$ref": "#§/$defs/d"}}, "$defs": {"d": {"type": "string"}}}`, `{"properties": {"a": {"$ref": "#§/$defs/e"}}, "$defs": {"e": {"type": "string"}}}`, "", ""},
	{"branches reordered", `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, `{"anyOf": [{"type": "null"}, {"type": "string"}]}`, "", ""},
	{"allOf of one", `{"allOf": [{"type": "string", "maxLength": 3}]}`, `{"type": "string", "maxLength": 3}`, "", ""},
	{"anyOf of one", `{"anyOf": [{"type": "string"}]}`, `{"type": "string"}`, "", ""},
	{"oneOf of one", `{"oneOf": [{"type": "string"}]}`, `{"type": "string"}`, "", ""},
	{"list of one type", `{"type": ["string"]}`, `{"type": "string"}`, "", ""},
	{"null in a list", `{"type": ["string", "null"]}`, `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, "", ""},
	{"list of one value", `{"enum": ["a"]}`, `{"const": "a"}`, "", ""},
	{"values as alternatives", `{"enum": ["a", "b"]}`, `{"oneOf": [{"const": "a"}, {"const": "b"}]}`, "", ""},
	{"type said with values", `{"enum": ["a", "b"]}`, `{"type": "string", "enum": ["b", "a"]}`, "", ""},
	{"exclusive bound of integers", `{"type": "integer", "exclusiveMinimum": 0}`, `{"type": "integer", "minimum": 1}`, "", ""},
	{"bound between integers", `{"type": "integer", "minimum": 0.5}`, `{"type": "integer", "minimum": 1}`, "", ""},
	{"numbers written otherwise", `{"type": "number", "maximum": 10}`, `{"type": "number", "maximum": 1e1}`, "", ""},
	{"integers as multiples", `{"type": "number", "multipleOf": 1}`, `{"type": "integer"}`, "", ""},
	{"open, said", `{"properties": {"a": {}}}`, `{"properties": {"a": true}, "additionalProperties": {}}`, "", ""},
	{"required in another order", `{"required": ["a", "b"]}`, `{"required": ["b", "a"]}`, "", ""},
	{"no lower bound", `{"type": "string"}`, `{"type": "string", "minLength": 0}`, "", ""},
	{"pattern rewritten", `{"type": "string", "pattern": "^[0-9]{3}$"}`, `{"type": "string", "pattern": "^\\d\\d\\d$"}`, "", ""},
	{"pattern as a length", `{"type": "string", "pattern": "^[^]{2,}$"}`, `{"type": "string", "minLength": 2}`, "", ""},
	{"disjoint branches, any or one", `{"anyOf": [{"type": "string"}, {"type": "object"}]}`, `{"oneOf": [{"type": "string"}, {"type": "object"}]}`, "", ""},
	{"condition as alternatives", `{"if": {"required": ["a"]}, "then": {"required": ["b"]}}`, `{"anyOf": [{"not": {"required": ["a"]}}, {"required": ["b"]}]}`, "", ""},
	{"dependents as a condition", `{"type": "object", "dependentRequired": {"a": ["b"]}}`, `{"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}`, "", ""},
	{"double negation", `{"not": {"not": {"type": "string"}}}`, `{"type": "string"}`, "", ""},
	{"names by pattern", `{"type": "object", "patternProperties": {"^x": true}, "additionalProperties": false}`, `{"type": "object", "propertyNames": {"pattern": "^x"}}`, "", ""},
	{"closed either way", `{"type": "object", "properties": {"a": {}}, "additionalProperties": false}`, `{"type": "object", "properties": {"a": {}}, "unevaluatedProperties": false}`, "", ""},
	{"recursion unrolled", `{"type": "array", "items": {"$ref": "#§"}}`, `{"type": "array", "items": {"type": "array", "items": {"$ref": "#§"}}}`, "", ""},
	{"impossible members", `{"properties": {"a": {"allOf": [{"type": "string"}, {"type": "null"}]}}}`, `{"properties": {"a": false}}`, "", ""},
}

// TestChangesInEveryKindOfMessage makes changes in every kind of message and holds
// the verdict against the way the message goes.
func TestChangesInEveryKindOfMessage(t *testing.T) {
	for _, c := range tableChanges {
		t.Run(c.name, func(t *testing.T) {
			for _, in := range carriers {
				put := func(s string) string {
					return strings.ReplaceAll(in.document, "§", strings.ReplaceAll(s, "#§", "#"+strings.ReplaceAll(strings.ReplaceAll(in.pointer, "{", "%7B"), "}", "%7D")))
				}
				old, new := put(c.old), put(c.new)
				r := compare(t, old, new, in.options)
				want := c.newSends
				if in.request {
					want = c.oldSends
				}
				verdict := string(r.Verdict)
				if len(r.Findings) == 0 {
					verdict = ""
				}
				if strings.Contains(in.document, "topic") && want == "breaking" && !slices.ContainsFunc(r.Findings, func(f drift.Finding) bool { return f.Rule == "version-not-moved" }) {
					t.Errorf("%s: nothing says that the version did not move", in.name)
				}
				if verdict != want {
					t.Errorf("%s: %q, not %q\n%s\n%s\n%s", in.name, verdict, want, old, new, findings(r))
				}
				for _, f := range r.Findings {
					proved(t, in, old, new, &f)
				}
			}
		})
	}
}

// proved holds a finding that breaks against an independent validator, which gets
// the schemas from the documents by itself.
func proved(t *testing.T, in carrier, old, new string, f *drift.Finding) {
	t.Helper()
	if f.Class != drift.Breaking {
		return
	}
	w := f.Witness
	if w == nil {
		t.Errorf("%s: %s breaks without a witness", in.name, f.Rule)
		return
	}
	if !json.Valid([]byte(w.Message)) {
		t.Errorf("%s: the witness of %s is no message: %s", in.name, f.Rule, w.Message)
		return
	}
	accepts := map[string]bool{"old": valid(t, judgeAt(t, old, in.pointer), w.Message), "new": valid(t, judgeAt(t, new, in.pointer), w.Message)}
	if !accepts[w.AcceptedBy] || accepts[w.RefusedBy] {
		t.Errorf("%s: %s does not show %s", in.name, w.Message, f.Rule)
	}
}

func findings(r *drift.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s: %s (%s)\n", f.Class, f.Rule, f.Summary, f.Reason)
	}
	return b.String()
}

func TestADocumentMayMoveToANewerDraft(t *testing.T) {
	old := `{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"$ref": "#/definitions/d", "maxLength": 1}}, "definitions": {"d": {"type": "string"}}, "dependencies": {"a": ["b"]}}`
	for _, c := range []struct {
		new     string
		verdict drift.Class
		rule    string
	}{
		// Beside $ref nothing counted then.
		{`{"type": "object", "properties": {"a": {"type": "string"}}, "dependentRequired": {"a": ["b"]}}`, drift.Compatible, ""},
		{`{"type": "object", "properties": {"a": {"$ref": "#/$defs/d", "maxLength": 1}}, "$defs": {"d": {"type": "string"}}, "dependentRequired": {"a": ["b"]}}`, drift.Breaking, "max-length-added"},
		{strings.Replace(old, `["b"]`, `["b", "c"]`, 1), drift.Breaking, "dependent-required-changed"},
	} {
		r := compare(t, old, c.new, drift.Options{Direction: drift.Request})
		if r.Verdict != c.verdict || (len(r.Findings) == 0) != (c.rule == "") || c.rule != "" && r.Findings[0].Rule != c.rule {
			t.Errorf("%s with %q was expected for %s:\n%s%s", c.verdict, c.rule, c.new, r.Verdict, findings(r))
		}
	}
}

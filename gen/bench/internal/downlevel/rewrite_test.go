package downlevel

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func TestSchemasAreWrittenAsOgenTakesThem(t *testing.T) {
	for _, c := range []struct{ name, definitions, want, notes string }{
		{
			"constants are enumerations of one",
			`{"a": {"const": "x"}}`,
			`{"A": {"type": "string", "enum": ["x"]}}`, `{}`,
		},
		{
			"null is a property of the schema",
			`{"a": {"type": ["string", "null"], "minLength": 1}}`,
			`{"A": {"type": "string", "nullable": true, "minLength": 1}}`, `{}`,
		},
		{
			"a union with null is its other variant",
			`{"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}`,
			`{"A": {"type": "integer", "nullable": true}}`, `{}`,
		},
		{
			"exclusive bounds of integers are the next integer",
			`{"a": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9}}`,
			`{"A": {"type": "integer", "minimum": 1, "maximum": 8}}`, `{}`,
		},
		{
			"exclusive bounds of numbers are flags",
			`{"a": {"type": "number", "exclusiveMinimum": 0}}`,
			`{"A": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}`, `{}`,
		},
		{
			"true takes anything",
			`{"a": {"type": "object", "properties": {"x": true}}}`,
			`{"A": {"type": "object", "properties": {"x": {}}}}`, `{}`,
		},
		{
			"an open object without members keeps them",
			`{"a": {"type": "object"}}`,
			`{"A": {"type": "object", "additionalProperties": true}}`, `{}`,
		},
		{
			"definitions within definitions are components",
			`{"a.b": {"$ref": "#/$defs/a.b/$defs/c", "$defs": {"c": {"type": "string"}}}}`,
			`{"AB": {"$ref": "#/components/schemas/ABC"}, "ABC": {"type": "string"}}`, `{}`,
		},
		{
			"what ogen cannot say is left out and counted",
			`{"a": {"type": "object", "propertyNames": {"maxLength": 3}, "additionalProperties": {"not": {"type": "null"}}}}`,
			`{"A": {"type": "object", "additionalProperties": {}}}`, `{"propertyNames left out": 1, "not left out": 1}`,
		},
		{
			"variants with a tag are components with a discriminator",
			`{"a": {"oneOf": [
				{"type": "object", "required": ["k"], "properties": {"k": {"const": "x"}}},
				{"anyOf": [{"type": "object", "required": ["k"], "properties": {"k": {"enum": ["y", "z"]}}}]}
			]}}`,
			`{
				"A": {
					"oneOf": [{"$ref": "#/components/schemas/AX"}, {"$ref": "#/components/schemas/AY"}],
					"discriminator": {"propertyName": "k", "mapping": {
						"x": "#/components/schemas/AX", "y": "#/components/schemas/AY", "z": "#/components/schemas/AY"
					}}
				},
				"AX": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string", "enum": ["x"]}}},
				"AY": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string", "enum": ["y", "z"]}}}
			}`, `{}`,
		},
		{
			"members beside a union go into its variants, and the variant for the rest goes",
			`{"a": {
				"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "k": {"type": "string"}},
				"oneOf": [
					{"required": ["k"], "properties": {"k": {"const": "x"}}},
					{"required": ["k"], "properties": {"k": {"const": "y"}}},
					{"properties": {"k": {"not": {"enum": ["x", "y"]}}}}
				]
			}}`,
			`{
				"A": {
					"oneOf": [{"$ref": "#/components/schemas/AX"}, {"$ref": "#/components/schemas/AY"}],
					"discriminator": {"propertyName": "k", "mapping": {"x": "#/components/schemas/AX", "y": "#/components/schemas/AY"}}
				},
				"AX": {"type": "object", "required": ["k", "id"], "properties": {"id": {"type": "string"}, "k": {"type": "string", "enum": ["x"]}}},
				"AY": {"type": "object", "required": ["k", "id"], "properties": {"id": {"type": "string"}, "k": {"type": "string", "enum": ["y"]}}}
			}`, `{"variant for all other tags left out": 1}`,
		},
		{
			"a union that holds itself stays anyOf",
			`{"a": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/a"}}]}}`,
			`{"A": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/components/schemas/A"}}]}}`,
			`{"unions without a tag: ogen guesses": 1}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, err := Rewrite(parse(t, c.definitions).(map[string]any), "/$defs/")
			if err != nil {
				t.Fatal(err)
			}
			document := parse(t, string(spec.JSON)).(map[string]any)
			if d := cmp.Diff(parse(t, c.want), document["components"].(map[string]any)["schemas"]); d != "" {
				t.Error(d)
			}
			var notes map[string]int
			if err := json.Unmarshal([]byte(c.notes), &notes); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(notes, spec.Notes) {
				t.Errorf("notes: %v, want %v", spec.Notes, notes)
			}
		})
	}
}

func TestDefinitionsOfOneNameAreRefused(t *testing.T) {
	_, err := Rewrite(map[string]any{"a.b": true, "aB": true}, "/$defs/")
	if err == nil {
		t.Error("no error")
	}
}

func TestReferencesToElsewhereAreRefused(t *testing.T) {
	_, err := Rewrite(map[string]any{"a": map[string]any{"$ref": "other.json"}}, "/$defs/")
	if err == nil {
		t.Error("no error")
	}
}

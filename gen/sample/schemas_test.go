package sample_test

import (
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/internal/differential/oracle"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// schemas between them use every keyword of 2020-12, alone and against others.
// Each has instances.
var schemas = map[string]string{
	"anything":                       `true`,
	"lengths":                        `{"type": "string", "minLength": 2, "maxLength": 5}`,
	"pattern":                        `{"type": "string", "pattern": "^[a-z]{2,4}-\\d+$", "maxLength": 12}`,
	"two patterns":                   `{"type": "string", "allOf": [{"pattern": "a.*b"}, {"pattern": "^[^c]*$"}], "minLength": 6}`,
	"unicode pattern":                `{"type": "string", "pattern": "^\\p{Lu}[\\u{10000}-\\u{10ffff}]+\\s$"}`,
	"look-around":                    `{"type": "string", "pattern": "^(?!0)[0-9]{3}(?<=5)$"}`,
	"back-reference":                 `{"type": "string", "pattern": "^([a-c]+)-\\1$"}`,
	"word boundary":                  `{"type": "string", "pattern": "\\bcat\\b", "minLength": 10}`,
	"format":                         `{"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}, "id": {"type": "string", "format": "uuid"}}, "required": ["at", "id"]}`,
	"format beside":                  `{"type": "string", "format": "date-time", "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$"}`,
	"integer":                        `{"type": "integer", "minimum": -3, "exclusiveMaximum": 9}`,
	"number":                         `{"type": "number", "exclusiveMinimum": 0, "maximum": 0.25}`,
	"narrow number":                  `{"type": "number", "exclusiveMinimum": 0.1, "exclusiveMaximum": 0.1001}`,
	"multiple":                       `{"type": "number", "multipleOf": 0.05, "minimum": 1, "maximum": 7.03}`,
	"two multiples":                  `{"allOf": [{"multipleOf": 4}, {"multipleOf": 6}], "type": "integer", "minimum": 1}`,
	"great bounds":                   `{"type": "integer", "minimum": 9007199254740993, "maximum": 123456789012345678901234567890}`,
	"enum":                           `{"enum": ["a", 1, 1.5, null, true, [1], {"a": []}]}`,
	"const":                          `{"const": {"a": [1, 2.0], "b": null}}`,
	"type list":                      `{"type": ["string", "null", "integer", "array"]}`,
	"object":                         `{"type": "object", "properties": {"id": {"type": "string", "minLength": 1}, "n": {"type": "integer"}, "o": true}, "required": ["id"], "additionalProperties": false}`,
	"required open":                  `{"type": "object", "required": ["x", "y"], "properties": {"x": {}}}`,
	"additional":                     `{"type": "object", "properties": {"a": {"const": 1}}, "additionalProperties": {"type": "boolean"}, "minProperties": 2, "maxProperties": 4}`,
	"pattern members":                `{"type": "object", "patternProperties": {"^x-[a-z]+$": {"type": "integer"}, "y$": {"minimum": 3}}, "additionalProperties": false, "minProperties": 1}`,
	"names":                          `{"type": "object", "propertyNames": {"pattern": "^[A-Z_]+$", "maxLength": 6}, "additionalProperties": {"type": "string"}, "minProperties": 1}`,
	"name enum":                      `{"type": "object", "propertyNames": {"enum": ["a", "b", "c"]}, "minProperties": 2}`,
	"refused member":                 `{"type": "object", "properties": {"no": false, "yes": true}}`,
	"dependent":                      `{"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "dependentRequired": {"a": ["b", "c"]}, "dependentSchemas": {"b": {"required": ["d"], "properties": {"d": {"type": "null"}}}}}`,
	"array":                          `{"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1, "maxItems": 3}`,
	"tuple":                          `{"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false, "minItems": 1}`,
	"tuple and rest":                 `{"type": "array", "prefixItems": [{"const": "h"}], "items": {"type": "boolean"}}`,
	"unique":                         `{"type": "array", "items": {"enum": [1, 2, 3, {"a": 1, "b": 2}]}, "uniqueItems": true, "minItems": 3}`,
	"contains":                       `{"type": "array", "contains": {"type": "string", "minLength": 1}, "minContains": 2, "maxContains": 3, "items": {"type": ["string", "null"]}}`,
	"contains one":                   `{"type": "array", "contains": {"const": 5}}`,
	"unevaluated":                    `{"type": "object", "allOf": [{"properties": {"a": {"type": "string"}}}], "anyOf": [{"properties": {"b": {"const": 1}}, "required": ["b"]}, {"properties": {"c": {"const": 2}}, "required": ["c"]}], "unevaluatedProperties": false}`,
	"unevaluated items":              `{"type": "array", "prefixItems": [{"type": "string"}], "contains": {"type": "null"}, "unevaluatedItems": {"type": "integer"}}`,
	"unevaluated items, none beside": `{"type": "array", "prefixItems": [true], "contains": {"type": "null"}, "minItems": 3, "maxItems": 5, "unevaluatedItems": false}`,
	"not":                            `{"type": ["integer", "string"], "not": {"enum": [1, 2, "x"]}}`,
	"not required":                   `{"type": "object", "properties": {"a": {}, "b": {}}, "not": {"required": ["a", "b"]}}`,
	"condition":                      `{"type": "object", "properties": {"kind": {"enum": ["a", "b"]}, "x": {"type": "integer"}}, "required": ["kind"], "if": {"properties": {"kind": {"const": "a"}}}, "then": {"required": ["x"]}, "else": {"properties": {"x": {"minimum": 100}}}}`,
	"tagged union": `{"oneOf": [
		{"type": "object", "properties": {"type": {"const": "a"}, "n": {"type": "integer", "minimum": 0}}, "required": ["type", "n"]},
		{"type": "object", "properties": {"type": {"const": "b"}, "s": {"type": "string"}}, "required": ["type"], "additionalProperties": false},
		{"type": "object", "properties": {"type": {"enum": ["c", "d"]}, "l": {"type": "array", "items": {"$ref": "#"}}}, "required": ["type", "l"]}]}`,
	"nested tag":     `{"oneOf": [{"type": "object", "properties": {"head": {"type": "object", "properties": {"v": {"const": 1}}, "required": ["v"]}}, "required": ["head"]}, {"type": "object", "properties": {"head": {"type": "object", "properties": {"v": {"const": 2}}, "required": ["v"]}, "x": {}}, "required": ["head", "x"]}]}`,
	"overlap":        `{"oneOf": [{"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 10}]}`,
	"overlap any":    `{"anyOf": [{"type": "integer", "minimum": 5}, {"type": "string", "maxLength": 3}, {"type": "integer", "multipleOf": 3}]}`,
	"nullable":       `{"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"type": "null"}]}`,
	"base and one":   `{"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"], "oneOf": [{"properties": {"t": {"const": 1}}, "required": ["t"]}, {"properties": {"t": {"not": {"enum": [1, 2]}}, "optional": {"const": true}}, "required": ["t", "optional"]}]}`,
	"reference":      `{"$ref": "#/$defs/n", "minimum": 3, "$defs": {"n": {"type": "integer", "maximum": 8}}}`,
	"recursive":      `{"$ref": "#/$defs/json", "$defs": {"json": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/json"}}, {"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": {"$ref": "#/$defs/json"}}]}}}`,
	"recursive tree": `{"type": "object", "properties": {"value": {"type": "integer"}, "left": {"$ref": "#"}, "right": {"$ref": "#"}}, "required": ["value"], "additionalProperties": false}`,
	"deep at least":  `{"$defs": {"n": {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/end"}]}}, "required": ["next"]}, "end": {"type": "object", "properties": {"end": {"const": true}}, "required": ["end"]}}, "$ref": "#/$defs/n"}`,
	"dynamic":        `{"$id": "https://example.com/tree", "$dynamicAnchor": "node", "type": "object", "properties": {"data": true, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}}, "required": ["data"]}`,
	"strange names":  `{"type": "object", "properties": {"": {"type": "string"}, "a/b": {"type": "integer"}, "~": {"type": "null"}, "é𝒳": true}, "required": ["", "a/b", "~"]}`,
}

// compiled is one of them, for us and for the oracle.
type compiled struct {
	node   *schema.Node
	oracle *oracle.Schema
}

func compile(t testing.TB, text string, options ...oracle.Option) compiled {
	t.Helper()
	f, err := document.Parse("schema.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set := document.NewSet(f)
	graph, err := schema.Build(set)
	if err != nil {
		t.Fatal(err)
	}
	o, err := oracle.New(set.Files(), options...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := o.Schema("schema.json", "")
	if err != nil {
		t.Fatal(err)
	}
	return compiled{graph.Roots["schema.json#"], s}
}

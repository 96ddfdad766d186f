package schemata

import (
	"strings"
	"testing"
)

func TestSchemas(t *testing.T) {
	const dialect = `"$schema":"https://json-schema.org/draft/2020-12/schema`
	tests := []struct {
		name, schema, value string
		ok                  bool
	}{
		{"draft-07 knows no prefixItems", `{"prefixItems":[{"type":"string"}]}`, `[1]`, true},
		{"its items may be a list", `{"items":[{"type":"string"}]}`, `[1]`, false},
		{"2020-12", `{` + dialect + `","prefixItems":[{"type":"string"}]}`, `[1]`, false},
		{"2020-12 with a fragment", `{` + dialect + `#","prefixItems":[{"type":"string"}]}`, `[1]`, false},
		{"draft-07 by name", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"integer"}`, `1.0`, true},
		{"formats are notes", `{"format":"uuid"}`, `"x"`, true},
		{"formats are notes in 2020-12", `{` + dialect + `","format":"email"}`, `"x"`, true},
		{"patterns of ECMA-262", `{"pattern":"^\\u00e9\\p{L}$"}`, `"éa"`, true},
		{"a reference inside", `{"definitions":{"a":{"type":"string"}},"$ref":"#/definitions/a"}`, `1`, false},
		{"a reference to itself", `{"properties":{"next":{"$ref":"#"}},"required":["v"]}`, `{"v":1,"next":{}}`, false},
		{"large numbers are exact", `{"const":12345678901234567890}`, `12345678901234567891`, false},
		{"no JSON", `{}`, `{`, false},
		{"a number beyond all", `{"type":"number"}`, `[1e1000000]`, false},
		{"a number beyond all in what is open", `{}`, `{"a":1e-99999999999999999999}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Compile([]byte(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Valid([]byte(tt.value)); got != tt.ok {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestSchemasThatAreRefused(t *testing.T) {
	for _, schema := range []string{``, `[]`, `true`, `{"type":"nothing"}`, `{"$ref":"https://example.com/x"}`, `{"$ref":"file:///etc/passwd"}`, `{"$ref":"other.json"}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, `{"$schema":1}`, `{"not":{"$async":false}}`, `{"pattern":"("}`, `{"maximum":1e1000000}`,
		`{"anyOf":[{"const":1e-1000000}]}`, `{"$ref":"#/definitions/none"}`, strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200),
		`{"anyOf":[{}` + strings.Repeat(`,{}`, maxObjects) + `]}`, `{"enum":[` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `]}`} {
		if _, err := Compile([]byte(schema)); err == nil {
			t.Errorf("%s is taken", schema)
		}
	}
}

// A pattern that other engines need exponential time for does not keep a host
// busy.
func TestPatternsTakeLinearTime(t *testing.T) {
	s, err := Compile([]byte(`{"pattern":"^(a+)+$"}`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Valid([]byte(`"` + strings.Repeat("a", 100_000) + `!"`)) {
		t.Error("it matches")
	}
}

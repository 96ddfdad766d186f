package document_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmark-kit/hallmark/gen/document"
)

func TestParseRefusesWithPosition(t *testing.T) {
	for _, test := range []struct{ rule, text, want string }{
		{"nothing", "", "f:1:1: the document is empty"},
		{"white space only", " \n ", "f:2:2: the document is empty"},
		{"byte order mark", "\ufeff{}", "f:1:1: the document begins with a byte order mark"},
		{"bytes after the value", "{}\n{}", "f:2:1: bytes after the end"},
		{"cut in an object", `{"a":1`, "f:1:7: end of the document where \",\" or \"}\" was expected"},
		{"cut in an array", `[1,`, "f:1:4: at /1: the document ends where a value was expected"},
		{"cut before a value", `{"a":`, "f:1:6: at /a: the document ends where a value was expected"},
		{"cut in a string", `{"a":"b`, "f:1:6: at /a: the string has no closing quote"},
		{"cut in an escape", `"a\`, "f:1:3: unknown escape"},
		{"cut after an escape", `"\n`, "f:1:1: the string has no closing quote"},
		{"name without quotes", `{a:1}`, "f:1:2: 'a' where a member name was expected"},
		{"trailing comma in an object", `{"a":1,}`, "f:1:8: '}' where a member name was expected"},
		{"trailing comma in an array", `[1,]`, "f:1:4: at /1: ']' where a JSON value was expected"},
		{"no colon", `{"a" 1}`, `f:1:6: '1' where ":" was expected`},
		{"no comma", `[1 2]`, `f:1:4: '2' where "," or "]" was expected`},
		{"repeated name", "{\"a\":{\"é\":1,\n\"\\u00e9\":2}}", `f:2:1: at /a: the member name "é" is used twice in one object`},
		{"comment", `{} // c`, "f:1:4: bytes after the end"},
		{"single quotes", `{'a':1}`, `f:1:2: '\'' where a member name was expected`},
		{"unknown word", `[nul]`, "f:1:2: at /0: 'n' where a JSON value was expected (perhaps null)"},
		{"NaN", `NaN`, "f:1:1: 'N' where a JSON value was expected"},
		{"leading zero", `[01]`, "f:1:2: at /0: a number may not begin with 0"},
		{"sign alone", `-`, "f:1:2: end of the document where a digit was expected"},
		{"plus sign", `+1`, "f:1:1: '+' where a JSON value was expected"},
		{"no digit after the point", `1.`, "f:1:3: end of the document where a digit was expected"},
		{"no digit before the point", `.5`, "f:1:1: '.' where a JSON value was expected"},
		{"no exponent", `1e+`, "f:1:4: end of the document where a digit was expected"},
		{"exponent out of bounds", `[1e1000000000]`, "f:1:2: at /0: the exponent of the number is beyond 999999999"},
		{"control character", "\"a\tb\"", "f:1:3: control character 0x09 inside a string must be escaped"},
		{"invalid UTF-8", "\"a\xff\"", "f:1:3: invalid UTF-8 inside a string"},
		{"overlong UTF-8", "\"\xc0\x80\"", "f:1:2: invalid UTF-8 inside a string"},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", "f:1:2: invalid UTF-8 inside a string"},
		{"invalid UTF-8 outside", "\xff", "f:1:1: invalid UTF-8 where a JSON value was expected"},
		{"unknown escape", `"\x"`, "f:1:2: unknown escape in a string"},
		{"short hexadecimal escape", `"\u12`, "f:1:2: a \\u escape needs four hexadecimal digits"},
		{"wrong hexadecimal escape", `"\u12g4"`, "f:1:2: a \\u escape needs four hexadecimal digits"},
		{"lone high surrogate", `"\ud800"`, "f:1:2: a surrogate escape without its other half"},
		{"lone low surrogate", `"\udc00a"`, "f:1:2: a surrogate escape without its other half"},
		{"two high surrogates", `"\ud800\ud800"`, "f:1:2: a surrogate escape without its other half"},
		{"too deep", strings.Repeat("[", document.MaxDepth+1), "nested deeper than 1000 levels"},
		{"too deep in objects", strings.Repeat(`{"a":`, document.MaxDepth+1), "nested deeper than 1000 levels"},
		{"Swagger", `{"swagger":"2.0"}`, "f:1:12: at /swagger: Swagger 2.0 is not read"},
		{"OpenAPI 4", `{"openapi":"4.0.0"}`, "f:1:12: at /openapi: OpenAPI version 3.0, 3.1 or 3.2 was expected"},
		{"OpenAPI as a number", `{"openapi":3.1}`, "f:1:12: at /openapi: OpenAPI version 3.0, 3.1 or 3.2 was expected"},
		{"$self as a number", `{"openapi":"3.2.0","$self":1}`, "f:1:28: at /$self: $self must be a string, not a number"},
		{"$self with a fragment", `{"openapi":"3.2.0","$self":"a#"}`, "f:1:28: at /$self: $self must be a URI reference without fragment"},
		{"$self that is no URI", `{"openapi":"3.2.0","$self":"%zz"}`, `f:1:28: at /$self: "%zz" is not a URI reference`},
		{"event without version", `{"topic":"t","payloadSchema":{}}`, "f:1:1: an event definition needs a version"},
		{"event with a fractional version", `{"topic":"t","version":1.5,"payloadSchema":{}}`, "f:1:24: at /version: version of an event definition must be a whole number from 1"},
		{"event with version 0", `{"topic":"t","version":0,"payloadSchema":{}}`, "at /version: version of an event definition must be a whole number from 1"},
		{"event with a version as text", `{"topic":"t","version":"1","payloadSchema":{}}`, "at /version: version of an event definition must be a whole number from 1"},
		{"event with an empty topic", `{"topic":"","version":1,"payloadSchema":{}}`, "f:1:10: at /topic: topic of an event definition must be a string that is not empty"},
		{"event with a scope of another kind", `{"topic":"t","scope":1,"version":1,"payloadSchema":{}}`, "at /scope: scope of an event definition must be a string"},
		{"event without a schema in it", `{"topic":"t","version":1,"payloadSchema":[]}`, "at /payloadSchema: a schema (an object or a boolean) was expected, not array"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			f, err := document.Parse("f", []byte(test.text))
			var e *document.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
			if f != nil {
				t.Error("a file beside the error")
			}
		})
	}
}

func TestParseKeepsPlaces(t *testing.T) {
	const text = "{\n  \"é\": [true, null],\r\n\t\"x\\u0041😀\": \"\\ud83d\\ude00\\n\\/\", \"n\": -1.50e+2}"
	f, err := document.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	type found struct {
		Pointer      string
		Kind         string
		Line, Column int
		Raw, Text    string
	}
	var got []found
	for p, v := range f.Root.All() {
		line, column := v.Position()
		raw := string(v.Raw())
		if v.Kind == document.Object {
			raw = ""
		}
		got = append(got, found{p, v.Kind.String(), line, column, raw, v.Text})
	}
	want := []found{
		{"", "object", 1, 1, "", ""},
		{"/é", "array", 2, 8, "[true, null]", ""},
		{"/é/0", "boolean", 2, 9, "true", ""},
		{"/é/1", "null", 2, 15, "null", ""},
		{"/xA😀", "string", 3, 14, `"\ud83d\ude00\n\/"`, "😀\n/"},
		{"/n", "number", 3, 39, "-1.50e+2", "-1.50e+2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if line, column := f.Position(f.Root.Members[0].NameOffset); line != 2 || column != 3 {
		t.Errorf("name at %d:%d", line, column)
	}
	if f.Root.File() != f || f.Root.Items != nil || len(f.SHA256) != 64 {
		t.Error("the file does not belong to its value")
	}
}

func TestParseAllowsTheDeepestNesting(t *testing.T) {
	text := strings.Repeat("[", document.MaxDepth) + strings.Repeat("]", document.MaxDepth)
	if _, err := document.Parse("f", []byte(text)); err != nil {
		t.Error(err)
	}
}

func TestParseFindsRepetitionInLargeObjects(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"a":0`)
	for i := range 1000 {
		fmt.Fprintf(&b, `,"m%d":0`, i)
	}
	if _, err := document.Parse("f", []byte(b.String()+`,"a":1}`)); err == nil || !strings.Contains(err.Error(), `"a" is used twice`) {
		t.Errorf("error %v", err)
	}
}

func TestParseTellsForms(t *testing.T) {
	for _, test := range []struct {
		text, dialect string
		form          document.Form
	}{
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, "https://json-schema.org/draft/2020-12/schema", document.JSONSchema},
		{`{}`, "", document.JSONSchema},
		{`true`, "", document.JSONSchema},
		{`{"openapi":"3.1.0","jsonSchemaDialect":"https://example.com/d"}`, "https://example.com/d", document.OpenAPI},
		{`{"openapi":"3.0.3"}`, "", document.OpenAPI},
		{`{"topic":"t","version":1,"payloadSchema":{"$schema":"https://example.com/d"},"$schema":"../x.json"}`, "https://example.com/d", document.EventDefinition},
		{`{"topic":{"type":"string"}}`, "", document.JSONSchema},
		{`[1]`, "", document.FormUnknown},
		{`"text"`, "", document.FormUnknown},
	} {
		f, err := document.Parse("f", []byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if f.Form != test.form || f.Dialect != test.dialect {
			t.Errorf("%s: %s, dialect %q", test.text, f.Form, f.Dialect)
		}
	}
}

func TestEventDefinitionsAreRead(t *testing.T) {
	f, err := document.Parse("f", []byte(`{"topic":"a.b","version":2.0,"direction":"server->client","owner":"o","scope":"s","payloadSchema":{"type":"object"}}`))
	if err != nil {
		t.Fatal(err)
	}
	e := *f.Event
	if e.Payload != f.Root.Lookup(document.PayloadPointer) {
		t.Error("the payload is another value")
	}
	e.Payload = nil
	if want := (document.Event{Topic: "a.b", Version: 2, Direction: "server->client", Owner: "o", Scope: "s"}); e != want {
		t.Errorf("%+v", e)
	}
}

package validator_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/validator"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

func mustCompile(t testing.TB, text string) *validator.Validator {
	t.Helper()
	v, err := compileText([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestViolationsNamePlaceKeywordAndWish(t *testing.T) {
	v := mustCompile(t, `{"type":"object","required":["id","tags"],"properties":{"id":{"type":"string","minLength":2},
		"tags":{"type":"array","items":{"enum":["a","b"]},"uniqueItems":true}},"additionalProperties":false}`)
	err := v.Validate([]byte(`{"id":"x","tags":["a","c","a"],"more":1}`), wire.AllViolations())
	var broken *wire.Error
	if !errors.As(err, &broken) {
		t.Fatalf("error: %v", err)
	}
	var got []string
	for _, v := range broken.Violations {
		got = append(got, fmt.Sprintf("%d:%d %s %s %s%s: %s", v.Line, v.Column, v.Instance, v.Keyword, v.Document, v.Schema, v.Want))
	}
	want := []string{
		`1:7 /id minLength schema.json/properties/id/minLength: at least 2 code points`,
		`1:23 /tags/1 enum schema.json/properties/tags/items/enum: one of "a", "b"`,
		`1:18 /tags uniqueItems schema.json/properties/tags/uniqueItems: elements that differ; those at 0 and 2 are equal`,
		`1:39 /more additionalProperties schema.json/additionalProperties: no member beside the declared ones`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	if strings.Contains(err.Error(), `"c"`) {
		t.Errorf("the error quotes a value: %v", err)
	}
}

func TestARefusedChoiceTellsWhatIsWrongByItsClosestBranch(t *testing.T) {
	const inner = `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}]}`
	const choice = `{"oneOf":[
		{"type":"object","properties":{"path":{"type":"string"},"mode":{"type":"integer"}},"required":["path"],"additionalProperties":false},
		{"type":"object","properties":{"url":{"type":"string","minLength":3},"in":` + inner + `},"required":["url"]},
		{"type":"object","properties":{"url":{"type":"string"},"path":{"type":"string"}},"required":["url","path"]}]}`
	deep := inner
	for range 5 {
		deep = `{"anyOf":[{"type":"object","properties":{"in":` + deep + `},"required":["in"]},{"type":"object","required":["out"]}]}`
	}
	for name, test := range map[string]struct{ schema, instance, want string }{
		"the one that breaks no more than a rule inside": {choice, `{"path":1}`, `
1:1: the message: want a value that exactly one of 3 schemas accepts (schema.json#/oneOf oneOf)
  1:9: /path: want a string (schema.json#/oneOf/0/properties/path/type type)`},
		"the one whose members are there, though it breaks more rules": {choice, `{"url":"x","in":{"b":"x"}}`, `
1:1: the message: want a value that exactly one of 3 schemas accepts (schema.json#/oneOf oneOf)
  1:8: /url: want at least 3 code points (schema.json#/oneOf/1/properties/url/minLength minLength)
  1:17: /in: want a value that one of 2 schemas accepts (schema.json#/oneOf/1/properties/in/anyOf anyOf)
    1:22: /in/b: want an integer (schema.json#/oneOf/1/properties/in/anyOf/1/properties/b/type type)`},
		"two accept it": {choice, `{"url":"xxx","path":"y"}`, `
1:1: the message: want a value that exactly one of 3 schemas accepts, not both /oneOf/1 and /oneOf/2 (schema.json#/oneOf oneOf)`},
		"three accept it": {`{"oneOf":[{"minimum":1},{"minimum":2},{"minimum":9},{"minimum":3}]}`, `5`, `
1:1: the message: want a value that exactly one of 4 schemas accepts, not all of /oneOf/0, /oneOf/1 and /oneOf/3 (schema.json#/oneOf oneOf)`},
		"the one whose kind it has": {`{"anyOf":[{"enum":[1,2]},{"minimum":5,"multipleOf":2}]}`, `3`, `
1:1: the message: want a value that one of 2 schemas accepts (schema.json#/anyOf anyOf)
  1:1: the message: want at least 5 (schema.json#/anyOf/1/minimum minimum)
  1:1: the message: want a multiple of 2 (schema.json#/anyOf/1/multipleOf multipleOf)`},
		"the one that breaks few rules, though the other breaks more than are told": {`{"anyOf":[
			{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"},"d":{"type":"integer"},"e":{"type":"integer"}},"required":["x"]},
			{"type":"object","properties":{"a":{"type":"string"}},"required":["f"]}]}`, `{"a":"1","b":"1","c":"1","d":"1","e":"1"}`, `
1:1: the message: want a value that one of 2 schemas accepts (schema.json#/anyOf anyOf)
  1:1: the message: want the member "f" (schema.json#/anyOf/1/required required)`},
		"the one whose constant it has": {`{"oneOf":[{"type":"object","properties":{"op":{"const":1}},"required":["op"]},
			{"type":"object","properties":{"op":{"const":2},"a":{"type":"integer"},"b":{"type":"integer"}},"required":["op"]}]}`, `{"op":2,"a":"x","b":"y"}`, `
1:1: the message: want a value that exactly one of 2 schemas accepts (schema.json#/oneOf oneOf)
  1:13: /a: want an integer (schema.json#/oneOf/1/properties/a/type type)
  1:21: /b: want an integer (schema.json#/oneOf/1/properties/b/type type)`},
		"no more than four violations": {`{"anyOf":[{"items":{"type":"integer"}},{"minItems":9,"items":{"type":"null"}}]}`, `["a","b","c","d","e"]`, `
1:1: the message: want a value that one of 2 schemas accepts (schema.json#/anyOf anyOf)
  1:2: /0: want an integer (schema.json#/anyOf/0/items/type type)
  1:6: /1: want an integer (schema.json#/anyOf/0/items/type type)
  1:10: /2: want an integer (schema.json#/anyOf/0/items/type type)
  1:14: /3: want an integer (schema.json#/anyOf/0/items/type type)`},
		"none where it is for no branch": {`{"oneOf":[{"const":1},{"const":2},{"enum":[3,"a"]}]}`, `4`, `
1:1: the message: want a value that exactly one of 3 schemas accepts (schema.json#/oneOf oneOf)`},
		"the text ends inside": {choice, `{"url":3,"path":`, `
1:1: the message: want a value that exactly one of 3 schemas accepts (schema.json#/oneOf oneOf)
1:17: /path: want a JSON value (json)`},
		"choices inside choices, three of them": {deep, `{"in":{"in":{"in":{"in":{"in":{"b":"x"}}}}}}`, `
1:1: the message: want a value that one of 2 schemas accepts (schema.json#/anyOf anyOf)
  1:7: /in: want a value that one of 2 schemas accepts (schema.json#/anyOf/0/properties/in/anyOf anyOf)
    1:13: /in/in: want a value that one of 2 schemas accepts (schema.json#/anyOf/0/properties/in/anyOf/0/properties/in/anyOf anyOf)
      1:19: /in/in/in: want a value that one of 2 schemas accepts (schema.json#/anyOf/0/properties/in/anyOf/0/properties/in/anyOf/0/properties/in/anyOf anyOf)`},
	} {
		err := mustCompile(t, test.schema).Validate([]byte(test.instance), wire.AllViolations())
		if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), fmt.Sprint(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTellingMoreOfRefusedChoicesIsBounded(t *testing.T) {
	var branches []string
	for i := range 200 {
		branches = append(branches, fmt.Sprintf(`{"type":"object","properties":{"c":{"$ref":"#"},"x%d":{"type":"integer"}},"required":["x%[1]d"]}`, i))
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		v := mustCompile(t, `{"`+keyword+`":[`+strings.Join(branches, ",")+`]}`)
		text := `{"c":{"c":{"c":{"c":{"c":{"c":"x"}}}}}}`
		// If each choice were told of by trying all branches of all choices inside, this would not end.
		if err := v.Validate([]byte(text), wire.AllViolations()); err == nil {
			t.Errorf("%s: valid", keyword)
		}
		if err := v.Validate([]byte("["+text+"]"), wire.AllViolations()); !strings.HasPrefix(err.Error(), "1:1: the message: want an object") {
			t.Errorf("%s: %v", keyword, err)
		}
	}
}

func TestAViolationIsOneLine(t *testing.T) {
	v := mustCompile(t, `{"additionalProperties":{"type":"string"}}`)
	err := v.Validate([]byte("{\"a\\n\u2028\\u0085b\":[\n1]}"), wire.QuoteValues())
	want := `1:16: /a\u000a\u2028\u0085b: want a string, not [\u000a1] (schema.json#/additionalProperties/type type)`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestAMalformedTextIsAViolation(t *testing.T) {
	v := mustCompile(t, `{"properties":{"a":{"type":"integer"}}}`)
	for _, text := range []string{``, `{`, `{"a":1}x`, `{"a":1,"a":2}`, "\ufeff{}", `{"a":01}`, `{"b":"\ud800"}`, "{\"b\":\"\xff\"}"} {
		var broken *wire.Error
		if err := v.Validate([]byte(text)); !errors.As(err, &broken) || broken.Violations[0].Keyword != wire.KeywordJSON {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAPatternThatIsNotECMA262IsAPositionedError(t *testing.T) {
	tests := map[string]struct{ schema, want string }{
		"pattern":           {"{\"properties\":{\n \"a\":{\"pattern\":\"(\"}}}", "schema.json:2:17: at /properties/a/pattern: a regular expression of ECMA-262 was expected"},
		"patternProperties": {"{\"patternProperties\":{\n \"a/[\":{}}}", "schema.json:2:8: at /patternProperties/a~1[: a regular expression of ECMA-262 was expected"},
		"not used":          {`{"anyOf":[true,{"pattern":"\\p{Nope}"}]}`, "schema.json:1:27: at /anyOf/1/pattern: a regular expression of ECMA-262 was expected"},
	}
	for name, test := range tests {
		_, err := compileText([]byte(test.schema), nil)
		var positioned *document.Error
		if !errors.As(err, &positioned) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
}

func TestMoreMembersThanTheSmallSetHolds(t *testing.T) {
	var names, members, values []string
	for i := range 600 {
		names = append(names, fmt.Sprintf("%q", fmt.Sprint("m", i)))
		members = append(members, fmt.Sprintf(`"m%d":{"type":"integer"}`, i))
		values = append(values, fmt.Sprintf(`"m%d":%d`, i, i))
	}
	v := mustCompile(t, `{"required":[`+strings.Join(names, ",")+`],"properties":{`+strings.Join(members, ",")+`}}`)
	if err := v.Validate([]byte("{" + strings.Join(values, ",") + "}")); err != nil {
		t.Errorf("all there: %v", err)
	}
	if err := v.Validate([]byte("{" + strings.Join(values[:599], ",") + "}")); err == nil || !strings.Contains(err.Error(), `"m599"`) {
		t.Errorf("the last one missing: %v", err)
	}
	if err := v.Validate([]byte("{" + strings.Join(values, ",") + `,"m300":1}`)); err == nil || !strings.Contains(err.Error(), "each member name once") {
		t.Errorf("one repeated: %v", err)
	}
}

func TestValidInputAllocatesNothing(t *testing.T) {
	v := mustCompile(t, `{"type":"object","required":["kind"],"properties":{"id":{"type":"string","pattern":"^[a-z]+$"}},
		"oneOf":[{"required":["kind"],"properties":{"kind":{"const":"a"},"n":{"type":"array","items":{"type":"number","minimum":0}}}},
		         {"required":["kind"],"properties":{"kind":{"const":"b"},"next":{"$ref":"#"}}}],
		"patternProperties":{}, "maxProperties":9}`)
	data := []byte(`{"id":"abc","kind":"b","next":{"kind":"b","next":{"n":[1,2.5,3],"kind":"a"}},"other":{"x":[true]}}`)
	if err := v.Validate(data); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _ = v.Validate(data) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestOneValidatorServesManyGoroutines(t *testing.T) {
	v := mustCompile(t, `{"unevaluatedProperties":false,"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"b":{"pattern":"^x+y$"}}}]}`)
	done := make(chan error)
	for i := range 8 {
		go func() {
			var err error
			for range 200 {
				ok := v.Validate([]byte(`{"a":{"b":"xxy"},"b":"xy"}`)) == nil
				bad := v.Validate([]byte(`{"a":{"c":1}}`)) != nil
				if !ok || !bad {
					err = fmt.Errorf("goroutine %d: accepted %t, refused %t", i, ok, bad)
				}
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

package sample_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"

	"github.com/hallmark-kit/hallmark/gen/internal/differential/oracle"
	"github.com/hallmark-kit/hallmark/gen/sample"
)

var (
	samples = flag.Int("samples", 60, "how many instances of each schema to judge")
	seed    = flag.Int64("seed", 1, "where random choices start; one seed gives the same instances")
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func TestSamplesAreValidByTheOracle(t *testing.T) {
	parameters := gopter.DefaultTestParametersWithSeed(*seed)
	parameters.MinSuccessfulTests = *samples
	properties := gopter.NewProperties(parameters)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		text := schemas[name]
		c := compile(t, text)
		s := sample.New(c.node)
		properties.Property(name, prop.ForAll(func(seed uint64) (string, error) {
			instance, ok := s.Valid(random(seed))
			if !ok {
				return "", fmt.Errorf("no instance for %s", text)
			}
			if err := c.oracle.Validate(instance); err != nil {
				return "", fmt.Errorf("%s: %w", instance, err)
			}
			return "", nil
		}, gen.UInt64()))
	}
	properties.TestingRun(t)
}

func TestBoundariesAreValidByTheOracle(t *testing.T) {
	for name, text := range schemas {
		c := compile(t, text)
		for b := range sample.Boundaries(c.node) {
			if err := c.oracle.Validate(b.JSON); err != nil {
				t.Errorf("%s, %s of %s: %s: %v", name, b.Keyword, b.SchemaPointer, b.JSON, err)
			}
		}
	}
}

func TestNearMissesAreInvalidByTheOracle(t *testing.T) {
	for name, text := range schemas {
		c := compile(t, text)
		seen := 0
		for m := range sample.NearMisses(c.node) {
			seen++
			if c.oracle.Valid(m.JSON) {
				t.Errorf("%s, %s of %s at %q: %s is valid", name, m.Keyword, m.SchemaPointer, m.InstancePointer, m.JSON)
			}
		}
		if seen == 0 && text != "true" {
			t.Errorf("%s: no near miss", name)
		}
	}
}

// misses collects KEYWORD SCHEMA-POINTER INSTANCE-POINTER of the near misses.
func misses(t *testing.T, text string, options ...sample.Option) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for m := range sample.NearMisses(compile(t, text).node, options...) {
		key := fmt.Sprintf("%s %q %q", m.Keyword, m.SchemaPointer, m.InstancePointer)
		found[key] = append(found[key], string(m.JSON))
	}
	return found
}

func TestNearMissesNameTheRuleAndThePlace(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{schemas["lengths"], `minLength "" ""`},
		{schemas["lengths"], `maxLength "" ""`},
		{schemas["lengths"], `type "" ""`},
		{schemas["pattern"], `pattern "" ""`},
		{schemas["integer"], `minimum "" ""`},
		{schemas["integer"], `exclusiveMaximum "" ""`},
		{schemas["multiple"], `multipleOf "" ""`},
		{schemas["enum"], `enum "" ""`},
		{schemas["const"], `const "" ""`},
		{schemas["object"], `required "" ""`},
		{schemas["object"], `additionalProperties "" "/unknown"`},
		{schemas["object"], `minLength "/properties/id" "/id"`},
		{schemas["object"], `type "/properties/n" "/n"`},
		{schemas["additional"], `minProperties "" ""`},
		{schemas["additional"], `maxProperties "" ""`},
		{schemas["names"], `propertyNames "" "/x"`},
		{schemas["refused member"], `properties "" "/no"`},
		{schemas["dependent"], `dependentRequired "" ""`},
		{schemas["dependent"], `required "/dependentSchemas/b" ""`},
		{schemas["array"], `minItems "" ""`},
		{schemas["array"], `maxItems "" ""`},
		{`{"type": "array", "items": {"minimum": 0}, "maxItems": 1}`, `minimum "/items" "/0"`},
		{schemas["tuple"], `items "" "/2"`},
		{schemas["unique"], `uniqueItems "" ""`},
		{schemas["contains"], `minContains "" ""`},
		{schemas["contains"], `maxContains "" ""`},
		{schemas["contains one"], `contains "" ""`},
		{schemas["unevaluated"], `unevaluatedProperties "" "/unknown"`},
		{schemas["not"], `not "" ""`},
		{schemas["condition"], `required "/then" ""`},
		{schemas["condition"], `minimum "/else/properties/x" "/x"`},
		{schemas["tagged union"], `oneOf "" ""`},
		{schemas["tagged union"], `minimum "/oneOf/0/properties/n" "/n"`},
		{schemas["tagged union"], `additionalProperties "/oneOf/1" "/unknown"`},
		{schemas["tagged union"], `oneOf "" "/l/0"`},
		{schemas["overlap"], `oneOf "" ""`},
		{schemas["overlap any"], `anyOf "" ""`},
		{schemas["nullable"], `required "/anyOf/0" ""`},
		{schemas["base and one"], `type "" ""`},
		{`{"type": "object", "required": ["t"], "oneOf": [{"properties": {"t": {"const": 1}}, "required": ["t"]}, {"properties": {"t": {"const": 2}}, "required": ["t"]}]}`, `required "" ""`},
		{schemas["reference"], `minimum "" ""`},
		{schemas["reference"], `maximum "/$defs/n" ""`},
		{schemas["strange names"], `type "/properties/a~1b" "/a~1b"`},
		{schemas["strange names"], `type "/properties/~0" "/~0"`},
	} {
		found := misses(t, c.schema)
		if found[c.want] == nil {
			var keys []string
			for k := range found {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			t.Errorf("%s: no miss of %s; there are\n  %s", c.schema, c.want, strings.Join(keys, "\n  "))
		}
	}
}

func TestEachRequiredMemberIsMissingOnce(t *testing.T) {
	text := `{"type": "object", "required": ["a", "b", "c"], "properties": {"a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}}}`
	for _, want := range []string{`{"b":2,"c":3}`, `{"a":1,"c":3}`, `{"a":1,"b":2}`} {
		if got := misses(t, text)[`required "" ""`]; !slices.ContainsFunc(got, func(s string) bool { return sameJSON(s, want) }) {
			t.Errorf("no %s among %s", want, got)
		}
	}
}

// sameJSON tells whether the members of want are all of got that have these names.
func sameJSON(got, want string) bool {
	var x, y map[string]any
	if json.Unmarshal([]byte(got), &x) != nil || json.Unmarshal([]byte(want), &y) != nil {
		return false
	}
	for k := range x {
		if !slices.Contains([]string{"a", "b", "c"}, k) {
			delete(x, k)
		}
	}
	return cmp.Equal(x, y)
}

func TestLengthsAtTheEdgeCountCodePointsBeyondTheBasicPlane(t *testing.T) {
	astral := map[int]bool{}
	for b := range sample.Boundaries(compile(t, schemas["lengths"]).node) {
		var s string
		if err := json.Unmarshal(b.JSON, &s); err != nil {
			t.Fatal(err)
		}
		if strings.IndexFunc(s, func(r rune) bool { return r > 0xffff }) >= 0 {
			astral[utf8.RuneCountInString(s)] = true
		}
	}
	if !astral[2] || !astral[5] {
		t.Errorf("lengths with astral characters: %v, want 2 and 5 among them", astral)
	}
}

func TestBoundariesReachEveryBound(t *testing.T) {
	for _, c := range []struct {
		schema string
		want   []string
	}{
		{`{"type": "integer", "minimum": -3, "exclusiveMaximum": 9}`, []string{"-3", "-2", "8", "7", "0"}},
		{`{"type": "number", "minimum": 0.5, "maximum": 2}`, []string{"0.5", "2", "1.0"}},
		{`{"enum": ["a", 7, null]}`, []string{`"a"`, "7", "null"}},
		{`{"type": ["boolean", "null"]}`, []string{"true", "false", "null"}},
		{`{"type": "array", "items": {"const": 1}, "minItems": 1, "maxItems": 3}`, []string{"[1]", "[1,1]", "[1,1,1]"}},
		{`{"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "additionalProperties": false}`, []string{"{}", `{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`}},
		{`{"oneOf": [{"const": "x"}, {"type": "integer", "maximum": 4, "minimum": 4}]}`, []string{`"x"`, "4"}},
	} {
		var got []string
		for b := range sample.Boundaries(compile(t, c.schema).node) {
			got = append(got, string(b.JSON))
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: no %s among %s", c.schema, w, got)
			}
		}
	}
}

func TestTheSameSeedGivesTheSameInstances(t *testing.T) {
	for name, text := range schemas {
		run := func() (all []string) {
			s := sample.New(compile(t, text).node, sample.Seed(7))
			rng := random(3)
			for range 5 {
				v, _ := s.Valid(rng)
				all = append(all, string(v), string(sample.Mutate(rng, v)))
			}
			for b := range s.Boundaries() {
				all = append(all, string(b.JSON))
			}
			for m := range s.NearMisses() {
				all = append(all, string(m.JSON))
			}
			return all
		}
		if d := cmp.Diff(run(), run()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestImpossibleSchemasAreGivenUpAloud(t *testing.T) {
	for _, text := range []string{
		`false`,
		`{"type": "string", "allOf": [{"type": "integer"}]}`,
		`{"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}`,
		`{"type": "string", "minLength": 3, "maxLength": 2}`,
		`{"type": "string", "pattern": "^a$", "minLength": 2}`,
		`{"type": "array", "items": {"type": "boolean"}, "uniqueItems": true, "minItems": 3}`,
		`{"type": "string", "minLength": 1000000000000}`,
		`{"type": "integer", "minimum": 1, "exclusiveMaximum": 2, "multipleOf": 2}`,
		`{"$defs": {"n": {"anyOf": [{"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#/$defs/n"}}}, {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/n"}}]}}, "$ref": "#/$defs/n"}`,
	} {
		var skipped []sample.Skipped
		s := sample.New(compile(t, text).node, sample.GaveUp(func(k sample.Skipped) { skipped = append(skipped, k) }))
		if v, ok := s.Valid(random(1)); ok {
			t.Errorf("%s: made %s", text, v)
		}
		if len(skipped) != 1 || skipped[0].Reason == "" {
			t.Errorf("%s: %v", text, skipped)
		}
		for b := range s.Boundaries() {
			t.Errorf("%s: boundary %s", text, b.JSON)
		}
	}
}

func TestRulesThatCannotBeBrokenAloneAreGivenUp(t *testing.T) {
	var skipped []string
	// A string shorter than 2 matches the pattern no more either.
	text := `{"type": "string", "pattern": "^..+$", "minLength": 2}`
	for m := range sample.NearMisses(compile(t, text).node, sample.GaveUp(func(k sample.Skipped) { skipped = append(skipped, k.String()) })) {
		if m.Keyword == "minLength" {
			t.Errorf("%s breaks minLength alone?", m.JSON)
		}
	}
	want := []string{"minLength of schema.json#: no instance was found that breaks this rule alone"}
	if d := cmp.Diff(want, skipped); d != "" {
		t.Error(d)
	}
}

func TestTheCallersValidatorHasTheLastWord(t *testing.T) {
	node := compile(t, `{"type": "integer", "minimum": 0}`).node
	var skipped int
	options := []sample.Option{
		sample.Check(func(json []byte) bool { return string(json) != "0" }),
		sample.GaveUp(func(sample.Skipped) { skipped++ }),
	}
	for b := range sample.Boundaries(node, options...) {
		if string(b.JSON) == "0" {
			t.Error("0 was handed out")
		}
	}
	if skipped == 0 {
		t.Error("nobody was told")
	}
}

func TestFormatsAreARuleOnlyWhenAsserted(t *testing.T) {
	text := `{"type": "string", "format": "ipv4"}`
	if found := misses(t, text)[`format "" ""`]; found != nil {
		t.Errorf("format is an annotation, but: %s", found)
	}
	asserted := compile(t, text, oracle.AssertFormats())
	found := misses(t, text, sample.AssertFormats())[`format "" ""`]
	if len(found) == 0 {
		t.Error("no miss of an asserted format")
	}
	for _, m := range found {
		if asserted.oracle.Valid([]byte(m)) {
			t.Errorf("%s is an address", m)
		}
	}
	s := sample.New(asserted.node, sample.AssertFormats())
	for seed := range uint64(20) {
		if v, ok := s.Valid(random(seed)); !ok || !asserted.oracle.Valid(v) {
			t.Errorf("%s (%t) is no address", v, ok)
		}
	}
}

// The oracle knows no operators in URI templates, so those are left to the tests of the format itself.
func TestGeneratedFormatsHaveTheirFormat(t *testing.T) {
	for _, format := range []string{
		"date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
		"uri-reference", "iri", "iri-reference", "uuid", "json-pointer", "relative-json-pointer", "regex",
	} {
		c := compile(t, fmt.Sprintf(`{"type": "string", "format": %q}`, format), oracle.AssertFormats())
		s := sample.New(c.node, sample.AssertFormats())
		for seed := range uint64(60) {
			v, ok := s.Valid(random(seed))
			if !ok {
				t.Fatalf("no %s", format)
			}
			if err := c.oracle.Validate(v); err != nil {
				t.Errorf("%s: %s: %v", format, v, err)
			}
		}
	}
}

func TestDeepSchemasStayWithinTheBoundsOnWork(t *testing.T) {
	// Four ways into itself at every level: a tree of them would never end.
	names := compile(t, `{"minProperties": 1, "propertyNames": {"minLength": 1, "properties": {"a": {"$ref": "#"}}, "anyOf": [{"$ref": "#/$defs/n"}, {"maxLength": 4}]}, "$defs": {"n": {"propertyNames": {"$ref": "#"}, "items": {"$ref": "#"}}}}`)
	for m := range sample.NearMisses(names.node) {
		if names.oracle.Valid(m.JSON) {
			t.Errorf("%s is valid", m.JSON)
		}
	}
	text := `{"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}, "c": {"type": "array", "items": {"$ref": "#"}}, "d": {"oneOf": [{"$ref": "#"}, {"type": "null"}]}}, "additionalProperties": {"$ref": "#"}}`
	s := sample.New(compile(t, text).node, sample.Depth(50))
	for seed := range uint64(20) {
		if v, ok := s.Valid(random(seed)); !ok || len(v) > 1<<20 {
			t.Errorf("seed %d: %d bytes, %t", seed, len(v), ok)
		}
	}
}

func TestMutantsDifferAndNeverTouchTheirOrigin(t *testing.T) {
	origin := []byte(`{"type":"a","list":[1,2,{"x":null}],"text":"héllo 𝒳","n":-12.5e3}`)
	kept := bytes.Clone(origin)
	rng := random(1)
	valid, different := 0, map[string]bool{}
	for range 2000 {
		m := sample.Mutate(rng, origin)
		different[string(m)] = true
		if json.Valid(m) {
			valid++
		}
	}
	if !bytes.Equal(origin, kept) {
		t.Error("the given bytes were changed")
	}
	if valid < 1000 || valid == 2000 {
		t.Errorf("%d of 2000 mutants are JSON: most should be, not all", valid)
	}
	if len(different) < 1000 {
		t.Errorf("only %d different mutants", len(different))
	}
}

func TestMutateTakesAnyBytes(t *testing.T) {
	rng := random(2)
	for _, text := range []string{"", "{", "\xff", `{"a":1,"a":2}`, "1", `"x"`, "[]", "{}"} {
		for range 200 {
			sample.Mutate(rng, []byte(text))
		}
	}
}

func TestShrinkFindsTheSmallestThatStillFails(t *testing.T) {
	for _, c := range []struct {
		name, json, want string
		fails            func([]byte) bool
	}{
		{"a member deep inside", `{"a":[1,2,{"b":{"bad":"long text here","x":1}}],"c":null}`, `{"bad":""}`, func(b []byte) bool {
			return json.Valid(b) && bytes.Contains(b, []byte(`"bad":`))
		}},
		{"two items", `[[1,2,3],"x",[4,5,6],"y"]`, `["x","y"]`, func(b []byte) bool {
			return json.Valid(b) && bytes.Contains(b, []byte(`"x"`)) && bytes.Contains(b, []byte(`"y"`))
		}},
		{"a long string", `{"s":"` + strings.Repeat("wxyz", 50) + `"}`, `"aaaaa"`, func(b []byte) bool {
			var s string
			if json.Unmarshal(b, &s) != nil {
				var o struct{ S string }
				if json.Unmarshal(b, &o) != nil {
					return false
				}
				s = o.S
			}
			return utf8.RuneCountInString(s) >= 5
		}},
		{"no JSON", `{"a": 1, "b": [tru, 2], "c": "text"}`, `u`, func(b []byte) bool { return bytes.Contains(b, []byte("u")) && !json.Valid(b) }},
		{"white space", "{ \"a\" :\n 1 }", `{"a":1}`, func(b []byte) bool {
			return bytes.Contains(b, []byte(`"a"`)) && bytes.Contains(b, []byte("1")) && json.Valid(b)
		}},
	} {
		calls := 0
		got := sample.Shrink([]byte(c.json), func(b []byte) bool {
			calls++
			return c.fails(b)
		})
		if !c.fails(got) {
			t.Errorf("%s: %s does not fail", c.name, got)
		}
		if len(got) > len(c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if calls > 6000 {
			t.Errorf("%s: asked %d times", c.name, calls)
		}
	}
}

func TestShrinkGivesBackWhatDoesNotFail(t *testing.T) {
	if got := sample.Shrink([]byte(`[1, 2]`), func([]byte) bool { return false }); string(got) != `[1, 2]` {
		t.Errorf("%s", got)
	}
}

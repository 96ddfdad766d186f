package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/internal/differential/oracle"
	"github.com/hallmark-kit/hallmark/gen/sample"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

var (
	randomSchemas = flag.Int("schemas", 60, "how many random schemas to generate code for")
	randomSeed    = flag.Uint64("seed", 1, "where the random schemas start")
)

// perSchema is how many instances of each sort are judged by each random schema.
const perSchema = 24

// TestRandomSchemasAreJudgedAsByTheOracle generates code for schemas of a small world, in which keywords meet in
// combinations that nobody would write down, and holds it against the oracle on instances made for each.
func TestRandomSchemasAreJudgedAsByTheOracle(t *testing.T) {
	var groups []*group
	for i := range *randomSchemas {
		w := world{rand.New(rand.NewPCG(*randomSeed, uint64(i)))}
		data, err := json.Marshal(w.document())
		if err != nil {
			t.Fatal(err)
		}
		b := builder{&group{File: fmt.Sprintf("seed %d, schema %d", *randomSeed, i), Description: string(data), Schema: data}}
		if err := judged(b, w.r); err != nil {
			t.Errorf("%s: %v", data, err)
			continue
		}
		groups = append(groups, b.group)
	}
	res, err := runGroups(groups, func(uri string) ([]byte, error) { return nil, fmt.Errorf("%s: %w", uri, fs.ErrNotExist) })
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d schemas, %d cases", len(groups), res.Passed+len(res.Failed))
	told := map[string]bool{}
	for _, f := range res.Failed {
		if told[f.File] {
			continue
		}
		told[f.File] = true
		t.Errorf("%s:\n\t%s\n\t%s\n\twant %t: %.400s", f.File, f.Group, f.Case, f.Want, f.Reason)
	}
}

// judged adds instances to a group, with the oracle's verdict.
func judged(b builder, rng *rand.Rand) error {
	f, err := document.Parse("schema.json", b.Schema)
	if err != nil {
		return err
	}
	set := document.NewSet(f)
	graph, err := schema.Build(set)
	if err != nil {
		return err
	}
	o, err := oracle.New(set.Files())
	if err != nil {
		return err
	}
	judge, err := o.Schema("schema.json", "")
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	add := func(data []byte) {
		if text := string(data); !seen[text] && len(text) < 4000 && json.Valid(data) && !oracle.Slow(data) && !repeats(data) {
			seen[text] = true
			b.add(text, text, judge.Valid(data))
		}
	}
	s := sample.New(graph.Roots["schema.json#"], sample.Seed(rng.Uint64()))
	for v := range s.Boundaries() {
		if add(v.JSON); len(seen) >= perSchema {
			break
		}
	}
	for m := range s.NearMisses() {
		if add(m.JSON); len(seen) >= 2*perSchema {
			break
		}
	}
	for range perSchema {
		if v, ok := s.Valid(rng); ok {
			add(v)
			add(sample.Mutate(rng, v))
		}
		add([]byte(loose[rng.IntN(len(loose))]))
	}
	return nil
}

// repeats tells whether the strict reader refuses the text itself.
func repeats(data []byte) bool {
	_, err := document.Parse("instance", append(append([]byte("["), data...), ']'))
	return err != nil
}

// loose are instances that most small schemas judge differently.
var loose = []string{
	`null`, `true`, `false`, `0`, `1`, `2`, `0.5`, `-1`, `""`, `"a"`, `"ab"`, `[]`, `[1]`, `[1,1.0]`, `["a",1]`, `[null,"a",2]`, `[[]]`, `[{}]`, `{}`,
	`{"a":1}`, `{"b":"a"}`, `{"c":null}`, `{"a":1,"b":2}`, `{"a":"a","c":true}`, `{"a":{},"b":[],"z":0}`, `{"a":{"a":1}}`, `{"ab":1}`, `{"":0}`,
}

// world draws schemas in which the same few names, numbers and strings come up all the time.
type world struct{ r *rand.Rand }

type object = map[string]any

func (w world) document() any {
	s := w.schema(3)
	root, ok := s.(object)
	if !ok {
		return s
	}
	defs := object{}
	for _, name := range []string{"x", "y"} {
		defs[name] = w.schema(2)
	}
	root["$defs"] = defs
	return root
}

func oneOf[T any](w world, list ...T) T { return list[w.r.IntN(len(list))] }

func (w world) name() string { return oneOf(w, "a", "b", "c") }

func (w world) scalar() any { return oneOf[any](w, 1, 2, "a", "b", nil, true, 0.5, "") }

func (w world) schema(depth int) any {
	if depth == 0 || w.r.IntN(8) == 0 {
		switch w.r.IntN(12) {
		case 0:
			return oneOf[any](w, true, false)
		case 1:
			return object{}
		case 2, 3:
			return object{"const": w.scalar()}
		case 4:
			return oneOf(w, object{"enum": []any{w.scalar(), w.scalar(), object{"a": 1}}}, w.closed())
		case 5:
			return object{"type": "string", "minLength": w.r.IntN(3), "maxLength": 1 + w.r.IntN(3)}
		case 6:
			return object{"type": "integer", oneOf(w, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"): w.r.IntN(3)}
		case 7:
			return object{"type": "string", "pattern": oneOf(w, "^a", "b$", "^[ab]+$", "a|b", "^(?!a)")}
		case 8:
			// A definition may refer to definitions only through a part of the
			// instance, so here, where nothing is applied in place of it, is safe.
			return object{"type": oneOf(w, "string", "null", "boolean", "number", "integer")}
		}
		return object{"type": oneOf[any](w, "string", "integer", "object", []any{"string", "null"}, []any{"array", "object"})}
	}
	if w.r.IntN(3) == 0 {
		return w.ordinary(depth)
	}
	s := object{}
	for range 1 + w.r.IntN(3) {
		w.keyword(s, depth)
	}
	return s
}

// closed draws a closed list of strings or of integers, often with null.
func (w world) closed() object {
	values := oneOf(w, []any{"a", "b"}, []any{1, 2}, []any{1, 2, 0.5}, []any{1, -1, 3})
	if w.r.IntN(3) == 0 {
		values = append(values, nil)
	}
	s := object{"enum": values}
	if w.r.IntN(2) == 0 {
		var branches []any
		for _, v := range values {
			branches = append(branches, object{"const": v})
		}
		s = object{oneOf(w, "oneOf", "anyOf"): branches}
	}
	if w.r.IntN(2) == 0 {
		s["type"] = oneOf[any](w, "string", "integer", "number", []any{"integer", "null"}, []any{"string", "null"})
	}
	if w.r.IntN(6) == 0 {
		s["maximum"] = w.r.IntN(3)
	}
	return s
}

// ordinary draws what protocols are made of: objects with named members, unions with a tag.
func (w world) ordinary(depth int) any {
	fields := func() object {
		s := object{"type": "object", "properties": object{w.name(): w.part(depth - 1), w.name(): w.part(depth - 1)}}
		if w.r.IntN(2) == 0 {
			s["required"] = []any{w.name()}
		}
		if w.r.IntN(3) == 0 {
			s["additionalProperties"] = oneOf[any](w, false, true, object{"type": "integer"})
		}
		return s
	}
	switch w.r.IntN(4) {
	case 0, 1:
		return fields()
	case 2:
		return object{"type": "array", "items": w.part(depth - 1)}
	}
	var branches []any
	for _, tag := range []any{"x", "y", 3}[:2+w.r.IntN(2)] {
		b := fields()
		b["properties"].(object)["t"] = object{"const": tag}
		if w.r.IntN(6) > 0 {
			b["required"] = []any{"t"}
		}
		branches = append(branches, b)
	}
	if w.r.IntN(4) == 0 {
		branches = append(branches, object{"type": "null"})
	}
	u := object{oneOf(w, "oneOf", "anyOf"): branches}
	if w.r.IntN(4) == 0 {
		u["properties"] = object{w.name(): w.part(depth - 1)}
	}
	return u
}

// part draws a schema for a part of the instance, where references are safe.
func (w world) part(depth int) any {
	if w.r.IntN(5) == 0 {
		ref := object{"$ref": oneOf(w, "#", "#/$defs/x", "#/$defs/y")}
		switch w.r.IntN(4) {
		case 0:
			return object{oneOf(w, "anyOf", "oneOf"): []any{ref, object{"type": "null"}}}
		case 1:
			ref["type"] = "object"
		}
		return ref
	}
	return w.schema(max(depth, 0))
}

func (w world) keyword(s object, depth int) {
	sub := func() any { return w.schema(depth - 1) }
	part := func() any { return w.part(depth - 1) }
	list := func() []any { return []any{sub(), sub(), sub()}[:1+w.r.IntN(3)] }
	switch w.r.IntN(26) {
	case 0:
		s["type"] = oneOf[any](w, "string", "integer", "object", "array", []any{"object", "null"}, []any{"integer", "string", "array"})
	case 1:
		s["enum"] = []any{w.scalar(), w.scalar(), []any{}, object{}}
	case 2:
		s[oneOf(w, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")] = oneOf[any](w, 0, 1, 2, 0.5)
	case 3:
		s["multipleOf"] = oneOf[any](w, 1, 2, 0.5)
	case 4:
		s[oneOf(w, "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")] = w.r.IntN(4)
	case 5, 6, 7:
		s["properties"] = object{w.name(): part(), w.name(): part()}
	case 8:
		s["required"] = []any{w.name()}
	case 9:
		s["additionalProperties"] = part()
	case 10:
		s["patternProperties"] = object{oneOf(w, "a", "^b", "c$", "^[ab]$"): part()}
	case 11:
		s["propertyNames"] = sub()
	case 12:
		s["items"] = part()
	case 13:
		s["prefixItems"] = []any{part(), part()}[:1+w.r.IntN(2)]
	case 14:
		s["contains"] = part()
		if w.r.IntN(2) == 0 {
			s[oneOf(w, "minContains", "maxContains")] = w.r.IntN(3)
		}
	case 15, 16:
		s["anyOf"] = list()
	case 17, 18:
		s["oneOf"] = list()
	case 19:
		s["allOf"] = list()
	case 20:
		s["not"] = sub()
	case 21:
		s["if"], s["then"], s["else"] = sub(), sub(), sub()
	case 22:
		s["dependentRequired"] = object{w.name(): []any{w.name()}}
	case 23:
		s["dependentSchemas"] = object{w.name(): sub()}
	case 24:
		s["uniqueItems"] = true
	case 25:
		s[oneOf(w, "unevaluatedProperties", "unevaluatedItems")] = oneOf(w, any(false), part())
	}
}

func TestTheSmallWorldHasEveryKeyword(t *testing.T) {
	var all strings.Builder
	for i := range 400 {
		data, err := json.Marshal(world{rand.New(rand.NewPCG(1, uint64(i)))}.document())
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	for keyword := range strings.FieldsSeq("$ref type const enum allOf anyOf oneOf not if then else dependentSchemas dependentRequired properties patternProperties additionalProperties propertyNames prefixItems items contains minContains maxContains unevaluatedItems unevaluatedProperties uniqueItems required minProperties maxProperties minItems maxItems minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf") {
		if !strings.Contains(all.String(), `"`+keyword+`":`) {
			t.Errorf("no %s", keyword)
		}
	}
}

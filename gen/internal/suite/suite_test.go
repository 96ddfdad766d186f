package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/internal/differential/oracle"
)

// TestCasesThatBreakOthers takes our own cases, in testdata in the layout of the official suite, through generated
// code: unions of every sort, exact numbers, patterns of ECMA-262, strict text. Those that would be unreadable as files
// are made here.
func TestCasesThatBreakOthers(t *testing.T) {
	groups, err := readGroups("testdata")
	if err != nil {
		t.Fatal(err)
	}
	groups = append(groups, large()...)
	cases := 0
	for _, g := range groups {
		cases += len(g.Tests)
	}
	if len(groups) < 80 || cases < 350 {
		t.Fatalf("only %d groups with %d cases were found", len(groups), cases)
	}
	res, err := runGroups(groups, remoteLoader("testdata"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Failed {
		t.Errorf("%s: %s: %s: want %t: %.300s", f.File, f.Group, f.Case, f.Want, f.Reason)
	}
}

// othersSay are the cases that jsonschema/v6 judges otherwise, with the reason why it is not followed.
var othersSay = map[string]string{
	"vocabularies.json: formats asserted by a metaschema that only allows it: none": "a vocabulary listed with false need not be known, " +
		"but whoever knows it uses it (core 8.1.2); jsonschema/v6 asserts formats only where the metaschema says true",
}

// TestOurCasesHaveTheRightAnswer holds the expectations against a validator that is not ours. What is about text, it
// does not see, and on what is in deep.json it would work for ages: its time doubles with every level.
func TestOurCasesHaveTheRightAnswer(t *testing.T) {
	groups, err := readGroups("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range append(groups, large()...) {
		if g.File == "text.json" || g.File == "deep.json" {
			continue
		}
		f, err := document.Parse("schema.json", g.Schema)
		if err != nil {
			t.Fatal(err)
		}
		pointer := ""
		if f.Form == document.EventDefinition {
			pointer = document.PayloadPointer
		}
		options := []oracle.Option{oracle.Remotes(remoteLoader("testdata"))}
		if strings.Contains(filepath.ToSlash(g.File), "optional/format/") {
			options = append(options, oracle.AssertFormats())
		}
		o, err := oracle.New([]*document.File{f}, options...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := o.Schema("schema.json", pointer)
		if err != nil {
			t.Fatalf("%s: %s: %v", g.File, g.Description, err)
		}
		for _, c := range g.Tests {
			name := g.File + ": " + g.Description + ": " + c.Description
			if agrees, differs := s.Valid(c.Data) == c.Valid, othersSay[name] != ""; agrees == differs {
				t.Errorf("%s: want %t; others agree: %t", name, c.Valid, agrees)
			}
		}
	}
}

// large makes the groups whose instances are long or deep.
func large() []*group {
	const union = `{"oneOf": [
		{"type": "object", "properties": {"type": {"const": "a"}, "n": {"type": "integer"}}, "required": ["type", "n"]},
		{"type": "object", "properties": {"type": {"const": "b"}, "n": {"type": "string"}}, "required": ["type", "n"]}]}`
	members := make([]string, 0, 20_000)
	for i := range cap(members) {
		members = append(members, fmt.Sprintf(`"member %d": {"type": "b", "text": "some text to fill a megabyte"}`, i))
	}
	bulk := strings.Join(members, ", ")
	tags := newGroup("a tag that comes last in an object of a megabyte", union)
	tags.add("the first branch", `{`+bulk+`, "n": 1, "type": "a"}`, true)
	tags.add("the second branch", `{`+bulk+`, "n": "1", "type": "b"}`, true)
	tags.add("what is wrong comes first", `{"n": "1", `+bulk+`, "type": "a"}`, false)
	tags.add("an unknown tag", `{`+bulk+`, "n": 1, "type": "c"}`, false)
	tags.add("no tag", `{`+bulk+`, "n": 1}`, false)

	const deep = 4000
	tree := newGroup("a schema that contains itself, deep down", `{"type": "object", "properties": {"v": {"type": "integer"}, "in": {"oneOf": [{"$ref": "#"}, {"type": "null"}]}}, "required": ["v"], "additionalProperties": false}`)
	nested := func(inside string) string {
		return strings.Repeat(`{"v":1,"in":`, deep) + inside + strings.Repeat("}", deep)
	}
	tree.add("valid", nested(`{"v":1}`), true)
	tree.add("wrong at the bottom", nested(`{"v":"1"}`), false)
	tree.add("missing at the bottom", nested(`{}`), false)

	free := newGroup("free values, deep down", `{"type": "object", "properties": {"a": {}}}`)
	free.add("known member", `{"a": `+strings.Repeat("[", deep)+strings.Repeat("]", deep)+`}`, true)
	free.add("unknown member", `{"b": `+strings.Repeat(`{"x":[`, deep/2)+strings.Repeat("]}", deep/2)+`}`, true)

	event := newGroup("an event definition around its payload", `{"topic": "thing.changed", "version": 1, "direction": "server->client",
		"payloadSchema": {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}, "n": {"type": "integer"}}, "required": ["kind"],
		"oneOf": [{"properties": {"kind": {"const": "a"}}, "required": ["n"]}, {"properties": {"kind": {"const": "b"}, "n": false}}]}}`)
	event.add("the first branch", `{"kind": "a", "n": 1}`, true)
	event.add("the second branch", `{"kind": "b"}`, true)
	event.add("a member of the first in the second", `{"kind": "b", "n": 1}`, false)
	event.add("the envelope is no payload", `{"topic": "thing.changed"}`, false)
	return []*group{tags.group, tree.group, free.group, event.group}
}

type builder struct{ *group }

func newGroup(description, schema string) builder {
	return builder{&group{File: "large", Description: description, Schema: json.RawMessage(schema)}}
}

func (b builder) add(description, data string, valid bool) {
	b.Tests = append(b.Tests, struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	}{description, json.RawMessage(data), valid})
}

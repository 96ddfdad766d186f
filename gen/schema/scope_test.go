package schema_test

import (
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

const lists = `"list":{"$id":"list","type":"array","items":{"$dynamicRef":"#item"},"$defs":{"any":{"$dynamicAnchor":"item"}}}`

func TestDynamicReferencesAreSettled(t *testing.T) {
	for _, test := range []struct {
		rule, text     string
		valid, invalid []string
	}{
		{"the outermost anchor counts",
			`{"$id":"https://example.com/strings","$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","type":"string"},` + lists + `}}`,
			[]string{`["a"]`, `[]`}, []string{`[1]`}},
		{"one schema under two scopes",
			`{"$id":"https://example.com/r","properties":{"s":{"$ref":"strings"},"n":{"$ref":"numbers"},"x":{"$ref":"list"}},"$defs":{` + lists + `,
			"strings":{"$id":"strings","$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","type":"string"}}},
			"numbers":{"$id":"numbers","$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","type":"number"}}}}}`,
			[]string{`{"s":["a"],"n":[1],"x":[1,"a"]}`}, []string{`{"s":[1]}`, `{"n":["a"]}`}},
		{"a resource passed on the way counts",
			`{"$id":"https://example.com/r","$ref":"outer","$defs":{` + lists + `,
			"outer":{"$id":"outer","$ref":"inner","$defs":{"item":{"$dynamicAnchor":"item","maxLength":1}}},
			"inner":{"$id":"inner","$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","minLength":9}}}}}`,
			[]string{`["a"]`}, []string{`["ab"]`}},
		{"a plain anchor does not take part",
			`{"$id":"https://example.com/r","$ref":"list","$defs":{"item":{"$anchor":"item","type":"string"},` + lists + `}}`,
			[]string{`[1]`}, nil},
		{"a pointer is no dynamic reference",
			`{"$id":"https://example.com/r","$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","type":"string"},
			"list":{"$id":"list","items":{"$dynamicRef":"#/$defs/any"},"$defs":{"any":{"$dynamicAnchor":"item","type":"number"}}}}}`,
			[]string{`[1]`}, []string{`["a"]`}},
		{"extending a recursive schema",
			`{"$id":"https://example.com/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,"$defs":{
			"tree":{"$id":"tree","$dynamicAnchor":"node","type":"object","properties":{"data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}}}`,
			[]string{`{"children":[{"data":1}]}`}, []string{`{"children":[{"daat":1}]}`, `{"children":[{"children":[{"x":1}]}]}`}},
		{"the metaschema",
			`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`,
			[]string{`{"properties":{"a":{"minLength":1}}}`, `true`, `{"$defs":{"A":{"items":{"enum":[1]}}}}`},
			[]string{`{"properties":{"a":{"minLength":-1}}}`, `{"allOf":[{"items":{"type":"x"}}]}`, `{"$defs":{"A":{"items":{"enum":1}}}}`, `3`}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			root := build(t, test.text)
			for _, instances := range []struct {
				texts []string
				want  bool
			}{{test.valid, true}, {test.invalid, false}} {
				for _, text := range instances.texts {
					if got := valid(root, parse(t, "instance.json", text).Root); got != instances.want {
						t.Errorf("%s is valid: %t, want %t", text, got, instances.want)
					}
				}
			}
		})
	}
}

func TestNodesOfOnePlaceAreToldApartByScope(t *testing.T) {
	root := build(t, `{"$id":"https://example.com/r","properties":{"s":{"$ref":"strings"},"n":{"$ref":"numbers"}},"$defs":{`+lists+`,
		"strings":{"$id":"strings","$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","type":"string"}}},
		"numbers":{"$id":"numbers","$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","type":"number"}}}}}`)
	s, n := root.Property("s").Target(), root.Property("n").Target()
	if s == n || s.Pointer != n.Pointer || s.Scope == n.Scope || s.Scope == "" {
		t.Fatalf("%v and %v", s, n)
	}
	if s.Items.DynamicRef.Types != schema.TypeString || n.Items.DynamicRef.Types != schema.TypeNumber {
		t.Error("the dynamic references lead elsewhere")
	}
	if want := build(t, `{"type":"array","items":{"type":"string"}}`).Key(); s.Key() != want {
		t.Error("the key is not that of the schema in scope")
	}
	seen := map[string]bool{}
	root.Walk(func(n *schema.Node) bool {
		at := n.Location() + " " + n.Scope
		if seen[at] {
			t.Errorf("two nodes are %s", at)
		}
		seen[at] = true
		return true
	})
}

func TestAStandaloneDefinitionHasItsOwnScope(t *testing.T) {
	f := parse(t, "a.json", `{"$id":"https://example.com/strings","$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","type":"string"},`+lists+`}}`)
	g, err := schema.Build(document.NewSet(f))
	if err != nil {
		t.Fatal(err)
	}
	list := schema.Def{}
	for _, d := range g.Defs {
		if d.Name == "list" {
			list = d
		}
	}
	if !valid(list.Node, parse(t, "i.json", `[1]`).Root) {
		t.Error("checking that begins at the list is bound by the strings")
	}
}

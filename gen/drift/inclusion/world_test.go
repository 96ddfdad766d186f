package inclusion_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// judge compiles a schema with the oracle.
func judge(t testing.TB, s string) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("s.json")
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return compiled
}

func valid(t testing.TB, s *jsonschema.Schema, instance string) bool {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(instance))
	if err != nil {
		t.Fatalf("%s: %v", instance, err)
	}
	return s.Validate(v) == nil
}

func graph(t testing.TB, name, s string) *schema.Node {
	f, err := document.Parse(name, []byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	g, err := schema.Build(document.NewSet(f))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return g.Roots[name+"#"]
}

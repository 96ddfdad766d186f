package drift_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmark-kit/hallmark/gen/drift"
)

var update = flag.Bool("update", false, "write docs/drift-coverage.md and the golden reports anew")

// positions are where a schema can stand: its own text goes for §.
var positions = []struct{ name, schema string }{
	{"the message", `§`},
	{"member", `{"type": "object", "properties": {"m": §}, "required": ["m"]}`},
	{"optional member of a closed object", `{"type": "object", "properties": {"m": §}, "additionalProperties": false}`},
	{"member by pattern", `{"type": "object", "patternProperties": {"^m": §}}`},
	{"any other member", `{"type": "object", "properties": {"o": true}, "additionalProperties": §}`},
	{"item", `{"type": "array", "items": §}`},
	{"first item", `{"type": "array", "prefixItems": [§], "minItems": 1}`},
	{"branch of a union", `{"oneOf": [{"type": "object", "properties": {"k": {"const": 1}, "m": §}, "required": ["k", "m"]}, {"type": "object", "properties": {"k": {"const": 2}}, "required": ["k"]}]}`},
	{"behind a reference", `{"type": "object", "properties": {"m": {"$ref": "#/$defs/d"}}, "$defs": {"d": §}}`},
	{"inside allOf", `{"type": "object", "required": ["m"], "allOf": [{"properties": {"m": §}}]}`},
	{"in a recursion", `{"type": "object", "properties": {"m": §, "next": {"$ref": "#"}}}`},
	{"where a condition holds", `{"type": "object", "properties": {"k": {}, "m": {}}, "if": {"required": ["k"]}, "then": {"properties": {"m": §}}}`},
	{"what a member brings along", `{"type": "object", "properties": {"k": {}, "m": {}}, "dependentSchemas": {"k": {"properties": {"m": §}}}}`},
	{"items that occur", `{"type": "array", "contains": §}`},
	{"four levels down", `{"type": "object", "properties": {"a": {"type": "array", "items": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"m": §}, "required": ["m"]}]}}}}`},
}

// edits gives the rules with an example, and examples of keywords that share a
// rule with another.
func edits() []drift.Rule {
	var list []drift.Rule
	for _, rule := range drift.Rules() {
		if rule.Old != "" {
			list = append(list, rule)
		}
	}
	for _, e := range []struct{ rule, keyword, loose, tight string }{
		{"minimum", "exclusiveMinimum", `{"type": "number"}`, `{"type": "number", "exclusiveMinimum": 1}`},
		{"minimum", "exclusiveMinimum for minimum", `{"type": "number", "minimum": 1}`, `{"type": "number", "exclusiveMinimum": 1}`},
		{"maximum", "exclusiveMaximum", `{"type": "number"}`, `{"type": "number", "exclusiveMaximum": 1}`},
		{"maximum", "exclusiveMaximum for maximum", `{"type": "number", "maximum": 1}`, `{"type": "number", "exclusiveMaximum": 1}`},
		{"contains", "minContains", `{"type": "array", "contains": {"type": "string"}}`, `{"type": "array", "contains": {"type": "string"}, "minContains": 2}`},
		{"contains", "maxContains", `{"type": "array", "contains": {"type": "string"}}`, `{"type": "array", "contains": {"type": "string"}, "maxContains": 2}`},
		{"contains", "minContains 0", `{"type": "array", "contains": {"type": "string"}, "minContains": 0}`, `{"type": "array", "contains": {"type": "string"}}`},
	} {
		list = append(list,
			drift.Rule{ID: e.rule + ": tighter by " + e.keyword, Old: e.loose, New: e.tight, Narrows: true},
			drift.Rule{ID: e.rule + ": looser by " + e.keyword, Old: e.tight, New: e.loose, Widens: true})
	}
	return list
}

// TestEveryRuleInEveryPosition makes the edit of each rule at each position, both
// ways round, and holds the verdict against what the rule says. The matrix is
// published in docs/drift-coverage.md.
func TestEveryRuleInEveryPosition(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What drift is tested on\n\nMade by `go test ./gen/drift -run EveryRule -update`; do not edit.\n\n" +
		"Each rule of a keyword is made as an edit at each position of a schema, once as a request (old sender, new receiver) and once as an\n" +
		"answer or event (new sender, old receiver). A cell holds both verdicts: **B** breaking, with a witness that jsonschema/v6 has judged, or\n" +
		"`-` for compatible; `r` is risky. `hallmark drift --explain RULE` shows the edit. Every keyword of 2020-12 that decides what is valid is\n" +
		"in an edit that narrows and in one that widens; that is tested against the metaschema's own list.\n\n| rule |")
	for _, p := range positions {
		fmt.Fprintf(&b, " %s |", p.name)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(positions)) + "\n")
	for _, rule := range edits() {
		fmt.Fprintf(&b, "| %s |", rule.ID)
		for _, p := range positions {
			old, new := strings.ReplaceAll(p.schema, "§", rule.Old), strings.ReplaceAll(p.schema, "§", rule.New)
			cell := ""
			for _, way := range []struct {
				direction drift.Direction
				breaks    bool
			}{{drift.Request, rule.Narrows}, {drift.Response, rule.Widens}} {
				r := compare(t, old, new, drift.Options{Direction: way.direction})
				want := way.breaks
				// A ban on a name that an open object may carry hits only who uses it.
				if rule.ID == "property-changed" {
					want = rule.Narrows && way.direction == drift.Request
				}
				if (r.Verdict == drift.Breaking) != want || r.Verdict == drift.Undecided {
					t.Errorf("%s as %s, %s: %s\n%s\n%s\n%+v", rule.ID, way.direction, p.name, r.Verdict, old, new, r.Findings)
				}
				for _, f := range r.Findings {
					if _, known := drift.Explain(f.Rule); !known {
						t.Errorf("%s, %s: the rule %s is not in the registry", rule.ID, p.name, f.Rule)
					}
				}
				cell += map[drift.Class]string{drift.Breaking: "**B**", drift.Risky: "r", drift.Undecided: "?", drift.Compatible: "-"}[r.Verdict] + " "
			}
			fmt.Fprintf(&b, " %s|", cell)
		}
		b.WriteString("\n")
	}
	const name = "../../docs/drift-coverage.md"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(name); err != nil || string(have) != b.String() {
		t.Errorf("%s is not up to date (%v): run go test ./gen/drift -run EveryRule -update", name, err)
	}
}

// TestTheRuleOfAnExampleIsFound holds the names of edits against the examples.
func TestTheRuleOfAnExampleIsFound(t *testing.T) {
	for _, rule := range drift.Rules() {
		if rule.Old == "" {
			continue
		}
		r := compare(t, rule.Old, rule.New, drift.Options{})
		found := false
		for _, f := range r.Findings {
			found = found || f.Rule == rule.ID
		}
		if !found {
			t.Errorf("%s: %s -> %s was called %+v", rule.ID, rule.Old, rule.New, r.Findings)
		}
	}
}

// TestTheMatrixHasEveryKeyword holds the rules against the keywords that the
// metaschema of 2020-12 lists: each must be in an example of the matrix, where it
// decides what is valid.
func TestTheMatrixHasEveryKeyword(t *testing.T) {
	c := jsonschema.NewCompiler()
	for _, vocabulary := range []string{"applicator", "validation", "unevaluated"} {
		meta, err := c.Compile("https://json-schema.org/draft/2020-12/meta/" + vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		if len(meta.Properties) == 0 {
			t.Fatalf("the vocabulary %s has no keywords", vocabulary)
		}
		for keyword := range meta.Properties {
			narrows, widens := false, false
			for _, rule := range edits() {
				if quoted := `"` + keyword + `":`; strings.Contains(rule.Old, quoted) || strings.Contains(rule.New, quoted) {
					narrows, widens = narrows || rule.Narrows, widens || rule.Widens
				}
			}
			if !narrows || !widens {
				t.Errorf("%s: narrowed in an example: %t, widened: %t", keyword, narrows, widens)
			}
		}
	}
}

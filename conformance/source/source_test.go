package source

import (
	"testing"
)

func TestParseGivesJSONAndPlaces(t *testing.T) {
	doc, err := Parse("a.yaml", []byte(`# remark
title: One
steps:
  - send: { id: $new.a, n: 1.50, "quoted key": null }
    within: 1s
  - in any order:
      - expect: { type: x }
text: |
  two
  lines
when: 2026-01-01T00:00:00Z
hex: 0x10
yes: yes
`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"title":"One","steps":[{"send":{"id":"$new.a","n":1.50,"quoted key":null},"within":"1s"},` +
		`{"in any order":[{"expect":{"type":"x"}}]}],"text":"two\nlines\n","when":"2026-01-01T00:00:00Z","hex":16,"yes":"yes"}`
	if got := string(doc.JSON); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for pointer, want := range map[string]Position{
		"":                                  {2, 1},
		"/title":                            {2, 8},
		"/steps/0":                          {4, 5},
		"/steps/0/send":                     {4, 11},
		"/steps/0/send/n":                   {4, 28},
		"/steps/0/within":                   {5, 13},
		"/steps/1/in any order/0/expect":    {7, 17},
		"/steps/1/in any order/0/expect/no": {7, 17},
	} {
		if got := doc.Position(pointer); got != want {
			t.Errorf("%s is at %v, want %v", pointer, got, want)
		}
	}
	if got := doc.KeyErrorf("/steps/0/within", "no").Error(); got != "a.yaml:5:5: no" {
		t.Error(got)
	}
}

func TestParseRefusesWithPlaceAndReason(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\na: 2\n":         `f.yaml:2:1: this is not YAML: mapping key "a" already defined at [1:1]`,
		"a: &x 1\n":            "f.yaml:1:4: anchors and aliases are not used here; repeat the value or put it into base.yaml",
		"a: !!str 1\n":         "f.yaml:1:4: tags are not used here; quote the value if text is meant",
		"1: a\n":               "f.yaml:1:1: a key must be text; quote it",
		"a: .inf\n":            "f.yaml:1:4: a mapping, a sequence, text, a number, true, false or null is expected",
		"":                     "f.yaml:1:1: one YAML document is expected, found 0",
		"a: 1\n---\nb: 1\n":    "f.yaml:1:1: one YAML document is expected, found 2",
		"a: [1\nb: 2\n":        "f.yaml:2:1: this is not YAML: ',' or ']' must be specified",
		"{\"a\": 1, \"a\": 2}": `f.yaml:1:10: this is not YAML: mapping key "a" already defined at [1:2]`,
	} {
		_, err := Parse("f.yaml", []byte(text))
		if err == nil {
			t.Errorf("%q was accepted", text)
			continue
		}
		if got := err.Error(); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1", "- [x, {y: z}]", "a: |\n  b\n", "? a\n: b\n", "{a: &b c}", "%YAML 1.2\n---\n1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := Parse("f", []byte(s))
		if err == nil {
			doc.Position("/a/b/c")
		}
	})
}

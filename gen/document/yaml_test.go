package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestYAMLStandsForJSON(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a description":           {"openapi: 3.1.0\ninfo:\n  title: \"T\"\n  version: '1.0'\npaths:\n  /a/{b}:\n    get:\n      responses:\n        200: {description: ok}\n        default: {}\n", `{"openapi":"3.1.0","info":{"title":"T","version":"1.0"},"paths":{"/a/{b}":{"get":{"responses":{"200":{"description":"ok"},"default":{}}}}}}`},
		"scalars":                 {"[null, ~, True, false, 1, -2, +3, 007, 0x1f, 0o17, 1.50, .5, 5., 1e3, 2024-01-01, yes, 0b1, 1_000, '', \"a\\tb\", 3.1.0, <b>]", `[null,null,true,false,1,-2,3,7,31,15,1.50,0.5,5,1e3,"2024-01-01","yes","0b1","1_000","","a\tb","3.1.0","<b>"]`},
		"large numbers":           {"- 123456789012345678901234567890\n- -0.00000000000000000000000000000001\n- 1e400\n", `[123456789012345678901234567890,-0.00000000000000000000000000000001,1e400]`},
		"empty values":            {"a:\nb: {}\nc: []\n", `{"a":null,"b":{},"c":[]}`},
		"blocks of text":          {"a: |\n  one\n  two\nb: >-\n  one\n  two\nc: one\n  two\n", `{"a":"one\ntwo\n","b":"one two","c":"one two"}`},
		"quoted words":            {"a: 'true'\nb: \"1\"\n'on': off\nnull: 1\ntrue: 2\n", `{"a":"true","b":"1","on":"off","null":1,"true":2}`},
		"anchors":                 {"a: &x {k: 1}\nb: *x\nc:\n  - &y text\n  - *y\n", `{"a":{"k":1},"b":{"k":1},"c":["text","text"]}`},
		"merge keys":              {"base: &b\n  p: 1\n  q: 2\none: &o\n  <<: *b\n  q: 3\ntwo:\n  <<: [*o, {r: 4, q: 5}]\n", `{"base":{"p":1,"q":2},"one":{"q":3,"p":1},"two":{"q":3,"r":4,"p":1}}`},
		"tags of the core schema": {"a: !!str 1\nb: !!int 2\nc: !!map {}\n", `{"a":"1","b":2,"c":{}}`},
		"a comment":               {"# first\na: 1 # then\n# last\n", `{"a":1}`},
		"one document":            {"---\na: 1\n...\n", `{"a":1}`},
		"JSON":                    {"{\"a\": [1, \"x\", null], \"b\": {\"c\": 1.0}}", `{"a":[1,"x",null],"b":{"c":1.0}}`},
		"a text that says how far it is indented": {"a: |2+\nb: |2-\n    x\n", `{"a":"","b":"  x"}`},
		"tabs, and commas in keys":                {"a b, c:\td\n? long\n: 1\n", `{"a b, c":"d","long":1}`},
		"beyond ASCII":                            {"é: \"\\u00e9\\U0001F600😀\"\n", `{"é":"é😀😀"}`},
	} {
		f, err := Parse("d.yaml", []byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, string(f.Root.Raw())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestValuesOfYAMLKeepTheirPlace(t *testing.T) {
	const text = `# a comment
openapi: 3.1.0
info: &info
  title: "é" # here
  tags: [ a, {b: c}]
paths:
  "/x":
    - one
    - two: 2

      three: |
        text
other: *info
`
	f, err := Parse("d.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"": "2:1", "/openapi": "2:10", "/info": "3:7", "/info/title": "4:10", "/info/tags": "5:9", "/info/tags/0": "5:11", "/info/tags/1": "5:14", "/info/tags/1/b": "5:18",
		"/paths": "7:3", "/paths/~1x": "8:5", "/paths/~1x/0": "8:7", "/paths/~1x/1": "9:7", "/paths/~1x/1/two": "9:12", "/paths/~1x/1/three": "11:14",
		"/other/title": "4:10",
	} {
		v := f.Root.Lookup(pointer)
		if v == nil {
			t.Errorf("nothing is at %s", pointer)
			continue
		}
		line, column := v.Position()
		if got := fmt.Sprintf("%d:%d", line, column); got != want {
			t.Errorf("%s is at %s, want %s", pointer, got, want)
		}
	}
	if line, column := f.Position(f.Root.Member("info").NameOffset); line != 3 || column != 1 {
		t.Errorf("the name info is at %d:%d", line, column)
	}
}

func TestYAMLIsRefusedWithPosition(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1)
	}
	for name, test := range map[string]struct{ text, want string }{
		"no YAML":              {"a: [1\nb: 2\n", "d.yaml:"},
		"a key twice":          {"a: 1\nb:\n  c: 1\n  c: 2\n", "d.yaml:4:3: "},
		"nothing":              {"# nothing\n", "d.yaml:1:1: "},
		"empty":                {"", "d.yaml:1:1: the document is empty"},
		"two documents":        {"a: 1\n---\nb: 2\n", "d.yaml:3:1: one YAML document was expected; another begins here"},
		"no number of JSON":    {"a:\n  b: .inf\n", "d.yaml:2:6: at /a/b: JSON has no number .inf"},
		"an unknown anchor":    {"a: *b\n", "d.yaml:1:"},
		"an anchor in itself":  {"a: &b\n  c: *b\n", `d.yaml:2:6: at /a/c: the anchor "b" is used inside what it names`},
		"a tag of one's own":   {"a: !mine 1\n", "d.yaml:1:4: at /a: the tag !mine has no meaning in JSON"},
		"a tag that is wrong":  {"a: !!int x\n", "d.yaml:1:4: at /a: the value is not what the tag !!int says"},
		"a key that is a list": {"? [a]\n: 1\n", "d.yaml:1:3: a key must be text or another scalar"},
		"a merge of a text":    {"a:\n  <<: text\n", "d.yaml:2:7: at /a: a merge key takes a mapping"},
		"invalid UTF-8":        {"a: \"\xff\"\n", "d.yaml:1:5: invalid UTF-8"},
		"a control character":  {"a: \x01\n", "d.yaml:1:4: a control character (U+0001)"},
		"a byte order mark":    {"\ufeffa: 1\n", "d.yaml:1:1: the document begins with a byte order mark"},
		"a huge exponent":      {"a: 1e9999999999\n", "d.yaml:1:4: at /a: the exponent of the number is beyond"},
		"deep brackets":        {"a: " + strings.Repeat("[", 100_000), "exceeded max depth"},
		"deep brackets, ended": {"a: " + strings.Repeat("[", 1500) + strings.Repeat("]", 1500), "nested deeper than 1000 levels"},
		"deep dashes":          {strings.Repeat("- ", 100_000), "exceeded max depth"},
		"a bomb":               {bomb, "the aliases of the document stand for more than 200000 values"},
		"an event's version":   {"topic: a\nversion: one\npayloadSchema: {}\n", "d.yaml:2:10: at /version: version of an event definition"},
	} {
		_, err := Parse("d.yaml", []byte(test.text))
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
}

func FuzzParseYAML(f *testing.F) {
	for _, text := range []string{"a: 1\nb: [x, {y: z}]\n", "- &a {b: *a}\n", "<<: {a: 1}\n", "a: |\n  b\n", "? a\n: b\n", "a: !!str 1\n", "\"\\ud800\": 1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse("d.yaml", text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		again, err := Parse("d.json", file.Data)
		if err != nil {
			t.Fatalf("the JSON of %q: %v", text, err)
		}
		lines := strings.Count(string(text), "\n") + strings.Count(string(text), "\r") + 2
		for pointer, v := range file.Root.All() {
			if line, column := v.Position(); line < 1 || column < 1 || line > lines {
				t.Fatalf("%q: %s is at %d:%d", text, pointer, line, column)
			}
			if other := again.Root.Lookup(pointer); other == nil || other.Kind != v.Kind {
				t.Fatalf("%q: %s is another value", text, pointer)
			}
		}
	})
}

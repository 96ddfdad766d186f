package oracle

import (
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
)

func TestPatternsMeanWhatECMASays(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		match         bool
	}{
		{`^\s$`, "\u00a0", true},
		{`^\s$`, "\ufeff", true},
		{`^\S$`, "\u2003", false},
		{`^[\s]$`, "\u3000", true},
		{`^\d$`, "٣", false},
		{`^\w$`, "é", false},
		{`^.$`, "\u2028", false},
		{`^.$`, "𝒳", true},
		{`^a$`, "a\n", false},
		{`^\0$`, "\x00", true},
		{`^[^\u0000]*$`, "a\x00", false},
		{`^\u00e9$`, "é", true},
		{`^\ud835\udcb3$`, "𝒳", true},
		{`^\u{1d4b3}$`, "𝒳", true},
		{`^[\u{1d4b3}]$`, "𝒳", true},
		{`^\/a\-b$`, "/a-b", true},
		{`^\cJ$`, "\n", true},
		{`^\x41$`, "A", true},
		{`^[[:a]$`, ":", true},
		{`^\p{Lu}$`, "É", true},
		{`^\p{Letter}$`, "é", true},
		{`^\p{Script=Greek}$`, "α", true},
		{`^(?!a)b`, "b", true},
		{`^(?!b)`, "b", false},
		{`^(a)\1$`, "aa", true},
		{`^[^]$`, "\n", true},
	} {
		re, err := engine(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got := re.MatchString(c.text); got != c.match {
			t.Errorf("%s on %q: %t, want %t", c.pattern, c.text, got, c.match)
		}
	}
}

func TestSchemasAreFoundByPointerAndAcrossFiles(t *testing.T) {
	var files []*document.File
	for name, text := range map[string]string{
		"a.json": `{"$defs": {"x.y/z": {"$ref": "b.json#/$defs/n"}}}`,
		"b.json": `{"$defs": {"n": {"type": "integer"}}}`,
	} {
		f, err := document.Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	o, err := New(files)
	if err != nil {
		t.Fatal(err)
	}
	s, err := o.Schema("a.json", "/$defs/x.y~1z")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{`1.0`: true, `1e2`: true, `1.5`: false, `"1"`: false, `{`: false, `1 2`: false} {
		if got := s.Valid([]byte(text)); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

func TestLargeExponentsAreSlow(t *testing.T) {
	for text, want := range map[string]bool{`1e9999`: false, `[1E+10000]`: true, `1e-000012345`: true, `12345`: false} {
		if got := Slow([]byte(text)); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

func TestURIsAreThoseOfTheStandard(t *testing.T) {
	for text, want := range map[string]bool{
		"http://example.com/a?b#c": true, "urn:a:b": true, "a:": true, "http://[::1]:80/": true, "http://[v1.a:b]": true, "mailto:a@b": true, "file:///x": true,
		"a:##": false, "a:𝒳": false, "a:]": false, "/a": false, "http://[]": false, "http://[::1%25x]": false, "http://a b": false, "a:%2": false, "1a:b": false, "http://a:b@c:d": false,
	} {
		if got := uriFormat().Validate(text) == nil; got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

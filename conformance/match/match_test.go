package match

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/conformance/value"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestMatch(t *testing.T) {
	cases := []struct{ want, got, differences string }{
		{`{"a":1}`, `{"a":1.0,"b":2}`, ``},
		{`{"a":1}`, `{"a":2}`, `/a: wanted 1, got 2`},
		{`{"a":{"b":[1,2]}}`, `{"a":{"b":[1,3]}}`, `/a/b/1: wanted 2, got 3`},
		{`{"a":1}`, `{}`, `/a: wanted 1, got nothing`},
		{`{"a":null}`, `{}`, `/a: wanted null, got nothing`},
		{`{"a":1}`, `[]`, `: wanted an object, got []`},
		{`{}`, `3`, `: wanted an object, got 3`},
		{`[1]`, `[1,2]`, `: wanted a list of 1, got a list of 2: [1,2]`},
		{`{"$exact":{"a":1}}`, `{"a":1,"b":2}`, `: wanted exactly {"a":1}, got {"a":1,"b":2}`},
		{`{"$exact":{"a":1}}`, `{"a":1}`, ``},
		{`{"a":{"$absent":true}}`, `{"a":null}`, `/a: wanted nothing, got null`},
		{`{"a":{"$absent":true}}`, `{}`, ``},
		{`{"a":{"$present":true}}`, `{}`, `/a: wanted anything, got nothing`},
		{`{"$pattern":"^[a-z]+$"}`, `"abc"`, ``},
		{`{"$pattern":"^[a-z]+$"}`, `"abC"`, `: wanted text that matches ^[a-z]+$, got "abC"`},
		{`{"$type":"integer"}`, `2.0`, ``},
		{`{"$type":["string","null"]}`, `2`, `: wanted the type string or null, got 2`},
		{`{"$type":"number"}`, `2`, ``},
		{`{"$any order":[1,{"$type":"integer"}]}`, `[1,2]`, ``},
		{`{"$any order":[{"$type":"integer"},1]}`, `[1,2]`, ``},
		{`{"$any order":[1,3]}`, `[1,2]`, `: wanted an item like 3, got [1,2]`},
		{`{"$contains":[2]}`, `[1,2,3]`, ``},
		{`{"$contains":"b"}`, `"abc"`, ``},
		{`{"$contains":"x"}`, `"abc"`, `: wanted text that contains "x", got "abc"`},
		{`{"$each":{"$type":"string"}}`, `["a",1]`, `/1: wanted the type string, got 1`},
		{`{"$length":{"$range":{"min":3}}}`, `"äb"`, `: wanted a length of a number in {"min":3}, got a length of 2`},
		{`{"$range":{"min":0,"below":1}}`, `0`, ``},
		{`{"$range":{"min":0,"below":1}}`, `1`, `: wanted a number in {"min":0,"below":1}, got 1`},
		{`{"$range":{"min":0}}`, `"0"`, `: wanted a number in {"min":0}, got "0"`},
		{`{"$starts":"a"}`, `"abc"`, ``},
		{`{"$unique":true}`, `[1,"1",2]`, ``},
		{`{"$unique":true}`, `[{"a":1},2,{"a":1.0}]`, `/2: wanted an item that is not in the list before, got {"a":1.0}`},
		{`{"$ends":"bc"}`, `"abc"`, ``},
		{`{"$not":{"a":1}}`, `{"a":1}`, `: wanted not {"a":1}, got {"a":1}`},
		{`{"a":{"$not":1}}`, `{}`, ``},
		{`{"$any of":["a","b"]}`, `"b"`, ``},
		{`{"$any of":["a","b"]}`, `"c"`, `: wanted any of ["a","b"], got "c"`},
		{`{"$all of":[{"$starts":"a"},{"$ends":"c"}]}`, `"abc"`, ``},
		{`{"$type":"object","a":1}`, `{"a":1,"b":2}`, ``},
		{`{"$wrong":1}`, `1`, `: wanted a matcher that exists instead of $wrong, got 1`},
	}
	for _, c := range cases {
		r := Match(parse(t, c.want), parse(t, c.got))
		var lines []string
		for _, d := range r.Differences {
			lines = append(lines, fmt.Sprintf("%s: wanted %s, got %s", d.Pointer, d.Wanted, d.Got))
		}
		if got := strings.Join(lines, "\n"); got != c.differences {
			t.Errorf("%s against %s:\n got %s\nwant %s", c.got, c.want, got, c.differences)
		}
	}
}

func TestMatchCaptures(t *testing.T) {
	r := Match(parse(t, `{"a":{"$capture":"x","$type":"string"},"l":{"$any order":[{"n":1,"v":{"$capture":"y"}},{"n":2}]}}`),
		parse(t, `{"a":"A","l":[{"n":2},{"n":1,"v":7}]}`))
	if got := fmt.Sprint(r.OK(), r.Captures); got != "true [{x A} {y 7}]" {
		t.Error(got)
	}
}

func TestLongValuesAreShortened(t *testing.T) {
	r := Match("a", strings.Repeat("ä", 1000))
	if got := r.Differences[0].Got; len(got) > 400 || !strings.HasSuffix(got, "(2002 bytes)") {
		t.Error(got)
	}
}

func TestCheckFindsWhatIsWrongWithAMatcher(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":{"$patern":"x"}}`:         `/a/$patern: there is no matcher $patern; did you mean $pattern?`,
		`{"$pattern":"("}`:              "/$pattern: $pattern wants a regular expression (RE2): missing closing ): `(`",
		`{"$type":"int"}`:               `/$type: $type wants one of string, number, integer, boolean, null, array, object, or a list of them`,
		`[{"$range":{"from":1}}]`:       `/0/$range/from: $range knows min, max, above and below`,
		`{"$capture":"a b"}`:            `/$capture: $capture wants a name of letters, digits and underscores`,
		`{"$absent":false}`:             `/$absent: $absent wants true`,
		`{"$any of":[]}`:                `/$any of: $any of wants a list of matchers`,
		`{"$not":{"$length":{"$a":1}}}`: `/$not/$length/$a: there is no matcher $a`,
	} {
		_, problems := Check(parse(t, text))
		if len(problems) != 1 {
			t.Errorf("%s: %v", text, problems)
			continue
		}
		if got := problems[0].Pointer + ": " + problems[0].Reason; got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	captures, problems := Check(parse(t, `{"a":{"$capture":"x"},"b":{"$any of":[{"$capture":"y"}]},"c":{"$range":{"min":"$n"}},"d":{"$pattern":"$p"}}`))
	if len(problems) != 0 || fmt.Sprint(captures) != "[x y]" {
		t.Error(captures, problems)
	}
}

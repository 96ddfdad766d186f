package value

import (
	"strings"
	"testing"
)

func TestParseKeepsOrderAndNumbersAsWritten(t *testing.T) {
	for _, text := range []string{`{"b":1.50,"a":[null,true,"x\"\u0007é",{}],"c":1e2}`, `[]`, `"/"`, `-0.0`} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(Append(nil, v))
		if err != nil || !Equal(v, again) {
			t.Errorf("%s became %s (%v)", text, Text(v), err)
		}
	}
	v, _ := Parse([]byte(`{"b":1.50,"a":1}`))
	if got := Text(v); got != `{"b":1.50,"a":1}` {
		t.Errorf("got %s", got)
	}
}

func TestParseRefusesWhatIsNotOneJSONValue(t *testing.T) {
	for _, text := range []string{``, `{`, `{"a":}`, `1 2`, `[1,]`, `nul`, strings.Repeat("[", 2000) + strings.Repeat("]", 2000)} {
		if v, err := Parse([]byte(text)); err == nil {
			t.Errorf("%.20q parsed as %v", text, v)
		}
	}
}

func TestEqualComparesByMeaning(t *testing.T) {
	cases := []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true}, {`1e2`, `100`, true}, {`1`, `"1"`, false}, {`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{`{"a":1}`, `{"a":1,"b":2}`, false}, {`[1,2]`, `[2,1]`, false}, {`null`, `false`, false}, {`{}`, `[]`, false},
		{`1e999999999`, `1e999999999`, true}, {`1e999999999`, `1`, false}, {`"a"`, `"a"`, true},
	}
	for _, c := range cases {
		a, _ := Parse([]byte(c.a))
		b, _ := Parse([]byte(c.b))
		if got := Equal(a, b); got != c.want {
			t.Errorf("%s and %s: equal is %v", c.a, c.b, got)
		}
		if got := Equal(b, a); got != c.want {
			t.Errorf("%s and %s: equal is %v the other way round", c.a, c.b, got)
		}
	}
}

func TestPointersReachIntoValues(t *testing.T) {
	v, _ := Parse([]byte(`{"a/b":[10,{"~":"x"}]}`))
	if got, ok := At(v, "/a~1b/1/~0"); !ok || got != "x" {
		t.Errorf("got %v %v", got, ok)
	}
	for _, p := range []string{"a", "/a", "/a~1b/2", "/a~1b/x", "/a~1b/0/0"} {
		if got, ok := At(v, p); ok {
			t.Errorf("%s gives %v", p, got)
		}
	}
	if got := Join(JoinIndex("", 3), "a/b~"); got != "/3/a~1b~0" {
		t.Error(got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":null}]}`, `"\ud800"`, `1e400`, `{"a":1,"a":2}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Parse([]byte(s))
		if err != nil {
			return
		}
		again, err := Parse(Append(nil, v))
		if err != nil {
			t.Fatalf("%q was written as %q: %v", s, Text(v), err)
		}
		if !Equal(v, again) {
			t.Fatalf("%q became %q", s, Text(again))
		}
		_ = Type(v)
	})
}

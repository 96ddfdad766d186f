package document_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"

	"github.com/hallmark-kit/hallmark/gen/document"
)

func mustParse(t testing.TB, text string) *document.Value {
	t.Helper()
	f, err := document.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f.Root
}

func TestLookupFollowsPointers(t *testing.T) {
	v := mustParse(t, `{"":0,"a/b":[10,[11]],"m~n":1,"0":2,"k\"l":3}`)
	for pointer, want := range map[string]string{
		"/": "0", "/a~1b/0": "10", "/a~1b/1/0": "11", "/m~0n": "1", "/0": "2", `/k"l`: "3",
		"/a~1b/2": "", "/a~1b/00": "", "/a~1b/-": "", "/a~1b/+1": "", "/x": "", "a": "", "/m~n": "", "/0/x": "", "/a~1b/99999999999999999999": "",
	} {
		got := ""
		if found := v.Lookup(pointer); found != nil {
			got = string(found.Raw())
		}
		if got != want {
			t.Errorf("%s gives %q, want %q", pointer, got, want)
		}
	}
	if v.Lookup("") != v {
		t.Error("the empty pointer is not the whole")
	}
}

func TestPointersAreWrittenAndSplit(t *testing.T) {
	tokens := []string{"a/b", "~", "", "~1", "é"}
	got, err := document.SplitPointer(document.Pointer(tokens...))
	if err != nil || !reflect.DeepEqual(got, tokens) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestEqualIsByMeaning(t *testing.T) {
	for _, test := range []struct {
		one, other string
		want       bool
	}{
		{`1`, `1.0`, true}, {`100`, `1e2`, true}, {`-0`, `0`, true}, {`0.10`, `1e-1`, true}, {`1`, `1.0000000000000000000001`, false},
		{`9007199254740993`, `9007199254740992`, false}, {`1e400`, `1e401`, false}, {`1e999999999`, `10e999999998`, true},
		{`"a"`, `"\u0061"`, true}, {`"a"`, `"A"`, false}, {`"1"`, `1`, false},
		{`{"a":1,"b":2}`, `{"b":2.0,"a":1}`, true}, {`{"a":1}`, `{"a":1,"b":null}`, false},
		{`[1,2]`, `[2,1]`, false}, {`[]`, `{}`, false}, {`null`, `false`, false}, {`0`, `false`, false},
		{`"a\"],[\"b"`, `"a"`, false},
	} {
		if got := mustParse(t, test.one).Equal(mustParse(t, test.other)); got != test.want {
			t.Errorf("%s equals %s: %t", test.one, test.other, got)
		}
	}
}

func TestDecimals(t *testing.T) {
	for _, test := range []struct {
		text, canonical string
		integer         bool
		value           int64
		fits            bool
	}{
		{"0", "0", true, 0, true}, {"-0.0e5", "0", true, 0, true}, {"1.50", "1.5", false, 0, false},
		{"-12e-1", "-1.2", false, 0, false}, {"1200e-2", "12", true, 12, true}, {"0.001", "0.001", false, 0, false},
		{"9223372036854775807", "9223372036854775807", true, math.MaxInt64, true},
		{"-9223372036854775808", "-9223372036854775808", true, math.MinInt64, true},
		{"9223372036854775808", "9223372036854775808", true, 0, false},
		{"1e19", "10000000000000000000", true, 0, false}, {"1e300", "1e300", true, 0, false}, {"12e-300", "12e-300", false, 0, false},
	} {
		d := document.ParseDecimal(test.text)
		n, fits := d.Int64()
		if d.String() != test.canonical || d.IsInteger() != test.integer || n != test.value || fits != test.fits {
			t.Errorf("%s: %s, integer %t, %d, %t", test.text, d, d.IsInteger(), n, fits)
		}
	}
	if _, ok := document.ParseDecimal("1e5000").Rat(); ok {
		t.Error("a huge exponent is expanded")
	}
}

func TestDecimalsCompareAsFractionsDo(t *testing.T) {
	number := gen.OneGenOf(
		gen.Int64Range(-1000, 1000).Map(func(n int64) string { return fmt.Sprint(n) }),
		gen.Float64().Map(func(x float64) string { return strings.ReplaceAll(fmt.Sprintf("%g", x), "+", "") }),
		gopter.CombineGens(gen.Int64Range(-99, 99), gen.IntRange(-12, 12)).Map(func(v []any) string { return fmt.Sprintf("%de%d", v[0], v[1]) }),
	)
	properties := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	properties.Property("order and equality", prop.ForAll(func(a, b string) bool {
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		d, e := document.ParseDecimal(a), document.ParseDecimal(b)
		r, ok := d.Rat()
		return d.Cmp(e) == x.Cmp(y) && (d == e) == (x.Cmp(y) == 0) && (!ok || r.Cmp(x) == 0) &&
			document.ParseDecimal(d.String()) == d && json.Valid([]byte(d.String()))
	}, number, number))
	properties.TestingRun(t)
}

func TestCanonicalTextIsTheSameValue(t *testing.T) {
	const text = `{"b":[1e2,"\u0000\"\\😀",null,true,{"y":-0.5,"x":[]}],"a":{}}`
	v := mustParse(t, text)
	const want = `{"a":{},"b":[100,"\u0000\"\\😀",null,true,{"x":[],"y":-0.5}]}`
	if got := v.Canonical(); got != want {
		t.Errorf("%s", got)
	}
	if !mustParse(t, v.Canonical()).Equal(v) {
		t.Error("its canonical text is another value")
	}
}

func TestAnyIsWhatEncodingJSONGives(t *testing.T) {
	const text = `{"a":[1.50,"x",null,true,{}],"b":[]}`
	var want any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if got := mustParse(t, text).Any(); !reflect.DeepEqual(got, want) {
		t.Errorf("%#v", got)
	}
}

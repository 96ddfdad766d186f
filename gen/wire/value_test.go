package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"
)

// sameValue compares two texts through encoding/json and big.Rat; ok is false
// for exponents that big.Rat would expand for too long.
func sameValue(a, b []byte) (same, ok bool) {
	x, ok1 := canonical(a)
	y, ok2 := canonical(b)
	return x == y, ok1 && ok2
}

func canonical(data []byte) (string, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return "", false
	}
	ok := true
	return render(v, &ok), ok
}

func render(v any, ok *bool) string {
	switch v := v.(type) {
	case json.Number:
		s := string(v)
		if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 4 {
			*ok = false
			return ""
		}
		r, _ := new(big.Rat).SetString(s)
		return r.String()
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = render(v[i], ok)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		m := map[string]string{}
		for k := range v {
			m[k] = render(v[k], ok)
		}
		return fmt.Sprintf("%q", m) // sorted by key
	}
	return fmt.Sprintf("%T %q", v, fmt.Sprint(v))
}

func TestEqualIsByValue(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true}, {`100`, `1e2`, true}, {`-0`, `0`, true}, {`0.5`, `5E-1`, true},
		{`5`, `5.00000000000000000001`, false}, {`1e400`, `1e401`, false}, {`9007199254740993`, `9007199254740992`, false},
		{`"a"`, `"\u0061"`, true}, {`"é"`, `"\u00e9"`, true}, {`"a"`, `"A"`, false}, {`""`, `""`, true},
		{`{"a":1,"b":2}`, `{"b":2.0,"\u0061":1}`, true}, {`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{"a":1,"b":{"c":[],"d":1}}`, ` { "b" : { "d" : 1 , "c" : [ ] } , "a" : 1 } `, true},
		{`[1,2]`, `[2,1]`, false}, {`[]`, `{}`, false}, {`[[]]`, `[[],[]]`, false},
		{`0`, `false`, false}, {`1`, `"1"`, false}, {`null`, `false`, false}, {`true`, `true`, true},
		{`1e1000000`, `10e999999`, true}, {`1e1000000`, `1e1000001`, false},
	} {
		if Equal([]byte(c.a), []byte(c.b)) != c.want || Equal([]byte(c.b), []byte(c.a)) != c.want {
			t.Errorf("Equal(%s, %s) is not %v", c.a, c.b, c.want)
		}
	}
}

func TestUniqueItemsNamesTheFirstRepetition(t *testing.T) {
	for _, c := range []struct {
		text string
		i, j int
		ok   bool
	}{
		{`[]`, 0, 0, true}, {`[1]`, 0, 0, true}, {`[1,2,3]`, 0, 0, true}, {`[1,"1",[1],{"1":1},true,null]`, 0, 0, true},
		{`[1,2,1.0]`, 0, 2, false}, {`[3,2,1,2,3,1]`, 1, 3, false}, {`[{"a":1,"b":2},{"b":2,"a":1}]`, 0, 1, false},
		{` [ [ 1 ] , [ 1.0 ] ] `, 0, 1, false}, {`["a","\u0061"]`, 0, 1, false}, {`[0,false]`, 0, 0, true},
		{`[0,-0]`, 0, 1, false}, {`[{"a":{"b":1}},{"b":{"a":1}}]`, 0, 0, true}, {`7`, 0, 0, true},
	} {
		i, j, ok := UniqueItems([]byte(c.text))
		if i != c.i || j != c.j || ok != c.ok {
			t.Errorf("%s: %d %d %v", c.text, i, j, ok)
		}
	}
}

func TestUniqueItemsOfALongArray(t *testing.T) {
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, `,{"k":%d}`, i)
	}
	if _, _, ok := UniqueItems([]byte("[" + b.String()[1:] + "]")); !ok {
		t.Error("unique items refused")
	}
	if i, j, ok := UniqueItems([]byte("[" + b.String()[1:] + `,{"k":77.0}]`)); ok || i != 77 || j != 200_000 {
		t.Error(i, j, ok)
	}
	same := "[" + strings.Repeat("1,", 200_000) + "1]"
	if i, j, ok := UniqueItems([]byte(same)); ok || i != 0 || j != 1 {
		t.Error(i, j, ok)
	}
}

func num(t testing.TB, text string) Num {
	t.Helper()
	r := Acquire([]byte(text), nil)
	n, ok := r.Number()
	if err := r.Close(); err != nil || !ok {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

func TestIntegersAreIntegersHoweverWritten(t *testing.T) {
	for _, c := range []struct {
		text    string
		integer bool
		value   int64
		fits    bool
	}{
		{"0", true, 0, true}, {"-0", true, 0, true}, {"0.0", true, 0, true}, {"0e99999999999999999999", true, 0, true},
		{"1.0", true, 1, true}, {"1e2", true, 100, true}, {"-12.50e1", true, -125, true}, {"1200e-2", true, 12, true},
		{"9007199254740993", true, 9007199254740993, true}, {"9223372036854775807", true, 9223372036854775807, true},
		{"9223372036854775808", true, 0, false}, {"-9223372036854775808", true, -9223372036854775808, true},
		{"-9223372036854775809", true, 0, false}, {"1e400", true, 0, false}, {"1e1000000", true, 0, false},
		{"17.00000000000000000001", false, 0, false}, {"0.5", false, 0, false}, {"1e-1", false, 0, false},
		{"1e-1000000", false, 0, false}, {"10e-1", true, 1, true}, {"0.1e1", true, 1, true},
		{"123456789012345678901234567890", true, 0, false},
	} {
		n := num(t, c.text)
		v, ok := n.Int64()
		if n.IsInteger() != c.integer || v != c.value || ok != c.fits {
			t.Errorf("%s: integer %v, value %d %v", c.text, n.IsInteger(), v, ok)
		}
	}
}

func TestHugeExponentsCostNothing(t *testing.T) {
	one := MustDecimal("1e-999999999")
	for _, text := range []string{"1e1000000", "1e999999999999", "-1e99999999999999999999999999", "1e-1000000000"} {
		n := num(t, text)
		_ = n.IsInteger()
		_ = n.Float64()
		want := 1
		if text[0] == '-' || text == "1e-1000000000" {
			want = -1
		}
		if n.Cmp(one) != want {
			t.Errorf("%s compares %d", text, n.Cmp(one))
		}
		n.MultipleOf(MustDecimal("7"))
		n.MultipleOf(MustDecimal("123456789012345678901234567890.5"))
	}
}

// decimalText makes numbers of many shapes with small exponents.
func decimalText() gopter.Gen {
	return gopter.CombineGens(gen.Bool(), gen.Int64Range(0, 1<<40), gen.IntRange(0, 6), gen.IntRange(-6, 6), gen.Bool()).
		Map(func(v []any) string {
			s := fmt.Sprint(v[1].(int64))
			if k := v[2].(int); k > 0 {
				for len(s) <= k {
					s = "0" + s
				}
				s = s[:len(s)-k] + "." + s[len(s)-k:]
			}
			if v[4].(bool) {
				s += fmt.Sprintf("e%d", v[3])
			}
			if v[0].(bool) {
				s = "-" + s
			}
			return s
		})
}

func rat(s string) *big.Rat { r, _ := new(big.Rat).SetString(s); return r }

func TestNumbersAgreeWithRationals(t *testing.T) {
	p := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	p.Property("comparison", prop.ForAll(func(a, b string) bool {
		return num(t, a).Cmp(MustDecimal(b)) == rat(a).Cmp(rat(b))
	}, decimalText(), decimalText()))
	p.Property("comparison with itself in other words", prop.ForAll(func(a string) bool {
		other := rat(a).FloatString(20)
		return num(t, other).Cmp(MustDecimal(a)) == 0 && Equal([]byte(a), []byte(other))
	}, decimalText()))
	p.Property("comparison with integers", prop.ForAll(func(a string, v int64) bool {
		return num(t, a).CmpInt(v) == rat(a).Cmp(new(big.Rat).SetInt64(v))
	}, decimalText(), gen.Int64Range(-1000, 1000)))
	p.Property("multiples", prop.ForAll(func(a, b string) bool {
		x, y := rat(a), rat(b)
		want := x.Sign() == 0
		if y.Sign() != 0 {
			want = new(big.Rat).Quo(x, y).IsInt()
		}
		return num(t, a).MultipleOf(MustDecimal(b)) == want
	}, decimalText(), decimalText()))
	p.Property("products are multiples", prop.ForAll(func(a string, k int64) bool {
		product := new(big.Rat).Mul(rat(a), new(big.Rat).SetInt64(k)).FloatString(12)
		return rat(a).Sign() == 0 || num(t, product).MultipleOf(MustDecimal(a))
	}, decimalText(), gen.Int64Range(-1000, 1000)))
	p.Property("floats", prop.ForAll(func(a string) bool {
		f, _ := rat(a).Float64()
		return num(t, a).Float64() == f
	}, decimalText()))
	p.TestingRun(t)
}

func TestMultipleOfIsDecimal(t *testing.T) {
	for _, c := range []struct {
		n, d string
		want bool
	}{
		{"0.0075", "0.0001", true}, {"0.00751", "0.0001", false}, {"19.99", "0.01", true}, {"1e308", "0.5", true},
		{"1e308", "0.123456789", false}, {"12391239123", "1e-8", true}, {"1e1000000", "7", false}, {"7e1000000", "7", true},
		{"1e1000000", "1e-1000000", true}, {"0", "3", true}, {"-9", "3", true}, {"9", "-3", true}, {"5", "10", false},
		{"246913578024691357802469135780", "123456789012345678901234567890", true},
		{"246913578024691357802469135781", "123456789012345678901234567890", false},
		{"1234567890123456789012345678901e2", "1234567890123456789012345678901", true},
	} {
		if got := num(t, c.n).MultipleOf(MustDecimal(c.d)); got != c.want {
			t.Errorf("%s of %s: %v", c.n, c.d, got)
		}
	}
}

func TestCodePointsAreCounted(t *testing.T) {
	p := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	p.Property("count and bounds", prop.ForAll(func(s string, n int) bool {
		b := []byte(strings.ToValidUTF8(s, "x"))
		count := len([]rune(string(b)))
		return RuneCount(b) == count && MinRunes(b, n) == (count >= n) && MaxRunes(b, n) == (count <= n)
	}, gen.AnyString(), gen.IntRange(0, 40)))
	p.TestingRun(t)
	for n := range 5 {
		s := []byte(strings.Repeat("🙂", n))
		if !MaxRunes(s, n) || n > 0 && MaxRunes(s, n-1) || !MinRunes(s, n) || MinRunes(s, n+1) {
			t.Errorf("%d characters of four bytes", n)
		}
	}
}

package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"
)

func TestStringsAreWrittenWithAsFewEscapesAsJSONAllows(t *testing.T) {
	for s, want := range map[string]string{
		"": `""`, "plain": `"plain"`, "</script>&": `"</script>&"`, "é世界🙂\u2028": "\"é世界🙂\u2028\"",
		"a\"b\\c/": `"a\"b\\c/"`, "\b\f\n\r\t": `"\b\f\n\r\t"`, "\x00\x1f\x7f": "\"\\u0000\\u001f\x7f\"",
		"bad\xff\xc3(": "\"bad\ufffd\ufffd(\"", "\xed\xa0\x80": "\"\ufffd\ufffd\ufffd\"",
		"a longer text without escapes\nand one with": `"a longer text without escapes\nand one with"`,
	} {
		if got := string(AppendString([]byte("x"), s)); got != "x"+want {
			t.Errorf("%q: %s", s, got)
		}
	}
}

func TestStringsReadBackAsWritten(t *testing.T) {
	p := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	p.Property("strings", prop.ForAll(func(s string) bool {
		b := AppendString(nil, s)
		var std string
		if json.Unmarshal(b, &std) != nil || std != strings.ToValidUTF8(s, "\ufffd") && len([]rune(std)) != len([]rune(s)) {
			return false
		}
		r := AcquireDecode(b, nil)
		got, ok := r.String()
		return ok && got == std && r.Close() == nil
	}, gen.AnyString()))
	p.Property("floats", prop.ForAll(func(bits uint64) bool {
		f := math.Float64frombits(bits)
		b := AppendFloat(nil, f)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return string(b) == "null"
		}
		r := Acquire(b, nil)
		n, ok := r.Number()
		return ok && r.Close() == nil && math.Float64bits(n.Float64()) == bits
	}, gen.UInt64()))
	p.Property("integers", prop.ForAll(func(v int64) bool {
		r := Acquire(AppendInt(nil, v), nil)
		n, _ := r.Number()
		got, ok := n.Int64()
		return ok && got == v && n.CmpInt(v) == 0 && r.Close() == nil
	}, gen.Int64()))
	p.TestingRun(t)
}

func TestStringsAreWrittenIntoTheRoomThereIsAndNotBeyond(t *testing.T) {
	parts := []string{"a", "word ", "\n", `"`, "é", "世", "🙂", "\xff", "\x01", "a longer plain piece of text ", "\xe4\xb8"}
	random := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		var text strings.Builder
		for range random.IntN(8) {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		s := text.String()
		var want strings.Builder
		want.WriteByte('"')
		for _, c := range s {
			switch {
			case c == '"':
				want.WriteString(`\"`)
			case c == '\n':
				want.WriteString(`\n`)
			case c < 0x20:
				fmt.Fprintf(&want, `\u%04x`, c)
			default:
				want.WriteRune(c)
			}
		}
		want.WriteByte('"')
		room := []byte(strings.Repeat("~", random.IntN(120)))
		before := min(random.IntN(4), len(room))
		got := AppendString(room[:before], s)
		if string(got) != strings.Repeat("~", before)+want.String() {
			t.Fatalf("%q: %s instead of %s", s, got, want.String())
		}
		if len(room) >= len(got) && strings.Trim(string(room[len(got):]), "~") != "" {
			t.Fatalf("%q: what stands behind the string has changed: %q", s, room)
		}
	}
}

func TestFloatsAreWrittenAsECMAScriptDoes(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 1: "1", -2.5: "-2.5", 1e20: "100000000000000000000", 1e21: "1e+21", 1e-6: "0.000001", 1e-7: "1e-7", 1.5e-10: "1.5e-10", 1e100: "1e+100"} {
		if got := string(AppendFloat(nil, f)); got != want {
			t.Errorf("%v: %s", f, got)
		}
	}
	if got := string(AppendFloat(nil, math.Copysign(0, -1))); got != "-0" {
		t.Error(got)
	}
}

func TestMembersAreWrittenBehindWhatStandsThere(t *testing.T) {
	m := Members{{"a", Raw(`1`)}, {"b\n", nil}}
	for before, want := range map[string]string{`{`: `{"a":1,"b\n":null`, `{"x":0`: `{"x":0,"a":1,"b\n":null`} {
		if got := string(AppendMembers([]byte(before), m)); got != want {
			t.Errorf("%s: %s", before, got)
		}
	}
	if got := AppendBool(AppendBool(nil, true), false); string(got) != "truefalse" {
		t.Errorf("%s", got)
	}
	if got := AppendNumber(AppendNumber(nil, ""), "1.50"); string(got) != "01.50" {
		t.Errorf("%s", got)
	}
}

type sample struct {
	Opt      Opt[int]         `json:"opt,omitzero"`
	Nullable Nullable[string] `json:"nullable"`
	Maybe    Maybe[bool]      `json:"maybe,omitzero"`
	Map      Map[int]         `json:"map,omitempty"`
	Raw      Raw              `json:"raw"`
	Number   Number           `json:"number"`
	Members  Members          `json:"members,omitempty"`
}

func TestValuesGoThroughEncodingJSON(t *testing.T) {
	for text, want := range map[string]sample{
		`{"nullable":null,"raw":null,"number":0}`: {Raw: Raw("null"), Number: "0"},
		`{"opt":3,"nullable":"x","maybe":null,"map":{"z":1,"a":2},"raw":{"k":[1]},"number":1.50,"members":{"q":"\u00e9","b":[]}}`: {
			Opt: Some(3), Nullable: NonNull("x"), Maybe: Null[bool](), Map: Map[int]{{"z", 1}, {"a", 2}}, Raw: Raw(`{"k":[1]}`),
			Number: "1.50", Members: Members{{"q", Raw(`"\u00e9"`)}, {"b", Raw(`[]`)}},
		},
		`{"opt":0,"nullable":"","maybe":true,"raw":"s","number":1e400}`: {
			Opt: Some(0), Nullable: NonNull(""), Maybe: Present(true), Raw: Raw(`"s"`), Number: "1e400"},
	} {
		var got sample
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		b, err := json.Marshal(got)
		if err != nil || string(b) != text {
			t.Errorf("%s became %s (%v)", text, b, err)
		}
	}
}

func TestValuesThatAreAbsentOrNull(t *testing.T) {
	if v, ok := Some(7).Get(); v != 7 || !ok || Some(7).Or(1) != 7 || (Opt[int]{}).Or(1) != 1 || !(Opt[int]{}).IsZero() {
		t.Error("Opt")
	}
	if v, ok := NonNull(7).Get(); v != 7 || !ok || (Nullable[int]{}).Or(1) != 1 || NonNull(2).Or(1) != 2 {
		t.Error("Nullable")
	}
	if v, ok := Present(7).Get(); v != 7 || !ok || Null[int]().Or(1) != 1 || Present(2).Or(1) != 2 || Null[int]().IsZero() || !(Maybe[int]{}).IsZero() {
		t.Error("Maybe")
	}
}

func TestMembersAreFoundByName(t *testing.T) {
	m := Members{{"a", Raw(`1`)}, {"a", Raw(`2`)}}
	if v, ok := m.Get("a"); !ok || string(v) != "2" {
		t.Error("the later member counts")
	}
	if _, ok := m.Get("b"); ok {
		t.Error("b is not there")
	}
	e := Map[string]{{"k", "v"}}
	if v, ok := e.Get("k"); !ok || v != "v" {
		t.Error("k is there")
	}
	if _, ok := e.Get("x"); ok {
		t.Error("x is not there")
	}
	for _, text := range []string{`[]`, `{"a":1,"a":2}`, `{"a":}`, ``} {
		if new(Members).UnmarshalJSON([]byte(text)) == nil || new(Map[int]).UnmarshalJSON([]byte(text)) == nil {
			t.Errorf("%s is taken for members", text)
		}
	}
	if new(Map[int]).UnmarshalJSON([]byte(`{"a":"x"}`)) == nil {
		t.Error("a string is taken for an int")
	}
}

func TestNumbersAsText(t *testing.T) {
	if Int(-5) != "-5" || Float(0.1) != "0.1" || Float(3) != "3" {
		t.Error(Int(-5), Float(0.1))
	}
	if v, ok := Number("1e2").Int64(); v != 100 || !ok {
		t.Error(v, ok)
	}
	if Number("").Float64() != 0 || Number("2.5").Float64() != 2.5 || !math.IsInf(Number("1e999").Float64(), 1) || !math.IsNaN(Number("x").Float64()) {
		t.Error("floats")
	}
	for _, bad := range []Number{"x", "01", "1.", "NaN", " 1", "1 ", Float(math.Inf(1))} {
		if bad.Valid() {
			t.Errorf("%q is valid", bad)
		}
		if _, err := bad.MarshalJSON(); err == nil {
			t.Errorf("%q is written", bad)
		}
		if _, ok := bad.Int64(); ok {
			t.Errorf("%q is an integer", bad)
		}
	}
	if Raw(`{"a":[1]}`).Valid() != nil || Raw(`{"a":1,"a":2}`).Valid() == nil || Raw(" [").Kind() != KindArray || Raw("").Kind() != KindInvalid {
		t.Error("raw values")
	}
}

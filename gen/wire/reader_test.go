package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// walk reads every value through the methods that generated code uses.
func walk(r *Reader) bool {
	switch r.Kind() {
	case KindObject:
		if !r.Object() {
			return false
		}
		frame := r.Frame()
		for r.Member() {
			if !r.Unique(frame) || !walk(r) {
				return false
			}
		}
		return r.EndObject(frame)
	case KindArray:
		if !r.Array() {
			return false
		}
		for r.Element() {
			if !walk(r) {
				return false
			}
		}
		return r.EndArray()
	case KindString:
		_, ok := r.Text()
		return ok
	case KindNumber:
		_, ok := r.Number()
		return ok
	case KindBool:
		_, ok := r.Bool()
		return ok
	case KindNull:
		return r.Null()
	}
	return r.Skip()
}

func skipped(data []byte, opts ...Option) error {
	r := Acquire(data, opts)
	r.Skip()
	return r.Close()
}

func walked(data []byte, opts ...Option) error {
	r := Acquire(data, opts)
	walk(r)
	return r.Close()
}

func first(t *testing.T, err error) Violation {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || len(e.Violations) == 0 {
		t.Fatalf("want violations, got %v", err)
	}
	return e.Violations[0]
}

func TestTextThatIsJSONIsRead(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-0`, `1.5e+10`, `1E-7`, `""`, `"plain text of more than eight bytes"`,
		`"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"`, `"é — 世界 🙂"`, `[]`, `{}`, `[1,[2,[3]]]`,
		" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n", `{"":0}`, `{"a":1,"A":2}`,
		`{"a":{"a":{"a":1}},"b":{"a":1}}`, "\"\x7f\"", `"\u0000"`, `123456789012345678901234567890`,
	} {
		if err := skipped([]byte(text)); err != nil {
			t.Errorf("skip %s: %v", text, err)
		}
		if err := walked([]byte(text)); err != nil {
			t.Errorf("walk %s: %v", text, err)
		}
	}
}

func TestTextThatIsNoJSONIsRefusedWhereItBreaks(t *testing.T) {
	for _, c := range []struct {
		text    string
		offset  int
		pointer string
		want    string
	}{
		{``, 0, "", "a JSON value"},
		{` `, 1, "", "a JSON value"},
		{"\xef\xbb\xbf{}", 0, "", "byte order mark"},
		{`{"a":1}x`, 7, "", "the end"},
		{`[1,2`, 4, "", "a comma"},
		{`[1 2]`, 3, "", "a comma"},
		{`[1,]`, 3, "/1", "a JSON value"},
		{`[,1]`, 1, "", "a JSON value"},
		{`{"a":1,}`, 7, "", "a member name"},
		{`{a:1}`, 1, "", "a member name"},
		{`{"a" 1}`, 5, "/a", "a colon"},
		{`{"a":}`, 5, "/a", "a JSON value"},
		{`{"a":1]`, 6, "", "a comma"},
		{`[1}`, 2, "", "a comma"},
		{`nul`, 0, "", "null"},
		{`[tru]`, 1, "/0", "true"},
		{`01`, 1, "", "leading zero"},
		{`-`, 1, "", "a digit"},
		{`1.`, 2, "", "a digit"},
		{`1e`, 2, "", "a digit"},
		{`[1.e5]`, 3, "/0", "a digit"},
		{`+1`, 0, "", "a JSON value"},
		{`.5`, 0, "", "a JSON value"},
		{`NaN`, 0, "", "a JSON value"},
		{`"abc`, 4, "", "closing quotation mark"},
		{"\"a\nb\"", 2, "", "control characters"},
		{"{\"k\":\"a\x00b\"}", 7, "/k", "control characters"},
		{`"\x"`, 1, "", "escapes"},
		{`"\u12g4"`, 1, "", "escapes"},
		{`"\ud800"`, 1, "", "surrogate"},
		{`"\udc00"`, 1, "", "surrogate"},
		{`"\ud800\u0041"`, 1, "", "surrogate"},
		{"\"\xff\"", 1, "", "UTF-8"},
		{"\"abcdefgh\xc3(\"", 9, "", "UTF-8"},
		{"\"\xed\xa0\x80\"", 1, "", "UTF-8"},
		{"\"\xc0\x80\"", 1, "", "UTF-8"},
		{"\"\xf4\x90\x80\x80\"", 1, "", "UTF-8"},
		{"\"\xe4\xb8", 1, "", "UTF-8"},
		{`{"a":1,"a":2}`, 7, "/a", "once"},
		{`{"x":{"a":1,"b":2,"\u0061":2}}`, 18, "/x/a", "once"},
		{`{"a~b":{"c/d":[0,{"e":tru}]}}`, 22, "/a~0b/c~1d/1/e", "true"},
	} {
		v := first(t, skipped([]byte(c.text)))
		if v.Offset != c.offset || v.Instance != c.pointer || !strings.Contains(v.Want, c.want) || v.Keyword != KeywordJSON {
			t.Errorf("skip %q: offset %d, pointer %q, want %q", c.text, v.Offset, v.Instance, v.Want)
		}
		w := first(t, walked([]byte(c.text)))
		if w.Offset != c.offset || w.Instance != c.pointer {
			t.Errorf("walk %q: offset %d, pointer %q, want %q", c.text, w.Offset, w.Instance, w.Want)
		}
	}
}

func TestRepeatedNamesAreFoundInLargeObjects(t *testing.T) {
	var b strings.Builder
	b.WriteByte('{')
	for i := range 5000 {
		b.WriteString(`"member-` + strings.Repeat("x", i%7) + string(AppendInt(nil, int64(i))) + `":{"a":1,"b":[]},`)
	}
	unique := b.String() + `"last":1}`
	repeated := b.String() + `"member-` + strings.Repeat("x", 4321%7) + `4321":1}`
	for name, read := range map[string]func([]byte, ...Option) error{"skip": skipped, "walk": walked} {
		if err := read([]byte(unique)); err != nil {
			t.Errorf("%s: unique names refused: %v", name, err)
		}
		if v := first(t, read([]byte(repeated))); v.Want != wantUnique {
			t.Errorf("%s: %v", name, v)
		}
		if err := read([]byte(repeated), AllowRepeatedNames()); err != nil {
			t.Errorf("%s: repeated names refused though allowed: %v", name, err)
		}
	}
}

func TestDepthIsBounded(t *testing.T) {
	nest := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	for _, read := range []func([]byte, ...Option) error{skipped, walked} {
		if err := read(nest(DefaultMaxDepth)); err != nil {
			t.Error(err)
		}
		if v := first(t, read(nest(DefaultMaxDepth+1))); v.Want != wantDepth || v.Offset != DefaultMaxDepth {
			t.Error(v)
		}
		if err := read(nest(3), MaxDepth(3)); err != nil {
			t.Error(err)
		}
		if v := first(t, read(nest(4), MaxDepth(3))); v.Instance != "/0/0/0" {
			t.Error(v)
		}
		if first(t, read([]byte(strings.Repeat("[", 5_000_000)))).Want != wantDepth {
			t.Error("a bomb went off")
		}
	}
}

func TestPositionsAreLineAndCodePoint(t *testing.T) {
	v := first(t, skipped([]byte("{\n  \"é\": \"世界\", x}")))
	if v.Line != 2 || v.Column != 14 {
		t.Errorf("got %d:%d", v.Line, v.Column)
	}
}

var (
	siteA = &Site{"Doc.json", "/a/type", "type", "a string"}
	siteB = &Site{"Doc.json", "/b/minimum", "minimum", "at least 3"}
)

// failNumbers records a violation at every number.
func failNumbers(r *Reader) bool {
	switch r.Kind() {
	case KindObject:
		if !r.Object() {
			return false
		}
		frame := r.Frame()
		for r.Member() {
			if !failNumbers(r) {
				return false
			}
		}
		return r.EndObject(frame)
	case KindArray:
		if !r.Array() {
			return false
		}
		for r.Element() {
			if !failNumbers(r) {
				return false
			}
		}
		return r.EndArray()
	case KindNumber:
		return r.FailSkip(siteB)
	}
	return r.Skip()
}

func TestViolationsNamePlaceAndRuleButNotTheValue(t *testing.T) {
	text := []byte("{\"list\":[\"x\",42],\n\"a/b\":{\"k\":7}}")
	r := Acquire(text, nil)
	failNumbers(r)
	err := r.Close()
	want := &Error{[]Violation{
		{Instance: "/list/1", Offset: 13, Line: 1, Column: 14, Document: "Doc.json", Schema: "/b/minimum", Keyword: "minimum", Want: "at least 3"},
		{Instance: "/a~1b/k", Offset: 29, Line: 2, Column: 12, Document: "Doc.json", Schema: "/b/minimum", Keyword: "minimum", Want: "at least 3"},
	}}
	if d := cmp.Diff(error(want), err); d != "" {
		t.Error(d)
	}
	if strings.Contains(err.Error(), "42") {
		t.Errorf("the value is quoted: %v", err)
	}
	r = Acquire(text, []Option{QuoteValues()})
	failNumbers(r)
	if v := first(t, r.Close()); v.Value != "42" || !strings.Contains(v.String(), "42") {
		t.Errorf("the value is not quoted: %v", v)
	}
}

func TestReadingStopsAtTheLimit(t *testing.T) {
	text := []byte("[" + strings.Repeat("1,", 99) + "1] trailing")
	for _, c := range []struct {
		opts []Option
		want int
	}{
		{nil, DefaultLimit},
		{[]Option{Limit(1)}, 1},
		{[]Option{Limit(100)}, 100},
		{[]Option{AllViolations()}, 101},
	} {
		r := Acquire(text, c.opts)
		failNumbers(r)
		var e *Error
		if errors.As(r.Close(), &e); len(e.Violations) != c.want {
			t.Errorf("%d violations, want %d", len(e.Violations), c.want)
		}
	}
}

func TestFailSkipPrefersTheErrorInTheText(t *testing.T) {
	r := Acquire([]byte(`}`), nil)
	if r.FailSkip(siteA) {
		t.Error("goes on behind broken text")
	}
	if v := first(t, r.Close()); v.Keyword != KeywordJSON {
		t.Error(v)
	}
}

func TestDecodedValuesOutliveTheReader(t *testing.T) {
	data := []byte(`{"plain":"text","\u0065sc":"a\nb","raw":{"k":[1, 2]},"n":1.50}`)
	r := AcquireDecode(data, nil)
	r.Object()
	var names, texts []string
	var raw Raw
	var number Number
	for r.Member() {
		names = append(names, r.NameString())
		switch r.Kind() {
		case KindString:
			s, _ := r.String()
			texts = append(texts, s)
		case KindObject:
			raw, _ = r.Raw()
		default:
			n, _ := r.Number()
			number = r.NumberText(n)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if d := cmp.Diff([]string{"plain", "esc", "raw", "n"}, names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"text", "a\nb"}, texts); d != "" {
		t.Error(d)
	}
	if string(raw) != `{"k":[1, 2]}` || number != "1.50" {
		t.Errorf("%s %s", raw, number)
	}
}

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

var seeds = []string{
	`{"a":[1,-0.5e3,true,false,null,"x\n\u00e9\ud83d\ude00 世界"],"b":{"a":{}},"c":""}`,
	`{"a":1,"\u0061":2}`, `[[[[[]]]]]`, `"\ud800"`, "\"\xff\"", `1e1000000`, `{"a":{"a":1},"a":2}`, " [ 1 , 2 ] ",
	`{"n0":0,"n1":0,"n2":0,"n3":0,"n4":0,"n5":0,"n6":0,"n7":0,"n8":0,"n9":0,"na":0,"nb":0,"nc":0,"nd":0,"ne":0,"nf":0,"ng":0,"n3":0}`,
}

// strictlyValid is the definition of valid text by other means: encoding/json
// for the grammar, and plain loops for what it does not check.
func strictlyValid(data []byte) bool {
	if !json.Valid(data) || !utf8.Valid(data) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return uniqueNames(d) && !loneSurrogates(string(data))
}

func uniqueNames(d *json.Decoder) bool {
	tok, err := d.Token()
	if err != nil {
		return false
	}
	switch tok {
	case json.Delim('{'):
		seen := map[string]bool{}
		for d.More() {
			name, err := d.Token()
			if err != nil || seen[name.(string)] {
				return false
			}
			seen[name.(string)] = true
			if !uniqueNames(d) {
				return false
			}
		}
		_, err = d.Token()
	case json.Delim('['):
		for d.More() {
			if !uniqueNames(d) {
				return false
			}
		}
		_, err = d.Token()
	}
	return err == nil
}

// loneSurrogates looks for unpaired surrogate escapes in valid JSON.
func loneSurrogates(s string) bool {
	high := false
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			if high {
				return true
			}
			continue
		}
		if s[i+1] != 'u' {
			if high {
				return true
			}
			i++
			continue
		}
		switch u := strings.ToLower(s[i+2 : i+4]); {
		case high != (u >= "dc" && u <= "df"):
			return true
		default:
			high = u >= "d8" && u <= "db"
		}
		i += 5
	}
	return high
}

func FuzzReader(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		skip, walk := skipped(data), walked(data)
		if want := strictlyValid(data); (skip == nil) != want || (walk == nil) != want {
			t.Fatalf("%q: valid %v, skip %v, walk %v", data, want, skip, walk)
		}
		var e, g *Error
		if errors.As(skip, &e) && errors.As(walk, &g) {
			if e.Violations[0].Offset != g.Violations[0].Offset || e.Violations[0].Instance != g.Violations[0].Instance {
				t.Fatalf("%q: skip %v, walk %v", data, skip, walk)
			}
			if !utf8.ValidString(e.Error()) {
				t.Fatalf("%q: message %q", data, e.Error())
			}
		}
		_ = skipped(data, AllowRepeatedNames(), MaxDepth(3))
		r := Acquire(data, nil)
		_, _, _ = r.PeekMember("a")
		walkFail(r)
		_ = r.Close()
		// Values that no reader checked may be refused, but harmlessly.
		Equal(data, bytes.TrimSpace(data))
		UniqueItems(data)
		if skip == nil {
			if !Equal(data, bytes.TrimSpace(data)) {
				t.Fatalf("%q does not equal itself", data)
			}
			text(t, data)
		}
	})
}

// walkFail collects violations everywhere and goes on.
func walkFail(r *Reader) bool {
	r.Fail(r.Pos(), siteA)
	return failNumbers(r)
}

// text checks that strings come out as encoding/json reads them, and go back.
func text(t *testing.T, data []byte) {
	r := AcquireDecode(data, nil)
	defer r.Close()
	if r.Kind() != KindString {
		return
	}
	got, ok := r.String()
	var want string
	if err := json.Unmarshal(data, &want); err != nil || !ok || got != want {
		t.Fatalf("%q: got %q, want %q", data, got, want)
	}
	var again string
	if err := json.Unmarshal(AppendString(nil, got), &again); err != nil || again != got {
		t.Fatalf("%q written as %s", got, AppendString(nil, got))
	}
}

func FuzzEqual(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), []byte(s))
	}
	f.Add([]byte(`{"a":1,"b":[2.0,"x"]}`), []byte(`{"b":[2e0,"\u0078"],"a":10e-1}`))
	f.Add([]byte(`[1,true,"1",[1],{"a":1}]`), []byte(`[0,1e1000000]`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if skipped(a) != nil || skipped(b) != nil {
			return
		}
		want, ok := sameValue(a, b)
		if !ok {
			return
		}
		if got := Equal(a, b); got != want || Equal(b, a) != want {
			t.Fatalf("Equal(%s, %s) = %v", a, b, got)
		}
		list := []byte("[" + string(a) + "," + string(b) + "]")
		if i, j, unique := UniqueItems(list); unique == want || !unique && (i != 0 || j != 1) {
			t.Fatalf("UniqueItems(%s) = %d, %d, %v", list, i, j, unique)
		}
	})
}

package wire

import (
	"strings"
	"testing"
)

func TestTrialsLeaveNoTrace(t *testing.T) {
	r := Acquire([]byte(`{"a":[1,2],"b":"x"}`), nil)
	m := r.Mark()
	var outer, inner Trial
	r.Try(&outer)
	r.Object()
	r.Member()
	r.Try(&inner)
	failNumbers(r)
	if r.EndTrial(&inner) {
		t.Error("a failed trial passed")
	}
	r.Reset(m)
	if !r.Skip() || !r.EndTrial(&outer) {
		t.Error("a good trial failed")
	}
	if string(r.Span(m)) != `{"a":[1,2],"b":"x"}` {
		t.Errorf("span %s", r.Span(m))
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestTrialsKeepErrorsInTheText(t *testing.T) {
	r := Acquire([]byte(`[1,`), nil)
	m := r.Mark()
	var trial Trial
	r.Try(&trial)
	r.Skip()
	if r.EndTrial(&trial) {
		t.Error("passed")
	}
	r.Reset(m)
	if r.Skip() {
		t.Error("read on behind an error")
	}
	if v := first(t, r.Close()); v.Offset != 3 {
		t.Error(v)
	}
}

func TestResetRestoresNameAndFrames(t *testing.T) {
	r := Acquire([]byte(`{"\u0061b":{"x":1,"y":2},"c":3}`), nil)
	r.Object()
	frame := r.Frame()
	r.Member()
	r.Unique(frame)
	m := r.Mark()
	for range 3 {
		if !walk(r) {
			t.Fatal("inner object refused")
		}
		r.Reset(m)
		if string(r.Name()) != "ab" || r.NameString() != "ab" {
			t.Errorf("name %q", r.Name())
		}
	}
	walk(r)
	if !r.Member() || !r.Unique(frame) || !r.Skip() || r.Member() || !r.EndObject(frame) {
		t.Error("the rest is refused")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestPeekMemberFindsTheTagWhereverItStands(t *testing.T) {
	for _, c := range []struct {
		text, want string
		kind       Kind
	}{
		{`{"type":"a b","x":1}`, "a b", KindString},
		{`{"x":{"type":"no"},"list":["type"],"ty\u0070e":"y\u0065s"}`, "yes", KindString},
		{` { "x" : 1 , "type" : 12 } `, "12", KindNumber},
		{`{"type":true}`, "true", KindBool},
		{`{"id":"x\n","n":-1.5e3,"t":true,"z":null,"f":false,"type":"yes"}`, "yes", KindString},
		{`{ "id" : "x" , "type" : "y\u0065s" , "later": [] }`, "yes", KindString},
		{`{"first":1,"type":{}}`, "", KindObject},
		{`{"type":null}`, "null", KindNull},
		{`{"type":[1]}`, "", KindArray},
	} {
		r := Acquire([]byte(c.text), nil)
		at := r.Pos()
		kind, value, ok := r.PeekMember("type")
		if kind != c.kind || string(value) != c.want || !ok {
			t.Errorf("%s: %v %q %v", c.text, kind, value, ok)
		}
		if r.Pos() != at || !walk(r) {
			t.Errorf("%s: the look consumed", c.text)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{
		`{}`, ` { } `, `{"x":"type"}`, `[]`, `"type"`, `{"x":`, `{`, `{"`, `{"x":"\q","type":1}`, `{"x":01,"type":1}`, `{"x":tru,"type":1}`,
		`{"x" 1,"type":1}`, `{"x":1 "type":1}`, `{"x":[1,],"type":1}`, `{"type":`, `{"type":"`, `{"type":nul}`,
	} {
		r := Acquire([]byte(text), nil)
		if _, _, ok := r.PeekMember("type"); ok {
			t.Errorf("%s: found", text)
		}
		_ = r.Close()
	}
}

// readTagged reads objects that nest in "in" and are told apart by "type".
func readTagged(r *Reader) bool {
	if _, _, ok := r.PeekMember("type"); !ok {
		return r.FailSkip(siteA)
	}
	if !r.Object() {
		return false
	}
	frame := r.Frame()
	for r.Member() {
		ok := false
		if string(r.Name()) == "in" {
			ok = readTagged(r)
		} else {
			ok = r.Unique(frame) && r.Skip()
		}
		if !ok {
			return false
		}
	}
	return r.EndObject(frame)
}

func TestTagsThatComeLastCostLittleHoweverDeepTheyNest(t *testing.T) {
	const depth = 10_000
	text := strings.Repeat(`{"pad":"`+strings.Repeat("x", 100)+`","in":`, depth) + `{"type":"t"}` + strings.Repeat(`,"type":"t"}`, depth)
	for range 2 {
		r := Acquire([]byte(text), nil)
		readTagged(r)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

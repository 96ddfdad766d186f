package script_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmark-kit/hallmark/conformance/standin/script"
)

type short struct {
	Text string `json:"text"`
}

func (s *short) Expand(raw json.RawMessage) error {
	if json.Unmarshal(raw, &s.Text) != nil {
		return errors.New("expected a text or an object with text")
	}
	return nil
}

type common struct {
	Wait string `json:"wait,omitempty"`
}

type document struct {
	common
	Name   string          `json:"name"`
	Count  int             `json:"count,omitempty"`
	Deep   *document       `json:"deep,omitempty"`
	List   []short         `json:"list,omitempty"`
	Env    map[string]int  `json:"env,omitempty"`
	Any    json.RawMessage `json:"any,omitempty"`
	Hidden string          `json:"-"`
}

func TestDecodeReadsEveryForm(t *testing.T) {
	var got document
	err := script.Decode([]byte(` {"name":"n","wait":"g","deep":{"name":"d"},"list":["a",{"text":"b"}],"env":{"A/b":1},"any":{"x":[null]}} `), &got)
	if err != nil {
		t.Fatal(err)
	}
	want := document{common: common{Wait: "g"}, Name: "n", Deep: &document{Name: "d"}, List: []short{{"a"}, {"b"}},
		Env: map[string]int{"A/b": 1}, Any: json.RawMessage(`{"x":[null]}`)}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(document{})); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeNamesThePlaceAndWhatWasExpected(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`[]`, `(root): expected an object`},
		{``, `(root): expected an object`},
		{`null`, `(root): expected an object, not null; leave the member out instead`},
		{`{"name":1}`, `/name: expected a string`},
		{`{"count":1.5}`, `/count: expected an integer`},
		{`{"nam":"x"}`, `/nam: no such member (did you mean name?); known here: any, count, deep, env, list, name, wait`},
		{`{"deep":{"deep":{"zzzzzz":1}}}`, `/deep/deep/zzzzzz: no such member; known here: any, count, deep, env, list, name, wait`},
		{`{"Hidden":"x"}`, `/Hidden: no such member; known here: any, count, deep, env, list, name, wait`},
		{`{"Name":"x"}`, `/Name: no such member (did you mean name?); known here: any, count, deep, env, list, name, wait`},
		{`{"name":"a","name":"b"}`, `/name: the member is given twice`},
		{`{"list":["a",7]}`, `/list/1: expected a text or an object with text`},
		{`{"list":{}}`, `/list: expected an array`},
		{`{"env":{"A/b~":"x"}}`, `/env/A~1b~0: expected an integer`},
		{`{"deep":null}`, `/deep: expected an object, not null; leave the member out instead`},
		{`{"name":"a"} x`, `(root): expected nothing after the value`},
		{`{"name":"a"`, `(root): malformed JSON: EOF`},
	} {
		var into document
		err := script.Decode([]byte(c.in), &into)
		var e *script.Error
		if !errors.As(err, &e) || e.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

func TestDecodeNeedsAPointer(t *testing.T) {
	if script.Decode([]byte(`{}`), document{}) == nil {
		t.Error("a value was accepted")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name":"n","list":["a",{"text":"b"}],"env":{"A":1}}`))
	f.Add([]byte(`{"deep":{"deep":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v document
		if script.Decode(data, &v) == nil && !json.Valid(data) {
			t.Error("accepted what is not JSON")
		}
	})
}

package wire_test

import (
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/wire"
)

func TestTextsOfAParameterMakeOneJSONValue(t *testing.T) {
	str, num, boolean, list := []wire.Kind{wire.KindString}, []wire.Kind{wire.KindNumber}, []wire.Kind{wire.KindBool}, []wire.Kind{wire.KindArray}
	cases := []struct {
		name  string
		p     wire.Parameter
		texts []string
		want  string
	}{
		{"a text", wire.Parameter{In: "query", Style: "form", Kinds: str}, []string{`tr"ue`}, `"tr\"ue"`},
		{"a text that looks like a number", wire.Parameter{In: "query", Kinds: []wire.Kind{wire.KindNumber, wire.KindString}}, []string{"5"}, `"5"`},
		{"a number", wire.Parameter{In: "query", Kinds: num}, []string{"5e1"}, "5e1"},
		{"what is no number", wire.Parameter{In: "query", Kinds: num}, []string{"5 "}, `"5 "`},
		{"what is hardly a number", wire.Parameter{In: "query", Kinds: num}, []string{"-"}, `"-"`},
		{"a boolean", wire.Parameter{In: "query", Kinds: boolean}, []string{"true"}, "true"},
		{"what is no boolean", wire.Parameter{In: "query", Kinds: boolean}, []string{"TRUE"}, `"TRUE"`},
		{"a list by repetition", wire.Parameter{In: "query", Style: "form", Explode: true, Kinds: list, Items: num}, []string{"1", "2"}, "[1,2]"},
		{"a list by commas", wire.Parameter{In: "query", Style: "form", Kinds: list, Items: str}, []string{"a,b"}, `["a","b"]`},
		{"a list by bars", wire.Parameter{In: "query", Style: "pipeDelimited", Kinds: list, Items: str}, []string{"a|b"}, `["a","b"]`},
		{"a list by spaces", wire.Parameter{In: "query", Style: "spaceDelimited", Kinds: list, Items: boolean}, []string{"true false"}, `[true,false]`},
		{"an empty list", wire.Parameter{In: "header", Style: "simple", Kinds: list, Items: str}, []string{""}, `[]`},
		{"a list over lines of a header", wire.Parameter{In: "header", Style: "simple", Kinds: list, Items: str}, []string{"a, b", "c"}, `["a","b","c"]`},
		{"a label", wire.Parameter{In: "path", Style: "label", Kinds: num}, []string{".7"}, `7`},
		{"a list of labels", wire.Parameter{In: "path", Style: "label", Explode: true, Kinds: list, Items: num}, []string{".7.8"}, `[7,8]`},
		{"a matrix", wire.Parameter{Name: "x", In: "path", Style: "matrix", Kinds: str}, []string{";x=7"}, `"7"`},
		{"a list as matrix", wire.Parameter{Name: "x", In: "path", Style: "matrix", Kinds: list, Items: num}, []string{";x=7,8"}, `[7,8]`},
		{"a list as exploded matrix", wire.Parameter{Name: "x", In: "path", Style: "matrix", Explode: true, Kinds: list, Items: num}, []string{";x=7;x=8"}, `[7,8]`},
		{"JSON", wire.Parameter{In: "query", MediaType: "application/json", Kinds: list}, []string{"[1]"}, `[1]`},
		{"JSON of a kind", wire.Parameter{In: "query", MediaType: "application/x+json; v=1"}, []string{"{}"}, `{}`},
		{"a list of cookies", wire.Parameter{In: "cookie", Style: "cookie", Explode: true, Kinds: list, Items: str}, []string{"a,b", "c"}, `["a,b","c"]`},
		{"a list in a cookie", wire.Parameter{In: "cookie", Style: "cookie", Kinds: list, Items: str}, []string{"a,b"}, `["a","b"]`},
		{"a query string of JSON", wire.Parameter{In: "querystring", MediaType: "application/json"}, []string{`{"a":1}`}, `{"a":1}`},
		{"another media type", wire.Parameter{In: "query", MediaType: "text/csv"}, []string{"a,b"}, `"a,b"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.p.JSON(c.texts)
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestTextsThatMakeNoValueAreRefused(t *testing.T) {
	one := wire.Parameter{Name: "q", In: "query", Kinds: []wire.Kind{wire.KindString}}
	object := wire.Parameter{Name: "q", In: "query", Kinds: []wire.Kind{wire.KindObject}}
	cases := []struct {
		name  string
		p     wire.Parameter
		texts []string
		want  string
	}{
		{"none", one, nil, "no value"},
		{"two for one value", one, []string{"a", "b"}, "given 2 times, takes one value"},
		{"an object", object, []string{"a"}, "is an object"},
		{"a form", wire.Parameter{Name: "q", In: "querystring", MediaType: "application/x-www-form-urlencoded", Kinds: object.Kinds}, []string{"a=1"}, "is an object"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := c.p.Validate(c.texts); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestAParameterIsHeldAgainstItsSchema(t *testing.T) {
	place := wire.At("d.json", "/schema")
	p := wire.Parameter{Name: "v", In: "header", Kinds: []wire.Kind{wire.KindString},
		Schema: wire.Type{Validate: wire.Validator(func(r *wire.Reader) bool { return r.CheckConst(&place, `"1.0"`) })}}
	if err := p.Validate([]string{"1.0"}); err != nil {
		t.Error(err)
	}
	if err := p.Validate([]string{"2.0"}); err == nil || !strings.Contains(err.Error(), "d.json#/schema/const") {
		t.Errorf("error: %v", err)
	}
	p.Schema = wire.Type{}
	if err := p.Validate([]string{"anything"}); err != nil {
		t.Error(err)
	}
}

func TestAnAnswerIsFoundByStatusThenRangeThenDefault(t *testing.T) {
	o := wire.Operation{Responses: []wire.Response{{Status: "200"}, {Status: "4XX"}, {Status: "default"}}}
	for status, want := range map[int]string{200: "200", 404: "4XX", 500: "default"} {
		if got := o.Response(status); got == nil || got.Status != want {
			t.Errorf("%d: got %+v, want %s", status, got, want)
		}
	}
	if got := (&wire.Operation{}).Response(200); got != nil {
		t.Errorf("got %+v", got)
	}
}

func TestABodyIsFoundByMediaType(t *testing.T) {
	b := &wire.Body{Content: []wire.Media{{Type: "application/json"}, {Type: "text/*"}}}
	r := &wire.Response{Content: append(b.Content, wire.Media{Type: "*/*"})}
	if m := b.As("Application/JSON; charset=utf-8"); m == nil || m.Type != "application/json" {
		t.Errorf("JSON: %+v", m)
	}
	if m := b.As("text/plain"); m == nil || m.Type != "text/*" {
		t.Errorf("text: %+v", m)
	}
	if m := b.As("image/png"); m != nil {
		t.Errorf("image: %+v", m)
	}
	if m := r.As("image/png"); m == nil || m.Type != "*/*" {
		t.Errorf("image in the answer: %+v", m)
	}
	if (*wire.Body)(nil).As("text/plain") != nil || (*wire.Response)(nil).As("text/plain") != nil {
		t.Error("found in nothing")
	}
}

func TestADirectionNamesBothEnds(t *testing.T) {
	d := wire.Direction("harness->host")
	if d.From() != "harness" || d.To() != "host" {
		t.Errorf("from %q to %q", d.From(), d.To())
	}
}

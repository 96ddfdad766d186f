package scope

import (
	"errors"
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

func newScope(t *testing.T) *Scope {
	t.Helper()
	count := 0
	base := parse(t, `{"agent":{"id":"a1","params":{"maxTokens":1,"topP":0.5},"model":"m"},"other":{"$from":"$base.agent","id":"a2"},
		"start":{"id":"$new.start","runId":"$new.run","agent":"$base.other"},"loop":"$base.loop","broken":{"x":["$nobody"]}}`)
	return New(&Sources{
		Base:  base.(*value.Object),
		NewID: func(name string) string { count++; return fmt.Sprintf("%s-%d", name, count) },
		StandIn: func(path []string) (any, string) {
			if strings.Join(path, ".") == "model.url" {
				return "http://h", ""
			}
			return nil, "no such stand-in"
		},
		Target: func(path []string) (any, string) { return Sample{}, "" },
		Canary: func(kind, name, requirement string) string { return kind + "/" + name + "/" + requirement },
	})
}

func TestExpand(t *testing.T) {
	cases := []struct{ in, want string }{
		{`{"id":"$new.a","again":"$a","text":"x ${a} y"}`, `{"id":"a-1","again":"a-1","text":"x a-1 y"}`},
		{`["$new.a","$new.a","$a"]`, `["a-1","a-2","a-2"]`},
		{`"$$a"`, `"$a"`},
		{`"$${a}"`, `"${a}"`},
		{`"costs 5$"`, `"costs 5$"`},
		{`"$captured.list.1"`, `7`},
		{`"n=${captured.list.1} b=${captured.b}"`, `"n=7 b=true"`},
		{`{"$from":"$base.agent","params":{"maxTokens":5},"model":null,"id":{"$absent":true},"new":{"a":1}}`,
			`{"params":{"maxTokens":5,"topP":0.5},"model":null,"new":{"a":1}}`},
		{`{"$from":"$base.agent","params":"$captured"}`, `{"id":"a1","params":{"list":[1,7],"b":true},"model":"m"}`},
		{`{"$from":"$base.agent","params":{"$type":"object"}}`, `{"id":"a1","params":{"$type":"object"},"model":"m"}`},
		{`{"$from":"$base.start"}`, `{"id":"start-1","runId":"run-2","agent":{"id":"a2","params":{"maxTokens":1,"topP":0.5},"model":"m"}}`},
		{`["$base.other.params.topP","$base.agent.id"]`, `[0.5,"a1"]`},
		{`{"$text":"ab","$times":3}`, `"ababab"`},
		{`{"$json":{"a":["$captured.b"]}}`, `"{\"a\":[true]}"`},
		{`"$standin.model.url"`, `"http://h"`},
		{`"${standin.model.url}/v1"`, `"http://h/v1"`},
		{`["$secret.key","$canary.word"]`, `["secret/key/R","canary/word/R"]`},
		{`{"$capture":"x","$type":"string"}`, `{"$capture":"x","$type":"string"}`},
	}
	for _, c := range cases {
		s := newScope(t)
		s.Requirement = "R"
		s.Set("captured", parse(t, `{"list":[1,7],"b":true}`))
		v, err := s.Expand(parse(t, c.in))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := value.Text(v); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestExpandSaysWhatIsMissing(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":["$rnu"]}`:               `/a/0: nothing is named $rnu here; did you mean $run?`,
		`"$base.agnet"`:                `(root): $base.agnet: base.yaml has no such value; did you mean agent?`,
		`"$base.loop"`:                 `the values of placeholders refer to each other without end`,
		`{"m":"$standin.x"}`:           `/m: $standin.x: no such stand-in`,
		`"$new.1x"`:                    `(root): $new.1x: a name of letters, digits and underscores is expected after $new.`,
		`"$5"`:                         `(root): $5 is no placeholder; write $$5 for this very text`,
		`"${run}${captured}"`:          `(root): ${captured} is not text, a number or a truth value and cannot be part of a text`,
		`"$captured.no"`:               `(root): $captured.no: $captured has no such part`,
		`{"$from":"$run","a":1}`:       `/$from: $from wants an object when members stand beside it`,
		`{"$text":"a","$times":"x"}`:   `/$times: $times wants a whole number`,
		`{"$text":"aa","$times":1e99}`: `/$times: $times wants a whole number`,
		`{"$json":1,"b":2}`:            `/b: b cannot stand beside $json`,
		`"$base.broken"`:               `(root): $base.broken in base.yaml: nothing is named $nobody here`,
		`"$base"`:                      `(root): $base needs a name after it, as in $base.x`,
	} {
		s := newScope(t)
		s.Set("run", "r")
		s.Set("captured", parse(t, `{}`))
		_, err := s.Expand(parse(t, in))
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "mean run", "mean $run"), want) {
			t.Errorf("%s:\n got %v\nwant %s", in, err, want)
		}
	}
	_, err := newScope(t).Expand("$x")
	var e *Error
	if !errors.As(err, &e) || e.Unbound != "x" {
		t.Error(err)
	}
}

func TestChildReadsOuterNamesAndKeepsItsOwn(t *testing.T) {
	s := newScope(t)
	s.Set("a", "outer")
	c := s.Child()
	if v, err := c.Expand(parse(t, `["$a","$new.b"]`)); err != nil || value.Text(v) != `["outer","b-1"]` {
		t.Error(v, err)
	}
	if _, ok := s.Get("b"); ok {
		t.Error("the name of a child is visible outside")
	}
}

func TestSamplesAreReplacedAndLocated(t *testing.T) {
	s := newScope(t)
	s.Set("c", Sample{})
	v, err := s.Expand(parse(t, `{"a":"$target.x","b":["$c.deep","x${c}"],"f":{"$from":"$c","m":1},"j":{"$json":{"k":"$c"}},"t":{"$text":"$c","$times":2}}`))
	if err != nil {
		t.Fatal(err)
	}
	plain, pointers := Strip(v)
	if got := value.Text(plain); got != `{"a":"sample","b":["sample","sample"],"f":"sample","j":"sample","t":"sample"}` {
		t.Error(got)
	}
	if got := strings.Join(pointers, " "); got != "/a /b/0 /b/1 /f /j /t" {
		t.Error(got)
	}
}

func TestBaseIsNotChangedByMerging(t *testing.T) {
	s := newScope(t)
	before := value.Text(s.sources.Base)
	if _, err := s.Expand(parse(t, `{"$from":"$base.agent","params":{"maxTokens":9},"id":"z"}`)); err != nil {
		t.Fatal(err)
	}
	if after := value.Text(s.sources.Base); after != before {
		t.Error(after)
	}
}

func TestLazyValuesAreExpandedOnce(t *testing.T) {
	s := newScope(t)
	s.SetLazy("id", "$new.x")
	s.SetLazy("self", parse(t, `["$self"]`))
	c := s.Child()
	if v, err := c.Expand(parse(t, `["$id","$id","$x"]`)); err != nil || value.Text(v) != `["x-1","x-1","x-1"]` {
		t.Error(v, err)
	}
	if _, err := c.Expand("$self"); err == nil || err.Error() != "(root): $self among the values: $self among the values: it refers to itself" {
		t.Error(err)
	}
}

func TestExpandTextNeverTakesTheWholeForAPlaceholder(t *testing.T) {
	s := newScope(t)
	s.Set("a", "A")
	for in, want := range map[string]string{"$a": "$a", "${a}": "A", "$${a}": "${a}", "$$": "$$"} {
		if v, err := s.ExpandText(in); err != nil || v != want {
			t.Errorf("%s: %v %v", in, v, err)
		}
	}
}

package scenario

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hallmark-kit/hallmark/conformance/comitiva"
	"github.com/hallmark-kit/hallmark/conformance/requirement"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/schemas"
)

const catalogue = `
protocol: comitiva
features: { tool-servers: It starts tool servers. }
values: { model: A model. }
requirements:
  - { id: CO-02, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-04, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-31, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-36, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-48, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-79, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-112, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-80, level: MUST, role: shell, sentence: S, basis: { kind: prose } }
`

func library(t *testing.T) Library {
	t.Helper()
	p, err := comitiva.Protocol()
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{"requirements.yaml": {Data: []byte(catalogue)}}
	c, err := requirement.Load(fsys, "requirements.yaml", "requirements.yaml", schemas.FS, p)
	if err != nil {
		t.Fatal(err)
	}
	base, err := value.Parse([]byte(`{"ping":{"id":"$new.ping","type":"ping"},"tools":"$standin.tools.clock.launch"}`))
	if err != nil {
		t.Fatal(err)
	}
	return Library{
		Protocol: p, Catalogue: c, Base: base.(*value.Object), Faults: []string{"late", "loud"},
		Scripts: map[string]func([]byte) []Problem{KindTools: func(b []byte) []Problem {
			if strings.Contains(string(b), `"tolls"`) {
				return []Problem{{"/tolls", "there is no member tolls"}}
			}
			return nil
		}},
	}
}

// scenarioWith is a scenario whose steps, and whatever stands before them, are given.
func scenarioWith(rest string) []byte {
	head := "title: T\nrole: runner\ndecides: [CO-04, CO-31]\nfault: late\n"
	for _, own := range []string{"title:", "role:", "decides:", "fault:"} {
		if strings.Contains("\n"+rest, "\n"+own) {
			var kept []string
			for line := range strings.Lines(head) {
				if !strings.HasPrefix(line, own) {
					kept = append(kept, line)
				}
			}
			head = strings.Join(kept, "")
		}
	}
	return []byte(head + rest)
}

func TestScenariosAreRefusedWithPlaceAndReason(t *testing.T) {
	const ping = "steps:\n  - send: { id: a, type: ping }\n"
	cases := map[string]struct{ text, want string }{
		"no fault":                    {"fault:\n" + ping, "s.yaml:4:7: a string is expected"},
		"unknown fault":               {"fault: laet\n" + ping, "s.yaml:4:8: there is no fault laet; did you mean late?"},
		"unknown requirement":         {"decides: [CO-04, CO-32]\n" + ping, "s.yaml:4:18: there is no requirement CO-32; did you mean CO-02?"},
		"requirement of another role": {"decides: [CO-80]\n" + ping, "s.yaml:4:11: CO-80 binds a shell, and the scenario is about a runner"},
		"nothing decided":             {"decides: []\n" + ping, "s.yaml:4:10: at least 1 element is expected"},
		"unknown role":                {"role: runer\ndecides: [CO-04]\n" + ping, "there is no role runer; did you mean runner?"},
		"unknown feature":             {"needs: [tool-server]\n" + ping, "s.yaml:5:9: there is no feature tool-server; did you mean tool-servers?"},
		"unknown member":              {"wihtin: 1s\n" + ping, "s.yaml:5:1: there is no wihtin here; did you mean within?"},
		"unknown word":                {"steps:\n  - sned: { type: ping }\n", "s.yaml:6:5: there is no sned here; did you mean send?"},
		"no word":                     {"steps:\n  - within: 1s\n", "s.yaml:6:5: this step does not say what to do; one of these words is expected: check, close,"},
		"two words":                   {"steps:\n  - expect: {}\n    send: { id: a, type: ping }\n", "s.yaml:7:5: this step already says expect; one step has one word"},
		"member of another word":      {"steps:\n  - expect: { id: a }\n    line end: lf\n", "s.yaml:7:5: line end does not go with expect"},
		"bad duration":                {"within: 3 hours\n" + ping, "s.yaml:5:9: a length of time: a number and a unit, as in 250ms, 1.5s or 2m is expected"},
		"for an undecided one":        {"steps:\n  - expect: {}\n    for: CO-48\n", "s.yaml:7:10: CO-48 is not among the requirements that this scenario decides"},
		"invalid unsaid":              {"steps:\n  - send: { id: \"\", type: ping }\n", "s.yaml:6:11: this message is not valid: minLength at /id: at least 1 code point (RunnerRequest.json#/oneOf/0/properties/id/minLength); say so with invalid, or mend it"},
		"valid called invalid":        {"steps:\n  - send: { id: a, type: ping }\n    invalid: minLength at /id\n", "s.yaml:7:14: this message is valid, it does not break minLength at /id"},
		"another rule broken":         {"steps:\n  - send: { id: 7, type: ping }\n    invalid: minLength at /id\n", "s.yaml:7:14: this message does not break minLength at /id; it breaks type at /id: a string"},
		"malformed rule":              {"steps:\n  - send: { id: 7, type: ping }\n    invalid: type of /id\n", "s.yaml:7:14: KEYWORD at POINTER is expected, such as minLength at /runId or required at (root)"},
		"unknown name":                {"steps:\n  - send: { id: $new.ping, type: ping }\n  - expect: { id: $pnig }\n", "s.yaml:7:19: nothing is named $pnig here; did you mean ping?"},
		"unknown base value":          {"steps:\n  - send: $base.pong\n", "s.yaml:6:11: an object is expected"},
		"unknown base value in from":  {"steps:\n  - send: { $from: $base.pong }\n", "s.yaml:6:20: $base.pong: base.yaml has no such value; did you mean ping?"},
		"unknown matcher":             {"steps:\n  - expect: { id: { $patern: x } }\n", "s.yaml:6:21: there is no matcher $patern; did you mean pattern?"},
		"bad pattern":                 {"steps:\n  - expect: { id: { $pattern: '(' } }\n", "s.yaml:6:31: $pattern wants a regular expression (RE2): missing closing )"},
		"unknown stand-in":            {"steps:\n  - observe: tools.clock\n    sees: {}\n", "s.yaml:6:14: there is no stand-in tools.clock"},
		"stand-in not declared":       {"steps:\n  - let: { x: $base.tools }\n", "s.yaml:6:15: $base.tools in base.yaml: $standin.tools.clock.launch: this scenario has no such stand-in"},
		"unknown offer":               {"stand-ins: { tools: { clock: {} } }\nsteps:\n  - let: { x: $standin.tools.clock.lunch }\n", "s.yaml:7:15: $standin.tools.clock.lunch: the stand-in tools.clock offers no such value; did you mean launch?"},
		"bad script":                  {"stand-ins:\n  tools:\n    clock:\n      tolls: []\n" + ping, "s.yaml:8:14: there is no member tolls"},
		"observe without sees":        {"stand-ins: { tools: { clock: {} } }\nsteps:\n  - observe: tools.clock\n", "s.yaml:7:5: observe says with sees what the recording looks like; it is missing"},
		"unknown target value":        {"steps:\n  - let: { x: $target.modl }\n", "s.yaml:6:15: $target.modl: requirements.yaml declares no such value; did you mean model?"},
		"unknown file":                {"files: { a.sh: { text: x } }\nsteps:\n  - let: { x: $file.b.sh }\n", "s.yaml:7:15: $file.b.sh: this scenario has no such file; did you mean a.sh?"},
		"unknown type":                {"steps:\n  - expect: {}\n    valid as: { /result: PingResul }\n", "s.yaml:7:26: there is no type PingResul; did you mean PingResult?"},
		"both kinds of bytes":         {"steps:\n  - raw: { text: a, base64: YQ== }\n", "s.yaml:6:10: either text or base64 is expected"},
		"bad base64":                  {"steps:\n  - raw: { base64: Y }\n", "s.yaml:6:20: base64 with padding is expected"},
		"splits that go back":         {"steps:\n  - raw: { text: abc }\n    split at: [2, 1]\n", "s.yaml:7:15: the offsets are expected in ascending order"},
		"a value named new":           {"values: { new: 1 }\n" + ping, "s.yaml:5:11: a name of letters, digits and underscores is expected, none of new, base"},
		"an unused bad value":         {"values: { x: $y }\n" + ping, "s.yaml:5:14: nothing is named $y here"},
		"name of another round":       {"steps:\n  - repeat: { times: 2, steps: [ { send: { id: $new.p, type: ping } } ] }\n  - expect: { id: $p }\n", "s.yaml:7:19: nothing is named $p here"},
		"not YAML":                    {"steps: [\n", "s.yaml:5:8: this is not YAML: "},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Read("s", "s.yaml", scenarioWith(c.text), library(t))
			if len(errs) == 0 {
				t.Fatal("it was accepted")
			}
			got := strings.ReplaceAll(errs.Error(), "did you mean $", "did you mean ")
			if !strings.Contains(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestScenariosAreReadAsTheyAreWritten(t *testing.T) {
	s, errs := Read("s", "s.yaml", scenarioWith(`
needs: [tool-servers]
within: 1.5s
values: { padding: { $text: ab, $times: 3 } }
stand-ins:
  tools: { clock: { any: "${padding}" } }
steps:
  - send: { $from: $base.ping, padding: $padding }
    split every: 1
    line end: crlf
    note: byte by byte
  - for: CO-31
    in any order:
      - expect: { id: $ping, result: { $capture: got } }
        within: 250ms
      - in order:
          - send: { id: 7, type: ping }
            invalid: type at /id
          - check: $got.version
            is: { $type: string }
  - send: { id: x, type: toolServer.start, toolServer: $standin.tools.clock.launch }
  - send: { id: x, type: run.cancel, runId: $target.model }
  - raw: { base64: AAE=, times: 2 }
    split at: [1, 3]
`), library(t))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if s.Within.String() != "1.5s" || len(s.Steps) != 5 || strings.Join(s.Asks, " ") != "model" || s.StandIns[0].Ref != "tools.clock" {
		t.Errorf("%+v", s)
	}
	first := s.Steps[0]
	if first.For != "CO-04" || first.Writing.End != "\r\n" || first.Writing.Every != 1 || first.Note != "byte by byte" || first.Place.Line != 12 {
		t.Errorf("%+v", first)
	}
	inner := s.Steps[1].Steps[1].Steps[0]
	if inner.For != "CO-31" || inner.Invalid.String() != "type at /id" || s.Steps[1].Steps[0].Within.String() != "250ms" {
		t.Errorf("%+v", inner)
	}
	raw := s.Steps[4]
	if string(raw.Raw.Bytes) != "\x00\x01" || raw.Raw.Times != 2 {
		t.Errorf("%+v", raw.Raw)
	}
}

func TestWritingCutsChunks(t *testing.T) {
	for _, c := range []struct {
		w    Writing
		want string
	}{
		{Writing{}, "abcdef"}, {Writing{Every: 4}, "abcd ef"}, {Writing{Every: 1}, "a b c d e f"}, {Writing{Every: 6}, "abcdef"},
		{Writing{At: []int{1, 3}}, "a bc def"}, {Writing{At: []int{6, 9}}, "abcdef"}, {Writing{At: []int{2, 2}}, "ab cdef"},
	} {
		var parts []string
		for _, b := range c.w.Chunks([]byte("abcdef")) {
			parts = append(parts, string(b))
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%+v: %s", c.w, got)
		}
	}
}

func TestLoadNamesAllFilesThatAreWrong(t *testing.T) {
	fsys := fstest.MapFS{
		"scenarios/b/two.yaml": {Data: scenarioWith("steps: 1\n")},
		"scenarios/a.yaml":     {Data: scenarioWith("steps: []\n")},
		"scenarios/notes.txt":  {Data: []byte("no scenario")},
	}
	_, err := Load(fsys, "scenarios", "fixtures/scenarios", library(t))
	want := "fixtures/scenarios/a.yaml:5:8: at least 1 element is expected\nfixtures/scenarios/b/two.yaml:5:8: an array is expected"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("steps:\n  - send: { id: $new.a, type: ping }\n  - expect: { id: $a, x: { $any of: [1, { $capture: b }] } }\n")
	f.Add("values: { a: { $from: $a } }\nsteps:\n  - repeat: { times: 2, steps: [ { check: $a, is: 1 } ] }\n")
	f.Add("stand-ins: { model: { x: [$b] } }\nsteps:\n  - silence: { for: 1s, of: model }\n")
	p, err := comitiva.Protocol()
	if err != nil {
		f.Fatal(err)
	}
	c, err := requirement.Load(fstest.MapFS{"r": {Data: []byte(catalogue)}}, "r", "r", schemas.FS, p)
	if err != nil {
		f.Fatal(err)
	}
	lib := Library{Protocol: p, Catalogue: c}
	f.Fuzz(func(t *testing.T, text string) {
		s, errs := Read("s", "s.yaml", scenarioWith(text), lib)
		if (s == nil) == (len(errs) == 0) {
			t.Errorf("neither a scenario nor a reason, or both")
		}
	})
}

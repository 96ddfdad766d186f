package target

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/source"
)

var want = Expected{Protocol: "comitiva", Roles: []string{"runner"}, Features: []string{"ollama", "tool-servers"}, Values: []string{"model", "token"}}

func read(text string) (*Target, error) {
	return Read("/targets/t.yaml", []byte(text), want, func(name string) (string, bool) {
		return "s3cret", name == "MY_TOKEN"
	})
}

func TestReadFillsInWhatATargetFileSays(t *testing.T) {
	got, err := read(`
protocol: comitiva
name: Mine
version: 1.2.3
role: runner
start:
  command: [ ./bin/runner, --stdio ]
  cwd: work
  env: { B: "2", A: "1" }
  debug: { env: { LOG: trace }, args: [ -v ] }
features: [ ollama ]
values: { model: { name: m } }
secrets: { token: MY_TOKEN }
bounds: { step: 1.5s }
`)
	if err != nil {
		t.Fatal(err)
	}
	if got.Command[0] != filepath.FromSlash("/targets/bin/runner") || got.Dir != filepath.FromSlash("/targets/work") || got.Version != "1.2.3" {
		t.Errorf("%+v", got)
	}
	if strings.Join(got.Env, " ") != "A=1 B=2" || strings.Join(got.Debug.Env, " ") != "LOG=trace" || got.Debug.Args[0] != "-v" {
		t.Errorf("%+v", got)
	}
	if !got.Provides("ollama") || got.Provides("tool-servers") {
		t.Error("features")
	}
	if v, ok := got.Value([]string{"model", "name"}); !ok || v != "m" {
		t.Error(v, ok)
	}
	if v, ok := got.Value([]string{"token"}); !ok || v != "s3cret" {
		t.Error(v, ok)
	}
	if b := got.Bounds.WithDefaults(); b != (Bounds{10 * time.Second, 1500 * time.Millisecond, 30 * time.Second, 3 * time.Second}) {
		t.Errorf("%+v", b)
	}
}

func TestReadRefusesWithPlaceAndReason(t *testing.T) {
	const head = "protocol: comitiva\nname: N\nrole: runner\nstart: { command: [ runner ] }\n"
	for text, want := range map[string]string{
		"": "t.yaml:1:1: one YAML document is expected, found 0",
		"protocol: comitiva\nname: N\nrole: runner\n":           `t.yaml:1:1: the member "start" is expected`,
		head + "feature: [ollama]\n":                            "t.yaml:5:1: there is no feature here; did you mean features?",
		head + "features: [olama]\n":                            "t.yaml:5:12: there is no feature olama; did you mean ollama?",
		head + "values: { modell: 1 }\n":                        "t.yaml:5:19: there is no value that a scenario asks for, modell; did you mean model?",
		head + "secrets: { token: OTHER }\n":                    "t.yaml:5:19: the environment variable OTHER is not set",
		head + "bounds: { step: 0s }\n":                         "t.yaml:5:17: a length of time above zero and up to an hour is expected",
		head + "bounds: { step: soon }\n":                       "t.yaml:5:17: a length of time: a number and a unit",
		strings.Replace(head, "comitiva", "nylorun", 1):         "t.yaml:1:11: the protocol comitiva is expected",
		strings.Replace(head, "role: runner", "role: shell", 1): "t.yaml:3:7: there is no role shell",
		strings.Replace(head, "[ runner ]", "[]", 1):            "t.yaml:4:19: at least 1 element is expected",
	} {
		_, err := read(text)
		var errs source.Errors
		if !errors.As(err, &errs) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestSkeletonIsATargetFile(t *testing.T) {
	text := Skeleton(Described{
		Protocol: "comitiva", Role: "runner",
		Features: []Entry{{"ollama", "Runs ollama."}, {"tool-servers", "Starts tool servers."}}, Values: []Entry{{"model", "A model."}},
	})
	got, err := read(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got.Command[0] != "my-runner" || len(got.Features) != 2 {
		t.Errorf("%+v", got)
	}
}

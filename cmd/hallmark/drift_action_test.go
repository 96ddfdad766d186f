package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

const actionFolder = "../../.github/actions/drift"

// action is what the test reads of an action.yml.
type action struct {
	Name, Description string
	Inputs            map[string]struct {
		Description string
		Required    bool
		Default     any
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			Name, ID, Uses, Shell, Run string
			Env, With                  map[string]string
		}
	}
}

func readYAML(t *testing.T, file string, into any) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %s", file, yaml.FormatError(err, false, true))
	}
	return string(data)
}

var expression = regexp.MustCompile(`\$\{\{ *inputs\.([a-z-]+) *\}\}`)

func TestTheActionIsComplete(t *testing.T) {
	var a action
	text := readYAML(t, filepath.Join(actionFolder, "action.yml"), &a)
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("it is no composite action: %+v", a)
	}
	used := map[string]bool{}
	for _, m := range expression.FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
		if _, known := a.Inputs[m[1]]; !known {
			t.Errorf("the input %s is used and not declared", m[1])
		}
	}
	for name, in := range a.Inputs {
		if in.Description == "" || !used[name] || !in.Required && in.Default == nil {
			t.Errorf("the input %s has no description, no default, or is not used: %+v", name, in)
		}
	}
	script, err := os.ReadFile(filepath.Join(actionFolder, "drift.sh"))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, s := range a.Runs.Steps {
		ids[s.ID] = true
		if (s.Uses == "") == (s.Run == "") || s.Run != "" && s.Shell == "" {
			t.Errorf("the step %q needs uses, or run and shell", s.Name)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("the step %q puts an expression into a script; give it as a variable", s.Name)
		}
		for name := range s.Env {
			if !strings.Contains(string(script), name) {
				t.Errorf("the script does not read %s", name)
			}
		}
	}
	for name, out := range a.Outputs {
		step, key, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(out.Value, "${{ steps."), " }}"), ".outputs.")
		if !ids[step] || !strings.Contains(string(script), key+"=") {
			t.Errorf("no step writes the output %s (%s)", name, out.Value)
		}
	}
}

var longFlag = regexp.MustCompile(`(?:^|[\s(])--([a-z][a-z-]*)`)

// TestCIFilesUseFlagsThatExist reads every call of the command in the CI files and
// the documentation of drift.
func TestCIFilesUseFlagsThatExist(t *testing.T) {
	flags := (&program{}).driftCommand().Flags()
	files := []string{filepath.Join(actionFolder, "drift.sh"), "../../docs/ci/gitlab-drift.yml", "../../docs/drift.md"}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "\\\n", " ")
		calls := 0
		for line := range strings.Lines(text) {
			_, call, drift := strings.Cut(line, "hallmark drift")
			if !drift && !strings.Contains(line, "flags") && !strings.Contains(line, `" drift `) {
				continue
			}
			if !drift {
				call = line
			}
			calls++
			for _, m := range longFlag.FindAllStringSubmatch(call, -1) {
				if flags.Lookup(m[1]) == nil {
					t.Errorf("%s: there is no flag --%s: %s", file, m[1], line)
				}
			}
		}
		if calls == 0 {
			t.Errorf("%s calls nothing", file)
		}
	}
}

func TestCIExamplesAreWellFormed(t *testing.T) {
	var gitlab map[string]struct {
		Image        string
		Script       []string
		BeforeScript []string `yaml:"before_script"`
		Artifacts    struct{ Paths []string }
	}
	readYAML(t, "../../docs/ci/gitlab-drift.yml", &gitlab)
	if job := gitlab["drift"]; job.Image == "" || len(job.Script) == 0 || len(job.BeforeScript) == 0 || len(job.Artifacts.Paths) == 0 {
		t.Errorf("the job is not complete: %+v", job)
	}
	var github struct {
		Jobs map[string]struct {
			RunsOn string `yaml:"runs-on"`
			Steps  []struct {
				Uses string
				With map[string]any
			}
		}
	}
	readYAML(t, "../../docs/ci/github-drift.yml", &github)
	var a action
	readYAML(t, filepath.Join(actionFolder, "action.yml"), &a)
	ours := 0
	for _, s := range github.Jobs["drift"].Steps {
		if !strings.HasPrefix(s.Uses, "hallmark-kit/hallmark/.github/actions/drift@") {
			continue
		}
		ours++
		for name := range s.With {
			if _, known := a.Inputs[name]; !known {
				t.Errorf("the action has no input %s", name)
			}
		}
		for name, in := range a.Inputs {
			if _, given := s.With[name]; in.Required && !given {
				t.Errorf("the input %s is missing", name)
			}
		}
	}
	if ours != 1 || !slices.Contains([]string{"ubuntu-latest"}, github.Jobs["drift"].RunsOn) {
		t.Errorf("the workflow does not use the action: %+v", github)
	}
}

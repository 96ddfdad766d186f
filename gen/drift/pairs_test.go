package drift_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hallmark-kit/hallmark/gen/drift"
)

// TestPairs judges pairs of documents whose answers are known: each file of
// testdata/pairs holds old.json and new.json, and above them the verdict and the
// rules that must be found, one a line.
func TestPairs(t *testing.T) {
	files, err := filepath.Glob("testdata/pairs/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// A file may hold several pairs: NAME/old.json and NAME/new.json, with lines
		// "NAME VERDICT RULE..." above.
		text := map[string]string{}
		for _, f := range archive.Files {
			text[f.Name] = string(f.Data)
		}
		for line := range strings.Lines(string(archive.Comment)) {
			words := strings.Fields(line)
			if len(words) < 2 || words[0] == "#" {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+words[0], func(t *testing.T) {
				put := func(part string) string { return text[words[0]+"/"+part] }
				r := compare(t, put("old.json"), put("new.json"), drift.Options{Direction: drift.Request})
				if string(r.Verdict) != words[1] {
					t.Errorf("%s was expected, not %s: %+v", words[1], r.Verdict, r.Findings)
				}
				for _, rule := range words[2:] {
					found := false
					for _, f := range r.Findings {
						found = found || f.Rule == rule
					}
					if !found {
						t.Errorf("the rule %s was not found: %+v", rule, r.Findings)
					}
				}
				for _, f := range r.Findings {
					if f.Class == drift.Breaking && f.Witness == nil {
						t.Errorf("%s breaks without a witness", f.Rule)
					}
				}
			})
		}
	}
}

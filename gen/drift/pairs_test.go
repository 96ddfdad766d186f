package drift_test

import (
	"encoding/json"
	"path/filepath"
	"strconv"
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
		// "NAME VERDICT RULE..." above. A name may end with the direction, as @response.
		// After a slash comes the verdict where clients are upgraded first.
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
				direction := drift.Request
				if _, d, said := strings.Cut(words[0], "@"); said {
					direction = drift.Direction(d)
				}
				if strings.Contains(put("old.json"), `"topic"`) {
					direction = drift.Unsaid // the event definition says it
				}
				verdict, other, both := strings.Cut(words[1], "/")
				if both {
					r := compare(t, put("old.json"), put("new.json"), drift.Options{Direction: direction, Upgrade: drift.ClientFirst})
					if string(r.Verdict) != other {
						t.Errorf("with clients upgraded first %s was expected, not %s: %+v", other, r.Verdict, r.Findings)
					}
				}
				r := compare(t, put("old.json"), put("new.json"), drift.Options{Direction: direction})
				if string(r.Verdict) != verdict {
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
					if f.Class == drift.Breaking && f.Witness.Schema+f.Witness.Instance != "" && !shown(t, put("old.json"), put("new.json"), f.Witness) {
						t.Errorf("%s does not show %s", f.Witness.Message, f.Rule)
					}
				}
			})
		}
	}
}

// shown tells whether an independent validator finds a schema in both documents
// that accepts the witness in the one and refuses it in the other.
func shown(t *testing.T, old, new string, w *drift.Witness) bool {
	t.Helper()
	accepting, refusing := old, new
	if w.AcceptedBy == "new" {
		accepting, refusing = new, old
	}
	if strings.Contains(old, `"openapi": "3.0`) {
		return true // another dialect: the validator has no word in it
	}
	both := map[string]int{}
	for i, text := range []string{old, new} {
		var doc any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		for _, pointer := range schemasIn(doc, "") {
			both[pointer] |= 1 << i
		}
	}
	for pointer, in := range both {
		if in == 3 && valid(t, judgeAt(t, accepting, pointer), w.Message) && !valid(t, judgeAt(t, refusing, pointer), w.Message) {
			return true
		}
	}
	return false
}

// schemasIn gives the pointers of a document's messages: itself, the payload of
// an event, or those of an OpenAPI description.
func schemasIn(v any, at string) (list []string) {
	switch v := v.(type) {
	case map[string]any:
		switch {
		case at == "" && v["topic"] != nil:
			return []string{"/payloadSchema"}
		case at == "" && v["openapi"] == nil:
			return []string{""}
		}
		for name, member := range v {
			pointer := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			if name == "schema" {
				list = append(list, pointer)
			}
			list = append(list, schemasIn(member, pointer)...)
		}
	case []any:
		for i, item := range v {
			list = append(list, schemasIn(item, at+"/"+strconv.Itoa(i))...)
		}
	}
	return list
}

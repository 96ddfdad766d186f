package drift_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/gen/drift"
	"github.com/hallmark-kit/hallmark/gen/drift/internal/large"
	"github.com/hallmark-kit/hallmark/schemas"
)

type obj = map[string]any

func TestOneEditOfASharedSchemaIsOneFinding(t *testing.T) {
	r := compare(t, string(large.Description(`{"type": "string", "maxLength": 64}`, 0)), string(large.Description(`{"type": "string", "maxLength": 32}`, 0)), drift.Options{})
	if len(r.Findings) != 1 || r.Findings[0].Rule != "max-length-lowered" || r.Findings[0].Class != drift.Breaking || r.Findings[0].Reach.Count != 620 {
		t.Errorf("one finding that reaches 620 operations was expected: %+v", r.Findings)
	}
	if len(r.Notes) != 1 {
		t.Errorf("the version did not move: %v", r.Notes)
	}
}

// unions makes unions of unions, every branch leading to the next union: of a
// member, or where plain of the same value.
func unions(depth, width int, keyword string, plain bool, leaf obj) string {
	defs := obj{fmt.Sprintf("u%d", depth): leaf}
	for d := range depth {
		next := obj{"$ref": fmt.Sprintf("#/$defs/u%d", d+1)}
		var branches []any
		for w := range width {
			if plain && w%2 == 1 {
				branches = append(branches, obj{"allOf": []any{next, obj{"not": obj{"const": w}}}})
				continue
			}
			branches = append(branches, obj{"type": "object", "required": []string{"k", "next"}, "properties": obj{"k": obj{"const": w}, "next": next}})
		}
		defs[fmt.Sprintf("u%d", d)] = obj{keyword: branches}
	}
	text, err := json.Marshal(obj{"$ref": "#/$defs/u0", "$defs": defs})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestUnionsOfUnionsDoNotExplode(t *testing.T) {
	for _, c := range []struct {
		keyword string
		plain   bool
	}{{"anyOf", false}, {"oneOf", false}, {"anyOf", true}} {
		t.Run(fmt.Sprintf("%s, of the same value: %t", c.keyword, c.plain), func(t *testing.T) {
			deadline := time.AfterFunc(5*time.Minute, func() { panic("comparing unions of unions takes too long") })
			defer deadline.Stop()
			old := unions(16, 8, c.keyword, c.plain, obj{"type": "string", "maxLength": 5})
			for _, n := range []struct {
				leaf obj
				want drift.Class
			}{
				{obj{"type": "string", "maxLength": 4}, drift.Breaking},
				{obj{"type": "string", "maxLength": 6}, drift.Compatible},
				{obj{"type": "string", "maxLength": 5, "minLength": 0}, drift.Compatible},
			} {
				if c.plain && n.want == drift.Breaking {
					// That is found, but the validator, which remembers nothing, would look at
					// every string 4 to the 16th times: without its word it is not breaking.
					n.want = drift.Undecided
				}
				if r := compare(t, old, unions(16, 8, c.keyword, c.plain, n.leaf), drift.Options{Direction: drift.Request}); r.Verdict != n.want {
					t.Errorf("%s, not %s: %+v", r.Verdict, n.want, r.Findings)
				}
			}
		})
	}
}

func BenchmarkLarge(b *testing.B) {
	old, new := string(large.Description(`{"type": "string", "maxLength": 64}`, 0)), string(large.Description(`{"type": "string", "maxLength": 32}`, 0))
	b.SetBytes(int64(len(old)))
	b.ReportAllocs()
	for b.Loop() {
		compare(b, old, new, drift.Options{})
	}
}

// BenchmarkDocuments compares the documents of the protocols with themselves.
func BenchmarkDocuments(b *testing.B) {
	names := []string{"comitiva/RunnerRequest.json", "nylorun/harness-api.v5.json", "agenticdriver/openapi.json", "tutti/side.updated.event.json"}
	var texts []string
	for _, name := range names {
		data, err := schemas.FS.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	for b.Loop() {
		for i, text := range texts {
			in := drift.Input{Name: names[i], Data: []byte(text)}
			if r, err := drift.Compare(in, in, drift.Options{}); err != nil || len(r.Findings) > 0 {
				b.Fatal(err, r)
			}
		}
	}
}

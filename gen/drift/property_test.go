package drift_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmark-kit/hallmark/gen/drift"
	"github.com/hallmark-kit/hallmark/gen/drift/internal/world"
)

// properties runs a property over seeds.
func properties(t *testing.T, name string, tests int, holds func(r *rand.Rand) (string, bool)) {
	t.Helper()
	parameters := gopter.DefaultTestParametersWithSeed(1)
	parameters.MinSuccessfulTests = tests
	p := gopter.NewProperties(parameters)
	p.Property(name, prop.ForAll(func(seed int64) (string, error) {
		if why, ok := holds(rand.New(rand.NewSource(seed))); !ok {
			return "", fmt.Errorf("seed %d: %s", seed, why)
		}
		return "", nil
	}, gen.Int64()))
	p.TestingRun(t)
}

func compare(t testing.TB, old, new string, o drift.Options) *drift.Report {
	t.Helper()
	r, err := drift.Compare(drift.Input{Name: "old.json", Data: []byte(old)}, drift.Input{Name: "new.json", Data: []byte(new)}, o)
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, old, new)
	}
	return r
}

func TestADocumentHasNotDriftedFromItself(t *testing.T) {
	properties(t, "no findings", 400, func(r *rand.Rand) (string, bool) {
		s := world.Text(world.Small(r, 1+r.Intn(3)))
		// A blank keeps the comparison from stopping at equal texts.
		report := compare(t, s, s+" ", drift.Options{})
		return fmt.Sprintf("%v for %s", report.Findings, s), len(report.Findings) == 0
	})
}

func TestSayingTheSameInAnotherWayIsNoChange(t *testing.T) {
	undecided := 0
	properties(t, "no findings", 1500, func(r *rand.Rand) (string, bool) {
		x := world.Small(r, 1+r.Intn(3))
		old, new := world.Text(x), world.Text(world.Rewrite(r, x))
		if r.Intn(2) == 0 {
			old, new = new, old
		}
		report := compare(t, old, new, drift.Options{})
		if report.Verdict == drift.Undecided {
			undecided++
			return "", true
		}
		return fmt.Sprintf("%v for\n%s\n%s", report.Findings, old, new), len(report.Findings) == 0
	})
	if undecided > 15 {
		t.Errorf("%d of 1500 rewrites are undecided", undecided)
	}
}

// TestChangesAreJudgedAsTheirMessagesSay holds verdicts on random changes against
// many messages that an independent validator judges.
func TestChangesAreJudgedAsTheirMessagesSay(t *testing.T) {
	counts := map[drift.Class]int{}
	properties(t, "verdict", 1500, func(r *rand.Rand) (string, bool) {
		x := world.Small(r, 1+r.Intn(3))
		y := world.Mutate(r, x, 3)
		old, new := world.Text(x), world.Text(y)
		pair := "\n" + old + "\n" + new
		direction, sender, receiver := drift.Request, old, new
		if r.Intn(2) == 0 {
			direction, sender, receiver = drift.Response, new, old
		}
		report := compare(t, old, new, drift.Options{Direction: direction})
		counts[report.Verdict]++
		s, v := judge(t, sender), judge(t, receiver)
		for _, f := range report.Findings {
			if f.Witness == nil {
				if f.Class == drift.Breaking {
					return "a breaking finding without a witness: " + f.Summary + pair, false
				}
				continue
			}
			if !valid(t, s, f.Witness.Message) || valid(t, v, f.Witness.Message) {
				return f.Witness.Message + " shows nothing" + pair, false
			}
		}
		if report.Verdict == drift.Breaking || report.Verdict == drift.Undecided {
			return "", true
		}
		for _, i := range world.Instances {
			if valid(t, s, i) && !valid(t, v, i) && (report.Verdict != drift.Risky || !usesNewName(i, sender, receiver)) {
				return fmt.Sprintf("%s (%s), but %s breaks it%s", report.Verdict, direction, i, pair), false
			}
		}
		return "", true
	})
	t.Logf("verdicts: %v", counts)
	if counts[drift.Undecided] > 15 {
		t.Errorf("%d of 1500 changes are undecided", counts[drift.Undecided])
	}
}

// usesNewName tells whether a message has a member that the receiver's schema
// mentions. It is coarse: it only excuses a verdict of risky.
func usesNewName(instance, sender, receiver string) bool {
	for _, name := range []string{"a", "b", "c"} {
		quoted := `"` + name + `":`
		if strings.Contains(instance, quoted) && strings.Contains(receiver, quoted) {
			return true
		}
	}
	return false
}

// judge compiles a schema with the independent validator.
func judge(t testing.TB, s string) *jsonschema.Schema { return judgeAt(t, s, "") }

// judgeAt compiles the schema at a place of a document.
func judgeAt(t testing.TB, s, pointer string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("s.json#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return compiled
}

func valid(t testing.TB, s *jsonschema.Schema, message string) bool {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(message))
	if err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	return s.Validate(v) == nil
}

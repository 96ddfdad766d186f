package inclusion_test

import (
	"math/rand"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/drift/inclusion"
	"github.com/hallmark-kit/hallmark/gen/drift/internal/world"
)

// TestAnswersAgreeWithTheOracle asks about random pairs of a small world: a value
// that is found is one by the oracle; where there is none no instance is one.
func TestAnswersAgreeWithTheOracle(t *testing.T) {
	counts := map[inclusion.Status]int{}
	undecided := map[string]int{}
	for seed := range int64(4000) {
		r := rand.New(rand.NewSource(seed))
		x := world.Small(r, 1+r.Intn(3))
		y := world.Mutate(r, x, 3)
		if r.Intn(6) == 0 {
			y = world.Small(r, 1+r.Intn(2))
		}
		a, b := world.Text(x), world.Text(y)
		if _, isBool := x.(bool); isBool {
			continue
		}
		if _, isBool := y.(bool); isBool {
			continue
		}
		s := inclusion.New(inclusion.Options{})
		answer := s.Included(graph(t, "a.json", a), graph(t, "b.json", b))
		counts[answer.Status]++
		p, q := judge(t, a), judge(t, b)
		switch answer.Status {
		case inclusion.Found:
			v := string(inclusion.AppendJSON(nil, answer.Value))
			if !valid(t, p, v) || valid(t, q, v) {
				t.Fatalf("seed %d: %s is no witness (%t, %t) for\n%s\n%s", seed, v, valid(t, p, v), valid(t, q, v), a, b)
			}
		case inclusion.None:
			for _, i := range world.Instances {
				if valid(t, p, i) && !valid(t, q, i) {
					t.Fatalf("seed %d: no value was found, but %s is one for\n%s\n%s", seed, i, a, b)
				}
			}
		case inclusion.Unknown:
			undecided[answer.Keyword]++
			if undecided[answer.Keyword] < 4 {
				t.Logf("undecided by %q:\n%s\n%s", answer.Keyword, a, b)
			}
		}
	}
	t.Logf("answers: none %d, found %d, undecided %d %v", counts[inclusion.None], counts[inclusion.Found], counts[inclusion.Unknown], undecided)
	if n := counts[inclusion.Unknown]; n > 40 {
		t.Errorf("%d pairs of 4000 are undecided", n)
	}
}

package differential

import (
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/sample"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

var (
	instances = flag.Int("instances", 20_000, "how many generated instances to judge, over all packages")
	seed      = flag.Uint64("seed", 1, "where random choices start; one seed gives the same instances")
)

// perType is how many disagreements of one type are printed.
const perType = 3

// report prints a disagreement with the smallest instance that shows one.
func report(t *testing.T, s *subject, origin string, data []byte, why string, judge func(*subject, []byte) string) {
	t.Helper()
	small := sample.Shrink(data, func(b []byte) bool { return kindOf(judge(s, b)) == kindOf(why) })
	t.Errorf("%v, %s, seed %d:\n\t%s\n\t%s", s, origin, *seed, abridged(small), judge(s, small))
}

// kindOf is the part of a disagreement that names no place.
func kindOf(why string) string {
	for i := range len(why) {
		if why[i] == ':' {
			return why[:i]
		}
	}
	return why
}

func abridged(b []byte) string {
	if len(b) > 2000 {
		return fmt.Sprintf("%s… (%d bytes)", b[:2000], len(b))
	}
	return string(b)
}

func TestFixturesAreJudgedAsByTheOracle(t *testing.T) {
	for _, p := range packages {
		found := messages(t, p.name)
		for _, s := range subjectsOf(t, p.name) {
			for _, name := range slices.Sorted(maps.Keys(found)) {
				if why := disagreement(s, found[name]); why != "" {
					report(t, s, name, found[name], why, disagreement)
				}
				if why := formatDisagreement(s, found[name], assertFormats); why != "" {
					report(t, s, name+" with formats asserted", found[name], why, withFormats)
				}
			}
		}
	}
}

func assertFormats(s *subject, data []byte) error { return s.validate(data, wire.AssertFormats()) }

func withFormats(s *subject, data []byte) string { return formatDisagreement(s, data, assertFormats) }

// tally is what instances were judged.
type tally struct{ valid, boundary, miss, mutant, refused int }

func (c tally) total() int { return c.valid + c.boundary + c.miss + c.mutant }

func TestGeneratedInstancesAreJudgedAsByTheOracle(t *testing.T) {
	types := 0
	for _, p := range packages {
		types += len(p.types)
	}
	share := max(*instances/types, 8)
	for _, p := range packages {
		t.Run(p.name, func(t *testing.T) {
			var sum tally
			for _, s := range subjectsOf(t, p.name) {
				c := judgeInstances(t, s, share, corpus(t, p.name))
				sum.valid += c.valid
				sum.boundary += c.boundary
				sum.miss += c.miss
				sum.mutant += c.mutant
				sum.refused += c.refused
			}
			t.Logf("%d instances: %d valid, %d at boundaries, %d near misses, %d mutants; %d of them refused",
				sum.total(), sum.valid, sum.boundary, sum.miss, sum.mutant, sum.refused)
		})
	}
}

// corpus is what mutants are made from besides generated instances.
func corpus(t *testing.T, protocol string) [][]byte {
	found := messages(t, protocol)
	var all [][]byte
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[name])
	}
	return all
}

// judgeInstances judges a share of instances of one type.
func judgeInstances(t *testing.T, s *subject, share int, messages [][]byte) (c tally) {
	rng := rand.New(rand.NewPCG(*seed, hash(s.String())))
	sampler := sample.New(s.node, sample.Seed(rng.Uint64()), sample.GaveUp(func(k sample.Skipped) {
		if testing.Verbose() {
			t.Logf("%v: %v", s, k)
		}
	}))
	failures := 0
	judge := func(origin string, data []byte) bool {
		why, how := disagreement(s, data), disagreement
		if why == "" {
			why, how = withFormats(s, data), withFormats
		}
		if s.validate(data) != nil {
			c.refused++
		}
		if why == "" {
			return true
		}
		if failures++; failures <= perType {
			report(t, s, origin, data, why, how)
		}
		return failures < 100
	}
	// What is nearest to the root comes first. What is far down belongs to a type of
	// its own, most of the time; a long run makes it here too.
	var edges, misses, valid [][]byte
	for b := range sampler.Boundaries() {
		if edges = append(edges, b.JSON); len(edges) >= share {
			break
		}
	}
	for m := range sampler.NearMisses() {
		if misses = append(misses, m.JSON); len(misses) >= share {
			break
		}
	}
	some := func(list [][]byte) [][]byte {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list[:min(len(list), share/4)]
	}
	for _, data := range some(edges) {
		c.boundary++
		if !judge("boundary", data) {
			return c
		}
	}
	for _, data := range some(misses) {
		c.miss++
		if !judge("near miss", data) {
			return c
		}
	}
	for c.total() < share {
		data, ok := sampler.Valid(rng)
		if !ok {
			t.Errorf("%v: no instance", s)
			return c
		}
		valid = append(valid, data)
		c.valid++
		if !judge("valid", data) {
			return c
		}
		for range 4 {
			origin := pick(rng, valid)
			if len(messages) > 0 && rng.IntN(4) == 0 {
				origin = pick(rng, messages)
			} else if len(edges) > 0 && rng.IntN(3) == 0 {
				origin = pick(rng, edges)
			}
			c.mutant++
			if !judge("mutant", sample.Mutate(rng, origin)) {
				return c
			}
		}
	}
	return c
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

func TestExplainedDisagreementsHaveTheRightAnswer(t *testing.T) {
	for _, e := range explained {
		for _, s := range subjectsOf(t, e.protocol) {
			if s.name != e.name {
				continue
			}
			if got := s.validate([]byte(e.json)) == nil; got != e.valid {
				t.Errorf("%v: %s: valid is %t, want %t: %s", s, e.json, got, e.valid, e.why)
			}
			if s.oracle.Valid([]byte(e.json)) == e.valid {
				t.Errorf("%v: %s: the oracle agrees by now; the entry can go", s, e.json)
			}
		}
	}
}

func TestTextFaultsAreTheReadersToFind(t *testing.T) {
	for text, faulty := range map[string]bool{
		`{"a":1,"b":{"a":2}}`: false, `{"a":1,"\u0061":2}`: true, `[{"a":1},{"a":2}]`: false, `{"a":[{"b":1,"b":2}]}`: true,
		`"\ud83d\ude00"`: false, `"\ud83d"`: true, `"\ude00"`: true, `"\\ud83d"`: false, `"\ud83d\n"`: true, `"\ud83dx\ude00"`: true,
		"\"\xff\"": true, `{"\ud800":1}`: true,
	} {
		if got := textFault([]byte(text)) != nil; got != faulty {
			t.Errorf("%s: faulty is %t, want %t", text, got, faulty)
		}
	}
}

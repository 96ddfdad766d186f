package differential

import (
	"maps"
	"slices"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/sample"
)

// fuzz holds the types of a package against the oracle on any bytes. The number
// picks the type; whole messages come first.
func fuzz(f *testing.F, protocol string) {
	types := slices.Clone(subjectsOf(f, protocol))
	slices.SortStableFunc(types, func(x, y *subject) int { return len(x.node.Pointer) - len(y.node.Pointer) })
	found := messages(f, protocol)
	for i, s := range types {
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if s.validate(found[name]) == nil {
				f.Add(uint16(i), found[name])
			}
		}
		n := 0
		for b := range sample.Boundaries(s.node) {
			if f.Add(uint16(i), b.JSON); n == 4 {
				break
			}
			n++
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, data []byte) {
		s := types[int(which)%len(types)]
		if why := disagreement(s, data); why != "" {
			t.Errorf("%v: %s", s, why)
		}
	})
}

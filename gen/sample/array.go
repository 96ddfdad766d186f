package sample

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/schema"
)

// arrayMaker makes one array by a plan.
type arrayMaker struct {
	*maker
	plan   *plan
	unique bool
	keys   map[string]bool // of the items so far, where they must differ
}

func (m *maker) array(p *plan) *value {
	a := &arrayMaker{maker: m, plan: p, keys: map[string]bool{}}
	low, high := bounds(p.nodes, func(n *schema.Node) (*int64, *int64) { return n.MinItems, n.MaxItems })
	var wanted []*schema.Node // one contains for each item it must have
	for _, n := range p.nodes {
		a.unique = a.unique || n.UniqueItems
		if n.Contains == nil {
			continue
		}
		least := int64(1)
		if n.MinContains != nil {
			least = *n.MinContains
		}
		for range min(least, maxItems) {
			wanted = append(wanted, n.Contains)
		}
	}
	size, ok := a.size(low, high, len(wanted))
	if !ok {
		return nil
	}
	at := a.errandIndex(size)
	if at >= size || int64(size) < a.errandSize() {
		return nil
	}
	contained := a.places(size, wanted)
	v := array()
	for i := range size {
		var e *errand
		if p.into != nil && i == at {
			e = p.into.onward()
			if n := p.into.next().Node; p.into.next().Keyword == "contains" && !slices.Contains(contained[i], n) {
				contained[i] = append(contained[i], n)
			}
		}
		item := a.item(i, contained[i], e)
		if item == nil {
			if e == nil && int64(i) >= low && i >= at && len(contained) == 0 && p.wish == nil {
				break // shorter will do
			}
			return nil
		}
		v.Items = append(v.Items, item)
	}
	return v
}

// size picks how many items there will be.
func (a *arrayMaker) size(low, high int64, wanted int) (int, bool) {
	low = max(low, int64(wanted), a.errandSize())
	low, high = a.plan.sizes(low, high)
	if low > maxItems || low > high {
		return 0, false
	}
	most := low
	if !a.plan.small && (a.plan.wish == nil || a.plan.wish.size == nil) {
		most = min(high, low+int64(a.rng.IntN(4)))
	}
	size := low
	for size < most && !a.refused(int(size)) {
		size++
	}
	return int(size), true
}

// errandIndex is the index of the item that an errand goes on in, -1 without one.
func (a *arrayMaker) errandIndex(size int) int {
	switch in := a.plan.into; {
	case in == nil:
		return -1
	case in.next().Keyword == "prefixItems":
		return in.next().Index
	}
	return size - 1 // behind what prefixItems takes
}

// errandSize is how many items an errand needs at least.
func (a *arrayMaker) errandSize() int64 {
	in := a.plan.into
	if in == nil {
		return 0
	}
	most := 0
	switch in.next().Keyword {
	case "prefixItems":
		most = in.next().Index
	case "items", "unevaluatedItems":
		for _, n := range a.plan.nodes {
			most = max(most, len(n.PrefixItems))
		}
	}
	return int64(most) + 1
}

// places spreads the items that contains wants over the array, the last first:
// there prefixItems is least in the way.
func (a *arrayMaker) places(size int, wanted []*schema.Node) map[int][]*schema.Node {
	places := map[int][]*schema.Node{}
	for i, n := range wanted {
		at := size - 1 - i%max(size, 1)
		places[at] = append(places[at], n)
	}
	return places
}

func (a *arrayMaker) item(i int, contained []*schema.Node, e *errand) *value {
	conj := append(a.s.itemSchemas(a.plan.nodes, i, contained...), contained...)
	tries := 1
	if a.unique {
		tries = 24
	}
	for range tries {
		v := a.make(conj, e, a.plan.depth+1)
		if v == nil {
			return nil
		}
		if !a.unique {
			return v
		}
		if key := v.Canonical(); !a.keys[key] {
			a.keys[key] = true
			return v
		}
	}
	return nil
}

// itemSchemas gives what applies to the item at an index, besides those of contains that it is chosen to match. What
// contains matches is evaluated, so unevaluatedItems holds for the others; where it refuses them, they have to match.
func (s *Sampler) itemSchemas(nodes []*schema.Node, i int, contained ...*schema.Node) []*schema.Node {
	var conj []*schema.Node
	for _, n := range nodes {
		switch {
		case i < len(n.PrefixItems):
			conj = append(conj, n.PrefixItems[i])
		case n.Items != nil:
			conj = append(conj, n.Items)
		}
	}
	if len(conj) > 0 || len(contained) > 0 {
		return conj
	}
	for _, n := range nodes {
		switch {
		case n.UnevaluatedItems == nil:
		case n.Contains != nil && closed(n.UnevaluatedItems):
			conj = append(conj, n.Contains)
		default:
			conj = append(conj, n.UnevaluatedItems)
		}
	}
	return conj
}

// refused tells whether no item may be at an index.
func (a *arrayMaker) refused(i int) bool {
	return slices.ContainsFunc(a.s.itemSchemas(a.plan.nodes, i), func(n *schema.Node) bool { return n.Always != nil && !*n.Always })
}

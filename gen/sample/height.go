package sample

import (
	"math"

	"github.com/hallmark-kit/hallmark/gen/schema"
)

// never is the height of a schema no finite value of which is known.
const never = math.MaxInt32

// heights estimates for every schema that can be reached how deep its shallowest
// instance nests. Where only a small value is wanted, the branch of least height
// leads to an end, also in a schema that refers to itself.
func heights(root *schema.Node) map[*schema.Node]int {
	var order []*schema.Node
	root.Walk(func(n *schema.Node) bool {
		order = append(order, n)
		return true
	})
	h := make(map[*schema.Node]int, len(order))
	for _, n := range order {
		h[n] = never
	}
	for changed := true; changed; {
		changed = false
		// What is far from the root tends to be known first.
		for i := len(order) - 1; i >= 0; i-- {
			if now := height(order[i], h); now < h[order[i]] {
				h[order[i]], changed = now, true
			}
		}
	}
	return h
}

func height(n *schema.Node, h map[*schema.Node]int) int {
	if n.Always != nil {
		if *n.Always {
			return 0
		}
		return never
	}
	most := 0
	need := func(c *schema.Node, more int) {
		if c == nil {
			return
		}
		if h[c] == never {
			most = never
			return
		}
		most = max(most, h[c]+more)
	}
	need(n.Ref, 0)
	need(n.DynamicRef, 0)
	for _, c := range n.AllOf {
		need(c, 0)
	}
	for _, branches := range [][]*schema.Node{n.AnyOf, n.OneOf} {
		if branches == nil {
			continue
		}
		least := branches[0]
		for _, c := range branches {
			if h[c] < h[least] {
				least = c
			}
		}
		need(least, 0)
	}
	if n.Const != nil || n.Enum != nil {
		return most
	}
	switch n.Types {
	case schema.TypeObject:
		most = max(most, 1)
		for _, name := range n.Required {
			need(n.Property(name), 1)
		}
	case schema.TypeArray:
		most = max(most, 1)
		if n.MinItems != nil {
			for i := range min(int(*n.MinItems), len(n.PrefixItems)) {
				need(n.PrefixItems[i], 1)
			}
			if int(*n.MinItems) > len(n.PrefixItems) {
				need(n.Items, 1)
			}
		}
	}
	return most
}

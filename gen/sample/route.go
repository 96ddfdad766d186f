package sample

import "github.com/hallmark-kit/hallmark/gen/schema"

// step is one edge of the graph together with where it starts.
type step struct {
	from *schema.Node
	edge schema.Edge
}

// route leads from the root of a Sampler to a schema. An instance made along a
// route has a value that the schema at its end is applied to.
type route []step

// maxTargets bounds how many schemas Boundaries and NearMisses look at.
const maxTargets = 5000

// target is a schema that instances can be made for, with the shortest route.
type target struct {
	node  *schema.Node
	route route
}

// targets finds every schema that can hold of a part of a valid instance, each
// once, nearest first. What stands below not never does. Names have no parts.
func (s *Sampler) targets() []target {
	found := []target{{s.root, nil}}
	seen := map[*schema.Node]bool{s.root: true}
	for i := 0; i < len(found) && len(found) < maxTargets; i++ {
		t := found[i]
		for e := range t.node.Edges() {
			if e.Place == schema.Definition || e.Place == schema.Child && s.names || e.Keyword == "not" || seen[e.Node] {
				continue
			}
			seen[e.Node] = true
			found = append(found, target{e.Node, append(t.route[:len(t.route):len(t.route)], step{t.node, e})})
		}
	}
	return found
}

// inPlace cuts a route after the steps that stay at the same value.
func (r route) inPlace() (here, rest route) {
	for i, s := range r {
		if s.edge.Place == schema.Child {
			return r[:i], r[i:]
		}
	}
	return r, nil
}

// forced gives the edge that a route takes out of n, if it comes through it.
func (r route) forced(n *schema.Node, keyword string) (schema.Edge, bool) {
	for _, s := range r {
		if s.from == n && s.edge.Keyword == keyword {
			return s.edge, true
		}
	}
	return schema.Edge{}, false
}

// errand is a route that an instance is to be made along, for a wish at its end.
type errand struct {
	route route
	at    *schema.Node // where the route ends
	wish  *wish
}

// next is the edge that the errand takes into a part of the value at hand.
func (e *errand) next() schema.Edge { return e.route[0].edge }

// onward is what is left of the errand in that part.
func (e *errand) onward() *errand { return &errand{e.route[1:], e.at, e.wish} }

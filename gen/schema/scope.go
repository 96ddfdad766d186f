package schema

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// maxCopies bounds how many schemas dynamic scope may multiply a graph into.
const maxCopies = 100_000

// scopes makes what a $dynamicRef means independent of dynamic scope (core
// 8.2.3.2): a schema that is reached under different scopes, and contains a
// $dynamicRef for which that matters, is copied once for each of them.
//
// A scope is what each name is bound to: the schema with that $dynamicAnchor in
// the outermost resource entered so far that has one.
type scopes struct {
	refs   map[*Node]string // nodes whose $dynamicRef is dynamic, and the name it looks for
	copies map[scoped]*Node
	order  []*Node // copies, as they were made
	copied map[*Node]bool
	fresh  bool // reach is up to date
	reach  map[*Node][]string
}

type scoped struct {
	node  *Node
	scope string
}

type scope map[string]*Node

// note records a node whose $dynamicRef has been resolved like a $ref. It is
// dynamic when it named a $dynamicAnchor, not a pointer or a plain $anchor.
func (s *scopes) note(n *Node, fragment string) {
	if fragment == "" || n.DynamicRef.DynamicAnchor != fragment {
		return
	}
	if s.refs == nil {
		s.refs = map[*Node]string{}
	}
	s.refs[n] = fragment
	s.fresh = false
}

// specialise gives the node to use for n when n is where checking begins.
func (b *builder) specialise(n *Node) *Node {
	b.computeReach()
	return b.copy(n, nil)
}

// computeReach finds, for each node, the names whose binding can matter in it or
// in what it applies. Where only one resource has a name nothing can matter.
func (b *builder) computeReach() {
	s := &b.scopes
	if s.fresh {
		return
	}
	s.fresh, s.reach = true, map[*Node][]string{}
	candidates := map[string][]*Node{}
	for _, res := range b.resources {
		for name, n := range res.dynamic {
			candidates[name] = append(candidates[name], n)
		}
	}
	wanted := map[string][]*Node{}
	for n, name := range s.refs {
		if len(candidates[name]) > 1 {
			wanted[name] = append(wanted[name], n)
		}
	}
	if len(wanted) == 0 {
		return
	}
	users := map[*Node][]*Node{}
	for _, n := range b.order {
		for e := range n.Edges() {
			if e.Place != Definition {
				users[e.Node] = append(users[e.Node], n)
			}
		}
		for _, c := range candidates[s.refs[n]] {
			users[c] = append(users[c], n)
		}
	}
	names := make([]string, 0, len(wanted))
	for name := range wanted {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		seen := map[*Node]bool{}
		stack := wanted[name]
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[n] {
				continue
			}
			seen[n] = true
			s.reach[n] = append(s.reach[n], name)
			stack = append(stack, users[n]...)
		}
	}
}

// copy gives the node for n when it is reached in the scope outer.
func (b *builder) copy(n *Node, outer scope) *Node {
	s := &b.scopes
	names := s.reach[n]
	if len(names) == 0 {
		return n
	}
	inner := scope{}
	var text strings.Builder
	for _, name := range names {
		to := outer[name]
		if to == nil {
			to = n.Resource.dynamic[name]
		}
		if to == nil {
			continue
		}
		inner[name] = to
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(name + "=" + to.Location())
	}
	key := scoped{n, text.String()}
	if c := s.copies[key]; c != nil {
		return c
	}
	if s.copies == nil {
		s.copies, s.copied = map[scoped]*Node{}, map[*Node]bool{}
	}
	if len(s.copies) >= maxCopies {
		panic(n.errorf("", "dynamic scope multiplies the schemas beyond %d; use $ref where the target is always the same", maxCopies))
	}
	c := new(Node)
	*c = *n
	c.Scope = key.scope
	s.copies[key] = c
	s.copied[c] = true
	s.order = append(s.order, c)
	for _, slot := range c.slots() {
		switch {
		case slot.keyword == "$dynamicRef" && c.DynamicRef != nil:
			to := c.DynamicRef
			if name, dynamic := s.refs[n]; dynamic && inner[name] != nil {
				to = inner[name]
			}
			c.DynamicRef = b.copy(to, inner)
		case slot.place == Definition:
			// Not applied from here, so no scope is handed on.
			slot.replace(func(child *Node) *Node { return b.copy(child, nil) })
		default:
			slot.replace(func(child *Node) *Node { return b.copy(child, inner) })
		}
	}
	return c
}

// replace puts other nodes into a slot, leaving what it shared with others alone.
func (s slot) replace(with func(*Node) *Node) {
	switch {
	case s.one != nil && *s.one != nil:
		*s.one = with(*s.one)
	case s.list != nil:
		*s.list = slices.Clone(*s.list)
		for i, n := range *s.list {
			(*s.list)[i] = with(n)
		}
	case s.named != nil:
		*s.named = slices.Clone(*s.named)
		for i, p := range *s.named {
			(*s.named)[i].Node = with(p.Node)
		}
	case s.patterns != nil:
		*s.patterns = slices.Clone(*s.patterns)
		for i, p := range *s.patterns {
			(*s.patterns)[i].Node = with(p.Node)
		}
	}
}

// definitionsInScope puts the nodes that Graph.Defs has into $defs of the nodes
// that are not copied themselves.
func (b *builder) definitionsInScope() {
	b.computeReach()
	if len(b.scopes.reach) == 0 {
		return
	}
	for _, n := range b.order {
		for i, d := range n.Defs {
			n.Defs[i].Node = b.copy(d.Node, nil)
		}
	}
}

// fragmentOf gives the fragment of a reference, decoded; "" when it has none.
func fragmentOf(ref string) string {
	_, fragment, err := document.ResolveURI("", ref)
	if err != nil {
		return ""
	}
	return fragment
}

package inclusion

import (
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// outline is what can be seen of a schema at a glance: which types it takes,
// and the only values it or a member that must be there may have.
type outline struct {
	types  schema.Types
	values map[string]bool            // canonical; nil = any
	tags   map[string]map[string]bool // of required members
}

// Apart tells, where it can be seen at a glance, that no value is valid by both
// of two schemas; false says nothing.
func (s *Solver) Apart(a, b *schema.Node) bool { return s.apart(a, b) }

// apart tells, where it can be seen at a glance, that no value holds of both.
func (s *Solver) apart(a, b *schema.Node) bool {
	x, y := s.outline(a), s.outline(b)
	if x.types&y.types == 0 || disjoint(x.values, y.values) {
		return true
	}
	if x.types&y.types != schema.TypeObject {
		return false
	}
	for name, values := range x.tags {
		if disjoint(values, y.tags[name]) {
			return true
		}
	}
	return false
}

func disjoint(a, b map[string]bool) bool {
	if a == nil || b == nil {
		return false
	}
	for v := range a {
		if b[v] {
			return false
		}
	}
	return true
}

const anyType = schema.TypeNull | schema.TypeBoolean | schema.TypeInteger | schema.TypeNumber | schema.TypeString | schema.TypeArray | schema.TypeObject

func (s *Solver) outline(n *schema.Node) *outline {
	if o := s.outlines[n]; o != nil {
		return o
	}
	o := &outline{types: anyType, tags: map[string]map[string]bool{}}
	s.outlines[n] = o
	s.trace(n, o, 0)
	return o
}

func (s *Solver) trace(n *schema.Node, o *outline, depth int) {
	if depth > 20 {
		return
	}
	if n.Types != 0 {
		t := n.Types
		if t.Has(schema.TypeNumber) {
			t |= schema.TypeInteger
		}
		o.types &= t
	}
	if values := valuesOf(n); values != nil && o.values == nil {
		o.values = values
	}
	for _, p := range n.Properties {
		if n.IsRequired(p.Name) && o.tags[p.Name] == nil {
			if values := valuesOf(p.Node.Target()); values != nil {
				o.tags[p.Name] = values
			}
		}
	}
	for _, next := range append([]*schema.Node{n.Ref, n.DynamicRef}, n.AllOf...) {
		if next != nil {
			s.trace(next, o, depth+1)
		}
	}
}

func valuesOf(n *schema.Node) map[string]bool {
	list := n.Enum
	if n.Const != nil {
		list = []*document.Value{n.Const}
	}
	if list == nil {
		return nil
	}
	values := make(map[string]bool, len(list))
	for _, v := range list {
		values[v.Canonical()] = true
	}
	return values
}

// kinds gives the types that a value must have one of, as far as the types of a
// schema and of those applied to the same value tell.
func (s *Solver) kinds(n *schema.Node) schema.Types {
	if t, known := s.types[n]; known {
		return t
	}
	s.types[n] = anyType
	t := anyType
	switch {
	case n.Always != nil && !*n.Always:
		t = 0
	case n.Types != 0:
		t = n.Types
		if t.Has(schema.TypeNumber) {
			t |= schema.TypeInteger
		}
	}
	for _, next := range append([]*schema.Node{n.Ref, n.DynamicRef}, n.AllOf...) {
		if next != nil {
			t &= s.kinds(next)
		}
	}
	for _, branches := range [][]*schema.Node{n.AnyOf, n.OneOf} {
		if branches == nil {
			continue
		}
		var some schema.Types
		for _, b := range branches {
			some |= s.kinds(b)
		}
		t &= some
	}
	s.types[n] = t
	return t
}

package sample

import (
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// placed is a valid instance with a value at which a target applies.
type placed struct {
	s     *Sampler
	maker *maker
	to    target
	root  *value
	hit   *hit
	path  []int
	named bool // the value is the name of a member, not part of the tree
}

// place makes a valid instance in which a target applies to some value.
func (s *Sampler) place(t target, m *maker) *placed {
	w := &wish{}
	if s.names {
		w.types = schema.TypeString
	}
	for range attempts {
		m.budget, m.hit = maxMakes, nil
		root := m.make([]*schema.Node{s.root}, &errand{t.route, t.node, w}, 0)
		if root == nil || m.hit == nil {
			continue
		}
		p := &placed{s: s, maker: m, to: t, root: root, hit: m.hit}
		if path, ok := locate(root, m.hit.value); ok {
			p.path = path
			return p
		}
		for _, step := range t.route {
			p.named = p.named || step.edge.Keyword == "propertyNames"
		}
		if p.named {
			return p
		}
	}
	return nil
}

// value is the value at the place.
func (p *placed) value() *value { return p.hit.value }

// pointer is where the value is; a name has the place of its member's object.
func (p *placed) pointer() string { return pointer(p.root, p.path) }

// put gives the instance with another value at the place.
func (p *placed) put(v *value) *value { return replace(p.root, p.path, v) }

// remake gives the instance with a value made for a wish at the place, or nil.
func (p *placed) remake(w *wish) *value {
	m := p.maker
	m.budget, m.hit = maxMakes, nil
	if p.named {
		root := m.make([]*schema.Node{p.s.root}, &errand{p.to.route, p.to.node, w}, 0)
		if m.hit == nil {
			return nil
		}
		return root
	}
	v := m.make(p.hit.conj, &errand{p.hit.here, p.to.node, w}, p.hit.depth)
	if v == nil {
		return nil
	}
	if root := p.put(v); m.judge.holds(p.s.root, root) {
		return root
	}
	return nil
}

// is tells whether the value is of a kind.
func (p *placed) is(kind document.Kind) bool { return p.hit.value.Kind == kind }

// types are what the value may be.
func (p *placed) types() schema.Types { return p.hit.plan.types }

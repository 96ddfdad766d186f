package validator

import (
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// cover adds to a Coverage what a schema evaluates of the value at start, which it accepts.
type cover func(r *wire.Reader, start wire.Mark, covered *wire.Coverage)

type coverCell struct{ run cover }

// hold is Reader.CheckUnevaluatedMembers or Reader.CheckUnevaluatedItems.
type hold func(r *wire.Reader, m wire.Mark, c *wire.Coverage, p *wire.Place, check func(*wire.Reader) bool) bool

// unevaluated is the look of unevaluatedProperties or unevaluatedItems: first it is worked out what the schemas that
// hold for the value evaluate, then the rest is held against the keyword's schema.
func (c *compiler) unevaluated(n, u *schema.Node, hold hold) look {
	at, cover := place(n), c.coverOf(n, true)
	var rest check // nil refuses all
	if u.Target().Always == nil {
		rest = c.check(u)
	}
	return func(r *wire.Reader, start wire.Mark) bool {
		var covered wire.Coverage
		if cover != nil {
			cover(r, start, &covered)
		}
		return hold(r, start, &covered, at, rest)
	}
}

// cover gives the cover of a schema, nil where it evaluates nothing.
func (c *compiler) cover(n *schema.Node) cover {
	n = n.Target()
	if made, ok := c.covers[n]; ok {
		if made.run != nil {
			return made.run
		}
		return func(r *wire.Reader, start wire.Mark, covered *wire.Coverage) {
			if made.run != nil {
				made.run(r, start, covered)
			}
		}
	}
	made := &coverCell{}
	c.covers[n] = made
	if made.run = c.coverOf(n, false); made.run == nil {
		delete(c.covers, n)
		return nil
	}
	return made.run
}

// coverOf compiles a cover; own leaves out the unevaluated keywords of n itself.
func (c *compiler) coverOf(n *schema.Node, own bool) cover {
	var covers []cover
	add := func(f func(*wire.Coverage)) {
		covers = append(covers, func(_ *wire.Reader, _ wire.Mark, covered *wire.Coverage) { f(covered) })
	}
	if names := shape.PropertyNames(n); len(names) > 0 {
		add(func(covered *wire.Coverage) { covered.Members(names...) })
	}
	for _, p := range n.PatternProperties {
		pattern := c.pattern(n, "patternProperties", p.Pattern)
		add(func(covered *wire.Coverage) { covered.Pattern(pattern) })
	}
	if n.AdditionalProperties != nil || !own && n.UnevaluatedProperties != nil {
		add((*wire.Coverage).AllMembers)
	}
	if first := len(n.PrefixItems); first > 0 {
		add(func(covered *wire.Coverage) { covered.First(first) })
	}
	if n.Items != nil || !own && n.UnevaluatedItems != nil {
		add((*wire.Coverage).AllItems)
	}
	if n.Contains != nil {
		check := c.check(n.Contains)
		if c.rings.Retried(n, n.Contains) {
			id := c.memory(n.Contains)
			add(func(covered *wire.Coverage) { covered.ContainingOnce(id, check) })
		} else {
			add(func(covered *wire.Coverage) { covered.Containing(check) })
		}
	}
	covers = append(covers, c.coverParts(n)...)
	switch len(covers) {
	case 0:
		return nil
	case 1:
		return covers[0]
	}
	return func(r *wire.Reader, start wire.Mark, covered *wire.Coverage) {
		for _, cover := range covers {
			cover(r, start, covered)
		}
	}
}

// coverParts gives the covers of the schemas that n applies to the same value.
func (c *compiler) coverParts(n *schema.Node) []cover {
	var covers []cover
	always := func(part *schema.Node) {
		if part == nil {
			return
		}
		if cover := c.cover(part); cover != nil {
			covers = append(covers, cover)
		}
	}
	always(n.Ref)
	always(n.DynamicRef)
	for _, part := range n.AllOf {
		always(part)
	}
	for _, branches := range [][]*schema.Node{n.AnyOf, n.OneOf} {
		for _, branch := range branches {
			if cover := c.cover(branch); cover != nil {
				covers = append(covers, where(c.trial(n, branch), cover, nil))
			}
		}
	}
	if n.If != nil {
		covers = append(covers, c.coverIf(n)...)
	}
	for _, d := range n.DependentSchemas {
		if cover, name := c.cover(d.Node), d.Name; cover != nil {
			covers = append(covers, func(r *wire.Reader, start wire.Mark, covered *wire.Coverage) {
				if r.Has(start, name) {
					cover(r, start, covered)
				}
			})
		}
	}
	return covers
}

func (c *compiler) coverIf(n *schema.Node) []cover {
	of := func(n *schema.Node) cover {
		if n == nil {
			return nil
		}
		return c.cover(n)
	}
	cond, then, otherwise := of(n.If), of(n.Then), of(n.Else)
	if cond == nil && then == nil && otherwise == nil {
		return nil
	}
	return []cover{where(c.trial(n, n.If), func(r *wire.Reader, start wire.Mark, covered *wire.Coverage) {
		if cond != nil {
			cond(r, start, covered)
		}
		if then != nil {
			then(r, start, covered)
		}
	}, otherwise)}
}

// where applies one of two covers, depending on whether the value passes a check.
func where(holds trial, then, otherwise cover) cover {
	return func(r *wire.Reader, start wire.Mark, covered *wire.Coverage) {
		next := otherwise
		if holds(r, start) {
			next = then
		}
		if next != nil {
			next(r, start, covered)
		}
	}
}

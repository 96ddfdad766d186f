package drift

import (
	"github.com/hallmark-kit/hallmark/gen/drift/inclusion"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// proveHarmless finds, for each way round, the pairs whose sender's schema lies
// inside the receiver's because every difference in them and below them only
// widens what is accepted. That is enough where a schema names others in places
// in which accepting more can only make it accept more; it decides large
// documents with few questions, and cycles for nothing: all pairs count as
// harmless until one of them is not.
func (c *comparer) proveHarmless() {
	for _, w := range []way{oldSends, newSends} {
		harmless := map[*pair]bool{}
		var wrong []*pair
		for _, p := range c.align.order {
			harmless[p] = true
		}
		for _, p := range c.align.order {
			if !c.widens(p, w) {
				wrong = append(wrong, p)
			}
		}
		for len(wrong) > 0 {
			p := wrong[len(wrong)-1]
			wrong = wrong[:len(wrong)-1]
			if harmless[p] {
				harmless[p] = false
				wrong = append(wrong, p.users...)
			}
		}
		c.harmless[w] = harmless
	}
}

// widens tells whether the changes of a pair itself, made one after the other,
// each accept at least what was accepted before.
func (c *comparer) widens(p *pair, w way) bool {
	if !c.monotone(p.old) || !c.monotone(p.new) {
		return false
	}
	at := p.old
	for _, ch := range p.changes {
		if ch.note {
			continue
		}
		next := ch.moved(at, p.new)
		sender, receiver := at, next
		if w == newSends {
			sender, receiver = next, at
		}
		if c.plain.Quick(sender, receiver).Status != inclusion.None {
			return false
		}
		at = next
	}
	return true
}

// monotone tells whether a schema accepts more when those it names accept more,
// as far as differences are followed into them: not where exactly one branch may
// hold and several could, nor where it matters what was evaluated.
func (c *comparer) monotone(n *schema.Node) bool {
	if n.UnevaluatedItems != nil || n.UnevaluatedProperties != nil {
		return false
	}
	for i, b := range n.OneOf {
		for _, other := range n.OneOf[i+1:] {
			if !c.plain.Apart(b, other) {
				return false
			}
		}
	}
	return true
}

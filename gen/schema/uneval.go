package schema

import (
	"slices"
)

// view is one question about what a node evaluates.
type view struct {
	node   *Node
	family family
	own    bool // without its own unevaluated keyword
}

// sight is the answer: what it evaluates in any case, and what where.
type sight struct {
	seen  evaluated
	whens []when
}

// unevaluated gives the atoms of unevaluatedProperties or unevaluatedItems. What
// is evaluated whenever the schema holds at all turns it into the rule for
// additional members or items; what depends on the instance stays with it.
func (k *keyer) unevaluated(n *Node, f family, sub *Node) []atom {
	s := k.sight(view{n, f, true})
	seen := s.seen
	for _, w := range s.whens {
		if w.cond.always() {
			seen = merge(seen, w.seen)
		}
	}
	if seen.all {
		return nil
	}
	var whens []when
	for _, w := range s.whens {
		if w.cond != nil && !w.cond.always() && merge(seen, w.seen).text() != seen.text() {
			whens = append(whens, w)
		}
	}
	child := k.part(sub)
	if len(whens) == 0 && len(seen.containing) == 0 {
		if f == objects {
			return []atom{{op: opOthers, names: seen.names, patterns: seen.patterns, sub: []int{child}}}
		}
		return []atom{{op: opRest, n: seen.prefix, sub: []int{child}}}
	}
	if k.isAlways(child) {
		return nil
	}
	return []atom{{
		op: opUneval, names: seen.names, patterns: seen.patterns, n: seen.prefix,
		sub: append([]int{child}, seen.containing...), whens: whens,
	}}
}

func merge(x, y evaluated) evaluated {
	if x.all || y.all {
		return evaluated{all: true}
	}
	containing := slices.Concat(x.containing, y.containing)
	slices.Sort(containing)
	return evaluated{
		names: union(x.names, y.names), patterns: union(x.patterns, y.patterns),
		prefix: max(x.prefix, y.prefix), containing: slices.Compact(containing),
	}
}

func (k *keyer) sight(v view) *sight {
	if s := k.views[v]; s != nil {
		return s
	}
	s := &sight{}
	k.views[v] = s
	n, f := v.node, v.family
	if n.Always != nil {
		return s
	}
	switch {
	case f == objects:
		s.seen = evaluated{names: propertyNames(n), patterns: patternsOf(n)}
		if n.AdditionalProperties != nil || (n.UnevaluatedProperties != nil && !v.own) {
			s.seen = evaluated{all: true}
		}
	case n.Items != nil || (n.UnevaluatedItems != nil && !v.own):
		s.seen = evaluated{all: true}
	default:
		s.seen = evaluated{prefix: int64(len(n.PrefixItems))}
		if n.Contains != nil {
			s.seen.containing = []int{k.part(n.Contains)}
		}
	}
	for _, next := range slices.Concat([]*Node{n.Ref, n.DynamicRef}, n.AllOf) {
		if next != nil {
			s.add(k, f, k.top(f), next)
		}
	}
	for _, branches := range [][]*Node{n.AnyOf, n.OneOf} {
		// Where all branches that can hold are one condition it must hold, like a
		// member of allOf.
		conds := k.each(branches, f)
		alone := len(sortedConditions(slices.DeleteFunc(slices.Clone(conds), func(c *condition) bool { return c == nil }))) == 1
		for i, branch := range branches {
			if alone && conds[i] != nil {
				conds[i] = k.top(f)
			}
			s.add(k, f, conds[i], branch)
		}
	}
	if n.If != nil {
		test := k.demand(n.If, f)
		s.add(k, f, test, n.If)
		if n.Then != nil {
			s.add(k, f, test, n.Then)
		}
		if n.Else != nil {
			s.add(k, f, k.not(f, test), n.Else)
		}
	}
	if f == objects {
		for _, p := range n.DependentSchemas {
			s.add(k, f, k.all(f, []atom{{op: opRequired, name: p.Name}}), p.Node)
		}
	}
	return s
}

// add takes in what a subschema evaluates where a condition holds. One that
// nothing of the family satisfies evaluates nothing: where it applies, the whole
// schema fails.
func (s *sight) add(k *keyer, f family, cond *condition, n *Node) {
	if k.demand(n, f) == nil {
		return
	}
	inner := k.sight(view{n, f, false})
	s.when(cond, inner.seen)
	for _, w := range inner.whens {
		s.when(k.both(f, cond, w.cond), w.seen)
	}
}

func (s *sight) when(cond *condition, seen evaluated) {
	switch {
	case cond == nil:
	case cond.always():
		s.seen = merge(s.seen, seen)
	default:
		for i := range s.whens {
			if s.whens[i].cond == cond {
				s.whens[i].seen = merge(s.whens[i].seen, seen)
				return
			}
		}
		s.whens = append(s.whens, when{cond, seen})
	}
}

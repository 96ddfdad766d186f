package sample

import (
	"iter"
	"math/big"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// NearMisses makes, for every rule of every schema that can hold of a part of an
// instance, instances that break this rule and no other: each required member
// missing, a member too many in a closed object, a value of each wrong type, one
// below and one above each bound, a string that fits all but the pattern, a value
// beside an enum, an unknown or missing tag of a union, a value that fits two
// branches of a oneOf, and so on. A rule that cannot be broken alone (because
// another says as much) is reported to GaveUp.
func (s *Sampler) NearMisses() iter.Seq[Miss] {
	return func(yield func(Miss) bool) {
		m := s.maker(s.rng())
		given := map[string]bool{}
		for _, t := range s.targets() {
			if t.node.Always != nil || s.heights[t.node] == never {
				continue
			}
			m.judge = s.judge()
			p := s.place(t, m)
			if p == nil {
				s.giveUp(Skipped{ruleOf(t.node, t.keyword(), ""), "no valid instance was found to which the schema applies"})
				if t.node == s.root {
					return
				}
				continue
			}
			if p.named {
				continue // what breaks a rule on names is made where the names are
			}
			for _, b := range p.breakers() {
				found := false
				for _, v := range b.values() {
					miss, ok := p.miss(v)
					if !ok {
						continue
					}
					found = true
					if given[string(miss.JSON)] {
						continue
					}
					given[string(miss.JSON)] = true
					if !s.agrees(miss.JSON, false) {
						s.giveUp(Skipped{miss.Rule, "the caller's validator accepts what seems to break the schema"})
						continue
					}
					if !yield(miss) {
						return
					}
				}
				if !found {
					s.giveUp(Skipped{ruleOf(t.node, b.keyword, p.pointer()), "no instance was found that breaks this rule alone"})
				}
			}
		}
	}
}

// miss puts a value into the instance and tells whether that breaks one rule.
func (p *placed) miss(v *value) (Miss, bool) {
	root := p.put(v)
	breaches := rules(p.maker.judge.eval(p.s.root, root).breaches)
	if len(breaches) != 1 {
		return Miss{}, false
	}
	b := breaches[0]
	return Miss{ruleOf(b.node, b.keyword, b.pointer), encode(root)}, true
}

// breaker makes values that should break one rule.
type breaker struct {
	keyword string
	values  func() []*value
}

func (p *placed) breakers() []breaker {
	n := p.to.node
	var all []breaker
	add := func(has bool, keyword string, values func() []*value) {
		if has {
			all = append(all, breaker{keyword, values})
		}
	}
	add(n.Types != 0, "type", p.wrongTypes)
	add(n.Const != nil, "const", p.neighbours)
	add(n.Enum != nil, "enum", p.neighbours)
	add(n.Not != nil, "not", func() []*value { return p.within(n.Not, n.Not, n.Not) })
	add(n.AnyOf != nil, "anyOf", func() []*value { return p.noBranch(n.AnyOf) })
	add(n.OneOf != nil, "oneOf", func() []*value { return append(p.noBranch(n.OneOf), p.twoBranches(n.OneOf)...) })
	switch {
	case p.is(document.String):
		p.breakText(n, add)
	case p.is(document.Number):
		p.breakNumber(n, add)
	case p.is(document.Array):
		p.breakArray(n, add)
	case p.is(document.Object):
		p.breakObject(n, add)
	}
	return all
}

// within gives values of which the schemas hold, whatever the rules around say,
// and the same with the members that are wanted around.
func (p *placed) within(schemas ...*schema.Node) []*value {
	var all []*value
	for _, n := range schemas {
		all = append(all, p.both(n)...)
	}
	return all
}

// both gives a value of which all the schemas hold together, likewise.
func (p *placed) both(schemas ...*schema.Node) []*value {
	m := p.maker
	m.budget = maxMakes / 8
	v := m.make(schemas, &errand{nil, schemas[0], &wish{types: p.types()}}, p.hit.depth)
	if v == nil {
		return nil
	}
	all := []*value{v}
	if v.Kind == document.Object && p.is(document.Object) {
		for _, o := range p.value().Members {
			if v.Get(o.Name) == nil {
				v = with(v, o.Name, o.Value)
			}
		}
		all = append(all, v)
	}
	return all
}

// wrongTypes gives a value of each type; most do not belong.
func (p *placed) wrongTypes() []*value {
	return []*value{
		null(), boolean(true), boolean(false), number("0"), number("1.5"), number("-7"), text(""), text("true"), text("1"),
		array(), object(), array(p.value()), object(member("value", p.value())),
	}
}

// neighbours gives values close to the one at the place.
func (p *placed) neighbours() []*value {
	v := p.value()
	all := []*value{null(), boolean(true), boolean(false), number("0"), number("17"), text(""), text("unknown"), array(), object()}
	switch v.Kind {
	case document.String:
		for _, s := range []string{v.Text + "x", v.Text + " ", " " + v.Text, upper(v.Text), v.Text + "\x00"} {
			all = append(all, text(s))
		}
		if v.Text != "" {
			all = append(all, text(v.Text[:len(v.Text)-1*lastSize(v.Text)]))
		}
	case document.Number:
		if x, ok := v.Decimal().Rat(); ok {
			for _, d := range []*big.Rat{big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 10)} {
				all = append(all, number(decimalText(new(big.Rat).Add(x, d))))
			}
		}
		all = append(all, text(v.Text))
	case document.Bool:
		all = append(all, boolean(!v.Bool))
	case document.Array:
		all = append(all, array(append(slices.Clone(v.Items), null())...))
	case document.Object:
		all = append(all, with(v, "unknown", null()))
	}
	return all
}

// noBranch gives values that fit no branch of a union: other kinds of value, an
// unknown tag, a tag of another kind, no tag.
func (p *placed) noBranch(branches []*schema.Node) []*value {
	all := p.wrongTypes()
	v := p.value()
	if v.Kind != document.Object {
		return append(all, p.neighbours()...)
	}
	names := map[string][]*value{}
	for _, c := range branches {
		fixedMembers(c, names, 0)
	}
	for _, m := range v.Members {
		if names[m.Name] != nil {
			all = append(all, lacking(v, m.Name))
			for _, other := range []*value{text("unknown"), text(m.Value.Text + "x"), text(upper(m.Value.Text)), null(), number("1"), boolean(true), boolean(false), array(m.Value)} {
				all = append(all, with(v, m.Name, other))
			}
		}
	}
	return append(all, object())
}

// twoBranches gives values that fit two branches of a oneOf.
func (p *placed) twoBranches(branches []*schema.Node) []*value {
	var all []*value
	if len(p.s.unionTags(branches)) > 0 {
		return nil // no two of these can hold at once
	}
	for i := range branches {
		for k := i + 1; k < len(branches) && k < i+4 && len(all) < 10; k++ {
			// The union itself is not asked: it would refuse.
			all = append(all, p.both(branches[i], branches[k])...)
		}
	}
	return all
}

func (p *placed) breakText(n *schema.Node, add func(bool, string, func() []*value)) {
	rule := p.s.stringOf(p.hit.plan.nodes)
	m := p.maker
	spelled := func(r stringRule, times int) []*value {
		var all []*value
		for i := range times {
			if r.low < 0 || r.low > maxLength {
				continue
			}
			if s, ok := m.spelled(r, i%2 == 1); ok {
				all = append(all, text(s))
			}
		}
		return all
	}
	sized := func(size int64) []*value {
		r := rule
		r.low, r.high = size, size
		return spelled(r, 3)
	}
	add(n.MinLength != nil && *n.MinLength > 0, "minLength", func() []*value {
		return append(sized(*n.MinLength-1), sized(0)...)
	})
	add(n.MaxLength != nil && *n.MaxLength < maxLength, "maxLength", func() []*value { return sized(*n.MaxLength + 1) })
	add(n.Pattern != nil, "pattern", func() []*value { return p.mismatches(n, rule, spelled) })
	add(n.Format != "" && (p.s.formats || n.AssertFormat), "format", func() []*value {
		var all []*value
		for _, s := range m.malformed(n.Format) {
			all = append(all, text(s))
		}
		return all
	})
}

// mismatches gives strings that a pattern does not match: some that differ little
// from one that it does, some made to differ.
func (p *placed) mismatches(n *schema.Node, rule stringRule, spelled func(stringRule, int) []*value) []*value {
	r := rule
	r.patterns = nil
	for _, w := range rule.patterns {
		if w.pattern != *n.Pattern {
			r.patterns = append(r.patterns, w)
		}
	}
	r.patterns = append(r.patterns, wanted{*n.Pattern, false})
	all := spelled(r, 4)
	s := []rune(p.value().Text)
	for range 6 {
		if len(s) == 0 {
			break
		}
		i := p.maker.rng.IntN(len(s))
		all = append(all, text(string(s[:i])+string(s[i+1:])), text(string(s[:i])+" "+string(s[i+1:])))
	}
	all = append(all, text(string(s)+"\n"), text("\n"+string(s)), text(string(s)+" "), text(string(s)+"\u2028"))
	return slices.DeleteFunc(all, func(v *value) bool { return p.s.matches(*n.Pattern, v.Text) })
}

func (p *placed) breakNumber(n *schema.Node, add func(bool, string, func() []*value)) {
	r := numberOf(p.hit.plan.nodes, !p.types().Has(schema.TypeNumber))
	beside := func(bound *document.Value, steps ...int64) func() []*value {
		return func() []*value {
			x, ok := bound.Decimal().Rat()
			if !ok {
				return nil
			}
			k := quotient(x, r.step, steps[0] < 0)
			var all []*value
			for _, d := range steps {
				t := r.text(new(big.Int).Add(k, big.NewInt(d)))
				all = append(all, number(t))
				if document.ParseDecimal(t).IsInteger() && len(t) < 30 {
					all = append(all, number(t+".0"))
				}
			}
			return all
		}
	}
	add(n.Minimum != nil, "minimum", beside(n.Minimum, -1, -1000))
	add(n.Maximum != nil, "maximum", beside(n.Maximum, 1, 1000))
	add(n.ExclusiveMinimum != nil, "exclusiveMinimum", beside(n.ExclusiveMinimum, -1, 0))
	add(n.ExclusiveMaximum != nil, "exclusiveMaximum", beside(n.ExclusiveMaximum, 1, 0))
	add(n.MultipleOf != nil, "multipleOf", func() []*value {
		x, ok := p.value().Decimal().Rat()
		if !ok {
			return nil
		}
		var all []*value
		for _, d := range []*big.Rat{big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 2), big.NewRat(1, 1000), new(big.Rat).Quo(r.step, big.NewRat(10, 1))} {
			all = append(all, number(decimalText(new(big.Rat).Add(x, d))))
		}
		return all
	})
	add(n.Types != 0 && !n.Types.Has(schema.TypeNumber) && n.Types.Has(schema.TypeInteger), "type", func() []*value {
		x, ok := p.value().Decimal().Rat()
		if !ok {
			return nil
		}
		return []*value{
			number(decimalText(new(big.Rat).Add(x, big.NewRat(1, 2)))), number(decimalText(new(big.Rat).Sub(x, big.NewRat(1, 2)))),
			number(decimalText(new(big.Rat).Add(x, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(25), nil))))),
		}
	})
}

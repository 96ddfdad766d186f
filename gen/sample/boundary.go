package sample

import (
	"iter"
	"math"
	"math/big"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// edge is a wish for a value at the edge of a rule.
type edge struct {
	keyword string
	wish    *wish
	must    bool // it would be worth telling if there were no such value
}

// Boundaries makes, for every schema that can hold of a part of an instance, the
// valid instances with that part at the edge of each rule and just inside: every
// bound on numbers, lengths and counts, every value of an enum, every type of a
// list, every branch of a union, no optional members, all of them, and each by
// itself. Strings at the edge of a length come with characters beyond the basic
// plane too.
func (s *Sampler) Boundaries() iter.Seq[Instance] {
	return func(yield func(Instance) bool) {
		m := s.maker(s.rng())
		given := map[string]bool{}
		give := func(p *placed, keyword string, root *value) bool {
			json := encode(root)
			if given[string(json)] {
				return true
			}
			given[string(json)] = true
			rule := ruleOf(p.to.node, keyword, p.pointer())
			if !s.agrees(json, true) {
				s.giveUp(Skipped{rule, "the caller's validator refuses what the schema seems to accept"})
				return true
			}
			return yield(Instance{rule, json})
		}
		for _, t := range s.targets() {
			if t.node.Always != nil && !*t.node.Always || s.heights[t.node] == never {
				continue
			}
			m.judge = s.judge()
			p := s.place(t, m)
			reason := t.keyword()
			if p == nil {
				s.giveUp(Skipped{ruleOf(t.node, reason, ""), "no valid instance was found to which the schema applies"})
				if t.node == s.root {
					return // nor will there be any with more to it
				}
				continue
			}
			if !give(p, reason, p.root) {
				return
			}
			for _, e := range p.edges() {
				root := p.remake(e.wish)
				if root == nil {
					if e.must {
						s.giveUp(Skipped{ruleOf(t.node, e.keyword, p.pointer()), "no valid instance was found at the edge of the rule"})
					}
					continue
				}
				if !give(p, e.keyword, root) {
					return
				}
			}
		}
	}
}

// keyword is how the target is reached.
func (t target) keyword() string {
	if len(t.route) == 0 {
		return ""
	}
	return t.route[len(t.route)-1].edge.Keyword
}

func (p *placed) edges() []edge {
	n := p.to.node
	var all []edge
	if n.Const != nil {
		all = append(all, edge{"const", &wish{value: n.Const}, true})
	}
	for _, v := range n.Enum {
		all = append(all, edge{"enum", &wish{value: v}, false})
	}
	if _, fixed := p.hit.plan.fixed(); fixed {
		return all
	}
	if n.Types&(n.Types-1) != 0 {
		for x := schema.TypeNull; x <= schema.TypeObject; x <<= 1 {
			if n.Types.Has(x) {
				all = append(all, edge{"type", &wish{types: x}, false})
			}
		}
	}
	types := p.types()
	if n.Types.Has(schema.TypeBoolean) {
		all = append(all, edge{"type", &wish{value: boolean(true)}, false}, edge{"type", &wish{value: boolean(false)}, false})
	}
	about := concerns(n) | n.Types
	if intersect(types, schema.TypeNumber) != 0 && about&(schema.TypeNumber|schema.TypeInteger) != 0 {
		all = append(all, p.numberEdges(n)...)
	}
	if types.Has(schema.TypeString) && about.Has(schema.TypeString) {
		all = append(all, p.textEdges(n)...)
	}
	if types.Has(schema.TypeArray) && about.Has(schema.TypeArray) {
		all = append(all, sizeEdges(schema.TypeArray, n.MinItems, n.MaxItems, "minItems", "maxItems", maxItems)...)
	}
	if types.Has(schema.TypeObject) && about.Has(schema.TypeObject) {
		all = append(all, p.objectEdges(n)...)
	}
	return all
}

func (p *placed) numberEdges(n *schema.Node) []edge {
	r := numberOf(p.hit.plan.nodes, !p.types().Has(schema.TypeNumber))
	var all []edge
	add := func(keyword, text string, must bool) {
		all = append(all, edge{keyword, &wish{value: number(text)}, must})
	}
	around := func(keyword string, k *big.Int, inside int64) {
		edge := r.text(k)
		add(keyword, edge, true)
		add(keyword, r.text(new(big.Int).Add(k, big.NewInt(inside))), false)
		if d := document.ParseDecimal(edge); d.IsInteger() {
			add(keyword, edge+pick(p.maker.rng, []string{".0", "e0", "E+0", ".00e-0"}), false)
		}
	}
	if r.first != nil {
		around(lowerKeyword(n), r.first, 1)
	}
	if r.last != nil {
		around(upperKeyword(n), r.last, -1)
	}
	if n.Types != 0 || n.MultipleOf != nil {
		for _, text := range []string{"0", "-0", "1.0", "1e2", "-1", "0.5", "9007199254740993", "9223372036854775808", "1e40"} {
			add("type", text, false)
		}
	}
	if r.exact {
		for k := range int64(3) {
			add("multipleOf", r.text(big.NewInt(k)), false)
		}
	}
	return all
}

func lowerKeyword(n *schema.Node) string {
	if n.ExclusiveMinimum != nil {
		return "exclusiveMinimum"
	}
	return "minimum"
}

func upperKeyword(n *schema.Node) string {
	if n.ExclusiveMaximum != nil {
		return "exclusiveMaximum"
	}
	return "maximum"
}

func (p *placed) textEdges(n *schema.Node) []edge {
	all := sizeEdges(schema.TypeString, n.MinLength, n.MaxLength, "minLength", "maxLength", maxLength)
	for _, e := range all {
		w := *e.wish
		w.astral = true
		all = append(all, edge{e.keyword, &w, false})
	}
	r := p.s.stringOf(p.hit.plan.nodes)
	if n.Pattern == nil || len(r.patterns) == 0 {
		return all
	}
	if w := p.s.wordsOf(r.patterns); w != nil {
		// A short one is made anyway, by chance.
		if k, ok := w.longest(int(min(r.high, 300))); ok && int64(k) >= r.low {
			size := int64(k)
			all = append(all, edge{"pattern", &wish{types: schema.TypeString, size: &size}, false})
		}
		for k := r.low; k < min(r.low+60, r.high); k++ {
			if w.reach(int(k)) == int(k) && w.can[k][0] {
				size := k
				all = append(all, edge{"pattern", &wish{types: schema.TypeString, size: &size}, false})
				break
			}
		}
	}
	return all
}

// sizeEdges gives the wishes for a count at its bounds and one inside, as far as
// they can be made with a sensible amount of text.
func sizeEdges(t schema.Types, least, most *int64, lower, upper string, limit int64) []edge {
	var all []edge
	add := func(keyword string, size int64, must bool) {
		if size >= 0 && size <= limit {
			all = append(all, edge{keyword, &wish{types: t, size: &size}, must})
		}
	}
	if least != nil {
		add(lower, *least, true)
		add(lower, *least+1, false)
	} else {
		add(lower, 0, false)
		add(lower, 1, false)
	}
	if most != nil && *most < math.MaxInt64 {
		add(upper, *most, true)
		add(upper, *most-1, false)
	}
	return all
}

func (p *placed) objectEdges(n *schema.Node) []edge {
	t := schema.TypeObject
	all := []edge{
		{"required", &wish{types: t, members: noMembers}, false},
		{"properties", &wish{types: t, members: allMembers}, false},
		{"additionalProperties", &wish{types: t, members: noMembers, extra: true}, false},
		{"additionalProperties", &wish{types: t, members: allMembers, extra: true}, false},
	}
	if n.MinProperties != nil || n.MaxProperties != nil {
		all = append(all, sizeEdges(t, n.MinProperties, n.MaxProperties, "minProperties", "maxProperties", maxMembers)...)
	}
	for _, pr := range n.Properties {
		if !p.hit.plan.required(pr.Name) && (pr.Node.Always == nil || *pr.Node.Always) {
			all = append(all, edge{"properties", &wish{types: t, members: noMembers, member: pr.Name}, false})
		}
	}
	for _, d := range n.DependentRequired {
		all = append(all, edge{"dependentRequired", &wish{types: t, members: noMembers, member: d.Name}, false})
	}
	return all
}

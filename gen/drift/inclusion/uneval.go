package inclusion

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/schema"
)

// What unevaluatedProperties and unevaluatedItems see depends on which of the
// schemas applied to the same value hold. A scene is one way in which they do or
// do not, with what is evaluated then.
type scene struct {
	terms      []*term
	all        bool
	names      []string
	patterns   []string
	prefix     int64
	containing []*schema.Node
}

// maxScenes bounds the ways that are told apart; beyond it is undecided.
const maxScenes = 600

// unevaluated gives the schema of the unevaluated keyword of the family.
func (x *expander) unevaluated() *schema.Node {
	sub := x.n.UnevaluatedProperties
	if x.f == arrays {
		sub = x.n.UnevaluatedItems
	} else if x.f != objects {
		return nil
	}
	if sub == nil {
		return nil
	}
	if always, _ := trivial(x.lit(sub, false)); always {
		return nil
	}
	return sub
}

// stripped is the node without its unevaluated keyword of the family.
func (x *expander) stripped() *schema.Node {
	key := expansion{int(x.f), 0}
	byFamily := x.s.strips[x.n]
	if byFamily == nil {
		byFamily = map[expansion]*schema.Node{}
		x.s.strips[x.n] = byFamily
	}
	if have := byFamily[key]; have != nil {
		return have
	}
	n := new(schema.Node)
	*n = *x.n
	n.Value = nil
	if x.f == objects {
		n.UnevaluatedProperties = nil
	} else {
		n.UnevaluatedItems = nil
	}
	byFamily[key] = n
	return n
}

// open is the positive formula of a node with an unevaluated keyword.
func (x *expander) open(sub *schema.Node) {
	rest := x.stripped()
	x.unit(x.lit(rest, false))
	scenes := x.scenes(rest)
	if len(scenes) > maxScenes {
		x.unit(x.s.terms.atom(term{op: opUndecided, name: x.keyword()}))
		return
	}
	var alternatives [][]*term
	for _, sc := range scenes {
		terms := slices.Clone(sc.terms)
		if !sc.all {
			terms = append(terms, x.rule(sc, sub, false))
		}
		alternatives = append(alternatives, terms)
	}
	x.choose(x.keyword(), alternatives...)
}

// shut is the negative one: something else is broken, or something that is not
// evaluated breaks the rule for it.
func (x *expander) shut(sub *schema.Node) {
	rest := x.stripped()
	ways := [][]*term{{x.lit(rest, true)}}
	scenes := x.scenes(rest)
	if len(scenes) > maxScenes {
		ways = append(ways, []*term{x.s.terms.atom(term{op: opUndecided, name: x.keyword()})})
		scenes = nil
	}
	for _, sc := range scenes {
		if !sc.all {
			ways = append(ways, append(slices.Clone(sc.terms), x.lit(rest, false), x.rule(sc, sub, true)))
		}
	}
	x.choose(x.keyword(), ways...)
}

func (x *expander) keyword() string {
	if x.f == objects {
		return "unevaluatedProperties"
	}
	return "unevaluatedItems"
}

// rule makes the condition on what a scene leaves unevaluated.
func (x *expander) rule(sc scene, sub *schema.Node, not bool) *term {
	if x.f == objects {
		a := term{op: opOthers, names: sc.names, patterns: sc.patterns, sub: x.lit(sub, not)}
		if not {
			a.op = opHasOther
		}
		return x.atom(a)
	}
	if len(sc.containing) > 0 {
		// An item that contains matches counts as evaluated.
		either := &schema.Node{AnyOf: append(slices.Clone(sc.containing), sub)}
		key := x.s.terms.labels.Of(either)
		if have := x.s.eithers[key]; have != nil {
			either = have
		} else {
			x.s.eithers[key] = either
		}
		sub = either
	}
	a := term{op: opRest, n: sc.prefix, sub: x.lit(sub, not)}
	if not {
		a.op = opHasRest
	}
	return x.atom(a)
}

// scenes gives the ways in which a node can hold.
func (x *expander) scenes(n *schema.Node) []scene {
	base := scene{}
	if n.Always != nil {
		return []scene{base}
	}
	switch x.f {
	case objects:
		base.names, base.patterns = namesOf(n)
		base.all = n.AdditionalProperties != nil || n.UnevaluatedProperties != nil
	default:
		base.prefix = int64(len(n.PrefixItems))
		base.all = n.Items != nil || n.UnevaluatedItems != nil
		if n.Contains != nil {
			base.containing = []*schema.Node{n.Contains}
		}
	}
	out := []scene{base}
	for _, next := range slices.Concat([]*schema.Node{n.Ref, n.DynamicRef}, n.AllOf) {
		if next != nil {
			out = x.cross(out, x.holding(next))
		}
	}
	if n.AnyOf != nil {
		ways := []scene{{}}
		for _, b := range n.AnyOf {
			ways = x.cross(ways, append(x.holding(b), x.failing(b)...))
		}
		// Not all of them may fail: that the node itself must hold sees to it.
		out = x.cross(out, ways)
	}
	if n.OneOf != nil {
		var ways []scene
		for i, b := range n.OneOf {
			one := x.holding(b)
			for j, other := range n.OneOf {
				if i != j && !x.s.apart(b, other) {
					one = x.cross(one, []scene{{terms: []*term{x.lit(other, true)}}})
				}
			}
			ways = append(ways, one...)
		}
		out = x.cross(out, ways)
	}
	if n.If != nil {
		yes, no := x.holding(n.If), x.failing(n.If)
		if n.Then != nil {
			yes = x.cross(yes, x.holding(n.Then))
		}
		if n.Else != nil {
			no = x.cross(no, x.holding(n.Else))
		}
		out = x.cross(out, append(yes, no...))
	}
	if x.f == objects {
		for _, p := range n.DependentSchemas {
			there, gone := x.atom(term{op: opRequired, name: p.Name}), x.atom(term{op: opAbsent, name: p.Name})
			ways := x.cross([]scene{{terms: []*term{there}}}, x.holding(p.Node))
			out = x.cross(out, append(ways, scene{terms: []*term{gone}}))
		}
	}
	return out
}

// holding gives the ways in which a subschema holds; it is a term only where
// something depends on it.
func (x *expander) holding(n *schema.Node) []scene {
	out := x.scenes(n)
	t := x.lit(n, false)
	for i := range out {
		out[i].terms = append([]*term{t}, out[i].terms...)
	}
	return out
}

// failing is the way in which a subschema does not hold: it evaluates nothing.
func (x *expander) failing(n *schema.Node) []scene {
	t := x.lit(n, true)
	if _, never := trivial(t); never {
		return nil
	}
	return []scene{{terms: []*term{t}}}
}

func (x *expander) cross(a, b []scene) []scene {
	var out []scene
	for _, p := range a {
		for _, q := range b {
			if len(out) > maxScenes {
				return out
			}
			s := scene{
				terms: slices.Concat(p.terms, q.terms), all: p.all || q.all,
				names: slices.Concat(p.names, q.names), patterns: slices.Concat(p.patterns, q.patterns),
				prefix: max(p.prefix, q.prefix), containing: slices.Concat(p.containing, q.containing),
			}
			slices.Sort(s.names)
			slices.Sort(s.patterns)
			s.names, s.patterns = slices.Compact(s.names), slices.Compact(s.patterns)
			out = append(out, s)
		}
	}
	return out
}

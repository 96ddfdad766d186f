package golang

import (
	"fmt"
	"sort"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// pass is one further look at a value that a schema demands.
type pass struct {
	whole bool // it consumes the value, and can be all that the function does
	emit  func(g *jen.Group, alone bool)
}

// consuming is a pass by a condition that consumes the value.
func consuming(cond jen.Code) pass {
	return pass{whole: true, emit: func(g *jen.Group, alone bool) {
		if alone {
			g.Return(cond)
			return
		}
		g.Add(r("Reset", jen.Id("start")))
		g.Add(must(cond))
	}}
}

// passes lists the rules of n that apply other schemas, or a comparison, to the whole value.
func (e *emitter) passes(n *schema.Node, ctx context) []pass {
	var out []pass
	if n.Const != nil {
		out = append(out, consuming(r("CheckConst", e.placeRule(ctx.in("Const"), n), quoted(string(n.Const.Raw())))))
	}
	if n.Enum != nil {
		args := []jen.Code{e.placeRule(ctx.in("Enum"), n)}
		for _, v := range n.Enum {
			args = append(args, quoted(string(v.Raw())))
		}
		out = append(out, consuming(r("CheckEnum", args...)))
	}
	for _, ref := range []*schema.Node{n.Ref, n.DynamicRef} {
		if ref != nil {
			out = append(out, consuming(e.checkValue(ref, ctx.in("Ref"))))
		}
	}
	for i, part := range n.AllOf {
		if len(shape.Rules(part.Target())) > 0 {
			out = append(out, consuming(e.checkValue(part, ctx.in(fmt.Sprintf("Part%d", i+1)))))
		}
	}
	if len(n.OneOf) > 0 {
		out = append(out, e.branches(n, "oneOf", n.OneOf, ctx.in("OneOf")))
	}
	if len(n.AnyOf) > 0 {
		out = append(out, e.branches(n, "anyOf", n.AnyOf, ctx.in("AnyOf")))
	}
	if n.Not != nil {
		out = append(out, pass{emit: func(g *jen.Group, _ bool) {
			g.If(e.holds(jen.Id("start"), n, n.Not, ctx.in("Not")).Op("&&").Op("!").
				Add(r("Broken", jen.Id("start").Dot("Pos").Call(), e.placeRule(ctx.in("Not"), n), jen.Lit("not"), jen.Lit("a value that the schema under not refuses")))).
				Block(jen.Return(jen.False()))
		}})
	}
	if n.If != nil && (demands(n.Then) || demands(n.Else)) {
		out = append(out, pass{emit: func(g *jen.Group, _ bool) { e.conditional(g, n, ctx) }})
	}
	for _, d := range n.DependentSchemas {
		out = append(out, pass{emit: func(g *jen.Group, _ bool) {
			g.If(r("Has", jen.Id("start"), jen.Lit(d.Name))).Block(
				must(jen.Add(e.checkValue(d.Node, ctx.in("With"+shape.GoName(d.Name))))),
			)
		}})
	}
	if u := n.UnevaluatedProperties; u != nil && len(shape.Rules(u.Target())) > 0 {
		out = append(out, e.unevaluated(n, u, "CheckUnevaluatedMembers", ctx.in("UnevaluatedMembers")))
	}
	if u := n.UnevaluatedItems; u != nil && len(shape.Rules(u.Target())) > 0 {
		out = append(out, e.unevaluated(n, u, "CheckUnevaluatedItems", ctx.in("UnevaluatedItems")))
	}
	return out
}

// demands tells a schema that can refuse something.
func demands(n *schema.Node) bool { return n != nil && len(shape.Rules(n.Target())) > 0 }

func (e *emitter) conditional(g *jen.Group, n *schema.Node, ctx context) {
	check := func(branch *schema.Node, name string) []jen.Code {
		if !demands(branch) {
			return nil
		}
		return []jen.Code{must(e.checkValue(branch, ctx.in(name)))}
	}
	then, otherwise := check(n.Then, "Then"), check(n.Else, "Else")
	cond := e.holds(jen.Id("start"), n, n.If, ctx.in("If"))
	switch {
	case then != nil && otherwise != nil:
		g.If(cond).Block(then...).Else().Block(otherwise...)
	case then != nil:
		g.If(cond).Block(then...)
	case otherwise != nil:
		g.If(jen.Op("!").Add(cond)).Block(otherwise...)
	}
}

// branches is the pass of an anyOf or oneOf: alone it is the function's body, beside other rules a function of its own.
func (e *emitter) branches(n *schema.Node, keyword string, branches []*schema.Node, ctx context) pass {
	return pass{whole: true, emit: func(g *jen.Group, alone bool) {
		if alone {
			e.dispatch(g, n, keyword, branches, ctx)
			return
		}
		g.Add(r("Reset", jen.Id("start")))
		g.Add(must(jen.Func().Params(jen.Id("r").Op("*").Add(lib("Reader"))).Bool().BlockFunc(func(g *jen.Group) {
			e.dispatch(g, n, keyword, branches, ctx)
		}).Call(jen.Id("r"))))
	}}
}

// dispatch writes how a value finds its branch.
func (e *emitter) dispatch(g *jen.Group, n *schema.Node, keyword string, branches []*schema.Node, ctx context) {
	d := &dispatcher{
		refuse: func(want string) jen.Code {
			return jen.Return(r("Refused", e.placeRule(ctx.in("Refused"), n), jen.Lit(keyword), jen.Lit(want)))
		},
		one: func(g *jen.Group, i int) {
			g.Return(e.checkValue(branches[i], ctx.in(branchName(i))))
		},
		several: func(g *jen.Group, left []int) { e.try(g, n, keyword, branches, left, ctx) },
	}
	d.emit(g, shape.Decide(branches))
}

func branchName(i int) string { return fmt.Sprintf("Branch%d", i+1) }

// try writes what happens where several branches are left.
func (e *emitter) try(g *jen.Group, n *schema.Node, keyword string, branches []*schema.Node, left []int, ctx context) {
	holds := func(i int) *jen.Statement { return e.holds(jen.Id("value"), n, branches[i], ctx.in(branchName(i))) }
	g.Id("value").Op(":=").Add(r("Mark"))
	refused := []jen.Code{e.placeRule(ctx.in("Tried"), n), jen.Lit(keyword), jen.Lit(len(branches))}
	for _, i := range left {
		refused = append(refused, lib("BranchAt").Call(jen.Lit(i), jen.Id(e.checkFunc(branches[i], ctx.in(branchName(i))))))
	}
	if keyword == "anyOf" {
		any := jen.Do(func(s *jen.Statement) {
			for k, i := range left {
				if k > 0 {
					s.Op("||")
				}
				s.Add(holds(i))
			}
		})
		g.If(any).Block(jen.Return(r("Skip")))
		g.Return(r("NotChosen", refused...))
		return
	}
	g.Id("held").Op(":=").Lit(0)
	for _, i := range left {
		g.If(holds(i)).Block(jen.Id("held").Op("++"))
	}
	g.If(jen.Id("held").Op("!=").Lit(1)).Block(jen.Return(r("NotChosen", refused...)))
	g.Return(r("Skip"))
}

// holds is the condition that the marked value passes a part of n.
func (e *emitter) holds(mark jen.Code, n, part *schema.Node, ctx context) *jen.Statement {
	check := e.checkFunc(part, ctx)
	if !e.rings.Retried(n, part) {
		return r("Holds", mark, jen.Id(check))
	}
	return r("HoldsOnce", jen.Lit(e.memory(check)), mark, jen.Id(check))
}

// memory is the number by which a message remembers the verdicts of a check function.
func (e *emitter) memory(check string) int {
	id, ok := e.retried[check]
	if !ok {
		id = len(e.retried) + 1
		e.retried[check] = id
	}
	return id
}

// dispatcher writes a decision; what happens at its leaves is up to the caller. Every path ends in a return.
type dispatcher struct {
	refuse  func(want string) jen.Code
	one     func(g *jen.Group, branch int)
	several func(g *jen.Group, left []int)
}

func (d *dispatcher) emit(g *jen.Group, s *shape.Decision) {
	switch {
	case s == nil:
		g.Add(d.refuse("a value that one of the branches accepts"))
	case s.Leaf:
		switch len(s.Branches) {
		case 0:
			g.Add(d.refuse("a value that one of the branches accepts"))
		case 1:
			d.one(g, s.Branches[0])
		default:
			d.several(g, s.Branches)
		}
	case s.ByKind != nil:
		d.byKind(g, s)
	default:
		d.byMember(g, s)
	}
}

var kindNames = []struct {
	kind schema.Types
	name string
	want string
}{
	{schema.TypeNull, "KindNull", "null"}, {schema.TypeBoolean, "KindBool", "a boolean"}, {schema.TypeNumber, "KindNumber", "a number"},
	{schema.TypeString, "KindString", "a string"}, {schema.TypeArray, "KindArray", "an array"}, {schema.TypeObject, "KindObject", "an object"},
}

// byKind looks at the kind of the value. Kinds with the same way on share a case.
func (d *dispatcher) byKind(g *jen.Group, s *shape.Decision) {
	type way struct {
		names []jen.Code
		next  *shape.Decision
	}
	var ways []way
	for _, k := range kindNames {
		next, ok := s.ByKind[k.kind]
		if !ok {
			continue
		}
		same := false
		for i := range ways {
			if next.Leaf && ways[i].next.Leaf && fmt.Sprint(next.Branches) == fmt.Sprint(ways[i].next.Branches) {
				ways[i].names = append(ways[i].names, lib(k.name))
				same = true
			}
		}
		if !same {
			ways = append(ways, way{names: []jen.Code{lib(k.name)}, next: next})
		}
	}
	want := wantKinds(s)
	switch {
	case len(ways) == 0:
		g.Add(d.refuse("nothing: no branch accepts anything"))
	case len(ways) == 1 && len(ways[0].names) == len(kindNames):
		d.emit(g, ways[0].next)
	case len(ways) == 1 && len(ways[0].names) == 1:
		g.If(r("Kind").Op("!=").Add(ways[0].names[0])).Block(d.refuse(want))
		d.emit(g, ways[0].next)
	default:
		g.Switch(r("Kind")).BlockFunc(func(g *jen.Group) {
			for _, w := range ways {
				g.Case(w.names...).BlockFunc(func(g *jen.Group) { d.emit(g, w.next) })
			}
		})
		g.Add(d.refuse(want))
	}
}

// wantKinds says in words which kinds of value have a branch.
func wantKinds(d *shape.Decision) string {
	var wants []string
	for _, k := range kindNames {
		if _, ok := d.ByKind[k.kind]; ok {
			wants = append(wants, k.want)
		}
	}
	return strings.Join(wants, " or ")
}

// byMember looks at a member with fixed values. Values are sorted, so that the code does not depend on the order of
// branches.
func (d *dispatcher) byMember(g *jen.Group, s *shape.Decision) {
	var texts []string
	var boolean bool
	for _, c := range s.Cases {
		for _, v := range c.Values {
			texts = append(texts, label(v))
			boolean = boolean || v.Kind == document.Bool
		}
	}
	sort.Strings(texts)
	read := "Tag"
	if boolean {
		read = "TagBool"
	}
	g.Switch(jen.String().Call(r(read, jen.Lit(s.Member)))).BlockFunc(func(g *jen.Group) {
		cases := append([]shape.Case(nil), s.Cases...)
		sort.Slice(cases, func(i, j int) bool { return label(cases[i].Values[0]) < label(cases[j].Values[0]) })
		for _, c := range cases {
			var labels []string
			for _, v := range c.Values {
				labels = append(labels, label(v))
			}
			sort.Strings(labels)
			var lits []jen.Code
			for _, l := range labels {
				lits = append(lits, jen.Lit(l))
			}
			g.Case(lits...).BlockFunc(func(g *jen.Group) { d.emit(g, c.Next) })
		}
	})
	if s.Other != nil {
		d.emit(g, s.Other)
		return
	}
	for i, t := range texts {
		if !boolean {
			texts[i] = fmt.Sprintf("%q", t)
		}
	}
	g.Add(d.refuse(fmt.Sprintf("an object whose %q is %s", s.Member, strings.Join(texts, " or "))))
}

func label(v *document.Value) string {
	if v.Kind == document.Bool {
		return fmt.Sprint(v.Bool)
	}
	return v.Text
}

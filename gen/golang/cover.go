package golang

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// unevaluated is the pass of unevaluatedProperties or unevaluatedItems: first it is worked out what the schemas that
// hold for the value evaluate, then the rest is held against the keyword's schema.
func (e *emitter) unevaluated(n, u *schema.Node, method string, ctx context) pass {
	return pass{emit: func(g *jen.Group, _ bool) {
		g.BlockFunc(func(g *jen.Group) {
			g.Var().Id("covered").Add(lib("Coverage"))
			e.cover(g, n, ctx, true)
			check := jen.Code(jen.Nil())
			if u.Target().Always == nil {
				check = jen.Id(e.checkFunc(u, ctx))
			}
			g.Add(must(r(method, jen.Id("start"), addr(jen.Id("covered")), e.placeRule(ctx.in("Closed"), n), check)))
		})
	}}
}

// coverFunc returns the function that adds to a Coverage what n evaluates of a value it accepts.
func (e *emitter) coverFunc(n *schema.Node, ctx context) string {
	n = n.Target()
	if name, ok := e.covers[n]; ok {
		return name
	}
	name := e.free("cover" + ctx.path)
	e.covers[n] = name
	e.pending = append(e.pending, pendingCheck{name: name, node: n, owner: ctx.owner, cover: true})
	return name
}

// evaluates tells whether n can evaluate any member or element at all.
func evaluates(n *schema.Node, visiting map[*schema.Node]bool) bool {
	n = n.Target()
	if visiting[n] {
		return false
	}
	visiting[n] = true
	if len(n.Properties)+len(n.PatternProperties)+len(n.PrefixItems) > 0 || n.AdditionalProperties != nil || n.UnevaluatedProperties != nil ||
		n.Items != nil || n.Contains != nil || n.UnevaluatedItems != nil {
		return true
	}
	for edge := range n.Edges() {
		if edge.Place == schema.InPlace && edge.Keyword != "not" && evaluates(edge.Node, visiting) {
			return true
		}
	}
	return false
}

// cover writes what n evaluates. The value is marked by start; own leaves out the unevaluated keywords of n itself.
func (e *emitter) cover(g *jen.Group, n *schema.Node, ctx context, own bool) {
	covered := func(method string, args ...jen.Code) { g.Id("covered").Dot(method).Call(args...) }
	if len(n.Properties) > 0 {
		var names []jen.Code
		for _, p := range n.Properties {
			names = append(names, jen.Lit(p.Name))
		}
		covered("Members", names...)
	}
	for _, pp := range n.PatternProperties {
		covered("Pattern", e.pattern(ctx.in("Names"), n, "patternProperties", pp.Pattern))
	}
	if n.AdditionalProperties != nil || !own && n.UnevaluatedProperties != nil {
		covered("AllMembers")
	}
	if len(n.PrefixItems) > 0 {
		covered("First", jen.Lit(len(n.PrefixItems)))
	}
	if n.Items != nil || !own && n.UnevaluatedItems != nil {
		covered("AllItems")
	}
	if n.Contains != nil {
		check := e.checkFunc(n.Contains, ctx.in("Contains"))
		if e.rings.Retried(n, n.Contains) {
			covered("ContainingOnce", jen.Lit(e.memory(check)), jen.Id(check))
		} else {
			covered("Containing", jen.Id(check))
		}
	}
	for _, ref := range []*schema.Node{n.Ref, n.DynamicRef} {
		if ref != nil {
			e.coverPart(g, ref, ctx.in("Ref"))
		}
	}
	for i, part := range n.AllOf {
		e.coverPart(g, part, ctx.in(fmt.Sprintf("Part%d", i+1)))
	}
	e.coverBranches(g, n, n.AnyOf, ctx.in("AnyOf"))
	e.coverBranches(g, n, n.OneOf, ctx.in("OneOf"))
	e.coverIf(g, n, ctx)
	for _, d := range n.DependentSchemas {
		if evaluates(d.Node, map[*schema.Node]bool{}) {
			g.If(r("Has", jen.Id("start"), jen.Lit(d.Name))).BlockFunc(func(g *jen.Group) {
				e.coverPart(g, d.Node, ctx.in("With"+shape.GoName(d.Name)))
			})
		}
	}
}

func (e *emitter) coverPart(g *jen.Group, n *schema.Node, ctx context) {
	if evaluates(n, map[*schema.Node]bool{}) {
		g.Id(e.coverFunc(n, ctx)).Call(jen.Id("r"), jen.Id("start"), e.coverage())
	}
}

func (e *emitter) coverage() jen.Code {
	if e.inCover {
		return jen.Id("covered")
	}
	return addr(jen.Id("covered"))
}

func (e *emitter) coverBranches(g *jen.Group, n *schema.Node, branches []*schema.Node, ctx context) {
	for i, branch := range branches {
		if !evaluates(branch, map[*schema.Node]bool{}) {
			continue
		}
		g.If(e.holds(jen.Id("start"), n, branch, ctx.in(branchName(i)))).BlockFunc(func(g *jen.Group) {
			e.coverPart(g, branch, ctx.in(branchName(i)))
		})
	}
}

func (e *emitter) coverIf(g *jen.Group, n *schema.Node, ctx context) {
	if n.If == nil {
		return
	}
	part := func(name string, nodes ...*schema.Node) []jen.Code {
		var out []jen.Code
		for i, node := range nodes {
			if node != nil && evaluates(node, map[*schema.Node]bool{}) {
				out = append(out, jen.Id(e.coverFunc(node, ctx.in(fmt.Sprintf("%s%d", name, i+1)))).Call(jen.Id("r"), jen.Id("start"), e.coverage()))
			}
		}
		return out
	}
	then, otherwise := part("Then", n.If, n.Then), part("Else", n.Else)
	if then == nil && otherwise == nil {
		return
	}
	g.If(e.holds(jen.Id("start"), n, n.If, ctx.in("If"))).Block(then...).Else().Block(otherwise...)
}

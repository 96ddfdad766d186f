package golang

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// array writes the loop over the elements of an array.
func (e *emitter) array(g *jen.Group, n *schema.Node, ctx context) {
	rules := shape.Rules(n)
	held := shape.Any(rules, "minItems", "maxItems", "uniqueItems")
	count := held || len(n.PrefixItems) > 0
	counts := n.Contains != nil && (leastContained(n) > 0 || n.MaxContains != nil)
	if held || counts {
		g.Id("start").Op(":=").Add(r("Mark"))
	}
	g.Add(must(r("Array")))
	if count {
		g.Id("n").Op(":=").Lit(0)
	}
	if counts {
		g.Id("found").Op(":=").Lit(0)
	}
	g.For(r("Element")).BlockFunc(func(g *jen.Group) {
		if counts {
			g.If(e.holds(r("Mark"), n, n.Contains, ctx.in("Contains"))).Block(jen.Id("found").Op("++"))
		}
		rest := r("Skip")
		if n.Items != nil && len(shape.Rules(n.Items.Target())) > 0 {
			rest = jen.Add(e.checkValue(n.Items, ctx.in("Item")))
		}
		if len(n.PrefixItems) == 0 {
			g.Add(must(rest))
		} else {
			g.Switch(jen.Id("n")).BlockFunc(func(g *jen.Group) {
				for i, item := range n.PrefixItems {
					g.Case(jen.Lit(i)).Block(must(e.checkValue(item, ctx.in(fmt.Sprintf("Item%d", i+1)))))
				}
				g.Default().Block(must(rest))
			})
		}
		if count {
			g.Id("n").Op("++")
		}
	})
	g.Add(must(r("EndArray")))
	if held {
		g.Add(must(r("HoldList", jen.Id("start"), jen.Id("n"), e.listRule(n, ctx.in("List")))))
	}
	if counts {
		e.contains(g, n, ctx)
	}
	g.Return(jen.True())
}

func (e *emitter) contains(g *jen.Group, n *schema.Node, ctx context) {
	least := leastContained(n)
	broken := func(keyword, want string) *jen.Statement {
		return r("Broken", jen.Id("start").Dot("Pos").Call(), e.placeRule(ctx.in("Contains"), n), jen.Lit(keyword), jen.Lit(want))
	}
	if least > 0 {
		keyword := "contains"
		if n.MinContains != nil {
			keyword = "minContains"
		}
		g.If(jen.Id("found").Op("<").Lit(int(least)).Op("&&").Op("!").
			Add(broken(keyword, fmt.Sprintf("at least %d elements that match", least)))).Block(jen.Return(jen.False()))
	}
	if n.MaxContains != nil {
		g.If(jen.Id("found").Op(">").Lit(int(*n.MaxContains)).Op("&&").Op("!").
			Add(broken("maxContains", fmt.Sprintf("at most %d elements that match", *n.MaxContains)))).Block(jen.Return(jen.False()))
	}
}

// leastContained is minContains, 1 by default.
func leastContained(n *schema.Node) int64 {
	if n.MinContains != nil {
		return *n.MinContains
	}
	return 1
}

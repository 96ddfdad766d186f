package golang

import (
	"fmt"
	"math"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// memberBits numbers the members that an object's loop knows by name: the required ones first, so that the set of
// seen members and the list of required ones share their numbers.
type memberBits struct {
	names    []string
	required int
	index    map[string]int
}

func bitsOf(n *schema.Node) *memberBits {
	b := &memberBits{index: map[string]int{}}
	add := func(name string) {
		if _, ok := b.index[name]; !ok {
			b.index[name] = len(b.names)
			b.names = append(b.names, name)
		}
	}
	for _, name := range n.Required {
		add(name)
	}
	b.required = len(b.names)
	for _, p := range n.Properties {
		add(p.Name)
	}
	for _, d := range n.DependentRequired {
		add(d.Name)
		for _, name := range d.Required {
			add(name)
		}
	}
	return b
}

// words is the number of 64-bit words the set of seen members takes.
func (b *memberBits) words() int { return (len(b.names) + 63) / 64 }

func seenVar(word int) string {
	if word == 0 {
		return "seen"
	}
	return fmt.Sprintf("seen%d", word)
}

func (b *memberBits) declare(g *jen.Group) {
	if len(b.names) == 0 {
		return
	}
	g.Var().ListFunc(func(g *jen.Group) {
		for w := range b.words() {
			g.Id(seenVar(w))
		}
	}).Uint64()
}

// known writes the call that notes a member.
func (b *memberBits) known(name string) jen.Code {
	i := b.index[name]
	return r("Known", addr(jen.Id(seenVar(i/64))), bit(i))
}

func bit(i int) jen.Code { return jen.Lit(1).Op("<<").Lit(i % 64) }

// has writes the condition that a member has been seen.
func (b *memberBits) has(name string) *jen.Statement {
	i := b.index[name]
	return jen.Id(seenVar(i / 64)).Op("&").Parens(bit(i)).Op("!=").Lit(0)
}

// complete is the condition that all required members have come, or that those missing have been recorded.
func (b *memberBits) complete(rule *jen.Statement) jen.Code {
	return jen.Do(func(s *jen.Statement) {
		for w := 0; w*64 < b.required; w++ {
			mask := uint64(math.MaxUint64)
			if n := b.required - w*64; n < 64 {
				mask = 1<<n - 1
			}
			if w > 0 {
				s.Op("&&")
			}
			m := jen.Op(fmt.Sprintf("%#x", mask))
			s.Add(jen.Id(seenVar(w)).Op("&").Add(m).Op("==").Add(m))
		}
	}).Op("||").Add(r("Missing", append([]jen.Code{jen.Id("at"), rule}, b.seenVars()...)...))
}

// conclude ends a function by the conditions that are left: all but the last stop it, the last is its result.
func conclude(g *jen.Group, conds []jen.Code) {
	for i, cond := range conds {
		if i == len(conds)-1 {
			g.Return(cond)
			return
		}
		g.Add(must(cond))
	}
	g.Return(jen.True())
}

func (b *memberBits) seenVars() []jen.Code {
	var out []jen.Code
	for w := 0; w*64 < b.required; w++ {
		out = append(out, jen.Id(seenVar(w)))
	}
	return out
}

func (e *emitter) objectRule(n *schema.Node, b *memberBits, ctx context) *jen.Statement {
	d := []jen.Code{jen.Id("Place"), e.place(n)}
	if b.required > 0 {
		d = append(d, jen.Id("Required"), jen.Index().String().ValuesFunc(func(g *jen.Group) {
			for _, name := range b.names[:b.required] {
				g.Lit(name)
			}
		}))
	}
	if n.MinProperties != nil && *n.MinProperties > 0 {
		d = append(d, jen.Id("MinProperties"), jen.Lit(int(*n.MinProperties)))
	}
	if n.MaxProperties != nil {
		d = append(d, jen.Id("MaxProperties"), jen.Lit(int(*n.MaxProperties)))
		d = append(d, jen.Id("Limited"), jen.True())
	}
	return e.addRule(ctx, lib("ObjectRule").Add(fields(d...)))
}

func counted(n *schema.Node) bool {
	return n.MinProperties != nil && *n.MinProperties > 0 || n.MaxProperties != nil
}

// object writes the loop over the members of an object: the reader stands before it, and is behind it at the end.
func (e *emitter) object(g *jen.Group, n *schema.Node, ctx context) {
	bits := bitsOf(n)
	needsRule := bits.required > 0 || counted(n)
	var rule *jen.Statement
	if needsRule {
		rule = e.objectRule(n, bits, ctx.in("Members"))
	}
	if needsRule || demandsDependents(n) {
		g.Id("at").Op(":=").Add(r("Pos"))
	}
	g.Add(must(r("Object")))
	g.Id("frame").Op(":=").Add(r("Frame"))
	bits.declare(g)
	if counted(n) {
		g.Id("count").Op(":=").Lit(0)
	}
	g.For(r("Member")).BlockFunc(func(g *jen.Group) {
		if counted(n) {
			g.Id("count").Op("++")
		}
		if n.PropertyNames != nil && len(shape.Rules(n.PropertyNames)) > 0 && !allNames(n.PropertyNames) {
			g.Add(must(r("CheckName", jen.Id(e.checkFunc(n.PropertyNames, ctx.in("Name"))))))
		}
		if len(bits.names) == 0 {
			e.otherMember(g, n, ctx)
			return
		}
		g.Switch(jen.String().Call(r("Name"))).BlockFunc(func(g *jen.Group) {
			for _, name := range bits.names {
				g.Case(jen.Lit(name)).BlockFunc(func(g *jen.Group) {
					e.namedMember(g, n, name, bits, ctx)
				})
			}
			g.Default().BlockFunc(func(g *jen.Group) { e.otherMember(g, n, ctx) })
		})
	})
	conds := []jen.Code{r("EndObject", jen.Id("frame"))}
	if counted(n) {
		conds = append(conds, r("HoldCount", jen.Id("at"), jen.Id("count"), rule))
	}
	if bits.required > 0 {
		complete := bits.complete(rule)
		if len(n.DependentRequired) > 0 {
			complete = jen.Parens(complete)
		}
		conds = append(conds, complete)
	}
	if len(n.DependentRequired) == 0 {
		conclude(g, conds)
		return
	}
	for _, cond := range conds {
		g.Add(must(cond))
	}
	e.dependentRequired(g, n, bits, ctx)
	g.Return(jen.True())
}

// demandsDependents tells a dependentRequired that can be broken.
func demandsDependents(n *schema.Node) bool {
	for _, d := range n.DependentRequired {
		if len(d.Required) > 0 {
			return true
		}
	}
	return false
}

// allNames tells a schema for names that only asks for a string: every name is one.
func allNames(n *schema.Node) bool {
	return only(shape.Rules(n), "type") && n.Types.Has(schema.TypeString)
}

func (e *emitter) dependentRequired(g *jen.Group, n *schema.Node, bits *memberBits, ctx context) {
	for _, d := range n.DependentRequired {
		for _, name := range d.Required {
			want := fmt.Sprintf("the member %q, since there is %q", name, d.Name)
			g.If(bits.has(d.Name).Op("&&").Op("!").Parens(bits.has(name)).Op("&&").Op("!").
				Add(r("Broken", jen.Id("at"), e.placeRule(ctx.in("Dependent"), n), jen.Lit("dependentRequired"), jen.Lit(want)))).
				Block(jen.Return(jen.False()))
		}
	}
}

// namedMember checks the value of a member whose name is known when the code is written.
func (e *emitter) namedMember(g *jen.Group, n *schema.Node, name string, bits *memberBits, ctx context) {
	field := ctx.in(shape.GoName(name))
	var conds []jen.Code
	evaluated := false
	if p := n.Property(name); p != nil {
		evaluated = true
		if len(shape.Rules(p.Target())) > 0 {
			conds = append(conds, e.checkValue(p, field))
		}
	}
	for _, pp := range n.PatternProperties {
		if wire.MustPattern(pp.Pattern).Match([]byte(name)) {
			evaluated = true
			if len(shape.Rules(pp.Node.Target())) > 0 {
				conds = append(conds, e.checkValue(pp.Node, field.in("Pattern")))
			}
		}
	}
	if !evaluated {
		conds = append(conds, e.additional(n, ctx)...)
	}
	switch len(conds) {
	case 0:
		g.Add(must(bits.known(name), r("Skip")))
	case 1:
		g.Add(must(bits.known(name), conds[0]))
	default:
		g.Add(must(bits.known(name)))
		e.all(g, conds)
	}
}

// all checks one value by several conditions, reading it again for each.
func (e *emitter) all(g *jen.Group, conds []jen.Code) {
	switch len(conds) {
	case 0:
		g.Add(must(r("Skip")))
	case 1:
		g.Add(must(conds[0]))
	default:
		g.Id("value").Op(":=").Add(r("Mark"))
		for i, cond := range conds {
			if i > 0 {
				g.Add(r("Reset", jen.Id("value")))
			}
			g.Add(must(cond))
		}
	}
}

// additional is the condition for a member that neither properties nor patternProperties evaluate; none: all pass.
func (e *emitter) additional(n *schema.Node, ctx context) []jen.Code {
	a := n.AdditionalProperties
	if a == nil || len(shape.Rules(a.Target())) == 0 {
		return nil
	}
	if a.Always != nil {
		return []jen.Code{r("Refused", e.placeRule(ctx.in("Closed"), n), jen.Lit("additionalProperties"), jen.Lit("no member beside the declared ones"))}
	}
	return []jen.Code{e.checkValue(a, ctx.in("Additional"))}
}

// otherMember checks the value of a member that is in no properties.
func (e *emitter) otherMember(g *jen.Group, n *schema.Node, ctx context) {
	additional := e.additional(n, ctx)
	if len(n.PatternProperties) == 0 {
		if len(additional) == 0 {
			g.Add(must(r("Ignore", jen.Id("frame"))))
			return
		}
		g.Add(must(r("Unique", jen.Id("frame"))))
		g.Add(must(additional[0]))
		return
	}
	g.Add(must(r("Unique", jen.Id("frame"))))
	// The name is gone once a value has been read, so it is matched first.
	var matched []jen.Code
	for i, pp := range n.PatternProperties {
		m := jen.Id(fmt.Sprintf("matched%d", i+1))
		matched = append(matched, m)
		g.Add(m).Op(":=").Add(e.pattern(ctx.in("Names"), pp.Pattern)).Dot("Match").Call(r("Name"))
	}
	g.Id("value").Op(":=").Add(r("Mark"))
	for i, pp := range n.PatternProperties {
		g.If(matched[i]).Block(
			r("Reset", jen.Id("value")),
			must(e.checkValue(pp.Node, ctx.in(fmt.Sprintf("Pattern%d", i+1)))),
		)
	}
	none := jen.Do(func(s *jen.Statement) {
		for i, m := range matched {
			if i > 0 {
				s.Op("&&")
			}
			s.Op("!").Add(m)
		}
	})
	g.If(none).BlockFunc(func(g *jen.Group) { e.all(g, additional) })
}

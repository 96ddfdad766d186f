package golang

import (
	"fmt"
	"math"
	"slices"

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

func bitsOf(o *shape.Object) *memberBits {
	b := &memberBits{index: map[string]int{}}
	required, _ := o.Required()
	for _, name := range required {
		b.add(name)
	}
	b.required = len(b.names)
	for _, name := range o.Names {
		b.add(name)
	}
	for _, p := range o.Parts {
		for _, d := range p.DependentRequired {
			b.add(d.Name)
			for _, name := range d.Required {
				b.add(name)
			}
		}
	}
	return b
}

// inOrder lists the names as messages mostly have them: in the order of the document.
func (b *memberBits) inOrder(o *shape.Object) []string {
	var names []string
	add := func(list []string) {
		for _, name := range list {
			if _, ok := b.index[name]; ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	add(o.Names)
	for _, p := range o.Parts {
		add(shape.PropertyNames(p))
	}
	add(b.names)
	return names
}

func (b *memberBits) add(name string) {
	if _, ok := b.index[name]; !ok {
		b.index[name] = len(b.names)
		b.names = append(b.names, name)
	}
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

// count writes the number of members: of those that are known, however often they came, and of the others.
func (b *memberBits) count() jen.Code {
	if len(b.names) == 0 {
		return jen.Id("count")
	}
	return jen.Id("count").Op("+").Add(lib("Seen")).CallFunc(func(g *jen.Group) {
		for w := range b.words() {
			g.Id(seenVar(w))
		}
	})
}

// has writes the condition that a member has been seen.
func (b *memberBits) has(name string) *jen.Statement {
	i := b.index[name]
	return jen.Id(seenVar(i / 64)).Op("&").Parens(bit(i)).Op("!=").Lit(0)
}

// demand is a set of required members that one part of an object asks for: the bits from first on.
type demand struct {
	part  *schema.Node
	first int
	names []string
}

// demands groups the required members by the part that asks for them first.
func (b *memberBits) demands(o *shape.Object) []demand {
	var out []demand
	names, by := o.Required()
	for i, name := range names {
		if i == 0 || by[i] != by[i-1] {
			out = append(out, demand{part: by[i], first: i})
		}
		d := &out[len(out)-1]
		d.names = append(d.names, name)
	}
	return out
}

// complete is the condition that the members of a demand have come, or that those missing have been recorded.
func (e *emitter) complete(d demand, ctx context) jen.Code {
	rule := []jen.Code{jen.Id("Place"), e.place(d.part)}
	if d.first > 0 {
		rule = append(rule, jen.Id("First"), jen.Lit(d.first))
	}
	rule = append(rule, jen.Id("Required"), jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, name := range d.names {
			g.Lit(name)
		}
	}))
	args := []jen.Code{jen.Id("at"), e.addRule(ctx.in("Required"), lib("RequiredRule").Add(fields(rule...)))}
	last := d.first + len(d.names)
	return jen.Do(func(s *jen.Statement) {
		for w := 0; w*64 < last; w++ {
			args = append(args, jen.Id(seenVar(w)))
			from, to := max(d.first-w*64, 0), min(last-w*64, 64)
			if from >= to {
				continue
			}
			mask := uint64(math.MaxUint64) << from
			if to < 64 {
				mask &= 1<<to - 1
			}
			if from+w*64 > d.first {
				s.Op("&&")
			}
			m := jen.Op(fmt.Sprintf("%#x", mask))
			s.Add(jen.Id(seenVar(w)).Op("&").Add(m).Op("==").Add(m))
		}
	}).Op("||").Add(r("Missing", args...))
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

func (e *emitter) countRule(n *schema.Node, ctx context) *jen.Statement {
	d := []jen.Code{jen.Id("Place"), e.place(n)}
	if n.MinProperties != nil && *n.MinProperties > 0 {
		d = append(d, jen.Id("MinProperties"), jen.Lit(int(*n.MinProperties)))
	}
	if n.MaxProperties != nil {
		d = append(d, jen.Id("MaxProperties"), jen.Lit(int(*n.MaxProperties)))
		d = append(d, jen.Id("Limited"), jen.True())
	}
	return e.addRule(ctx.in("Count"), lib("CountRule").Add(fields(d...)))
}

func counted(n *schema.Node) bool {
	return n.MinProperties != nil && *n.MinProperties > 0 || n.MaxProperties != nil
}

// counting lists the parts that bound the number of members.
func counting(o *shape.Object) []*schema.Node {
	var out []*schema.Node
	for _, p := range o.Parts {
		if counted(p) {
			out = append(out, p)
		}
	}
	return out
}

// members is the loop over the members of an object. What is done with each is up to the caller.
type members struct {
	object *shape.Object
	bits   *memberBits
	held   bool // required members and counts are checked
	named  func(g *jen.Group, name string)
	other  func(g *jen.Group)
	each   func(g *jen.Group) // before the name is looked at; nil: nothing
}

// loop writes the loop: the reader stands before the object, and is behind it at the end.
func (e *emitter) loop(g *jen.Group, m members, ctx context) {
	o, bits := m.object, m.bits
	var demands []demand
	var counts []*schema.Node
	dependents := false
	if m.held {
		demands, counts = bits.demands(o), counting(o)
		for _, p := range o.Parts {
			dependents = dependents || demandsDependents(p)
		}
	}
	if len(demands) > 0 || len(counts) > 0 || dependents {
		g.Id("at").Op(":=").Add(r("Pos"))
	}
	g.Add(must(r("Object")))
	g.Id("frame").Op(":=").Add(r("Frame"))
	bits.declare(g)
	if len(counts) > 0 {
		g.Id("count").Op(":=").Lit(0)
	}
	start := func(g *jen.Group) {
		if m.each != nil {
			m.each(g)
		}
	}
	other := func(g *jen.Group) {
		if len(counts) > 0 {
			g.Id("count").Op("++")
		}
		m.other(g)
	}
	if len(bits.names) == 0 {
		g.For(r("Member")).BlockFunc(func(g *jen.Group) {
			start(g)
			other(g)
		})
	} else {
		names := bits.inOrder(o)
		list := e.names(names, ctx)
		k := jen.Id("k")
		g.For(jen.Add(k).Op(":=").Add(r("Next", list, jen.Lit(-1))), jen.Add(k).Op("!=").Add(lib("End")), jen.Add(k).Op("=").Add(r("Next", list, k))).BlockFunc(func(g *jen.Group) {
			start(g)
			g.Switch(k).BlockFunc(func(g *jen.Group) {
				for i, name := range names {
					g.Case(jen.Lit(i)).BlockFunc(func(g *jen.Group) {
						g.Comment(fmt.Sprintf("%+q", name))
						m.named(g, name)
					})
				}
				g.Default().BlockFunc(other)
			})
		})
	}
	conds := []jen.Code{r("EndObject", jen.Id("frame"))}
	for _, p := range counts {
		conds = append(conds, r("HoldCount", jen.Id("at"), bits.count(), e.countRule(p, ctx)))
	}
	for i, d := range demands {
		complete := e.complete(d, ctx)
		if dependents || i < len(demands)-1 {
			complete = jen.Parens(complete)
		}
		conds = append(conds, complete)
	}
	if !dependents {
		conclude(g, conds)
		return
	}
	for _, cond := range conds {
		g.Add(must(cond))
	}
	for _, p := range o.Parts {
		e.dependentRequired(g, p, bits, ctx)
	}
	g.Return(jen.True())
}

// object writes the loop that checks the members of an object.
func (e *emitter) object(g *jen.Group, o *shape.Object, ctx context) {
	bits := bitsOf(o)
	m := members{object: o, bits: bits, held: true}
	m.named = func(g *jen.Group, name string) { e.namedMember(g, o, name, bits, ctx) }
	m.other = func(g *jen.Group) { e.otherMember(g, o, ctx) }
	if n := o.Parts[0]; shape.Any(shape.Rules(n), "propertyNames") {
		m.each = func(g *jen.Group) {
			g.Add(must(r("CheckName", jen.Id(e.checkFunc(n.PropertyNames, ctx.in("Name"))))))
		}
	}
	e.loop(g, m, ctx)
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
func (e *emitter) namedMember(g *jen.Group, o *shape.Object, name string, bits *memberBits, ctx context) {
	conds := e.memberRules(o, name, ctx)
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

// memberRules are the conditions that the value of a named member must fulfil.
func (e *emitter) memberRules(o *shape.Object, name string, ctx context) []jen.Code {
	field := ctx.in(shape.GoName(name))
	var conds []jen.Code
	n := o.Parts[0]
	if len(n.PatternProperties) == 0 {
		if part, keyword := o.Refusing(name, true); part != nil {
			return []jen.Code{e.refused(part, keyword, ctx)}
		}
		for _, rule := range o.Rules(name) {
			conds = append(conds, e.checkValue(rule, field))
		}
		return conds
	}
	// patternProperties stand in an object of one part only.
	evaluated := false
	if p := n.Property(name); p != nil {
		evaluated = true
		if len(shape.Rules(p.Target())) > 0 {
			conds = append(conds, e.checkValue(p, field))
		}
	}
	for _, pp := range n.PatternProperties {
		if matches(pp.Pattern, name) {
			evaluated = true
			if len(shape.Rules(pp.Node.Target())) > 0 {
				conds = append(conds, e.checkValue(pp.Node, field.in("Pattern")))
			}
		}
	}
	if !evaluated {
		conds = append(conds, e.additional(o, ctx)...)
	}
	return conds
}

func (e *emitter) refused(part *schema.Node, keyword string, ctx context) jen.Code {
	return r("Refused", e.placeRule(ctx.in("Closed"), part), jen.Lit(keyword), jen.Lit("no member beside the declared ones"))
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
		e.allAt(g, conds)
	}
}

// allAt is all where the value has been marked already.
func (e *emitter) allAt(g *jen.Group, conds []jen.Code) {
	for i, cond := range conds {
		if i > 0 {
			g.Add(r("Reset", jen.Id("value")))
		}
		g.Add(must(cond))
	}
}

// additional are the conditions for a member that no part names; none: all pass.
func (e *emitter) additional(o *shape.Object, ctx context) []jen.Code {
	if part, keyword := o.Refusing("", false); part != nil {
		return []jen.Code{e.refused(part, keyword, ctx)}
	}
	var conds []jen.Code
	for _, rule := range o.Others() {
		conds = append(conds, e.checkValue(rule, ctx.in("Additional")))
	}
	return conds
}

// otherMember checks the value of a member that no part names.
func (e *emitter) otherMember(g *jen.Group, o *shape.Object, ctx context) {
	additional := e.additional(o, ctx)
	n := o.Parts[0]
	if len(n.PatternProperties) == 0 {
		if len(additional) == 0 {
			g.Add(must(r("Ignore", jen.Id("frame"))))
			return
		}
		g.Add(must(r("Unique", jen.Id("frame"))))
		e.all(g, additional)
		return
	}
	g.Add(must(r("Unique", jen.Id("frame"))))
	// The name is gone once a value has been read, so it is matched first.
	var matched []jen.Code
	for i, pp := range n.PatternProperties {
		m := jen.Id(fmt.Sprintf("matched%d", i+1))
		matched = append(matched, m)
		g.Add(m).Op(":=").Add(e.pattern(ctx.in("Names"), n, "patternProperties", pp.Pattern)).Dot("Match").Call(r("Name"))
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

// matches reports whether a pattern, if it is one, matches a name.
func matches(pattern, name string) bool {
	p, err := wire.ParsePattern(pattern)
	return err == nil && p.Match([]byte(name))
}

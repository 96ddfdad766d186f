package golang

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// validateFile writes Validate and check functions.
func (e *emitter) validateFile() *jen.File {
	f := e.file()
	for _, t := range e.pkg.Types {
		if t.Tag != "" {
			continue // the enum of a union's tag is no schema of its own
		}
		f.Comment(fmt.Sprintf("Validate%s reports whether data is a valid %s: nil, or a *wire.Error with the first violations.", t.Name, t.Name))
		f.Func().Id("Validate"+t.Name).Params(jen.Id("data").Index().Byte(), jen.Id("opts").Op("...").Add(lib("Option"))).Error().Block(
			jen.Id("r").Op(":=").Add(lib("Acquire").Call(jen.Id("data"), jen.Id("opts"))),
			jen.Id("check"+t.Name).Call(jen.Id("r")),
			jen.Return(r("Close")),
		)
		f.Line()
		if t.Kind == shape.Enum && !t.Numbers && !t.Complex {
			e.enumCheck(f, t)
			continue
		}
		e.checkBody(f, "check"+t.Name, t.Node, contextOf(t), fmt.Sprintf("consumes a value and holds it against the schema of %s.", t.Name))
	}
	for len(e.pending) > 0 {
		next := e.pending
		e.pending = nil
		for _, p := range next {
			ctx := context{owner: p.owner, path: strings.TrimPrefix(strings.TrimPrefix(p.name, "check"), "cover")}
			if p.cover {
				e.coverBody(f, p, ctx)
				continue
			}
			e.checkBody(f, p.name, p.node, ctx, "consumes a value and holds it against "+p.node.Pointer+" of "+e.fileName(p.node.File)+".")
		}
	}
	return f
}

// coverBody writes the function that says what a schema evaluates of a value it accepts.
func (e *emitter) coverBody(f *jen.File, p pendingCheck, ctx context) {
	f.Comment(p.name + " adds the members and elements that " + p.node.Pointer + " of " + e.fileName(p.node.File) + " evaluates of the value at start.")
	f.Func().Id(p.name).Params(
		jen.Id("r").Op("*").Add(lib("Reader")), jen.Id("start").Add(lib("Mark")), jen.Id("covered").Op("*").Add(lib("Coverage")),
	).BlockFunc(func(g *jen.Group) {
		e.inCover = true
		e.cover(g, p.node, ctx, false)
		e.inCover = false
	})
	f.Line()
}

// checkFunc returns the name of the check function of a schema, asking for it to be written if need be.
func (e *emitter) checkFunc(n *schema.Node, ctx context) string {
	n = n.Target()
	if t := e.pkg.TypeOf(n); t != nil {
		return "check" + t.Name
	}
	if name, ok := e.checks[n]; ok {
		return name
	}
	name := e.free("check" + ctx.path)
	e.checks[n] = name
	e.pending = append(e.pending, pendingCheck{name: name, node: n, owner: ctx.owner})
	return name
}

// checkValue returns the condition that consumes the next value and holds it against n: true means go on.
func (e *emitter) checkValue(n *schema.Node, ctx context) jen.Code {
	if n == nil {
		return r("Skip")
	}
	n = n.Target()
	if e.pkg.TypeOf(n) == nil {
		if cond := e.checkScalar(n, ctx); cond != nil {
			return cond
		}
	}
	check := e.checkFunc(n, ctx)
	if e.rings.Doubled(n) {
		return r("CheckOnce", jen.Lit(e.memory(check)), jen.Id(check))
	}
	return jen.Id(check).Call(jen.Id("r"))
}

// checkScalar is checkValue for the schemas that one call to the reader decides; nil for all others.
func (e *emitter) checkScalar(n *schema.Node, ctx context) jen.Code {
	rules := shape.Rules(n)
	switch {
	case len(rules) == 0:
		return r("Skip")
	case n.Always != nil:
		return r("Refused", e.placeRule(ctx, n), jen.Lit("false"), jen.Lit("nothing: no value is allowed here"))
	case n.Const != nil && n.Const.Kind == document.String && shape.Only(rules, "const", "type") && allows(n, schema.TypeString):
		return r("CheckConstText", e.placeRule(ctx, n), jen.Lit(n.Const.Text))
	case n.Const != nil && n.Const.Kind == document.Bool && shape.Only(rules, "const", "type") && allows(n, schema.TypeBoolean):
		return r("CheckTrue", e.placeRule(ctx, n), jen.Lit(n.Const.Bool))
	case n.Const != nil && n.Const.Kind == document.Number && shape.Only(rules, "const", "type") && isNumber(n):
		return r("CheckNumber", e.numberRule(n, ctx))
	case n.Const != nil && shape.Only(rules, "const"):
		return r("CheckConst", e.placeRule(ctx, n), quoted(string(n.Const.Raw())))
	case n.Types == schema.TypeNull && shape.Only(rules, "type"):
		return r("CheckNull", e.placeRule(ctx, n))
	case n.Types == schema.TypeObject && shape.Only(rules, "type"):
		return r("CheckKind", lib("KindObject"), e.placeRule(ctx, n))
	case n.Types == schema.TypeArray && shape.Only(rules, "type"):
		return r("CheckKind", lib("KindArray"), e.placeRule(ctx, n))
	case n.Types == schema.TypeBoolean && shape.Only(rules, "type"):
		return r("CheckBool", e.placeRule(ctx, n))
	case n.Types == schema.TypeString && shape.Only(rules, textKeywords...):
		return r("CheckText", e.textRule(n, ctx))
	case isNumber(n) && shape.Only(rules, numberKeywords...):
		return r("CheckNumber", e.numberRule(n, ctx))
	case shape.ClosedNumbers(n) != nil:
		return r("CheckNumber", e.closedNumberRule(n, ctx))
	case n.Types == schema.TypeArray && n.Items != nil && shape.Only(rules, listKeywords...):
		item := n.Items.Target()
		if item.Types == schema.TypeString && shape.Only(shape.Rules(item), textKeywords...) && e.pkg.TypeOf(item) == nil {
			return r("CheckTexts", e.listRule(n, ctx), e.textRule(item, ctx.in("Item")))
		}
	}
	return nil
}

var (
	textKeywords   = []string{"type", "minLength", "maxLength", "pattern", "format"}
	numberKeywords = []string{"type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	listKeywords   = []string{"type", "items", "minItems", "maxItems", "uniqueItems"}
)

func allows(n *schema.Node, t schema.Types) bool { return n.Types == 0 || n.Types.Has(t) }

func isNumber(n *schema.Node) bool {
	return n.Types == schema.TypeInteger || n.Types == schema.TypeNumber || n.Types == schema.TypeInteger|schema.TypeNumber
}

func (e *emitter) textRule(n *schema.Node, ctx context) *jen.Statement {
	return e.addRule(ctx, e.textRuleValue(n, ctx))
}

func (e *emitter) textRuleValue(n *schema.Node, ctx context) jen.Code {
	d := []jen.Code{jen.Id("Place"), e.place(n)}
	if n.MinLength != nil && *n.MinLength > 0 {
		d = append(d, jen.Id("MinLength"), jen.Lit(int(*n.MinLength)))
	}
	if n.MaxLength != nil {
		d = append(d, jen.Id("MaxLength"), jen.Lit(int(*n.MaxLength)))
		d = append(d, jen.Id("Limited"), jen.True())
	}
	if n.Pattern != nil {
		d = append(d, jen.Id("Pattern"), e.pattern(ctx, n, "pattern", *n.Pattern))
	}
	if n.Format != "" {
		d = append(d, jen.Id("Format"), jen.Lit(n.Format))
		if n.AssertFormat {
			d = append(d, jen.Id("Assert"), jen.True())
		}
	}
	return lib("TextRule").Add(fields(d...))
}

func (e *emitter) numberRule(n *schema.Node, ctx context) *jen.Statement {
	return e.addRule(ctx, lib("NumberRule").Add(fields(e.numberDemands(n)...)))
}

// closedNumberRule is the rule of an enum of integers.
func (e *emitter) closedNumberRule(n *schema.Node, ctx context) *jen.Statement {
	values := jen.Index().Int64().ValuesFunc(func(g *jen.Group) {
		for _, v := range shape.ClosedNumbers(n) {
			g.Lit(int(v))
		}
	})
	return e.addRule(ctx, lib("NumberRule").Add(fields(append(e.numberDemands(n), jen.Id("Values"), values)...)))
}

func (e *emitter) numberDemands(n *schema.Node) []jen.Code {
	d := []jen.Code{jen.Id("Place"), e.place(n)}
	if n.Types&(schema.TypeInteger|schema.TypeNumber) == schema.TypeInteger {
		d = append(d, jen.Id("Integer"), jen.True())
	}
	for _, bound := range []struct {
		name  string
		value *document.Value
	}{
		{"Minimum", n.Minimum}, {"Maximum", n.Maximum}, {"ExclusiveMinimum", n.ExclusiveMinimum},
		{"ExclusiveMaximum", n.ExclusiveMaximum}, {"MultipleOf", n.MultipleOf}, {"Const", numberConst(n)},
	} {
		if bound.value != nil {
			d = append(d, jen.Id(bound.name), lib("MustDecimal").Call(jen.Lit(bound.value.Text)))
		}
	}
	return d
}

func numberConst(n *schema.Node) *document.Value {
	if n.Const != nil && n.Const.Kind == document.Number {
		return n.Const
	}
	return nil
}

func (e *emitter) listRule(n *schema.Node, ctx context) *jen.Statement {
	d := []jen.Code{jen.Id("Place"), e.place(n)}
	if n.MinItems != nil && *n.MinItems > 0 {
		d = append(d, jen.Id("MinItems"), jen.Lit(int(*n.MinItems)))
	}
	if n.MaxItems != nil {
		d = append(d, jen.Id("MaxItems"), jen.Lit(int(*n.MaxItems)))
		d = append(d, jen.Id("Limited"), jen.True())
	}
	if n.UniqueItems {
		d = append(d, jen.Id("UniqueItems"), jen.True())
	}
	return e.addRule(ctx, lib("ListRule").Add(fields(d...)))
}

// checkBody writes the check function of one schema. It consumes exactly one value whenever it returns true.
func (e *emitter) checkBody(f *jen.File, name string, n *schema.Node, ctx context, doc string) {
	f.Comment(name + " " + doc)
	f.Func().Id(name).Params(jen.Id("r").Op("*").Add(lib("Reader"))).Bool().BlockFunc(func(g *jen.Group) {
		e.check(g, n, ctx)
	})
	f.Line()
}

func (e *emitter) check(g *jen.Group, n *schema.Node, ctx context) {
	if cond := e.checkScalar(n, ctx); cond != nil {
		g.Return(cond)
		return
	}
	if o, ok := shape.Fuse(n); ok && len(o.Parts) > 1 {
		e.fused(g, o, ctx)
		return
	}
	if branches, ok := e.pkg.Branches(n); ok && e.pkg.TypeOf(n) != nil {
		keyword, _ := shape.Choice(n)
		e.dispatch(g, n, keyword, branches, ctx)
		return
	}
	passes := e.passes(n, ctx)
	own := hasOwn(n)
	switch {
	case own && len(passes) == 0:
		e.own(g, n, ctx)
		return
	case !own && len(passes) == 1 && passes[0].whole:
		passes[0].emit(g, true)
		return
	}
	if len(passes) == 0 {
		g.Return(r("Skip"))
		return
	}
	// Several rules look at the same value: each reads it again from the start.
	g.Id("start").Op(":=").Add(r("Mark"))
	if own {
		g.Add(must(e.ownFunc(n, ctx)))
	} else {
		g.Add(must(r("Skip")))
	}
	g.Id("end").Op(":=").Add(r("Mark"))
	for _, p := range passes {
		p.emit(g, false)
	}
	g.Add(r("Reset", jen.Id("end")))
	g.Return(jen.True())
}

// fused writes the one pass over an object that several schemas describe.
func (e *emitter) fused(g *jen.Group, o *shape.Object, ctx context) {
	g.If(r("Kind").Op("!=").Add(lib("KindObject"))).Block(jen.Return(r("Mismatch", e.placeRule(ctx.in("Object"), o.Typed()), jen.Lit("an object"))))
	e.object(g, o, ctx)
}

// ownFunc puts the keywords that look at the value's own members, elements or text into a function of their own, and
// returns the call.
func (e *emitter) ownFunc(n *schema.Node, ctx context) jen.Code {
	return jen.Func().Params(jen.Id("r").Op("*").Add(lib("Reader"))).Bool().BlockFunc(func(g *jen.Group) {
		e.own(g, n, ctx)
	}).Call(jen.Id("r"))
}

// ownKeywords are decided in one pass over the value.
var ownKeywords = []string{
	"type", "properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties", "maxProperties",
	"dependentRequired", "prefixItems", "items", "contains", "uniqueItems", "minItems", "maxItems",
	"minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
}

func hasOwn(n *schema.Node) bool {
	for _, have := range shape.Rules(n) {
		for _, k := range ownKeywords {
			if have == k {
				return true
			}
		}
	}
	return false
}

// own writes the pass over the value itself: the type, then what belongs to its kind.
func (e *emitter) own(g *jen.Group, n *schema.Node, ctx context) {
	rules := shape.Rules(n)
	object := shape.Any(rules, "properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties", "maxProperties", "dependentRequired")
	array := shape.Any(rules, "prefixItems", "items", "contains", "uniqueItems", "minItems", "maxItems")
	text := shape.Any(rules, "minLength", "maxLength", "pattern", "format")
	number := shape.Any(rules, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf") || n.Types != 0 && n.Types&(schema.TypeInteger|schema.TypeNumber) == schema.TypeInteger
	mismatch := func() jen.Code {
		return jen.Return(r("Mismatch", e.placeRule(ctx.in("Type"), n), jen.Lit(shape.WantTypes(n.Types))))
	}
	if n.Types == schema.TypeObject {
		g.If(r("Kind").Op("!=").Add(lib("KindObject"))).Block(mismatch())
		e.object(g, &shape.Object{Parts: []*schema.Node{n}, Names: shape.PropertyNames(n)}, ctx)
		return
	}
	if n.Types == schema.TypeArray {
		g.If(r("Kind").Op("!=").Add(lib("KindArray"))).Block(mismatch())
		e.array(g, n, ctx)
		return
	}
	g.Switch(r("Kind")).BlockFunc(func(g *jen.Group) {
		if object && allows(n, schema.TypeObject) {
			g.Case(lib("KindObject")).BlockFunc(func(g *jen.Group) {
				e.object(g, &shape.Object{Parts: []*schema.Node{n}, Names: shape.PropertyNames(n)}, ctx)
			})
		}
		if array && allows(n, schema.TypeArray) {
			g.Case(lib("KindArray")).BlockFunc(func(g *jen.Group) { e.array(g, n, ctx) })
		}
		if text && allows(n, schema.TypeString) {
			g.Case(lib("KindString")).Block(jen.Return(r("CheckText", e.textRule(n, ctx.in("Text")))))
		}
		if number && (n.Types == 0 || n.Types&(schema.TypeInteger|schema.TypeNumber) != 0) {
			g.Case(lib("KindNumber")).Block(jen.Return(r("CheckNumber", e.numberOnly(n, ctx))))
		}
		if n.Types == 0 {
			return
		}
		var refused []jen.Code
		for _, k := range []struct {
			types schema.Types
			kind  string
		}{
			{schema.TypeNull, "KindNull"}, {schema.TypeBoolean, "KindBool"}, {schema.TypeInteger | schema.TypeNumber, "KindNumber"},
			{schema.TypeString, "KindString"}, {schema.TypeArray, "KindArray"}, {schema.TypeObject, "KindObject"},
		} {
			if n.Types&k.types == 0 {
				refused = append(refused, lib(k.kind))
			}
		}
		if len(refused) > 0 {
			g.Case(refused...).Block(mismatch())
		}
	})
	g.Return(r("Skip"))
}

// numberOnly is the number rule of a schema that also allows other kinds.
func (e *emitter) numberOnly(n *schema.Node, ctx context) *jen.Statement {
	part := *n
	part.Types &= schema.TypeInteger | schema.TypeNumber
	return e.numberRule(&part, ctx.in("Number"))
}

package golang

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// decodeFile writes Decode and read functions.
func (e *emitter) decodeFile() *jen.File {
	f := e.file()
	for _, t := range e.pkg.Types {
		if t.Tag != "" {
			continue
		}
		e.decodeFunc(f, t)
		f.Comment(fmt.Sprintf("read%s consumes a value into v and holds it against the schema of %s.", t.Name, t.Name))
		f.Func().Id("read"+t.Name).Params(jen.Id("r").Op("*").Add(lib("Reader")), jen.Id("v").Op("*").Id(t.Name)).Bool().BlockFunc(func(g *jen.Group) {
			e.read(g, t)
		})
		f.Line()
	}
	for len(e.lists) > 0 {
		next := e.lists
		e.lists = nil
		for _, l := range next {
			f.Comment(fmt.Sprintf("%s consumes a value into v.", l.name))
			f.Func().Id(l.name).Params(jen.Id("r").Op("*").Add(lib("Reader")), jen.Id("v").Op("*").Add(base(l.use))).Bool().BlockFunc(func(g *jen.Group) {
				e.readContainer(g, l.use, l.node, l.ctx)
			})
			f.Line()
		}
	}
	return f
}

// pendingList is a list or map without a name of its own that needs a read function.
type pendingList struct {
	name string
	use  *shape.Use
	node *schema.Node
	ctx  context
}

// decodeFunc writes the decode function of a type; where the schema allows null, too, it returns a wire.Nullable.
func (e *emitter) decodeFunc(f *jen.File, t *shape.Type) {
	what, result := "a "+t.Name, jen.Id(t.Name)
	read := jen.Id("read"+t.Name).Call(jen.Id("r"), addr(jen.Id("v")))
	zero := jen.Op("*").New(jen.Id(t.Name))
	if t.Nullable() {
		what, result = what+", or null", lib("Nullable").Types(jen.Id(t.Name))
		null := r("Null")
		if t.ChecksNull() {
			null = jen.Id("check" + t.Name).Call(jen.Id("r"))
		}
		read = jen.If(r("Kind").Op("==").Add(lib("KindNull"))).Block(null).Else().Block(
			jen.Id("v").Dot("Set").Op("=").True(),
			jen.Id("read"+t.Name).Call(jen.Id("r"), addr(jen.Id("v").Dot("Value"))),
		)
		zero = jen.Add(result).Values()
	}
	f.Comment(fmt.Sprintf("Decode%s reads and validates %s. The value does not refer to data.", t.Name, what))
	f.Func().Id("Decode"+t.Name).Params(jen.Id("data").Index().Byte(), jen.Id("opts").Op("...").Add(lib("Option"))).
		Params(jen.Id("v").Add(result), jen.Err().Error()).BlockFunc(func(g *jen.Group) {
		g.Id("r").Op(":=").Add(lib("AcquireDecode").Call(jen.Id("data"), jen.Id("opts")))
		g.Add(read)
		g.If(jen.Err().Op("=").Add(r("Close")), jen.Err().Op("!=").Nil()).Block(jen.Id("v").Op("=").Add(zero))
		g.Return(jen.Id("v"), jen.Err())
	})
	f.Line()
}

// read writes the body of a type's read function.
func (e *emitter) read(g *jen.Group, t *shape.Type) {
	ctx := contextOf(t)
	if t.Complex && t.Kind != shape.Raw {
		// Some rule can only be held against the whole value: check first, then build what is known to be valid.
		g.Id("whole").Op(":=").Add(r("Mark"))
		g.Add(must(jen.Id("check" + t.Name).Call(jen.Id("r"))))
		g.If(jen.Op("!").Add(r("Sound"))).Block(jen.Return(jen.True()))
		g.Add(r("Reset", jen.Id("whole")))
	}
	switch t.Kind {
	case shape.Struct:
		e.readStruct(g, t, ctx)
	case shape.Union:
		e.readUnion(g, t, ctx)
	case shape.Enum:
		e.readEnum(g, t, ctx)
	case shape.List:
		e.readContainer(g, &shape.Use{Kind: shape.UseList, Elem: t.Elem}, t.Node, ctx)
	case shape.Map:
		e.readContainer(g, &shape.Use{Kind: shape.UseMap, Elem: t.Elem}, t.Node, ctx)
	case shape.Scalar:
		g.Return(e.readScalar(t.Elem, t.Node, jen.Parens(jen.Op("*").Add(base(t.Elem))).Call(jen.Id("v")), ctx))
	case shape.Raw:
		e.readRaw(g, "check"+t.Name)
	}
}

// readRaw keeps a value that passes a check as it is written.
func (e *emitter) readRaw(g *jen.Group, check string) {
	g.Id("start").Op(":=").Add(r("Mark"))
	g.Add(must(jen.Id(check).Call(jen.Id("r"))))
	g.Op("*").Id("v").Op("=").Add(r("RawFrom", jen.Id("start")))
	g.Return(jen.True())
}

// readStruct writes the loop over the members.
func (e *emitter) readStruct(g *jen.Group, t *shape.Type, ctx context) {
	object := &shape.Object{Parts: []*schema.Node{t.Node}}
	if o, ok := shape.Fuse(t.Node); ok {
		object = o
	}
	bits := &memberBits{index: map[string]int{}}
	if !t.Complex {
		bits = bitsOf(object)
	}
	for _, c := range t.Consts {
		bits.add(c.JSON)
	}
	for _, f := range t.Fields {
		bits.add(f.JSON)
	}
	g.If(r("Kind").Op("!=").Add(lib("KindObject"))).Block(jen.Return(r("Mismatch", e.placeRule(ctx.in("Object"), object.Typed()), jen.Lit("an object"))))
	e.loop(g, members{
		object: object, bits: bits, held: !t.Complex,
		named: func(g *jen.Group, name string) { e.readMember(g, t, object, name, bits, ctx) },
		other: func(g *jen.Group) {
			part, keyword := object.Refusing("", false)
			switch {
			case t.Complex && !t.Open:
				g.Add(must(r("Ignore", jen.Id("frame")))) // there is none: the value has been checked
			case t.Complex || part == nil && len(object.Others()) == 0:
				g.Add(must(r("Keep", jen.Id("frame"), addr(jen.Id("v").Dot("Extra")))))
			case part != nil && keyword == "additionalProperties":
				g.Add(must(r("Undeclared", jen.Id("frame"), e.placeRule(ctx.in("Closed"), part))))
			case part != nil:
				g.Add(must(r("Unique", jen.Id("frame")), e.refused(part, keyword, ctx)))
			default:
				g.Add(must(r("Unique", jen.Id("frame"))))
				g.List(jen.Id("name"), jen.Id("value")).Op(":=").List(r("NameString"), r("Mark"))
				e.allAt(g, e.additional(object, ctx))
				g.Id("v").Dot("Extra").Op("=").Append(jen.Id("v").Dot("Extra"), lib("Member").Values(jen.Dict{
					jen.Id("Name"): jen.Id("name"), jen.Id("Value"): r("RawFrom", jen.Id("value")),
				}))
			}
		},
	}, ctx)
}

// readMember reads a member whose name is known.
func (e *emitter) readMember(g *jen.Group, t *shape.Type, o *shape.Object, name string, bits *memberBits, ctx context) {
	if !t.Complex {
		if part, keyword := o.Refusing(name, true); part != nil {
			g.Add(must(bits.known(name), e.refused(part, keyword, ctx)))
			return
		}
	}
	known := bits.known(name)
	for _, f := range t.Fields {
		if f.JSON == name {
			if form := formOf(f.Use, f.Required); !f.Use.Complex && len(f.Also) == 0 && (form == plain || form == nilable && !f.Use.Nullable) {
				g.Add(must(known, e.readValue(f.Use, addr(jen.Id("v").Dot(f.Name)), ctx.in(f.Name))))
				return
			}
			g.Add(must(known))
			e.also(g, f.Also, ctx.in(f.Name))
			e.readField(g, f, ctx.in(f.Name))
			return
		}
	}
	for _, c := range t.Consts {
		if c.JSON != name {
			continue
		}
		e.also(g, c.Also, ctx.in(c.Name))
		switch {
		case c.Node.Target().Const == nil:
			g.Add(must(known, e.checkValue(c.Node, ctx.in(c.Name))))
		case c.Value.Kind == document.String:
			g.Add(must(known, r("CheckConstText", e.placeRule(ctx.in(c.Name), c.Node.Target()), jen.Lit(c.Value.Text))))
		case c.Value.Kind == document.Bool:
			g.Add(must(known, r("CheckTrue", e.placeRule(ctx.in(c.Name), c.Node.Target()), jen.Lit(c.Value.Bool))))
		default:
			g.Add(must(known, e.checkValue(c.Node, ctx.in(c.Name))))
		}
		return
	}
	// Required, but no properties say anything about its value.
	g.Add(must(known))
	if !t.Complex {
		e.also(g, o.Rules(name), ctx.in(shape.GoName(name)))
	}
	g.Add(must(r("KeepNamed", jen.Lit(name), addr(jen.Id("v").Dot("Extra")))))
}

// also checks a value by further schemas and returns to it.
func (e *emitter) also(g *jen.Group, rules []*schema.Node, ctx context) {
	for i, rule := range rules {
		again := jen.Id(fmt.Sprintf("again%d", i+1))
		g.Add(again).Op(":=").Add(r("Mark"))
		g.Add(must(e.checkValue(rule, ctx.in("Also"))))
		g.Add(r("Reset", again))
	}
}

// readField reads one member into its field.
func (e *emitter) readField(g *jen.Group, f *shape.Field, ctx context) {
	target := jen.Id("v").Dot(f.Name)
	if f.Use.Complex {
		g.Id("value").Op(":=").Add(r("Mark"))
		g.Add(must(e.checkValue(f.Node, ctx)))
		if f.Use.Kind == shape.UseRaw {
			g.Add(target).Op("=").Add(r("RawFrom", jen.Id("value")))
			return
		}
		g.If(r("Sound")).BlockFunc(func(g *jen.Group) {
			g.Add(r("Reset", jen.Id("value")))
			e.readInto(g, f.Use, f.Required, target, ctx)
		})
		return
	}
	e.readInto(g, f.Use, f.Required, target, ctx)
}

// readInto reads a value into a place that holds presence and null as its form says.
func (e *emitter) readInto(g *jen.Group, u *shape.Use, required bool, target *jen.Statement, ctx context) {
	value := func(dst *jen.Statement) jen.Code { return e.readValue(u, dst, ctx) }
	orNull := func(null []jen.Code, rest ...jen.Code) {
		null = append([]jen.Code{must(r("Null"))}, null...)
		kind, refuse := e.besideNull(u, ctx)
		if refuse == nil {
			g.If(r("Kind").Op("==").Add(lib("KindNull"))).Block(null...).Else().Block(rest...)
			return
		}
		g.Switch(r("Kind")).Block(
			jen.Case(lib("KindNull")).Block(null...),
			jen.Case(lib(kind)).Block(rest...),
			jen.Default().Block(must(refuse)),
		)
	}
	switch formOf(u, required) {
	case plain:
		g.Add(must(value(addr(target))))
	case nilable:
		if u.Nullable {
			orNull(nil, must(value(addr(target))))
			return
		}
		g.Add(must(value(addr(target))))
	case pointer:
		read := []jen.Code{jen.Add(target).Op("=").New(base(u)), must(value(jen.Add(target)))}
		if u.Nullable {
			orNull(nil, read...)
			return
		}
		for _, s := range read {
			g.Add(s)
		}
	case opt:
		g.Add(target).Dot("Set").Op("=").True()
		g.Add(must(value(addr(jen.Add(target).Dot("Value")))))
	case nullable:
		orNull(nil, jen.Add(target).Dot("Set").Op("=").True(), must(value(addr(jen.Add(target).Dot("Value")))))
	case maybe:
		if u.Indirect {
			held := jen.Add(target).Dot("Value")
			orNull([]jen.Code{jen.Add(target).Dot("Null").Op("=").True()},
				jen.Add(target).Dot("Set").Op("=").True(), jen.Add(held).Op("=").New(base(u)), must(value(held)))
			return
		}
		orNull([]jen.Code{jen.Add(target).Dot("Null").Op("=").True()},
			jen.Add(target).Dot("Set").Op("=").True(), must(value(addr(jen.Add(target).Dot("Value")))))
	}
}

// besideNull is the kind of value that a nullable use has beside null, and how a value of neither kind is refused: in
// the words of the check function. refuse is nil where the read function of the value says it as well.
func (e *emitter) besideNull(u *shape.Use, ctx context) (kind string, refuse jen.Code) {
	switch u.Kind {
	case shape.UseText:
		kind = "KindString"
	case shape.UseBool:
		kind = "KindBool"
	case shape.UseInt, shape.UseFloat, shape.UseNumber:
		kind = "KindNumber"
	case shape.UseList:
		kind = "KindArray"
	case shape.UseMap:
		kind = "KindObject"
	case shape.UseNamed:
		switch u.Type.Kind {
		case shape.Struct, shape.Union, shape.Map:
			kind = "KindObject"
		case shape.Enum:
			kind = "KindString"
			if u.Type.Numbers {
				kind = "KindNumber"
			}
		case shape.List:
			kind = "KindArray"
		}
	}
	n := u.Node
	if kind == "" || n == nil {
		return "", nil
	}
	n = n.Target()
	if n.Types.Has(schema.TypeNull) && n.Enum == nil {
		return kind, r("Mismatch", e.placeRule(ctx.in("Type"), n), jen.Lit(shape.WantTypes(n.Types)))
	}
	keyword, branches := shape.Choice(n)
	if len(branches) != 2 {
		return "", nil
	}
	return kind, r("Refused", e.placeRule(ctx.in("Refused"), n), jen.Lit(keyword), jen.Lit(wantKinds(shape.Decide(branches))))
}

// readValue is the condition that reads a value that is not null into dst, a pointer.
func (e *emitter) readValue(u *shape.Use, dst *jen.Statement, ctx context) jen.Code {
	n := u.Node
	if n != nil {
		n = notNull(n)
	}
	switch u.Kind {
	case shape.UseNamed:
		return jen.Id("read"+u.Type.Name).Call(jen.Id("r"), dst)
	case shape.UseList, shape.UseMap:
		if cond := e.readTexts(u, n, dst, ctx); cond != nil {
			return cond
		}
		name := e.free("read" + ctx.path)
		e.lists = append(e.lists, pendingList{name: name, use: u, node: n, ctx: ctx})
		return jen.Id(name).Call(jen.Id("r"), dst)
	}
	return e.readScalar(u, n, dst, ctx)
}

// notNull is the schema that describes the values beside null.
func notNull(n *schema.Node) *schema.Node {
	n = n.Target()
	for _, branches := range [][]*schema.Node{n.AnyOf, n.OneOf} {
		if len(branches) == 2 && n.Types == 0 {
			for i, b := range branches {
				if b.Target().Types == schema.TypeNull {
					return branches[1-i].Target()
				}
			}
		}
	}
	return n
}

func (e *emitter) readTexts(u *shape.Use, n *schema.Node, dst *jen.Statement, ctx context) jen.Code {
	if u.Kind != shape.UseList || u.Elem.Kind != shape.UseText || u.Elem.Nullable || u.Elem.Complex || n == nil || n.Items == nil {
		return nil
	}
	return r("ReadTexts", e.listRule(n, ctx), e.textRule(n.Items.Target(), ctx.in("Item")), dst)
}

func (e *emitter) readScalar(u *shape.Use, n *schema.Node, dst jen.Code, ctx context) jen.Code {
	switch u.Kind {
	case shape.UseText:
		return r("ReadText", e.textRule(n, ctx), dst)
	case shape.UseBool:
		return r("ReadBool", e.placeRule(ctx, n), dst)
	case shape.UseInt:
		return r("ReadInt", e.numberRule(n, ctx), dst)
	case shape.UseFloat:
		return r("ReadFloat", e.numberRule(n, ctx), dst)
	case shape.UseNumber:
		return r("ReadNumber", e.numberRule(n, ctx), dst)
	}
	if n != nil && n.Types == schema.TypeObject {
		return r("ReadKind", lib("KindObject"), e.placeRule(ctx, n), dst)
	}
	return r("ReadRaw", dst)
}

// readEnum writes the body of an enum's read function.
func (e *emitter) readEnum(g *jen.Group, t *shape.Type, ctx context) {
	if t.Numbers {
		number := jen.Parens(jen.Op("*").Int64()).Call(jen.Id("v"))
		if t.Complex {
			g.Return(r("ReadInt", e.numberRule(t.Node, ctx), number))
			return
		}
		g.Return(r("ReadInt", e.closedNumberRule(t.Node, ctx), number))
		return
	}
	place := e.placeRule(ctx, t.Node)
	g.If(r("Kind").Op("!=").Add(lib("KindString"))).Block(jen.Return(notString(t, place)))
	g.Id("at").Op(":=").Add(r("Pos"))
	g.List(jen.Id("s"), jen.Id("ok")).Op(":=").Add(r("String"))
	g.If(jen.Op("!").Id("ok")).Block(jen.Return(jen.False()))
	g.Op("*").Id("v").Op("=").Id(t.Name).Call(jen.Id("s"))
	g.Return(jen.Id("v").Dot("Valid").Call().Op("||").Add(e.notListed(t, place)))
}

// readUnion writes how a value finds its variant.
func (e *emitter) readUnion(g *jen.Group, t *shape.Type, ctx context) {
	n := t.Node
	branches, _ := e.pkg.Branches(n)
	keyword, _ := shape.Choice(n)
	build := func(g *jen.Group, i int) {
		vt := e.pkg.TypeOf(branches[i])
		if vt.Kind == shape.Union {
			g.Var().Id("x").Id(vt.Name)
			g.Id("ok").Op(":=").Id("read"+vt.Name).Call(jen.Id("r"), addr(jen.Id("x")))
			g.Op("*").Id("v").Op("=").Id("x")
			g.Return(jen.Id("ok"))
			return
		}
		g.Id("x").Op(":=").New(jen.Id(vt.Name))
		g.Op("*").Id("v").Op("=").Id("x")
		g.Return(jen.Id("read"+vt.Name).Call(jen.Id("r"), jen.Id("x")))
	}
	d := &dispatcher{
		refuse: func(want string) jen.Code {
			return jen.Return(r("Refused", e.placeRule(ctx.in("Refused"), n), jen.Lit(keyword), jen.Lit(want)))
		},
		one: build,
		several: func(g *jen.Group, left []int) {
			// The value has been checked: the first branch that holds is the one (of a oneOf the only one).
			g.Id("value").Op(":=").Add(r("Mark"))
			for _, i := range left {
				g.If(e.holds(jen.Id("value"), n, branches[i], ctx.in(branchName(i)))).BlockFunc(func(g *jen.Group) { build(g, i) })
			}
			g.Return(r("Skip"))
		},
	}
	d.emit(g, t.Decision)
}

// readContainer writes the loop of a list or map.
func (e *emitter) readContainer(g *jen.Group, u *shape.Use, n *schema.Node, ctx context) {
	if u.Kind == shape.UseMap {
		e.readMap(g, u, n, ctx)
		return
	}
	rules := shape.Rules(n)
	g.If(r("Kind").Op("!=").Add(lib("KindArray"))).Block(jen.Return(r("Mismatch", e.placeRule(ctx.in("Array"), n), jen.Lit("an array"))))
	held := shape.Any(rules, "minItems", "maxItems", "uniqueItems")
	if held {
		g.Id("start").Op(":=").Add(r("Mark"))
	}
	g.Add(must(r("Array")))
	room := e.room(slot(u.Elem), ctx)
	list := jen.Id("list")
	g.Var().Add(list).Index().Add(slot(u.Elem))
	g.For(r("Element")).BlockFunc(func(g *jen.Group) {
		e.readSlot(g, u.Elem, more(g, room, list), ctx.in("Item"))
	})
	g.Op("*").Id("v").Op("=").Add(room).Dot("Done").Call(list)
	if held {
		g.Return(r("EndArray").Op("&&").Add(r("HoldList", jen.Id("start"), jen.Len(jen.Op("*").Id("v")), e.listRule(n, ctx.in("List")))))
		return
	}
	g.Return(r("EndArray"))
}

// more lengthens a list by one element, and returns that.
func more(g *jen.Group, room, list *jen.Statement) *jen.Statement {
	g.If(jen.Len(list).Op("==").Cap(list)).Block(jen.Add(list).Op("=").Add(room).Dot("Grow").Call(list))
	g.Add(list).Op("=").Add(list).Index(jen.Op(":").Len(list).Op("+").Lit(1))
	return jen.Add(list).Index(jen.Len(list).Op("-").Lit(1))
}

// room declares how lists of one element type grow, once however many lists there are.
func (e *emitter) room(elem jen.Code, ctx context) *jen.Statement {
	text := textOf(elem)
	name, ok := e.rooms[text]
	if !ok {
		name = e.free("room" + ctx.path)
		e.rooms[text] = name
		e.rules = append(e.rules, rule{name: name, group: ctx.owner, value: lib("Room").Types(elem).Values()})
	}
	return jen.Id(name)
}

// readSlot reads an element into its place.
func (e *emitter) readSlot(g *jen.Group, u *shape.Use, place *jen.Statement, ctx context) {
	if u.Complex {
		g.Id("value").Op(":=").Add(r("Mark"))
		g.Add(must(e.checkValue(u.Node, ctx)))
		if u.Kind == shape.UseRaw {
			g.Add(place).Op("=").Add(r("RawFrom", jen.Id("value")))
			return
		}
		g.If(r("Sound")).BlockFunc(func(g *jen.Group) {
			g.Add(r("Reset", jen.Id("value")))
			e.readInto(g, u, true, place, ctx)
		})
		return
	}
	e.readInto(g, u, true, place, ctx)
}

func (e *emitter) readMap(g *jen.Group, u *shape.Use, n *schema.Node, ctx context) {
	g.If(r("Kind").Op("!=").Add(lib("KindObject"))).Block(jen.Return(r("Mismatch", e.placeRule(ctx.in("Object"), n), jen.Lit("an object"))))
	held := counted(n)
	if held {
		g.Id("at").Op(":=").Add(r("Pos"))
	}
	g.Add(must(r("Object")))
	g.Id("frame").Op(":=").Add(r("Frame"))
	entry := lib("Entry").Types(slot(u.Elem))
	room := e.room(entry, ctx)
	list := jen.Id("list")
	g.Var().Add(list).Index().Add(entry)
	g.For(r("Member")).BlockFunc(func(g *jen.Group) {
		g.Add(must(r("Unique", jen.Id("frame"))))
		last := more(g, room, list)
		g.Add(last).Dot("Name").Op("=").Add(r("NameString"))
		e.readSlot(g, u.Elem, jen.Add(last).Dot("Value"), ctx.in("Item"))
	})
	g.Op("*").Id("v").Op("=").Add(room).Dot("Done").Call(list)
	if held {
		g.Return(r("EndObject", jen.Id("frame")).Op("&&").Add(r("HoldCount", jen.Id("at"), jen.Len(jen.Op("*").Id("v")), e.countRule(n, ctx))))
		return
	}
	g.Return(r("EndObject", jen.Id("frame")))
}

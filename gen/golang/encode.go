package golang

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/shape"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// encodeFile writes AppendJSON, Validate, MarshalJSON and UnmarshalJSON.
func (e *emitter) encodeFile() *jen.File {
	f := e.file()
	for _, t := range e.pkg.Types {
		switch t.Kind {
		case shape.Struct:
			e.appendStruct(f, t)
		case shape.List:
			e.appendMethod(f, t, "v", jen.Id("v").Id(t.Name), func(g *jen.Group) {
				e.appendValue(g, &shape.Use{Kind: shape.UseList, Elem: t.Elem}, jen.Id("v"), 0)
				g.Return(jen.Id("b"))
			})
		case shape.Scalar:
			e.appendMethod(f, t, "v", jen.Id("v").Id(t.Name), func(g *jen.Group) {
				e.appendValue(g, t.Elem, jen.Add(base(t.Elem)).Call(jen.Id("v")), 0)
				g.Return(jen.Id("b"))
			})
		}
	}
	return f
}

func (e *emitter) appendStruct(f *jen.File, t *shape.Type) {
	e.appendMethod(f, t, "v", jen.Id("v").Op("*").Id(t.Name), func(g *jen.Group) {
		w := &writer{g: g, first: true}
		names := orderOf(t)
		for _, name := range names {
			for _, c := range t.Consts {
				if c.JSON == name {
					w.text(name, string(c.Value.Raw()))
				}
			}
			for _, field := range t.Fields {
				if field.JSON == name {
					e.appendField(w, field)
				}
			}
		}
		w.open()
		if t.Open {
			g.Id("b").Op("=").Add(lib("AppendMembers").Call(jen.Id("b"), jen.Id("v").Dot("Extra")))
		}
		g.Return(jen.Append(jen.Id("b"), jen.LitRune('}')))
	})
}

// orderOf lists the members in the order of the document, constants and fields together, required ones first so that
// commas need no thought.
func orderOf(t *shape.Type) []string {
	var required, optional []string
	for _, p := range t.Node.Properties {
		required = append(required, p.Name)
	}
	known := map[string]bool{}
	for _, name := range required {
		known[name] = true
	}
	for _, c := range t.Consts {
		if !known[c.JSON] {
			required = append(required, c.JSON)
		}
	}
	for _, f := range t.Fields {
		if !known[f.JSON] {
			required = append(required, f.JSON)
		}
	}
	all := required
	required = nil
	optionalSet := map[string]bool{}
	for _, f := range t.Fields {
		if !f.Required {
			optionalSet[f.JSON] = true
		}
	}
	for _, name := range all {
		if optionalSet[name] {
			optional = append(optional, name)
		} else {
			required = append(required, name)
		}
	}
	return append(required, optional...)
}

// writer joins the constant parts of an object into as few appends as possible.
type writer struct {
	g       *jen.Group
	pending string
	first   bool // not even the opening brace has been written
	unsure  bool // the brace has been, but perhaps no member
}

// name puts the name of a member that is always there.
func (w *writer) name(name string) {
	sep := ","
	if w.first {
		sep = "{"
		w.first = false
	}
	w.unsure = false
	w.pending += sep + wire.Quoted(name) + ":"
}

func (w *writer) text(name, value string) {
	w.name(name)
	w.pending += value
}

func (w *writer) flush() {
	if w.pending != "" {
		w.g.Id("b").Op("=").Append(jen.Id("b"), backquoted(w.pending).Op("..."))
		w.pending = ""
	}
}

// open writes the opening brace if nothing has.
func (w *writer) open() {
	if w.first {
		w.pending += "{"
		w.first = false
	}
	w.flush()
}

func backquoted(s string) *jen.Statement {
	if strconv.CanBackquote(s) {
		return jen.Op("`" + s + "`")
	}
	return jen.Lit(s)
}

func (e *emitter) appendField(w *writer, f *shape.Field) {
	target := jen.Id("v").Dot(f.Name)
	form := formOf(f.Use, f.Required)
	if f.Required {
		w.name(f.JSON)
		w.flush()
		switch form {
		case pointer:
			w.g.If(jen.Add(target).Op("==").Nil()).Block(appendNull()).Else().BlockFunc(func(g *jen.Group) { e.appendValue(g, f.Use, target, 0) })
		case nullable:
			w.g.If(jen.Add(target).Dot("Set")).BlockFunc(func(g *jen.Group) {
				e.appendValue(g, f.Use, jen.Add(target).Dot("Value"), 0)
			}).Else().Block(appendNull())
		default:
			e.appendValue(w.g, f.Use, target, 0)
		}
		return
	}
	w.flush()
	if w.first {
		w.g.Id("b").Op("=").Append(jen.Id("b"), jen.LitRune('{'))
		w.first = false
		w.unsure = true
	}
	put := func(g *jen.Group) {
		if !w.unsure {
			g.Id("b").Op("=").Append(jen.Id("b"), backquoted(","+wire.Quoted(f.JSON)+":").Op("..."))
			return
		}
		g.Id("b").Op("=").Append(lib("Next").Call(jen.Id("b")), backquoted(wire.Quoted(f.JSON)+":").Op("..."))
	}
	switch form {
	case opt:
		w.g.If(jen.Add(target).Dot("Set")).BlockFunc(func(g *jen.Group) {
			put(g)
			e.appendValue(g, f.Use, jen.Add(target).Dot("Value"), 0)
		})
	case maybe:
		w.g.If(jen.Add(target).Dot("Set")).BlockFunc(func(g *jen.Group) {
			put(g)
			e.appendValue(g, f.Use, jen.Add(target).Dot("Value"), 0)
		}).Else().If(jen.Add(target).Dot("Null")).BlockFunc(func(g *jen.Group) {
			put(g)
			g.Add(appendNull())
		})
	default:
		w.g.If(jen.Add(target).Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
			put(g)
			e.appendValue(g, f.Use, target, 0)
		})
	}
}

func appendNull() jen.Code {
	return jen.Id("b").Op("=").Append(jen.Id("b"), jen.Lit("null").Op("..."))
}

// appendValue appends a value that is there.
func (e *emitter) appendValue(g *jen.Group, u *shape.Use, v *jen.Statement, depth int) {
	assign := func(name string, arg jen.Code) { g.Id("b").Op("=").Add(lib(name).Call(jen.Id("b"), arg)) }
	switch u.Kind {
	case shape.UseText:
		assign("AppendString", v)
	case shape.UseBool:
		assign("AppendBool", v)
	case shape.UseInt:
		assign("AppendInt", v)
	case shape.UseFloat:
		assign("AppendFloat", v)
	case shape.UseNumber:
		assign("AppendNumber", v)
	case shape.UseRaw:
		assign("AppendRaw", v)
	case shape.UseNamed:
		e.appendNamed(g, u.Type, v, depth)
	case shape.UseList:
		e.appendList(g, u, v, depth)
	case shape.UseMap:
		e.appendMap(g, u, v, depth)
	}
}

func (e *emitter) appendNamed(g *jen.Group, t *shape.Type, v *jen.Statement, depth int) {
	switch t.Kind {
	case shape.Enum:
		if t.Numbers {
			g.Id("b").Op("=").Add(lib("AppendInt").Call(jen.Id("b"), jen.Int64().Call(v)))
			return
		}
		g.Id("b").Op("=").Add(lib("AppendString").Call(jen.Id("b"), jen.String().Call(v)))
	case shape.Union:
		g.If(jen.Add(v).Op("==").Nil()).Block(appendNull()).Else().Block(jen.Id("b").Op("=").Add(v).Dot("AppendJSON").Call(jen.Id("b")))
	case shape.Map:
		e.appendMap(g, &shape.Use{Kind: shape.UseMap, Elem: t.Elem}, v, depth)
	case shape.Raw:
		g.Id("b").Op("=").Add(lib("AppendRaw").Call(jen.Id("b"), v))
	default:
		g.Id("b").Op("=").Add(v).Dot("AppendJSON").Call(jen.Id("b"))
	}
}

// appendSlot appends an element, which may be null.
func (e *emitter) appendSlot(g *jen.Group, u *shape.Use, v *jen.Statement, depth int) {
	switch formOf(u, true) {
	case pointer:
		g.If(jen.Add(v).Op("==").Nil()).Block(appendNull()).Else().BlockFunc(func(g *jen.Group) { e.appendValue(g, u, v, depth) })
	case nullable:
		g.If(jen.Add(v).Dot("Set")).BlockFunc(func(g *jen.Group) { e.appendValue(g, u, jen.Add(v).Dot("Value"), depth) }).Else().Block(appendNull())
	default:
		e.appendValue(g, u, v, depth)
	}
}

func level(name string, depth int) string {
	if depth == 0 {
		return name
	}
	return fmt.Sprintf("%s%d", name, depth+1)
}

func (e *emitter) appendList(g *jen.Group, u *shape.Use, v *jen.Statement, depth int) {
	i := level("i", depth)
	g.Id("b").Op("=").Append(jen.Id("b"), jen.LitRune('['))
	g.For(jen.Id(i).Op(":=").Range().Add(v)).BlockFunc(func(g *jen.Group) {
		g.If(jen.Id(i).Op(">").Lit(0)).Block(jen.Id("b").Op("=").Append(jen.Id("b"), jen.LitRune(',')))
		e.appendSlot(g, u.Elem, jen.Add(v).Index(jen.Id(i)), depth+1)
	})
	g.Id("b").Op("=").Append(jen.Id("b"), jen.LitRune(']'))
}

func (e *emitter) appendMap(g *jen.Group, u *shape.Use, v *jen.Statement, depth int) {
	i := level("i", depth)
	g.Id("b").Op("=").Append(jen.Id("b"), jen.LitRune('{'))
	g.For(jen.Id(i).Op(":=").Range().Add(v)).BlockFunc(func(g *jen.Group) {
		g.If(jen.Id(i).Op(">").Lit(0)).Block(jen.Id("b").Op("=").Append(jen.Id("b"), jen.LitRune(',')))
		g.Id("b").Op("=").Append(lib("AppendString").Call(jen.Id("b"), jen.Add(v).Index(jen.Id(i)).Dot("Name")), jen.LitRune(':'))
		e.appendSlot(g, u.Elem, jen.Add(v).Index(jen.Id(i)).Dot("Value"), depth+1)
	})
	g.Id("b").Op("=").Append(jen.Id("b"), jen.LitRune('}'))
}

// appendMethod writes AppendJSON and what stands on it.
func (e *emitter) appendMethod(f *jen.File, t *shape.Type, v string, receiver *jen.Statement, body func(*jen.Group)) {
	f.Comment("AppendJSON appends v as JSON to b. It does not validate: see Validate.")
	f.Func().Params(receiver).Id("AppendJSON").Params(jen.Id("b").Index().Byte()).Index().Byte().BlockFunc(body)
	f.Line()
	f.Comment("Validate reports whether v, as it would be written, is valid.")
	f.Func().Params(jen.Add(receiver)).Id("Validate").Params().Error().Block(
		jen.Return(jen.Id("Validate" + t.Name).Call(jen.Id(v).Dot("AppendJSON").Call(jen.Nil()))),
	)
	f.Line()
	// A method of the pointer would be passed over wherever encoding/json meets a value: in an interface, a map, or when it
	// is handed one. It would write the fields by their Go names then.
	f.Comment("MarshalJSON implements json.Marshaler; it fails if v is not valid.")
	f.Func().Params(jen.Id(v).Id(t.Name)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).Block(
		jen.Id("b").Op(":=").Id(v).Dot("AppendJSON").Call(jen.Nil()),
		jen.Return(jen.Id("b"), jen.Id("Validate"+t.Name).Call(jen.Id("b"))),
	)
	f.Line()
	decoded, whole := jen.Id("x"), jen.Err().Op("==").Nil()
	if t.Nullable() {
		// A null leaves a value as it is, as encoding/json has it.
		decoded, whole = jen.Id("x").Dot("Value"), jen.Add(whole).Op("&&").Id("x").Dot("Set")
	}
	f.Comment("UnmarshalJSON implements json.Unmarshaler; it validates.")
	f.Func().Params(jen.Id("v").Op("*").Id(t.Name)).Id("UnmarshalJSON").Params(jen.Id("data").Index().Byte()).Error().Block(
		jen.List(jen.Id("x"), jen.Err()).Op(":=").Id("Decode"+t.Name).Call(jen.Id("data")),
		jen.If(whole).Block(jen.Op("*").Id("v").Op("=").Add(decoded)),
		jen.Return(jen.Err()),
	)
	f.Line()
}

// registryFile lists the types by name.
func (e *emitter) registryFile() *jen.File {
	f := e.file()
	f.Comment("Types holds every type of the package by name, with the function that validates it.")
	f.Var().Id("Types").Op("=").Map(jen.String()).Add(lib("Type")).ValuesFunc(func(g *jen.Group) {
		for _, t := range e.pkg.Types {
			if t.Tag == "" {
				entry := []jen.Code{jen.Id("Name"), jen.Lit(t.Name), jen.Id("Document"), e.document(t.Node), jen.Id("Pointer"), jen.Lit(t.Node.Pointer)}
				if branch := e.pkg.Branch(t); branch != "" {
					entry = append(entry, jen.Id("Branch"), jen.Lit(branch))
				}
				g.Line().Lit(t.Name).Op(":").Add(fields(append(entry, jen.Id("Validate"), jen.Id("Validate"+t.Name))...))
			}
		}
		g.Line()
	})
	return f
}

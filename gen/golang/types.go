package golang

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// base is the Go type of a use, without its optionality.
func base(u *shape.Use) jen.Code {
	switch u.Kind {
	case shape.UseText:
		return jen.String()
	case shape.UseBool:
		return jen.Bool()
	case shape.UseInt:
		return jen.Int64()
	case shape.UseFloat:
		return jen.Float64()
	case shape.UseNumber:
		return lib("Number")
	case shape.UseNamed:
		return jen.Id(u.Type.Name)
	case shape.UseList:
		return jen.Index().Add(slot(u.Elem))
	case shape.UseMap:
		return lib("Map").Types(slot(u.Elem))
	}
	return lib("Raw")
}

// slot is the type of an element of a list or map: it is always there, and may be null.
func slot(u *shape.Use) jen.Code { return holder(u, true) }

// form says how presence and null are held.
type form int

const (
	plain    form = iota // always there
	pointer              // nil: absent, or null
	nilable              // the type's own nil: absent, or null
	opt                  // wire.Opt
	nullable             // wire.Nullable
	maybe                // wire.Maybe
)

func formOf(u *shape.Use, required bool) form {
	isStruct := u.Kind == shape.UseNamed && u.Type.Kind == shape.Struct
	isUnion := u.Kind == shape.UseNamed && u.Type.Kind == shape.Union
	hasNil := isUnion || u.Kind == shape.UseList || u.Kind == shape.UseMap || u.Kind == shape.UseRaw ||
		u.Kind == shape.UseNamed && (u.Type.Kind == shape.List || u.Type.Kind == shape.Map || u.Type.Kind == shape.Raw)
	switch {
	case required && !u.Nullable && u.Indirect:
		return pointer
	case required && !u.Nullable:
		return plain
	case required && isStruct:
		return pointer
	case required && isUnion:
		return nilable
	case required:
		return nullable
	case u.Nullable:
		return maybe
	case isStruct:
		return pointer
	case hasNil:
		return nilable
	}
	return opt
}

// holder is the Go type of a member or element.
func holder(u *shape.Use, required bool) jen.Code {
	switch formOf(u, required) {
	case pointer:
		return jen.Op("*").Add(base(u))
	case opt:
		return lib("Opt").Types(base(u))
	case nullable:
		return lib("Nullable").Types(base(u))
	case maybe:
		if u.Indirect {
			return lib("Maybe").Types(jen.Op("*").Add(base(u)))
		}
		return lib("Maybe").Types(base(u))
	}
	return base(u)
}

// typesFile declares the structs, lists, maps and scalars.
func (e *emitter) typesFile() *jen.File {
	f := e.file()
	for _, t := range e.pkg.Types {
		switch t.Kind {
		case shape.Struct:
			e.structType(f, t)
		case shape.List:
			f.Add(comment(e.describe(t)))
			f.Type().Id(t.Name).Index().Add(slot(t.Elem))
		case shape.Map:
			f.Add(comment(e.describe(t)))
			f.Type().Id(t.Name).Op("=").Add(lib("Map").Types(slot(t.Elem)))
		case shape.Scalar:
			f.Add(comment(e.describe(t)))
			f.Type().Id(t.Name).Add(base(t.Elem))
		case shape.Raw:
			f.Add(comment(e.describe(t)))
			f.Type().Id(t.Name).Op("=").Add(lib("Raw"))
		}
	}
	return f
}

func (e *emitter) structType(f *jen.File, t *shape.Type) {
	f.Add(comment(e.describe(t)))
	f.Type().Id(t.Name).StructFunc(func(g *jen.Group) {
		for _, field := range t.Fields {
			if doc := fieldDoc(field); doc != "" {
				g.Add(comment(doc))
			}
			g.Id(field.Name).Add(holder(field.Use, field.Required)).Comment(memberNote(field))
		}
		if t.Open {
			g.Id("Extra").Add(lib("Members")).Comment("members the document does not name, in order")
		}
	})
	f.Line()
	for _, c := range t.Consts {
		e.constMethod(f, t, c)
	}
	for _, tag := range t.MixedTags() {
		e.mixedMethod(f, t, tag)
	}
	for _, u := range unionsOf(t) {
		f.Func().Params(jen.Op("*").Id(t.Name)).Id("is" + u.Name).Params().Block()
	}
	f.Line()
}

// memberNote is the short remark behind a field.
func memberNote(f *shape.Field) string {
	note := fmt.Sprintf("%q", f.JSON)
	switch {
	case f.Required && f.Use.Nullable:
		note += ", may be null"
	case !f.Required && f.Use.Nullable:
		note += ", optional, may be null"
	case !f.Required:
		note += ", optional"
	}
	return note
}

// unionsOf lists the unions a struct belongs to, through unions of unions too, each once.
func unionsOf(t *shape.Type) []*shape.Type {
	seen := map[*shape.Type]bool{}
	var out []*shape.Type
	var walk func(*shape.Type)
	walk = func(t *shape.Type) {
		for _, u := range t.Unions {
			if !seen[u] {
				seen[u] = true
				out = append(out, u)
				walk(u)
			}
		}
	}
	walk(t)
	return out
}

func (e *emitter) constMethod(f *jen.File, t *shape.Type, c *shape.Const) {
	f.Add(comment(fmt.Sprintf("%s is always %s.", c.Name, c.Value.Raw())))
	method := f.Func().Params(jen.Op("*").Id(t.Name)).Id(c.Name).Params()
	switch {
	case c.Type != nil:
		method.Id(c.Type.Name).Block(jen.Return(jen.Id(constantOf(c.Type, c.Value.Text))))
	case c.Value.Kind == document.Bool:
		method.Bool().Block(jen.Return(jen.Lit(c.Value.Bool)))
	case c.Value.Kind == document.Number:
		number, _ := c.Value.Decimal().Int64()
		method.Int64().Block(jen.Return(jen.Lit(int(number))))
	default:
		method.String().Block(jen.Return(jen.Lit(c.Value.Text)))
	}
	f.Line()
}

// mixedMethod gives a member that is a field in some variants of a union and constant in others.
func (e *emitter) mixedMethod(f *jen.File, t *shape.Type, tag *shape.Tag) {
	f.Comment(fmt.Sprintf("%s is the member %q.", tag.Name, tag.JSON))
	for _, c := range t.Consts {
		if c.JSON == tag.JSON {
			f.Func().Params(jen.Op("*").Id(t.Name)).Id(tag.Name).Params().String().Block(jen.Return(jen.Lit(c.Value.Text)))
			f.Line()
		}
	}
	for _, field := range t.Fields {
		if field.JSON == tag.JSON {
			value := jen.Id("v").Dot(field.Name)
			if field.Use.Kind == shape.UseNamed {
				value = jen.String().Call(value)
			}
			f.Func().Params(jen.Id("v").Op("*").Id(t.Name)).Id(tag.Name).Params().String().Block(jen.Return(value))
			f.Line()
		}
	}
}

func constantOf(enum *shape.Type, text string) string {
	for _, v := range enum.Values {
		if v.Text == text {
			return v.Name
		}
	}
	return ""
}

// unionsFile declares the sealed interfaces.
func (e *emitter) unionsFile() *jen.File {
	f := e.file()
	empty := true
	for _, t := range e.pkg.Types {
		if t.Kind != shape.Union {
			continue
		}
		empty = false
		doc := e.describe(t) + "\n\nIts variants are:\n"
		f.Add(comment(doc))
		for _, leaf := range t.Leaves() {
			f.Comment("//   - *" + leaf.Name)
		}
		f.Type().Id(t.Name).InterfaceFunc(func(g *jen.Group) {
			inherited := map[string]bool{}
			for _, u := range t.Unions {
				g.Id(u.Name)
				for _, tag := range u.Tags {
					inherited[tag.Name] = true
				}
			}
			for _, tag := range t.Tags {
				if inherited[tag.Name] {
					continue
				}
				m := g.Id(tag.Name).Params()
				switch {
				case e.tagType(t, tag) != nil:
					m.Id(e.tagType(t, tag).Name)
				case tag.Bool:
					m.Bool()
				default:
					m.String()
				}
			}
			for _, tag := range t.Mixed {
				g.Comment(fmt.Sprintf("%s is the member %q, which the variants are told apart by.", tag.Name, tag.JSON))
				g.Id(tag.Name).Params().String()
			}
			if len(t.Unions) == 0 {
				g.Id("AppendJSON").Params(jen.Id("b").Index().Byte()).Index().Byte()
				g.Id("Validate").Params().Error()
			}
			g.Id("is" + t.Name).Params()
		})
		f.Line()
	}
	if empty {
		return nil
	}
	return f
}

// tagType is the type that the variants' methods return: all of them agree, or the tag has no type.
func (e *emitter) tagType(t *shape.Type, tag *shape.Tag) *shape.Type {
	for _, leaf := range t.Leaves() {
		for _, c := range leaf.Consts {
			if c.JSON == tag.JSON {
				return c.Type
			}
		}
	}
	return tag.Type
}

// enumsFile declares the enums and their constants.
func (e *emitter) enumsFile() *jen.File {
	f := e.file()
	empty := true
	for _, t := range e.pkg.Types {
		if t.Kind != shape.Enum {
			continue
		}
		empty = false
		f.Add(comment(e.describe(t)))
		if t.Numbers {
			f.Type().Id(t.Name).Int64()
		} else {
			f.Type().Id(t.Name).String()
		}
		f.Line()
		variants := e.variantsByTag(t)
		if len(variants) > 0 {
			f.Comment("The values of " + t.Name + ", and the variants that have them.")
		} else {
			f.Comment("The values of " + t.Name + ".")
		}
		f.Const().DefsFunc(func(g *jen.Group) {
			for _, v := range t.Values {
				if doc := valueDoc(v); doc != "" {
					g.Add(comment(doc))
				}
				line := g.Id(v.Name).Id(t.Name).Op("=")
				if t.Numbers {
					line.Lit(int(v.Number()))
				} else {
					line.Lit(v.Text)
				}
				if names := variants[v.Text]; len(names) > mostVariants {
					line.Comment(fmt.Sprintf("// %s and %d more", strings.Join(names[:mostVariants-1], ", "), len(names)-mostVariants+1))
				} else if len(names) > 0 {
					line.Comment("// " + strings.Join(names, ", "))
				}
			}
		})
		f.Line()
		f.Comment("Valid reports whether v is one of the values.")
		f.Func().Params(jen.Id("v").Id(t.Name)).Id("Valid").Params().Bool().Block(
			jen.Switch(jen.Id("v")).Block(
				jen.CaseFunc(func(g *jen.Group) {
					for _, v := range t.Values {
						g.Id(v.Name)
					}
				}).Block(jen.Return(jen.True())),
			),
			jen.Return(jen.False()),
		)
		f.Line()
	}
	if empty {
		return nil
	}
	return f
}

// mostVariants is how many variants of one tag value are listed beside it.
const mostVariants = 4

// valueDoc is the doc comment of a constant, "" where the document tells nothing of it.
func valueDoc(v shape.Value) string {
	doc := strings.TrimSpace(v.Doc)
	if doc != "" {
		doc = v.Name + ": " + doc
	}
	if v.Deprecated {
		if doc == "" {
			doc = v.Name + " is a value."
		}
		doc += "\n\nDeprecated: the document marks it so."
	}
	return doc
}

// variantsByTag lists, by the values of an enum, the structs that have them as their tag.
func (e *emitter) variantsByTag(t *shape.Type) map[string][]string {
	variants := map[string][]string{}
	for _, s := range e.pkg.Types {
		for _, c := range s.Consts {
			if c.Type == t {
				variants[c.Value.Text] = append(variants[c.Value.Text], s.Name)
			}
		}
	}
	return variants
}

// enumCheck writes the check function of an enum, and the list of its values that a violation shows.
func (e *emitter) enumCheck(f *jen.File, t *shape.Type) {
	ctx := contextOf(t)
	place := e.placeRule(ctx, t.Node)
	f.Comment("check" + t.Name + " consumes a value and holds it against the schema of " + t.Name + ".")
	orNull := jen.Null()
	if t.Nullable() {
		orNull = jen.If(r("Kind").Op("==").Add(lib("KindNull"))).Block(jen.Return(r("Null")))
	}
	f.Func().Id("check"+t.Name).Params(jen.Id("r").Op("*").Add(lib("Reader"))).Bool().Block(
		orNull,
		jen.If(r("Kind").Op("!=").Add(lib("KindString"))).Block(jen.Return(notString(t, place))),
		jen.Id("at").Op(":=").Add(r("Pos")),
		jen.List(jen.Id("s"), jen.Id("ok")).Op(":=").Add(r("Text")),
		jen.If(jen.Op("!").Id("ok")).Block(jen.Return(jen.False())),
		jen.Return(jen.Id(t.Name).Call(jen.Id("s")).Dot("Valid").Call().Op("||").Add(e.notListed(t, place))),
	)
	f.Line()
}

// notString refuses a value of another kind: by its type, where the schema of an enum has one, else by its values.
func notString(t *shape.Type, place jen.Code) jen.Code {
	want := "a string"
	if t.Nullable() {
		want = "null or a string"
	}
	if t.Node.Types == 0 {
		return r("Refused", place, jen.Lit(t.EnumKeyword()), jen.Lit(want))
	}
	return r("Mismatch", place, jen.Lit(want))
}

// notListed refuses a string that is no value of an enum.
func (e *emitter) notListed(t *shape.Type, place jen.Code) jen.Code {
	texts := jen.Id(e.enumTexts(t))
	if keyword := t.EnumKeyword(); keyword != "enum" {
		return r("NotInChoice", jen.Id("at"), place, jen.Lit(keyword), texts)
	}
	return r("NotInEnum", jen.Id("at"), place, texts)
}

// enumTexts declares the texts of an enum once.
func (e *emitter) enumTexts(t *shape.Type) string {
	name := "texts" + t.Name
	if !e.taken[name] {
		e.taken[name] = true
		e.rules = append(e.rules, rule{name: name, group: t.Name, value: jen.Index().String().ValuesFunc(func(g *jen.Group) {
			for _, v := range t.Values {
				g.Lit(v.Text)
			}
		})})
	}
	return name
}

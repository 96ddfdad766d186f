package golang

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/openapi"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// operationsFile declares one variable an operation, the list of all of them, and what they share: servers and
// security schemes.
func (e *emitter) operationsFile() *jen.File {
	if len(e.pkg.Operations) == 0 {
		return nil
	}
	f := e.file()
	e.serversAndSchemes(f)
	names := make([]string, len(e.pkg.Operations))
	for i, o := range e.pkg.Operations {
		names[i] = e.exported("Operation" + o.Name)
		f.Add(comment(e.operationDoc(names[i], o)))
		f.Var().Id(names[i]).Op("=").Add(lib("Operation")).Values(e.operation(o)...)
		f.Line()
	}
	f.Comment("Operations holds every operation, by path and method.")
	f.Var().Id("Operations").Op("=").Index().Op("*").Add(lib("Operation")).ValuesFunc(func(g *jen.Group) {
		for _, name := range names {
			g.Line().Op("&").Id(name)
		}
		g.Line()
	})
	return f
}

// serversAndSchemes declares what all operations of the descriptions share.
func (e *emitter) serversAndSchemes(f *jen.File) {
	var all []jen.Code
	for _, d := range e.pkg.Descriptions {
		all = append(all, e.servers(d.Servers)...)
	}
	if len(all) > 0 {
		f.Comment("Servers lists where the documents say that the API is served.")
		f.Var().Id("Servers").Op("=").Index().Add(lib("Server")).Values(append(all, jen.Line())...)
		f.Line()
	}
	for _, d := range e.pkg.Descriptions {
		for _, s := range d.Schemes {
			name := e.exported("Security" + shape.GoName(s.Name))
			e.schemes[schemeKey{d.File, s.Name}] = name
			f.Add(comment(schemeDoc(name, s)))
			f.Var().Id(name).Op("=").Add(lib("SecurityScheme")).Values(append(set(
				"Name", s.Name, "Type", s.Type, "Description", s.Description, "In", s.In, "Parameter", s.Parameter,
				"Scheme", s.Scheme, "Format", s.Format, "URL", s.URL, "Deprecated", s.Deprecated), jen.Line())...)
			f.Line()
		}
	}
}

type schemeKey struct {
	file *document.File
	name string
}

func schemeDoc(name string, s openapi.Scheme) string {
	what := s.Type
	switch s.Type {
	case "http":
		what = "the HTTP authentication scheme " + s.Scheme
	case "apiKey":
		what = fmt.Sprintf("a key in the %s %s", s.In, s.Parameter)
	}
	doc := fmt.Sprintf("%s is %s.", name, what)
	if s.Description != "" {
		doc += " " + upperFirst(s.Description)
	}
	if s.Deprecated {
		doc += "\n\nDeprecated: the document marks it so."
	}
	return doc
}

// operationDoc says an operation in words: request line, body, answers, where it stands.
func (e *emitter) operationDoc(name string, o *shape.Operation) string {
	var b strings.Builder
	line := o.Method + " " + o.Path
	switch o.Kind {
	case openapi.Webhook:
		line = "the webhook " + o.Path + " (" + o.Method + ", sent by the server)"
	case openapi.Callback:
		line = "the callback " + o.Operation.Name + " (" + o.Method + " " + o.Path + ", sent by the server)"
	}
	fmt.Fprintf(&b, "%s is %s", name, line)
	if text := strings.TrimRight(strings.TrimSpace(o.Summary), "."); text != "" {
		b.WriteString(": " + lowerFirst(text))
	}
	b.WriteString(".")
	if o.Description != "" {
		b.WriteString(" " + upperFirst(strings.TrimSpace(o.Description)))
	}
	b.WriteString("\n\n")
	if len(o.Body) > 0 {
		fmt.Fprintf(&b, "It takes %s. ", contentDoc(o.Body))
	}
	var answers []string
	for _, r := range o.Responses {
		if text := contentDoc(r.Content); text != "" {
			answers = append(answers, r.Status+" with "+text)
		} else {
			answers = append(answers, r.Status)
		}
	}
	if len(answers) > 0 {
		fmt.Fprintf(&b, "It answers %s. ", strings.Join(answers, ", "))
	}
	if o.Deprecated {
		b.WriteString("\n\nDeprecated: the document marks it so.")
	}
	fmt.Fprintf(&b, "\n\nSource: %s#%s.", e.fileName(o.File), o.Pointer)
	return b.String()
}

// contentDoc names what a body is in each of its media types.
func contentDoc(content []*shape.Media) string {
	var parts []string
	for _, m := range content {
		switch {
		case m.Event != nil && m.Event.Type != nil:
			parts = append(parts, "a stream of "+m.Event.Type.Name)
		case m.Schema != nil && m.Schema.Type != nil:
			parts = append(parts, m.Schema.Type.Name)
		default:
			parts = append(parts, m.Type)
		}
	}
	return strings.Join(parts, " or ")
}

// fileName is how the package calls a document.
func (e *emitter) fileName(f *document.File) string { return e.fileNames[f.Name] }

// operation writes the members of an Operation, without those that are empty.
func (e *emitter) operation(o *shape.Operation) []jen.Code {
	direction := "ClientToServer"
	if o.Kind != openapi.Path {
		direction = "ServerToClient"
	}
	members := set("ID", o.ID, "Method", o.Method, "Path", o.Path)
	members = append(members, line("Direction", lib(direction)))
	members = append(members, set("Summary", o.Summary, "Description", o.Description)...)
	if len(o.Tags) > 0 {
		members = append(members, line("Tags", texts(o.Tags)))
	}
	members = append(members, set("Deprecated", o.Deprecated)...)
	if list := e.servers(o.Servers); len(list) > 0 {
		members = append(members, line("Servers", jen.Index().Add(lib("Server")).Values(append(list, jen.Line())...)))
	}
	if len(o.Parameters) > 0 {
		members = append(members, line("Parameters", e.parameters(o.Parameters, o.Name)))
	}
	if body := o.Operation.Body; body != nil {
		values := append(set("Description", body.Description, "Required", body.Required), line("Content", e.contents(o.Body, o.Name+"Body")))
		members = append(members, line("Body", jen.Op("&").Add(lib("Body")).Values(append(values, jen.Line())...)))
	}
	if len(o.Responses) > 0 {
		members = append(members, line("Responses", jen.Index().Add(lib("Response")).ValuesFunc(func(g *jen.Group) {
			for _, r := range o.Responses {
				values := set("Status", r.Status, "Summary", r.Summary, "Description", r.Description)
				if len(r.Headers) > 0 {
					values = append(values, line("Headers", e.parameters(r.Headers, o.Name+shape.GoName(r.Status))))
				}
				if len(r.Content) > 0 {
					values = append(values, line("Content", e.contents(r.Content, o.Name+shape.GoName(r.Status))))
				}
				g.Line().Values(append(values, jen.Line())...)
			}
			g.Line()
		})))
	}
	if len(o.Security) > 0 {
		members = append(members, line("Security", e.security(o)))
	}
	members = append(members, line("Document", e.fileConst(o.File)))
	members = append(members, set("Pointer", o.Pointer)...)
	return append(members, jen.Line())
}

func (e *emitter) servers(list []openapi.Server) []jen.Code {
	var out []jen.Code
	for _, s := range list {
		out = append(out, jen.Line().Values(inline(set("Name", s.Name, "URL", s.URL, "Description", s.Description))...))
	}
	return out
}

func (e *emitter) security(o *shape.Operation) jen.Code {
	return jen.Index().Add(lib("Requirement")).ValuesFunc(func(g *jen.Group) {
		for _, req := range o.Security {
			g.ValuesFunc(func(g *jen.Group) {
				for _, n := range req.Schemes {
					values := []jen.Code{jen.Id("Scheme").Op(":").Op("&").Id(e.schemes[schemeKey{o.API, n.Scheme}])}
					if len(n.Scopes) > 0 {
						values = append(values, jen.Id("Scopes").Op(":").Add(texts(n.Scopes)))
					}
					g.Values(values...)
				}
			})
		}
	})
}

func (e *emitter) parameters(list []*shape.Parameter, path string) jen.Code {
	return jen.Index().Add(lib("Parameter")).ValuesFunc(func(g *jen.Group) {
		for _, p := range list {
			values := set("Name", p.Name, "In", p.In, "Description", p.Description, "Required", p.Required, "Deprecated", p.Deprecated,
				"Style", p.Style, "Explode", p.Explode, "MediaType", p.MediaType)
			if p.Value != nil {
				values = append(values, line("Kinds", kinds(p.Kinds)))
				if p.Kinds&schema.TypeArray != 0 && p.Kinds&schema.TypeString == 0 {
					values = append(values, line("Items", kinds(p.Items)))
				}
				values = append(values, line("Schema", e.schemaUse(p.Value, parameterPath(p, path))))
			}
			g.Line().Values(append(values, jen.Line())...)
		}
		g.Line()
	})
}

// parameterPath names the check of a parameter: one that operations share is named for itself.
func parameterPath(p *shape.Parameter, path string) string {
	tokens, err := document.SplitPointer(p.Pointer)
	if err == nil && len(tokens) == 3 && tokens[0] == "components" {
		return "Shared" + shape.GoName(tokens[2])
	}
	return path + shape.GoName(p.Name)
}

func (e *emitter) contents(list []*shape.Media, path string) jen.Code {
	return jen.Index().Add(lib("Media")).ValuesFunc(func(g *jen.Group) {
		for _, m := range list {
			values := set("Type", m.Type, "Description", m.Description)
			if m.Schema != nil {
				values = append(values, line("Schema", e.schemaUse(m.Schema, path+shape.GoName(m.Type))))
			}
			if m.Event != nil {
				values = append(values, line("Event", e.schemaUse(m.Event, path+"Event")))
			}
			g.Line().Values(append(append(values, set("Companion", m.Companion)...), jen.Line())...)
		}
		g.Line()
	})
}

// schemaUse writes a wire.Type: an entry of Types, or one for a schema without a named type.
func (e *emitter) schemaUse(u *shape.SchemaUse, path string) jen.Code {
	if u.Type != nil {
		return e.typeEntry(u.Type)
	}
	n := u.Node.Target()
	values := []jen.Code{
		jen.Id("Document").Op(":").Add(e.document(n)),
		jen.Id("Pointer").Op(":").Lit(n.Pointer),
	}
	if n.Always == nil || !*n.Always {
		check := e.checkFunc(n, context{owner: "Operation", path: "Operation" + path})
		values = append(values, jen.Id("Validate").Op(":").Add(lib("Validator")).Call(jen.Id(check)))
	}
	return lib("Type").Values(values...)
}

// typeEntry names an entry of Types.
func (e *emitter) typeEntry(t *shape.Type) jen.Code { return jen.Id("Types").Index(jen.Lit(t.Name)) }

func (e *emitter) fileConst(f *document.File) jen.Code {
	return e.document(&schema.Node{File: f})
}

// kinds writes the kinds of JSON value in a set.
func kinds(set schema.Types) jen.Code {
	return jen.Index().Add(lib("Kind")).ValuesFunc(func(g *jen.Group) {
		for _, k := range []struct {
			types schema.Types
			name  string
		}{
			{schema.TypeNull, "KindNull"}, {schema.TypeBoolean, "KindBool"}, {schema.TypeInteger | schema.TypeNumber, "KindNumber"},
			{schema.TypeString, "KindString"}, {schema.TypeArray, "KindArray"}, {schema.TypeObject, "KindObject"},
		} {
			if set&k.types != 0 {
				g.Add(lib(k.name))
			}
		}
	})
}

// set writes "name: value" for each pair whose value is not empty.
func set(pairs ...any) []jen.Code {
	var out []jen.Code
	for i := 0; i+1 < len(pairs); i += 2 {
		if value := pairs[i+1]; value != "" && value != false {
			out = append(out, line(pairs[i].(string), jen.Lit(value)))
		}
	}
	return out
}

// line writes a member on a line of its own.
func line(name string, value jen.Code) jen.Code { return jen.Line().Id(name).Op(":").Add(value) }

// inline takes the line breaks out of what set wrote.
func inline(members []jen.Code) []jen.Code {
	var out []jen.Code
	for _, m := range members {
		s := *m.(*jen.Statement)
		rest := s[1:]
		out = append(out, &rest)
	}
	return out
}

func texts(list []string) jen.Code {
	return jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, t := range list {
			g.Lit(t)
		}
	})
}

// exported returns a name for a variable that no type, constant or other variable of the package has.
func (e *emitter) exported(name string) string {
	for _, t := range e.pkg.Types {
		e.taken[t.Name] = true
		for _, v := range t.Values {
			e.taken[v.Name] = true
		}
	}
	return e.free(name)
}

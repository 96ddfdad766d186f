package golang

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/shape"
)

// methodsFile declares one variable a method, and the list of all of them.
func (e *emitter) methodsFile() *jen.File {
	if len(e.pkg.Methods) == 0 {
		return nil
	}
	f := e.file()
	names := make([]string, len(e.pkg.Methods))
	for i, m := range e.pkg.Methods {
		names[i] = e.exported("Method" + m.GoName)
		f.Add(comment(methodDoc(names[i], m)))
		members := set("Name", m.Name, "Direction", m.From+"->"+m.To, "Message", m.Message)
		members = append(members, line("Params", e.typeEntry(m.Params)))
		if m.Result != nil {
			members = append(members, line("Result", e.typeEntry(m.Result)))
		}
		members = append(members, set("Description", m.Description, "Notes", m.Notes)...)
		f.Var().Id(names[i]).Op("=").Add(lib("Method")).Values(append(members, jen.Line())...)
		f.Line()
	}
	f.Comment("Methods holds every method, sorted by name.")
	f.Var().Id("Methods").Op("=").Index().Op("*").Add(lib("Method")).ValuesFunc(func(g *jen.Group) {
		for _, name := range names {
			g.Line().Op("&").Id(name)
		}
		g.Line()
	})
	return f
}

func methodDoc(name string, m *shape.Method) string {
	var b strings.Builder
	kind := "request"
	if m.Message {
		kind = "message"
	}
	fmt.Fprintf(&b, "%s is the %s %q from the %s to the %s", name, kind, m.Name, m.From, m.To)
	if text := strings.TrimRight(strings.TrimSpace(m.Description), "."); text != "" {
		b.WriteString(": " + lowerFirst(text))
	}
	b.WriteString(".")
	if m.Notes != "" {
		b.WriteString(" " + strings.TrimRight(upperFirst(strings.TrimSpace(m.Notes)), ".") + ".")
	}
	fmt.Fprintf(&b, "\n\nIt carries %s", m.Params.Name)
	if m.Result != nil {
		fmt.Fprintf(&b, " and is answered with %s", m.Result.Name)
	}
	b.WriteString(".")
	return b.String()
}

// topicsFile declares one variable a topic, and the list of all of them.
func (e *emitter) topicsFile() *jen.File {
	if len(e.pkg.Topics) == 0 {
		return nil
	}
	f := e.file()
	names := make([]string, len(e.pkg.Topics))
	for i, t := range e.pkg.Topics {
		names[i] = e.exported("Topic" + t.GoName)
		f.Add(comment(e.topicDoc(names[i], t)))
		members := set("Name", t.Topic, "Version", int(t.Version), "Direction", t.Direction, "Owner", t.Owner, "Scope", t.Scope)
		members = append(members, line("Payload", e.typeEntry(t.Payload)), line("Document", e.fileConst(t.File)), jen.Line())
		f.Var().Id(names[i]).Op("=").Add(lib("Topic")).Values(members...)
		f.Line()
	}
	f.Comment("Topics holds every topic, sorted by name and version.")
	f.Var().Id("Topics").Op("=").Index().Op("*").Add(lib("Topic")).ValuesFunc(func(g *jen.Group) {
		for _, name := range names {
			g.Line().Op("&").Id(name)
		}
		g.Line()
	})
	return f
}

func (e *emitter) topicDoc(name string, t *shape.Topic) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is version %d of the topic %q, whose events carry %s.", name, t.Version, t.Topic, t.Payload.Name)
	if t.Direction != "" {
		fmt.Fprintf(&b, " Direction: %s.", t.Direction)
	}
	if t.Owner != "" {
		fmt.Fprintf(&b, " Owner: %s.", t.Owner)
	}
	if t.Scope != "" {
		fmt.Fprintf(&b, " Subscriptions may be limited to a %s.", t.Scope)
	}
	fmt.Fprintf(&b, "\n\nSource: %s.", e.fileName(t.File))
	return b.String()
}

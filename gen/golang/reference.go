package golang

import (
	"fmt"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/shape"
)

// protocolDoc is the part of the package documentation that says who takes part and what they send each other.
func (e *emitter) protocolDoc() string {
	var b strings.Builder
	section := func(title string, n int) {
		if n > 0 {
			fmt.Fprintf(&b, "\n# %s\n\n", title)
		}
	}
	section("Roles", len(e.pkg.Roles))
	for _, r := range e.pkg.Roles {
		fmt.Fprintf(&b, "  - %s: %s\n", r.Name, strings.TrimRight(r.Does, "."))
	}
	section("Messages", len(e.pkg.Messages))
	for _, m := range e.pkg.Messages {
		fmt.Fprintf(&b, "  - [%s], from the %s to the %s\n", m.Type, m.From, m.To)
	}
	section("Methods", len(e.pkg.Methods))
	for _, m := range e.pkg.Methods {
		fmt.Fprintf(&b, "  - %s, from the %s to the %s: [%s]", m.Name, m.From, m.To, m.Params.Name)
		if m.Result != nil {
			fmt.Fprintf(&b, ", answered with [%s]", m.Result.Name)
		}
		fmt.Fprintf(&b, " ([Method%s])\n", m.GoName)
	}
	section("Operations", len(e.pkg.Operations))
	for _, o := range e.pkg.Operations {
		fmt.Fprintf(&b, "  - %s %s", o.Method, o.Path)
		if text := linked(o.Body); text != "" {
			fmt.Fprintf(&b, ": %s", text)
		}
		for _, r := range o.Responses {
			if text := linked(r.Content); text != "" && r.Status[0] == '2' {
				fmt.Fprintf(&b, ", answered with %s", text)
			}
		}
		fmt.Fprintf(&b, " ([Operation%s])\n", o.Name)
	}
	section("Topics", len(e.pkg.Topics))
	for _, t := range e.pkg.Topics {
		fmt.Fprintf(&b, "  - %s, version %d: [%s] ([Topic%s])\n", t.Topic, t.Version, t.Payload.Name, t.GoName)
	}
	return b.String()
}

// linked names the types of a body as links.
func linked(content []*shape.Media) string {
	var parts []string
	for _, m := range content {
		switch {
		case m.Event != nil && m.Event.Type != nil:
			parts = append(parts, "a stream of ["+m.Event.Type.Name+"]")
		case m.Schema != nil && m.Schema.Type != nil:
			parts = append(parts, "["+m.Schema.Type.Name+"]")
		}
	}
	return strings.Join(parts, " or ")
}

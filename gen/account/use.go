package account

import (
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// uses is how the schemas of a package are enforced. It goes by place: a schema that dynamic scope multiplies, or that
// has what stands beside a choice laid over it, is still the one in the document.
type uses struct {
	pkg   *shape.Package
	modes map[place]Mode
	byKey map[string]Mode // of schemas that the generator looks at for themselves, by meaning
	queue []*schema.Node  // schemas whose parts have to be looked at
}

type place struct {
	file    *document.File
	pointer string
}

func placeOf(n *schema.Node) place { return place{n.File, n.Pointer} }

func (u *uses) mode(n *schema.Node) Mode { return u.modes[placeOf(n)] }

// usesOf looks at every type of the package, as the generator will write it, and at what operations hold besides types.
// What is in those schemas is enforced with them.
func usesOf(g *schema.Graph, p *shape.Package) *uses {
	u := &uses{pkg: p, modes: map[place]Mode{}, byKey: map[string]Mode{}}
	nodes := map[place]*schema.Node{}
	for _, n := range g.Nodes() {
		nodes[placeOf(n)] = n
	}
	for _, t := range p.Types {
		if t.Tag != "" {
			continue // the enum of a union's tag is no schema of its own
		}
		u.named(t)
		if branch := nodes[place{t.Node.File, p.Branch(t)}]; p.Branch(t) != "" && branch != nil {
			u.apply(branch, modeOfType(t)) // a branch with what stands beside the choice laid over it
		}
	}
	for _, o := range p.Operations {
		u.parameters(o.Parameters)
		u.media(o.Body)
		for _, r := range o.Responses {
			u.parameters(r.Headers)
			u.media(r.Content)
		}
	}
	for _, n := range g.Nodes() {
		if t := p.TypeOf(n); t != nil && u.mode(n) == Unused {
			u.apply(n, modeOfType(t)) // one type with an equal schema elsewhere
		}
	}
	u.spread()
	return u
}

func modeOfType(t *shape.Type) Mode {
	switch {
	case t.Kind == shape.Raw:
		return Raw
	case t.Complex:
		return CheckedFirst
	}
	return OnePass
}

// named looks at one type: its own rules, and how its members are held.
func (u *uses) named(t *shape.Type) {
	u.apply(t.Node, modeOfType(t))
	for _, f := range t.Fields {
		u.use(f.Use)
		u.also(f.Also)
	}
	for _, c := range t.Consts {
		u.apply(c.Node, OnePass)
		u.also(c.Also)
	}
	u.use(t.Elem)
}

// also looks at further schemas that hold for a member.
func (u *uses) also(nodes []*schema.Node) {
	for _, n := range nodes {
		u.apply(n, OnePass)
	}
}

// use looks at a place where a value is held.
func (u *uses) use(use *shape.Use) {
	if use == nil {
		return
	}
	if use.Node != nil {
		switch {
		case use.Kind == shape.UseNamed && u.pkg.TypeOf(use.Node) == use.Type:
			// The type is looked at for itself.
		case use.Kind == shape.UseRaw:
			u.apply(use.Node, Raw)
		case use.Complex:
			u.apply(use.Node, CheckedFirst)
		default:
			u.apply(use.Node, OnePass)
		}
	}
	u.use(use.Elem)
}

func (u *uses) parameters(parameters []*shape.Parameter) {
	for _, p := range parameters {
		u.value(p.Value)
	}
}

func (u *uses) media(media []*shape.Media) {
	for _, m := range media {
		u.value(m.Schema)
		u.value(m.Event)
	}
}

func (u *uses) value(v *shape.SchemaUse) {
	if v != nil && v.Type == nil && v.Node != nil {
		u.apply(v.Node, OnePass)
	}
}

// apply records how a schema is enforced that the generator looks at for itself.
func (u *uses) apply(n *schema.Node, mode Mode) {
	key := n.Key()
	u.byKey[key] = max(u.byKey[key], mode)
	u.record(n, mode)
}

func (u *uses) record(n *schema.Node, mode Mode) {
	at := placeOf(n)
	if u.modes[at] < mode {
		u.modes[at] = mode
		u.queue = append(u.queue, n)
	}
}

// spread accounts for the schemas in those that have been: each as one that means the same, since the generator makes
// one type of equals and looks into one of them only; otherwise as the one around it.
func (u *uses) spread() {
	for len(u.queue) > 0 {
		n := u.queue[0]
		u.queue = u.queue[1:]
		for edge := range n.Edges() {
			if edge.Place == schema.Definition || u.mode(edge.Node) != Unused {
				continue
			}
			u.record(edge.Node, u.inner(n, edge))
		}
	}
}

func (u *uses) inner(around *schema.Node, edge schema.Edge) Mode {
	outer := u.mode(around)
	if outer == Raw {
		return Raw
	}
	if mode, ok := u.byKey[edge.Node.Key()]; ok {
		return mode
	}
	switch edge.Keyword {
	case "additionalProperties", "patternProperties", "unevaluatedProperties":
		// Members that a struct does not name are kept as they came.
		if t := u.pkg.TypeOf(around); t != nil && t.Kind == shape.Struct && outer == OnePass {
			return Raw
		}
	}
	return outer
}

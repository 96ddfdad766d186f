package validator

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// look is one further look at the value at start, which has been consumed once; true means go on.
type look func(r *wire.Reader, start wire.Mark) bool

// pass is one further look at a value that a schema demands.
type pass struct {
	alone check // it consumes the value, and can be all that the check does; nil: it cannot
	other look  // where alone is nil
}

func (p pass) look() look {
	if p.alone == nil {
		return p.other
	}
	check := p.alone
	return func(r *wire.Reader, start wire.Mark) bool {
		r.Reset(start)
		return check(r)
	}
}

// passes lists the rules of n that apply other schemas, or a comparison, to the whole value.
func (c *compiler) passes(n *schema.Node) []pass {
	var out []pass
	if n.Const != nil {
		out = append(out, pass{alone: constant(n)})
	}
	if n.Enum != nil {
		out = append(out, pass{alone: enumeration(n)})
	}
	for _, ref := range []*schema.Node{n.Ref, n.DynamicRef} {
		if ref != nil {
			out = append(out, pass{alone: c.check(ref)})
		}
	}
	for _, part := range n.AllOf {
		if demands(part) {
			out = append(out, pass{alone: c.check(part)})
		}
	}
	if len(n.OneOf) > 0 {
		out = append(out, pass{alone: c.choice(n, "oneOf", n.OneOf)})
	}
	if len(n.AnyOf) > 0 {
		out = append(out, pass{alone: c.choice(n, "anyOf", n.AnyOf)})
	}
	if n.Not != nil {
		at, not := place(n), c.trial(n, n.Not)
		out = append(out, pass{other: func(r *wire.Reader, start wire.Mark) bool {
			return !not(r, start) || r.Broken(start.Pos(), at, "not", "a value that the schema under not refuses")
		}})
	}
	if n.If != nil && (demands(n.Then) || demands(n.Else)) {
		out = append(out, pass{other: c.conditional(n)})
	}
	for _, d := range n.DependentSchemas {
		name, check := d.Name, c.check(d.Node)
		out = append(out, pass{other: func(r *wire.Reader, start wire.Mark) bool { return !r.Has(start, name) || check(r) }})
	}
	if demands(n.UnevaluatedProperties) {
		out = append(out, pass{other: c.unevaluated(n, n.UnevaluatedProperties, (*wire.Reader).CheckUnevaluatedMembers)})
	}
	if demands(n.UnevaluatedItems) {
		out = append(out, pass{other: c.unevaluated(n, n.UnevaluatedItems, (*wire.Reader).CheckUnevaluatedItems)})
	}
	return out
}

// demands tells a schema that can refuse something.
func demands(n *schema.Node) bool { return n != nil && len(shape.Rules(n.Target())) > 0 }

func (c *compiler) conditional(n *schema.Node) look {
	branch := func(n *schema.Node) check {
		if !demands(n) {
			return nil
		}
		return c.check(n)
	}
	cond, then, otherwise := c.trial(n, n.If), branch(n.Then), branch(n.Else)
	return func(r *wire.Reader, start wire.Mark) bool {
		next := otherwise
		if cond(r, start) {
			next = then
		}
		return next == nil || next(r)
	}
}

// fold returns the branches of an anyOf or oneOf with what stands beside it laid over each branch, where all of these
// are objects that one pass decides: base and (a or b) means (base and a) or (base and b). That is how generated code
// checks a union; violations then name the same places.
func (c *compiler) fold(n *schema.Node) (branches []*schema.Node, keyword string, ok bool) {
	keyword, choice := shape.Choice(n)
	if len(choice) < 2 || len(n.OneOf) > 0 && len(n.AnyOf) > 0 {
		return nil, "", false
	}
	if have, done := c.folded[n]; done {
		return have, keyword, have != nil
	}
	c.folded[n] = nil
	base := *n
	base.OneOf, base.AnyOf = nil, nil
	if len(shape.Rules(&base)) == 0 {
		c.folded[n] = choice // nothing stands beside it
		return choice, keyword, true
	}
	if _, fused := shape.Fuse(&base); !fused || n.UnevaluatedProperties != nil {
		return nil, "", false // what is evaluated depends on all branches that hold, not on one
	}
	for _, branch := range choice {
		both := base
		both.AllOf = append(base.AllOf[:len(base.AllOf):len(base.AllOf)], branch)
		if _, fused := shape.Fuse(&both); !fused && len(branch.Target().OneOf)+len(branch.Target().AnyOf) > 0 {
			return nil, "", false
		}
		branches = append(branches, &both)
	}
	c.folded[n] = branches
	return branches, keyword, true
}

// choice is the check of an anyOf or oneOf: the value is led to the branches that it can belong to.
func (c *compiler) choice(n *schema.Node, keyword string, branches []*schema.Node) check {
	d := &decider{c: c, n: n, at: place(n), keyword: keyword, branches: branches}
	return d.decide(shape.Decide(branches))
}

type decider struct {
	c        *compiler
	n        *schema.Node // the schema with the branches
	at       *wire.Place
	keyword  string
	branches []*schema.Node
}

func (d *decider) refuse(want string) check {
	at, keyword := d.at, d.keyword
	return func(r *wire.Reader) bool { return r.Refused(at, keyword, want) }
}

func (d *decider) decide(s *shape.Decision) check {
	switch {
	case s == nil || s.Leaf && len(s.Branches) == 0:
		return d.refuse("a value that one of the branches accepts")
	case s.Leaf && len(s.Branches) == 1:
		return d.c.check(d.branches[s.Branches[0]])
	case s.Leaf:
		return d.try(s.Branches)
	case s.ByKind != nil:
		return d.byKind(s)
	}
	return d.byMember(s)
}

// byKind looks at the kind of the value.
func (d *decider) byKind(s *shape.Decision) check {
	var wants []string
	for _, k := range kinds {
		if _, ok := s.ByKind[k.key]; ok {
			wants = append(wants, k.want)
		}
	}
	refused := d.refuse(strings.Join(wants, " or "))
	if len(wants) == 0 {
		return d.refuse("nothing: no branch accepts anything")
	}
	var table [wire.KindObject + 1]check
	table[wire.KindInvalid] = refused
	for _, k := range kinds {
		table[k.kind] = refused
		if next, ok := s.ByKind[k.key]; ok {
			table[k.kind] = d.decide(next)
		}
	}
	return func(r *wire.Reader) bool { return table[r.Kind()](r) }
}

// byMember looks at a member with fixed values.
func (d *decider) byMember(s *shape.Decision) check {
	ways := map[string]check{}
	var texts []string
	boolean := false
	for _, way := range s.Cases {
		next := d.decide(way.Next)
		for _, v := range way.Values {
			text := v.Text
			if v.Kind == document.Bool {
				boolean, text = true, fmt.Sprint(v.Bool)
			}
			ways[text] = next
			texts = append(texts, text)
		}
	}
	var other check
	if s.Other != nil {
		other = d.decide(s.Other)
	} else {
		sort.Strings(texts)
		for i, text := range texts {
			if !boolean {
				texts[i] = fmt.Sprintf("%q", text)
			}
		}
		other = d.refuse(fmt.Sprintf("an object whose %q is %s", s.Member, strings.Join(texts, " or ")))
	}
	read, member := (*wire.Reader).Tag, s.Member
	if boolean {
		read = (*wire.Reader).TagBool
	}
	return func(r *wire.Reader) bool {
		if next, ok := ways[string(read(r, member))]; ok {
			return next(r)
		}
		return other(r)
	}
}

// try is what happens where several branches are left.
func (d *decider) try(left []int) check {
	trials, branches := make([]trial, len(left)), make([]wire.Branch, len(left))
	for k, i := range left {
		trials[k], branches[k] = d.c.trial(d.n, d.branches[i]), wire.BranchAt(i, d.c.check(d.branches[i]))
	}
	at, keyword, schemas := d.at, d.keyword, len(d.branches)
	if keyword == "anyOf" {
		return func(r *wire.Reader) bool {
			value := r.Mark()
			for _, holds := range trials {
				if holds(r, value) {
					return r.Skip()
				}
			}
			return r.NotChosen(at, keyword, schemas, branches...)
		}
	}
	return func(r *wire.Reader) bool {
		value, held := r.Mark(), 0
		for _, holds := range trials {
			if holds(r, value) {
				held++
			}
		}
		if held != 1 {
			return r.NotChosen(at, keyword, schemas, branches...)
		}
		return r.Skip()
	}
}

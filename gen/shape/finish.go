package shape

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// finish settles what needs all names: constants of enums, field names, variants in order, tags and their types.
func (b *builder) finish(p *Package) {
	for _, t := range p.Types {
		sort.Slice(t.Variants, func(i, j int) bool { return t.Variants[i].Type.Name < t.Variants[j].Type.Name })
		sort.Slice(t.Unions, func(i, j int) bool { return t.Unions[i].Name < t.Unions[j].Name })
		nameValues(t)
	}
	taken := maps.Clone(packageNames)
	for _, t := range p.Types {
		taken[t.Name] = true
		for _, name := range functionsOf(t.Name) {
			taken[name] = true
		}
	}
	b.tagUnions(p, taken)
	sort.Slice(p.Types, func(i, j int) bool { return p.Types[i].Name < p.Types[j].Name })
	separateValues(p, taken)
	for _, t := range p.Types {
		settleMembers(t)
	}
	for _, t := range p.Types {
		for _, f := range t.Fields {
			f.Use.Indirect = f.heldByValue() && holds(f.Use.Type, t, map[*Type]bool{})
		}
	}
}

// heldByValue tells a member whose struct is part of the memory of the struct around it.
func (f *Field) heldByValue() bool {
	return f.Use.Kind == UseNamed && f.Use.Type.Kind == Struct && (f.Required && !f.Use.Nullable || !f.Required && f.Use.Nullable)
}

// holds reports whether a value of type t contains one of type inner in its own memory.
func holds(t, inner *Type, visited map[*Type]bool) bool {
	if t == inner {
		return true
	}
	if visited[t] {
		return false
	}
	visited[t] = true
	for _, f := range t.Fields {
		if f.heldByValue() && holds(f.Use.Type, inner, visited) {
			return true
		}
	}
	return false
}

// Leaves returns the structs a union ends in, through the unions among its variants, sorted by name.
func (t *Type) Leaves() []*Type {
	seen := map[*Type]bool{}
	var out []*Type
	var walk func(*Type)
	walk = func(u *Type) {
		for _, v := range u.Variants {
			if seen[v.Type] {
				continue
			}
			seen[v.Type] = true
			if v.Type.Kind == Union {
				walk(v.Type)
			} else {
				out = append(out, v.Type)
			}
		}
	}
	walk(t)
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// tagUnions finds the constant members that all variants of a union have, and gives their values a type: an enum that is
// there already, when it has exactly these values, or one of its own. Unions that share a variant share the type, since
// the variant's method can only have one.
func (b *builder) tagUnions(p *Package, taken map[string]bool) {
	var unions []*Type
	for _, t := range p.Types {
		if t.Kind == Union {
			unions = append(unions, t)
			t.Tags = commonTags(t)
			t.Mixed = mixedTags(t)
		}
	}
	// The widest union of those that share a type names it.
	sort.SliceStable(unions, func(i, j int) bool { return len(unions[i].Leaves()) > len(unions[j].Leaves()) })
	for _, u := range unions {
		for _, tag := range u.Tags {
			if tag.Bool || tag.Type != nil {
				continue
			}
			sharing := sharing(unions, u, tag.JSON)
			var consts []*Const
			for _, other := range sharing {
				for _, leaf := range other.Leaves() {
					consts = append(consts, leaf.constant(tag.JSON))
				}
			}
			enum := b.enumFor(p, u, tag, consts, taken)
			for _, c := range consts {
				c.Type = enum
			}
			for _, other := range sharing {
				for _, t := range other.Tags {
					if t.JSON == tag.JSON {
						t.Type = enum
					}
				}
			}
		}
	}
}

// commonTags are the constant strings and booleans that every variant has.
func commonTags(u *Type) []*Tag {
	var tags []*Tag
	leaves := u.Leaves()
	for _, c := range leaves[0].Consts {
		common := c.Value.Kind == document.String || c.Value.Kind == document.Bool
		for _, leaf := range leaves {
			other := leaf.constant(c.JSON)
			common = common && other != nil && other.Value.Kind == c.Value.Kind
		}
		if common {
			tags = append(tags, &Tag{Name: c.Name, JSON: c.JSON, Bool: c.Value.Kind == document.Bool})
		}
	}
	return tags
}

// mixedTags are the members by which a union is told apart that are constant strings in some variants and text in the
// others (a variant for everything else, or one for several values). A method of the name of such a member would get in
// the way of the field, so it is led by the union's name.
func mixedTags(u *Type) []*Tag {
	var tags []*Tag
	leaves := u.Leaves()
	for _, member := range u.Decision.members() {
		name, fields := "", 0
		for _, leaf := range leaves {
			c, f := leaf.constant(member), leaf.field(member)
			switch {
			case c != nil && c.Value.Kind == document.String:
				name = c.Name
			case f != nil && f.isText():
				fields++
			default:
				fields = len(leaves) // not everywhere
			}
		}
		if name != "" && fields > 0 && fields < len(leaves) {
			tags = append(tags, &Tag{Name: u.Name + name, JSON: member})
		}
	}
	return tags
}

// members lists the members that a decision looks at, each once, in the order it does.
func (d *Decision) members() []string {
	var names []string
	var walk func(d *Decision)
	walk = func(d *Decision) {
		if d == nil || d.Leaf {
			return
		}
		for _, kind := range valueKinds {
			walk(d.ByKind[kind])
		}
		if d.Member != "" && !slices.Contains(names, d.Member) {
			names = append(names, d.Member)
		}
		for _, c := range d.Cases {
			walk(c.Next)
		}
		walk(d.Other)
	}
	walk(d)
	return names
}

// isText tells a member that is always there and a string, or one of an enum.
func (f *Field) isText() bool {
	return f.Required && !f.Use.Nullable && (f.Use.Kind == UseText || f.Use.Kind == UseNamed && f.Use.Type.Kind == Enum && !f.Use.Type.Numbers)
}

func (t *Type) field(member string) *Field {
	for _, f := range t.Fields {
		if f.JSON == member {
			return f
		}
	}
	return nil
}

// sharing lists the unions with the tag that share a variant with u, or with one that does, and u itself.
func sharing(unions []*Type, u *Type, member string) []*Type {
	group := []*Type{u}
	for i := 0; i < len(group); i++ {
		for _, other := range unions {
			if !other.hasTag(member) || slices.Contains(group, other) {
				continue
			}
			for _, leaf := range other.Leaves() {
				if slices.Contains(group[i].Leaves(), leaf) {
					group = append(group, other)
					break
				}
			}
		}
	}
	return group
}

func (t *Type) hasTag(member string) bool {
	for _, tag := range t.Tags {
		if tag.JSON == member && !tag.Bool {
			return true
		}
	}
	return false
}

func (t *Type) constant(member string) *Const {
	for _, c := range t.Consts {
		if c.JSON == member {
			return c
		}
	}
	return nil
}

func distinct(consts []*Const) []string {
	seen := map[string]bool{}
	var texts []string
	for _, c := range consts {
		if !seen[c.Value.Text] {
			seen[c.Value.Text] = true
			texts = append(texts, c.Value.Text)
		}
	}
	sort.Strings(texts)
	return texts
}

func (b *builder) enumFor(p *Package, u *Type, tag *Tag, consts []*Const, taken map[string]bool) *Type {
	texts := distinct(consts)
	for _, t := range p.Types {
		if t.Kind == Enum && !t.Complex && !t.Numbers && sameTexts(t.Values, texts) {
			return t
		}
	}
	name := u.Name + tag.Name
	if pin := b.tagPin(consts); pin != "" {
		name = pin
	}
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s%s%d", u.Name, tag.Name, n)
	}
	taken[name] = true
	e := &Type{Name: name, Kind: Enum, Node: u.Node, Uses: u.Uses}
	for _, text := range texts {
		e.Values = append(e.Values, Value{Text: text})
	}
	nameValues(e)
	e.Tag = tag.JSON
	p.Types = append(p.Types, e)
	return e
}

func sameTexts(values []Value, sorted []string) bool {
	if len(values) != len(sorted) {
		return false
	}
	for _, v := range values {
		if i := sort.SearchStrings(sorted, v.Text); i == len(sorted) || sorted[i] != v.Text {
			return false
		}
	}
	return true
}

// nameValues names the constants of an enum: the type's name and the value's. Values whose names collide are told
// apart by their code points.
func nameValues(t *Type) {
	count := map[string]int{}
	for i, v := range t.Values {
		switch {
		case v.called != "":
			t.Values[i].Name = t.Name + GoName(v.called)
		case t.Numbers:
			t.Values[i].Name = t.Name + strings.Replace(v.Text, "-", "Minus", 1)
		default:
			t.Values[i].Name = t.Name + GoName(v.Text)
		}
		count[t.Values[i].Name]++
	}
	for i, v := range t.Values {
		if count[v.Name] > 1 {
			var hex strings.Builder
			for _, r := range v.Text {
				fmt.Fprintf(&hex, "%X", r)
			}
			t.Values[i].Name = v.Name + "X" + hex.String()
		}
	}
}

// separateValues keeps the constants of all enums apart from the types and from each other.
func separateValues(p *Package, taken map[string]bool) {
	for _, t := range p.Types {
		for i := range t.Values {
			base := t.Values[i].Name
			if taken[base] {
				base += "Value"
			}
			name := base
			for n := 2; taken[name]; n++ {
				name = fmt.Sprintf("%s%d", base, n)
			}
			t.Values[i].Name = name
			taken[name] = true
		}
	}
}

// reserved are the names a generated type uses itself.
var reserved = map[string]bool{"Extra": true, "AppendJSON": true, "MarshalJSON": true, "UnmarshalJSON": true, "Validate": true}

// MixedTags lists the mixed tags of all unions that a struct belongs to.
func (t *Type) MixedTags() []*Tag {
	seen := map[*Type]bool{}
	var tags []*Tag
	var walk func(t *Type)
	walk = func(t *Type) {
		for _, u := range t.Unions {
			if !seen[u] {
				seen[u] = true
				tags = append(tags, u.Mixed...)
				walk(u)
			}
		}
	}
	walk(t)
	return tags
}

// settleMembers keeps the Go names of a struct's members apart from each other and from its methods.
func settleMembers(t *Type) {
	taken := map[string]bool{}
	for name := range reserved {
		taken[name] = true
	}
	for _, c := range t.Consts {
		taken[c.Name] = true
	}
	for _, tag := range t.MixedTags() {
		taken[tag.Name] = true
	}
	for _, f := range t.Fields {
		base := f.Name
		if reserved[base] {
			f.Name = base + "Member"
		}
		for n := 2; taken[f.Name]; n++ {
			f.Name = fmt.Sprintf("%s%d", base, n)
		}
		taken[f.Name] = true
	}
}

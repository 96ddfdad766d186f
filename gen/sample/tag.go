package sample

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/schema"
)

// tag is a member by whose value alone the branches of a union are told apart.
type tag struct {
	name   string
	values [][]*value // by branch; no value is in two
}

// branch gives the branch a value of the member names, or -1.
func (t tag) branch(v *value) int {
	return slices.IndexFunc(t.values, func(values []*value) bool { return slices.ContainsFunc(values, v.Equal) })
}

// unionTags gives the tags of a union in order of name.
func (s *Sampler) unionTags(branches []*schema.Node) []tag {
	if len(branches) < 2 {
		return nil
	}
	key := branches[0] // no schema is in two lists of branches
	if tags, ok := s.tags[key]; ok {
		return tags
	}
	var tags []tag
	fixed := make([]map[string][]*value, len(branches))
	for i, c := range branches {
		fixed[i] = map[string][]*value{}
		fixedMembers(c, fixed[i], 0)
	}
	for name := range fixed[0] {
		t := tag{name: name}
		for i := range branches {
			values, ok := fixed[i][name]
			if !ok || slices.ContainsFunc(values, func(v *value) bool { return t.branch(v) >= 0 }) {
				t.values = nil
				break
			}
			t.values = append(t.values, values)
		}
		if t.values != nil {
			tags = append(tags, t)
		}
	}
	slices.SortFunc(tags, func(x, y tag) int {
		if x.name < y.name {
			return -1
		}
		return 1
	})
	s.tags[key] = tags
	return tags
}

// fixedMembers finds the required members that have one of a few values in every
// instance of n.
func fixedMembers(n *schema.Node, into map[string][]*value, depth int) {
	if depth > 8 {
		return
	}
	for _, c := range append([]*schema.Node{n.Ref, n.DynamicRef}, n.AllOf...) {
		if c != nil {
			fixedMembers(c, into, depth+1)
		}
	}
	for _, branches := range [][]*schema.Node{n.AnyOf, n.OneOf} {
		common := map[string][]*value{}
		for i, c := range branches {
			inner := map[string][]*value{}
			fixedMembers(c, inner, depth+1)
			if i == 0 {
				common = inner
				continue
			}
			for name := range common {
				if inner[name] == nil {
					delete(common, name)
				} else {
					common[name] = append(slices.Clone(common[name]), inner[name]...)
				}
			}
		}
		for name, values := range common {
			into[name] = values
		}
	}
	for _, p := range n.Properties {
		if !n.IsRequired(p.Name) {
			continue
		}
		switch c := p.Node.Target(); {
		case c.Const != nil:
			into[p.Name] = []*value{c.Const}
		case len(c.Enum) > 0:
			into[p.Name] = c.Enum
		}
	}
}

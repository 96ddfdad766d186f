package shape

import (
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// isEmptyObject: a $defs entry that is an object without named members is still a struct, so that members can be
// added to it later without changing the kind of the type.
func (b *builder) isEmptyObject(n *schema.Node) bool {
	_, isDef := b.defs[n]
	return isDef && kindsOf(n) == schema.TypeObject && len(viewOf(n).names) == 0 && len(n.PatternProperties) == 0 &&
		(n.AdditionalProperties == nil || n.AdditionalProperties.Always != nil) && len(n.OneOf)+len(n.AnyOf) == 0
}

func (b *builder) isStruct(n *schema.Node) bool {
	return kindsBesideNull(n) == schema.TypeObject && len(n.OneOf)+len(n.AnyOf) == 0 &&
		(len(viewOf(n).names) > 0 || refusesAll(n.AdditionalProperties) && len(n.PatternProperties) == 0)
}

func (b *builder) fillStruct(t *Type) {
	t.Open = !refusesAll(t.Node.AdditionalProperties) || len(t.Node.PatternProperties) > 0
	object, fused := Fuse(t.Node)
	t.Complex = !fused
	v := viewOf(t.Node)
	if fused {
		refusing, _ := object.Refusing("", false)
		t.Open = refusing == nil
	}
	for _, name := range v.names {
		members := v.members[name]
		rules := Needed(targets(members))
		if fused {
			if part, _ := object.Refusing(name, true); part != nil {
				continue // another part refuses the member: no value can have it
			}
			rules = object.Rules(name)
		}
		node := members[0]
		if len(rules) > 0 {
			node = original(members, b.best(rules))
		}
		if value := constantOf(node); value != nil && v.required[name] {
			t.Consts = append(t.Consts, &Const{Name: GoName(name), JSON: name, Value: value, Node: node, Also: without(rules, node)})
			continue
		}
		use := b.use(node, candidate{rank: rankMember, parent: t, text: name}, false)
		t.Fields = append(t.Fields, &Field{Name: GoName(name), JSON: name, Use: use, Required: v.required[name], Node: described(members, node), Also: without(rules, node)})
	}
}

// constantOf returns the one value of a schema that allows a single string, boolean or integer; nil otherwise.
func constantOf(n *schema.Node) *document.Value {
	n = n.Target()
	value := soleValue(n)
	if value == nil || !onlyRules(n, "const", "enum", "type") || widen(kindOfValue(value))&kindsOf(n) == 0 {
		return nil
	}
	if n.Const != nil && n.Enum != nil && !hasValue(n.Enum, value) {
		return nil // no value is both
	}
	switch value.Kind {
	case document.String, document.Bool:
		return value
	case document.Number:
		if _, ok := value.Decimal().Int64(); ok {
			return value
		}
	}
	return nil
}

// soleValue returns the value of a const, or of an enum of one; nil where there is neither.
func soleValue(n *schema.Node) *document.Value {
	if n.Const == nil && len(n.Enum) == 1 {
		return n.Enum[0]
	}
	return n.Const
}

func targets(nodes []*schema.Node) []*schema.Node {
	out := make([]*schema.Node, len(nodes))
	for i, n := range nodes {
		out[i] = n.Target()
	}
	return out
}

// best chooses the schema that says most about how a value is held: one value, a named type, a list or map, a scalar.
func (b *builder) best(rules []*schema.Node) *schema.Node {
	worth := func(n *schema.Node) int {
		switch kinds := kindsBesideNull(n); {
		case constantOf(n) != nil:
			return 5
		case b.isUnion(n):
			return 4
		case b.isStruct(n) || isEnum(n):
			return 3
		case kinds == schema.TypeArray || kinds == schema.TypeObject:
			return 2
		case n.Types != 0:
			return 1
		}
		return 0
	}
	best := rules[0]
	for _, n := range rules[1:] {
		if worth(n) > worth(best) {
			best = n
		}
	}
	return best
}

// original finds the member whose target is n: the reference carries the description of the place.
func original(members []*schema.Node, n *schema.Node) *schema.Node {
	for _, m := range members {
		if m.Target() == n {
			return m
		}
	}
	return n
}

// described prefers a member with a description of its own.
func described(members []*schema.Node, n *schema.Node) *schema.Node {
	if n.Description != "" {
		return n
	}
	for _, m := range members {
		if m.Description != "" && m.Target().Key() == n.Target().Key() {
			return m
		}
	}
	return n
}

func without(rules []*schema.Node, n *schema.Node) []*schema.Node {
	var rest []*schema.Node
	for _, r := range rules {
		if r != n.Target() {
			rest = append(rest, r)
		}
	}
	return rest
}

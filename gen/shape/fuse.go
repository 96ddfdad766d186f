package shape

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Object is an object schema together with the schemas that hold for the same value by allOf and $ref, where all of
// them can be decided in one pass over the members.
type Object struct {
	Parts  []*schema.Node // each with keywords for objects only
	Names  []string       // the members that some part names, in the order of the document
	Closed *schema.Node   // the schema whose unevaluatedProperties refuses all members that no part names, nil: none
}

// partKeywords are what one pass over the members of an object can decide.
var partKeywords = []string{"type", "properties", "required", "additionalProperties", "minProperties", "maxProperties", "propertyNames"}

// Fuse lays the parts of an object schema over each other. ok is false where some rule needs a look at the whole value,
// or where values other than objects are accepted.
func Fuse(n *schema.Node) (o *Object, ok bool) {
	o = &Object{}
	if !o.add(n, n, map[*schema.Node]bool{}) {
		return nil, false
	}
	typed := false
	for _, p := range o.Parts {
		typed = typed || p.Types == schema.TypeObject
		if p.Types != 0 && !p.Types.Has(schema.TypeObject) {
			return nil, false // no value can be both
		}
		if o.Closed != nil && p != n && p.AdditionalProperties != nil {
			return nil, false // it evaluates the members that would have to be refused
		}
	}
	if o.Closed != nil && n.AdditionalProperties != nil {
		o.Closed = nil // all members are evaluated by additionalProperties
	}
	return o, typed
}

func (o *Object) add(root, n *schema.Node, seen map[*schema.Node]bool) bool {
	if seen[n] {
		return false // a cycle
	}
	seen[n] = true
	keywords := partKeywords
	for _, extra := range []string{"allOf", "$ref"} {
		keywords = append(keywords[:len(keywords):len(keywords)], extra)
	}
	if n == root {
		keywords = append(keywords[:len(keywords):len(keywords)], "unevaluatedProperties")
		if u := n.UnevaluatedProperties; u != nil && !acceptsAll(u) {
			if !refusesAll(u) {
				return false
			}
			o.Closed = n
		}
	}
	if !onlyRules(n, keywords...) || !trivialNames(n.PropertyNames) || n.UnevaluatedProperties != nil && n != root {
		return false
	}
	o.Parts = append(o.Parts, n)
	for _, p := range n.Properties {
		o.name(p.Name)
	}
	if n.Ref != nil && !o.add(root, n.Ref.Target(), seen) {
		return false
	}
	for _, part := range n.AllOf {
		if part.Target().Always != nil && *part.Target().Always {
			continue
		}
		if !o.add(root, part.Target(), seen) {
			return false
		}
	}
	for _, name := range n.Required {
		o.name(name)
	}
	return true
}

func (o *Object) name(name string) {
	if !slices.Contains(o.Names, name) {
		o.Names = append(o.Names, name)
	}
}

// Typed returns the first part that asks for an object: it is where a value of another kind is refused.
func (o *Object) Typed() *schema.Node {
	for _, p := range o.Parts {
		if p.Types == schema.TypeObject {
			return p
		}
	}
	return o.Parts[0]
}

// Required lists the required members, each once, with the part that demands it first.
func (o *Object) Required() (names []string, by []*schema.Node) {
	seen := map[string]bool{}
	for _, p := range o.Parts {
		for _, name := range p.Required {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
				by = append(by, p)
			}
		}
	}
	return names, by
}

// Refusing returns the part that refuses the member, or all members without a name ("" and named false); nil: none.
func (o *Object) Refusing(name string, named bool) (part *schema.Node, keyword string) {
	for _, p := range o.Parts {
		if refusesAll(p.AdditionalProperties) && !(named && p.Property(name) != nil) {
			return p, "additionalProperties"
		}
	}
	if o.Closed != nil {
		for _, p := range o.Parts {
			if named && p.Property(name) != nil {
				return nil, ""
			}
		}
		return o.Closed, "unevaluatedProperties"
	}
	return nil, ""
}

// Rules returns the schemas that the value of a member must satisfy, without those that another one implies.
func (o *Object) Rules(name string) []*schema.Node {
	var nodes []*schema.Node
	for _, p := range o.Parts {
		switch member := p.Property(name); {
		case member != nil:
			nodes = append(nodes, member.Target())
		case p.AdditionalProperties != nil && p.AdditionalProperties.Always == nil:
			nodes = append(nodes, p.AdditionalProperties.Target())
		}
	}
	return Needed(nodes)
}

// Others returns the schemas that the values of members without a name must satisfy.
func (o *Object) Others() []*schema.Node {
	var nodes []*schema.Node
	for _, p := range o.Parts {
		if p.AdditionalProperties != nil && p.AdditionalProperties.Always == nil {
			nodes = append(nodes, p.AdditionalProperties.Target())
		}
	}
	return Needed(nodes)
}

// Needed drops from schemas that all hold for one value those that say nothing and those that another one implies.
func Needed(nodes []*schema.Node) []*schema.Node {
	var kept []*schema.Node
	for i, n := range nodes {
		needed := len(Rules(n)) > 0
		for j, other := range nodes {
			if i == j || !needed {
				continue
			}
			if n == other || n.Key() == other.Key() {
				needed = needed && i < j // of equals the last one stays: it is the more particular place
			} else if implies(other, n) {
				needed = false
			}
		}
		if needed {
			kept = append(kept, n)
		}
	}
	return kept
}

// implies reports, for the plain cases that occur in documents, whether every value that a accepts is accepted by b.
func implies(a, b *schema.Node) bool {
	values := a.Enum
	if a.Const != nil {
		values = []*document.Value{a.Const}
	}
	if onlyRules(b, "type") {
		// Integers are numbers, but a number need not be an integer: only kinds that say the same count.
		kinds := kindsOf(a)
		return kinds != 0 && kinds&^widen(b.Types) == 0 && (b.Types&schema.TypeNumber != 0 || kinds&numberKinds == 0 || a.Types == schema.TypeInteger)
	}
	if values == nil || !onlyRules(b, "enum", "type") || b.Enum == nil {
		return false
	}
	for _, v := range values {
		if v.Kind != document.String || !hasString(b.Enum, v.Text) {
			return false
		}
	}
	return b.Types == 0 || b.Types.Has(schema.TypeString)
}

func hasString(values []*document.Value, text string) bool {
	return slices.ContainsFunc(values, func(v *document.Value) bool { return v.Kind == document.String && v.Text == text })
}

// key is the canonical key of a schema; of a branch with what stands beside its choice, that of both.
func (b *builder) key(n *schema.Node) string {
	if branch, ok := b.places[n]; ok {
		return "both " + b.choices[n].Key() + " " + branch.Key()
	}
	return n.Key()
}

// onlyObjects tells whether all branches refuse everything but objects, so that a type beside them says nothing new.
func onlyObjects(branches []*schema.Node) bool {
	return !slices.ContainsFunc(branches, func(n *schema.Node) bool { return kindsOf(n) != schema.TypeObject })
}

// fold returns the branches of an anyOf or oneOf with what stands beside it laid over each branch: base and (a or b)
// means (base and a) or (base and b). ok is false if n is no such choice, or if what stands beside it is more than one
// pass can decide.
func (b *builder) fold(n *schema.Node) (branches []*schema.Node, ok bool) {
	if f, done := b.folded[n]; done {
		return f, f != nil
	}
	b.folded[n] = nil
	_, choice := Choice(n)
	if len(choice) < 2 || len(n.OneOf) > 0 && len(n.AnyOf) > 0 {
		return nil, false
	}
	base := *n
	base.OneOf, base.AnyOf = nil, nil
	if onlyRules(&base, "type") && (base.Types == 0 || base.Types == schema.TypeObject && onlyObjects(choice)) {
		b.folded[n] = choice
		return choice, true
	}
	if _, ok := Fuse(&base); !ok || n.UnevaluatedProperties != nil {
		return nil, false // what is evaluated depends on all branches that hold, not on one
	}
	for _, branch := range choice {
		both := base
		both.AllOf = append(base.AllOf[:len(base.AllOf):len(base.AllOf)], branch)
		branches = append(branches, &both)
		b.places[&both], b.choices[&both] = branch.Target(), n
	}
	b.folded[n] = branches
	return branches, true
}

package schema

// slot is a field of Node that holds other nodes: one of one, list and named is
// set. It lets reading, walking and copying share one table of keywords.
type slot struct {
	keyword  string
	place    Place
	one      **Node
	list     *[]*Node
	named    *[]Property
	patterns *[]PatternProperty
}

// slots gives the slots of n in the order that Edges promises.
func (n *Node) slots() [21]slot {
	return [...]slot{
		{keyword: "$ref", one: &n.Ref},
		{keyword: "$dynamicRef", one: &n.DynamicRef},
		{keyword: "allOf", list: &n.AllOf},
		{keyword: "anyOf", list: &n.AnyOf},
		{keyword: "oneOf", list: &n.OneOf},
		{keyword: "not", one: &n.Not},
		{keyword: "if", one: &n.If},
		{keyword: "then", one: &n.Then},
		{keyword: "else", one: &n.Else},
		{keyword: "dependentSchemas", named: &n.DependentSchemas},
		{keyword: "properties", place: Child, named: &n.Properties},
		{keyword: "patternProperties", place: Child, patterns: &n.PatternProperties},
		{keyword: "additionalProperties", place: Child, one: &n.AdditionalProperties},
		{keyword: "propertyNames", place: Child, one: &n.PropertyNames},
		{keyword: "prefixItems", place: Child, list: &n.PrefixItems},
		{keyword: "items", place: Child, one: &n.Items},
		{keyword: "contains", place: Child, one: &n.Contains},
		{keyword: "unevaluatedItems", place: Child, one: &n.UnevaluatedItems},
		{keyword: "unevaluatedProperties", place: Child, one: &n.UnevaluatedProperties},
		{keyword: "contentSchema", place: Definition, one: &n.ContentSchema},
		{keyword: "$defs", place: Definition, named: &n.Defs},
	}
}

func (s slot) each(yield func(Edge) bool) bool {
	switch {
	case s.one != nil:
		return *s.one == nil || yield(Edge{Keyword: s.keyword, Place: s.place, Node: *s.one})
	case s.list != nil:
		for i, c := range *s.list {
			if !yield(Edge{Keyword: s.keyword, Place: s.place, Index: i, Node: c}) {
				return false
			}
		}
	case s.named != nil:
		for _, p := range *s.named {
			if !yield(Edge{Keyword: s.keyword, Place: s.place, Name: p.Name, Node: p.Node}) {
				return false
			}
		}
	case s.patterns != nil:
		for _, p := range *s.patterns {
			if !yield(Edge{Keyword: s.keyword, Place: s.place, Name: p.Pattern, Node: p.Node}) {
				return false
			}
		}
	}
	return true
}

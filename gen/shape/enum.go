package shape

import (
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// isEnum tells a closed list of two or more strings. (One string is a constant, not an enum.)
func isEnum(n *schema.Node) bool {
	return len(enumValues(n)) >= 2
}

// enumValues returns the strings of a closed list, with what the document tells of each: those of an enum, or the
// branches of a oneOf or anyOf that are constants (a way to describe each of them). It is nil for any other schema.
func enumValues(n *schema.Node) []Value {
	if kindsBesideNull(n) != schema.TypeString || len(n.AllOf) > 0 {
		return nil
	}
	_, branches := Choice(n)
	switch {
	case len(n.AnyOf) > 0 && len(n.OneOf) > 0:
		return nil
	case len(branches) == 0:
		return listedValues(n)
	case n.Enum != nil || n.Const != nil:
		return nil
	}
	return choiceValues(branches)
}

// listedValues returns the strings of an enum. Extensions that are widely used give them names and descriptions:
// x-enum-varnames or x-enumNames, and x-enum-descriptions, lists in the order of the values.
func listedValues(n *schema.Node) []Value {
	names, descriptions := annotations(n, "x-enum-varnames", "x-enumNames"), annotations(n, "x-enum-descriptions")
	var values []Value
	seen := map[string]bool{} // a list may have a value twice
	for i, v := range n.Enum {
		if v.Kind == document.String && !seen[v.Text] {
			seen[v.Text] = true
			values = append(values, Value{Text: v.Text, called: names[i], Doc: descriptions[i]})
		}
	}
	return values
}

// annotations returns what the first of the members that is a list of as many strings as n has values says of each.
func annotations(n *schema.Node, members ...string) []string {
	none := make([]string, len(n.Enum))
	written := n.File.Root.Lookup(n.Pointer)
	if written == nil {
		return none
	}
	for _, member := range members {
		list := written.Get(member)
		if list == nil || list.Kind != document.Array || len(list.Items) != len(n.Enum) {
			continue
		}
		texts := make([]string, len(n.Enum))
		for i, v := range list.Items {
			if v.Kind != document.String {
				return none
			}
			texts[i] = v.Text
		}
		return texts
	}
	return none
}

// choiceValues returns the strings that branches allow, each of them one string of its own; nil for other branches.
func choiceValues(branches []*schema.Node) []Value {
	var values []Value
	seen := map[string]bool{}
	for _, branch := range branches {
		branch = branch.Target()
		value := constantOf(branch)
		if value == nil || value.Kind != document.String || seen[value.Text] {
			return nil
		}
		seen[value.Text] = true
		v := Value{Text: value.Text, Doc: branch.Description, Deprecated: branch.Deprecated}
		if title := strings.TrimSpace(branch.Title); len(words(title)) <= mostTitleWords {
			v.called = title
		} else if v.Doc == "" {
			v.Doc = title
		}
		values = append(values, v)
	}
	return values
}

// EnumKeyword is the keyword by which an enum's schema lists its values.
func (t *Type) EnumKeyword() string {
	if t.Tag != "" {
		return "enum"
	}
	return listKeyword(t.Node)
}

func listKeyword(n *schema.Node) string {
	if keyword, branches := Choice(n); len(branches) > 0 {
		return keyword
	}
	return "enum"
}

// ClosedList returns the strings that are all n allows, where nothing but one keyword beside type says so: enum, or a
// oneOf or anyOf of constants. It returns nil for any other schema.
func ClosedList(n *schema.Node) (keyword string, texts []string) {
	keyword = listKeyword(n)
	if nullByItself(n) || !onlyRules(n, keyword, "type") {
		return "", nil
	}
	values := enumValues(n)
	if len(values) < 2 {
		return "", nil
	}
	for _, v := range values {
		texts = append(texts, v.Text)
	}
	return keyword, texts
}

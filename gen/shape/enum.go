package shape

import (
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// isEnum tells a closed list of two or more strings, or integers. (One value is a constant, not an enum.)
func isEnum(n *schema.Node) bool {
	return len(enumValues(n)) >= 2
}

// enumValues returns the values of a closed list of strings or of integers, with what the document tells of each: those
// of an enum, or the branches of a oneOf or anyOf that are constants (a way to describe each of them). It is nil for
// any other schema.
func enumValues(n *schema.Node) []Value {
	if kinds := kindsBesideNull(n); kinds == 0 || kinds != schema.TypeString && kinds&^numberKinds != 0 || len(n.AllOf) > 0 {
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
	values, _ := choiceValues(branches)
	return values
}

// listedValues returns the values of an enum, null apart. Extensions that are widely used give them names and
// descriptions: x-enum-varnames or x-enumNames, and x-enum-descriptions, lists in the order of the values.
func listedValues(n *schema.Node) []Value {
	names, descriptions := annotations(n, "x-enum-varnames", "x-enumNames"), annotations(n, "x-enum-descriptions")
	var values []Value
	seen := map[string]bool{} // a list may have a value twice
	kinds := kindsBesideNull(n)
	for i, v := range n.Enum {
		if widen(kindOfValue(v))&kinds == 0 {
			continue // the type refuses it, or it is null
		}
		text, ok := enumText(v)
		if !ok {
			return nil
		}
		if !seen[text] {
			seen[text] = true
			values = append(values, Value{Text: text, called: names[i], Doc: descriptions[i]})
		}
	}
	return values
}

// enumText is the text of a value that an enum's constant can have: a string, or an integer in decimal digits.
func enumText(v *document.Value) (text string, ok bool) {
	switch v.Kind {
	case document.String:
		return v.Text, true
	case document.Number:
		i, ok := v.Decimal().Int64()
		return strconv.FormatInt(i, 10), ok
	}
	return "", false
}

// wholeNumber tells a schema of a single number, an integer that an int64 can hold.
func wholeNumber(n *schema.Node) bool {
	value := soleValue(n)
	if value == nil || value.Kind != document.Number {
		return false
	}
	_, ok := enumText(value)
	return ok
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

// choiceValues returns the values that branches allow, each of them one value of its own, all strings or all integers;
// nil for other branches. Beside them one branch may allow null.
func choiceValues(branches []*schema.Node) (values []Value, null bool) {
	seen := map[string]bool{}
	var kind document.Kind
	for _, branch := range branches {
		branch = branch.Target()
		if onlyNull(branch) {
			if null {
				return nil, false
			}
			null = true
			continue
		}
		value := constantOf(branch)
		if value == nil || len(values) > 0 && value.Kind != kind {
			return nil, false
		}
		text, ok := enumText(value)
		if !ok || seen[text] {
			return nil, false
		}
		kind, seen[text] = value.Kind, true
		v := Value{Text: text, Doc: branch.Description, Deprecated: branch.Deprecated}
		if title := strings.TrimSpace(branch.Title); len(words(title)) <= mostTitleWords {
			v.called = title
		} else if v.Doc == "" {
			v.Doc = title
		}
		values = append(values, v)
	}
	return values, null
}

// onlyNull tells a schema that allows null and nothing else, by its type or as a constant.
func onlyNull(n *schema.Node) bool {
	return kindsOf(n) == schema.TypeNull && onlyRules(n, "type", "const") && (n.Const != nil || n.Types == schema.TypeNull)
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
	if kindsOf(n) != schema.TypeString || !onlyRules(n, keyword, "type") {
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

// ClosedNumbers returns the integers that are all n allows, where its type says that it is a number and an enum beside
// it which. It returns nil for any other schema.
func ClosedNumbers(n *schema.Node) []int64 {
	if n.Enum == nil || n.Types == 0 || n.Types&^numberKinds != 0 || !onlyRules(n, "enum", "type") {
		return nil
	}
	values := listedValues(n)
	if len(values) < 2 {
		return nil
	}
	numbers := make([]int64, len(values))
	for i, v := range values {
		numbers[i] = v.Number()
	}
	return numbers
}

// Number is the value of a constant of an enum of integers.
func (v *Value) Number() int64 {
	i, _ := strconv.ParseInt(v.Text, 10, 64)
	return i
}

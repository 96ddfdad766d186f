package validator

import (
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

var (
	textKeywords   = []string{"type", "minLength", "maxLength", "pattern", "format"}
	numberKeywords = []string{"type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	listKeywords   = []string{"type", "items", "minItems", "maxItems", "uniqueItems"}
)

// scalar gives the check of a schema that one call to the reader decides; nil for all others.
func (c *compiler) scalar(n *schema.Node) check {
	rules := shape.Rules(n)
	at := place(n)
	switch {
	case len(rules) == 0:
		return (*wire.Reader).Skip
	case n.Always != nil:
		return func(r *wire.Reader) bool { return r.Refused(at, "false", "nothing: no value is allowed here") }
	case n.Const != nil && n.Const.Kind == document.String && shape.Only(rules, "const", "type") && allows(n, schema.TypeString):
		want := n.Const.Text
		return func(r *wire.Reader) bool { return r.CheckConstText(at, want) }
	case n.Const != nil && n.Const.Kind == document.Bool && shape.Only(rules, "const", "type") && allows(n, schema.TypeBoolean):
		want := n.Const.Bool
		return func(r *wire.Reader) bool { return r.CheckTrue(at, want) }
	case n.Const != nil && shape.Only(rules, "const"):
		return constant(n)
	case n.Types == schema.TypeNull && shape.Only(rules, "type"):
		return func(r *wire.Reader) bool { return r.CheckNull(at) }
	case n.Types == schema.TypeBoolean && shape.Only(rules, "type"):
		return func(r *wire.Reader) bool { return r.CheckBool(at) }
	case n.Types == schema.TypeString && shape.Only(rules, textKeywords...):
		rule := c.textRule(n)
		return func(r *wire.Reader) bool { return r.CheckText(rule) }
	case isNumber(n) && shape.Only(rules, numberKeywords...):
		rule := numberRule(n, n.Types)
		return func(r *wire.Reader) bool { return r.CheckNumber(rule) }
	case shape.ClosedNumbers(n) != nil:
		rule := numberRule(n, n.Types)
		rule.Values = shape.ClosedNumbers(n)
		return func(r *wire.Reader) bool { return r.CheckNumber(rule) }
	case n.Types == schema.TypeArray && n.Items != nil && shape.Only(rules, listKeywords...):
		if item := n.Items.Target(); item.Types == schema.TypeString && shape.Only(shape.Rules(item), textKeywords...) {
			list, text := listRule(n), c.textRule(item)
			return func(r *wire.Reader) bool { return r.CheckTexts(list, text) }
		}
	}
	if keyword, texts := shape.ClosedList(n); texts != nil {
		return enumOfTexts(n, keyword, texts)
	}
	return nil
}

func constant(n *schema.Node) check {
	at, want := place(n), string(n.Const.Raw())
	return func(r *wire.Reader) bool { return r.CheckConst(at, want) }
}

// enumOfTexts is the check of a closed list of strings.
func enumOfTexts(n *schema.Node, keyword string, texts []string) check {
	at := place(n)
	known := make(map[string]bool, len(texts))
	for _, text := range texts {
		known[text] = true
	}
	return func(r *wire.Reader) bool {
		if r.Kind() != wire.KindString {
			if n.Types == 0 {
				return r.Refused(at, keyword, "a string")
			}
			return r.Mismatch(at, "a string")
		}
		pos := r.Pos()
		s, ok := r.Text()
		if !ok {
			return false
		}
		return known[string(s)] || r.NotInChoice(pos, at, keyword, texts)
	}
}

func enumeration(n *schema.Node) check {
	at := place(n)
	var texts []string
	for _, v := range n.Enum {
		texts = append(texts, string(v.Raw()))
	}
	return func(r *wire.Reader) bool { return r.CheckEnum(at, texts...) }
}

func (c *compiler) textRule(n *schema.Node) *wire.TextRule {
	rule := &wire.TextRule{Place: *place(n), Format: n.Format, Assert: n.AssertFormat}
	rule.MinLength = least(n.MinLength)
	rule.MaxLength, rule.Limited = most(n.MaxLength)
	if n.Pattern != nil {
		rule.Pattern = c.pattern(n, "pattern", *n.Pattern)
	}
	return rule
}

// numberRule makes the rule of a schema for numbers, of which types says whether they must be integers.
func numberRule(n *schema.Node, types schema.Types) *wire.NumberRule {
	return &wire.NumberRule{
		Place:            *place(n),
		Integer:          types&(schema.TypeInteger|schema.TypeNumber) == schema.TypeInteger,
		Minimum:          decimal(n.Minimum),
		Maximum:          decimal(n.Maximum),
		ExclusiveMinimum: decimal(n.ExclusiveMinimum),
		ExclusiveMaximum: decimal(n.ExclusiveMaximum),
		MultipleOf:       decimal(n.MultipleOf),
	}
}

func decimal(v *document.Value) *wire.Decimal {
	if v == nil {
		return nil
	}
	return wire.MustDecimal(v.Text)
}

func listRule(n *schema.Node) *wire.ListRule {
	rule := &wire.ListRule{Place: *place(n), MinItems: least(n.MinItems), UniqueItems: n.UniqueItems}
	rule.MaxItems, rule.Limited = most(n.MaxItems)
	return rule
}

func least(n *int64) int {
	if n == nil {
		return 0
	}
	return int(*n)
}

func most(n *int64) (bound int, limited bool) {
	if n == nil {
		return 0, false
	}
	return int(*n), true
}

func allows(n *schema.Node, t schema.Types) bool { return n.Types == 0 || n.Types.Has(t) }

func isNumber(n *schema.Node) bool {
	return n.Types != 0 && n.Types&^(schema.TypeInteger|schema.TypeNumber) == 0
}

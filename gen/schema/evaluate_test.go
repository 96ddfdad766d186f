package schema_test

import (
	"math/big"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// seen is what a schema evaluated of one object or array.
type seen struct {
	names map[string]bool
	items map[int]bool
}

func (s *seen) add(o *seen) {
	for n := range o.names {
		s.names[n] = true
	}
	for i := range o.items {
		s.items[i] = true
	}
}

func nothing() *seen { return &seen{map[string]bool{}, map[int]bool{}} }

// evaluate validates an instance by walking the graph, keyword by keyword as the
// standard describes them. It exists to show that a graph says what its document
// says: references and dynamic scope are pointers by then, so there is nothing
// about them here. Formats are annotations.
func evaluate(n *schema.Node, v *document.Value) (bool, *seen) {
	s := nothing()
	if n.Always != nil {
		return *n.Always, s
	}
	ok := true
	in := func(c *schema.Node) {
		if c != nil {
			valid, inner := evaluate(c, v)
			ok = ok && valid
			s.add(inner)
		}
	}
	in(n.Ref)
	in(n.DynamicRef)
	for _, c := range n.AllOf {
		in(c)
	}
	count := func(nodes []*schema.Node) (passing int) {
		for _, c := range nodes {
			if valid, inner := evaluate(c, v); valid {
				passing++
				s.add(inner)
			}
		}
		return passing
	}
	if n.AnyOf != nil && count(n.AnyOf) == 0 {
		ok = false
	}
	if n.OneOf != nil && count(n.OneOf) != 1 {
		ok = false
	}
	if n.Not != nil {
		if valid, _ := evaluate(n.Not, v); valid {
			ok = false
		}
	}
	if n.If != nil {
		if valid, inner := evaluate(n.If, v); valid {
			s.add(inner)
			in(n.Then)
		} else {
			in(n.Else)
		}
	}
	for _, p := range n.DependentSchemas {
		if v.Get(p.Name) != nil {
			in(p.Node)
		}
	}
	ok = ok && value(n, v)
	switch v.Kind {
	case document.Object:
		ok = object(n, v, s) && ok
	case document.Array:
		ok = array(n, v, s) && ok
	}
	return ok, s
}

func valid(n *schema.Node, v *document.Value) bool {
	ok, _ := evaluate(n, v)
	return ok
}

func within(n int, low, high *int64) bool {
	return (low == nil || int64(n) >= *low) && (high == nil || int64(n) <= *high)
}

func value(n *schema.Node, v *document.Value) bool {
	if n.Types != 0 {
		is := map[document.Kind]schema.Types{
			document.Null: schema.TypeNull, document.Bool: schema.TypeBoolean, document.Number: schema.TypeNumber,
			document.String: schema.TypeString, document.Array: schema.TypeArray, document.Object: schema.TypeObject,
		}[v.Kind]
		if v.Kind == document.Number && v.Decimal().IsInteger() {
			is |= schema.TypeInteger
		}
		if n.Types&is == 0 {
			return false
		}
	}
	if n.Const != nil && !n.Const.Equal(v) {
		return false
	}
	if n.Enum != nil && !slices.ContainsFunc(n.Enum, v.Equal) {
		return false
	}
	switch v.Kind {
	case document.String:
		if !within(utf8.RuneCountInString(v.Text), n.MinLength, n.MaxLength) {
			return false
		}
		return n.Pattern == nil || regexp.MustCompile(*n.Pattern).MatchString(v.Text)
	case document.Number:
		d := v.Decimal()
		if n.MultipleOf != nil {
			r, _ := d.Rat()
			m, _ := n.MultipleOf.Decimal().Rat()
			if !new(big.Rat).Quo(r, m).IsInt() {
				return false
			}
		}
		return (n.Minimum == nil || d.Cmp(n.Minimum.Decimal()) >= 0) &&
			(n.Maximum == nil || d.Cmp(n.Maximum.Decimal()) <= 0) &&
			(n.ExclusiveMinimum == nil || d.Cmp(n.ExclusiveMinimum.Decimal()) > 0) &&
			(n.ExclusiveMaximum == nil || d.Cmp(n.ExclusiveMaximum.Decimal()) < 0)
	}
	return true
}

func object(n *schema.Node, v *document.Value, s *seen) bool {
	ok := within(len(v.Members), n.MinProperties, n.MaxProperties)
	for _, name := range n.Required {
		ok = ok && v.Get(name) != nil
	}
	for _, d := range n.DependentRequired {
		for _, name := range d.Required {
			ok = ok && (v.Get(d.Name) == nil || v.Get(name) != nil)
		}
	}
	own := map[string]bool{}
	for _, m := range v.Members {
		if n.PropertyNames != nil {
			ok = ok && valid(n.PropertyNames, &document.Value{Kind: document.String, Text: m.Name})
		}
		if p := n.Property(m.Name); p != nil {
			own[m.Name] = true
			ok = ok && valid(p, m.Value)
		}
		for _, p := range n.PatternProperties {
			if regexp.MustCompile(p.Pattern).MatchString(m.Name) {
				own[m.Name] = true
				ok = ok && valid(p.Node, m.Value)
			}
		}
		if n.AdditionalProperties != nil && !own[m.Name] {
			own[m.Name] = true
			ok = ok && valid(n.AdditionalProperties, m.Value)
		}
	}
	s.add(&seen{names: own})
	if n.UnevaluatedProperties != nil {
		for _, m := range v.Members {
			if !s.names[m.Name] {
				s.names[m.Name] = true
				ok = ok && valid(n.UnevaluatedProperties, m.Value)
			}
		}
	}
	return ok
}

func array(n *schema.Node, v *document.Value, s *seen) bool {
	ok := within(len(v.Items), n.MinItems, n.MaxItems)
	matching := 0
	for i, item := range v.Items {
		switch {
		case i < len(n.PrefixItems):
			s.items[i] = true
			ok = ok && valid(n.PrefixItems[i], item)
		case n.Items != nil:
			s.items[i] = true
			ok = ok && valid(n.Items, item)
		}
		if n.Contains != nil && valid(n.Contains, item) {
			s.items[i] = true
			matching++
		}
		if n.UniqueItems {
			ok = ok && !slices.ContainsFunc(v.Items[:i], item.Equal)
		}
	}
	if n.Contains != nil {
		one := int64(1)
		low := n.MinContains
		if low == nil {
			low = &one
		}
		ok = ok && within(matching, low, n.MaxContains)
	}
	if n.UnevaluatedItems != nil {
		for i, item := range v.Items {
			if !s.items[i] {
				s.items[i] = true
				ok = ok && valid(n.UnevaluatedItems, item)
			}
		}
	}
	return ok
}

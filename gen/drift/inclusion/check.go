package inclusion

import (
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// holdAll tells whether all terms of a goal hold of a value.
func (s *Solver) holdAll(goal []*term, v *document.Value) bool {
	c := checker{s, map[checked]*sight{}}
	defer func() { s.steps += len(c.memo) / 16 }() // it is work, too
	for _, t := range goal {
		switch t.op {
		case opLiteral:
			if c.check(t.node, v).ok == t.not {
				return false
			}
		case opNotValues:
			if slices.ContainsFunc(t.values, v.Equal) {
				return false
			}
		case opPattern, opNotPattern:
			if v.Kind == document.String && s.matches(t.name, v.Text) != (t.op == opPattern) {
				return false
			}
		case opLeast:
			if v.Kind == document.String && int64(utf8.RuneCountInString(v.Text)) < t.n {
				return false
			}
		}
	}
	return true
}

// Holds tells whether a value is valid by a schema.
func (s *Solver) Holds(n *schema.Node, v *document.Value) bool {
	c := checker{s, map[checked]*sight{}}
	return c.check(n, v).ok
}

// checker evaluates schemas, each pair of schema and value once.
type checker struct {
	s    *Solver
	memo map[checked]*sight
}

type checked struct {
	node  *schema.Node
	value *document.Value
}

// sight is a verdict, and which members or items were evaluated.
type sight struct {
	ok   bool
	seen []bool
}

func (c *checker) check(n *schema.Node, v *document.Value) *sight {
	key := checked{n, v}
	if have := c.memo[key]; have != nil {
		return have
	}
	r := &sight{ok: true}
	c.memo[key] = r
	if n.Always != nil {
		r.ok = *n.Always
		return r
	}
	size := len(v.Members) + len(v.Items)
	see := func(i int) {
		if r.seen == nil {
			r.seen = make([]bool, size)
		}
		r.seen[i] = true
	}
	saw := func(inner *sight) {
		for i, seen := range inner.seen {
			if seen {
				see(i)
			}
		}
	}
	apply := func(sub *schema.Node) bool {
		if sub == nil {
			return true
		}
		inner := c.check(sub, v)
		saw(inner)
		return inner.ok
	}
	count := func(list []*schema.Node) (passing int) {
		for _, b := range list {
			if inner := c.check(b, v); inner.ok {
				passing++
				saw(inner)
			}
		}
		return passing
	}
	ok := plain(n, v)
	for _, sub := range slices.Concat([]*schema.Node{n.Ref, n.DynamicRef}, n.AllOf) {
		ok = apply(sub) && ok
	}
	if n.AnyOf != nil && count(n.AnyOf) == 0 || n.OneOf != nil && count(n.OneOf) != 1 {
		ok = false
	}
	if n.Not != nil && c.check(n.Not, v).ok {
		ok = false
	}
	if n.If != nil {
		if test := c.check(n.If, v); test.ok {
			saw(test)
			ok = apply(n.Then) && ok
		} else {
			ok = apply(n.Else) && ok
		}
	}
	switch v.Kind {
	case document.String:
		ok = ok && c.text(n, v)
	case document.Object:
		for _, p := range n.DependentSchemas {
			if v.Get(p.Name) != nil {
				ok = apply(p.Node) && ok
			}
		}
		ok = c.object(n, v, see, r) && ok
	case document.Array:
		ok = c.array(n, v, see, r) && ok
	}
	if !ok {
		r.ok, r.seen = false, nil
	}
	return r
}

func within(n int64, least, most *int64) bool {
	return (least == nil || n >= *least) && (most == nil || n <= *most)
}

// plain checks the keywords that do not look into the value, and numbers.
func plain(n *schema.Node, v *document.Value) bool {
	if n.Types != 0 {
		var is schema.Types
		switch v.Kind {
		case document.Null:
			is = schema.TypeNull
		case document.Bool:
			is = schema.TypeBoolean
		case document.Number:
			is = schema.TypeNumber
			if v.Decimal().IsInteger() {
				is |= schema.TypeInteger
			}
		case document.String:
			is = schema.TypeString
		case document.Array:
			is = schema.TypeArray
		case document.Object:
			is = schema.TypeObject
		}
		if n.Types&is == 0 {
			return false
		}
	}
	if n.Const != nil && !n.Const.Equal(v) || n.Enum != nil && !slices.ContainsFunc(n.Enum, v.Equal) {
		return false
	}
	if v.Kind != document.Number {
		return true
	}
	d := v.Decimal()
	return (n.Minimum == nil || d.Cmp(n.Minimum.Decimal()) >= 0) && (n.Maximum == nil || d.Cmp(n.Maximum.Decimal()) <= 0) &&
		(n.ExclusiveMinimum == nil || d.Cmp(n.ExclusiveMinimum.Decimal()) > 0) &&
		(n.ExclusiveMaximum == nil || d.Cmp(n.ExclusiveMaximum.Decimal()) < 0) &&
		(n.MultipleOf == nil || isMultiple(d, n.MultipleOf.Decimal()))
}

func isMultiple(d, of document.Decimal) bool {
	x, ok := d.Rat()
	y, fine := of.Rat()
	return ok && fine && y.Sign() != 0 && new(big.Rat).Quo(x, y).IsInt()
}

func (c *checker) text(n *schema.Node, v *document.Value) bool {
	return within(int64(utf8.RuneCountInString(v.Text)), n.MinLength, n.MaxLength) &&
		(n.Pattern == nil || c.s.matches(*n.Pattern, v.Text)) &&
		(n.Format == "" || !c.s.formats && !n.AssertFormat || wire.Format(n.Format, []byte(v.Text)))
}

// matches tells whether a pattern matches; one that cannot be read does not.
func (s *Solver) matches(pattern, text string) bool {
	p, ok := s.patterns[pattern]
	if !ok {
		p, _ = wire.ParsePattern(pattern)
		s.patterns[pattern] = p
	}
	return p != nil && p.Match([]byte(text))
}

func (c *checker) object(n *schema.Node, v *document.Value, see func(int), r *sight) bool {
	ok := within(int64(len(v.Members)), n.MinProperties, n.MaxProperties)
	for _, name := range n.Required {
		ok = ok && v.Get(name) != nil
	}
	for _, d := range n.DependentRequired {
		if v.Get(d.Name) == nil {
			continue
		}
		for _, name := range d.Required {
			ok = ok && v.Get(name) != nil
		}
	}
	for i, m := range v.Members {
		own := false
		part := func(sub *schema.Node) {
			own = true
			see(i)
			ok = c.check(sub, m.Value).ok && ok
		}
		if n.PropertyNames != nil {
			ok = c.check(n.PropertyNames, &document.Value{Kind: document.String, Text: m.Name}).ok && ok
		}
		if p := n.Property(m.Name); p != nil {
			part(p)
		}
		for _, p := range n.PatternProperties {
			if c.s.matches(p.Pattern, m.Name) {
				part(p.Node)
			}
		}
		if n.AdditionalProperties != nil && !own {
			part(n.AdditionalProperties)
		}
	}
	if n.UnevaluatedProperties != nil {
		for i, m := range v.Members {
			if r.seen == nil || !r.seen[i] {
				see(i)
				ok = c.check(n.UnevaluatedProperties, m.Value).ok && ok
			}
		}
	}
	return ok
}

func (c *checker) array(n *schema.Node, v *document.Value, see func(int), r *sight) bool {
	ok := within(int64(len(v.Items)), n.MinItems, n.MaxItems)
	matching := int64(0)
	texts := map[string]bool{}
	for i, item := range v.Items {
		switch {
		case i < len(n.PrefixItems):
			see(i)
			ok = c.check(n.PrefixItems[i], item).ok && ok
		case n.Items != nil:
			see(i)
			ok = c.check(n.Items, item).ok && ok
		}
		if n.Contains != nil && c.check(n.Contains, item).ok {
			see(i)
			matching++
		}
		if n.UniqueItems {
			text := item.Canonical()
			ok = ok && !texts[text]
			texts[text] = true
		}
	}
	if n.Contains != nil {
		least := int64(1)
		if n.MinContains != nil {
			least = *n.MinContains
		}
		ok = ok && within(matching, &least, n.MaxContains)
	}
	if n.UnevaluatedItems != nil {
		for i, item := range v.Items {
			if r.seen == nil || !r.seen[i] {
				see(i)
				ok = c.check(n.UnevaluatedItems, item).ok && ok
			}
		}
	}
	return ok
}

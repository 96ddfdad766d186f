package sample

import (
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// breach is one rule that a value breaks.
type breach struct {
	node    *schema.Node
	keyword string
	detail  string // the member that is missing, where one is; of a union, its tag
	pointer string // from the evaluated value to the one the rule is about
}

// maxBreaches is how many breaches of one value are kept; more than one is all
// that matters to most.
const maxBreaches = 12

// verdict is what one schema says of one value.
type verdict struct {
	breaches []breach
	seen     []bool // members or items that were evaluated; nil = none
}

func (r *verdict) valid() bool { return len(r.breaches) == 0 }

func (r *verdict) breaks(n *schema.Node, keyword, detail, pointer string) {
	r.add(breach{n, keyword, detail, pointer})
}

// add notes a breach unless the same rule is broken at the same place already.
func (r *verdict) add(b breach) {
	if len(r.breaches) >= maxBreaches {
		return
	}
	for _, o := range r.breaches {
		if o.keyword == b.keyword && o.pointer == b.pointer && o.detail == b.detail {
			return
		}
	}
	r.breaches = append(r.breaches, b)
}

func (r *verdict) below(o *verdict, token string) {
	for _, b := range o.breaches {
		b.pointer = "/" + document.EscapeToken(token) + b.pointer
		r.add(b)
	}
}

func (r *verdict) saw(o *verdict, size int) {
	for i, s := range o.seen {
		if s {
			r.mark(i, size)
		}
	}
}

func (r *verdict) mark(i, size int) {
	if r.seen == nil {
		r.seen = make([]bool, size)
	}
	r.seen[i] = true
}

func (r *verdict) marked(i int) bool { return i < len(r.seen) && r.seen[i] }

// judge evaluates values by walking the graph, keyword by keyword. Every pair of
// schema and value is evaluated once, so the work is at most the product of both.
type judge struct {
	s    *Sampler
	memo map[judged]*verdict
}

type judged struct {
	node  *schema.Node
	value *value
}

func (s *Sampler) judge() *judge { return &judge{s: s, memo: map[judged]*verdict{}} }

func (j *judge) holds(n *schema.Node, v *value) bool { return j.eval(n, v).valid() }

func (j *judge) holdAll(nodes []*schema.Node, v *value) bool {
	for _, n := range nodes {
		if !j.holds(n, v) {
			return false
		}
	}
	return true
}

func (j *judge) eval(n *schema.Node, v *value) *verdict {
	key := judged{n, v}
	if r := j.memo[key]; r != nil {
		return r
	}
	r := &verdict{}
	j.memo[key] = r
	if n.Always != nil {
		if !*n.Always {
			r.breaks(n, "false", "", "")
		}
		return r
	}
	j.inPlace(n, v, r)
	j.plain(n, v, r)
	switch v.Kind {
	case document.String:
		j.text(n, v, r)
	case document.Number:
		numberRules(n, v, r)
	case document.Object:
		j.object(n, v, r)
	case document.Array:
		j.array(n, v, r)
	}
	return r
}

func (j *judge) inPlace(n *schema.Node, v *value, r *verdict) {
	size := children(v)
	apply := func(c *schema.Node) {
		if c == nil {
			return
		}
		inner := j.eval(c, v)
		for _, b := range inner.breaches {
			r.add(b)
		}
		r.saw(inner, size)
	}
	apply(n.Ref)
	apply(n.DynamicRef)
	for _, c := range n.AllOf {
		apply(c)
	}
	j.union(n, "anyOf", n.AnyOf, v, r)
	j.union(n, "oneOf", n.OneOf, v, r)
	if n.Not != nil && j.holds(n.Not, v) {
		r.breaks(n, "not", "", "")
	}
	if n.If != nil {
		if inner := j.eval(n.If, v); inner.valid() {
			r.saw(inner, size)
			apply(n.Then)
		} else {
			apply(n.Else)
		}
	}
	for _, p := range n.DependentSchemas {
		if v.Get(p.Name) != nil {
			apply(p.Node)
		}
	}
}

func (j *judge) union(n *schema.Node, keyword string, branches []*schema.Node, v *value, r *verdict) {
	if branches == nil {
		return
	}
	passing := 0
	for _, c := range branches {
		if inner := j.eval(c, v); inner.valid() {
			passing++
			r.saw(inner, children(v))
		}
	}
	switch {
	case passing == 1 || (passing > 1 && keyword == "anyOf"):
	case passing > 1:
		r.breaks(n, keyword, "", "")
	default:
		c, missing := j.meant(branches, v)
		if c == nil {
			r.breaks(n, keyword, missing, "")
			return
		}
		for _, b := range j.eval(c, v).breaches {
			r.add(b)
		}
	}
}

// meant gives the branch that a value which fits none was probably meant for,
// or nil when that cannot be told, perhaps because the tag is missing.
func (j *judge) meant(branches []*schema.Node, v *value) (branch *schema.Node, missing string) {
	if tags := j.s.unionTags(branches); len(tags) > 0 {
		m := v.Get(tags[0].name)
		if m == nil {
			return nil, tags[0].name
		}
		if i := tags[0].branch(m); i >= 0 {
			return branches[i], ""
		}
		return nil, ""
	}
	var others []*schema.Node
	for _, c := range branches {
		if c.Target().Types != schema.TypeNull {
			others = append(others, c)
		}
	}
	if len(others) == 1 && len(branches) > 1 {
		return others[0], ""
	}
	var best *schema.Node
	fewest, shared := maxBreaches, false
	for _, c := range branches {
		breaches := j.eval(c, v).breaches
		foreign := slices.ContainsFunc(breaches, func(b breach) bool {
			return b.pointer == "" && (b.keyword == "type" || b.keyword == "const" || b.keyword == "enum" || b.keyword == "false")
		})
		switch {
		case foreign:
		case len(breaches) < fewest:
			best, fewest, shared = c, len(breaches), false
		case len(breaches) == fewest:
			shared = true
		}
	}
	if shared {
		return nil, ""
	}
	return best, ""
}

// rules leaves out of some breaches those that another one implies: what a union
// says of a value whose type is refused beside it, or whose tag is missing from
// what is required beside it.
func rules(breaches []breach) []breach {
	implied := func(b breach) bool {
		return (b.keyword == "oneOf" || b.keyword == "anyOf") && slices.ContainsFunc(breaches, func(o breach) bool {
			return o.pointer == b.pointer && (o.keyword == "type" || o.keyword == "required" && b.detail != "" && o.detail == b.detail)
		})
	}
	return slices.DeleteFunc(slices.Clone(breaches), implied)
}

func kindTypes(v *value) schema.Types {
	switch v.Kind {
	case document.Null:
		return schema.TypeNull
	case document.Bool:
		return schema.TypeBoolean
	case document.Number:
		if v.Decimal().IsInteger() {
			return schema.TypeNumber | schema.TypeInteger
		}
		return schema.TypeNumber
	case document.String:
		return schema.TypeString
	case document.Array:
		return schema.TypeArray
	}
	return schema.TypeObject
}

func (j *judge) plain(n *schema.Node, v *value, r *verdict) {
	// Of these three one is enough: const and enum say again what the type says.
	switch {
	case n.Types != 0 && n.Types&kindTypes(v) == 0:
		r.breaks(n, "type", "", "")
	case n.Const != nil && !n.Const.Equal(v):
		r.breaks(n, "const", "", "")
	case n.Enum != nil && !slices.ContainsFunc(n.Enum, v.Equal):
		r.breaks(n, "enum", "", "")
	}
}

func (r *verdict) count(n *schema.Node, size int, least, most *int64, lower, upper string) {
	if least != nil && int64(size) < *least {
		r.breaks(n, lower, "", "")
	}
	if most != nil && int64(size) > *most {
		r.breaks(n, upper, "", "")
	}
}

func (j *judge) text(n *schema.Node, v *value, r *verdict) {
	r.count(n, utf8.RuneCountInString(v.Text), n.MinLength, n.MaxLength, "minLength", "maxLength")
	if n.Pattern != nil && !j.s.matches(*n.Pattern, v.Text) {
		r.breaks(n, "pattern", "", "")
	}
	if n.Format != "" && (j.s.formats || n.AssertFormat) && !wire.Format(n.Format, []byte(v.Text)) {
		r.breaks(n, "format", "", "")
	}
}

func numberRules(n *schema.Node, v *value, r *verdict) {
	d := v.Decimal()
	compare := func(bound *document.Value, keyword string, broken func(int) bool) {
		if bound != nil && broken(d.Cmp(bound.Decimal())) {
			r.breaks(n, keyword, "", "")
		}
	}
	compare(n.Minimum, "minimum", func(c int) bool { return c < 0 })
	compare(n.Maximum, "maximum", func(c int) bool { return c > 0 })
	compare(n.ExclusiveMinimum, "exclusiveMinimum", func(c int) bool { return c <= 0 })
	compare(n.ExclusiveMaximum, "exclusiveMaximum", func(c int) bool { return c >= 0 })
	if n.MultipleOf != nil {
		x, ok := d.Rat()
		y, fine := n.MultipleOf.Decimal().Rat()
		if !ok || !fine || !new(big.Rat).Quo(x, y).IsInt() {
			r.breaks(n, "multipleOf", "", "")
		}
	}
}

func (j *judge) object(n *schema.Node, v *value, r *verdict) {
	size := len(v.Members)
	r.count(n, size, n.MinProperties, n.MaxProperties, "minProperties", "maxProperties")
	for _, name := range n.Required {
		if v.Get(name) == nil {
			r.breaks(n, "required", name, "")
		}
	}
	for _, d := range n.DependentRequired {
		if v.Get(d.Name) == nil {
			continue
		}
		for _, name := range d.Required {
			if v.Get(name) == nil {
				r.breaks(n, "dependentRequired", name, "")
			}
		}
	}
	own := make([]bool, size)
	for i, m := range v.Members {
		part := func(c *schema.Node, keyword string) {
			own[i] = true
			j.part(n, c, keyword, m.Name, m.Value, r)
		}
		if n.PropertyNames != nil && !j.holds(n.PropertyNames, text(m.Name)) {
			r.breaks(n, "propertyNames", "", "/"+document.EscapeToken(m.Name))
		}
		if p := n.Property(m.Name); p != nil {
			part(p, "properties")
		}
		for _, p := range n.PatternProperties {
			if j.s.matches(p.Pattern, m.Name) {
				part(p.Node, "patternProperties")
			}
		}
		if n.AdditionalProperties != nil && !own[i] {
			part(n.AdditionalProperties, "additionalProperties")
		}
	}
	for i := range own {
		if own[i] {
			r.mark(i, size)
		}
	}
	if n.UnevaluatedProperties != nil {
		for i, m := range v.Members {
			if !r.marked(i) {
				r.mark(i, size)
				j.part(n, n.UnevaluatedProperties, "unevaluatedProperties", m.Name, m.Value, r)
			}
		}
	}
}

// part judges a member or item. Where there must be none, it is the keyword of
// the schema around that is broken.
func (j *judge) part(n, c *schema.Node, keyword, token string, v *value, r *verdict) {
	if c.Always != nil && !*c.Always {
		r.breaks(n, keyword, "", "/"+document.EscapeToken(token))
		return
	}
	r.below(j.eval(c, v), token)
}

func (j *judge) array(n *schema.Node, v *value, r *verdict) {
	size := len(v.Items)
	r.count(n, size, n.MinItems, n.MaxItems, "minItems", "maxItems")
	matching := 0
	for i, item := range v.Items {
		token := strconv.Itoa(i)
		switch {
		case i < len(n.PrefixItems):
			r.mark(i, size)
			j.part(n, n.PrefixItems[i], "prefixItems", token, item, r)
		case n.Items != nil:
			r.mark(i, size)
			j.part(n, n.Items, "items", token, item, r)
		}
		if n.Contains != nil && j.holds(n.Contains, item) {
			r.mark(i, size)
			matching++
		}
	}
	if n.UniqueItems && !unique(v.Items) {
		r.breaks(n, "uniqueItems", "", "")
	}
	if n.Contains != nil {
		least := int64(1)
		keyword := "contains"
		if n.MinContains != nil {
			least, keyword = *n.MinContains, "minContains"
		}
		r.count(n, matching, &least, n.MaxContains, keyword, "maxContains")
	}
	if n.UnevaluatedItems != nil {
		for i, item := range v.Items {
			if !r.marked(i) {
				r.mark(i, size)
				j.part(n, n.UnevaluatedItems, "unevaluatedItems", strconv.Itoa(i), item, r)
			}
		}
	}
}

func unique(items []*value) bool {
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		key := item.Canonical()
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

package drift

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/drift/inclusion"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// change is one difference between two schemas that stand for each other, which
// can be carried from one to the other alone.
type change struct {
	keyword string // that differs
	detail  string // of it: a member name, a pattern
	// old and new are pointers below the two schemas; whether there is something.
	old, new       string
	hasOld, hasNew bool
	// move makes dst say what src says here.
	move func(dst, src *schema.Node)
	// note marks a change of an annotation: it moves nothing.
	note bool
}

// kind tells what happened to the keyword.
func (c *change) kind() string {
	switch {
	case !c.hasOld:
		return "added"
	case !c.hasNew:
		return "removed"
	}
	return "changed"
}

// moved gives a copy of dst with the change taken from src.
func (c *change) moved(dst, src *schema.Node) *schema.Node {
	n := clone(dst)
	c.move(n, src)
	return n
}

// clone copies a schema that is going to say something else than what is written.
func clone(n *schema.Node) *schema.Node {
	c := new(schema.Node)
	*c = *n
	c.Value = nil
	return c
}

// aspect is a keyword, or several that belong together, compared as a whole.
type aspect struct {
	keywords []string
	same     func(l *inclusion.Labels, o, n *schema.Node) bool
	move     func(dst, src *schema.Node)
	note     bool
}

func counts(keyword string, of func(*schema.Node) **int64) aspect {
	return aspect{keywords: []string{keyword},
		same: func(_ *inclusion.Labels, o, n *schema.Node) bool {
			x, y := *of(o), *of(n)
			return x == nil && y == nil || x != nil && y != nil && *x == *y
		},
		move: func(dst, src *schema.Node) { *of(dst) = *of(src) }}
}

func sameValue(x, y *document.Value) bool {
	return x == nil && y == nil || x != nil && y != nil && x.Equal(y)
}

func valued(note bool, keywords []string, of ...func(*schema.Node) **document.Value) aspect {
	return aspect{keywords: keywords, note: note,
		same: func(_ *inclusion.Labels, o, n *schema.Node) bool {
			for _, f := range of {
				if !sameValue(*f(o), *f(n)) {
					return false
				}
			}
			return true
		},
		move: func(dst, src *schema.Node) {
			for _, f := range of {
				*f(dst) = *f(src)
			}
		}}
}

func noded(keywords []string, of ...func(*schema.Node) **schema.Node) aspect {
	return aspect{keywords: keywords,
		same: func(l *inclusion.Labels, o, n *schema.Node) bool {
			for _, f := range of {
				if !sameNode(l, *f(o), *f(n)) {
					return false
				}
			}
			return true
		},
		move: func(dst, src *schema.Node) {
			for _, f := range of {
				*f(dst) = *f(src)
			}
		}}
}

func sameNode(l *inclusion.Labels, o, n *schema.Node) bool {
	return o == nil && n == nil || o != nil && n != nil && l.Of(o) == l.Of(n)
}

// aspects are compared for every pair of schemas.
var aspects = []aspect{
	{keywords: []string{"type"},
		same: func(_ *inclusion.Labels, o, n *schema.Node) bool { return o.Types == n.Types },
		move: func(dst, src *schema.Node) { dst.Types = src.Types }},
	{keywords: []string{"enum", "const"},
		same: func(_ *inclusion.Labels, o, n *schema.Node) bool {
			return sameValue(o.Const, n.Const) && (o.Enum == nil) == (n.Enum == nil) && slices.EqualFunc(o.Enum, n.Enum, (*document.Value).Equal)
		},
		move: func(dst, src *schema.Node) { dst.Const, dst.Enum = src.Const, src.Enum }},
	valued(false, []string{"minimum", "exclusiveMinimum"},
		func(n *schema.Node) **document.Value { return &n.Minimum }, func(n *schema.Node) **document.Value { return &n.ExclusiveMinimum }),
	valued(false, []string{"maximum", "exclusiveMaximum"},
		func(n *schema.Node) **document.Value { return &n.Maximum }, func(n *schema.Node) **document.Value { return &n.ExclusiveMaximum }),
	valued(false, []string{"multipleOf"}, func(n *schema.Node) **document.Value { return &n.MultipleOf }),
	counts("minLength", func(n *schema.Node) **int64 { return &n.MinLength }),
	counts("maxLength", func(n *schema.Node) **int64 { return &n.MaxLength }),
	{keywords: []string{"pattern"},
		same: func(_ *inclusion.Labels, o, n *schema.Node) bool {
			return o.Pattern == nil && n.Pattern == nil || o.Pattern != nil && n.Pattern != nil && *o.Pattern == *n.Pattern
		},
		move: func(dst, src *schema.Node) { dst.Pattern = src.Pattern }},
	counts("minItems", func(n *schema.Node) **int64 { return &n.MinItems }),
	counts("maxItems", func(n *schema.Node) **int64 { return &n.MaxItems }),
	{keywords: []string{"uniqueItems"},
		same: func(_ *inclusion.Labels, o, n *schema.Node) bool { return o.UniqueItems == n.UniqueItems },
		move: func(dst, src *schema.Node) { dst.UniqueItems = src.UniqueItems }},
	{keywords: []string{"contains", "minContains", "maxContains"},
		same: func(l *inclusion.Labels, o, n *schema.Node) bool {
			same := func(x, y *int64) bool { return x == nil && y == nil || x != nil && y != nil && *x == *y }
			return sameNode(l, o.Contains, n.Contains) && same(o.MinContains, n.MinContains) && same(o.MaxContains, n.MaxContains)
		},
		move: func(dst, src *schema.Node) {
			dst.Contains, dst.MinContains, dst.MaxContains = src.Contains, src.MinContains, src.MaxContains
		}},
	counts("minProperties", func(n *schema.Node) **int64 { return &n.MinProperties }),
	counts("maxProperties", func(n *schema.Node) **int64 { return &n.MaxProperties }),
	{keywords: []string{"dependentRequired", "dependencies"}, // up to draft-07
		same: func(_ *inclusion.Labels, o, n *schema.Node) bool { return dependents(o) == dependents(n) },
		move: func(dst, src *schema.Node) { dst.DependentRequired = src.DependentRequired }},
	noded([]string{"propertyNames"}, func(n *schema.Node) **schema.Node { return &n.PropertyNames }),
	noded([]string{"not"}, func(n *schema.Node) **schema.Node { return &n.Not }),
	noded([]string{"unevaluatedProperties"}, func(n *schema.Node) **schema.Node { return &n.UnevaluatedProperties }),
	noded([]string{"unevaluatedItems"}, func(n *schema.Node) **schema.Node { return &n.UnevaluatedItems }),
	// Annotations that programs act on.
	valued(true, []string{"default"}, func(n *schema.Node) **document.Value { return &n.Default }),
	texted("contentEncoding", func(n *schema.Node) *string { return &n.ContentEncoding }),
	texted("contentMediaType", func(n *schema.Node) *string { return &n.ContentMediaType }),
	flagged("deprecated", func(n *schema.Node) *bool { return &n.Deprecated }),
	flagged("readOnly", func(n *schema.Node) *bool { return &n.ReadOnly }),
	flagged("writeOnly", func(n *schema.Node) *bool { return &n.WriteOnly }),
	{keywords: []string{"discriminator"}, note: true,
		same: func(_ *inclusion.Labels, o, n *schema.Node) bool {
			return sameValue(unknown(o, "discriminator"), unknown(n, "discriminator"))
		}},
}

// formatAspect is a rule or an annotation, by level.
func formatAspect(asserted bool) aspect {
	return aspect{keywords: []string{"format"}, note: !asserted,
		same: func(_ *inclusion.Labels, o, n *schema.Node) bool { return o.Format == n.Format },
		move: func(dst, src *schema.Node) { dst.Format = src.Format }}
}

func texted(keyword string, of func(*schema.Node) *string) aspect {
	return aspect{keywords: []string{keyword}, note: true, same: func(_ *inclusion.Labels, o, n *schema.Node) bool { return *of(o) == *of(n) }}
}

func flagged(keyword string, of func(*schema.Node) *bool) aspect {
	return aspect{keywords: []string{keyword}, note: true, same: func(_ *inclusion.Labels, o, n *schema.Node) bool { return *of(o) == *of(n) }}
}

func unknown(n *schema.Node, keyword string) *document.Value {
	for _, u := range n.Unknown {
		if u.Keyword == keyword {
			return u.Value
		}
	}
	return nil
}

func dependents(n *schema.Node) string {
	var texts []string
	for _, d := range n.DependentRequired {
		for _, r := range d.Required {
			texts = append(texts, strconv.Quote(d.Name)+strconv.Quote(r))
		}
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), ",")
}

// written gives the first of the keywords that a schema has, as a pointer below it.
func written(n *schema.Node, keywords []string) (string, bool) {
	if n.Value != nil {
		for _, k := range keywords {
			if n.Value.Get(k) != nil {
				return "/" + document.EscapeToken(k), true
			}
		}
	}
	return "", false
}

// compare lists how two schemas differ by themselves, not in what they name.
func (a *aspect) compare(l *inclusion.Labels, o, n *schema.Node) *change {
	if a.same(l, o, n) {
		return nil
	}
	c := &change{keyword: a.keywords[0], move: a.move, note: a.note}
	c.old, c.hasOld = written(o, a.keywords)
	c.new, c.hasNew = written(n, a.keywords)
	if at := c.new + c.old; a.keywords[0] == "enum" && (at == "/const" || at == "/const/const") {
		c.keyword = "const"
	}
	return c
}

// setProperty makes dst say of the member called name what src says.
func setProperty(name string) func(dst, src *schema.Node) {
	return func(dst, src *schema.Node) {
		dst.Properties = slices.DeleteFunc(slices.Clone(dst.Properties), func(p schema.Property) bool { return p.Name == name })
		if p := src.Property(name); p != nil {
			dst.Properties = append(dst.Properties, schema.Property{Name: name, Node: p})
		}
		setRequired(name)(dst, src)
	}
}

func setRequired(name string) func(dst, src *schema.Node) {
	return func(dst, src *schema.Node) {
		dst.Required = slices.DeleteFunc(slices.Clone(dst.Required), func(r string) bool { return r == name })
		if src.IsRequired(name) {
			dst.Required = append(dst.Required, name)
		}
	}
}

func setPattern(pattern string) func(dst, src *schema.Node) {
	return func(dst, src *schema.Node) {
		dst.PatternProperties = slices.DeleteFunc(slices.Clone(dst.PatternProperties), func(p schema.PatternProperty) bool { return p.Pattern == pattern })
		for _, p := range src.PatternProperties {
			if p.Pattern == pattern {
				dst.PatternProperties = append(dst.PatternProperties, p)
			}
		}
	}
}

func setDependent(name string) func(dst, src *schema.Node) {
	return func(dst, src *schema.Node) {
		dst.DependentSchemas = slices.DeleteFunc(slices.Clone(dst.DependentSchemas), func(p schema.Property) bool { return p.Name == name })
		for _, p := range src.DependentSchemas {
			if p.Name == name {
				dst.DependentSchemas = append(dst.DependentSchemas, p)
			}
		}
	}
}

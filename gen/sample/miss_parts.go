package sample

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

func upper(s string) string {
	if u := strings.ToUpper(s); u != s {
		return u
	}
	return strings.ToLower(s)
}

func lastSize(s string) int {
	_, size := utf8.DecodeLastRuneInString(s)
	return size
}

func (p *placed) breakArray(n *schema.Node, add func(bool, string, func() []*value)) {
	v := p.value()
	nodes := p.hit.plan.nodes
	m := p.maker
	item := func(i int, more ...*schema.Node) *value {
		m.budget = maxMakes / 4
		return m.make(append(p.s.itemSchemas(nodes, i), more...), nil, p.hit.depth+1)
	}
	// grown has a number of items, new ones where there are not enough.
	grown := func(size int, more ...*schema.Node) []*value {
		if size > maxItems {
			return nil
		}
		w := array(v.Items[:min(size, len(v.Items)):min(size, len(v.Items))]...)
		for tries := 0; len(w.Items) < size && tries < size+200; tries++ {
			c := item(len(w.Items), more...)
			if c == nil {
				return nil
			}
			if n.UniqueItems && slices.ContainsFunc(w.Items, c.Equal) {
				continue
			}
			w.Items = append(w.Items, c)
		}
		return []*value{w}
	}
	add(n.MinItems != nil && *n.MinItems > 0, "minItems", func() []*value { return grown(int(min(*n.MinItems-1, maxItems+1))) })
	add(n.MaxItems != nil && *n.MaxItems < maxItems, "maxItems", func() []*value { return grown(int(*n.MaxItems) + 1) })
	add(n.UniqueItems, "uniqueItems", func() []*value { return p.repeated(item) })
	add(closed(n.Items), "items", func() []*value { return p.beyond(item) })
	add(closed(n.UnevaluatedItems), "unevaluatedItems", func() []*value { return p.beyond(item) })
	if n.Contains == nil {
		return
	}
	none := func(i int) *value {
		for range 20 {
			if c := item(i); c != nil && !m.judge.holds(n.Contains, c) {
				return c
			}
		}
		for _, c := range p.wrongTypes() {
			if !m.judge.holds(n.Contains, c) && m.judge.holdAll(p.s.itemSchemas(nodes, i), c) {
				return c
			}
		}
		return nil
	}
	keyword := "contains"
	if n.MinContains != nil {
		keyword = "minContains"
	}
	add(n.MinContains == nil || *n.MinContains > 0, keyword, func() []*value {
		// Items that are contained give way until one too few is left.
		w := v
		left := 0
		for i, c := range v.Items {
			if !m.judge.holds(n.Contains, c) {
				continue
			}
			if left++; n.MinContains != nil && int64(left) < *n.MinContains {
				continue
			}
			if other := none(i); other != nil {
				w = replace(w, []int{i}, other)
			}
		}
		return []*value{w, array()}
	})
	add(n.MaxContains != nil && *n.MaxContains < maxItems, "maxContains", func() []*value {
		return grown(len(v.Items)+int(*n.MaxContains)+1, n.Contains)
	})
}

func closed(n *schema.Node) bool { return n != nil && n.Always != nil && !*n.Always }

// repeated gives arrays with two equal items, equal as JSON is.
func (p *placed) repeated(item func(int, ...*schema.Node) *value) []*value {
	v := p.value()
	items := slices.Clone(v.Items)
	if len(items) == 0 {
		c := item(0)
		if c == nil {
			return nil
		}
		items = append(items, c)
	}
	twin := items[0]
	if twin.Kind == document.Number && !strings.ContainsAny(twin.Text, ".eE") {
		twin = number(twin.Text + ".0")
	}
	if twin.Kind == document.Object {
		twin = fresh(twin)
		twin.Members = slices.Clone(twin.Members)
		slices.Reverse(twin.Members)
	}
	all := []*value{array(append(slices.Clone(items), twin)...), array(items[0], twin)}
	if len(items) > 1 {
		all = append(all, array(append(slices.Clone(items[:len(items)-1]), twin)...))
	}
	return all
}

// beyond gives arrays with an item more than there may be.
func (p *placed) beyond(item func(int, ...*schema.Node) *value) []*value {
	w := array(slices.Clone(p.value().Items)...)
	for range 64 {
		if slices.ContainsFunc(p.s.itemSchemas(p.hit.plan.nodes, len(w.Items)), closed) {
			break
		}
		c := item(len(w.Items))
		if c == nil {
			return nil
		}
		w.Items = append(w.Items, c)
	}
	return []*value{
		array(append(slices.Clone(w.Items), null())...), array(append(slices.Clone(w.Items), text("extra"))...),
		array(append(slices.Clone(p.value().Items), number("1"))...),
	}
}

func (p *placed) breakObject(n *schema.Node, add func(bool, string, func() []*value)) {
	v := p.value()
	nodes := p.hit.plan.nodes
	m := p.maker
	made := func(name string) *value {
		m.budget = maxMakes / 4
		return m.make(p.s.memberSchemas(nodes, name), nil, p.hit.depth+1)
	}
	for _, name := range n.Required {
		if v.Get(name) == nil {
			continue // the schema applies without holding, as the one under if may
		}
		// By another case of letters the member is missing all the same.
		add(true, "required", func() []*value {
			all := []*value{lacking(v, name)}
			if u := upper(name); u != name {
				all = append(all, with(lacking(v, name), u, v.Get(name)))
			}
			return all
		})
	}
	unknown := func() []*value {
		var all []*value
		for _, name := range []string{"unknown", "x", "", "𝒳", "__proto__"} {
			if v.Get(name) == nil {
				all = append(all, with(v, name, null()), with(v, name, text("x")))
			}
		}
		if len(v.Members) > 0 {
			name := v.Members[0].Name
			all = append(all, with(v, upper(name), v.Members[0].Value), with(v, name+" ", v.Members[0].Value))
		}
		return all
	}
	add(closed(n.AdditionalProperties), "additionalProperties", unknown)
	add(closed(n.UnevaluatedProperties), "unevaluatedProperties", unknown)
	for _, pr := range n.Properties {
		add(closed(pr.Node), "properties", func() []*value { return []*value{with(v, pr.Name, null()), with(v, pr.Name, text("x"))} })
	}
	for _, pr := range n.PatternProperties {
		add(closed(pr.Node), "patternProperties", func() []*value {
			var all []*value
			for range 4 {
				if name, ok := m.word(stringRule{patterns: []wanted{{pr.Pattern, true}}, high: math.MaxInt64}, false); ok {
					all = append(all, with(v, name, null()))
				}
			}
			return all
		})
	}
	add(n.MinProperties != nil && *n.MinProperties > 0, "minProperties", func() []*value {
		w := v
		for i := len(w.Members) - 1; i >= 0 && int64(len(w.Members)) >= *n.MinProperties; i-- {
			if !p.hit.plan.required(w.Members[i].Name) {
				w = without(w, i)
			}
		}
		return []*value{w}
	})
	add(n.MaxProperties != nil && *n.MaxProperties < maxMembers, "maxProperties", func() []*value {
		o := &objectMaker{maker: m, plan: p.hit.plan, low: *n.MaxProperties + 1, high: *n.MaxProperties + 1}
		w := fresh(v)
		w.Members = slices.Clone(v.Members)
		for _, pr := range n.Properties {
			if w.Get(pr.Name) == nil && int64(len(w.Members)) < o.low {
				if c := made(pr.Name); c != nil {
					w.Members = append(w.Members, member(pr.Name, c))
				}
			}
		}
		m.budget = maxMakes
		o.strange(w)
		return []*value{w}
	})
	for _, d := range n.DependentRequired {
		for _, name := range d.Required {
			add(true, "dependentRequired", func() []*value {
				w := v
				for _, other := range append([]string{d.Name}, d.Required...) {
					if w.Get(other) == nil {
						if c := made(other); c != nil {
							w = with(w, other, c)
						}
					}
				}
				return []*value{lacking(w, name)}
			})
		}
	}
	add(n.PropertyNames != nil, "propertyNames", func() []*value { return p.misnamed(n) })
}

// misnamed gives objects with a member whose name is not allowed. What breaks the
// schema of the names, as a string, is a name that does.
func (p *placed) misnamed(n *schema.Node) []*value {
	v := p.value()
	names := []string{"", "x", "A b", "0", "é", "𝒳", strings.Repeat("n", 300)}
	named := New(n.PropertyNames, Depth(p.s.depth), Seed(p.maker.rng.Uint64()))
	named.names, named.formats, named.patterns, named.words = true, p.s.formats, p.s.patterns, p.s.words
	for miss := range named.NearMisses() {
		if w, err := decode(miss.JSON); err == nil && w.Kind == document.String {
			names = append(names, w.Text)
		}
		if len(names) > 60 {
			break
		}
	}
	var all []*value
	for _, name := range names {
		if v.Get(name) != nil || p.maker.judge.holds(n.PropertyNames, text(name)) {
			continue
		}
		p.maker.budget = maxMakes / 4
		if c := p.maker.make(p.s.memberSchemas(p.hit.plan.nodes, name), nil, p.hit.depth+1); c != nil {
			all = append(all, with(v, name, c))
		}
	}
	return all
}

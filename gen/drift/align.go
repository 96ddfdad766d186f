package drift

import (
	"maps"
	"slices"
	"strconv"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/drift/inclusion"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// pair is two schemas that stand for each other in the two versions, and differ.
type pair struct {
	old, new *schema.Node
	changes  []*change
	links    []link  // to pairs of what they name
	users    []*pair // that link here
	roots    []*root // messages it is part of; found when they are asked for
}

// link leads from a pair to one of parts of the value, or of the same value.
type link struct {
	to   *pair
	step step
}

// step says which part of a value a schema is about.
type step struct {
	kind     stepKind
	name     string   // member name, or pattern
	index    int      // of an item
	names    []string // others: the names left out
	patterns []string
	sender   *schema.Node // what it leads to on the sender's side; set on a way that is walked
}

type stepKind uint8

const (
	here stepKind = iota // the same value
	member
	matching
	other
	item
	items // from index on
)

type nodes struct{ old, new *schema.Node }

// aligner walks two graphs side by side. Pairs whose labels agree are left out.
type aligner struct {
	c      *comparer
	labels *inclusion.Labels
	pairs  map[nodes]*pair
	order  []*pair
}

// pair gives the pair of two nodes, or nil when they say the same.
func (a *aligner) pair(o, n *schema.Node) *pair {
	o, n = a.follow(o), a.follow(n)
	key := nodes{o, n}
	if p, ok := a.pairs[key]; ok {
		return p
	}
	if a.labels.Of(o) == a.labels.Of(n) || !a.alike(o, n) && a.c.equivalent(o, n) && !a.noted(o, n) {
		a.pairs[key] = nil
		return nil
	}
	p := &pair{old: o, new: n}
	a.pairs[key] = p
	a.order = append(a.order, p)
	a.compare(p)
	return p
}

// alike tells whether two schemas are plain objects or lists that differ in what
// they name at most: then it is enough to compare that, which is cheaper.
func (a *aligner) alike(o, n *schema.Node) bool {
	plain := func(n *schema.Node) bool {
		return n.Always == nil && n.Ref == nil && n.DynamicRef == nil && n.Not == nil && n.If == nil && n.Contains == nil && n.PropertyNames == nil &&
			len(n.AllOf)+len(n.AnyOf)+len(n.OneOf)+len(n.PatternProperties)+len(n.DependentSchemas)+len(n.PrefixItems) == 0 &&
			n.UnevaluatedItems == nil && n.UnevaluatedProperties == nil
	}
	if !plain(o) || !plain(n) || len(o.Properties) != len(n.Properties) || (o.Items == nil) != (n.Items == nil) || len(o.Properties) == 0 && o.Items == nil {
		return false
	}
	for i := range aspects {
		if !aspects[i].note && !aspects[i].same(a.labels, o, n) {
			return false
		}
	}
	for _, p := range o.Properties {
		if n.Property(p.Name) == nil || o.IsRequired(p.Name) != n.IsRequired(p.Name) {
			return false
		}
	}
	return len(o.Required) == len(n.Required) && sameNode(a.labels, o.AdditionalProperties, n.AdditionalProperties)
}

// noted tells whether two schemas that accept the same may differ in annotations.
func (a *aligner) noted(o, n *schema.Node) bool {
	return a.c.plainLabels.Of(o) == a.c.plainLabels.Of(n)
}

// follow goes through references beside which nothing stands that counts.
func (a *aligner) follow(n *schema.Node) *schema.Node {
	for {
		t := n.Target()
		if t == n || a.labels.Of(n) != a.labels.Of(t) {
			return n
		}
		n = t
	}
}

func (a *aligner) compare(p *pair) {
	o, n := p.old, p.new
	if o.Always != nil || n.Always != nil {
		p.changes = append(p.changes, whole(o, n))
		return
	}
	for i := range aspects {
		if c := aspects[i].compare(a.labels, o, n); c != nil {
			p.changes = append(p.changes, c)
		}
	}
	format := formatAspect(a.c.formats)
	if c := format.compare(a.labels, o, n); c != nil {
		p.changes = append(p.changes, c)
	}
	a.properties(p)
	a.items(p)
	a.conditions(p)
	a.branches(p, "allOf", conjuncts(o), conjuncts(n))
	switch {
	case (o.AnyOf != nil) != (n.AnyOf != nil) && (o.OneOf != nil) != (n.OneOf != nil):
		c := &change{keyword: "oneOf", hasOld: true, hasNew: true, move: func(dst, src *schema.Node) { dst.AnyOf, dst.OneOf = src.AnyOf, src.OneOf }}
		c.old, _ = written(o, []string{"oneOf", "anyOf"})
		c.new, _ = written(n, []string{"oneOf", "anyOf"})
		p.changes = append(p.changes, c)
	case (o.AnyOf != nil) != (n.AnyOf != nil) || (o.OneOf != nil) != (n.OneOf != nil):
		// Alternatives came or went, and with them usually what stood there instead:
		// that is one edit.
		keyword := "anyOf"
		if (o.OneOf != nil) != (n.OneOf != nil) {
			keyword = "oneOf"
		}
		c := whole(o, n)
		if len(p.links) == 0 && !slices.ContainsFunc(p.changes, func(c *change) bool { return !c.note }) {
			c.keyword = keyword
			c.old, c.hasOld = written(o, []string{keyword})
			c.new, c.hasNew = written(n, []string{keyword})
		}
		p.changes = append(slices.DeleteFunc(p.changes, func(c *change) bool { return !c.note }), c)
		p.links = nil
	default:
		a.branches(p, "anyOf", o.AnyOf, n.AnyOf)
		a.branches(p, "oneOf", o.OneOf, n.OneOf)
	}
}

// whole is a change that takes one schema for the other.
func whole(o, n *schema.Node) *change {
	return &change{keyword: "schema", hasOld: true, hasNew: true, move: func(dst, src *schema.Node) { *dst = *clone(src) }}
}

// link adds what two schemas name at the same place: a pair to descend into, or a
// change of p itself where one of them only says yes or no.
func (a *aligner) link(p *pair, s step, o, n *schema.Node, c *change) {
	x, y := a.follow(o), a.follow(n)
	if a.labels.Of(x) == a.labels.Of(y) {
		return
	}
	if x.Always != nil || y.Always != nil || empty(x) || empty(y) {
		if !a.c.equivalent(x, y) {
			c.hasOld, c.hasNew = true, true
			p.changes = append(p.changes, c)
		}
		return
	}
	if to := a.pair(x, y); to != nil {
		p.links = append(p.links, link{to, s})
	}
}

func empty(n *schema.Node) bool {
	return n.Value != nil && n.Value.Kind == document.Object && len(n.Value.Members) == 0
}

func (a *aligner) properties(p *pair) {
	o, n := p.old, p.new
	seen := map[string]bool{}
	for _, q := range slices.Concat(o.Properties, n.Properties) {
		name := q.Name
		if seen[name] {
			continue
		}
		seen[name] = true
		at := "/properties/" + document.EscapeToken(name)
		x, y := o.Property(name), n.Property(name)
		if x == nil || y == nil {
			p.changes = append(p.changes, &change{keyword: "properties", detail: name, old: at, new: at, hasOld: x != nil, hasNew: y != nil, move: setProperty(name)})
			continue
		}
		a.link(p, step{kind: member, name: name}, x, y, &change{keyword: "properties", detail: name, old: at, new: at, move: setProperty(name)})
		a.required(p, name)
	}
	for _, name := range slices.Concat(o.Required, n.Required) {
		if !seen[name] {
			seen[name] = true
			a.required(p, name)
		}
	}
	patterns := map[string]bool{}
	for _, q := range slices.Concat(o.PatternProperties, n.PatternProperties) {
		if patterns[q.Pattern] {
			continue
		}
		patterns[q.Pattern] = true
		at := "/patternProperties/" + document.EscapeToken(q.Pattern)
		x, y := patterned(o, q.Pattern), patterned(n, q.Pattern)
		c := &change{keyword: "patternProperties", detail: q.Pattern, old: at, new: at, hasOld: x != nil, hasNew: y != nil, move: setPattern(q.Pattern)}
		if x == nil || y == nil {
			p.changes = append(p.changes, c)
			continue
		}
		a.link(p, step{kind: matching, name: q.Pattern}, x, y, c)
	}
	a.one(p, "additionalProperties", o.AdditionalProperties, n.AdditionalProperties, a.others(o, n), func(dst, src *schema.Node) {
		dst.AdditionalProperties = src.AdditionalProperties
	})
}

// others is the step to members that neither schema lists.
func (a *aligner) others(o, n *schema.Node) step {
	s := step{kind: other}
	for _, x := range []*schema.Node{o, n} {
		for _, p := range x.Properties {
			s.names = append(s.names, p.Name)
		}
		for _, p := range x.PatternProperties {
			s.patterns = append(s.patterns, p.Pattern)
		}
	}
	return s
}

func patterned(n *schema.Node, pattern string) *schema.Node {
	for _, p := range n.PatternProperties {
		if p.Pattern == pattern {
			return p.Node
		}
	}
	return nil
}

func (a *aligner) required(p *pair, name string) {
	x, y := p.old.IsRequired(name), p.new.IsRequired(name)
	if x == y {
		return
	}
	c := &change{keyword: "required", detail: name, hasOld: x, hasNew: y, move: setRequired(name)}
	c.old, _ = written(p.old, []string{"required"})
	c.new, _ = written(p.new, []string{"required"})
	p.changes = append(p.changes, c)
}

// one handles a keyword that holds one schema.
func (a *aligner) one(p *pair, keyword string, x, y *schema.Node, s step, move func(dst, src *schema.Node)) {
	at := "/" + keyword
	c := &change{keyword: keyword, old: at, new: at, hasOld: x != nil, hasNew: y != nil, move: move}
	switch {
	case x == nil && y == nil:
	case x == nil || y == nil:
		p.changes = append(p.changes, c)
	default:
		a.link(p, s, x, y, c)
	}
}

func (a *aligner) items(p *pair) {
	o, n := p.old, p.new
	move := func(dst, src *schema.Node) { dst.PrefixItems, dst.Items = src.PrefixItems, src.Items }
	shared := min(len(o.PrefixItems), len(n.PrefixItems))
	for i := range shared {
		at := "/prefixItems/" + strconv.Itoa(i)
		a.link(p, step{kind: item, index: i}, o.PrefixItems[i], n.PrefixItems[i], &change{keyword: "prefixItems", detail: strconv.Itoa(i), old: at, new: at, move: move})
	}
	if len(o.PrefixItems) != len(n.PrefixItems) {
		c := &change{keyword: "prefixItems", hasOld: o.PrefixItems != nil, hasNew: n.PrefixItems != nil, move: move}
		c.old, _ = written(o, []string{"prefixItems"})
		c.new, _ = written(n, []string{"prefixItems"})
		p.changes = append(p.changes, c)
	}
	a.one(p, "items", o.Items, n.Items, step{kind: items, index: max(len(o.PrefixItems), len(n.PrefixItems))}, move)
}

// conditions handles if, then, else and dependentSchemas.
func (a *aligner) conditions(p *pair) {
	o, n := p.old, p.new
	test := func(dst, src *schema.Node) { dst.If, dst.Then, dst.Else = src.If, src.Then, src.Else }
	if !sameNode(a.labels, o.If, n.If) {
		c := &change{keyword: "if", old: "/if", new: "/if", hasOld: o.If != nil, hasNew: n.If != nil, move: test}
		p.changes = append(p.changes, c)
	} else if o.If != nil {
		a.one(p, "then", o.Then, n.Then, step{}, func(dst, src *schema.Node) { dst.Then = src.Then })
		a.one(p, "else", o.Else, n.Else, step{}, func(dst, src *schema.Node) { dst.Else = src.Else })
	}
	seen := map[string]bool{}
	for _, q := range slices.Concat(o.DependentSchemas, n.DependentSchemas) {
		if seen[q.Name] {
			continue
		}
		seen[q.Name] = true
		find := func(n *schema.Node) *schema.Node {
			for _, p := range n.DependentSchemas {
				if p.Name == q.Name {
					return p.Node
				}
			}
			return nil
		}
		x, y := find(o), find(n)
		at := "/dependentSchemas/" + document.EscapeToken(q.Name)
		c := &change{keyword: "dependentSchemas", detail: q.Name, old: at, new: at, hasOld: x != nil, hasNew: y != nil, move: setDependent(q.Name)}
		if x == nil || y == nil {
			p.changes = append(p.changes, c)
			continue
		}
		a.link(p, step{}, x, y, c)
	}
}

// conjuncts are all schemas that must hold beside a schema's own rules.
func conjuncts(n *schema.Node) []*schema.Node {
	var list []*schema.Node
	for _, c := range []*schema.Node{n.Ref, n.DynamicRef} {
		if c != nil {
			list = append(list, c)
		}
	}
	return append(list, n.AllOf...)
}

// branches pairs the branches of allOf (with references), anyOf or oneOf.
func (a *aligner) branches(p *pair, keyword string, old, new []*schema.Node) {
	partners := a.match(old, new)
	taken := map[*schema.Node]bool{}
	for i, o := range old {
		n := partners[i]
		if n == nil {
			p.changes = append(p.changes, branchChange(keyword, o, nil, p))
			continue
		}
		taken[n] = true
		a.link(p, step{}, o, n, branchChange(keyword, o, n, p))
	}
	for _, n := range new {
		if !taken[n] {
			p.changes = append(p.changes, branchChange(keyword, nil, n, p))
		}
	}
}

// branchChange is a branch that came, went, or became another.
func branchChange(keyword string, o, n *schema.Node, p *pair) *change {
	c := &change{keyword: keyword, hasOld: o != nil, hasNew: n != nil}
	c.old, _ = written(p.old, []string{keyword, "$ref", "$dynamicRef"})
	c.new, _ = written(p.new, []string{keyword, "$ref", "$dynamicRef"})
	if o != nil {
		c.old, c.detail = below(p.old, o), branchName(o)
	}
	if n != nil {
		c.new, c.detail = below(p.new, n), branchName(n)
	}
	// One way it puts the branch in, the other way it takes it out.
	c.move = func(dst, src *schema.Node) {
		from, to := o, n
		if src == p.old {
			from, to = n, o
		}
		list := listOf(dst, keyword)
		if from != nil {
			if dst.Ref == from {
				dst.Ref = nil
			}
			if dst.DynamicRef == from {
				dst.DynamicRef = nil
			}
			*list = slices.DeleteFunc(slices.Clone(*list), func(b *schema.Node) bool { return b == from })
		}
		if to != nil {
			*list = append(slices.Clone(*list), to)
		}
		if len(*list) == 0 {
			*list = nil
		}
	}
	return c
}

func listOf(n *schema.Node, keyword string) *[]*schema.Node {
	switch keyword {
	case "anyOf":
		return &n.AnyOf
	case "oneOf":
		return &n.OneOf
	}
	return &n.AllOf
}

// below gives the pointer of a branch below the schema that names it.
func below(n, branch *schema.Node) string {
	for e := range n.Edges() {
		if e.Node == branch {
			switch e.Keyword {
			case "$ref", "$dynamicRef":
				return "/" + e.Keyword
			case "allOf", "anyOf", "oneOf":
				return "/" + e.Keyword + "/" + strconv.Itoa(e.Index)
			}
		}
	}
	return ""
}

// match finds for each old branch the new one that stands for it, or nil.
func (a *aligner) match(old, new []*schema.Node) []*schema.Node {
	partners := make([]*schema.Node, len(old))
	free := slices.Clone(new)
	pick := func(fits func(o, n *schema.Node) bool) {
		for i, o := range old {
			if partners[i] != nil {
				continue
			}
			for j, n := range free {
				if n != nil && fits(o, n) {
					partners[i], free[j] = n, nil
					break
				}
			}
		}
	}
	pick(func(o, n *schema.Node) bool { return a.labels.Of(o) == a.labels.Of(n) })
	pick(func(o, n *schema.Node) bool { return sharesTag(o, n) })
	pick(func(o, n *schema.Node) bool { return o.RefText != "" && o.RefText == n.RefText })
	pick(func(o, n *schema.Node) bool { return o.Title != "" && o.Title == n.Title })
	pick(func(o, n *schema.Node) bool {
		return len(tagsOf(o))+len(tagsOf(n)) == 0 && a.sharesPart(o.Target(), n.Target())
	})
	pick(func(o, n *schema.Node) bool { return len(tagsOf(o))+len(tagsOf(n)) == 0 && a.c.equivalent(o, n) })
	pick(func(o, n *schema.Node) bool {
		x, y := o.Target(), n.Target()
		if x.Types != y.Types || x.Const != nil || y.Const != nil {
			return false
		}
		return len(tagsOf(o)) == 0 && len(tagsOf(n)) == 0
	})
	return partners
}

// sharesPart tells whether two branches have the same types and a part that says
// the same in both.
func (a *aligner) sharesPart(o, n *schema.Node) bool {
	if o.Types != n.Types {
		return false
	}
	parts := map[string]bool{}
	for e := range o.Edges() {
		x := a.labels.Of(e.Node)
		parts[e.Keyword+" "+e.Name+" "+string(x[:])] = true
	}
	for e := range n.Edges() {
		x := a.labels.Of(e.Node)
		if parts[e.Keyword+" "+e.Name+" "+string(x[:])] {
			return true
		}
	}
	return false
}

// tagsOf gives the members of a branch that have one value only.
func tagsOf(n *schema.Node) map[string]string { return constants(n.Target(), true) }

// constants gives the members whose value a schema fixes: all, or those it requires.
func constants(n *schema.Node, required bool) map[string]string {
	tags := map[string]string{}
	for _, p := range n.Properties {
		c := p.Node.Target()
		switch {
		case required && !n.IsRequired(p.Name):
		case c.Const != nil:
			tags[p.Name] = c.Const.Canonical()
		case len(c.Enum) == 1:
			tags[p.Name] = c.Enum[0].Canonical()
		}
	}
	return tags
}

func sharesTag(o, n *schema.Node) bool {
	x, y := tagsOf(o), tagsOf(n)
	shared := false
	for name, v := range x {
		w, there := y[name]
		if there && v != w {
			return false
		}
		shared = shared || there
	}
	return shared
}

// branchName gives a branch a name for people.
func branchName(n *schema.Node) string {
	t := n.Target()
	tags := tagsOf(n)
	if len(tags) == 0 {
		tags = constants(t, false) // what is beside the union may require it
	}
	names := slices.Sorted(maps.Keys(tags))
	switch {
	case len(names) > 0:
		return names[0] + ": " + tags[names[0]]
	case n.RefText != "":
		return n.RefText
	case t.Title != "":
		return t.Title
	case t.Const != nil:
		return t.Const.Canonical()
	case t.Types != 0:
		return t.Types.String()
	}
	return ""
}

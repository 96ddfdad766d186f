package inclusion

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Label is a digest of what a schema says. Schemas with one label accept the
// same values; the reverse need not hold.
type Label [16]byte

// Labels computes labels of nodes of any graphs. Order and repetition where
// they do not count, references and descriptions make no difference.
type Labels struct {
	annotations bool
	formats     bool
	known       map[*schema.Node]Label
	visit       map[*schema.Node]*visit
	stack       []*visit
	count       int
}

// NewLabels makes labels that look at format as well, or also at the other
// annotations that a program may act on: default, format, content, readOnly,
// writeOnly, deprecated, and keywords of no vocabulary.
func NewLabels(formats, annotations bool) *Labels {
	return &Labels{formats: formats || annotations, annotations: annotations,
		known: map[*schema.Node]Label{}, visit: map[*schema.Node]*visit{}}
}

type visit struct {
	node     *schema.Node
	low, at  int
	active   bool
	children []*schema.Node
}

// Of gives the label of a node.
func (l *Labels) Of(n *schema.Node) Label {
	n = l.resolved(n)
	if label, ok := l.known[n]; ok {
		return label
	}
	l.search(n)
	return l.known[n]
}

// resolved follows references beside which nothing stands that counts.
func (l *Labels) resolved(n *schema.Node) *schema.Node {
	for l.annotations {
		to := n.Ref
		if to == nil {
			to = n.DynamicRef
		}
		if to == nil || len(notes(nil, n)) > 0 || n.Target() == n {
			return n
		}
		n = to
	}
	return n.Target()
}

// search finds the cycles that nodes below n are in (Tarjan) and labels each
// node after those it leads to.
func (l *Labels) search(n *schema.Node) *visit {
	l.count++
	v := &visit{node: n, low: l.count, at: l.count, active: true}
	l.visit[n] = v
	l.stack = append(l.stack, v)
	for e := range n.Edges() {
		if e.Place == schema.Definition {
			continue
		}
		c := l.resolved(e.Node)
		v.children = append(v.children, c)
		if _, ok := l.known[c]; ok {
			continue
		}
		if w := l.visit[c]; w != nil {
			v.low = min(v.low, w.at)
		} else {
			v.low = min(v.low, l.search(c).low)
		}
	}
	if v.low == v.at {
		at := slices.Index(l.stack, v)
		group := slices.Clone(l.stack[at:])
		l.stack = l.stack[:at]
		l.finish(group)
	}
	return v
}

func (l *Labels) finish(group []*visit) {
	defer func() {
		for _, v := range group {
			delete(l.visit, v.node)
		}
	}()
	if len(group) == 1 && !slices.Contains(group[0].children, group[0].node) {
		l.known[group[0].node] = digest(l.text(group[0].node, l.lookup))
		return
	}
	// Within a cycle labels start equal and are refined until nothing splits; the
	// whole cycle, written with them, is part of each.
	labels := map[*schema.Node]Label{}
	for _, v := range group {
		labels[v.node] = Label{}
	}
	inside := func(n *schema.Node) Label {
		n = l.resolved(n)
		if label, ok := labels[n]; ok {
			return label
		}
		return l.known[n]
	}
	for distinct := 0; ; {
		next := make(map[*schema.Node]Label, len(group))
		seen := map[Label]bool{}
		for _, v := range group {
			next[v.node] = digest(l.text(v.node, inside))
			seen[next[v.node]] = true
		}
		labels = next
		if len(seen) == distinct {
			break
		}
		distinct = len(seen)
	}
	lines := map[Label]bool{}
	for _, v := range group {
		own, line := labels[v.node], digest(l.text(v.node, inside))
		lines[digest(append(own[:], line[:]...))] = true
	}
	whole := digest(joined(nil, keysOf(lines)))
	for _, v := range group {
		own := labels[v.node]
		l.known[v.node] = digest(append(whole[:], own[:]...))
	}
}

func (l *Labels) lookup(n *schema.Node) Label { return l.known[l.resolved(n)] }

func digest(b []byte) Label {
	sum := sha256.Sum256(b)
	return Label(sum[:16])
}

func keysOf(m map[Label]bool) []Label {
	list := make([]Label, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	return list
}

// joined appends labels in an order of their own, each once.
func joined(b []byte, labels []Label) []byte {
	slices.SortFunc(labels, func(x, y Label) int { return slices.Compare(x[:], y[:]) })
	for _, x := range slices.Compact(labels) {
		b = append(b, x[:]...)
	}
	return b
}

// writer appends keywords with their values, each marked and with its length.
type writer struct{ b []byte }

func (w *writer) keyword(k byte, content []byte) {
	w.b = append(w.b, k)
	w.b = binary.AppendUvarint(w.b, uint64(len(content)))
	w.b = append(w.b, content...)
}

func (w *writer) text(k byte, s string) { w.keyword(k, []byte(s)) }

func (w *writer) count(k byte, n *int64) {
	if n != nil {
		w.keyword(k, binary.AppendVarint(nil, *n))
	}
}

func (w *writer) value(k byte, v *document.Value) {
	if v != nil {
		w.text(k, v.Canonical())
	}
}

func (w *writer) strings(k byte, list []string) {
	list = slices.Clone(list)
	slices.Sort(list)
	var b []byte
	for _, s := range slices.Compact(list) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	w.keyword(k, b)
}

// text writes what a node says, with the labels of the nodes it names.
func (l *Labels) text(n *schema.Node, label func(*schema.Node) Label) []byte {
	w := &writer{}
	if n.Always != nil {
		if *n.Always {
			return nil
		}
		return []byte{0}
	}
	if n.Types != 0 {
		t := n.Types
		if t.Has(schema.TypeNumber) {
			t |= schema.TypeInteger
		}
		w.keyword(1, []byte{byte(t)})
	}
	w.value(2, n.Const)
	if n.Enum != nil {
		var texts []string
		for _, v := range n.Enum {
			texts = append(texts, v.Canonical())
		}
		w.strings(3, texts)
	}
	one := func(k byte, c *schema.Node) {
		if c != nil {
			x := label(c)
			w.keyword(k, x[:])
		}
	}
	set := func(k byte, list []*schema.Node, counted bool) {
		if list == nil {
			return
		}
		labels := make([]Label, len(list))
		for i, c := range list {
			labels[i] = label(c)
		}
		b := joined(nil, slices.Clone(labels))
		if counted && len(b) != 16*len(labels) {
			// Of oneOf it matters that a branch stands there twice.
			slices.SortFunc(labels, func(x, y Label) int { return slices.Compare(x[:], y[:]) })
			b = b[:0]
			for _, x := range labels {
				b = append(b, x[:]...)
			}
		}
		w.keyword(k, b)
	}
	one(4, n.Ref)
	one(5, n.DynamicRef)
	set(6, n.AllOf, false)
	set(7, n.AnyOf, false)
	set(8, n.OneOf, true)
	one(9, n.Not)
	if n.If != nil {
		one(10, n.If)
		one(11, n.Then)
		one(12, n.Else)
	}
	named := func(k byte, list []schema.Property) {
		var texts []string
		for _, p := range list {
			x := label(p.Node)
			texts = append(texts, p.Name+"\x00"+string(x[:]))
		}
		if texts != nil {
			w.strings(k, texts)
		}
	}
	named(13, n.DependentSchemas)
	named(14, n.Properties)
	if n.PatternProperties != nil {
		var list []schema.Property
		for _, p := range n.PatternProperties {
			list = append(list, schema.Property{Name: p.Pattern, Node: p.Node})
		}
		named(15, list)
	}
	one(16, n.AdditionalProperties)
	one(17, n.PropertyNames)
	if n.PrefixItems != nil {
		var b []byte
		for _, c := range n.PrefixItems {
			x := label(c)
			b = append(b, x[:]...)
		}
		w.keyword(18, b)
	}
	one(19, n.Items)
	one(20, n.Contains)
	one(21, n.UnevaluatedItems)
	one(22, n.UnevaluatedProperties)
	if len(n.Required) > 0 {
		w.strings(23, n.Required)
	}
	if n.DependentRequired != nil {
		var texts []string
		for _, d := range n.DependentRequired {
			inner := &writer{}
			inner.strings(0, d.Required)
			texts = append(texts, d.Name+"\x00"+string(inner.b))
		}
		w.strings(24, texts)
	}
	for i, c := range []*int64{n.MinProperties, n.MaxProperties, n.MinItems, n.MaxItems, n.MinLength, n.MaxLength, n.MinContains, n.MaxContains} {
		w.count(byte(25+i), c)
	}
	if n.UniqueItems {
		w.keyword(33, nil)
	}
	if n.Pattern != nil {
		w.text(34, *n.Pattern)
	}
	if n.Format != "" && (l.formats || n.AssertFormat) {
		w.text(35, n.Format)
	}
	for i, v := range []*document.Value{n.Minimum, n.Maximum, n.ExclusiveMinimum, n.ExclusiveMaximum, n.MultipleOf} {
		w.value(byte(36+i), v)
	}
	if l.annotations {
		w.b = notes(w.b, n)
	}
	return w.b
}

// notes writes the annotations that a program may act on.
func notes(b []byte, n *schema.Node) []byte {
	w := &writer{b}
	w.value(50, n.Default)
	for i, s := range []string{n.Format, n.ContentEncoding, n.ContentMediaType} {
		if s != "" {
			w.text(byte(51+i), s)
		}
	}
	for i, f := range []bool{n.Deprecated, n.ReadOnly, n.WriteOnly} {
		if f {
			w.keyword(byte(54+i), nil)
		}
	}
	for _, u := range n.Unknown {
		if u.Keyword == "discriminator" {
			w.value(57, u.Value)
		}
	}
	return w.b
}

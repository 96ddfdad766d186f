package differential

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// sameMessage tells whether a message was written back as it was read: the same
// values; members that no schema names in their order; what no schema says
// anything about token by token, numbers as they were written.
func sameMessage(n *schema.Node, before, after []byte) error {
	x, err := parse(before)
	if err != nil {
		return err
	}
	y, err := parse(after)
	if err != nil {
		return err
	}
	return same([]*schema.Node{n}, x, y, "")
}

func parse(data []byte) (*document.Value, error) {
	// In an array no message is taken for a document of some form.
	f, err := document.Parse("message", slices.Concat([]byte("["), data, []byte("]")))
	if err != nil {
		return nil, err
	}
	return f.Root.Items[0], nil
}

func same(nodes []*schema.Node, x, y *document.Value, pointer string) error {
	nodes = applying(nodes)
	if x.Kind != y.Kind {
		return fmt.Errorf("%q was %s and is %s", pointer, x.Kind, y.Kind)
	}
	switch x.Kind {
	case document.Object:
		return sameObject(nodes, x, y, pointer)
	case document.Array:
		if len(x.Items) != len(y.Items) {
			return fmt.Errorf("%q had %d items and has %d", pointer, len(x.Items), len(y.Items))
		}
		for i := range x.Items {
			if err := same(itemNodes(nodes, i), x.Items[i], y.Items[i], pointer+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
	case document.Number:
		switch {
		case len(nodes) == 0:
			if x.Text != y.Text {
				return fmt.Errorf("%q was written %s and is written %s", pointer, x.Text, y.Text)
			}
		case x.Decimal() == y.Decimal():
		case doubles(nodes) && double(x.Text) == double(y.Text):
		default:
			return fmt.Errorf("%q was %s and is %s", pointer, x.Text, y.Text)
		}
	case document.String:
		if x.Text != y.Text {
			return fmt.Errorf("%q was %q and is %q", pointer, x.Text, y.Text)
		}
	case document.Bool:
		if x.Bool != y.Bool {
			return fmt.Errorf("%q was %t", pointer, x.Bool)
		}
	}
	return nil
}

func sameObject(nodes []*schema.Node, x, y *document.Value, pointer string) error {
	if len(x.Members) != len(y.Members) {
		return fmt.Errorf("%q had %d members and has %d", pointer, len(x.Members), len(y.Members))
	}
	strange := func(v *document.Value) (names []string) {
		for _, m := range v.Members {
			if !slices.ContainsFunc(nodes, func(n *schema.Node) bool { return n.Property(m.Name) != nil }) {
				names = append(names, m.Name)
			}
		}
		return names
	}
	if a, b := strange(x), strange(y); !slices.Equal(a, b) {
		return fmt.Errorf("%q had the members %q and has %q", pointer, a, b)
	}
	for _, m := range x.Members {
		other := y.Get(m.Name)
		if other == nil {
			return fmt.Errorf("%q has lost the member %q", pointer, m.Name)
		}
		if err := same(memberNodes(nodes, m.Name), m.Value, other, pointer+"/"+document.EscapeToken(m.Name)); err != nil {
			return err
		}
	}
	return nil
}

// applying gives every schema with a rule that may have a say about a value, in
// whichever branch.
func applying(nodes []*schema.Node) []*schema.Node {
	var all []*schema.Node
	seen := map[*schema.Node]bool{}
	for todo := nodes; len(todo) > 0; {
		n := todo[0]
		todo = todo[1:]
		if seen[n] || n.Always != nil || len(n.Value.Members) == 0 {
			continue
		}
		seen[n] = true
		all = append(all, n)
		for e := range n.Edges() {
			if e.Place == schema.InPlace {
				todo = append(todo, e.Node)
			}
		}
	}
	return all
}

func memberNodes(nodes []*schema.Node, name string) []*schema.Node {
	var all []*schema.Node
	for _, n := range nodes {
		own := false
		if p := n.Property(name); p != nil {
			all, own = append(all, p), true
		}
		for _, p := range n.PatternProperties {
			if wire.MustPattern(p.Pattern).Match([]byte(name)) {
				all, own = append(all, p.Node), true
			}
		}
		if !own && n.AdditionalProperties != nil {
			all = append(all, n.AdditionalProperties)
		}
		if n.UnevaluatedProperties != nil {
			all = append(all, n.UnevaluatedProperties)
		}
	}
	return all
}

func itemNodes(nodes []*schema.Node, i int) []*schema.Node {
	var all []*schema.Node
	for _, n := range nodes {
		switch {
		case i < len(n.PrefixItems):
			all = append(all, n.PrefixItems[i])
		case n.Items != nil:
			all = append(all, n.Items)
		}
		for _, c := range []*schema.Node{n.Contains, n.UnevaluatedItems} {
			if c != nil {
				all = append(all, c)
			}
		}
	}
	return all
}

// doubles tells whether numbers of the schemas are float64 in Go: both bounds are
// given, and no integer is asked for. Digits beyond its precision are lost.
func doubles(nodes []*schema.Node) bool {
	return slices.ContainsFunc(nodes, func(n *schema.Node) bool {
		return n.Types.Has(schema.TypeNumber) && (n.Minimum != nil || n.ExclusiveMinimum != nil) && (n.Maximum != nil || n.ExclusiveMaximum != nil)
	})
}

func double(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

package shape

import (
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// isUnion tells an anyOf or oneOf all of whose branches, together with what stands beside it, are structs or unions.
func (b *builder) isUnion(n *schema.Node) bool { return b.isUnionIn(n, map[*schema.Node]bool{}) }

func (b *builder) isUnionIn(n *schema.Node, visiting map[*schema.Node]bool) bool {
	if known, done := b.unions[n]; done {
		return known
	}
	if visiting[n] {
		return false
	}
	ok := b.allVariants(n, visiting)
	if ok || len(visiting) == 0 {
		// What is no union only because it contains a schema that is being looked at may be one by itself.
		b.unions[n] = ok
	}
	return ok
}

// allVariants tells whether n is a choice between structs and unions that differ.
func (b *builder) allVariants(n *schema.Node, visiting map[*schema.Node]bool) bool {
	branches, ok := b.fold(n)
	if !ok {
		return false
	}
	visiting[n] = true
	defer delete(visiting, n)
	seen := map[string]bool{}
	for _, branch := range branches {
		branch = branch.Target()
		if !b.isStruct(branch) && !b.isUnionIn(branch, visiting) || nullByItself(branch) || seen[b.key(branch)] {
			return false
		}
		seen[b.key(branch)] = true
	}
	return true
}

func (b *builder) fillUnion(t *Type) {
	branches, _ := b.fold(t.Node)
	t.Decision = Decide(branches)
	t.Complex = t.Decision.mustTry()
	labels := branchLabels(t.Decision, len(branches))
	for i, branch := range branches {
		vt := b.named(branch, candidate{rank: rankVariant, parent: t, text: labels[i].text, flag: labels[i].flag})
		vt.Unions = append(vt.Unions, t)
		t.Variants = append(t.Variants, &Variant{Type: vt, Branch: branch})
	}
}

// mustTry reports whether the decision leaves more than one branch anywhere.
func (d *Decision) mustTry() bool {
	if d == nil {
		return false
	}
	if d.Leaf {
		return len(d.Branches) > 1
	}
	for _, next := range d.ByKind {
		if next.mustTry() {
			return true
		}
	}
	for _, c := range d.Cases {
		if c.Next.mustTry() {
			return true
		}
	}
	return d.Other.mustTry()
}

// label is what tells a branch apart, for its name.
type label struct {
	text string
	flag bool // it is the name of a boolean member, after "not" where that is false
}

// branchLabels names each branch by the values that lead to it and to nothing else. Of several values that lead the
// same way the first in the alphabet counts.
func branchLabels(d *Decision, n int) []label {
	labels := make([]label, n)
	var walk func(d *Decision, path label)
	walk = func(d *Decision, path label) {
		switch {
		case d == nil:
		case d.Leaf:
			for _, i := range d.Branches {
				if labels[i].text == "" && len(d.Branches) == 1 {
					labels[i] = path
				}
			}
		case d.ByKind != nil:
			for _, kind := range valueKinds {
				walk(d.ByKind[kind], path)
			}
		default:
			for _, c := range d.Cases {
				walk(c.Next, path.with(d.Member, c.Values))
			}
			walk(d.Other, label{text: strings.TrimSpace(path.text + " other")})
		}
	}
	walk(d, label{})
	return labels
}

func (l label) with(member string, values []*document.Value) label {
	text := ""
	for _, v := range values {
		word := v.Text
		if v.Kind == document.Bool {
			word = member
			if !v.Bool {
				word = "not " + member
			}
		}
		if text == "" || word < text {
			text = word
		}
	}
	return label{text: strings.TrimSpace(l.text + " " + text), flag: l.text == "" && values[0].Kind == document.Bool}
}

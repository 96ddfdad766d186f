package shape

import (
	"fmt"
	"slices"
	"sort"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// rank orders where a name comes from; a lower rank is the better source.
type rank int

const (
	rankDef     rank = iota // a $defs entry
	rankTitle               // the document's title
	rankVariant             // the constant that tells a variant of a union apart
	rankMember              // the member under which the schema is used
)

// candidate is one name a type might get.
type candidate struct {
	rank    rank
	parent  *Type  // the struct or union it is used in
	text    string // a name as the document spells it
	element bool   // an element of what the text names
	flag    bool   // rankVariant: the text is the name of a boolean
}

// ofElement is the candidate for the elements of what c names.
func (c candidate) ofElement() candidate {
	c.element = true
	return c
}

// assignNames gives every type its name. A pinned name wins; otherwise the best candidate. Names of members are led by
// the name of their parent, unless all uses of the type stand under the same member name of different parents.
func (b *builder) assignNames() error {
	ids := make([]string, 0, len(b.types))
	for id := range b.types {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		t := b.types[id]
		sort.Strings(t.Uses)
		t.Uses = slices.Compact(t.Uses)
		if err := b.onlyOnePin(t); err != nil {
			return err
		}
		if name, ok := b.pinned(t); ok {
			t.Name = name
		}
	}
	visiting := map[*Type]bool{}
	for _, id := range ids {
		b.nameOf(b.types[id], visiting)
	}
	return b.separate(ids)
}

func (b *builder) nameOf(t *Type, visiting map[*Type]bool) string {
	if t.Name != "" {
		return t.Name
	}
	if visiting[t] {
		return ""
	}
	visiting[t] = true
	defer delete(visiting, t)
	// The names of the best rank count alone: those of the others may depend on the name of t itself.
	best, bestName := rankMember+1, ""
	for rank := rankDef; rank <= rankMember && bestName == ""; rank++ {
		for _, c := range b.names[t] {
			if c.rank != rank {
				continue
			}
			name := b.candidateName(t, c, visiting)
			if name == "" {
				continue
			}
			if bestName == "" || len(name) < len(bestName) || len(name) == len(bestName) && name < bestName {
				best, bestName = rank, name
			}
		}
	}
	if best == rankMember {
		if shared := b.sharedMemberName(t); shared != "" {
			bestName = shared
		}
	}
	if bestName == "" && len(visiting) > 1 {
		return "" // it is named after a type that is being named: later
	}
	if bestName == "" {
		bestName = "Value"
	}
	t.Name = bestName
	return bestName
}

func (b *builder) candidateName(t *Type, c candidate, visiting map[*Type]bool) string {
	text := GoName(c.text)
	if c.element {
		text = singular(text)
	}
	switch c.rank {
	case rankDef, rankTitle:
		return GoName(c.text)
	case rankVariant:
		if c.text != "" && !c.flag && (b.isRoot(c.parent) || len(words(c.text)) > 1) {
			return GoName(c.text) // "run.started" says enough by itself, "text" does not
		}
		parent := b.nameOf(c.parent, visiting)
		if parent == "" {
			return ""
		}
		switch {
		case c.text == "":
			return b.distinction(t, c.parent) + parent
		case c.flag:
			return parent + GoName(c.text)
		}
		return GoName(c.text) + parent
	default:
		parent := b.nameOf(c.parent, visiting)
		if parent == "" {
			return ""
		}
		return parent + text
	}
}

func (b *builder) isRoot(t *Type) bool {
	return t.Node.Pointer == "" || t.Node.Pointer == document.PayloadPointer && t.Node.File.Event != nil
}

// distinction names a variant without a tag by a member that only it requires, or that only it has.
func (b *builder) distinction(t, union *Type) string {
	own := viewOf(t.Node)
	for _, name := range own.names {
		if !own.required[name] {
			continue
		}
		alone := true
		for _, v := range union.Variants {
			alone = alone && (v.Type == t || !viewOf(v.Type.Node).required[name])
		}
		if alone {
			return GoName(name)
		}
	}
	for _, name := range own.names {
		alone := true
		for _, v := range union.Variants {
			alone = alone && (v.Type == t || len(viewOf(v.Type.Node).members[name]) == 0)
		}
		if alone {
			return GoName(name)
		}
	}
	return "Other"
}

// sharedMemberName returns the name of the member under which a type is used by two or more parents, if all agree.
func (b *builder) sharedMemberName(t *Type) string {
	name := ""
	parents := map[*Type]bool{}
	for _, c := range b.names[t] {
		text := GoName(c.text)
		if c.element {
			text = singular(text)
		}
		if c.rank != rankMember || name != "" && text != name {
			return ""
		}
		name = text
		parents[c.parent] = true
	}
	if len(parents) < 2 {
		return ""
	}
	return name
}

// separate resolves names that several types would share: all of them take the longest of their names, which is led by
// the parent; what still collides gets the number of its place among the sorted pointers.
func (b *builder) separate(ids []string) error {
	byName := map[string][]*Type{}
	for _, id := range ids {
		t := b.types[id]
		byName[t.Name] = append(byName[t.Name], t)
	}
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		group := byName[name]
		if len(group) == 1 {
			continue
		}
		for _, t := range group {
			if pinned, ok := b.pinned(t); ok && pinned == name {
				continue
			}
			t.Name = b.longName(t)
		}
	}
	if err := b.clearOfFunctions(ids); err != nil {
		return err
	}
	taken := map[string]*Type{}
	for _, id := range ids {
		t := b.types[id]
		base := t.Name
		for n := 2; taken[t.Name] != nil; n++ {
			if pinned, ok := b.pinned(t); ok && pinned == base {
				return fmt.Errorf("the name %q is pinned to two different schemas, %s and %s", base, taken[base].Uses[0], t.Uses[0])
			}
			t.Name = fmt.Sprintf("%s%d", base, n)
		}
		taken[t.Name] = t
	}
	return nil
}

// clearOfFunctions keeps types apart from the variables and functions that the package declares itself: a type that is
// called DecodeOrder where there is an Order.
func (b *builder) clearOfFunctions(ids []string) error {
	for again := true; again; {
		again = false
		functions := map[string]bool{}
		for _, id := range ids {
			for _, name := range functionsOf(b.types[id].Name) {
				functions[name] = true
			}
		}
		for _, id := range ids {
			t := b.types[id]
			if !packageNames[t.Name] && !functions[t.Name] {
				continue
			}
			if pinned, ok := b.pinned(t); ok && pinned == t.Name {
				return &PinError{t.Uses[0], pinned, "the package declares that name itself"}
			}
			t.Name += "Type"
			again = true
		}
	}
	return nil
}

// functionsOf are the functions that a generated package has for a type of a name.
func functionsOf(name string) []string { return []string{"Decode" + name, "Validate" + name} }

// packageNames are the names of variables that a generated package declares itself.
var packageNames = map[string]bool{"Types": true, "Operations": true, "Methods": true, "Topics": true, "Servers": true}

// longName leads the name of a member or a variant by all its parents that have a name of their own.
func (b *builder) longName(t *Type) string {
	for _, c := range b.names[t] {
		if c.rank <= rankTitle {
			return t.Name
		}
	}
	best := ""
	for _, c := range b.names[t] {
		name := c.parent.Name + GoName(c.text)
		if c.element {
			name = c.parent.Name + singular(GoName(c.text))
		}
		if c.rank == rankVariant {
			name = GoName(c.text) + c.parent.Name
		}
		if best == "" || name < best {
			best = name
		}
	}
	return best
}

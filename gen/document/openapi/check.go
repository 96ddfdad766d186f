package openapi

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

// partOf is what a member of an object at a place holds, without the kinds that the table of operations has no use for.
// Schemas are found by their place.
func (c *checker) partOf(at document.Place, kind reference.Kind, member string) (reference.Part, bool) {
	part, ok := c.layout.In(at.File()).PartOf(kind, member)
	unread := []reference.Kind{reference.Schema, reference.Encoding, reference.Example, reference.Link}
	return part, ok && !slices.Contains(unread, part.Kind)
}

// checker holds the objects of a description against the specification's shape, wherever references lead.
type checker struct {
	file       *document.File
	set        *document.Set
	layout     reference.Layout
	checked    map[asKind]bool // what references have led to
	references []crossing      // that object has met
}

// asKind is a value that a reference takes for an object of a kind.
type asKind struct {
	value *document.Value
	kind  reference.Kind
}

// crossing is a reference from one object to another that is no schema.
type crossing struct {
	at       document.Place // of the object that is one
	from, to string         // locations
}

// acyclic refuses objects that hold themselves by way of references, such as a callback whose operation has that
// callback: what is no schema is read by walking through references, which would not end.
func (c *checker) acyclic() error {
	slices.SortFunc(c.references, func(a, b crossing) int { return strings.Compare(a.from, b.from) })
	walked := make(map[string]bool) // target to whether the walk through it has ended
	var walk func(r crossing) error
	walk = func(r crossing) error {
		ended, seen := walked[r.to]
		switch {
		case ended:
			return nil
		case seen:
			return r.at.Member("$ref").Errorf("%s holds itself by way of this reference", c.named(r.to))
		}
		walked[r.to] = false
		below := r.to + "/"
		i, _ := slices.BinarySearchFunc(c.references, below, func(r crossing, below string) int { return strings.Compare(r.from, below) })
		for ; i < len(c.references) && strings.HasPrefix(c.references[i].from, below); i++ {
			if err := walk(c.references[i]); err != nil {
				return err
			}
		}
		walked[r.to] = true
		return nil
	}
	for _, r := range c.references {
		if err := walk(r); err != nil {
			return err
		}
	}
	return nil
}

// named leaves out of a location the file that everybody has in view.
func (c *checker) named(location string) string { return strings.TrimPrefix(location, c.file.Name+"#") }

// object checks one object of a kind and everything below it.
func (c *checker) object(at document.Place, kind reference.Kind) error {
	v := at.Value
	if v.Kind != document.Object {
		return at.Errorf("%s must be an object, not %s", reference.Article(string(kind)), reference.Article(v.Kind.String()))
	}
	if ref := at.Member("$ref"); ref.Value != nil {
		if !c.layout.In(at.File()).MayRefer(kind) {
			return ref.Errorf("%s cannot be a reference", reference.Article(string(kind)))
		}
		to, err := c.layout.Follow(c.set, at, kind)
		if err != nil {
			return err
		}
		c.references = append(c.references, crossing{at, at.Location(), to.Location()})
		target := asKind{to.Value, kind}
		if c.checked[target] {
			return nil
		}
		c.checked[target] = true
		return c.object(to, kind)
	}
	for _, name := range reference.Needed(kind) {
		if v.Get(name) == nil {
			return at.Errorf("%s needs the member %q", reference.Article(string(kind)), name)
		}
	}
	if kind == reference.PathItem {
		if _, err := c.layout.Operations(at); err != nil {
			return err
		}
	}
	for name, member := range at.Members() {
		if part, ok := c.partOf(at, kind, name); ok {
			if err := c.part(member, part, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// part checks the value of one member.
func (c *checker) part(at document.Place, part reference.Part, name string) error {
	is := at.Value.Kind
	switch {
	case part.Form == reference.List && is != document.Array:
		return at.Errorf("%s must be an array, not %s", name, reference.Article(is.String()))
	case part.Form >= reference.Map && is != document.Object:
		return at.Errorf("%s must be an object, not %s", name, reference.Article(is.String()))
	}
	for name, value := range part.Values(name, at) {
		if err := c.value(value, part.Kind, name); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) value(at document.Place, kind reference.Kind, name string) error {
	if kind != reference.Text && kind != reference.Flag {
		return c.object(at, kind)
	}
	if is := at.Value.Kind.String(); is != string(kind) {
		return at.Errorf("%s must be a %s, not %s", name, kind, reference.Article(is))
	}
	return nil
}

package reference

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// maxWay bounds how many references lead to one object.
const maxWay = 100

// Follow gives the object of a kind that stands at a place, or that the reference there leads to, over as many
// references and files as it takes. Errors are *document.Error at the reference that leads nowhere, in a circle, or to
// something else than an object of the kind.
func (l Layout) Follow(set *document.Set, at document.Place, kind Kind) (document.Place, error) {
	way, err := l.Way(set, at, kind)
	if err != nil {
		return document.Place{}, err
	}
	return way[len(way)-1], nil
}

// Way is Follow with every reference there is between the place and the object: the place first, the object last.
func (l Layout) Way(set *document.Set, at document.Place, kind Kind) ([]document.Place, error) {
	way := []document.Place{at}
	for {
		ref := at.Member("$ref")
		if ref.Value == nil {
			return way, nil
		}
		if slices.ContainsFunc(way[:len(way)-1], func(p document.Place) bool { return p.Value == at.Value }) {
			return nil, ref.Errorf("the reference leads back to itself")
		}
		if len(way) > maxWay {
			return nil, ref.Errorf("more than %d references lead from one to the other here", maxWay)
		}
		if err := alone(at, kind); err != nil {
			return nil, err
		}
		if ref.Value.Kind != document.String {
			return nil, ref.Errorf("$ref must be a string, not %s", Article(ref.Value.Kind.String()))
		}
		to, why := l.target(set, ref.File(), "$ref ", ref.Value.Text, kind)
		if why != nil {
			return nil, ref.Errorf("%v", why)
		}
		at = to
		way = append(way, at)
	}
}

// alone refuses operations and parameters beside the $ref of a path item: the specification leaves open which count. What
// is beside other references means nothing by the specification, but for texts.
func alone(at document.Place, kind Kind) error {
	if kind != PathItem {
		return nil
	}
	for _, m := range at.Value.Members {
		if m.Name != "$ref" && m.Name != "summary" && m.Name != "description" && !strings.HasPrefix(m.Name, "x-") {
			return at.Member(m.Name).Errorf("a path item has %s beside $ref; put it into the path item that the reference leads to", m.Name)
		}
	}
	return nil
}

// target gives the place that a reference in a file names; an error says why it is no object of the kind, and calls the
// reference by what it is the value of.
func (l Layout) target(set *document.Set, from *document.File, member, text string, kind Kind) (document.Place, error) {
	none := document.Place{}
	file, fragment, err := open(set, from, member, text)
	if err != nil {
		return none, err
	}
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		return none, fmt.Errorf("%s%q cannot be resolved: what is no schema is named by a JSON Pointer after #, or by its file alone", member, text)
	}
	to := document.Place{Value: file.Root.Lookup(fragment), Pointer: fragment}
	if to.Value == nil {
		return none, fmt.Errorf("nothing is at %s", text)
	}
	if why := l.unlike(to, kind); why != "" && to.Value.Get("$ref") == nil {
		return none, fmt.Errorf("%q must lead to %s, but %s %s", text, Article(string(kind)), to.Location(), why)
	}
	return to, nil
}

// open gives the file and the fragment that a reference in a file names. A description published under a $self of its
// own is often kept beside the files it refers to: what cannot be had from there is looked for where it lies.
func open(set *document.Set, from *document.File, member, text string) (*document.File, string, error) {
	var missing error
	for _, base := range []string{from.Base(), document.CleanURI(from.Name)} {
		uri, fragment, err := document.ResolveURI(base, text)
		if err != nil {
			return nil, "", err
		}
		if uri == base {
			return from, fragment, nil
		}
		file, err := set.Open(uri)
		switch {
		case err == nil:
			return file, fragment, nil
		case !errors.Is(err, document.ErrNotHeld) && !errors.Is(err, fs.ErrNotExist):
			return nil, "", fmt.Errorf("%s%q cannot be resolved: %w", member, text, err)
		case missing == nil:
			missing = fmt.Errorf("%s%q cannot be resolved: no such document: %s (%w)", member, text, uri, err)
		}
	}
	return nil, "", missing
}

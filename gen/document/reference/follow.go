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
func Follow(set *document.Set, at document.Place, kind Kind) (document.Place, error) {
	way, err := Way(set, at, kind)
	if err != nil {
		return document.Place{}, err
	}
	return way[len(way)-1], nil
}

// Way is Follow with every reference there is between the place and the object: the place first, the object last.
func Way(set *document.Set, at document.Place, kind Kind) ([]document.Place, error) {
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
		to, err := target(set, ref)
		if err != nil {
			return nil, err
		}
		if why := unlike(to, kind); why != "" && to.Value.Get("$ref") == nil {
			return nil, ref.Errorf("%q must lead to %s, but %s %s", ref.Value.Text, Article(string(kind)), to.Location(), why)
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

// target gives the place that one reference names.
func target(set *document.Set, ref document.Place) (document.Place, error) {
	none := document.Place{}
	if ref.Value.Kind != document.String {
		return none, ref.Errorf("$ref must be a string, not %s", Article(ref.Value.Kind.String()))
	}
	text, file := ref.Value.Text, ref.File()
	base := document.CleanURI(file.Name)
	uri, fragment, err := document.ResolveURI(base, text)
	if err != nil {
		return none, ref.Errorf("%v", err)
	}
	if uri != base {
		file, err = set.Open(uri)
		switch {
		case errors.Is(err, document.ErrNotHeld) || errors.Is(err, fs.ErrNotExist):
			return none, ref.Errorf("$ref %q cannot be resolved: %v", text, fmt.Errorf("no such document: %s (%w)", uri, err))
		case err != nil:
			return none, ref.Errorf("$ref %q cannot be resolved: %v", text, err)
		}
	}
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		return none, ref.Errorf("$ref %q cannot be resolved: what is no schema is named by a JSON Pointer after #, or by its file alone", text)
	}
	to := document.Place{Value: file.Root.Lookup(fragment), Pointer: fragment}
	if to.Value == nil {
		return none, ref.Errorf("nothing is at %s", text)
	}
	return to, nil
}

package schema

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// The metaschemas of the drafts and their vocabularies, as published: references to
// them never need a Loader.
//
//go:embed metaschema
var metaschemas embed.FS

// open gives the file of a URI: one of the set, a metaschema, or a loaded one.
func (b *builder) open(uri string) (*document.File, error) {
	_, path, ok := strings.Cut(uri, "://json-schema.org/")
	if ok {
		if data, err := metaschemas.ReadFile("metaschema/" + path + ".json"); err == nil {
			for _, f := range b.set.Files() {
				if f.Name == uri {
					return f, nil
				}
			}
			f, err := document.Parse(uri, data)
			if err != nil {
				return nil, err
			}
			return f, b.set.Add(f)
		}
	}
	return b.set.Open(uri)
}

// resolve fills in the targets of the references of one node.
func (b *builder) resolve(n *Node) {
	if _, given := n.keyword("$ref"); given {
		n.Ref = b.target(n, "$ref", n.RefText)
	}
	if _, given := n.keyword("$dynamicRef"); given {
		n.DynamicRef = b.target(n, "$dynamicRef", n.DynamicRefText)
		b.scopes.note(n, fragmentOf(n.DynamicRefText))
	}
	if _, given := n.keyword("$recursiveRef"); given {
		n.DynamicRef = b.target(n, "$recursiveRef", n.DynamicRefText)
		b.scopes.note(n, recursiveAnchor)
	}
}

// keyword gives the value of a keyword that means something where n stands.
func (n *Node) keyword(name string) (*document.Value, bool) {
	if n.Value.Kind != document.Object || !n.Resource.dialect.has(name) {
		return nil, false
	}
	if n.Resource.dialect.refAlone && name != "$ref" && n.Ref != nil {
		return nil, false
	}
	v := n.Value.Get(name)
	return v, v != nil
}

func (b *builder) target(n *Node, keyword, text string) *Node {
	uri, fragment, err := document.ResolveURI(n.Resource.URI, text)
	if err != nil {
		panic(n.errorf(keyword, "%v", err))
	}
	to, err := b.locate(uri, fragment, n.Resource.of)
	if errors.Is(err, errAbsent) {
		// A document published under an absolute $id, or $self, is often kept beside the
		// ones it refers to: try the place the file itself lies.
		if u, f, e := document.ResolveURI(document.CleanURI(n.File.Name), text); e == nil && u != uri {
			if t, e := b.locate(u, f, n.Resource.of); e == nil {
				to, err = t, nil
			}
		}
	}
	if err != nil {
		panic(n.errorf(keyword, "%s %q cannot be resolved: %v", keyword, text, err))
	}
	b.nameTarget(n, to)
	return to
}

// errAbsent marks that a whole document is missing, not a place in one.
var errAbsent = errors.New("no such document")

// locate gives the schema that URI and fragment name, reading it if need be. of is
// the description that the reference stands in, nil for none.
func (b *builder) locate(uri, fragment string, of *described) (*Node, error) {
	res := b.resources[uri]
	if res == nil {
		f, err := b.open(uri)
		switch {
		case errors.Is(err, document.ErrNotHeld) || errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: %s (%w)", errAbsent, uri, err)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", uri, err)
		}
		if of == nil {
			res = b.read(f).resource
		} else if res, err = b.partOf(of, f); err != nil {
			return nil, err
		}
	}
	part := b.documents[res.file].isPart() && res.pointer == ""
	switch {
	case fragment == "":
		switch {
		case res.Root == nil && part:
			return b.pointed(res, "")
		case res.Root == nil:
			return nil, fmt.Errorf("%s is an %s, not a schema; name a schema in it with a JSON Pointer", uri, res.file.Form)
		}
		return res.Root, nil
	case fragment[0] == '/':
		return b.pointed(res, fragment)
	}
	if part && res.anchors[fragment] == nil {
		if _, err := b.pointed(res, ""); err != nil {
			return nil, err
		}
	}
	n := res.anchors[fragment]
	if n == nil {
		return nil, fmt.Errorf("%s has no $anchor %q", uri, fragment)
	}
	return n, nil
}

// pointed gives the schema at a JSON Pointer inside a resource. It need not be
// where a keyword keeps schemas: whoever points at a place says that it is one.
func (b *builder) pointed(res *Resource, pointer string) (*Node, error) {
	if _, err := document.SplitPointer(pointer); err != nil {
		return nil, err
	}
	base := res.pointer
	v := res.value.Lookup(pointer)
	if v == nil && res.file.Form == document.EventDefinition && res.pointer == "" {
		// Inside the payload schema of an event "#/..." may mean the payload.
		base = document.PayloadPointer
		v = res.file.Event.Payload.Lookup(pointer)
	}
	if v == nil {
		return nil, fmt.Errorf("nothing is at %s in %s", pointer, res.file.Name+"#"+res.pointer)
	}
	full := base + pointer
	if n := b.nodes[place{res.file, full}]; n != nil {
		return n, nil
	}
	if v.Kind != document.Object && v.Kind != document.Bool {
		where := res.file.Name
		if pointer != "" {
			where = pointer + " in " + where
		}
		return nil, fmt.Errorf("%s is %s, not a schema", where, article(v))
	}
	// Its base is that of the nearest schema around it.
	for up := full; up != ""; {
		up = up[:strings.LastIndexByte(up, '/')]
		if n := b.nodes[place{res.file, up}]; n != nil {
			res = n.Resource
			break
		}
	}
	return b.entry(res, full, v), nil
}

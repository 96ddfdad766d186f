package openapi

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

// parts says for each object of the specification what its members hold: a JSON kind ("string", "boolean"), an object
// by name, a map "{}" or list "[]" of one of these. Members that are not listed are not looked at.
var parts = map[string]map[string]string{
	"description": {
		"info": "info", "servers": "[]server", "paths": "paths", "webhooks": "{}path item", "components": "components",
		"security": "[]requirement",
	},
	"info":   {"title": "string", "version": "string"},
	"server": {"url": "string", "description": "string"},
	"components": {
		"responses": "{}response", "parameters": "{}parameter", "requestBodies": "{}body", "headers": "{}header",
		"callbacks": "{}callback", "pathItems": "{}path item", "securitySchemes": "{}scheme",
	},
	"path item": {
		"parameters": "[]parameter", "servers": "[]server", "summary": "string", "description": "string",
		"get": "operation", "put": "operation", "post": "operation", "delete": "operation",
		"options": "operation", "head": "operation", "patch": "operation", "trace": "operation",
	},
	"operation": {
		"operationId": "string", "summary": "string", "description": "string", "tags": "[]string", "deprecated": "boolean",
		"servers": "[]server", "parameters": "[]parameter", "requestBody": "body", "responses": "{}response",
		"callbacks": "{}callback", "security": "[]requirement",
	},
	"parameter": {
		"name": "string", "in": "string", "description": "string", "required": "boolean", "deprecated": "boolean",
		"style": "string", "explode": "boolean", "content": "{}media type",
	},
	"header": {
		"description": "string", "required": "boolean", "deprecated": "boolean", "style": "string", "explode": "boolean",
		"content": "{}media type",
	},
	"body":        {"description": "string", "required": "boolean", "content": "{}media type"},
	"response":    {"description": "string", "headers": "{}header", "content": "{}media type"},
	"media type":  {},
	"requirement": {},
	"scheme": {
		"type": "string", "description": "string", "in": "string", "name": "string", "scheme": "string",
		"bearerFormat": "string", "openIdConnectUrl": "string",
	},
}

// needed lists the members without which an object says nothing.
var needed = map[string][]string{
	"description": {"info"}, "server": {"url"}, "parameter": {"name", "in"}, "body": {"content"}, "scheme": {"type"},
}

// paths and callbacks are keyed by templates; everything but extensions in them is a path item.
var keyed = map[string]bool{"paths": true, "callback": true}

// checker holds the objects of a description against the specification's shape, wherever references lead.
type checker struct {
	file       *document.File
	set        *document.Set
	checked    map[asKind]bool // what references have led to
	references []crossing      // that object has met
}

// asKind is a value that a reference takes for an object of a kind.
type asKind struct {
	value *document.Value
	kind  string
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
func (c *checker) object(at document.Place, kind string) error {
	v := at.Value
	if v.Kind != document.Object {
		return at.Errorf("%s must be an object, not %s", reference.Article(kind), reference.Article(v.Kind.String()))
	}
	if ref := at.Member("$ref"); ref.Value != nil {
		if !slices.Contains(reference.Kinds, reference.Kind(kind)) {
			return ref.Errorf("%s cannot be a reference", reference.Article(kind))
		}
		to, err := reference.Follow(c.set, at, reference.Kind(kind))
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
	for _, name := range needed[kind] {
		if v.Get(name) == nil {
			return at.Errorf("%s needs the member %q", reference.Article(kind), name)
		}
	}
	for name, member := range at.Members() {
		part := parts[kind][name]
		if keyed[kind] && !isExtension(name) {
			part = "path item"
		}
		if part == "" {
			continue
		}
		if err := c.part(member, part, name); err != nil {
			return err
		}
	}
	return nil
}

// part checks the value of one member.
func (c *checker) part(at document.Place, part, name string) error {
	v := at.Value
	switch of, list := strings.CutPrefix(part, "[]"); {
	case list:
		if v.Kind != document.Array {
			return at.Errorf("%s must be an array, not %s", name, reference.Article(v.Kind.String()))
		}
		for i := range v.Items {
			if err := c.part(at.Item(i), of, name); err != nil {
				return err
			}
		}
		return nil
	case strings.HasPrefix(part, "{}"):
		if v.Kind != document.Object {
			return at.Errorf("%s must be an object, not %s", name, reference.Article(v.Kind.String()))
		}
		for name, member := range at.Members() {
			if isExtension(name) {
				continue
			}
			if err := c.part(member, part[2:], name); err != nil {
				return err
			}
		}
		return nil
	case part == "string" || part == "boolean":
		if v.Kind.String() != part {
			return at.Errorf("%s must be a %s, not %s", name, part, reference.Article(v.Kind.String()))
		}
		return nil
	}
	return c.object(at, part)
}

func isExtension(name string) bool { return strings.HasPrefix(name, "x-") }

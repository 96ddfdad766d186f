package openapi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
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

// checker holds the objects of a description against the specification's shape and follows references.
type checker struct {
	file       *document.File
	references []reference // that object has met
}

// reference is a $ref between objects that are no schemas.
type reference struct{ from, to string } // pointers: of the object that is one, and of what it leads to

// acyclic refuses objects that hold themselves by way of references, such as a callback whose operation has that
// callback: what is no schema is read by walking through references, which would not end.
func (c *checker) acyclic() error {
	slices.SortFunc(c.references, func(a, b reference) int { return strings.Compare(a.from, b.from) })
	walked := make(map[string]bool) // target to whether the walk through it has ended
	var walk func(r reference) error
	walk = func(r reference) error {
		ended, seen := walked[r.to]
		switch {
		case ended:
			return nil
		case seen:
			return c.file.Errorf(c.file.Root.Lookup(r.from).Get("$ref"), r.from+"/$ref", "%s holds itself by way of this reference", r.to)
		}
		walked[r.to] = false
		below := r.to + "/"
		i, _ := slices.BinarySearchFunc(c.references, below, func(r reference, below string) int { return strings.Compare(r.from, below) })
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

// object checks one object of a kind and everything below it.
func (c *checker) object(v *document.Value, pointer, kind string) error {
	if v.Kind != document.Object {
		return c.file.Errorf(v, pointer, "%s must be an object, not %s", article(kind), article(v.Kind.String()))
	}
	if v.Get("$ref") != nil {
		_, target, err := c.follow(pointer)
		c.references = append(c.references, reference{pointer, target})
		return err // what it leads to is checked where it stands
	}
	for _, name := range needed[kind] {
		if v.Get(name) == nil {
			return c.file.Errorf(v, pointer, "%s needs the member %q", article(kind), name)
		}
	}
	for _, m := range v.Members {
		part := parts[kind][m.Name]
		if keyed[kind] && !isExtension(m.Name) {
			part = "path item"
		}
		if part == "" {
			continue
		}
		if err := c.part(m.Value, pointer+"/"+document.EscapeToken(m.Name), part, m.Name); err != nil {
			return err
		}
	}
	return nil
}

// part checks the value of one member.
func (c *checker) part(v *document.Value, pointer, part, name string) error {
	switch of, list := strings.CutPrefix(part, "[]"); {
	case list:
		if v.Kind != document.Array {
			return c.file.Errorf(v, pointer, "%s must be an array, not %s", name, article(v.Kind.String()))
		}
		for i, item := range v.Items {
			if err := c.part(item, pointer+"/"+strconv.Itoa(i), of, name); err != nil {
				return err
			}
		}
		return nil
	case strings.HasPrefix(part, "{}"):
		if v.Kind != document.Object {
			return c.file.Errorf(v, pointer, "%s must be an object, not %s", name, article(v.Kind.String()))
		}
		for _, m := range v.Members {
			if isExtension(m.Name) {
				continue
			}
			if err := c.part(m.Value, pointer+"/"+document.EscapeToken(m.Name), part[2:], m.Name); err != nil {
				return err
			}
		}
		return nil
	case part == "string" || part == "boolean":
		if v.Kind.String() != part {
			return c.file.Errorf(v, pointer, "%s must be a %s, not %s", name, part, article(v.Kind.String()))
		}
		return nil
	}
	return c.object(v, pointer, part)
}

// follow gives the value at a pointer, and where it stands when it is a reference to another place of the file.
func (c *checker) follow(pointer string) (*document.Value, string, error) {
	seen := map[string]bool{}
	for {
		v := c.file.Root.Lookup(pointer)
		ref := v.Get("$ref")
		if ref == nil {
			return v, pointer, nil
		}
		at := pointer + "/$ref"
		if ref.Kind != document.String {
			return nil, "", c.file.Errorf(ref, at, "$ref must be a string, not %s", article(ref.Kind.String()))
		}
		if seen[pointer] {
			return nil, "", c.file.Errorf(ref, at, "the reference leads back to itself")
		}
		seen[pointer] = true
		file, fragment, err := document.ResolveURI("", ref.Text)
		switch {
		case err != nil:
			return nil, "", c.file.Errorf(ref, at, "%v", err)
		case file != "" || !strings.HasPrefix(fragment, "/"):
			return nil, "", c.file.Errorf(ref, at, "%q leads out of the file; put what it names into components of this file", ref.Text)
		}
		if c.file.Root.Lookup(fragment) == nil {
			return nil, "", c.file.Errorf(ref, at, "nothing is at %s", ref.Text)
		}
		pointer = fragment
	}
}

func isExtension(name string) bool { return strings.HasPrefix(name, "x-") }

// article puts a or an before a noun.
func article(noun string) string {
	switch {
	case noun == "null":
		return noun
	case noun == "paths":
		return noun
	case strings.ContainsRune("aeiou", rune(noun[0])):
		return "an " + noun
	}
	return "a " + noun
}

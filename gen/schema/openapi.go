package schema

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// readOpenAPI reads every schema of an OpenAPI description: the entries of
// components/schemas, which become Defs, and those of parameters, headers and
// bodies, which At finds by their place.
func (b *builder) readOpenAPI(f *document.File, res *Resource) {
	root := f.Root
	switch {
	case strings.HasPrefix(f.Version, "3.0"):
		root = upgrade30(f)
		res.value = root
	case !strings.HasPrefix(f.Version, "3.1"):
		panic(f.Errorf(f.Root.Get("openapi"), "/openapi", "the schemas of OpenAPI %s are not those of JSON Schema 2020-12; OpenAPI 3.0 or 3.1 was expected", f.Version))
	}
	if f.Dialect != "" {
		at := f.Root.Get("jsonSchemaDialect")
		res.dialect = b.dialect(f.Dialect, func(reason string, args ...any) *document.Error {
			return f.Errorf(at, "/jsonSchemaDialect", reason, args...)
		})
	} else {
		res.dialect = b.dialect(openAPI31Base, nil)
	}
	const pointer = "/components/schemas"
	if schemas := root.Lookup(pointer); schemas != nil {
		if schemas.Kind != document.Object {
			panic(f.Errorf(schemas, pointer, "components/schemas must be an object, not %s", article(schemas)))
		}
		for _, m := range schemas.Members {
			n := b.entry(res, pointer+"/"+document.EscapeToken(m.Name), m.Value)
			b.defs = append(b.defs, Def{m.Name, n})
		}
	}
	w := openAPIWalk{b: b, res: res}
	w.object(root, "", "description")
}

// openAPIWalk finds schemas by the objects of the OpenAPI specification 4.8.
type openAPIWalk struct {
	b   *builder
	res *Resource
}

// openAPIParts says for each kind of object which member holds what: a kind, or
// a map "{}" or list "[]" of one, or a schema.
var openAPIParts = map[string]map[string]string{
	"description": {"paths": "paths", "webhooks": "{}path item", "components": "components"},
	"components": {
		"responses": "{}response", "parameters": "{}parameter", "requestBodies": "{}body", "headers": "{}parameter",
		"callbacks": "{}paths", "pathItems": "{}path item",
	},
	"path item": {
		"parameters": "[]parameter",
		"get":        "operation", "put": "operation", "post": "operation", "delete": "operation",
		"options": "operation", "head": "operation", "patch": "operation", "trace": "operation",
	},
	"operation": {"parameters": "[]parameter", "requestBody": "body", "responses": "{}response", "callbacks": "{}paths"},
	"parameter": {"schema": "schema", "content": "{}media type"}, // and header
	"body":      {"content": "{}media type"},
	"response":  {"headers": "{}parameter", "content": "{}media type"},
	"media type": {
		"schema": "schema", "encoding": "{}encoding",
	},
	"encoding": {"headers": "{}parameter"},
}

// object visits the parts of an object of a kind. What has another shape than
// the specification says is not for this package to refuse.
func (w openAPIWalk) object(v *document.Value, pointer, kind string) {
	if kind == "schema" {
		if v.Kind == document.Object || v.Kind == document.Bool {
			w.b.entry(w.res, pointer, v)
		}
		return
	}
	parts := openAPIParts[kind]
	for _, m := range v.Members {
		at := pointer + "/" + document.EscapeToken(m.Name)
		part := parts[m.Name]
		if kind == "paths" && !strings.HasPrefix(m.Name, "x-") {
			part = "path item" // of paths and of callbacks, keyed by an expression
		}
		switch of, list := strings.CutPrefix(part, "[]"); {
		case part == "":
		case list:
			for i, item := range m.Value.Items {
				w.object(item, at+"/"+index(i), of)
			}
		case strings.HasPrefix(part, "{}"):
			for _, entry := range m.Value.Members {
				if !slices.Contains([]string{"responses", "callbacks"}, m.Name) || !strings.HasPrefix(entry.Name, "x-") {
					w.object(entry.Value, at+"/"+document.EscapeToken(entry.Name), part[2:])
				}
			}
		default:
			w.object(m.Value, at, part)
		}
	}
}

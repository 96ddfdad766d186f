package schema

import (
	"github.com/hallmark-kit/hallmark/gen/document"
)

// readOpenAPI reads the schemas of an OpenAPI 3.1 description: the entries of
// components/schemas. Those elsewhere are read when a reference or Graph.At
// names them.
func (b *builder) readOpenAPI(f *document.File, res *Resource) {
	if f.Dialect != "" {
		at := f.Root.Get("jsonSchemaDialect")
		res.dialect = b.dialect(f.Dialect, func(reason string, args ...any) *document.Error {
			return f.Errorf(at, "/jsonSchemaDialect", reason, args...)
		})
	} else {
		res.dialect = b.dialect(openAPI31Base, nil)
	}
	const pointer = "/components/schemas"
	schemas := f.Root.Lookup(pointer)
	if schemas == nil {
		return
	}
	if schemas.Kind != document.Object {
		panic(f.Errorf(schemas, pointer, "components/schemas must be an object, not %s", article(schemas)))
	}
	for _, m := range schemas.Members {
		n := b.entry(res, pointer+"/"+document.EscapeToken(m.Name), m.Value)
		b.defs = append(b.defs, Def{m.Name, n})
	}
}

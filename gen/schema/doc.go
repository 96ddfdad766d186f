// Package schema turns documents into one graph of JSON Schema 2020-12 nodes in
// which every reference is a pointer to another node.
//
// [Build] reads the schemas of a document.Set: the root of a JSON Schema, the
// payload of an event definition, the schemas of an OpenAPI 3.0, 3.1 or 3.2 description. It
// resolves $ref, $anchor, $id and $dynamicRef, across files where needed, reads what a document that names an older
// draft says in the keywords of 2020-12 (see draft), checks
// every schema against the metaschema, and refuses what cannot be resolved or
// what refers to itself without ever looking at a smaller part of the instance.
// Errors are *document.Error: file, line, column, pointer, reason.
//
// In a built graph nothing depends on dynamic scope: where one schema means
// different things under different dynamic scopes there are several nodes with
// one Pointer, told apart by Scope, and DynamicRef leads to the right one.
//
// [Node.Key] tells whether two schemas accept the same instances for all the
// ways of writing one rule that occur in practice; see there for what is equal.
package schema

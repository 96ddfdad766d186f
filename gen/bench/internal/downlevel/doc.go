// Package downlevel rewrites JSON Schema 2020-12 so that ogen can take it: as
// the components of an OpenAPI 3.0 document. What must go because ogen has no
// way to say it is counted, so that a reader knows what the generated code does
// not check.
//
// The rewriting favours ogen: unions get the explicit discriminators that it
// needs to be fast, and formats, which it would check beyond the schema's
// patterns or instead of them, are left out as annotations.
package downlevel

// Package document reads one JSON document, keeps the exact position of every
// value and member name in it, and tells which kind of document it is: a JSON
// Schema, an OpenAPI description or an event definition.
//
// Reading is strict: RFC 8259 to the letter, UTF-8 without a byte order mark,
// no repeated member names, no lone surrogate escapes, no bytes after the
// value, nesting no deeper than [MaxDepth]. Whatever is refused is refused with
// an [*Error] that carries file, line, column and JSON Pointer (RFC 6901).
//
// A [Set] holds the files that may refer to each other, and finds one by the
// URI or the relative path a reference names. What the references inside a
// schema mean is the business of package schema; this package knows no keyword
// beyond those that tell the kinds of document apart and $self, which names an
// OpenAPI description.
package document

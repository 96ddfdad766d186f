// Package openapi reads what an OpenAPI description (3.0, 3.1 or 3.2) says besides its schemas: servers, operations with
// their parameters, bodies, answers and headers, webhooks, callbacks and security.
//
// [Read] gives a plain [Description]. Nothing in it is a schema: where the document has one, the description has its
// place ("FILE#/pointer"), which schema.Graph.At turns into a node. References are followed, in the file and to others of
// its set; the pointer of a part is that of the place the reference leads to.
//
// The document is first held against the shape that the specification gives its objects, so that every error is an
// *document.Error with file, line, column, pointer and reason; the model is then built with pb33f/libopenapi.
package openapi

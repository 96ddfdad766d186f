// Package reference follows the references between the objects of OpenAPI descriptions that are no schemas: parameters,
// headers, bodies, responses, path items, callbacks, security schemes and (as of 3.2) media types may stand elsewhere in
// the file, at a JSON Pointer into another file ("common.yaml#/components/parameters/Limit"), or be another file
// ("paths/users.yaml").
//
// A reference is relative to the file in which it is written, or to what that calls itself ($self of 3.2). Files come from
// a document.Set, so that its Loader decides what may be read, for these references as for those of schemas.
package reference

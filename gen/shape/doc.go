// Package shape sees a schema graph as Go types: structs, sealed unions, enums, lists and maps, with their names,
// their optionality and the members that tell the variants of a union apart.
//
// It decides what a Go programmer will hold in their hands and knows nothing of Go syntax; package golang writes
// what is decided here. Two schemas that mean the same become one type, wherever they stand in the documents.
// Names come, in this order, from the pins of the configuration, from $defs entries, from titles, from the constant
// that tells a variant apart, and from the member under which a shape is used; they never depend on the order of a
// document, so adding a schema renames nothing that was there.
package shape

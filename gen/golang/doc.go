// Package golang writes the shapes of a package as Go source: type declarations, decoders, validators and encoders,
// which compile against gen/wire alone.
//
// Every schema gets a check function that reads one value and holds it against every keyword; named types get, beside
// it, a read function that checks and builds in the same pass. Both are straight code over wire.Reader: no reflection,
// no tables to interpret, except for the constraints of scalars, which are small rule values (wire.TextRule and its
// kin) so that a person can read them.
//
// The output depends on the documents' content only, not on the order of their members.
package golang

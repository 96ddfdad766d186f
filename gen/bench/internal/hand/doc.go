// Package hand holds the types that a Go programmer would write by hand for the
// messages of the benchmark: the variants of a union merged into one struct,
// free-form members as json.RawMessage, and nothing validated. The libraries
// that work on Go types decode into these and encode from them.
package hand

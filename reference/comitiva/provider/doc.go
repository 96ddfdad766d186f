// Package provider holds what every model provider of the runner has in common:
// the conversation in neutral terms, the adapter that speaks one dialect of
// HTTP, the mapping of trouble to error codes, and the retry of a refused
// request. One package beside it holds each dialect.
package provider

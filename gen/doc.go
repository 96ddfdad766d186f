// Package gen turns the documents of a protocol into its Go package: it reads protocol.yaml and the documents beside
// it, takes them through the stages document, schema, shape and golang, and compares the result with, or writes it to,
// a folder.
package gen

// Package retrieval keeps documents in pieces and finds the pieces that a query
// resembles. It extracts and cuts documents the way that the protocol's chunker
// source-lines-v1 does, and compares texts with an embedding that needs no
// model and gives the same numbers everywhere.
package retrieval

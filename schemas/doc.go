// Package schemas holds the documents of the protocols, embedded so that a built program needs no file beside it.
//
// Each protocol has a folder. In it lie the documents its owners publish, byte for byte; companion documents of
// ours, marked so, for what the published ones leave out; and protocol.yaml, which says what no document says:
// roles, wire, who sends which message, and Go names. The folder hallmark describes our own files: scenarios,
// targets, requirements, reports and protocol.yaml itself.
package schemas

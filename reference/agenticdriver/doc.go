// Package agenticdriver is the reference host of the AgenticDriver protocol: an
// HTTP server that carries out runs of model providers and streams their
// events.
//
// Main runs it. Every message is read and written by the generated package
// gen/protocol/agenticdriver; this package holds the wire: the order of checks,
// authentication, answers and event streams. What lies behind has a package for
// each subject below this one: run (runs), session, pending (approvals and tool
// executions), job (durable jobs), operation (idempotency keys), retrieval
// (documents), pairing (connections), settings and signin (management), model
// (providers), config and store.
//
// The host can be made wrong on purpose, in one way at a time, to show that a
// conformance suite notices: Faults lists the ways. A fault is an entry of a
// table that wraps an edge or sets a value of the policy.
package agenticdriver

// Package validation holds recorded messages against the types of a protocol, or against a schema of any document, and
// reports which rules they break and where.
package validation

// Package failure holds the errors that a host tells its callers: a stable
// code, a message that may be shown, and what the caller may conclude. It knows
// the HTTP status of every code.
package failure

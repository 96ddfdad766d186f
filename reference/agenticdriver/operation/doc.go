// Package operation keeps idempotency keys: which run a subject's key stands
// for, and what a replay of it repeats.
package operation

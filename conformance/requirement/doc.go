// Package requirement reads a protocol's catalogue of requirements: the sentences that implementations are held to,
// how binding each is, and where it comes from.
package requirement

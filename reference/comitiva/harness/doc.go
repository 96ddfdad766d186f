// Package harness finds the command-line agents that a connection of the kind
// "cli" drives, and asks them for their version.
package harness

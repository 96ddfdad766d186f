// Package project reads documents that come without a protocol.yaml: files named on a command line or in a
// hallmark.yaml, together with the files they refer to.
package project

// Package transport is how the engine reaches an implementation under test. One package a wire implements it:
// stdio starts a child process and speaks lines with it.
package transport

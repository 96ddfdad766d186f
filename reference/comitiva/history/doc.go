// Package history turns the stored messages of a conversation into the strict
// turns that model providers take.
//
// A stored reply may hold text, tool uses and tool results interleaved. Here it
// becomes assistant turns, each followed by one tool turn that answers every
// tool use of it: a use without a stored result is answered by an error that
// says so, a result without a use is dropped, and so are empty messages.
package history

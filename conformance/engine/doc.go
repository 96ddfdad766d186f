// Package engine carries out one scenario against one target.
//
// A conversation is driven by a single goroutine. Steps are nodes that are polled: a node looks at what has arrived,
// moves on as far as it can, and says until when it is willing to wait. Between polls the engine waits for the
// target, for a stand-in or for the nearest bound, whichever comes first. So nothing is ever slept through, a message
// that does not fit is noticed at once, and steps side by side need no threads.
package engine

// Package toolserver is a scripted tool server of the Model Context Protocol over standard input and output.
//
// It has two halves. The process half is [Main]: a small program that the implementation under test starts, because
// that is how such servers come to life. The kit half is [Control]: it listens on the loopback interface, and the
// process calls it as soon as it runs. Over that channel the kit hands out the script, learns of everything that
// happens in the process, and decides call by call how a tool behaves; so a story can go on over a crash and a
// restart, and everything observable is an event rather than a guess.
//
// The protocol itself is the official SDK's. Where it would tidy up what a script says (the order and the exact
// members of tools, content of unknown kinds), the results are written as scripted.
//
// # Events
//
//	started     a process runs and has called, whatever it is told to do next
//	initialize  the client opened the session
//	listed      the client asked for a page of tools
//	call        the client called a tool; calls are numbered over all processes
//	waiting     the call is held back at a gate
//	answered    the call got its result or error
//	cancelled   the client cancelled the call
//	exited      the process is gone
//
// Nothing outlives the kit: a process whose control channel ends exits by itself.
package toolserver

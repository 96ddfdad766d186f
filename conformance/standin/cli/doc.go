// Package cli is a scripted command-line agent: a program that a host starts for a turn of a conversation, that reads
// its prompt from standard input, writes lines to standard output and exits.
//
// It knows no agent's vocabulary. The lines, statuses and pauses of an invocation are the script's, chosen by the
// arguments and the prompt of that invocation; so one stand-in can be any agent, its --version and its login check
// included. [Start] installs an executable file that a host can be pointed at (POSIX systems only).
//
// As with tool servers, the process calls the kit as soon as it runs and does what it is told; everything observable
// is an event, and nothing outlives the kit.
//
// # Events
//
//	started      an invocation began
//	stdin        its whole standard input was read
//	waiting      it is held back at a gate
//	grandchild   it started a process of its own
//	signal       it got a signal
//	exhausted    the script has no answer for it (it exits with status 70)
//	exited       the process, or the grandchild, is gone
package cli

// Package comitiva is the reference runner of the Comitiva runner protocol: a
// child process that reads one request a line from its standard input and
// writes one response or event a line to its standard output.
//
// Main runs it. Every message is read and written by the generated package
// gen/protocol/comitiva; the packages below this one know nothing of the
// protocol's documents: framing (lines), provider (model providers), history
// (conversations), tools (tool servers), harness (command-line agents) and
// process (children that cannot outlive the runner).
//
// The runner can be made wrong on purpose, in one way at a time, to show that a
// conformance suite notices: Faults lists the ways. A fault is an entry of a
// table that replaces a value of the runner's policy or wraps one of its edges;
// nothing else in the runner knows of faults.
package comitiva

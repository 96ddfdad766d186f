// Package measure times what is done with the messages of the benchmark: by the
// generated bindings, and by other libraries. The rows of a program run in
// turns, and so do the programs, so that whatever the machine does meanwhile
// hits all of them alike.
package measure

// Package measure times what is done with the messages of the benchmark: by the
// generated bindings, and by other libraries. All rows run in one process, in
// turns, so that whatever the machine does meanwhile hits them alike.
package measure

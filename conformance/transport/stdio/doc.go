// Package stdio reaches a target by starting it as a child process and speaking lines over its standard input and
// output. The child leads a process group of its own, and nothing it starts outlives the connection.
package stdio

package document

import (
	"fmt"
	"strings"
)

// Error says where in a document something is wrong, and what.
type Error struct {
	File    string // name of the file, as given to Parse
	Line    int    // from 1; 0 when the file could not be read at all
	Column  int    // from 1, counted in code points
	Pointer string // JSON Pointer (RFC 6901) of the value at fault, "" for the root
	Reason  string // what is wrong and what was expected
	Err     error  // cause, when there is one (an error of a Loader)
}

// Error implements error: FILE:LINE:COLUMN: at POINTER: REASON.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": ")
	if e.Pointer != "" {
		fmt.Fprintf(&b, "at %s: ", e.Pointer)
	}
	b.WriteString(e.Reason)
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

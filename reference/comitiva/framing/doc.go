// Package framing turns a byte stream into lines and back: one JSON object a
// line, as the Comitiva runner protocol frames it on standard input and output.
//
// Reading is lenient where the protocol is: a carriage return before the line
// feed is dropped, blank lines are skipped, invalid UTF-8 becomes replacement
// characters, a leading byte order mark is eaten, an unterminated last line is
// still a line, and no line is too long. Writing never blocks the writer: a
// peer that stops reading must not keep a cancellation or the stop routine from
// happening.
package framing

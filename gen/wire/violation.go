package wire

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Site is one rule of a schema: where it stands and what it wants. Generated
// packages hold tables of them.
type Site struct {
	Document string // file name of the document, such as RunnerRequest.json
	Pointer  string // JSON pointer of the schema in the document
	Keyword  string // the keyword that holds the rule, such as minLength
	Want     string // what the rule wants, in words: "at least 1 code point"
}

// Violation is one rule that a message breaks.
type Violation struct {
	Instance string // JSON pointer of the value in the message; "" is the whole message
	Offset   int    // of the value, in bytes from 0
	Line     int    // of the value, from 1
	Column   int    // of the value, in code points from 1
	Document string // file name of the schema document; "" for rules of JSON text
	Schema   string // JSON pointer of the schema in the document
	Keyword  string // the keyword; "json" for rules of JSON text
	Want     string // what the rule wants
	Value    string // the value as written, cut to QuoteLength bytes; only with QuoteValues
	// Causes tell, where no branch of a oneOf or anyOf accepts the value, what is wrong with it by the branch that comes
	// closest.
	Causes []Violation
}

// KeywordJSON is the keyword of violations of the text itself.
const KeywordJSON = "json"

// String names position, pointer, rule and wish in one line. It quotes the
// value only if the violation holds one.
func (v *Violation) String() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(v.Line))
	b.WriteByte(':')
	b.WriteString(strconv.Itoa(v.Column))
	b.WriteString(": ")
	if v.Instance == "" {
		b.WriteString("the message")
	} else {
		b.WriteString(v.Instance)
	}
	b.WriteString(": want ")
	b.WriteString(v.Want)
	if v.Value != "" {
		b.WriteString(", not ")
		b.WriteString(v.Value)
	}
	b.WriteString(" (")
	if v.Document != "" {
		b.WriteString(v.Document)
		b.WriteByte('#')
		b.WriteString(v.Schema)
		b.WriteByte(' ')
	}
	b.WriteString(v.Keyword)
	b.WriteByte(')')
	return oneLine(b.String())
}

// oneLine escapes what would end or rewrite a line: names and values come from
// the message.
func oneLine(text string) string {
	control := func(c rune) bool { return unicode.IsControl(c) || c == '\u2028' || c == '\u2029' }
	if !strings.ContainsFunc(text, control) {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		if control(c) {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// Text is String, and behind it, a line each and indented, the causes.
func (v *Violation) Text() string {
	if len(v.Causes) == 0 {
		return v.String()
	}
	text := v.String()
	for i := range v.Causes {
		text += "\n  " + strings.ReplaceAll(v.Causes[i].Text(), "\n", "\n  ")
	}
	return text
}

// Error is a message that breaks at least one rule. Violations stand in the
// order in which they were met; where several schemas hold for one value, a
// decoder may meet them in another order than a validator.
type Error struct {
	Violations []Violation
}

// Error lists the violations, one a line, and below each its causes.
func (e *Error) Error() string {
	switch len(e.Violations) {
	case 0:
		return "invalid message"
	case 1:
		return e.Violations[0].Text()
	}
	var b strings.Builder
	for i := range e.Violations {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Violations[i].Text())
	}
	return b.String()
}

// Type is one named schema of a generated package.
type Type struct {
	Name     string // the Go name
	Document string // file name of the document
	Pointer  string // JSON pointer of the schema in the document
	Validate func([]byte, ...Option) error
	// Branch is set for a variant of a union that has more rules than the choice: Pointer is then the union's schema,
	// without its choice, and Branch the branch; a value of the type is valid by both.
	Branch string
}

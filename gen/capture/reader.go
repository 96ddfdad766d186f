package capture

import (
	"errors"
	"io"
	"unicode/utf8"
)

// DefaultLimit is how long a message may be unless [Limit] says otherwise: 64 MiB.
const DefaultLimit = 64 << 20

// Message is one JSON text of a recording. Data is only good until the next call of [Reader.Next].
type Message struct {
	Data   []byte
	Number int    // of the message, from 1
	Line   int    // of the recording where it begins, from 1; of a server-sent event its first data field
	Event  string // of a server-sent event: its type, "message" unless the stream says otherwise
	ID     string // of a server-sent event: the last event ID, "" for none

	fields []field // of a server-sent event: where each line of Data was recorded
}

// field is a data field of a server-sent event.
type field struct {
	line  int // of the recording, from 1
	shift int // how many code points stand before the data
}

// Place translates a place in Data, line and column from 1 as wire.Violation counts them, to one of the recording.
func (m *Message) Place(line, column int) (recordedLine, recordedColumn int) {
	if line < 1 {
		return m.Line, 1
	}
	if len(m.fields) == 0 {
		return m.Line + line - 1, column
	}
	f := m.fields[min(line, len(m.fields))-1]
	return f.line, column + f.shift
}

// TooLongError tells of a message beyond the bound. It has been passed over; [Reader.Next] goes on behind it.
type TooLongError struct {
	Number int // of the message
	Line   int // where it begins
	Limit  int // in bytes
}

func (e *TooLongError) Error() string {
	return "fewer bytes in one message: the bound is " + bytesText(e.Limit)
}

// Reader reads the messages of one recording. It is not safe for concurrent use.
type Reader struct {
	input      Input
	lines      lines
	number     int
	incomplete int // line of an event that was not ended by an empty line

	message Message
	event   event
}

// Option changes how a recording is read.
type Option func(*Reader)

// Limit bounds a message to n bytes.
func Limit(n int) Option { return func(r *Reader) { r.lines.limit = max(n, 1) } }

// NewReader reads a recording of a known form; see [Detect] for one that is not known.
func NewReader(src io.Reader, input Input, opts ...Option) *Reader {
	r := &Reader{input: input, lines: lines{src: src, limit: DefaultLimit, cr: input == SSE}}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Input is the form that the recording is read as.
func (r *Reader) Input() Input { return r.input }

// Next returns the next message. At the end of the recording the error is io.EOF; a *TooLongError concerns one message,
// and reading may go on; any other error is one of the source.
func (r *Reader) Next() (*Message, error) {
	switch r.input {
	case JSON:
		return r.whole()
	case SSE:
		return r.nextEvent()
	}
	for {
		text, err := r.lines.next()
		if errors.Is(err, errTooLong) {
			r.number++
			return nil, &TooLongError{Number: r.number, Line: r.lines.line, Limit: r.lines.limit}
		}
		if err != nil {
			return nil, err
		}
		if !blank(text) { // empty lines between messages are allowed
			r.number++
			r.message = Message{Data: text, Number: r.number, Line: r.lines.line}
			return &r.message, nil
		}
	}
}

// whole reads all of the source as one message, even where there is nothing: that is no JSON text.
func (r *Reader) whole() (*Message, error) {
	if r.number > 0 {
		return nil, io.EOF
	}
	text, err := r.lines.rest()
	if errors.Is(err, errTooLong) {
		r.number++
		return nil, &TooLongError{Number: 1, Line: 1, Limit: r.lines.limit}
	}
	if err != nil {
		return nil, err
	}
	r.number++
	r.message = Message{Data: text, Number: 1, Line: 1}
	return &r.message, nil
}

// Incomplete is the line where an event begins that the recording breaks off in, 0 where there is none. By the rules of
// server-sent events it is not delivered, and so it is no message.
func (r *Reader) Incomplete() int { return r.incomplete }

// Read is how many bytes have been read from the source.
func (r *Reader) Read() int64 { return r.lines.read }

func blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

func runes(text []byte) int { return utf8.RuneCount(text) }

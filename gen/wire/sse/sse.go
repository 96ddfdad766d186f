// Package sse cuts a text/event-stream body into its lines and frames, byte for byte and in constant memory for
// everything but the line at hand. It decides nothing: which fields count, what an unterminated frame means and how
// long a frame may be differ between a strict client, a recording and a test of a server, and are left to them.
//
// Lines end in LF, CR LF or CR, mixed at will; a line is handed out as soon as its end has arrived, even when that is
// a CR whose LF is still to come. One byte order mark at the beginning of the stream is passed over. An empty line
// ends a frame.
//
// Source: WHATWG HTML, section 9.2.6, "interpreting an event stream".
package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Line is one line of a stream. Its bytes are good until the next call of [Reader.Next].
type Line struct {
	Number int    // in the stream, from 1
	Text   []byte // without the end of the line and without the byte order mark
	Name   []byte // of the field; empty for a comment
	Value  []byte // what follows the first colon, without one space
	Colon  bool   // there is a colon: a line without one is a field with an empty value
	End    bool   // the line is empty: it ends the frame
}

// Comment tells whether the line is one: it begins with a colon.
func (l *Line) Comment() bool { return l.Colon && len(l.Name) == 0 }

// ErrUnended tells that a stream ends within a frame or a line. An error of the source is another one, also when it is
// io.ErrUnexpectedEOF.
var ErrUnended = errors.New("the stream ends within a frame")

// TooLongError tells of a frame beyond the bound. Reading cannot go on behind it.
type TooLongError struct {
	Line  int // where the bound was passed, from 1
	Limit int // in bytes
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("line %d: the frame is longer than %d bytes", e.Line, e.Limit)
}

// Reader reads one stream. It is not safe for concurrent use.
type Reader struct {
	src    io.Reader
	limit  int
	number int   // of the line returned last
	frame  int   // bytes of the complete lines of the frame
	open   bool  // the frame has a line
	skipLF bool  // the last line ended in CR: an LF that follows belongs to it
	failed error // of the source, io.EOF included

	buf        []byte
	start, end int // what is in buf and not yet returned
	seen       int // how many bytes behind start hold no end of line
}

const (
	smallest = 16 << 10 // of the buffer
	kept     = 1 << 20  // a buffer that has grown beyond is let go when the long line is over
)

var mark = []byte("\ufeff")

// NewReader reads a stream whose frames are at most limit bytes long. A frame is as long as its lines are together:
// names of fields and comments included, ends of lines and the byte order mark not.
func NewReader(src io.Reader, limit int) *Reader { return &Reader{src: src, limit: limit} }

// Frame is how many bytes the frame at hand has so far, counted as the bound counts them; after a line with End it is
// that of the frame that has ended.
func (r *Reader) Frame() int { return r.frame }

// Next reads one line. At the end of the stream the error is io.EOF, or ErrUnended when it ends within a frame or a line; a *TooLongError tells of a frame beyond the bound, as soon as so many bytes have come, whether or not
// their line has ended. All other errors are those of the source.
func (r *Reader) Next() (Line, error) {
	if !r.open {
		r.frame = 0
	}
	r.shrink()
	for {
		if r.skipLF && r.start < r.end {
			if r.skipLF = false; r.buf[r.start] == '\n' {
				r.start++
			}
		}
		if i := r.find(); i >= 0 {
			return r.line(i)
		}
		r.seen = r.end - r.start
		if r.frame+r.pending() > r.limit {
			return Line{}, &TooLongError{Line: r.number + 1, Limit: r.limit}
		}
		if r.failed != nil {
			if errors.Is(r.failed, io.EOF) && (r.open || r.start < r.end) {
				return Line{}, ErrUnended
			}
			return Line{}, r.failed
		}
		r.fill()
	}
}

// Rest is what has been read behind the last line, not yet a line of its own: after ErrUnended the line that
// was not ended.
func (r *Reader) Rest() []byte { return r.unmarked(r.buf[r.start:r.end]) }

// line returns the line of i bytes.
func (r *Reader) line(i int) (Line, error) {
	text := r.buf[r.start : r.start+i : r.start+i]
	r.skipLF = r.buf[r.start+i] == '\r'
	r.start += i + 1
	r.seen = 0
	text = r.unmarked(text)
	r.number++
	l := Line{Number: r.number, Text: text}
	if len(text) == 0 {
		l.End, r.open = true, false
		return l, nil
	}
	r.open = true
	if r.frame += len(text); r.frame > r.limit {
		return Line{}, &TooLongError{Line: r.number, Limit: r.limit}
	}
	colon := bytes.IndexByte(text, ':')
	if colon < 0 {
		l.Name = text
		return l, nil
	}
	l.Name, l.Value, l.Colon = text[:colon], text[colon+1:], true
	if len(l.Value) > 0 && l.Value[0] == ' ' {
		l.Value = l.Value[1:]
	}
	return l, nil
}

// unmarked takes the byte order mark off the first line.
func (r *Reader) unmarked(text []byte) []byte {
	if r.number > 0 {
		return text
	}
	return bytes.TrimPrefix(text, mark)
}

// pending is how many bytes of a line have come that has not ended. The first bytes of what may be a mark are none yet.
func (r *Reader) pending() int {
	text := r.buf[r.start:r.end]
	if r.number == 0 && bytes.HasPrefix(mark, text) {
		return 0
	}
	return len(r.unmarked(text))
}

// find returns the distance from start to the end of the line, -1 if it is not there yet.
func (r *Reader) find() int {
	rest := r.buf[r.start+r.seen : r.end]
	i := bytes.IndexByte(rest, '\n')
	if i >= 0 {
		rest = rest[:i]
	}
	if j := bytes.IndexByte(rest, '\r'); j >= 0 {
		i = j
	}
	if i < 0 {
		return -1
	}
	return r.seen + i
}

// shrink lets go of a buffer that a long line made large.
func (r *Reader) shrink() {
	if len(r.buf) > kept && r.end-r.start < smallest {
		small := make([]byte, smallest)
		r.end = copy(small, r.buf[r.start:r.end])
		r.buf, r.start = small, 0
	}
}

// fill reads more, making room first.
func (r *Reader) fill() {
	if r.start == r.end {
		r.start, r.end = 0, 0
	}
	if r.end == len(r.buf) {
		if r.start > len(r.buf)/2 {
			r.end = copy(r.buf, r.buf[r.start:r.end])
		} else {
			grown := make([]byte, max(smallest, 2*len(r.buf)))
			r.end = copy(grown, r.buf[r.start:r.end])
			r.buf = grown
		}
		r.start = 0
	}
	// A source that returns nothing without an error again and again is broken; 100 is what bufio grants.
	for range 100 {
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		if err != nil {
			r.failed = err
		}
		if n > 0 || err != nil {
			return
		}
	}
	r.failed = io.ErrNoProgress
}

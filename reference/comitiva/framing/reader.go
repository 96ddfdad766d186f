package framing

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode"
	"unicode/utf8"
)

const readBuffer = 64 << 10

var byteOrderMark = []byte("\ufeff")

// Reader hands out the lines of a stream. It is for one goroutine.
type Reader struct {
	r     *bufio.Reader
	begun bool
}

// NewReader reads lines from r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, readBuffer)}
}

// Next returns the next line that is not blank, without its end and as valid
// UTF-8. The slice belongs to the caller. The error is io.EOF at the end of the
// stream, after an unterminated last line has been handed out; any other error
// is the stream's own.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.raw()
		if !r.begun {
			r.begun = true
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if !blank(line) {
			// A stream error is reported by the next call: what came before it
			// is still a line.
			return lenient(line), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// raw returns one line without LF or CRLF, however long it is. At the end of
// the stream the remainder comes together with the error.
func (r *Reader) raw() ([]byte, error) {
	var line []byte
	for {
		part, err := r.r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			line = line[:len(line)-1]
			return bytes.TrimSuffix(line, []byte{'\r'}), nil
		case errors.Is(err, bufio.ErrBufferFull):
		default:
			return line, err
		}
	}
}

// blank tells whether a line holds nothing but white space.
func blank(line []byte) bool {
	for len(line) > 0 {
		c, n := utf8.DecodeRune(line)
		if !unicode.IsSpace(c) && c != '\ufeff' {
			return false
		}
		line = line[n:]
	}
	return true
}

// lenient replaces what is not UTF-8 by U+FFFD, one for each ill-formed
// sequence that encoding/utf8 finds.
func lenient(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	out := make([]byte, 0, len(line)+16)
	for len(line) > 0 {
		c, n := utf8.DecodeRune(line)
		out = utf8.AppendRune(out, c)
		line = line[n:]
	}
	return out
}

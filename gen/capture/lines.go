package capture

import (
	"bytes"
	"errors"
	"io"
	"strconv"
)

// lines cuts a source into lines. A line is returned without its end; the last one need not have one.
type lines struct {
	src   io.Reader
	limit int  // of a line, in bytes
	cr    bool // a carriage return alone ends a line too, as in server-sent events
	line  int  // number of the line returned last, from 1
	read  int64

	buf        []byte
	start, end int // what is in buf and not yet returned
	skipLF     bool
	failed     error // of the source, io.EOF included
}

var errTooLong = errors.New("line too long")

const (
	smallest = 64 << 10 // of the buffer
	kept     = 1 << 20  // a buffer that has grown beyond is let go when the long line is over
)

// next returns the next line, good until the call after. errTooLong means that a line was passed over.
func (l *lines) next() ([]byte, error) {
	if len(l.buf) > kept && l.end-l.start < smallest {
		l.buf = append(make([]byte, 0, smallest), l.buf[l.start:l.end]...)[:smallest]
		l.start, l.end = 0, l.end-l.start
	}
	from := 0 // where the search for the end goes on, behind start
	for {
		if l.skipLF && l.start < l.end {
			if l.skipLF = false; l.buf[l.start] == '\n' {
				l.start++
			}
		}
		if i := l.find(from); i >= 0 {
			text := l.buf[l.start : l.start+i : l.start+i]
			l.skipLF = l.cr && l.buf[l.start+i] == '\r'
			l.start += i + 1
			l.line++
			if len(text) > l.limit {
				return nil, errTooLong
			}
			return text, nil
		}
		from = l.end - l.start
		if from > l.limit {
			return nil, l.pass()
		}
		if l.failed != nil {
			if l.start == l.end || !errors.Is(l.failed, io.EOF) {
				return nil, l.failed
			}
			text := l.buf[l.start:l.end]
			l.start = l.end
			l.line++
			return text, nil
		}
		l.fill()
	}
}

// find returns the distance from start to the end of the line, looking from a distance on; -1 if it is not there yet.
func (l *lines) find(from int) int {
	rest := l.buf[l.start+from : l.end]
	i := bytes.IndexByte(rest, '\n')
	if l.cr {
		if i >= 0 {
			rest = rest[:i]
		}
		if j := bytes.IndexByte(rest, '\r'); j >= 0 {
			i = j
		}
	}
	if i < 0 {
		return -1
	}
	return from + i
}

// pass drops the rest of a line.
func (l *lines) pass() error {
	l.line++
	for {
		l.start = l.end
		if l.failed != nil {
			if errors.Is(l.failed, io.EOF) {
				return errTooLong
			}
			return l.failed
		}
		l.fill()
		if i := l.find(0); i >= 0 {
			l.skipLF = l.cr && l.buf[l.start+i] == '\r'
			l.start += i + 1
			return errTooLong
		}
	}
}

// rest returns everything up to the end of the source.
func (l *lines) rest() ([]byte, error) {
	for l.failed == nil {
		if l.end-l.start > l.limit {
			for l.failed == nil {
				l.start = l.end
				l.fill()
			}
			if errors.Is(l.failed, io.EOF) {
				return nil, errTooLong
			}
			break
		}
		l.fill()
	}
	if !errors.Is(l.failed, io.EOF) {
		return nil, l.failed
	}
	if l.end-l.start > l.limit {
		return nil, errTooLong
	}
	text := l.buf[l.start:l.end]
	l.start = l.end
	return text, nil
}

// fill reads more, making room first.
func (l *lines) fill() {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.start, l.end = 0, l.end-l.start
	}
	if l.end == len(l.buf) {
		grown := make([]byte, max(smallest, 2*len(l.buf)))
		copy(grown, l.buf[:l.end])
		l.buf = grown
	}
	// A source that returns nothing without an error again and again is broken; 100 is what bufio grants.
	for range 100 {
		n, err := l.src.Read(l.buf[l.end:])
		l.end += n
		l.read += int64(n)
		if err != nil {
			l.failed = err
		}
		if n > 0 || err != nil {
			return
		}
	}
	l.failed = io.ErrNoProgress
}

// bytesText says a number of bytes in the largest unit that divides it.
func bytesText(n int) string {
	for _, unit := range []struct {
		size int
		name string
	}{{1 << 30, " GiB"}, {1 << 20, " MiB"}, {1 << 10, " KiB"}} {
		if n >= unit.size && n%unit.size == 0 {
			return strconv.Itoa(n/unit.size) + unit.name
		}
	}
	if n == 1 {
		return "1 byte"
	}
	return strconv.Itoa(n) + " bytes"
}

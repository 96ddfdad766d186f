package web

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/conformance/transport"
)

// maxFrame bounds a frame of a stream, in bytes: far above what a protocol allows.
const maxFrame = 64 << 20

// frames reads server-sent events until the stream ends, and says why it did not end in order, or "". Lines end in
// LF, CR LF or CR; one byte order mark at the beginning is passed over.
func (c *call) frames(from io.Reader) (reason string) {
	l := &lines{in: bufio.NewReaderSize(from, 32<<10)}
	if start, err := l.in.Peek(3); err == nil && string(start) == "\uFEFF" {
		_, _ = l.in.Discard(3)
	}
	frame := &transport.Frame{}
	for {
		line, ended, err := l.next()
		frame.Bytes += len(line)
		switch {
		case frame.Bytes > maxFrame:
			return fmt.Sprintf("a frame is longer than %d bytes", maxFrame)
		case err == io.EOF && len(line) == 0 && len(frame.Fields) == 0:
			return ""
		case err == io.EOF:
			return "the stream ended in the middle of a frame"
		case err != nil:
			return "the connection broke in the middle of the stream: " + reading(err)
		case ended && len(line) == 0:
			c.frame(frame)
			frame = &transport.Frame{}
		default:
			field(frame, line)
		}
	}
}

// frame reports a frame that is complete.
func (c *call) frame(f *transport.Frame) {
	if len(f.Fields) == 0 {
		return
	}
	kind := transport.Idle
	for _, name := range f.Fields {
		if name == "data" {
			kind = transport.Framed
		}
	}
	f.Data = bytes.TrimSuffix(f.Data, []byte("\n"))
	c.emit(transport.Event{Kind: kind, Frame: f})
}

// field takes one line of a frame.
func field(f *transport.Frame, line []byte) {
	if !utf8.Valid(line) {
		f.BadText = true
	}
	name, content, _ := bytes.Cut(line, []byte(":"))
	content = bytes.TrimPrefix(content, []byte(" "))
	f.Fields = append(f.Fields, string(name))
	switch string(name) {
	case "id":
		f.ID = string(content)
	case "event":
		f.Event = string(content)
	case "data":
		f.Data = append(append(f.Data, content...), '\n')
	}
}

// lines reads lines that end in LF, CR LF or CR.
type lines struct {
	in      *bufio.Reader
	afterCR bool // an LF that follows belongs to the end of the last line
}

// next returns a line without its end; ended tells that it had one.
func (l *lines) next() (line []byte, ended bool, err error) {
	for {
		b, err := l.in.ReadByte()
		if err != nil {
			return line, false, err
		}
		after := l.afterCR
		l.afterCR = false
		switch {
		case b == '\n' && after:
		case b == '\n':
			return line, true, nil
		case b == '\r':
			l.afterCR = true
			return line, true, nil
		default:
			line = append(line, b)
			if len(line) > maxFrame {
				return line, false, nil
			}
		}
	}
}

package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/gen/wire/sse"
)

// maxFrame bounds a frame of a stream, in bytes: far above what a protocol allows.
const maxFrame = 64 << 20

// frames reads server-sent events until the stream ends, and says why it did not end in order, or "".
func (c *call) frames(from io.Reader) (reason string) {
	lines := sse.NewReader(from, maxFrame)
	frame := &transport.Frame{}
	for {
		line, err := lines.Next()
		var long *sse.TooLongError
		switch {
		case err == io.EOF:
			return ""
		case errors.Is(err, sse.ErrUnended):
			return "the stream ended in the middle of a frame"
		case errors.As(err, &long):
			return fmt.Sprintf("a frame is longer than %d bytes", maxFrame)
		case err != nil:
			return "the connection broke in the middle of the stream: " + reading(err)
		case line.End:
			frame.Bytes = lines.Frame()
			c.frame(frame)
			frame = &transport.Frame{}
		default:
			field(frame, &line)
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
func field(f *transport.Frame, line *sse.Line) {
	if !utf8.Valid(line.Text) {
		f.BadText = true
	}
	f.Fields = append(f.Fields, string(line.Name))
	switch string(line.Name) {
	case "id":
		f.ID = string(line.Value)
	case "event":
		f.Event = string(line.Value)
	case "data":
		f.Data = append(append(f.Data, line.Value...), '\n')
	}
}

package provider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Lines reads the lines of a streamed body, however long they are.
type Lines struct{ r *bufio.Reader }

// NewLines reads lines from a body.
func NewLines(body io.Reader) *Lines {
	return &Lines{r: bufio.NewReaderSize(body, 32<<10)}
}

// Next returns the next line without its end; io.EOF after the last one.
func (l *Lines) Next() ([]byte, error) {
	line, err := l.r.ReadBytes('\n')
	if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// Events reads the data of server-sent events (WHATWG HTML, section 9.2). The
// other fields of an event are not used by any provider's dialect here.
type Events struct{ lines *Lines }

// NewEvents reads events from a body.
func NewEvents(body io.Reader) *Events {
	return &Events{lines: NewLines(body)}
}

// Next returns the data of the next event that has any; io.EOF at the end of
// the stream. An event that the end of the stream cut off is still handed out:
// some servers leave out the last blank line.
func (e *Events) Next() ([]byte, error) {
	var data []byte
	seen := false
	for {
		line, err := e.lines.Next()
		if err != nil {
			if errors.Is(err, io.EOF) && seen {
				return data, nil
			}
			return nil, err
		}
		if len(line) == 0 {
			if seen {
				return data, nil
			}
			continue
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		if seen {
			data = append(data, '\n')
		}
		data = append(data, bytes.TrimPrefix(value, []byte{' '})...)
		seen = true
	}
}

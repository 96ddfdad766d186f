package stdio

import (
	"bufio"
	"bytes"
	"io"

	"github.com/hallmark-kit/hallmark/conformance/transport"
)

// readLines reports lines until the output ends or a line is too long. The events channel is small, so a target that
// floods its output waits for the engine.
func (p *Process) readLines(from io.Reader, most int) {
	r := bufio.NewReaderSize(&counted{from, p}, 64<<10)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > most:
			p.emit(transport.Event{Kind: transport.TooLong})
			return
		case err == nil:
			p.emit(transport.Event{Kind: transport.Line, Data: line[: len(line)-1 : len(line)-1]})
			line = nil
		case err == bufio.ErrBufferFull:
		default:
			if len(line) > 0 {
				p.emit(transport.Event{Kind: transport.Tail, Data: line})
			}
			return
		}
	}
}

// counted counts what is read for Received.
type counted struct {
	from io.Reader
	p    *Process
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.p.received.Add(int64(n))
	return n, err
}

func (p *Process) readErrors(from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			p.emit(transport.Event{Kind: transport.ErrorOut, Data: bytes.Clone(buffer[:n])})
		}
		if err != nil {
			return
		}
	}
}

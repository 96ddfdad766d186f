package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

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

// output is what a process writes to one of its pipes.
type output struct {
	file  *os.File
	limit atomic.Int64 // Unix nanoseconds after which nothing more is read; 0 while the process is running
	fresh bool         // the deadline was set anew since something came
}

// last says that the process has ended.
func (o *output) last() {
	now := time.Now()
	o.limit.Store(now.Add(drainAll).UnixNano())
	_ = o.file.SetReadDeadline(now.Add(drain))
}

// Read reads until the end or, once the process has ended, until nothing comes for a while. A deadline that passed
// while the reader was busy with something else does not count.
func (o *output) Read(b []byte) (int, error) {
	for {
		n, err := o.file.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			o.fresh = false
			return n, err
		}
		now := time.Now()
		if o.fresh || now.UnixNano() > o.limit.Load() {
			return 0, io.EOF
		}
		o.fresh = true
		_ = o.file.SetReadDeadline(now.Add(drain))
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

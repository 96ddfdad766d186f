package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/transport"
)

// Lines that have not ended are kept in pieces, and all of them together are bounded: many connections to a target that
// ends no line must not take the memory of the machine.
var (
	mostUnended int64 = 128 << 20 // bytes over all connections
	unended     atomic.Int64
)

// smallLine is how much of a line does not count there.
const smallLine = 1 << 20

// line is a line that has not ended.
type line struct {
	pieces  [][]byte
	size    int
	counted int64
}

// add takes a piece, and refuses one that is too much for all connections.
func (l *line) add(piece []byte) bool {
	l.size += len(piece)
	if l.size > smallLine {
		l.counted += int64(len(piece))
		if unended.Add(int64(len(piece))) > mostUnended {
			return false
		}
	}
	l.pieces = append(l.pieces, bytes.Clone(piece))
	return true
}

// take gives the bytes of the line and begins anew.
func (l *line) take() []byte {
	defer l.drop()
	if len(l.pieces) == 1 {
		return l.pieces[0]
	}
	return slices.Concat(l.pieces...)
}

func (l *line) drop() {
	unended.Add(-l.counted)
	*l = line{}
}

// readLines reports lines until the output ends or a line is too long. The events channel is small, so a target that
// floods its output waits for the engine.
func (p *Process) readLines(from io.Reader, most int) {
	defer p.unended.close()
	r := bufio.NewReaderSize(&counted{from, p}, 64<<10)
	var l line
	defer l.drop()
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case l.size+len(part) > most:
			p.emit(transport.Event{Kind: transport.TooLong})
			return
		case !l.add(part):
			l.drop() // before anybody hears of it: others go on
			p.emit(transport.Event{Kind: transport.TooLong, Reason: fmt.Sprintf("lines that are not ended hold more than %d bytes over all connections", mostUnended)})
			return
		case err == nil:
			data := l.take()
			p.emit(transport.Event{Kind: transport.Line, Data: data[: len(data)-1 : len(data)-1]})
		case err == bufio.ErrBufferFull:
		default:
			if l.size > 0 {
				p.emit(transport.Event{Kind: transport.Tail, Data: l.take()})
			}
			return
		}
	}
}

// begun is what a process has written since its last line feed.
type begun struct {
	mu        sync.Mutex
	beginning []byte
	bytes     int64
	closed    bool
}

// shownOfBegun is how much of it is kept.
const shownOfBegun = 1 << 10

func (b *begun) take(data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
		b.beginning, b.bytes, data = b.beginning[:0], 0, data[i+1:]
	}
	b.bytes += int64(len(data))
	b.beginning = append(b.beginning, data[:min(len(data), shownOfBegun-len(b.beginning))]...)
}

func (b *begun) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// Unended is what the target has written to its standard output since the last line feed: the beginning, and how many
// bytes. closed tells that nothing more is read from there.
func (p *Process) Unended() (beginning []byte, n int64, closed bool) {
	p.unended.mu.Lock()
	defer p.unended.mu.Unlock()
	return bytes.Clone(p.unended.beginning), p.unended.bytes, p.unended.closed
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
	c.p.unended.take(b[:n])
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

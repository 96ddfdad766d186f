package web

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/transport"
)

// maxBody bounds an answer that is no stream, in bytes.
const maxBody = 64 << 20

// call is one exchange under way.
type call struct {
	conn    *Conn
	number  int
	cancel  context.CancelFunc
	aborted atomic.Bool
}

// run carries out the exchange and reports what comes of it.
func (c *call) run(ctx context.Context, r transport.Request) {
	peer, err := c.conn.dial(ctx)
	if err != nil {
		c.over("no connection: " + err.Error())
		return
	}
	defer func() { _ = peer.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = peer.Close() })
	defer stop()
	written := make(chan error, 1)
	go func() { written <- writeAll(peer, c.conn.pieces(r)) }()
	c.read(peer, r, written)
}

// writeAll writes pieces one by one.
func writeAll(to io.Writer, pieces [][]byte) error {
	for _, p := range pieces {
		if _, err := to.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// pieces is the request as it goes out, in the writes that were asked for.
func (c *Conn) pieces(r transport.Request) [][]byte {
	if r.Raw != nil {
		return r.Raw
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s%s HTTP/1.1\r\nHost: %s\r\n", r.Method, c.prefix, r.Target, c.host)
	for _, h := range r.Header {
		fmt.Fprintf(&head, "%s: %s\r\n", h[0], h[1])
	}
	total := 0
	for _, p := range r.Body {
		total += len(p)
	}
	switch {
	case r.Body == nil:
	case r.Chunked:
		head.WriteString("Transfer-Encoding: chunked\r\n")
	default:
		head.WriteString("Content-Length: " + strconv.Itoa(total) + "\r\n")
	}
	head.WriteString("\r\n")
	pieces := [][]byte{head.Bytes()}
	if r.Chunked && r.Body != nil {
		for _, p := range r.Body {
			if len(p) > 0 {
				pieces = append(pieces, fmt.Appendf(nil, "%x\r\n%s\r\n", len(p), p))
			}
		}
		return append(pieces, []byte("0\r\n\r\n"))
	}
	if len(r.Body) == 1 {
		pieces[0] = append(pieces[0], r.Body[0]...) // one write, as clients do
		return pieces
	}
	return append(pieces, r.Body...)
}

// read takes the answer.
func (c *call) read(peer net.Conn, r transport.Request, written <-chan error) {
	in := bufio.NewReaderSize(&counted{peer, c.conn}, 32<<10)
	var answer *http.Response
	for {
		var err error
		answer, err = http.ReadResponse(in, &http.Request{Method: r.Method})
		if err != nil {
			c.over("the connection was closed without an answer: " + reading(err))
			return
		}
		if answer.StatusCode >= 200 {
			break
		}
	}
	defer func() { _ = answer.Body.Close() }()
	a := &transport.Answer{Status: answer.StatusCode, Header: answer.Header}
	if len(answer.TransferEncoding) > 0 {
		a.Header.Set("Transfer-Encoding", answer.TransferEncoding[0])
	}
	if kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type")); kind == "text/event-stream" && a.Status == http.StatusOK {
		c.emit(transport.Event{Kind: transport.Head, Answer: a})
		c.over(c.frames(answer.Body))
		return
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	switch {
	case err != nil:
		c.over("the connection broke in the middle of the answer: " + reading(err))
	case len(body) > maxBody:
		c.over(fmt.Sprintf("the answer is longer than %d bytes", maxBody))
	default:
		a.Body = body
		c.emit(transport.Event{Kind: transport.Body, Answer: a})
	}
}

// reading tells why reading failed, in words that are the same on every machine.
func reading(err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "end of the connection"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "nothing came for too long"
	}
	return err.Error()
}

func (c *call) emit(e transport.Event) {
	if c.aborted.Load() {
		return
	}
	e.Exchange = c.number
	c.conn.emit(e)
}

func (c *call) over(reason string) { c.emit(transport.Event{Kind: transport.Over, Reason: reason}) }

// counted counts what is read for Received.
type counted struct {
	from io.Reader
	conn *Conn
}

func (r *counted) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	r.conn.received.Add(int64(n))
	return n, err
}

// dialTimeout bounds the making of a connection.
const dialTimeout = 10 * time.Second

func (c *Conn) dial(ctx context.Context) (net.Conn, error) {
	d := &net.Dialer{Timeout: dialTimeout}
	if c.tls == nil {
		return d.DialContext(ctx, "tcp", c.address)
	}
	return (&tls.Dialer{NetDialer: d, Config: c.tls}).DialContext(ctx, "tcp", c.address)
}

package host

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/standin/gate"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
)

// maxRequest bounds the body of a request, in bytes.
const maxRequest = 64 << 20

// Options places a host among the other stand-ins of a scenario.
type Options struct {
	Name     string           // in recordings
	Recorder *record.Recorder // where recordings go
	Gates    *gate.Set        // where answers wait
}

// Server is a running host. Close it when done.
type Server struct {
	script  Script
	options Options
	url     string
	ca      string

	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	listener net.Listener
	serving  sync.WaitGroup

	mu   sync.Mutex
	next int // answer
}

// Start begins to serve on a free port of the loopback interface.
func Start(s Script, o Options) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("host stand-in: %w", err)
	}
	srv := &Server{script: s, options: o, listener: listener, url: "http://" + listener.Addr().String() + s.Prefix}
	if s.TLS != "" {
		pair, ca, err := certificate(s.TLS)
		if err != nil {
			_ = listener.Close()
			return nil, fmt.Errorf("host stand-in: %w", err)
		}
		srv.ca, srv.url = ca, "https://"+listener.Addr().String()+s.Prefix
		srv.listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
	}
	srv.ctx, srv.cancel = context.WithCancel(context.Background())
	srv.serving.Go(srv.accept)
	return srv, nil
}

// URL is the base URL.
func (s *Server) URL() string { return s.url }

// CA is the certificate, in PEM form, of the authority that the host's own certificate is by; "" without TLS.
func (s *Server) CA() string { return s.ca }

// Close ends all connections and returns when nothing is served any more.
func (s *Server) Close() error {
	s.cancel()
	err := s.listener.Close()
	s.serving.Wait()
	return err
}

func (s *Server) accept() {
	for {
		peer, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.serving.Go(func() {
			defer func() { _ = peer.Close() }()
			defer context.AfterFunc(s.ctx, func() { _ = peer.Close() })()
			s.serve(peer)
		})
	}
}

// seen is the recording of a request.
type seen struct {
	N       int               `json:"n,omitempty"`
	Method  string            `json:"method"`
	Target  string            `json:"target"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body,omitempty"`
	Text    *string           `json:"text,omitempty"`
}

// number is the recording of what happens to an answer.
type number struct {
	N int `json:"n"`
}

// serve answers one request.
func (s *Server) serve(peer net.Conn) {
	in := bufio.NewReader(peer)
	q, err := http.ReadRequest(in)
	if err != nil {
		return // a client that does not finish its request, or does not trust the certificate
	}
	body, err := io.ReadAll(io.LimitReader(q.Body, maxRequest))
	if err != nil {
		return
	}
	r := seen{Method: q.Method, Target: q.RequestURI, Headers: make(map[string]string)}
	for name, lines := range q.Header {
		r.Headers[strings.ToLower(name)] = strings.Join(lines, ", ")
	}
	switch {
	case len(body) > 0 && json.Valid(body):
		r.Body = body
	case len(body) > 0:
		text := strings.ToValidUTF8(string(body), "\uFFFD")
		r.Text = &text
	}
	a, kind := s.take(&r)
	s.options.Recorder.Record(s.options.Name, kind, r)
	if a != nil {
		s.answer(peer, in, a, r.N)
	}
}

// take gives the next answer if it is for the request, otherwise one that is always given, and numbers the request; kind
// is that of the recording.
func (s *Server) take(r *seen) (a *Answer, kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	isFor := func(a *Answer) bool { return a.To == r.Method+" "+strings.TrimPrefix(r.Target, s.script.Prefix) }
	if !strings.HasPrefix(r.Target, s.script.Prefix) {
		isFor = func(*Answer) bool { return false }
	}
	if s.next < len(s.script.Answers) && isFor(&s.script.Answers[s.next]) {
		s.next++
		r.N = s.next
		return &s.script.Answers[r.N-1], "request"
	}
	for i := range s.script.Always {
		if isFor(&s.script.Always[i]) {
			return &s.script.Always[i], "aside"
		}
	}
	r.N = s.next + 1
	return nil, "unexpected"
}

// answer sends what the script says. n is the number of the answer, 0 for one that is always given.
func (s *Server) answer(peer net.Conn, in io.Reader, a *Answer, n int) {
	gone := make(chan struct{})
	s.serving.Go(func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, in) // ends when the client leaves, or the connection is closed here
	})
	note := func(kind string) {
		if n > 0 && s.ctx.Err() == nil {
			s.options.Recorder.Record(s.options.Name, kind, number{n})
		}
	}
	if !s.send(peer, gone, a) {
		note("left")
		return
	}
	note("sent")
	switch a.Then {
	case ThenHold:
		select {
		case <-gone:
			note("left")
		case <-s.ctx.Done():
		}
	case ThenReset:
		if c, ok := peer.(*net.TCPConn); ok {
			_ = c.SetLinger(0)
		}
	default:
		s.finish(peer, gone)
	}
}

// grace is how long a client may take to read the end of an answer before its connection is closed: closing with
// something unread on this side would take away what is under way.
const grace = 2 * time.Second

// finish says that nothing more comes, and lets the client close first.
func (s *Server) finish(peer net.Conn, gone <-chan struct{}) {
	c, ok := peer.(interface{ CloseWrite() error })
	if !ok || c.CloseWrite() != nil {
		return
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-gone:
	case <-s.ctx.Done():
	case <-timer.C:
	}
}

// send writes the answer; false when the client has left before its end.
func (s *Server) send(peer net.Conn, gone <-chan struct{}, a *Answer) bool {
	if !s.wait(a.Wait, gone) {
		return false
	}
	if a.Nothing {
		return true
	}
	if !write(peer, s.head(a), 0) {
		return false
	}
	switch {
	case a.Body != nil:
		body := slices.Clone([]byte(a.Body))
		if a.Pad > len(body) {
			body = append(body, strings.Repeat(" ", a.Pad-len(body))...)
		}
		return write(peer, body, a.Every)
	case a.Bytes != nil:
		return write(peer, a.Bytes.all(), a.Every)
	}
	events, err := s.script.Events(a)
	if err != nil {
		return false // Validate has seen that they are objects
	}
	end := lineEnds[a.LineEnd]
	for i, item := range a.Items {
		if !s.wait(item.Wait, gone) {
			return false
		}
		part := append(append([]byte("data: "), events[i]...), end+end...)
		if item.Bytes != nil {
			part = item.Bytes.all()
		}
		if !write(peer, part, a.Every) {
			return false
		}
	}
	return true
}

// wait waits at a gate; false when the client leaves first.
func (s *Server) wait(name string, gone <-chan struct{}) bool {
	if name == "" {
		return true
	}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	open := make(chan error, 1)
	go func() { open <- s.options.Gates.Wait(ctx, name) }()
	select {
	case err := <-open:
		return err == nil
	case <-gone:
		return false
	}
}

// write writes bytes, so many at a time.
func write(to io.Writer, data []byte, every int) bool {
	if every == 0 {
		every = max(1, len(data))
	}
	for len(data) > 0 {
		n := min(every, len(data))
		if _, err := to.Write(data[:n]); err != nil {
			return false
		}
		data = data[n:]
	}
	return true
}

// head is the status line and the headers.
func (s *Server) head(a *Answer) []byte {
	headers := map[string]json.RawMessage{"Connection": json.RawMessage(`"close"`)}
	kind := "application/json; charset=utf-8"
	if a.Items != nil {
		kind = "text/event-stream; charset=utf-8"
	}
	text, _ := json.Marshal(kind)
	headers["Content-Type"] = text
	for _, given := range []map[string]json.RawMessage{s.script.Headers, a.Headers} {
		for name, v := range given {
			headers[http.CanonicalHeaderKey(name)] = v
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", a.status(), http.StatusText(a.status()))
	for _, name := range sorted(headers) {
		lines, _ := texts(headers[name])
		for _, line := range lines {
			fmt.Fprintf(&b, "%s: %s\r\n", name, line)
		}
	}
	b.WriteString("\r\n")
	return []byte(b.String())
}

package agenticdriver

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
)

// pipes is a listener of connections without any buffer, inside the process.
type pipes struct {
	to   chan net.Conn
	once sync.Once
	done chan struct{}
}

func newPipes() *pipes { return &pipes{to: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.to:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial opens a connection.
func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.to <- there:
		return here, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// inBubble runs a test against a host in a bubble of its own time: hours pass in
// no time once everybody waits.
func inBubble(t *testing.T, limits string, do func(t *testing.T, h *host)) {
	t.Helper()
	path := configured(t, limits)
	synctest.Test(t, func(t *testing.T) {
		doc, err := config.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Stderr: io.Discard}.withDefaults()
		s, err := newServer(o, doc, &edges{})
		if err != nil {
			t.Fatal(err)
		}
		s.state.Store(serving)
		listener := newPipes()
		server := &http.Server{Handler: s.handler(), WriteTimeout: config.Duration(doc.Limits.WriteTimeoutMs)}
		go func() { _ = server.Serve(listener) }()
		transport := &http.Transport{DialContext: listener.dial}
		defer func() {
			_ = server.Close()
			transport.CloseIdleConnections()
			s.close()
		}()
		do(t, &host{t: t, url: "http://host", http: &http.Client{Transport: transport}, bound: 1000 * time.Hour})
	})
}

// heardSoFar is everything that the host has answered.
func (h *host) heardSoFar() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.spoke.String()
}

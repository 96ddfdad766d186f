package client_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/client"
)

const token = "a-token-that-must-never-be-seen-0123456789"

// host answers every request with the same bytes, each piece written for itself, and closes the connection.
type host struct {
	url    string
	answer []string
	hold   bool // instead of closing, waits for the client to

	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
	gone     chan struct{} // gets one when a client that was waited for has closed
}

func newHost(t *testing.T, answer ...string) *host {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &host{url: "http://" + l.Addr().String(), answer: answer, gone: make(chan struct{}, 10)}
	var serving sync.WaitGroup
	serving.Add(1)
	go func() {
		defer serving.Done()
		for {
			peer, err := l.Accept()
			if err != nil {
				return
			}
			serving.Add(1)
			go func() {
				defer serving.Done()
				h.serve(peer)
			}()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	return h
}

func (h *host) serve(peer net.Conn) {
	defer func() { _ = peer.Close() }()
	in := bufio.NewReader(peer)
	q, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	body, _ := io.ReadAll(q.Body)
	h.mu.Lock()
	h.requests, h.bodies = append(h.requests, q), append(h.bodies, string(body))
	h.mu.Unlock()
	for _, piece := range h.answer {
		if _, err := io.WriteString(peer, piece); err != nil {
			break
		}
	}
	if h.hold {
		_, _ = io.Copy(io.Discard, in)
		h.gone <- struct{}{}
	}
}

// count is how many requests have come.
func (h *host) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.requests)
}

// last gives the last request and its body.
func (h *host) last(t *testing.T) (*http.Request, string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.requests) == 0 {
		t.Fatal("no request has come")
	}
	return h.requests[len(h.requests)-1], h.bodies[len(h.bodies)-1]
}

func (h *host) client(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(h.url, client.Options{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func answer(status, body string, headers ...string) string {
	return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + strings.Join(append(headers, ""), "\r\n") + "\r\n" + body
}

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"

const at = `"timestamp":"2026-01-02T03:04:05.678Z"`

// events writes events as frames: members behind the envelope of each.
func events(list ...string) string {
	var b strings.Builder
	for i, e := range list {
		b.WriteString("data: " + event(i+1, e) + "\n\n")
	}
	return b.String()
}

func event(sequence int, members string) string {
	kind, rest, _ := strings.Cut(members, " ")
	if rest != "" {
		rest = "," + rest
	}
	return `{"type":"` + kind + `","runId":"r","sequence":` + itoa(sequence) + `,` + at + rest + `}`
}

func itoa(n int) string {
	return string(bytes.TrimLeft([]byte{byte('0' + n/10), byte('0' + n%10)}, "0"))
}

const (
	started   = `run.started "provider":"p","model":"m"`
	step      = `step.started "step":1`
	hello     = `text.delta "text":"hello"`
	completed = `run.completed "result":{"runId":"r","provider":"p","model":"m","text":"hello","usage":{},"steps":1,"finishReason":"stop"}`
)

func request() *agenticdriver.RunRequest {
	return &agenticdriver.RunRequest{Provider: "p", Model: "m", Input: "Hello"}
}

// code is the code of a failure, "" for none.
func code(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *client.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is no *client.Error: %v", err, err)
	}
	if strings.Contains(e.Error(), token) {
		t.Errorf("the token is in the error: %v", e)
	}
	return e.Code
}

package model

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/hallmark-kit/hallmark/conformance/standin/gate"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
)

// Options places a server among the other stand-ins of a scenario. The zero value is usable: missing parts are made.
type Options struct {
	Name     string           // name in events, default model
	Recorder *record.Recorder // where events go
	Gates    *gate.Set        // where turns wait
}

// Server is a running model server. Close it when done.
type Server struct {
	script  Script
	base    string
	wire    wire
	options Options
	url     string

	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	http     *http.Server
	accepted sync.WaitGroup // open connections and the accept loop
	reserved []io.Closer    // with Script.Refuse: what keeps the port from being reused

	mu       sync.Mutex
	requests int
	used     []int // how often each turn was taken
	probed   int
}

// Start validates the script and begins to serve it on a free port of the loopback interface.
func Start(s Script, o Options) (*Server, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = "model"
	}
	if o.Recorder == nil {
		o.Recorder = record.New()
	}
	if o.Gates == nil {
		o.Gates = gate.New()
	}
	srv := &Server{script: s, options: o, used: make([]int, len(s.Turns))}
	switch s.Dialect {
	case OpenAI:
		srv.wire, srv.base = openAI{}, "/v1"
	case Ollama:
		srv.wire = ollama{}
	}
	if s.Base != nil {
		srv.base = *s.Base
	}
	srv.ctx, srv.cancel = context.WithCancel(context.Background())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		srv.cancel()
		return nil, fmt.Errorf("model stand-in: %w", err)
	}
	if s.Refuse {
		if err := srv.reserve(listener); err != nil {
			srv.cancel()
			return nil, fmt.Errorf("model stand-in: reserving a port that refuses: %w", err)
		}
		return srv, nil
	}
	srv.url = "http://" + listener.Addr().String()
	srv.http = &http.Server{
		Handler:     http.HandlerFunc(srv.serve),
		BaseContext: func(net.Listener) context.Context { return srv.ctx },
		ConnState:   srv.count,
		ErrorLog:    log.New(io.Discard, "", 0), // aborted connections are scripted, not errors
	}
	srv.accepted.Go(func() { _ = srv.http.Serve(listener) }) // ends with ErrServerClosed
	return srv, nil
}

// reserve takes a port that nobody listens on and nobody else will get: the local end of a connection to a listener
// of our own.
func (s *Server) reserve(listener net.Listener) error {
	s.reserved = append(s.reserved, listener)
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return err
	}
	s.reserved = append(s.reserved, conn)
	s.url = "http://" + conn.LocalAddr().String()
	return nil
}

// count keeps track of open connections, so that Close can wait for the last one.
func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.accepted.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.accepted.Done()
	}
}

// URL is the root of the server, without a slash at the end.
func (s *Server) URL() string { return s.url }

// BaseURL is the address to configure in a host: the root and the script's base path.
func (s *Server) BaseURL() string { return s.url + s.base }

// Recorder is where the server's events go.
func (s *Server) Recorder() *record.Recorder { return s.options.Recorder }

// Gates is where the server's turns wait.
func (s *Server) Gates() *gate.Set { return s.options.Gates }

// Unused lists the indexes of the turns that no request has taken. Turns that are never used up are not listed.
func (s *Server) Unused() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []int
	for i, n := range s.used {
		if n == 0 && !s.script.Turns[i].Always {
			out = append(out, i)
		}
	}
	return out
}

// Close ends every wait and stall, closes all connections and returns when everything has come to rest.
func (s *Server) Close() error {
	s.cancel()
	var err error
	if s.http != nil {
		err = s.http.Close()
	}
	for _, c := range s.reserved {
		_ = c.Close() // nothing was ever sent over it
	}
	s.accepted.Wait()
	return err
}

func (s *Server) record(kind string, detail any) {
	s.options.Recorder.Record(s.options.Name, kind, detail)
}

// maxBody bounds a request's body, in bytes.
const maxBody = 1 << 30

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		panic(http.ErrAbortHandler) // the client left while sending; there was no request
	}
	seen := &Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Headers: headers(r), Size: len(body)}
	seen.setBody(body)

	operation, ok := strings.CutPrefix(r.URL.Path, s.base)
	chat, list, version := "/chat/completions", "/models", ""
	if s.script.Dialect == Ollama {
		chat, list, version = "/api/chat", "/api/tags", "/api/version"
	}
	a := &answer{server: s, w: w, r: r}
	switch {
	case ok && r.Method == http.MethodPost && operation == chat:
		s.chat(a, seen, body)
	case ok && r.Method == http.MethodGet && operation == list:
		s.probe(a, seen, s.models())
	case ok && r.Method == http.MethodGet && operation == version && version != "":
		s.probe(a, seen, s.version())
	default:
		a.request = s.arrive(seen, nil)
		s.record(KindUnexpected, &Trouble{a.request, "no such operation: " + r.Method + " " + r.URL.Path})
		a.send(http.StatusNotFound, nil, nil, "stand-in: no such operation")
	}
}

// arrive numbers and records a request. While the lock is held, take may look for what the script has for it.
func (s *Server) arrive(seen *Request, take func(number int)) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	seen.Request = s.requests
	if take != nil {
		take(seen.Request)
	}
	s.record(KindRequest, seen)
	return seen.Request
}

// probe answers a GET: as scripted, or else with ok.
func (s *Server) probe(a *answer, seen *Request, ok any) {
	probe, left := s.script.Probe, true
	a.request = s.arrive(seen, func(int) {
		if s.script.Probes == nil {
			return
		}
		if left = s.probed < len(s.script.Probes); left {
			probe = &s.script.Probes[s.probed]
			s.probed++
		}
	})
	switch {
	case !left:
		s.record(KindExhausted, &Trouble{a.request, "the script has no probe left for this request"})
		a.send(http.StatusBadRequest, nil, nil, "stand-in: the script has no probe left")
		return
	case probe == nil:
		a.sendJSON(http.StatusOK, nil, ok)
		return
	}
	a.wait(probe.Wait)
	switch {
	case probe.Stall:
		a.stall()
	case probe.Cut:
		a.cut(probe.Reset)
	case probe.Status != 0:
		a.send(probe.Status, probe.Headers, probe.Body, scripted(probe.Status))
	default:
		a.sendJSON(http.StatusOK, probe.Headers, ok)
	}
}

func scripted(status int) string { return fmt.Sprintf("stand-in: scripted status %d", status) }

// chat answers a chat request with its turn.
func (s *Server) chat(a *answer, seen *Request, body []byte) {
	var request *chatRequest
	var turn *Turn
	a.request = s.arrive(seen, func(number int) {
		var ok bool
		if request, ok = readChat(s.script.Dialect, number, body); !ok {
			return
		}
		seen.Model, seen.User, seen.Tools = request.model, request.user, request.tools
		if i := s.take(request); i >= 0 {
			turn, seen.Turn = &s.script.Turns[i], &i
		}
	})
	switch {
	case request == nil:
		s.record(KindUnexpected, &Trouble{a.request, "the body is not the JSON object of a chat request"})
		a.send(http.StatusBadRequest, nil, nil, "stand-in: the body is not the JSON object of a chat request")
	case turn == nil:
		s.record(KindExhausted, &Trouble{a.request, "the script has no turn left for this request"})
		a.send(http.StatusBadRequest, nil, nil, "stand-in: the script has no turn left for this request")
	default:
		a.play(turn, request)
	}
}

// take finds the turn for a request and uses it; -1: none is left. The lock is held.
func (s *Server) take(r *chatRequest) int {
	for i := range s.script.Turns {
		t := &s.script.Turns[i]
		if (t.Always || s.used[i] < max(1, t.Times)) && t.When.matches(r) {
			s.used[i]++
			return i
		}
	}
	return -1
}

// models is the normal list of models.
func (s *Server) models() any {
	listed := s.script.Models
	if listed == nil {
		listed = []Model{{ID: DefaultModel}}
	}
	entries := []object{}
	for _, m := range listed {
		entry := object{"id": m.ID, "object": "model", "created": 0, "owned_by": "stand-in"}
		if s.script.Dialect == Ollama {
			entry = object{"name": m.ID, "model": m.ID, "modified_at": "2026-01-01T00:00:00Z", "size": 1}
		}
		for name, value := range m.With {
			if string(value) == "null" {
				delete(entry, name)
			} else {
				entry[name] = value
			}
		}
		entries = append(entries, entry)
	}
	if s.script.Dialect == Ollama {
		return object{"models": entries}
	}
	return object{"object": "list", "data": entries}
}

// version is the normal answer to GET /api/version.
func (s *Server) version() any {
	if s.script.Version == "" {
		return object{"version": "0.9.0"}
	}
	return object{"version": s.script.Version}
}

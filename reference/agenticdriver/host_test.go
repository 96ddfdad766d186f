package agenticdriver

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// Tokens of the built-in configuration.
const (
	alice       = "hallmark-dev-token-alice-0000000000001"
	aliceFewer  = "hallmark-dev-token-alice-fewer-000000001"
	aliceReader = "hallmark-dev-token-alice-reader-00000001"
	bob         = "hallmark-dev-token-bob-000000000000001"
	carol       = "hallmark-dev-token-carol-00000000000001"
	admin       = "hallmark-dev-token-admin-00000000000001"
	admin2      = "hallmark-dev-token-admin-00000000000002"
)

// bound is how long anything may take; only failures take that long.
const bounded = 3 * time.Minute

// TestMain lets the test binary be a host of its own, so that tests can kill
// one: with HOST_OPTIONS it is Main with these options.
func TestMain(m *testing.M) {
	text := os.Getenv("HOST_OPTIONS")
	if text == "" {
		os.Exit(m.Run())
	}
	var o Options
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	}
	os.Exit(Main(context.Background(), o))
}

// host is one that a test talks to.
type host struct {
	t     testing.TB
	url   string
	stop  func()
	http  *http.Client  // nil: the default one
	bound time.Duration // of a request; 0: bounded
	mu    sync.Mutex
	spoke bytes.Buffer // everything it has answered
}

// syncBuffer may be written to by a process while a test reads it.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// start begins a host inside the test's process, on a real socket. At the end
// nothing that it has answered or logged holds a token, and it has not panicked.
func start(t testing.TB, o Options) *host {
	t.Helper()
	o.Listen = "127.0.0.1:0"
	out, in := io.Pipe()
	log := &syncBuffer{}
	o.Stdout, o.Stderr = in, log
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() {
		done <- Main(ctx, o)
		_ = in.Close()
	}()
	h := &host{t: t}
	var once sync.Once
	h.stop = func() {
		once.Do(func() {
			stop()
			select {
			case code := <-done:
				if code != exitDone {
					t.Errorf("the host ended with code %d: %s", code, log)
				}
			case <-time.After(bounded):
				t.Error("the host did not end")
			}
		})
	}
	t.Cleanup(func() {
		h.stop()
		if strings.Contains(log.String(), "panic") {
			t.Errorf("the host panicked: %s", log)
		}
		for _, secret := range []string{alice, aliceFewer, aliceReader, bob, carol, admin, admin2, "broken tool secret", "CANARY"} {
			if strings.Contains(h.spoke.String(), secret) || strings.Contains(log.String(), secret) {
				t.Errorf("the host tells %q", secret)
			}
		}
	})
	h.url = address(t, out)
	return h
}

func address(t testing.TB, out io.Reader) string {
	t.Helper()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var b bound
	if err != nil || json.Unmarshal(line, &b) != nil {
		t.Fatalf("the host did not say where it listens: %q, %v", line, err)
	}
	return b.URL
}

// startProcess begins a host as a process of its own.
func startProcess(t testing.TB, o Options) (*host, *exec.Cmd) {
	t.Helper()
	o.Listen = "127.0.0.1:0"
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "HOST_OPTIONS="+string(text))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &host{t: t, url: address(t, out)}, cmd
}

// response is an answer.
type response struct {
	status int
	header http.Header
	body   []byte
}

// code is the error code of the answer; empty for a success.
func (r response) code() string {
	e, err := protocol.DecodeError(r.body)
	if err != nil {
		return ""
	}
	return e.Error.Code
}

// request makes a request: header is a list of names and values.
func (h *host) request(ctx context.Context, method, target, token, body string, header ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.url+target, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header[header[i]] = []string{header[i+1]}
	}
	if h.http != nil {
		return h.http.Do(req)
	}
	return http.DefaultClient.Do(req)
}

// limit is how long a request may take.
func (h *host) limit() time.Duration { return cmp.Or(h.bound, bounded) }

// do makes a request and reads the answer, which has to be what the protocol's
// documents say of it.
func (h *host) do(method, target, token, body string, header ...string) response {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), h.limit())
	defer cancel()
	res, err := h.request(ctx, method, target, token, body, header...)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, target, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, target, err)
	}
	h.heard(text)
	path, _, _ := strings.Cut(target, "?")
	for _, op := range protocol.Operations {
		if op.Method == method && op.Path == path && strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
			if media := op.Response(res.StatusCode).As("application/json"); media != nil && media.Schema.Validate != nil {
				if err := media.Schema.Validate(text, wire.AssertFormats()); err != nil {
					h.t.Errorf("%s %s answers %d with what is no %s: %v", method, target, res.StatusCode, media.Schema.Name, err)
				}
			}
		}
	}
	return response{res.StatusCode, res.Header, text}
}

func (h *host) heard(text []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.spoke.Write(text)
}

// post makes a request that has to succeed, and reads the answer.
func post[T any](h *host, read func([]byte, ...wire.Option) (T, error), target, token, body string) T {
	h.t.Helper()
	r := h.do("POST", target, token, body)
	v, err := read(r.body)
	if r.status != http.StatusOK || err != nil {
		h.t.Fatalf("POST %s: got %d %s, %v", target, r.status, r.body, err)
	}
	return v
}

// refused makes a request that has to fail with the code.
func (h *host) refused(code string, target, token, body string, header ...string) {
	h.t.Helper()
	if r := h.do("POST", target, token, body, header...); r.code() != code {
		h.t.Errorf("POST %s %s: got %d %.300s, want %s", target, body, r.status, r.body, code)
	}
}

// script is the input that carries out turns under a name.
func script(name, turns string) string {
	text := fmt.Sprintf(`{"as":%q,"turns":%s}`, name, turns)
	return string(wire.AppendString(nil, text))
}

// runBody is a run of the scripted provider; more are further members.
func runBody(input string, more ...string) string {
	return `{"provider":"mock","model":"demo","input":` + input + strings.Join(append([]string{""}, more...), ",") + `}`
}

// events is an open stream.
type events struct {
	h      *host
	res    *http.Response
	lines  *bufio.Reader
	cancel context.CancelFunc
	next   int64
	over   bool
}

// stream opens a stream of a run.
func (h *host) stream(token, body string, header ...string) *events {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), h.limit())
	res, err := h.request(ctx, "POST", "/v1/runs", token, body, append([]string{"Accept", "text/event-stream"}, header...)...)
	if err != nil {
		cancel()
		h.t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		cancel()
		h.t.Fatalf("the stream of %s is refused: %d %s", body, res.StatusCode, text)
	}
	h.t.Cleanup(cancel)
	return &events{h: h, res: res, lines: bufio.NewReader(res.Body), cancel: cancel, next: 1}
}

// read gives the next event; nil at the end. It checks frame and envelope.
func (e *events) read() protocol.RunEvent {
	e.h.t.Helper()
	var id, kind string
	for {
		line, err := e.lines.ReadString('\n')
		e.h.heard([]byte(line))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			e.h.t.Fatalf("the stream broke: %v", err)
		}
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "id":
			id = value
		case "event":
			kind = value
		case "data":
			ev, err := protocol.DecodeRunEvent([]byte(value), wire.AssertFormats())
			if err != nil {
				e.h.t.Fatalf("not an event: %v: %s", err, value)
			}
			if e.over || run.Sequence(ev) != e.next || id != fmt.Sprint(e.next) || kind != run.Type(ev) {
				e.h.t.Fatalf("event %d is %s %s: %s", e.next, id, kind, value)
			}
			e.next++
			result, failed := run.Terminal(ev)
			e.over = result != nil || failed != nil
			return ev
		}
	}
}

// until reads up to the first event of the type.
func until[T protocol.RunEvent](e *events) T {
	e.h.t.Helper()
	for {
		ev := e.read()
		if ev == nil {
			var want T
			e.h.t.Fatalf("the stream ended without %T", want)
		}
		if found, ok := ev.(T); ok {
			return found
		}
	}
}

// types are the types of all events that are left.
func (e *events) types() string {
	e.h.t.Helper()
	var list []string
	for ev := e.read(); ev != nil; ev = e.read() {
		list = append(list, run.Type(ev))
	}
	return strings.Join(list, " ")
}

// configured writes the built-in configuration with other limits.
func configured(t testing.TB, limits string) string {
	t.Helper()
	text, err := os.ReadFile("config/builtin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("limits: { queue: 1 }"), []byte("limits: "+limits), 1)
	path := filepath.Join(t.TempDir(), "host.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// counters asks a host for the counters of a name, once cond holds.
func (h *host) counters(name, counter string, atLeast int) string {
	h.t.Helper()
	wait := ""
	if atLeast > 0 {
		wait = fmt.Sprintf(`{"until":{"counter":%q,"of":%q,"atLeast":%d}},`, counter, name, atLeast)
	}
	result := post(h, protocol.DecodeRunResult, "/v1/runs", bob, runBody(script("", `[[`+wait+fmt.Sprintf(`{"report":"counters","of":%q}]]`, name))))
	return result.Text
}

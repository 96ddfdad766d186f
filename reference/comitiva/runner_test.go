package comitiva

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
)

// patience bounds every wait of these tests. Nothing waits that long unless
// something is broken.
const patience = time.Minute

// The test binary is also a runner and a tool server: a variable says which.
const (
	runnerVariable = "COMITIVA_TEST_RUNNER" // the fault to show; may be empty
	toolsVariable  = "TOOLS_TEST_SERVER"    // the folder for its traces
)

// quickExit is for the variable GORACE: a process under the race detector
// otherwise sleeps for a second before it ends.
const quickExit = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if folder, ok := os.LookupEnv(toolsVariable); ok {
		serveTools(folder)
		return
	}
	if fault, ok := os.LookupEnv(runnerVariable); ok {
		os.Exit(Main(context.Background(), Options{Version: "1.2.3", Fault: fault, RetryBackoff: time.Millisecond}))
	}
	os.Exit(m.Run())
}

// message is a line of the runner.
type message map[string]any

func (m message) str(name string) string {
	s, _ := m[name].(string)
	return s
}

func (m message) object(name string) message {
	o, _ := m[name].(map[string]any)
	return o
}

// shell drives a runner.
type shell struct {
	t      *testing.T
	in     io.WriteCloser
	stderr *buffer
	ended  chan int // the exit code

	mu     sync.Mutex
	all    []message
	taken  []bool
	raw    []string
	more   chan struct{} // closed and replaced when a line arrives
	closed bool

	invalid bool   // lines that are no valid events are expected
	fault   string // that the runner shows
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// start runs a runner in this process, over real pipes.
func start(t *testing.T, change func(*Options)) *shell {
	t.Helper()
	stdinR, stdinW := pipe(t)
	stdoutR, stdoutW := pipe(t)
	s := newShell(t, stdinW)
	o := Options{Stdin: stdinR, Stdout: stdoutW, Stderr: s.stderr, Version: "1.2.3", LogLevel: "debug", RetryBackoff: time.Millisecond}
	if change != nil {
		change(&o)
	}
	s.invalid = o.Fault != ""
	go s.read(stdoutR)
	go func() {
		code := Main(context.Background(), o)
		_ = stdoutW.Close()
		_ = stdinR.Close()
		s.ended <- code
	}()
	t.Cleanup(func() {
		_ = stdinW.Close()
		if t.Failed() {
			t.Logf("stderr:\n%s", s.stderr)
		}
		select {
		case code := <-s.ended:
			s.ended <- code
		case <-time.After(patience):
			t.Error("the runner does not stop")
		}
	})
	return s
}

func newShell(t *testing.T, in io.WriteCloser) *shell {
	return &shell{t: t, in: in, stderr: &buffer{}, ended: make(chan int, 1), more: make(chan struct{})}
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func (s *shell) read(r io.ReadCloser) {
	defer r.Close()
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		s.mu.Lock()
		if line != "" {
			var m message
			bad := json.Unmarshal([]byte(line), &m)
			if bad == nil {
				bad = protocol.ValidateRunnerEvent([]byte(strings.TrimSuffix(line, "\n")))
			}
			if bad == nil && err != nil {
				bad = fmt.Errorf("the line has no end")
			}
			if bad != nil && !s.invalid {
				s.t.Errorf("the runner wrote %q: %v", line, bad)
			}
			s.raw = append(s.raw, line)
			s.all, s.taken = append(s.all, m), append(s.taken, false)
		}
		s.closed = s.closed || err != nil
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *shell) write(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		s.t.Fatalf("writing to the runner: %v", err)
	}
}

// send writes a message, which must be a valid request.
func (s *shell) send(m message) {
	s.t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := protocol.ValidateRunnerRequest(data); err != nil {
		s.t.Fatalf("the test sends an invalid request: %v", err)
	}
	s.write(string(data) + "\n")
}

// await takes the first message that matches and was not taken yet.
func (s *shell) await(what string, matches func(message) bool) message {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		for i, m := range s.all {
			if !s.taken[i] && matches(m) {
				s.taken[i] = true
				s.mu.Unlock()
				return m
			}
		}
		more, closed := s.more, s.closed
		s.mu.Unlock()
		if closed {
			s.t.Fatalf("the runner ended without %s; it wrote:\n%s", what, s.transcript())
		}
		select {
		case <-more:
		case <-deadline:
			s.t.Fatalf("no %s; the runner wrote:\n%s", what, s.transcript())
		}
	}
}

func (s *shell) transcript() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.raw, "")
}

// answer takes the response to a request.
func (s *shell) answer(id string) message {
	s.t.Helper()
	return s.await("answer to "+id, func(m message) bool { return m["type"] == "response" && m["id"] == id })
}

// result takes the result of a request that must be answered ok.
func (s *shell) result(id string) message {
	s.t.Helper()
	m := s.answer(id)
	if m["ok"] != true {
		s.t.Fatalf("%s was refused: %v", id, m["error"])
	}
	return m.object("result")
}

// refused takes the error of a request that must be refused.
func (s *shell) refused(id string) message {
	s.t.Helper()
	m := s.answer(id)
	if m["ok"] != false {
		s.t.Fatalf("%s was not refused: %v", id, m["result"])
	}
	return m.object("error")
}

// event takes the next event of a run that has the type.
func (s *shell) event(run, kind string) message {
	s.t.Helper()
	return s.await(kind+" of "+run, func(m message) bool { return m["runId"] == run && m["type"] == kind })
}

// finish waits for the terminal event of a run and returns all its events.
func (s *shell) finish(run string) []message {
	s.t.Helper()
	s.await("end of "+run, func(m message) bool {
		return m["runId"] == run && (m["type"] == "run.done" || m["type"] == "run.error")
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	var events []message
	for _, m := range s.all {
		if m["runId"] == run {
			events = append(events, m)
		}
	}
	return events
}

// ping shows that the runner still serves, and that it has taken up everything
// that was sent before.
func (s *shell) ping(id string) {
	s.t.Helper()
	s.send(message{"id": id, "type": "ping"})
	if r := s.result(id); r["protocolVersion"] != 1.0 || r["version"] == "" {
		s.t.Errorf("ping gave %v", r)
	}
}

// stop closes the runner's input and returns its exit code.
func (s *shell) stop() int {
	s.t.Helper()
	_ = s.in.Close()
	return s.exit()
}

func (s *shell) exit() int {
	s.t.Helper()
	select {
	case code := <-s.ended:
		s.ended <- code
		return code
	case <-time.After(patience):
		s.t.Fatal("the runner does not stop")
		return 0
	}
}

// kinds lists the types of events, text deltas in a row as one.
func kinds(events []message) string {
	var out []string
	for _, m := range events {
		kind := strings.TrimPrefix(m.str("type"), "run.")
		if kind != "text_delta" || len(out) == 0 || out[len(out)-1] != kind {
			out = append(out, kind)
		}
	}
	return strings.Join(out, " ")
}

func said(events []message) string {
	var b strings.Builder
	for _, m := range events {
		b.WriteString(m.str("text"))
	}
	return b.String()
}

const day = "2026-01-02T03:04:05Z"

func connection(providerID, baseURL string) message {
	config := message{"baseUrl": baseURL, "defaultModel": "scripted"}
	return message{"id": "c", "name": "C", "secretRef": nil, "enabled": true, "createdAt": day, "updatedAt": day,
		"kind": "api", "provider": providerID, "config": config}
}

func cliConnection(providerID string) message {
	c := connection(providerID, "")
	c["kind"], c["config"] = "cli", message{}
	return c
}

func agent() message {
	return message{"id": "a", "name": "A", "avatar": message{"color": "teal"}, "connectionId": "c", "model": nil, "role": "",
		"params": message{}, "toolServerIds": []string{}, "roots": []any{}, "permissionPolicy": "ask",
		"fallbackConnectionIds": []string{}, "tags": []string{}, "createdAt": day, "updatedAt": day}
}

func userMessage(blocks ...any) message {
	return storedMessage("user", blocks...)
}

func storedMessage(role string, blocks ...any) message {
	return message{"id": "m", "conversationId": "k", "role": role, "content": blocks, "status": "complete", "seq": 0, "createdAt": day}
}

func textBlock(s string) message { return message{"type": "text", "text": s} }

// runStart is a run.start whose id is that of the run with an s before it.
func runStart(run string, c message) message {
	return message{"id": "s" + run, "type": "run.start", "runId": run, "conversationId": "k", "agent": agent(),
		"connection": c, "messages": []any{userMessage(textBlock("hello " + run))}}
}

// eventually waits for a condition that something else brings about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("did not happen: %s", what)
		}
	}
}

// encoded is a request as it would be written.
func encoded(t *testing.T, m message) string {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

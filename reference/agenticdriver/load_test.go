package agenticdriver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// reader follows streams from many goroutines: what is wrong is an error, not
// the end of the test.
type reader struct {
	client   *http.Client
	url      string
	optional bool // takes advisory events
}

func newReader(url string) *reader {
	return &reader{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}, url: url}
}

// follow runs a body and hands each event of its stream to see. It checks
// frames, numbers, the one run id, that there is one last event and nothing
// after it.
func (r *reader) follow(ctx context.Context, token, body string, see func(protocol.RunEvent)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v1/runs", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	if r.optional {
		req.Header.Set("AgenticDriver-Accept-Optional-Events", "true")
	}
	res, err := r.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		return fmt.Errorf("refused: %d %s", res.StatusCode, text)
	}
	return frames(bufio.NewReader(res.Body), see)
}

// frames reads a stream that begins at its first event.
func frames(lines *bufio.Reader, see func(protocol.RunEvent)) error {
	var id, kind, runID string
	next, over := int64(1), false
	for {
		line, err := lines.ReadSlice('\n')
		var long []byte
		for errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			line, err = lines.ReadSlice('\n')
		}
		if long != nil {
			line = append(long, line...)
		}
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0 && over:
			return nil
		case err != nil:
			return fmt.Errorf("the stream broke after event %d: %w", next-1, err)
		case over && len(line) > 1:
			return fmt.Errorf("%q follows the last event", line)
		}
		if bytes.Contains(line, []byte("hallmark-dev-token")) {
			return errors.New("the stream tells a token")
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), ": ")
		switch name {
		case "id":
			id = value
		case "event":
			kind = value
		case "data":
			ev, err := protocol.DecodeRunEvent([]byte(value), wire.AssertFormats())
			if err != nil {
				return fmt.Errorf("not an event: %w: %.200s", err, value)
			}
			if next == 1 {
				runID = run.ID(ev)
			}
			if run.Sequence(ev) != next || id != strconv.FormatInt(next, 10) || kind != run.Type(ev) || run.ID(ev) != runID {
				return fmt.Errorf("event %d is %s %s: %.200s", next, id, kind, value)
			}
			if _, started := ev.(*protocol.RunStarted); started != (next == 1) {
				return fmt.Errorf("event %d is %s", next, kind)
			}
			next++
			result, failed := run.Terminal(ev)
			over = result != nil || failed != nil
			see(ev)
		}
	}
}

// streams is how many streams are open at a time in the test of load.
func streams() int {
	if testing.Short() {
		return 100
	}
	return 1000
}

// A host with many streams at once loses and reorders nothing, and has
// forgotten them when they are over.
func TestManyStreamsAtOnceLoseNothing(t *testing.T) {
	n := streams()
	h := start(t, Options{Config: configured(t, fmt.Sprintf("{ slots: %d, slotsPerSubject: %d }", n+10, n+10))})
	r := newReader(h.url)
	settle := func(most int) (goroutines int, heap uint64) {
		r.client.CloseIdleConnections()
		http.DefaultClient.CloseIdleConnections()
		for end := time.Now().Add(bounded); runtime.NumGoroutine() > most && time.Now().Before(end); {
			runtime.GC() // others end meanwhile
		}
		runtime.GC()
		runtime.GC() // what finalisers have let go
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	before := runtime.NumGoroutine()
	manyStreams(t, h, r, n, "first")
	_, heap := settle(before + few)
	manyStreams(t, h, r, n, "second")
	after, heapAfter := settle(before + few)
	t.Logf("goroutines: %d before, %d after; heap: %d kB after the first round, %d kB after the second", before, after, heap>>10, heapAfter>>10)
	if after > before+few {
		t.Errorf("there were %d goroutines before and %d after", before, after)
	}
	if heapAfter > heap+16<<20 {
		t.Errorf("the heap had %d bytes after the first %d streams, and %d after as many more", heap, n, heapAfter)
	}
}

// few are goroutines that come and go: of timers, of idle connections.
const few = 10

// pieces is how many pieces of text each of many streams brings.
const pieces = 40

// manyStreams opens n streams, lets them all go on once all have begun, and
// checks what each of them brings.
func manyStreams(t *testing.T, h *host, r *reader, n int, gate string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*bounded)
	defer cancel()
	begun, failed := make(chan struct{}, n), make(chan error, n)
	var ids sync.Map
	for i := range n {
		go func() {
			actions := []string{fmt.Sprintf(`{"hold":%q}`, gate)}
			want := ""
			for j := range pieces {
				piece := fmt.Sprintf("%d.%d é ", i, j)
				want += piece
				actions = append(actions, fmt.Sprintf(`{"text":%q}`, piece))
			}
			actions = append(actions, `{"usage":{"outputTokens":7}}`)
			var got strings.Builder
			var types []string
			var result *protocol.RunResult
			err := r.follow(ctx, alice, runBody(script("load", "[["+strings.Join(actions, ",")+"]]")), func(ev protocol.RunEvent) {
				switch e := ev.(type) {
				case *protocol.RunStarted:
					ids.Store(e.RunID, true)
					begun <- struct{}{}
				case *protocol.TextDelta:
					got.WriteString(e.Text)
					return
				case *protocol.RunCompleted:
					result = &e.Result
				}
				types = append(types, run.Type(ev))
			})
			switch {
			case err != nil:
			case result == nil:
				err = fmt.Errorf("not completed: %v", types)
			case got.String() != want || result.Text != want:
				err = fmt.Errorf("got %q and the result %q, want %q", got.String(), result.Text, want)
			case !slices.Equal(types, []string{"run.started", "step.started", "usage.reported", "run.completed"}):
				err = fmt.Errorf("got %v", types)
			}
			failed <- err
		}()
	}
	for range n {
		select {
		case <-begun:
		case err := <-failed:
			t.Fatalf("a stream ended before it was let go on: %v", err)
		case <-ctx.Done():
			t.Fatal("not all streams have begun")
		}
	}
	h.do("POST", "/v1/runs", bob, runBody(script("", fmt.Sprintf(`[[{"release":%q}]]`, gate))))
	for range n {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	count := 0
	ids.Range(func(any, any) bool { count++; return true })
	if count != n {
		t.Errorf("%d runs have %d ids", n, count)
	}
}

// flood is a script that streams far more than sockets and the host's queue
// take: turns with almost as much text as a turn may have, and a tool call
// between them.
func flood(name string) string {
	var turns []string
	for i := range 30 {
		turns = append(turns, fmt.Sprintf(`[{"text":%q,"times":1900},{"call":{"id":"c%d","name":"echo"}}]`, strings.Repeat("x", 1000), i))
	}
	return runBody(script(name, "["+strings.Join(append(turns, `[{"text":"end"}]`), ",")+"]"), `"tools":["echo"]`, `"maxSteps":64`)
}

// lazy opens a stream and reads the head of
// the answer only.
func lazy(t *testing.T, h *host, token, body string) *bufio.Reader {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(3 * bounded))
	_, _ = io.WriteString(c, streamRequest(token, body)) // what fails here, fails below
	lines := bufio.NewReaderSize(c, 4096)
	res, err := http.ReadResponse(lines, nil)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("got %v, %v", res, err)
	}
	return bufio.NewReader(res.Body)
}

// A consumer that lets more pile up than the protocol allows ends its own run,
// and nobody else's.
func TestASlowReaderEndsItsOwnRunOnly(t *testing.T) {
	h := start(t, Options{})
	lines := lazy(t, h, alice, flood("slow"))
	if got := h.counters("slow", "cancelled", 1); !strings.Contains(got, `"cancelled":1`) {
		t.Errorf("got %s", got)
	}
	if got := h.stream(alice, runBody(`"hello"`)).types(); got != "run.started step.started text.delta run.completed" {
		t.Errorf("another stream beside it brings %s", got)
	}
	// What was sent before, and why it ended, is still there to be read.
	var last protocol.RunEvent
	if err := frames(lines, func(ev protocol.RunEvent) { last = ev }); err != nil {
		t.Fatal(err)
	}
	failed, ok := last.(*protocol.RunFailed)
	if !ok || failed.Type != protocol.RunFailedTypeRunCancelled || failed.Error.Code != "OUTPUT_BUFFER_LIMIT" {
		t.Errorf("the last event is %s", last.AppendJSON(nil))
	}
}

// open opens a connection and makes a request on it.
func (p *pipes) open(t *testing.T, request string) *http.Response {
	t.Helper()
	here, err := p.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = here.Close() })
	_ = here.SetDeadline(time.Now().Add(bounded))
	if _, err := io.WriteString(here, request); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReaderSize(here, 16), nil)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("got %v, %v", res, err)
	}
	return res
}

// streamRequest is a request for the stream of a run, as text.
func streamRequest(token, body string) string {
	return fmt.Sprintf("POST /v1/runs HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: text/event-stream\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", token, len(body), body)
}

// A consumer that reads nothing at all does not hold its connection for ever.
func TestAReaderThatReadsNothingIsCutOff(t *testing.T) {
	path := configured(t, "{ writeTimeoutMs: 50 }")
	synctest.Test(t, func(t *testing.T) { // else who reads might be too slow as well
		doc, err := config.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newServer(Options{}.withDefaults(), doc, &edges{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		s.state.Store(serving)
		listener := newPipes()
		server := &http.Server{Handler: s.handler()}
		go func() { _ = server.Serve(listener) }()
		defer server.Close()

		deaf := listener.open(t, streamRequest(alice, runBody(script("deaf", `[[{"text":"a"},{"stall":true}]]`))))
		other := listener.open(t, streamRequest(bob, runBody(script("", `[[{"until":{"counter":"cancelled","of":"deaf","atLeast":1}},{"text":"still here"}]]`))))
		var last protocol.RunEvent
		if err := frames(bufio.NewReader(other.Body), func(ev protocol.RunEvent) { last = ev }); err != nil {
			t.Fatal(err)
		}
		if _, ok := last.(*protocol.RunCompleted); !ok {
			t.Errorf("the other run ends with %s", last.AppendJSON(nil))
		}
		if err := frames(bufio.NewReader(deaf.Body), func(ev protocol.RunEvent) { last = ev }); err == nil {
			t.Errorf("the stream was not cut off: it ends with %s", last.AppendJSON(nil))
		}
	})
}

// BenchmarkEvents measures a host in a process of its own: events that reach
// the client for each second of processor time of the host. They are advisory
// ones, as adjacent pieces of text would be merged.
func BenchmarkEvents(b *testing.B) {
	h, cmd := startProcess(b, Options{Config: configured(b, "{ slots: 100, slotsPerSubject: 100 }")})
	r := newReader(h.url)
	r.optional = true
	body := runBody(script("", "[["+strings.Repeat(`{"event":{"type":"bench.tick","n":12345}},`, 1000)+`{"text":"done"}]]`))
	var mu sync.Mutex
	events := 0
	for b.Loop() {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				n := 0
				for range 8 {
					if err := r.follow(b.Context(), alice, body, func(protocol.RunEvent) { n++ }); err != nil {
						b.Error(err)
						return
					}
				}
				mu.Lock()
				defer mu.Unlock()
				events += n
			})
		}
		all.Wait()
	}
	b.StopTimer()
	elapsed := b.Elapsed()
	if err := cmd.Process.Kill(); err != nil {
		b.Fatal(err)
	}
	_ = cmd.Wait()
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	b.ReportMetric(float64(events)/used.Seconds(), "events/core-s")
	b.ReportMetric(float64(events)/elapsed.Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOneDelta measures streamed runs of one piece of text, 100 at a time,
// of a host in a process of its own.
func BenchmarkOneDelta(b *testing.B) {
	h, _ := startProcess(b, Options{Config: configured(b, "{ slots: 200, slotsPerSubject: 200 }")})
	r := newReader(h.url)
	body := runBody(`"hello"`)
	var mu sync.Mutex
	var took []time.Duration
	for b.Loop() {
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				var mine []time.Duration
				for range 30 {
					begun := time.Now()
					if err := r.follow(b.Context(), alice, body, func(protocol.RunEvent) {}); err != nil {
						b.Error(err)
						return
					}
					mine = append(mine, time.Since(begun))
				}
				mu.Lock()
				defer mu.Unlock()
				took = append(took, mine...)
			})
		}
		all.Wait()
	}
	slices.Sort(took)
	at := func(part float64) float64 { return took[int(part*float64(len(took)-1))].Seconds() * 1000 }
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
	b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(0, "ns/op")
}

package agenticdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// standIn is a model server that counts the calls it gets: it outlives the
// hosts that call it, so it knows what ran and how often.
type standIn struct {
	url string

	mu      sync.Mutex
	calls   map[string]int // by the last message of the conversation
	changed *sync.Cond
}

// newStandIn starts a server. It answers a message that begins with "hold" only
// when whoever asked has gone, and every other at once.
func newStandIn(t *testing.T) *standIn {
	s := &standIn{calls: map[string]int{}}
	s.changed = sync.NewCond(&s.mu)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []struct{ Content string }
		}
		if r.URL.Path != "/v1/chat/completions" || json.NewDecoder(r.Body).Decode(&req) != nil || len(req.Messages) == 0 {
			http.NotFound(w, r)
			return
		}
		said := req.Messages[len(req.Messages)-1].Content
		s.mu.Lock()
		s.calls[said]++
		s.changed.Broadcast()
		s.mu.Unlock()
		if strings.HasPrefix(said, "hold") {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", "did "+said)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	s.url = server.URL + "/v1"
	return s
}

// wait returns once cond holds of the calls.
func (s *standIn) wait(cond func(calls map[string]int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !cond(s.calls) {
		s.changed.Wait()
	}
}

// modelKey is the key of the model server.
const modelKey = "CANARY-key-of-the-model-server"

// withModelServer writes the built-in configuration with other limits, and with
// a provider local that alice may use.
func withModelServer(t testing.TB, limits, baseURL string) string {
	t.Helper()
	path := configured(t, limits)
	key := filepath.Join(filepath.Dir(path), "model.key")
	if err := os.WriteFile(key, []byte(modelKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	provider := fmt.Sprintf("{ id: local, kind: openai-compatible, baseUrl: %q, accountId: account-9, apiKeyRef: { file: %q } }", baseURL, key)
	text = bytes.Replace(text, []byte("\nproviders:\n"), []byte("\nproviders:\n  - "+provider+"\n"), 1)
	text = bytes.Replace(text, []byte("providers: [mock, plain, anonymous]"), []byte("providers: [mock, plain, anonymous, local]"), 1)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// submitJobs submits jobs, several at a time, until all are submitted or the host is
// gone. It gives the ids of those that were acknowledged, by key.
func submitJobs(h *host, n int, acknowledged func(count int)) map[string]string {
	var mu sync.Mutex
	ids := map[string]string{}
	keys := make(chan string)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for key := range keys {
				id, err := submitJob(h, key)
				if err != nil {
					continue
				}
				mu.Lock()
				ids[key] = id
				acknowledged(len(ids))
				mu.Unlock()
			}
		})
	}
	for i := range n {
		key := fmt.Sprintf("job-%03d", i)
		if i == 5 || i == 9 {
			key = fmt.Sprintf("hold-%03d", i)
		}
		keys <- key
	}
	close(keys)
	workers.Wait()
	return ids
}

// submitJob submits one job whose key is its input as well.
func submitJob(h *host, key string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), bounded)
	defer cancel()
	res, err := h.request(ctx, "POST", "/v1/jobs/submit", alice, fmt.Sprintf(`{"key":%q,"request":{"provider":"local","model":"m","input":%q}}`, key, key))
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	info, err := protocol.DecodeJobInfo(text)
	if err != nil {
		return "", fmt.Errorf("%d %s", res.StatusCode, text)
	}
	return info.ID, nil
}

// A host that is killed while jobs are being submitted has every job that it
// has acknowledged when it comes back. What had begun is interrupted, what was
// queued runs, and no job runs twice.
func TestAKilledHostKeepsEveryAcknowledgedJob(t *testing.T) {
	const n = 200
	model := newStandIn(t)
	o := Options{State: filepath.Join(t.TempDir(), "state.db"), Config: withModelServer(t, "{ jobLeaseMs: 300, jobWorkers: 4 }", model.url)}

	h, cmd := startProcess(t, o)
	enough := make(chan struct{})
	var once sync.Once
	killed := make(chan error, 1)
	go func() {
		<-enough
		// In the middle: some have run, two are running, many wait, more are on their way.
		model.wait(func(calls map[string]int) bool {
			return calls["hold-005"] == 1 && calls["hold-009"] == 1 && len(calls) > 10
		})
		killed <- cmd.Process.Kill()
	}()
	ids := submitJobs(h, n, func(count int) {
		if count >= n/2 {
			once.Do(func() { close(enough) })
		}
	})
	if err := <-killed; err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	t.Logf("%d of %d jobs were acknowledged before the host was killed", len(ids), n)

	h, _ = startProcess(t, o)
	states := map[protocol.JobState]int{}
	for key, id := range ids {
		info := endOf(h, id)
		states[info.State]++
		model.mu.Lock()
		ran := model.calls[key]
		model.mu.Unlock()
		switch {
		case info.State == protocol.JobStateCompleted && ran == 1:
		case info.State == protocol.JobStateInterrupted && ran <= 1:
		default:
			t.Errorf("the job %s is %s, and ran %d times", key, info.State, ran)
		}
		page := post(h, protocol.DecodeJobEventPage, "/v1/jobs/events", alice, fmt.Sprintf(`{"id":%q,"after":%d}`, id, info.Cursor-1))
		if info.State == protocol.JobStateInterrupted {
			failed, ok := page.Events[0].(*protocol.RunFailed)
			if !ok || failed.Error.Code != "JOB_INTERRUPTED" || !failed.Error.Outcome.Set || failed.Error.Retryable {
				t.Errorf("the job %s ends with %s", key, page.Events[0].AppendJSON(nil))
			}
		}
		// The key still stands for the job.
		if again, err := submitJob(h, key); err != nil || again != id {
			t.Errorf("the key %s stands for %s now, not %s: %v", key, again, id, err)
		}
	}
	t.Logf("now they are %v", states)
	for _, key := range []string{"hold-005", "hold-009"} {
		if info := endOf(h, ids[key]); info.State != protocol.JobStateInterrupted {
			t.Errorf("the job %s, which had begun, is %s", key, info.State)
		}
	}
	if states[protocol.JobStateCompleted] < n/4 {
		t.Errorf("only %d jobs are completed", states[protocol.JobStateCompleted])
	}
}

// endOf reads a job until it has ended.
func endOf(h *host, id string) protocol.JobInfo {
	h.t.Helper()
	for end := time.Now().Add(bounded); ; {
		info := post(h, protocol.DecodeJobInfo, "/v1/jobs/read", alice, fmt.Sprintf(`{"id":%q}`, id))
		if info.ExpiresAt.Set {
			return info
		}
		if time.Now().After(end) {
			h.t.Fatalf("the job %s has not ended: it is %s", id, info.State)
		}
	}
}

// Two hosts on one state file share the work: each job runs once, in one of
// them, and either answers for all.
func TestHostsOnOneStateFileRunEachJobOnce(t *testing.T) {
	const n = 40
	model := newStandIn(t)
	o := Options{State: filepath.Join(t.TempDir(), "state.db"), Config: withModelServer(t, "{ jobWorkers: 4 }", model.url)}
	first, _ := startProcess(t, o)
	second, _ := startProcess(t, o)
	var ids [n]string
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			h := []*host{first, second}[i%2]
			id, err := submitJob(h, fmt.Sprintf("shared-%d", i))
			if err != nil {
				t.Error(err)
			}
			ids[i] = id
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for i, id := range ids {
		if info := endOf([]*host{second, first}[i%2], id); info.State != protocol.JobStateCompleted {
			t.Errorf("job %d is %s", i, info.State)
		}
	}
	model.mu.Lock()
	defer model.mu.Unlock()
	for said, count := range model.calls {
		if count != 1 {
			t.Errorf("%s ran %d times", said, count)
		}
	}
	if len(model.calls) != n {
		t.Errorf("%d jobs ran, not %d", len(model.calls), n)
	}
}

// A host that ends in good order interrupts what runs at once, and leaves what
// waits to the next one.
func TestAHostThatEndsInterruptsItsJobs(t *testing.T) {
	o := Options{State: filepath.Join(t.TempDir(), "state.db"), Config: configured(t, "{ jobWorkers: 1, jobLeaseMs: 3600000 }")}
	h := start(t, o)
	running := submitted(h, "running", `[[{"text":"a"},{"stall":true}]]`)
	h.counters("running", "runs", 1)
	waiting := submitted(h, "waiting", `[[{"text":"a"}]]`)
	h.stop()
	h = start(t, o)
	if info := endOf(h, running.ID); info.State != protocol.JobStateInterrupted || info.Cursor < 2 {
		t.Errorf("got %s", info.AppendJSON(nil))
	}
	if info := endOf(h, waiting.ID); info.State != protocol.JobStateCompleted {
		t.Errorf("got %s", info.AppendJSON(nil))
	}
	if got := h.counters("running", "", 0); !strings.Contains(got, `"runs":0`) {
		t.Errorf("it ran again: %s", got)
	}
}

// Of two hosts on one state file one runs what a key stands for.
func TestHostsOnOneStateFileShareKeys(t *testing.T) {
	model := newStandIn(t)
	o := Options{State: filepath.Join(t.TempDir(), "state.db"), Config: withModelServer(t, "{ slots: 100, slotsPerSubject: 100 }", model.url)}
	first, _ := startProcess(t, o)
	second, _ := startProcess(t, o)
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			body := fmt.Sprintf(`{"provider":"local","model":"m","input":"once","idempotencyKey":"k-%d"}`, i/6)
			r := []*host{first, second}[i%2].do("POST", "/v1/runs", alice, body)
			switch r.code() {
			case "", "OPERATION_IN_PROGRESS", "OPERATION_UNCERTAIN": // the other host cannot know more
			default:
				t.Errorf("got %d %s", r.status, r.body)
			}
		})
	}
	all.Wait()
	model.mu.Lock()
	defer model.mu.Unlock()
	if model.calls["once"] != 4 {
		t.Errorf("4 keys ran %d times", model.calls["once"])
	}
}

// A job that runs in one host is cancelled through another on the same file.
func TestCancellingReachesTheHostThatRunsTheJob(t *testing.T) {
	o := Options{State: filepath.Join(t.TempDir(), "state.db"), Config: configured(t, "{ jobPollMs: 20 }")}
	runs, _ := startProcess(t, o)
	body := fmt.Sprintf(`{"key":"k","request":%s}`, runBody(script("far", `[[{"stall":true}]]`)))
	id := post(runs, protocol.DecodeJobInfo, "/v1/jobs/submit", alice, body).ID
	runs.counters("far", "runs", 1)
	other, _ := startProcess(t, o)
	if info := post(other, protocol.DecodeJobInfo, "/v1/jobs/cancel", alice, fmt.Sprintf(`{"id":%q}`, id)); !info.CancelRequested {
		t.Errorf("got %s", info.AppendJSON(nil))
	}
	if info := endOf(other, id); info.State != protocol.JobStateCancelled {
		t.Errorf("the job is %s", info.State)
	}
}

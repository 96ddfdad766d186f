package agenticdriver

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

func TestStreamOfARunWithATool(t *testing.T) {
	h := start(t, Options{})
	body := runBody(script("tool", `[[{"call":{"id":"c1","name":"echo","arguments":{"x":1}}}],[{"text":"he"},{"text":"llo"},{"usage":{"inputTokens":3}}]]`), `"tools":["echo"]`)
	want := "run.started step.started tool.called tool.completed step.started text.delta text.delta usage.reported run.completed"
	if got := h.stream(alice, body).types(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestStreamIsRefusedBeforeItBegins(t *testing.T) {
	h := start(t, Options{})
	h.refused("UNSUPPORTED_MODEL", "/v1/runs", alice, `{"provider":"mock","model":"nope","input":"x"}`, "Accept", "text/event-stream")
	h.refused("UNKNOWN_TOOL", "/v1/runs", alice, runBody(`"x"`, `"tools":["nope"]`), "Accept", "text/event-stream")
}

func TestLeavingAStreamCancelsTheRun(t *testing.T) {
	h := start(t, Options{})
	s := h.stream(alice, runBody(script("left", `[[{"text":"a"},{"stall":true}]]`)))
	until[*protocol.TextDelta](s)
	s.cancel()
	if got := h.counters("left", "cancelled", 1); !strings.Contains(got, `"cancelled":1`) {
		t.Errorf("got %s", got)
	}
}

func TestFailureOfTheProviderHasItsCodeAndNoSecret(t *testing.T) {
	h := start(t, Options{})
	h.refused("INTERNAL_ERROR", "/v1/runs", alice, runBody(script("", `[[{"throw":"CANARY"}]]`)))
	h.refused("RATE_LIMITED", "/v1/runs", alice, runBody(script("", `[[{"fail":{"code":"RATE_LIMITED","message":"later","retryable":true}}]]`)))
	last := until[*protocol.RunFailed](h.stream(alice, runBody(script("", `[[{"text":"x"},{"throw":"CANARY"}]]`))))
	if last.Error.Code != "INTERNAL_ERROR" {
		t.Errorf("got %s", last.Error.Code)
	}
}

// A host that is killed forgets nothing that it has acknowledged: what was
// queued runs afterwards, what had begun is interrupted, and nothing runs twice.
func TestJobsOutliveAKilledHost(t *testing.T) {
	o := Options{State: filepath.Join(t.TempDir(), "state.db"), Config: configured(t, `{ jobLeaseMs: 200, jobWorkers: 1 }`)}
	h, cmd := startProcess(t, o)
	submit := func(key, turns string) string {
		body := fmt.Sprintf(`{"key":%q,"request":%s}`, key, runBody(script(key, turns)))
		return post(h, protocol.DecodeJobInfo, "/v1/jobs/submit", alice, body).ID
	}
	begun := submit("begun", `[[{"text":"a"},{"stall":true}]]`)
	h.counters("begun", "runs", 1)
	var queued []string
	for i := range 20 {
		queued = append(queued, submit(fmt.Sprint("queued-", i), `[[{"text":"done"}]]`))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()

	h, _ = startProcess(t, o)
	for i := range queued {
		if got := h.counters(fmt.Sprint("queued-", i), "completed", 1); !strings.Contains(got, `"runs":1`) {
			t.Errorf("job %d after the kill: %s", i, got)
		}
	}
	if got := h.counters("begun", "", 0); !strings.Contains(got, `"runs":0`) {
		t.Errorf("the job that had begun ran again: %s", got)
	}
	read := func(id string) protocol.JobState {
		return post(h, protocol.DecodeJobInfo, "/v1/jobs/read", alice, fmt.Sprintf(`{"id":%q}`, id)).State
	}
	state := read(begun) // the dead host's lease has to end first
	for bound := time.Now().Add(bounded); state == protocol.JobStateRunning && time.Now().Before(bound); {
		state = read(begun)
	}
	if state != protocol.JobStateInterrupted {
		t.Errorf("the job that had begun is %s", state)
	}
	for _, id := range queued {
		if state := read(id); state == protocol.JobStateInterrupted {
			t.Errorf("job %s is %s", id, state)
		}
	}
}

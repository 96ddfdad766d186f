package agenticdriver

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// submitted submits a job of a script.
func submitted(h *host, key, turns string, more ...string) protocol.JobInfo {
	h.t.Helper()
	return post(h, protocol.DecodeJobInfo, "/v1/jobs/submit", alice, fmt.Sprintf(`{"key":%q,"request":%s}`, key, runBody(script(key, turns), more...)))
}

func page(h *host, id string, after int64, more string) protocol.JobEventPage {
	h.t.Helper()
	return post(h, protocol.DecodeJobEventPage, "/v1/jobs/events", alice, fmt.Sprintf(`{"id":%q,"after":%d%s}`, id, after, more))
}

func identity(id string) string { return fmt.Sprintf(`{"id":%q}`, id) }

func TestAJobRunsWithoutItsSubmitter(t *testing.T) {
	h := start(t, Options{})
	info := submitted(h, "k", `[[{"call":{"id":"c","name":"echo"}}],[{"text":"a"},{"usage":{"inputTokens":1}}]]`, `"tools":["echo"]`)
	if info.State != protocol.JobStateQueued && info.State != protocol.JobStateRunning || info.ExpiresAt.Set || info.CancelRequested {
		t.Errorf("got %s", info.AppendJSON(nil))
	}
	end := endOf(h, info.ID)
	if end.State != protocol.JobStateCompleted || end.RunID != info.RunID {
		t.Errorf("got %s", end.AppendJSON(nil))
	}
	all := page(h, info.ID, 0, "")
	var types []string
	for i, ev := range all.Events {
		types = append(types, run.Type(ev))
		if run.Sequence(ev) != int64(i+1) || run.ID(ev) != info.RunID {
			t.Errorf("event %d is %s", i+1, ev.AppendJSON(nil))
		}
	}
	if got := strings.Join(types, " "); got != "run.started step.started tool.called tool.completed step.started text.delta usage.reported run.completed" ||
		all.HasMore || all.NextCursor != end.Cursor {
		t.Errorf("got %s, %s", got, all.AppendJSON(nil))
	}
	for after := range end.Cursor {
		one := page(h, info.ID, after, `,"limit":1`)
		if len(one.Events) != 1 || run.Sequence(one.Events[0]) != after+1 || one.NextCursor != after+1 || one.HasMore != (after+1 < end.Cursor) {
			t.Errorf("after %d: got %s", after, one.AppendJSON(nil))
		}
	}
	if last := page(h, info.ID, end.Cursor, ""); len(last.Events) != 0 || last.HasMore || last.NextCursor != end.Cursor {
		t.Errorf("got %s", last.AppendJSON(nil))
	}
	h.refused("INVALID_JOB_CURSOR", "/v1/jobs/events", alice, fmt.Sprintf(`{"id":%q,"after":%d}`, info.ID, end.Cursor+1))
}

func TestAKeyStandsForOneJob(t *testing.T) {
	h := start(t, Options{})
	first := submitted(h, "k", `[[{"text":"a"}]]`)
	if again := submitted(h, "k", `[[{"text":"a"}]]`); again.ID != first.ID {
		t.Errorf("got %s and %s", first.ID, again.ID)
	}
	h.refused("IDEMPOTENCY_CONFLICT", "/v1/jobs/submit", alice, fmt.Sprintf(`{"key":"k","request":%s}`, runBody(`"other"`)))
	endOf(h, first.ID)
	var all sync.WaitGroup
	ids := make(chan string, 20)
	for range 20 {
		all.Go(func() { ids <- submitted(h, "race", `[[{"text":"a"}]]`).ID })
	}
	all.Wait()
	close(ids)
	one := <-ids
	for id := range ids {
		if id != one {
			t.Errorf("one key stands for %s and %s", one, id)
		}
	}
	endOf(h, one)
	if got := h.counters("race", "completed", 1); !strings.Contains(got, `"runs":1,`) {
		t.Errorf("got %s", got)
	}
}

func TestCancellingJobs(t *testing.T) {
	h := start(t, Options{Config: configured(t, "{ jobWorkers: 1 }")})
	running := submitted(h, "running", `[[{"text":"a"},{"stall":true}]]`)
	h.counters("running", "runs", 1)
	waiting := submitted(h, "waiting", `[[{"text":"a"}]]`)
	if info := post(h, protocol.DecodeJobInfo, "/v1/jobs/cancel", alice, identity(waiting.ID)); info.State != protocol.JobStateCancelled || info.Cursor != 2 {
		t.Errorf("a job that waits: got %s", info.AppendJSON(nil))
	}
	if got := page(h, waiting.ID, 0, ""); len(got.Events) != 2 || run.Type(got.Events[0]) != "run.started" || run.Type(got.Events[1]) != "run.cancelled" {
		t.Errorf("got %s", got.AppendJSON(nil))
	}
	if info := post(h, protocol.DecodeJobInfo, "/v1/jobs/cancel", alice, identity(running.ID)); info.State != protocol.JobStateRunning || !info.CancelRequested {
		t.Errorf("a job that runs: got %s", info.AppendJSON(nil))
	}
	end := endOf(h, running.ID)
	if end.State != protocol.JobStateCancelled {
		t.Errorf("got %s", end.AppendJSON(nil))
	}
	if again := post(h, protocol.DecodeJobInfo, "/v1/jobs/cancel", alice, identity(running.ID)); string(again.AppendJSON(nil)) != string(end.AppendJSON(nil)) {
		t.Errorf("a job that has ended: got %s", again.AppendJSON(nil))
	}
	if got := h.counters("waiting", "", 0); !strings.Contains(got, `"runs":0`) {
		t.Errorf("got %s", got)
	}
}

func TestWhoMayDoWhatWithAJob(t *testing.T) {
	h := start(t, Options{})
	id := submitted(h, "k", `[[{"text":"a"}]]`).ID
	endOf(h, id)
	for _, tt := range []struct{ path, token, code string }{
		{"read", aliceReader, ""}, {"read", aliceFewer, "FORBIDDEN"}, {"read", bob, "JOB_NOT_FOUND"}, {"cancel", aliceReader, "FORBIDDEN"}, {"cancel", bob, "JOB_NOT_FOUND"},
		{"events", bob, "JOB_NOT_FOUND"},
	} {
		body := identity(id)
		if tt.path == "events" {
			body = fmt.Sprintf(`{"id":%q,"after":0}`, id)
		}
		if r := h.do("POST", "/v1/jobs/"+tt.path, tt.token, body); r.code() != tt.code {
			t.Errorf("%s: got %d %s, want %s", tt.path, r.status, r.body, tt.code)
		}
	}
	body := func(more string) string { return `{"key":"x","request":` + runBody(`"x"`, more) + `}` }
	h.refused("FORBIDDEN", "/v1/jobs/submit", aliceReader, body(`"metadata":{}`))
	for _, more := range []string{`"idempotencyKey":"k"`, `"approvals":{"mode":"interactive","idlePolicy":"pause"}`, `"applicationTools":[` + definition("lookup", "") + `],"tools":["lookup"]`,
		`"session":{"id":"00000000-0000-4000-8000-000000000000","revision":0}`} {
		h.refused("JOB_REQUEST_UNSUPPORTED", "/v1/jobs/submit", alice, body(more))
	}
	h.refused("UNSUPPORTED_MODEL", "/v1/jobs/submit", alice, `{"key":"x","request":{"provider":"mock","model":"nope","input":"x"}}`)
	h.refused("JOB_ACCOUNT_REQUIRED", "/v1/jobs/submit", alice, `{"key":"x","request":{"provider":"anonymous","model":"demo","input":"x"}}`)
}

// A subject whose jobs cannot begin keeps nobody else's waiting.
func TestAFullSubjectDoesNotHoldUpOthers(t *testing.T) {
	h := start(t, Options{Config: configured(t, "{ slotsPerSubject: 2, jobWorkers: 8, queue: 1 }")})
	for i := range 2 {
		submitted(h, fmt.Sprint("stall-", i), `[[{"stall":true}]]`)
		h.counters(fmt.Sprint("stall-", i), "runs", 1)
	}
	for i := range 100 {
		submitted(h, fmt.Sprint("behind-", i), `[[{"text":"a"}]]`)
	}
	r := post(h, protocol.DecodeJobInfo, "/v1/jobs/submit", bob, fmt.Sprintf(`{"key":"k","request":%s}`, runBody(script("other", `[[{"text":"a"}]]`))))
	if got := h.counters("other", "completed", 1); r.ID == "" || !strings.Contains(got, `"completed":1`) {
		t.Errorf("got %s", got)
	}
	if got := h.counters("behind-0", "", 0); !strings.Contains(got, `"runs":0`) {
		t.Errorf("got %s", got)
	}
}

func TestAJobIsForgottenButItsKeyIsNot(t *testing.T) {
	inBubble(t, "{ jobRetentionMs: 60000 }", func(t *testing.T, h *host) {
		info := submitted(h, "k", `[[{"text":"a"}]]`)
		h.counters("k", "completed", 1)
		pass(time.Second)
		end := post(h, protocol.DecodeJobInfo, "/v1/jobs/read", alice, identity(info.ID))
		if end.State != protocol.JobStateCompleted || !end.ExpiresAt.Set {
			t.Errorf("got %s", end.AppendJSON(nil))
		}
		pass(time.Minute)
		for path, body := range map[string]string{"read": identity(info.ID), "cancel": identity(info.ID), "events": fmt.Sprintf(`{"id":%q,"after":0}`, info.ID),
			"submit": fmt.Sprintf(`{"key":"k","request":%s}`, runBody(script("k", `[[{"text":"a"}]]`)))} {
			if r := h.do("POST", "/v1/jobs/"+path, alice, body); r.status != http.StatusGone || r.code() != "JOB_EXPIRED" {
				t.Errorf("%s: got %d %s", path, r.status, r.body)
			}
		}
	})
}

func TestEventsOfAJobThatRestsOnDocuments(t *testing.T) {
	h := start(t, Options{})
	post(h, protocol.DecodeIngestResult, "/v1/retrieval/ingest", alice, ingest(textDocument("guide", "text/plain", "Whales are large.\n")))
	info := submitted(h, "evidence", `[[{"hold":"go"},{"text":"a"}]]`, `"retrieval":{"corpus":"docs","query":"whales"}`)
	h.counters("evidence", "runs", 1)
	h.refused("CONTEXT_REPLAY_UNAVAILABLE", "/v1/jobs/events", alice, fmt.Sprintf(`{"id":%q,"after":0}`, info.ID))
	post(h, protocol.DecodeRunResult, "/v1/runs", bob, runBody(script("", `[[{"release":"go"}]]`)))
	endOf(h, info.ID)
	if got := page(h, info.ID, 0, ""); len(got.Events) == 0 {
		t.Errorf("got %s", got.AppendJSON(nil))
	}
	h.refused("FORBIDDEN", "/v1/jobs/read", aliceFewer, identity(info.ID))
}

// A page holds no more bytes than clients read.
func TestPagesAreBoundedInBytes(t *testing.T) {
	h := start(t, Options{})
	info := submitted(h, "long", `[[{"text":"`+strings.Repeat("x", 60_000)+`","times":32}]]`)
	end := endOf(h, info.ID)
	if end.State != protocol.JobStateInterrupted { // the result is larger than an event of a log may be
		t.Errorf("got %s", end.AppendJSON(nil))
	}
	seen := int64(0)
	for {
		r := h.do("POST", "/v1/jobs/events", alice, fmt.Sprintf(`{"id":%q,"after":%d}`, info.ID, seen))
		got, err := protocol.DecodeJobEventPage(r.body)
		if err != nil || len(r.body) > 1_600_000 || len(got.Events) == 0 {
			t.Fatalf("got %d bytes, %d events, %v", len(r.body), len(got.Events), err)
		}
		if seen = got.NextCursor; !got.HasMore {
			break
		}
	}
	if seen != end.Cursor {
		t.Errorf("got %d events of %d", seen, end.Cursor)
	}
}

func TestAnIdempotencyKeyRunsOnce(t *testing.T) {
	o := Options{State: filepath.Join(t.TempDir(), "state.db")}
	h := start(t, o)
	body := runBody(script("once", `[[{"call":{"id":"c","name":"echo"}}],[{"text":"a"},{"text":"b"},{"usage":{"inputTokens":1}}]]`), `"tools":["echo"]`, `"metadata":{"a":"1","b":"2"}`, `"idempotencyKey":"k"`)
	first := post(h, protocol.DecodeRunResult, "/v1/runs", alice, body)
	check := func(h *host) {
		t.Helper()
		if again := post(h, protocol.DecodeRunResult, "/v1/runs", alice, strings.Replace(body, `{"a":"1","b":"2"}`, `{"b":"2","a":"1"}`, 1)); string(again.AppendJSON(nil)) != string(first.AppendJSON(nil)) {
			t.Errorf("got %s, then %s", first.AppendJSON(nil), again.AppendJSON(nil))
		}
		s := h.stream(alice, body)
		if got := s.types(); got != "run.started step.started tool.called tool.completed step.started usage.reported run.completed" {
			t.Errorf("the replay is %s", got)
		}
		h.refused("IDEMPOTENCY_CONFLICT", "/v1/runs", alice, strings.Replace(body, `"b":"2"`, `"b":"3"`, 1))
		h.refused("FORBIDDEN", "/v1/runs", aliceFewer, body) // it may not call the tool
	}
	check(h)
	if got := h.counters("once", "", 0); !strings.Contains(got, `"runs":1,`) || !strings.Contains(got, `"echo":1`) {
		t.Errorf("got %s", got)
	}
	if other := post(h, protocol.DecodeRunResult, "/v1/runs", bob, body); other.RunID == first.RunID {
		t.Error("two subjects share a key")
	}
	h.stop()
	h = start(t, o)
	check(h) // also after a restart
}

func TestAKeyWhoseRunHasNotEndedOrIsLost(t *testing.T) {
	o := Options{State: filepath.Join(t.TempDir(), "state.db")}
	h, cmd := startProcess(t, o)
	body := runBody(script("lost", `[[{"text":"a"},{"stall":true}]]`), `"idempotencyKey":"k"`)
	until[*protocol.TextDelta](h.stream(alice, body))
	r := h.do("POST", "/v1/runs", alice, body)
	if e, err := protocol.DecodeError(r.body); err != nil || r.status != http.StatusConflict || e.Error.Code != "OPERATION_IN_PROGRESS" || !e.Error.Retryable {
		t.Errorf("got %d %s", r.status, r.body)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	h = start(t, o)
	r = h.do("POST", "/v1/runs", alice, body)
	if r.status != http.StatusConflict || r.code() != "OPERATION_UNCERTAIN" || !strings.Contains(string(r.body), `"outcome":"uncertain"`) {
		t.Errorf("got %d %s", r.status, r.body)
	}
	if got := h.stream(alice, body).types(); got != "run.started run.failed" {
		t.Errorf("the replay is %s", got)
	}
	if got := h.counters("lost", "", 0); !strings.Contains(got, `"runs":0`) {
		t.Errorf("the run went on: %s", got)
	}
}

func TestAFailureIsReplayedAsSuch(t *testing.T) {
	h := start(t, Options{})
	body := runBody(script("fails", `[[{"fail":{"code":"ODD","message":"once","retryable":true}}]]`), `"idempotencyKey":"k"`)
	first := h.do("POST", "/v1/runs", alice, body)
	again := h.do("POST", "/v1/runs", alice, body)
	if first.status != http.StatusBadGateway || first.code() != "ODD" || again.status != first.status || string(again.body) != string(first.body) {
		t.Errorf("got %d %s, then %d %s", first.status, first.body, again.status, again.body)
	}
	if got := h.counters("fails", "", 0); !strings.Contains(got, `"runs":1,`) {
		t.Errorf("got %s", got)
	}
}

func TestTurnsOfASession(t *testing.T) {
	h := start(t, Options{})
	made := post(h, protocol.DecodeSessionSnapshot, "/v1/sessions/create", alice, `{"provider":"mock","model":"demo","mode":"native","instructions":"be kind","history":[{"role":"user","content":"before"}]}`)
	id := made.Session.ID
	turn := func(revision int, input string, more ...string) string {
		return runBody(input, append([]string{fmt.Sprintf(`"session":{"id":%q,"revision":%d}`, id, revision)}, more...)...)
	}
	if made.Session.Revision != 0 || made.Session.State != protocol.SessionStateReady || len(made.History) != 1 || made.Instructions.Value != "be kind" {
		t.Errorf("got %s", made.AppendJSON(nil))
	}
	r := post(h, protocol.DecodeRunResult, "/v1/runs", alice, turn(0, script("", `[[{"native":{"mark":7}},{"report":"messages"}]]`)))
	if r.Session == nil || r.Session.Revision != 1 || r.Session.State != protocol.SessionStateReady || !strings.HasPrefix(r.Text, `[{"role":"system","content":"be kind"},{"role":"user","content":"before"},`) {
		t.Errorf("got %s", r.AppendJSON(nil))
	}
	if r := post(h, protocol.DecodeRunResult, "/v1/runs", alice, turn(1, script("", `[[{"report":"native"},{"native":{"mark":8}}]]`))); r.Text != `{"mark":7}` {
		t.Errorf("the model gets %s as its private state", r.Text)
	}
	h.refused("SESSION_REVISION_CONFLICT", "/v1/runs", alice, turn(1, `"x"`))
	h.refused("SESSION_HISTORY_CONFLICT", "/v1/runs", alice, turn(2, `"x"`, `"instructions":"i"`))
	h.refused("SESSION_CONTEXT_UNSUPPORTED", "/v1/runs", alice, turn(2, `"x"`, `"retrieval":{"corpus":"docs"}`))
	h.refused("SESSION_PROVIDER_MISMATCH", "/v1/runs", alice, strings.Replace(turn(2, `"x"`), "demo", "vision", 1))
	h.refused("FORBIDDEN", "/v1/runs", aliceFewer, turn(2, `"x"`))
	h.refused("SESSION_NOT_FOUND", "/v1/runs", bob, turn(2, `"x"`))

	s := h.stream(alice, turn(2, script("held", `[[{"text":"a"},{"stall":true}]]`)))
	until[*protocol.TextDelta](s)
	if got := post(h, protocol.DecodeSessionSnapshot, "/v1/sessions/read", alice, identity(id)); got.Session.State != protocol.SessionStateRunning || got.Session.ExpiresAt.Set || len(got.History) != 5 {
		t.Errorf("got %s", got.AppendJSON(nil))
	}
	h.refused("SESSION_BUSY", "/v1/runs", alice, turn(2, `"x"`))
	h.refused("SESSION_REVISION_CONFLICT", "/v1/runs", alice, turn(0, `"x"`))
	post(h, protocol.DecodeSessionDeleteResult, "/v1/sessions/delete", alice, identity(id))
	if last := until[*protocol.RunFailed](s); last.Type != protocol.RunFailedTypeRunCancelled || last.Error.Code != "SESSION_DELETED" {
		t.Errorf("got %s", last.AppendJSON(nil))
	}
	h.refused("SESSION_NOT_FOUND", "/v1/sessions/read", alice, identity(id))
}

func TestAnInterruptedSessionCanOnlyBeRead(t *testing.T) {
	h := start(t, Options{})
	id := post(h, protocol.DecodeSessionSnapshot, "/v1/sessions/create", alice, `{"provider":"mock","model":"demo","mode":"history"}`).Session.ID
	body := func(input string) string {
		return runBody(input, fmt.Sprintf(`"session":{"id":%q,"revision":0}`, id))
	}
	h.refused("UNSUPPORTED_MODEL", "/v1/runs", alice, strings.Replace(body(`"x"`), "demo", "nope", 1))
	h.refused("X", "/v1/runs", alice, body(script("", `[[{"fail":{"code":"X","message":"no","retryable":false}}]]`)))
	got := post(h, protocol.DecodeSessionSnapshot, "/v1/sessions/read", alice, identity(id))
	if got.Session.State != protocol.SessionStateInterrupted || !got.Session.ExpiresAt.Set || got.Session.Revision != 0 || len(got.History) != 0 {
		t.Errorf("got %s", got.AppendJSON(nil))
	}
	h.refused("SESSION_INTERRUPTED", "/v1/runs", alice, body(`"x"`))
	post(h, protocol.DecodeSessionDeleteResult, "/v1/sessions/delete", alice, identity(id))
}

func TestSessionsExpireWhenTheyIdle(t *testing.T) {
	inBubble(t, "{ sessionRetentionMs: 60000, heartbeatMs: 1000000 }", func(t *testing.T, h *host) {
		create := `{"provider":"mock","model":"demo","mode":"history"}`
		idle := post(h, protocol.DecodeSessionSnapshot, "/v1/sessions/create", alice, create).Session.ID
		busy := post(h, protocol.DecodeSessionSnapshot, "/v1/sessions/create", alice, create).Session.ID
		s := h.stream(alice, runBody(script("", `[[{"quiet":120000},{"text":"a"}]]`), fmt.Sprintf(`"session":{"id":%q,"revision":0}`, busy)))
		pass(50 * time.Second)
		post(h, protocol.DecodeSessionSnapshot, "/v1/sessions/read", alice, identity(idle)) // does not extend it
		pass(11 * time.Second)
		h.refused("SESSION_NOT_FOUND", "/v1/sessions/read", alice, identity(idle))
		if done := until[*protocol.RunCompleted](s); done.Result.Session.Revision != 1 {
			t.Errorf("got %s", done.AppendJSON(nil))
		}
	})
}

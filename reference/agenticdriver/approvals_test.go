package agenticdriver

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// decision is the body of a decision.
func decision(id, run, call, what string) string {
	return fmt.Sprintf(`{"approvalId":%q,"runId":%q,"call":%s,"decision":%q}`, id, run, call, what)
}

// guarded opens a run that waits for a decision about a call.
func guarded(h *host, name, policy string, more ...string) (*events, protocol.ApprovalRequest) {
	h.t.Helper()
	s := h.stream(alice, runBody(script(name, `[[{"call":{"id":"c1","name":"guarded","arguments":{"b":[1,2],"a":1.0,"n":12345678901234567890}}}],[{"text":"done"}]]`),
		append([]string{`"tools":["guarded"]`, `"approvals":` + policy}, more...)...))
	return s, until[*protocol.ApprovalRequested](s).Approval
}

const waits = `{"mode":"interactive","idlePolicy":"continue"}`

// asked is the call as a client sends it back.
func asked(a protocol.ApprovalRequest) string { return string(a.Call.AppendJSON(nil)) }

func TestDecisions(t *testing.T) {
	tests := []struct{ decision, outcome, rest, code, tools string }{
		{"approve", "approved", "approval.resolved tool.completed step.started text.delta run.completed", "", `"tools":{"guarded":1}`},
		{"deny", "denied", "approval.resolved run.failed", "APPROVAL_DENIED", `"tools":{}`},
		{"cancel", "cancelled", "approval.resolved run.cancelled", "CANCELLED", `"tools":{}`},
	}
	h := start(t, Options{})
	for _, tt := range tests {
		t.Run(tt.decision, func(t *testing.T) {
			h.t = t
			s, a := guarded(h, tt.decision, waits)
			if got := asked(a); got != `{"id":"c1","name":"guarded","arguments":{"b":[1,2],"a":1.0,"n":12345678901234567890}}` {
				t.Errorf("the call is %s", got)
			}
			body := decision(a.ApprovalID, a.RunID, asked(a), tt.decision)
			r := post(h, protocol.DecodeApprovalResolution, "/v1/approvals/decisions", alice, body)
			if string(r.Outcome) != tt.outcome || r.ApprovalID != a.ApprovalID || r.RunID != a.RunID || r.CallID != "c1" {
				t.Errorf("got %s", r.AppendJSON(nil))
			}
			if got := s.types(); got != tt.rest {
				t.Errorf("got %s", got)
			}
			h.refused("APPROVAL_NOT_FOUND", "/v1/approvals/decisions", alice, body)
			if got := h.counters(tt.decision, "", 0); !strings.Contains(got, tt.tools) {
				t.Errorf("got %s", got)
			}
		})
	}
	h.t = t
}

func TestWhatIsRefusedDecidesNothing(t *testing.T) {
	h := start(t, Options{})
	s, a := guarded(h, "", waits)
	good := asked(a)
	for _, tt := range []struct{ name, token, body, code string }{
		{"another subject", bob, decision(a.ApprovalID, a.RunID, good, "approve"), "APPROVAL_NOT_FOUND"},
		{"the same subject without the grant", aliceFewer, decision(a.ApprovalID, a.RunID, good, "approve"), "FORBIDDEN"},
		{"another run", alice, decision(a.ApprovalID, "other", good, "approve"), "APPROVAL_MISMATCH"},
		{"another argument", alice, decision(a.ApprovalID, a.RunID, strings.Replace(good, "1.0", "2", 1), "approve"), "APPROVAL_MISMATCH"},
		{"another last digit", alice, decision(a.ApprovalID, a.RunID, strings.Replace(good, "7890", "7891", 1), "approve"), "APPROVAL_MISMATCH"},
		{"another order of an array", alice, decision(a.ApprovalID, a.RunID, strings.Replace(good, "[1,2]", "[2,1]", 1), "approve"), "APPROVAL_MISMATCH"},
		{"one argument more", alice, decision(a.ApprovalID, a.RunID, strings.Replace(good, `{"b"`, `{"c":1,"b"`, 1), "approve"), "APPROVAL_MISMATCH"},
		{"another id", alice, decision("00000000-0000-4000-8000-000000000000", a.RunID, good, "approve"), "APPROVAL_NOT_FOUND"},
		{"no decision", alice, decision(a.ApprovalID, a.RunID, good, "maybe"), "INVALID_APPROVAL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h.t = t
			h.refused(tt.code, "/v1/approvals/decisions", tt.token, tt.body)
		})
	}
	h.t = t
	// Another order of members, and another way to write a number, is the same call.
	post(h, protocol.DecodeApprovalResolution, "/v1/approvals/decisions", alice, decision(a.ApprovalID, a.RunID,
		`{"arguments":{"n":12345678901234567890,"a":1,"b":[1,2]},"name":"guarded","id":"c1"}`, "approve"))
	if got := s.types(); !strings.HasSuffix(got, "run.completed") {
		t.Errorf("got %s", got)
	}
}

func TestOfManyDecisionsAtOnceOneCounts(t *testing.T) {
	h := start(t, Options{})
	s, a := guarded(h, "race", waits)
	var all sync.WaitGroup
	var mu sync.Mutex
	codes := map[int]int{}
	for i := range 16 {
		all.Go(func() {
			r := h.do("POST", "/v1/approvals/decisions", alice, decision(a.ApprovalID, a.RunID, asked(a), []string{"approve", "deny"}[i%2]))
			mu.Lock()
			defer mu.Unlock()
			codes[r.status]++
		})
	}
	all.Wait()
	if codes[http.StatusOK] != 1 || codes[http.StatusNotFound] != 15 {
		t.Errorf("got %v", codes)
	}
	s.types()
}

func TestApprovalsExpireAndPause(t *testing.T) {
	inBubble(t, "{ heartbeatMs: 100000 }", func(t *testing.T, h *host) {
		s, a := guarded(h, "", `{"mode":"interactive","idlePolicy":"continue","expiresAfterMs":2000}`)
		begun := time.Now()
		if !a.ExpiresAt.Set || until[*protocol.ApprovalResolved](s).Resolution.Outcome != protocol.ApprovalOutcomeExpired {
			t.Errorf("got %s", a.AppendJSON(nil))
		}
		if last := until[*protocol.RunFailed](s); last.Error.Code != "APPROVAL_EXPIRED" || last.Type != protocol.RunFailedTypeRunFailed || time.Since(begun) != 2*time.Second {
			t.Errorf("got %s after %v", last.AppendJSON(nil), time.Since(begun))
		}
		h.refused("APPROVAL_NOT_FOUND", "/v1/approvals/decisions", alice, decision(a.ApprovalID, a.RunID, asked(a), "approve"))

		s, a = guarded(h, "", `{"mode":"interactive","idlePolicy":"pause"}`, `"idleTimeoutMs":300`)
		pass(time.Minute)
		post(h, protocol.DecodeApprovalResolution, "/v1/approvals/decisions", alice, decision(a.ApprovalID, a.RunID, asked(a), "approve"))
		if got := s.types(); !strings.HasSuffix(got, "run.completed") {
			t.Errorf("a paused run: %s", got)
		}

		s, _ = guarded(h, "", waits, `"idleTimeoutMs":300`)
		if r := until[*protocol.ApprovalResolved](s).Resolution; r.Outcome != protocol.ApprovalOutcomeCancelled {
			t.Errorf("got %s", r.AppendJSON(nil))
		}
		if last := until[*protocol.RunFailed](s); last.Error.Code != "IDLE_TIMEOUT" || last.Error.Outcome.Set {
			t.Errorf("got %s", last.AppendJSON(nil))
		}
	})
}

func TestLeavingInvalidatesAnApproval(t *testing.T) {
	h := start(t, Options{})
	s, a := guarded(h, "left", waits)
	s.cancel()
	body := decision(a.ApprovalID, a.RunID, asked(a), "approve")
	// The host notices on its own time: a decision that comes first counts, but runs nothing any more.
	for end := time.Now().Add(bounded); h.do("POST", "/v1/approvals/decisions", alice, strings.Replace(body, `"decision":"approve"`, `"decision":"deny"`, 1)).code() != "APPROVAL_NOT_FOUND"; {
		if time.Now().After(end) {
			t.Fatal("the approval outlives its stream")
		}
	}
	if got := h.counters("left", "", 0); !strings.Contains(got, `"tools":{}`) {
		t.Errorf("got %s", got)
	}
}

func TestWhereApprovalsCannotBe(t *testing.T) {
	h := start(t, Options{})
	call := script("none", `[[{"call":{"id":"c1","name":"guarded"}}]]`)
	h.refused("APPROVAL_STREAM_REQUIRED", "/v1/runs", alice, runBody(call, `"tools":["guarded"]`, `"approvals":`+waits))
	h.refused("APPROVAL_REQUIRED", "/v1/runs", alice, runBody(call, `"tools":["guarded"]`))
	if got := h.counters("none", "", 0); !strings.Contains(got, `"runs":1,`) || !strings.Contains(got, `"tools":{}`) {
		t.Errorf("got %s", got)
	}
	without := start(t, Options{Without: []string{"interactive-approvals", "application-tools", "conversation-sessions", "durable-jobs", "client-pairing", "provider-management"}})
	without.refused("APPROVAL_UNAVAILABLE", "/v1/runs", alice, runBody(`"x"`, `"approvals":`+waits))
	without.refused("APPROVAL_NOT_FOUND", "/v1/approvals/decisions", alice, decision("00000000-0000-4000-8000-000000000000", "r", `{"id":"c","name":"guarded","arguments":{}}`, "approve"))
	without.refused("APPLICATION_TOOLS_UNAVAILABLE", "/v1/runs", alice, runBody(`"x"`, `"tools":["lookup"]`, `"applicationTools":[`+definition("lookup", "")+`]`))
	without.refused("SESSIONS_UNAVAILABLE", "/v1/sessions/create", alice, `{}`)
	without.refused("JOBS_UNAVAILABLE", "/v1/jobs/submit", alice, `{}`)
	without.refused("UNAUTHORIZED", "/v1/connections/exchange", "code", `{}`)
	without.refused("FORBIDDEN", "/v1/management/invitations", admin, `{}`)
	without.refused("FORBIDDEN", "/v1/management/providers", admin, `{}`)
	without.refused("FORBIDDEN", "/v1/management/setup", admin, `{}`)
}

// definition defines an application tool; more are further members.
func definition(name, more string) string {
	return fmt.Sprintf(`{"name":%q,"description":"d","inputSchema":{"type":"object"}%s}`, name, more)
}

// dispatched opens a run that waits for the application to carry out a call.
func dispatched(h *host, name, defined string, more ...string) (*events, protocol.ToolExecutionRequest) {
	h.t.Helper()
	s := h.stream(alice, runBody(script(name, `[[{"call":{"id":"c1","name":"lookup","arguments":{"q":"é"}}}],[{"report":"messages"}]]`),
		append([]string{`"tools":["lookup"]`, `"applicationTools":[` + definition("lookup", defined) + `]`}, more...)...))
	return s, until[*protocol.ToolExecutionRequested](s).Execution
}

// answer is a result of an execution.
func answerOf(e protocol.ToolExecutionRequest, member string) string {
	return fmt.Sprintf(`{"executionId":%q,"runId":%q,"callId":%q,%s}`, e.ExecutionID, e.RunID, e.Call.ID, member)
}

func progressOf(e protocol.ToolExecutionRequest) string {
	return fmt.Sprintf(`{"executionId":%q,"runId":%q,"callId":%q}`, e.ExecutionID, e.RunID, e.Call.ID)
}

func TestApplicationToolsTakeOneResult(t *testing.T) {
	h := start(t, Options{})
	for _, output := range []string{`{"found":[1.50,null]}`, `null`, `"text"`} {
		s, e := dispatched(h, "", "")
		for range 3 {
			if r := post(h, protocol.DecodeToolExecutionReceipt, "/v1/tool-executions/progress", alice, progressOf(e)); r.Status != protocol.ToolExecutionReceiptStatusProgress {
				t.Errorf("got %s", r.AppendJSON(nil))
			}
		}
		for _, tt := range []struct{ token, body, code string }{
			{bob, answerOf(e, `"output":1`), "TOOL_EXECUTION_NOT_FOUND"},
			{aliceFewer, answerOf(e, `"output":1`), "FORBIDDEN"},
			{alice, strings.Replace(answerOf(e, `"output":1`), e.RunID, "other", 1), "TOOL_EXECUTION_MISMATCH"},
			{alice, strings.Replace(answerOf(e, `"output":1`), `"c1"`, `"c2"`, 1), "TOOL_EXECUTION_MISMATCH"},
			{alice, answerOf(e, `"output":1,"error":"APPLICATION_TOOL_FAILED"`), "INVALID_TOOL_EXECUTION"},
			{alice, progressOf(e), "INVALID_TOOL_EXECUTION"},
		} {
			h.refused(tt.code, "/v1/tool-executions/results", tt.token, tt.body)
		}
		r := post(h, protocol.DecodeToolExecutionReceipt, "/v1/tool-executions/results", alice, answerOf(e, `"output":`+output))
		if r.Status != protocol.ToolExecutionReceiptStatusAccepted {
			t.Errorf("got %s", r.AppendJSON(nil))
		}
		h.refused("TOOL_EXECUTION_NOT_FOUND", "/v1/tool-executions/results", alice, answerOf(e, `"output":`+output))
		if done := until[*protocol.ToolCompleted](s); string(done.Output) != output {
			t.Errorf("got %s, want %s", done.Output, output)
		}
		if got := s.types(); got != "step.started text.delta run.completed" {
			t.Errorf("got %s", got)
		}
		h.refused("TOOL_EXECUTION_NOT_FOUND", "/v1/tool-executions/progress", alice, progressOf(e))
	}
}

func TestApplicationToolsThatFail(t *testing.T) {
	h := start(t, Options{})
	tests := []struct{ name, member, code string }{
		{"by their own account", `"error":"APPLICATION_TOOL_FAILED"`, ""},
		{"with output that breaks the schema", `"output":{}`, "INVALID_TOOL_OUTPUT"},
		{"with too much output", `"output":"` + strings.Repeat("x", 128_000) + `"`, "TOOL_OUTPUT_LIMIT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h.t = t
			s, e := dispatched(h, "", `,"outputSchema":{"type":"string"}`)
			r := h.do("POST", "/v1/tool-executions/results", alice, answerOf(e, tt.member))
			if r.code() != tt.code || tt.code != "" && !strings.Contains(string(r.body), `"outcome":"uncertain"`) {
				t.Errorf("got %d %s", r.status, r.body)
			}
			last := until[*protocol.RunFailed](s)
			if last.Error.Code != "TOOL_OUTCOME_UNCERTAIN" || last.Error.Outcome.Value != "uncertain" || last.Error.Retryable {
				t.Errorf("got %s", last.AppendJSON(nil))
			}
			h.refused("TOOL_EXECUTION_NOT_FOUND", "/v1/tool-executions/results", alice, answerOf(e, `"output":"x"`))
		})
	}
	h.t = t
}

func TestProgressOfAnApplicationToolKeepsTheRunAlive(t *testing.T) {
	inBubble(t, "{}", func(t *testing.T, h *host) {
		s, e := dispatched(h, "", "", `"idleTimeoutMs":300`)
		for range 10 {
			pass(290 * time.Millisecond)
			post(h, protocol.DecodeToolExecutionReceipt, "/v1/tool-executions/progress", alice, progressOf(e))
		}
		begun := time.Now()
		last := until[*protocol.RunFailed](s)
		if last.Type != protocol.RunFailedTypeRunCancelled || last.Error.Code != "IDLE_TIMEOUT" || last.Error.Retryable || last.Error.Outcome.Value != "uncertain" || time.Since(begun) != 300*time.Millisecond {
			t.Errorf("got %s after %v", last.AppendJSON(nil), time.Since(begun))
		}
		h.refused("TOOL_EXECUTION_NOT_FOUND", "/v1/tool-executions/results", alice, answerOf(e, `"output":1`))
	})
}

func TestDefinitionsOfApplicationTools(t *testing.T) {
	h := start(t, Options{})
	large := `,"outputSchema":{"description":"` + strings.Repeat("x", 127_000) + `"}`
	for _, tt := range []struct{ name, tools, defined, code string }{
		{"not among the tools", `"echo"`, definition("lookup", ""), "INVALID_REQUEST"},
		{"twice", `"lookup"`, definition("lookup", "") + "," + definition("lookup", ""), "TOOL_DEFINITION_CONFLICT"},
		{"like a tool of the host", `"echo"`, definition("echo", ""), "TOOL_DEFINITION_CONFLICT"},
		{"too large together", `"lookup","second"`, definition("lookup", large) + "," + definition("second", ""+`,"outputSchema":{"description":"`+strings.Repeat("x", 1000)+`"}`), "TOOL_DEFINITION_LIMIT"},
		{"a schema that is none", `"lookup"`, `{"name":"lookup","description":"d","inputSchema":{"type":"nothing"}}`, "INVALID_SCHEMA"},
		{"a tool twice", `"lookup","lookup"`, definition("lookup", ""), "INVALID_REQUEST"},
		{"not granted", `"unknown"`, definition("unknown", ""), "FORBIDDEN"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h.t = t
			h.refused(tt.code, "/v1/runs", alice, runBody(`"x"`, `"tools":[`+tt.tools+`]`, `"applicationTools":[`+tt.defined+`]`), "Accept", "text/event-stream")
		})
	}
	h.t = t
	h.refused("TOOL_STREAM_REQUIRED", "/v1/runs", alice, runBody(`"x"`, `"tools":["lookup"]`, `"applicationTools":[`+definition("lookup", "")+`]`))
}

// The grant's demand for an approval cannot be lowered by the definition.
func TestTheStricterOfGrantAndDefinitionCounts(t *testing.T) {
	h := start(t, Options{})
	for _, tt := range []struct {
		tool, more string
		approval   bool
	}{{"lookup", "", false}, {"lookup", `,"requiresApproval":true`, true}, {"strict", `,"requiresApproval":false`, true}} {
		s := h.stream(alice, runBody(script("", fmt.Sprintf(`[[{"call":{"id":"c1","name":%q}}]]`, tt.tool)), fmt.Sprintf(`"tools":[%q]`, tt.tool),
			`"applicationTools":[`+definition(tt.tool, tt.more)+`]`, `"approvals":`+waits))
		var got protocol.RunEvent
		for got = s.read(); ; got = s.read() {
			if _, called := got.(*protocol.ToolCalled); called {
				got = s.read()
				break
			}
		}
		if _, approval := got.(*protocol.ApprovalRequested); approval != tt.approval {
			t.Errorf("%s%s: got %s", tt.tool, tt.more, got.AppendJSON(nil))
		}
		s.cancel()
	}
}

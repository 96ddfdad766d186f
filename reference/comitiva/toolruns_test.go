package comitiva

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// toolRun is a run with one tool server.
func toolRun(run string, m *model, tools *toolServer) message {
	r := runStart(run, m.openai())
	r["toolServers"] = []any{tools.launch()}
	return r
}

func (s *shell) approve(run, use, decision string) {
	s.t.Helper()
	s.send(message{"id": "approve-" + use, "type": "run.approval", "runId": run, "toolUseId": use, "decision": decision})
	if got := s.result("approve-" + use); len(got) != 0 {
		s.t.Errorf("run.approval gave %v", got)
	}
}

// output is the first text of a tool result.
func output(m message) string {
	list, _ := m["output"].([]any)
	if len(list) == 0 {
		return ""
	}
	block, _ := list[0].(map[string]any)
	return message(block).str("text")
}

func TestToolServerStartAndStop(t *testing.T) {
	tools := newToolServer(t)
	s := start(t, nil)
	s.send(message{"id": "a", "type": "toolServer.start", "toolServer": tools.launch()})
	s.answer("a")
	for _, want := range []string{`"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true`, `{"name":"write","inputSchema":{"type":"object"}}`} {
		if !strings.Contains(s.transcript(), want) {
			t.Errorf("no %s in %s", want, s.transcript())
		}
	}
	s.send(message{"id": "b", "type": "toolServer.start", "toolServer": tools.launch()})
	s.answer("b")
	if n := len(tools.trace("spawns")); n != 1 {
		t.Errorf("%d processes were started", n)
	}
	for _, id := range []string{"srv", "srv", "unknown"} {
		s.send(message{"id": "c", "type": "toolServer.stop", "toolServerId": id})
		if got := s.result("c"); len(got) != 0 {
			t.Errorf("got %v", got)
		}
		if alive(tools.pid(0)) {
			t.Error("the process is still there")
		}
	}
}

func TestToolServerThatCannotStart(t *testing.T) {
	tools := newToolServer(t)
	s := start(t, nil)
	for range 2 {
		s.send(message{"id": "a", "type": "toolServer.start", "toolServer": tools.launch("exit")})
		if got := s.refused("a"); got["code"] != "tool_server_failed" || got["retryable"] != true {
			t.Errorf("got %v", got)
		}
	}
	m := newModel(t)
	run := runStart("r", m.openai())
	run["toolServers"] = []any{tools.launch("exit")}
	s.send(run)
	if got := s.finish("r"); kinds(got) != "error" || got[0]["code"] != "tool_server_failed" || m.count() != 0 {
		t.Errorf("got %v", got)
	}
	if n := len(tools.trace("spawns")); n != 1 {
		t.Errorf("%d processes were started", n)
	}
}

func TestReadOnlyToolRunsUnasked(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, calls([3]string{"u1", "notes__read", `{"x":1}`}))
	s := start(t, nil)
	s.send(toolRun("r", m, tools))
	got := s.finish("r")
	if kinds(got) != "block tool_call tool_result text_delta usage done" {
		t.Fatalf("got %s", kinds(got))
	}
	block := got[0].object("block")
	if block["id"] != "u1" || block["name"] != "notes__read" || block["toolServerId"] != "srv" {
		t.Errorf("the block is %v", block)
	}
	if c := got[1]; c["toolUseId"] != "u1" || c["toolServerId"] != "srv" || c["toolName"] != "read" || c["requiresApproval"] != false || c.object("input")["x"] != 1.0 {
		t.Errorf("the call is %v", c)
	}
	if r := got[2]; r["toolUseId"] != "u1" || r["isError"] != false || output(r) != "what is there" {
		t.Errorf("the result is %v", r)
	}
	if usage := got[4]; usage["inputTokens"] != 21.0 || usage["outputTokens"] != 12.0 || usage["estimated"] != false {
		t.Errorf("the usage is %v", usage)
	}
	if sent := m.messages(1); sent[len(sent)-1] != `{"content":"what is there","role":"tool","tool_call_id":"u1"}` {
		t.Errorf("sent back %v", sent)
	}
	if calls := tools.trace("calls"); !slices.Equal(calls, []string{`read {"x":1}`}) {
		t.Errorf("the server was called with %v", calls)
	}
}

func TestToolLoopWithOllama(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, ndjson(`{"message":{"tool_calls":[{"function":{"name":"notes__read","arguments":{"x":1}}}]}}`, `{"done":true,"done_reason":"stop"}`))
	s := start(t, nil)
	run := toolRun("r", m, tools)
	run["connection"] = m.ollama()
	s.send(run)
	if got := s.finish("r"); kinds(got) != "block tool_call tool_result text_delta usage done" {
		t.Errorf("got %s", kinds(got))
	}
	if sent := m.messages(1); sent[len(sent)-1] != `{"content":"what is there","role":"tool","tool_name":"notes__read"}` {
		t.Errorf("sent back %v", sent)
	}
}

func TestApprovals(t *testing.T) {
	tests := []struct {
		decision string
		isError  bool
		output   string
		called   int
	}{
		{"allow", false, "written", 1},
		{"allow-always", false, "written", 1},
		{"deny", true, "approval_denied: ", 0},
	}
	for _, tt := range tests {
		t.Run(tt.decision, func(t *testing.T) {
			tools := newToolServer(t)
			m := newModel(t, calls([3]string{"u1", "notes__write", `{}`}))
			s := start(t, nil)
			s.send(toolRun("r", m, tools))
			if c := s.event("r", "run.tool_call"); c["requiresApproval"] != true {
				t.Errorf("the call is %v", c)
			}
			s.approve("r", "other", "allow") // nothing waits for it
			s.approve("x", "u1", "allow")
			s.ping("p")
			if n := len(tools.trace("calls")); n != 0 {
				t.Error("the tool was called without permission")
			}
			s.approve("r", "u1", tt.decision)
			r := s.event("r", "run.tool_result")
			s.approve("r", "u1", "allow") // answered already
			if r["isError"] != tt.isError || !strings.HasPrefix(output(r), tt.output) {
				t.Errorf("the result is %v", r)
			}
			if tt.isError && r["durationMs"] != 0.0 {
				t.Errorf("the result is %v", r)
			}
			if got := s.finish("r"); kinds(got) != "block tool_call tool_result text_delta usage done" {
				t.Errorf("got %s", kinds(got))
			}
			if n := len(tools.trace("calls")); n != tt.called {
				t.Errorf("the tool was called %d times", n)
			}
		})
	}
}

func TestAllowAlwaysCoversTheSameToolInTheSameRun(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, calls([3]string{"u1", "notes__write", `{}`}, [3]string{"u2", "notes__write", `{}`}, [3]string{"u3", "notes__erase", `{}`}),
		sse(finish("stop")), calls([3]string{"u1", "notes__write", `{}`}))
	s := start(t, nil)
	s.send(toolRun("r", m, tools))
	asked := func(run string) string {
		t.Helper()
		c := s.event(run, "run.tool_call")
		return fmt.Sprint(c["toolUseId"], " ", c["requiresApproval"])
	}
	if got := asked("r"); got != "u1 true" {
		t.Errorf("got %s", got)
	}
	s.approve("r", "u1", "allow-always")
	if got := asked("r"); got != "u2 false" {
		t.Errorf("got %s", got)
	}
	if got := asked("r"); got != "u3 true" {
		t.Errorf("got %s", got)
	}
	s.approve("r", "u3", "deny")
	s.finish("r")
	s.send(toolRun("q", m, tools))
	if got := asked("q"); got != "u1 true" {
		t.Errorf("another run: got %s", got)
	}
}

func TestPoliciesThatDoNotAsk(t *testing.T) {
	for name, change := range map[string]func(message){
		"alwaysAllowed": func(run message) { run["alwaysAllowed"] = []string{"srv:write"} },
		"allow-writes":  func(run message) { run["agent"] = agentWith("permissionPolicy", "allow-writes") },
	} {
		t.Run(name, func(t *testing.T) {
			tools := newToolServer(t)
			m := newModel(t, calls([3]string{"u1", "notes__write", `{}`}))
			s := start(t, nil)
			run := toolRun("r", m, tools)
			change(run)
			s.send(run)
			if got := s.finish("r"); kinds(got) != "block tool_call tool_result text_delta usage done" || got[1]["requiresApproval"] != false {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestReadOnlyPolicyHidesTools(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, calls([3]string{"u1", "notes__write", `{}`}))
	s := start(t, nil)
	run := toolRun("r", m, tools)
	run["agent"] = agentWith("permissionPolicy", "read-only")
	s.send(run)
	got := s.finish("r")
	if kinds(got) != "block tool_result text_delta usage done" || !strings.HasPrefix(output(got[1]), "invalid_request: ") {
		t.Errorf("got %v", got)
	}
	if offered := fmt.Sprint(m.request(0).body["tools"]); strings.Contains(offered, "write") || !strings.Contains(offered, "notes__read") {
		t.Errorf("offered %s", offered)
	}
	if n := len(tools.trace("calls")); n != 0 {
		t.Error("the tool was called")
	}
}

func TestCallsThatAreNotTakenUp(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, calls([3]string{"u1", "nonsense", `{}`}, [3]string{"u2", "notes__read", `[1]`}, [3]string{"u3", "notes__read", `{broken`}))
	s := start(t, nil)
	s.send(toolRun("r", m, tools))
	got := s.finish("r")
	if kinds(got) != "block block block tool_result tool_result tool_result text_delta usage done" {
		t.Fatalf("got %s", kinds(got))
	}
	if got[0].object("block")["toolServerId"] != "" {
		t.Errorf("the block is %v", got[0])
	}
	for _, r := range got[3:6] {
		if r["isError"] != true || r["durationMs"] != 0.0 || !strings.HasPrefix(output(r), "invalid_request: ") {
			t.Errorf("the result is %v", r)
		}
	}
	if sent := m.messages(1); !strings.Contains(sent[1], `"arguments":"{broken"`) {
		t.Errorf("sent back %v", sent[1])
	}
}

func TestCallsAreMadeOneAtATime(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, calls([3]string{"u1", "notes__read", `{"n":1}`}, [3]string{"u2", "notes__read", `{"n":2}`}))
	s := start(t, nil)
	s.send(toolRun("r", m, tools))
	if got := s.finish("r"); kinds(got) != "block block tool_call tool_result tool_call tool_result text_delta usage done" {
		t.Errorf("got %s", kinds(got))
	}
}

func TestCrashedToolServerIsRestarted(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, calls([3]string{"u1", "notes__crash", `{}`}, [3]string{"u2", "notes__read", `{}`}))
	s := start(t, nil)
	s.send(toolRun("r", m, tools))
	got := s.finish("r")
	if kinds(got) != "block block tool_call tool_result tool_call tool_result text_delta usage done" {
		t.Fatalf("got %s", kinds(got))
	}
	if !strings.HasPrefix(output(got[3]), "tool_server_failed: ") || output(got[5]) != "what is there" {
		t.Errorf("got %q, then %q", output(got[3]), output(got[5]))
	}
}

func TestIterationLimit(t *testing.T) {
	tools := newToolServer(t)
	again := func(id string) modelTurn { return calls([3]string{id, "notes__read", `{}`}) }
	m := newModel(t, again("u1"), again("u2"), again("u3"), again("u4"))
	s := start(t, nil)
	run := toolRun("r", m, tools)
	run["agent"] = agentWith("params", message{"maxToolIterations": 3})
	s.send(run)
	got := s.finish("r")
	if kinds(got) != "block tool_call tool_result block tool_call tool_result block usage done" || got[len(got)-1]["stopReason"] != "max_iterations" {
		t.Errorf("got %s, %v", kinds(got), got[len(got)-1])
	}
	if m.count() != 3 || len(tools.trace("calls")) != 2 {
		t.Errorf("%d model calls, %d tool calls", m.count(), len(tools.trace("calls")))
	}
}

func TestToolCallsOfACutReplyAreNotMade(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"u1","function":{"name":"notes__read","arguments":"{}"}}]}}]}`, finish("length")))
	s := start(t, nil)
	s.send(toolRun("r", m, tools))
	got := s.finish("r")
	if kinds(got) != "block usage done" || got[2]["stopReason"] != "max_tokens" {
		t.Errorf("got %v", got)
	}
}

func TestCancelWhileWaitingForPermission(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, calls([3]string{"u1", "notes__write", `{}`}))
	s := start(t, nil)
	s.send(toolRun("r", m, tools))
	s.event("r", "run.tool_call")
	s.send(message{"id": "c", "type": "run.cancel", "runId": "r"})
	s.result("c")
	got := s.finish("r")
	if kinds(got) != "block tool_call usage done" || got[3]["stopReason"] != "cancelled" {
		t.Errorf("got %v", got)
	}
	s.approve("r", "u1", "allow")
	s.ping("p")
	if n := len(tools.trace("calls")); n != 0 {
		t.Error("the tool was called")
	}
}

func TestCancelDuringAToolCall(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, calls([3]string{"u1", "notes__wait", `{}`}))
	s := start(t, nil)
	s.send(toolRun("r", m, tools))
	eventually(t, "the call has begun", func() bool { return len(tools.trace("calls")) == 1 })
	s.send(message{"id": "c", "type": "run.cancel", "runId": "r"})
	got := s.finish("r")
	if kinds(got) != "block tool_call usage done" || got[3]["stopReason"] != "cancelled" {
		t.Errorf("got %v", got)
	}
	eventually(t, "the server was told", func() bool { return len(tools.trace("cancelled")) == 1 })
}

func TestToolServerStoppedDuringARun(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t, calls([3]string{"u1", "notes__write", `{}`}))
	s := start(t, nil)
	s.send(toolRun("r", m, tools))
	s.event("r", "run.tool_call")
	s.send(message{"id": "x", "type": "toolServer.stop", "toolServerId": "srv"})
	s.result("x")
	s.approve("r", "u1", "allow")
	if r := s.event("r", "run.tool_result"); !strings.HasPrefix(output(r), "tool_server_failed: ") {
		t.Errorf("got %v", r)
	}
	s.finish("r")
}

func TestToolsOfSeveralServersHaveUniqueNames(t *testing.T) {
	tools := newToolServer(t)
	m := newModel(t)
	s := start(t, nil)
	run := runStart("r", m.openai())
	second, third := tools.launch("second"), tools.launch("third")
	second["id"], third["id"], third["name"] = "srv2", "srv3", "Ein Name, der zu lang ist für einen Präfix"
	run["toolServers"] = []any{tools.launch(), second, third}
	s.send(run)
	s.finish("r")
	offered := fmt.Sprint(m.request(0).body["tools"])
	for _, want := range []string{"notes__read", "notes_2__read", "ein_name_der_zu_lang__read"} {
		if !strings.Contains(offered, "name:"+want+" ") {
			t.Errorf("no %s among %s", want, offered)
		}
	}
}

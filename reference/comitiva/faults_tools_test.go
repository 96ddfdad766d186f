package comitiva

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// used carries out a run with a tool server, whose approvals are all given
// decision, and tells what see finds.
func used(decision string, change func(run message), see func(s *shell, m *model, tools *toolServer, events []message) string, turns ...modelTurn) func(*shell) string {
	return func(s *shell) string {
		tools := newToolServer(s.t)
		m := newModel(s.t, turns...)
		run := toolRun("r", m, tools)
		if change != nil {
			change(run)
		}
		s.send(run)
		for {
			ev := s.await("end of the run", func(m message) bool {
				return m["runId"] == "r" && (m["type"] == "run.done" || m["type"] == "run.error" || m["requiresApproval"] == true)
			})
			if ev["requiresApproval"] != true {
				break
			}
			s.approve("r", ev.str("toolUseId"), decision)
		}
		var events []message
		s.mu.Lock()
		for _, ev := range s.all {
			if ev["runId"] == "r" {
				events = append(events, ev)
			}
		}
		s.mu.Unlock()
		return see(s, m, tools, events)
	}
}

// asked tells for each call whether permission was asked.
func asked(_ *shell, _ *model, _ *toolServer, events []message) string {
	var out []string
	for _, ev := range events {
		if ev["type"] == "run.tool_call" {
			out = append(out, fmt.Sprint(ev["requiresApproval"]))
		}
	}
	return strings.Join(out, " ")
}

// outputs tells the first word of each result.
func outputs(_ *shell, _ *model, _ *toolServer, events []message) string {
	var out []string
	for _, ev := range events {
		if ev["type"] == "run.tool_result" {
			out = append(out, strings.Fields(output(ev))[0])
		}
	}
	return strings.Join(out, " ")
}

func ofEvents(see func([]message) string) func(*shell, *model, *toolServer, []message) string {
	return func(_ *shell, _ *model, _ *toolServer, events []message) string { return see(events) }
}

func offered(_ *shell, m *model, _ *toolServer, _ []message) string {
	list, _ := m.request(0).body["tools"].([]any)
	var out []string
	for _, item := range list {
		function, _ := item.(map[string]any)["function"].(map[string]any)
		out = append(out, fmt.Sprint(function["name"]))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func policyOf(name string) func(message) {
	return func(run message) { run["agent"] = agentWith("permissionPolicy", name) }
}

func oneCall(tool string) modelTurn { return calls([3]string{"u1", "notes__" + tool, `{}`}) }

func twoCalls(first, second string) modelTurn {
	return calls([3]string{"u1", "notes__" + first, `{"n":1}`}, [3]string{"u2", "notes__" + second, `{"n":2}`})
}

// failing starts a server that cannot start, twice, and tells how many
// processes there were. What takes longer than the runner backs off, because the
// machine is busy, tells nothing, and is begun anew with another server.
func failing(s *shell) string {
	for {
		tools, begun := newToolServer(s.t), time.Now()
		for range 2 {
			s.send(message{"id": "x", "type": "toolServer.start", "toolServer": tools.launch("exit")})
			s.answer("x")
		}
		if time.Since(begun) < time.Second {
			return fmt.Sprint(len(tools.trace("spawns")))
		}
	}
}

// duration is what the result of the first call tells of its time; -1 without one.
func duration(events []message) float64 {
	for _, ev := range events {
		if ev["type"] == "run.tool_result" {
			return ev["durationMs"].(float64)
		}
	}
	return -1
}

const allTools = "notes__crash notes__erase notes__fail notes__read notes__wait notes__write"

var toolSymptoms = []symptom{
	{"first-page-only", func(s *shell) string {
		s.send(message{"id": "x", "type": "toolServer.start", "toolServer": newToolServer(s.t).launch("paged")})
		list, _ := s.answer("x")["result"].([]any)
		return fmt.Sprint(len(list))
	}, "6", "2"},
	{"failed-start-retried", failing, "1", "2"},
	{"failed-server-skipped", func(s *shell) string {
		m := newModel(s.t)
		run := runStart("r", m.openai())
		run["toolServers"] = []any{newToolServer(s.t).launch("exit")}
		s.send(run)
		return ending(s.finish("r"))
	}, "tool_server_failed true", "end_turn"},
	{"environment-inherited", func(s *shell) string {
		tools := newToolServer(s.t)
		s.send(message{"id": "x", "type": "toolServer.start", "toolServer": tools.launch()})
		s.answer("x")
		return fmt.Sprint(slices.Contains(tools.trace("environment"), "OPENAI_API_KEY=ambient"))
	}, "false", "true"},
	{"gated-flag-first", func(s *shell) string {
		tools := newToolServer(s.t)
		launch := tools.launch("own")
		launch["builtin"] = "filesystem"
		s.send(message{"id": "x", "type": "toolServer.start", "toolServer": launch, "roots": []any{message{"path": "/a", "mode": "read"}}})
		s.answer("x")
		return strings.Join(tools.trace("arguments"), "\n")
	}, "own --root /a:read --gated-by-client", "own --gated-by-client --root /a:read"},
	{"tool-names-unprefixed", used("allow", nil, offered), allTools, "crash erase fail read wait write"},
	{"tool-names-unfitted", func(s *shell) string {
		tools := newToolServer(s.t)
		m := newModel(s.t)
		run := runStart("r", m.openai())
		run["toolServers"] = []any{tools.launch("long")}
		s.send(run)
		s.finish("r")
		name := offered(s, m, tools, nil)
		return fmt.Sprint(len(strings.Fields(name)[0]))
	}, "64", "107"},
	{"crash-is-tool-failed", used("allow", nil, outputs, twoCalls("crash", "read")), "tool_server_failed: what", "tool_failed: what"},
	{"crashed-server-stays-down", used("allow", nil, outputs, twoCalls("crash", "read")), "tool_server_failed: what", "tool_server_failed: tool_server_failed:"},
	{"calls-in-parallel", used("allow", nil, ofEvents(func(events []message) string {
		var out []string
		for _, ev := range events {
			if kind := ev.str("type"); kind == "run.tool_call" || kind == "run.tool_result" {
				out = append(out, strings.TrimPrefix(kind, "run.tool_"))
			}
		}
		return strings.Join(out, " ")
	}), twoCalls("write", "write")), "call result call result", "call call result result"},
	{"cancel-waits-for-tool", func(s *shell) string {
		tools := newToolServer(s.t)
		m := newModel(s.t, oneCall("wait"))
		s.send(toolRun("r", m, tools))
		eventually(s.t, "the call has begun", func() bool { return len(tools.trace("calls")) == 1 })
		s.send(message{"id": "x", "type": "run.cancel", "runId": "r"})
		s.result("x")
		if s.fault == "" {
			return ending(s.finish("r"))
		}
		s.ping("p")
		if len(tools.trace("cancelled")) > 0 {
			return "cancelled"
		}
		return "still running"
	}, "cancelled", "still running"},
	{"results-not-sent-back", used("allow", nil, func(_ *shell, m *model, _ *toolServer, _ []message) string {
		return fmt.Sprint(len(m.messages(1)))
	}, oneCall("read")), "3", "2"},
	{"usage-of-last-call", used("allow", nil, ofEvents(usageIn("inputTokens")), oneCall("read")), "21", "11"},
	{"iteration-limit-off-by-one", used("allow", func(run message) {
		run["agent"] = agentWith("params", message{"maxToolIterations": 1})
	}, func(_ *shell, m *model, _ *toolServer, _ []message) string { return fmt.Sprint(m.count()) }, oneCall("read"), oneCall("read"), oneCall("read")), "1", "2"},
	{"tool-failure-ends-run", used("allow", nil, ofEvents(func(events []message) string { return kinds(events) + " " + ending(events) }), oneCall("fail")),
		"block tool_call tool_result text_delta usage done end_turn", "block tool_call error tool_failed false"},
	{"max-tokens-calls-tools", used("allow", nil, ofEvents(ending), sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"u1","function":{"name":"notes__read"}}]}}]}`, finish("length"))),
		"max_tokens", "end_turn"},
	{"result-order-reversed", used("allow", nil, func(_ *shell, m *model, _ *toolServer, _ []message) string {
		return fmt.Sprint(strings.Contains(m.messages(1)[2], `"u1"`))
	}, twoCalls("read", "read")), "true", "false"},
	{"unknown-tool-ends-run", used("allow", nil, ofEvents(func(events []message) string { return kinds(events) + " " + ending(events) }), oneCall("nonsense")),
		"block tool_result text_delta usage done end_turn", "block error invalid_request false"},
	{"unknown-tool-announced", used("allow", nil, ofEvents(kinds), oneCall("nonsense")),
		"block tool_result text_delta usage done", "block tool_call tool_result text_delta usage done"},
}

var approvalSymptoms = []symptom{
	{"read-only-tool-asks", used("allow", nil, asked, oneCall("read")), "false", "true"},
	{"unannotated-is-read-only", used("allow", nil, asked, oneCall("write")), "true", "false"},
	{"call-before-approval", func(s *shell) string {
		tools := newToolServer(s.t)
		m := newModel(s.t, oneCall("write"))
		s.send(toolRun("r", m, tools))
		s.event("r", "run.tool_call")
		if s.fault != "" {
			eventually(s.t, "the call is made", func() bool { return len(tools.trace("ended")) > 0 })
		}
		s.ping("p")
		before := len(tools.trace("calls"))
		s.approve("r", "u1", "allow")
		s.finish("r")
		return fmt.Sprint(before, len(tools.trace("calls")))
	}, "0 1", "1 1"},
	{"duration-is-a-time", used("allow", nil, ofEvents(func(events []message) string {
		return fmt.Sprint(duration(events) < 1e9)
	}), oneCall("read")), "true", "false"},
	{"duration-with-waiting", func(s *shell) string {
		s.send(toolRun("r", newModel(s.t, oneCall("write")), newToolServer(s.t)))
		s.event("r", "run.tool_call")
		for begin := time.Now(); time.Since(begin) < 20*time.Millisecond; {
			s.ping("p")
		}
		s.approve("r", "u1", "deny")
		return fmt.Sprint(duration(s.finish("r")) == 0)
	}, "true", "false"},
	{"denied-call-made", used("deny", nil, outputs, oneCall("write")), "approval_denied:", "written"},
	{"denial-unnamed", used("deny", nil, outputs, oneCall("write")), "approval_denied:", "denied:"},
	{"allow-always-once", used("allow-always", nil, asked, twoCalls("write", "write")), "true false", "true true"},
	{"allow-always-whole-server", used("allow-always", nil, asked, twoCalls("write", "erase")), "true true", "true false"},
	{"always-allowed-ignored", used("allow", func(run message) { run["alwaysAllowed"] = []string{"srv:write"} }, asked, oneCall("write")), "false", "true"},
	{"allow-writes-asks", used("allow", policyOf("allow-writes"), asked, oneCall("write")), "false", "true"},
	{"read-only-policy-offers-all", used("allow", policyOf("read-only"), func(s *shell, m *model, tools *toolServer, events []message) string {
		return offered(s, m, tools, events) + ", called " + fmt.Sprint(len(tools.trace("calls")))
	}, oneCall("write")), "notes__crash notes__read notes__wait, called 0", allTools + ", called 0"},
	{"read-only-policy-executes", used("allow", policyOf("read-only"), func(s *shell, m *model, tools *toolServer, events []message) string {
		return offered(s, m, tools, events) + ", called " + fmt.Sprint(len(tools.trace("calls")))
	}, oneCall("write")), "notes__crash notes__read notes__wait, called 0", "notes__crash notes__read notes__wait, called 1"},
	{"unknown-approval-refused", func(s *shell) string {
		s.send(message{"id": "x", "type": "run.approval", "runId": "r", "toolUseId": "u", "decision": "allow"})
		return short(s.answer("x"))
	}, "map[]", "invalid_request"},
	{"second-approval-repeats", after(func(s *shell) {
		tools := newToolServer(s.t)
		m := newModel(s.t, oneCall("write"), endless())
		s.send(toolRun("r", m, tools))
		s.event("r", "run.tool_call")
		s.approve("r", "u1", "allow")
		s.event("r", "run.text_delta")
		s.approve("r", "u1", "allow")
	}), "block tool_call tool_result text_delta usage done", "block tool_call tool_result text_delta tool_result usage done"},
	{"cancel-while-waiting-result", func(s *shell) string {
		tools := newToolServer(s.t)
		m := newModel(s.t, oneCall("write"))
		s.send(toolRun("r", m, tools))
		s.event("r", "run.tool_call")
		s.send(message{"id": "x", "type": "run.cancel", "runId": "r"})
		return kinds(s.finish("r"))
	}, "block tool_call usage done", "block tool_call tool_result usage done"},
}

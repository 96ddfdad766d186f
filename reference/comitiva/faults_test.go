package comitiva

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// symptom shows one fault: what is seen of a right runner, and of one with the
// fault.
type symptom struct {
	fault        string
	see          func(s *shell) string
	right, wrong string
}

// probeTime is short where it is to pass in vain.
func probeTime(symptom, fault string) time.Duration {
	if symptom == "probe-never-gives-up" && fault == "" || symptom == "requests-in-line" && fault != "" {
		return 300 * time.Millisecond
	}
	return patience
}

func TestEveryFaultShows(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "ambient")
	var ids []string
	for _, y := range slices.Concat(readerSymptoms, requestSymptoms, runSymptoms, providerSymptoms, toolSymptoms, approvalSymptoms, stopSymptoms) {
		ids = append(ids, y.fault)
		t.Run(y.fault, func(t *testing.T) {
			for fault, want := range map[string]string{"": y.right, y.fault: y.wrong} {
				s := start(t, func(o *Options) { o.Fault, o.ProbeTime = fault, probeTime(y.fault, fault) })
				s.invalid = true // what is seen says it
				s.fault = fault
				if got := y.see(s); got != want {
					t.Errorf("with the fault %q: saw %q, want %q\n%s", fault, got, want, s.transcript())
				}
			}
		})
	}
	ids = append(ids, "sigterm-uncaught", "sigint-uncaught") // see TestSignalsThatAreNotCaughtEndTheProcess
	slices.Sort(ids)
	var known []string
	for _, f := range Faults() {
		known = append(known, f.ID)
		if f.Title == "" || f.Description == "" {
			t.Errorf("%s is not described", f.ID)
		}
	}
	if !slices.IsSorted(known) {
		t.Error("the faults are not sorted")
	}
	if !slices.Equal(ids, known) {
		t.Errorf("faults without a symptom, or the other way round:\n%v\n%v", known, ids)
	}
}

// settle makes the runner end and returns everything it wrote.
func (s *shell) settle() string {
	s.t.Helper()
	s.stop()
	eventually(s.t, "everything is read", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.closed
	})
	return s.transcript()
}

// written sends text and tells what the runner then wrote, in short: an entry
// for each line.
func written(text string) func(*shell) string {
	return func(s *shell) string {
		s.write(text)
		var out []string
		for line := range strings.Lines(s.settle()) {
			switch {
			case strings.Contains(line, `"protocolVersion"`):
				out = append(out, "pong")
			case strings.Contains(line, `"type":"log"`):
				out = append(out, "log")
			case strings.Contains(line, `"ok":false`):
				out = append(out, "refused")
			case strings.Contains(line, `"ok":true`):
				out = append(out, "ok")
			default:
				out = append(out, "?")
			}
		}
		return strings.Join(out, " ")
	}
}

// refusal sends a line and tells how it was refused.
func refusalTo(line string) func(*shell) string {
	return func(s *shell) string {
		s.write(line + "\n")
		m := s.await("answer", func(m message) bool { return m["type"] == "response" })
		e := m.object("error")
		return fmt.Sprint(m["id"], ": ", e["code"], " ", e["retryable"], " ", e["message"])
	}
}

func mentions(text, canary string) string {
	if strings.Contains(text, canary) {
		return "repeated"
	}
	return "not repeated"
}

const pingLine = `{"id":"p","type":"ping"}` + "\n"

var readerSymptoms = []symptom{
	{"speaks-unasked", written(""), "", "log"},
	{"crlf-is-malformed", written(strings.TrimSpace(pingLine) + "\r\n" + pingLine), "pong pong", "log pong"},
	{"blank-line-is-malformed", written("\n" + pingLine), "pong", "log pong"},
	{"chunks-decoded-alone", func(s *shell) string {
		s.write(`{"id":"a€😀","type":"ping"}` + "\n")
		return s.await("answer", func(m message) bool { return true }).str("id")
	}, "a€😀", "a\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"},
	{"first-line-of-chunk-only", written(pingLine + pingLine + pingLine), "pong pong pong", "pong"},
	{"line-limit-one-mebibyte", written(`{"id":"p","type":"ping","x":"` + strings.Repeat("x", 1<<20) + `"}` + "\n" + pingLine), "pong pong", "log pong"},
	{"malformed-line-ends-serving", written("x\nx\n" + pingLine + "x\n" + pingLine), "log log pong log pong", "log log pong log"},
	{"malformed-line-answered", written("x\n" + pingLine), "log pong", "refused pong"},
	{"non-object-is-malformed", written("[1]\n" + pingLine), "refused pong", "log pong"},
	{"malformed-line-quoted", func(s *shell) string {
		s.write("the canary\n")
		return mentions(s.settle(), "the canary")
	}, "not repeated", "repeated"},
	{"malformed-line-on-stderr", func(s *shell) string {
		s.write("the canary\n")
		return mentions(s.settle()+s.stderr.String(), "the canary")
	}, "not repeated", "repeated"},
	{"secret-on-stderr", func(s *shell) string {
		m := newModel(s.t)
		s.send(message{"id": "t", "type": "connection.test", "connection": m.openai(), "secret": "the canary"})
		s.answer("t")
		return mentions(s.stderr.String(), "the canary")
	}, "not repeated", "repeated"},
	{"unterminated-line-dropped", written(pingLine + strings.TrimSpace(pingLine)), "pong pong", "pong"},
}

// replyTo sends a request and tells its answer.
func replyTo(m message) func(*shell) string {
	return func(s *shell) string {
		s.send(m)
		return short(s.answer("x"))
	}
}

// short tells an answer: its result, or the code of its error.
func short(m message) string {
	if m["ok"] != true {
		return m.object("error").str("code")
	}
	return fmt.Sprint(m["result"])
}

// probe sends a request about a connection to a model with one turn.
func probe(kind string, turn modelTurn, see func(m message) string) func(*shell) string {
	return func(s *shell) string {
		m := newModel(s.t)
		if turn != nil {
			m.turns = []modelTurn{turn}
		}
		s.send(message{"id": "x", "type": kind, "connection": m.openai()})
		return see(s.answer("x"))
	}
}

// binary is a request to detect an agent that tells two lines.
func binary(s *shell) message {
	path := filepath.Join(s.t.TempDir(), "agent")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho one\necho two\n"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return message{"id": "x", "type": "cli.detect", "provider": "codex", "binaryPath": path}
}

var requestSymptoms = []symptom{
	{"unknown-type-not-implemented", refusalTo(`{"id":"x","type":"explode"}`),
		"x: invalid_request false Invalid request (type: expected one of the request types)",
		"x: not_implemented false Invalid request (type: expected one of the request types)"},
	{"invalid-request-retryable", refusalTo(`{"id":"x","type":"run.cancel"}`),
		"x: invalid_request false Invalid request (runId: required)", "x: invalid_request true Invalid request (runId: required)"},
	{"invalid-request-internal", refusalTo(`{"id":"x","type":"toolServer.start"}`),
		"x: invalid_request false Invalid request (toolServer: required)", "x: internal false Invalid request (toolServer: required)"},
	{"invalid-request-nameless", refusalTo(`{"id":"x","type":"run.cancel"}`),
		"x: invalid_request false Invalid request (runId: required)", "x: invalid_request false Invalid request"},
	{"missing-id-undefined", refusalTo(`{"type":"ping"}`),
		": invalid_request false Invalid request (id: required)", "undefined: invalid_request false Invalid request (id: required)"},
	{"odd-id-answered-empty", refusalTo(`{"id":7,"type":"ping"}`),
		"7: invalid_request false Invalid request (id: expected a string)", ": invalid_request false Invalid request (id: expected a string)"},
	{"model-list-cut", probe("connection.listModels", nil, func(m message) string {
		list, _ := m["result"].([]any)
		return fmt.Sprint(len(list))
	}), "2", "1"},
	{"probe-never-gives-up", func(s *shell) string {
		m := newModel(s.t, stall())
		s.send(message{"id": "x", "type": "connection.listModels", "connection": m.openai()})
		if s.fault != "" {
			eventually(s.t, "the probe has begun", func() bool { return m.count() == 1 })
			s.t.Cleanup(m.CloseClientConnections)
			return "waits"
		}
		return short(s.answer("x"))
	}, "timeout", "waits"},
	{"nameless-models-dropped", func(s *shell) string {
		m := newModel(s.t)
		s.send(message{"id": "x", "type": "connection.listModels", "connection": m.ollama()})
		list, _ := s.answer("x")["result"].([]any)
		return fmt.Sprint(len(list))
	}, "2", "1"},
	{"invalid-values-accepted", func(s *shell) string {
		s.write(`{"id":"x","type":"run.cancel","runId":""}` + "\n")
		return short(s.answer("x"))
	}, "invalid_request", "map[]"},
	{"protocol-version-two", replyTo(message{"id": "x", "type": "ping"}), "map[protocolVersion:1 version:1.2.3]", "map[protocolVersion:2 version:1.2.3]"},
	{"ping-answered-twice", written(pingLine), "pong", "pong pong"},
	{"ids-trimmed", func(s *shell) string {
		s.send(message{"id": " x ", "type": "ping"})
		return s.await("answer", func(message) bool { return true }).str("id")
	}, " x ", "x"},
	{"requests-in-line", func(s *shell) string {
		m := newModel(s.t, stall())
		s.send(message{"id": "slow", "type": "connection.test", "connection": m.openai()})
		s.send(message{"id": "x", "type": "ping"})
		return s.await("answer", func(message) bool { return true }).str("id")
	}, "x", "slow"},
	{"unknown-members-refused", func(s *shell) string {
		s.send(message{"id": "x", "type": "shutdown", "y": 1})
		return short(s.answer("x"))
	}, "map[]", "invalid_request"},
	{"defaults-required", replyTo(message{"id": "x", "type": "connection.listModels", "connection": cliConnection("codex")}), "not_implemented", "invalid_request"},
	{"failed-test-is-an-error", probe("connection.test", status(401, ""), func(m message) string { return fmt.Sprint(m["ok"]) }), "true", "false"},
	{"failed-test-passes", probe("connection.test", status(401, ""), func(m message) string { return fmt.Sprint(m.object("result")["ok"]) }), "false", "true"},
	{"test-without-latency", probe("connection.test", nil, func(m message) string {
		_, told := m.object("result")["latencyMs"]
		return fmt.Sprint(told)
	}), "true", "false"},
	{"failed-list-is-empty", probe("connection.listModels", status(401, ""), short), "auth_failed", "[]"},
	{"list-failure-unmapped", probe("connection.listModels", status(401, ""), short), "auth_failed", "provider_error"},
	{"missing-adapter-not-implemented", replyTo(message{"id": "x", "type": "connection.test", "connection": cliConnection("gemini-cli")}), "unknown_provider", "not_implemented"},
	{"detect-api-provider-unknown", replyTo(message{"id": "x", "type": "cli.detect", "provider": "ollama"}), "invalid_request", "unknown_provider"},
	{"detect-whole-output", func(s *shell) string {
		s.send(binary(s))
		return s.result("x").str("version")
	}, "one", "one\ntwo\n"},
	{"missing-binary-invalid-request", replyTo(message{"id": "x", "type": "cli.detect", "provider": "codex", "binaryPath": "/no/such"}), "binary_not_found", "invalid_request"},
	{"annotations-dropped", func(s *shell) string {
		s.send(message{"id": "x", "type": "toolServer.start", "toolServer": newToolServer(s.t).launch()})
		s.answer("x")
		return fmt.Sprint(strings.Contains(s.transcript(), "readOnlyHint"))
	}, "true", "false"},
	{"stop-keeps-process", func(s *shell) string {
		tools := newToolServer(s.t)
		s.send(message{"id": "x", "type": "toolServer.start", "toolServer": tools.launch()})
		s.answer("x")
		s.send(message{"id": "y", "type": "toolServer.stop", "toolServerId": "srv"})
		s.answer("y")
		return fmt.Sprint(alive(tools.pid(0)))
	}, "false", "true"},
	{"stop-unknown-refused", replyTo(message{"id": "x", "type": "toolServer.stop", "toolServerId": "unknown"}), "map[]", "invalid_request"},
}

var stopSymptoms = []symptom{
	{"shutdown-exit-status", func(s *shell) string {
		s.send(message{"id": "x", "type": "shutdown"})
		return fmt.Sprint(s.exit())
	}, "0", "1"},
	{"end-of-input-exit-status", func(s *shell) string { return fmt.Sprint(s.stop()) }, "0", "1"},
	{"shutdown-drops-runs", stopped(func(s *shell) { s.send(message{"id": "x", "type": "shutdown"}) }), "run.done", "run.text_delta"},
	{"end-of-input-drops-runs", stopped(func(s *shell) { _ = s.in.Close() }), "run.done", "run.text_delta"},
}

// stopped tells the last event of a run that is active when the runner stops.
func stopped(stop func(*shell)) func(*shell) string {
	return func(s *shell) string {
		m := newModel(s.t, stall("data: "+delta("x")+"\n\n"))
		s.send(runStart("r", m.openai()))
		s.event("r", "run.text_delta")
		stop(s)
		s.settle()
		var last string
		for _, ev := range s.all {
			if ev["runId"] == "r" {
				last = ev.str("type")
			}
		}
		return last
	}
}

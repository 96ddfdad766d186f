package comitiva

import (
	"context"
	"fmt"
	"strings"
)

// ran carries out a run against a model with the given turns, and tells what
// see finds in its events.
func ran(see func(events []message) string, turns ...modelTurn) func(*shell) string {
	return func(s *shell) string {
		m := newModel(s.t, turns...)
		s.send(runStart("r", m.openai()))
		return see(s.finish("r"))
	}
}

func ranOllama(see func(events []message) string, turns ...modelTurn) func(*shell) string {
	return func(s *shell) string {
		m := newModel(s.t, turns...)
		s.send(runStart("r", m.ollama()))
		return see(s.finish("r"))
	}
}

// ending is the last event of a run: its stop reason, or its code and whether
// trying again may help.
func ending(events []message) string {
	last := events[len(events)-1]
	if last["type"] == "run.done" {
		return last.str("stopReason")
	}
	return fmt.Sprint(last["code"], " ", last["retryable"])
}

func usageIn(name string) func(events []message) string {
	return func(events []message) string {
		for _, ev := range events {
			if ev["type"] == "run.usage" {
				return fmt.Sprint(ev[name])
			}
		}
		return "none"
	}
}

// after lets the runner end, and tells the kinds of all events of a run.
func after(see func(s *shell)) func(*shell) string {
	return func(s *shell) string {
		see(s)
		s.settle()
		var events []message
		for _, m := range s.all {
			if m["runId"] == "r" {
				events = append(events, m)
			}
		}
		return kinds(events)
	}
}

// count answers with the numbers from 1 as text.
func count(to int) modelTurn {
	var events []string
	for i := range to {
		events = append(events, delta(fmt.Sprint(i+1, " ")))
	}
	return sse(append(events, finish("stop"), usageOf(100, 7, 40))...)
}

func endless() modelTurn { return stall("data: " + delta("x") + "\n\n") }

// cancelled starts a run, cancels it mid-stream and tells the answer and the
// end.
func cancelled(s *shell) string {
	m := newModel(s.t, endless())
	s.send(runStart("r", m.openai()))
	s.event("r", "run.text_delta")
	s.send(message{"id": "x", "type": "run.cancel", "runId": "r"})
	answer := s.result("x")
	events := s.finish("r")
	return fmt.Sprint(answer["cancelled"], " ", kinds(events), " ", ending(events))
}

// firstAnswer starts a run that goes on, sends a request and tells which came
// first: the answer, or the end of the run that the test then allows.
func firstAnswer(s *shell, request message, to string) string {
	going, goOn := context.WithCancel(s.t.Context())
	defer goOn()
	m := newModel(s.t, until(going, []string{"data: " + delta("x") + "\n\n"}, sse(finish("stop"))))
	s.send(runStart("r", m.openai()))
	s.event("r", "run.text_delta")
	if request != nil {
		s.send(request)
	}
	// Only a request that is answered at once is answered before this one,
	// which no fault delays.
	s.send(message{"id": "mark", "type": "run.approval", "runId": "none", "toolUseId": "u", "decision": "deny"})
	first := s.await("answer", func(m message) bool { return m["id"] == to || m["id"] == "mark" })
	goOn()
	s.finish("r")
	return first.str("id")
}

// sent carries out a run with certain messages and tells what the model was
// sent last.
func sent(ollama bool, messages ...any) func(*shell) string {
	return func(s *shell) string {
		m := newModel(s.t)
		c := m.openai()
		if ollama {
			c = m.ollama()
		}
		run := runStart("r", c)
		run["messages"] = messages
		s.send(run)
		if events := s.finish("r"); events[len(events)-1]["type"] == "run.error" {
			return ending(events)
		}
		list := m.messages(0)
		return list[len(list)-1]
	}
}

func imageBlock(source message) message { return message{"type": "image", "source": source} }

var inlineImage = imageBlock(message{"kind": "base64", "mediaType": "image/png", "data": "AAAABBBB"})

// withoutModel is a run for which nothing names a model.
func withoutModel(s *shell) string {
	m := newModel(s.t)
	run := runStart("r", m.openai())
	run["connection"].(message)["config"] = message{"baseUrl": m.URL + "/v1"}
	s.send(run)
	return ending(s.finish("r"))
}

func keyUsed(s *shell) string {
	m := newModel(s.t)
	s.send(runStart("r", m.openai()))
	s.finish("r")
	return m.request(0).header.Get("Authorization")
}

var runSymptoms = []symptom{
	{"stray-print", func(s *shell) string {
		m := newModel(s.t)
		s.send(runStart("r", m.openai()))
		s.finish("r")
		return fmt.Sprint(strings.HasPrefix(s.transcript(), "run started\n{"))
	}, "false", "true"},
	{"usage-incomplete", ran(usageIn("estimated"), count(1)), "false", "<nil>"},
	{"done-twice", after(func(s *shell) { ran(kinds)(s) }), "text_delta usage done", "text_delta usage done done"},
	{"delta-after-error", after(func(s *shell) { ran(kinds, status(401, ""))(s) }), "usage error", "usage error text_delta"},
	{"deltas-swapped", ran(said, count(12)), "1 2 3 4 5 6 7 8 9 10 11 12 ", "1 2 3 4 5 6 7 8 9 11 10 12 "},
	{"delta-lost", ran(said, count(12)), "1 2 3 4 5 6 7 8 9 10 11 12 ", "1 2 3 4 5 6 7 8 9 11 12 "},
	{"usage-missing", ran(kinds), "text_delta usage done", "text_delta done"},
	{"usage-missing-when-cancelled", cancelled, "true text_delta usage done cancelled", "true text_delta done cancelled"},
	{"reported-usage-estimated", ran(usageIn("estimated"), count(1)), "false", "true"},
	{"estimate-unmarked", ran(usageIn("estimated"), sse(delta("x"), finish("stop"))), "true", "false"},
	{"stamps-run-backwards", ran(func(events []message) string {
		return fmt.Sprint(events[0]["ts"].(float64) <= events[len(events)-1]["ts"].(float64))
	}), "true", "false"},
	{"stamps-in-seconds", ran(func(events []message) string {
		return fmt.Sprint(events[0]["ts"].(float64) > 1e12)
	}), "true", "false"},
	{"event-of-another-run", func(s *shell) string {
		ran(kinds)(s)
		return fmt.Sprint(strings.Contains(s.transcript(), `"r-other"`))
	}, "false", "true"},
	{"cancel-ends-with-error", cancelled, "true text_delta usage done cancelled", "true text_delta usage error internal false"},
	{"cancel-answers-false", cancelled, "true text_delta usage done cancelled", "false text_delta usage done cancelled"},
	{"cancel-always-true", func(s *shell) string {
		s.send(message{"id": "x", "type": "run.cancel", "runId": "unknown"})
		return fmt.Sprint(s.result("x")["cancelled"])
	}, "false", "true"},
	{"cancel-cancels-all", func(s *shell) string {
		going, goOn := context.WithCancel(s.t.Context())
		m := newModel(s.t, endless(), until(going, []string{"data: " + delta("x") + "\n\n"}, sse(finish("stop"))))
		s.send(runStart("q", m.openai()))
		s.event("q", "run.text_delta")
		s.send(runStart("r", m.openai()))
		s.event("r", "run.text_delta")
		s.send(message{"id": "x", "type": "run.cancel", "runId": "q"})
		s.finish("q")
		s.ping("p")
		goOn()
		return ending(s.finish("r"))
	}, "end_turn", "cancelled"},
	{"requests-wait-for-runs", func(s *shell) string {
		return firstAnswer(s, message{"id": "x", "type": "ping"}, "x")
	}, "x", "mark"},
	{"run-start-waits", func(s *shell) string { return firstAnswer(s, nil, "sr") }, "sr", "mark"},
	{"duplicate-run-accepted", func(s *shell) string {
		m := newModel(s.t, endless())
		s.send(runStart("r", m.openai()))
		s.answer("sr")
		s.send(runStart("r", m.openai()))
		return short(s.answer("sr"))
	}, "invalid_request", "map[runId:r]"},
	{"run-id-spent", func(s *shell) string {
		m := newModel(s.t)
		s.send(runStart("r", m.openai()))
		s.answer("sr")
		s.finish("r")
		s.send(runStart("r", m.openai()))
		return short(s.answer("sr"))
	}, "map[runId:r]", "invalid_request"},
	{"model-made-up", withoutModel, "invalid_request false", "end_turn"},
	{"default-model-first", func(s *shell) string {
		m := newModel(s.t)
		run := runStart("r", m.openai())
		run["agent"] = agentWith("model", "mine")
		s.send(run)
		s.finish("r")
		return fmt.Sprint(m.request(0).body["model"])
	}, "mine", "scripted"},
	{"stop-reason-always-end-turn", ran(ending, sse(delta("x"), finish("content_filter"))), "refusal", "end_turn"},
	{"secret-left-out", func(s *shell) string {
		m := newModel(s.t)
		run := runStart("r", m.openai())
		run["secret"] = "key"
		s.send(run)
		s.finish("r")
		return m.request(0).header.Get("Authorization")
	}, "Bearer key", ""},
	{"parameters-left-out", func(s *shell) string {
		m := newModel(s.t)
		run := runStart("r", m.openai())
		run["agent"] = agentWith("params", message{"temperature": 1})
		s.send(run)
		s.finish("r")
		return fmt.Sprint(m.request(0).body["temperature"])
	}, "1", "<nil>"},
	{"model-required-code", withoutModel, "invalid_request false", "model_required false"},
	{"one-run-at-a-time", func(s *shell) string {
		going, goOn := context.WithCancel(s.t.Context())
		turn := until(going, []string{"data: " + delta("x") + "\n\n"}, sse(finish("stop")))
		m := newModel(s.t, turn, turn)
		s.send(runStart("q", m.openai()))
		s.answer("sq")
		s.event("q", "run.text_delta")
		s.send(runStart("r", m.openai()))
		s.answer("sr")
		if s.fault == "" {
			s.event("r", "run.text_delta") // both stream at once
		}
		before := m.count()
		goOn()
		s.finish("q")
		s.finish("r")
		return fmt.Sprint(before)
	}, "2", "1"},
	{"file-source-skipped", sent(false, userMessage(textBlock("see"), imageBlock(message{"kind": "file", "path": "/x"}))),
		"invalid_request false", `{"content":"see","role":"user"}`},
}

var providerSymptoms = []symptom{
	{"rate-limit-not-retryable", ran(ending, status(429, ""), status(429, ""), status(429, "")), "rate_limited true", "rate_limited false"},
	{"forbidden-is-provider-error", ran(ending, status(403, "")), "auth_failed false", "provider_error false"},
	{"server-error-is-internal", ran(ending, status(500, ""), status(500, ""), status(500, "")), "provider_unavailable true", "internal false"},
	{"refused-connection-is-internal", func(s *shell) string {
		m := newModel(s.t)
		m.Close()
		s.send(runStart("r", m.openai()))
		return ending(s.finish("r"))
	}, "provider_unavailable true", "internal false"},
	{"stream-error-is-unavailable", ran(ending, sse(`{"error":{"message":"x"}}`)), "provider_error false", "provider_unavailable true"},
	{"broken-line-skipped", ranOllama(ending, ndjson(`{"message":{"content":"x"}}`, `{broken`, `{"done":true}`)), "provider_error false", "end_turn"},
	{"reset-ends-in-order", ran(ending, reset("data: "+delta("x")+"\n\n")), "provider_unavailable true", "end_turn"},
	{"secret-in-error-message", func(s *shell) string {
		m := newModel(s.t, status(401, ""))
		run := runStart("r", m.openai())
		run["secret"] = "the canary"
		s.send(run)
		s.finish("r")
		return mentions(s.transcript(), "the canary")
	}, "not repeated", "repeated"},
	{"keyless-sends-bearer", keyUsed, "", "Bearer none"},
	{"usage-includes-cache", ran(usageIn("inputTokens"), count(1)), "60", "100"},
	{"cancel-keeps-connection", func(s *shell) string {
		m := newModel(s.t, endless())
		s.send(runStart("r", m.openai()))
		s.event("r", "run.text_delta")
		s.send(message{"id": "x", "type": "run.cancel", "runId": "r"})
		s.finish("r")
		if s.fault == "" {
			<-m.gone
			return "closed"
		}
		s.ping("p")
		if len(m.gone) == 0 {
			return "open"
		}
		return "closed"
	}, "closed", "open"},
	{"orphan-call-sent-bare", sent(false, userMessage(textBlock("x")),
		storedMessage("assistant", message{"type": "tool_use", "id": "u", "toolServerId": "", "name": "t", "input": message{}})),
		`{"content":"interrupted: The tool call ended before it gave a result.","role":"tool","tool_call_id":"u"}`,
		`{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"t"},"id":"u","type":"function"}]}`},
	{"image-cut", sent(true, userMessage(textBlock("x"), inlineImage)),
		`{"content":"x","images":["AAAABBBB"],"role":"user"}`, `{"content":"x","images":["AAAA"],"role":"user"}`},
	{"image-left-out", sent(true, userMessage(textBlock("x"), inlineImage)),
		`{"content":"x","images":["AAAABBBB"],"role":"user"}`, `{"content":"x","role":"user"}`},
	{"ambient-key-used", keyUsed, "", "Bearer ambient"},
}

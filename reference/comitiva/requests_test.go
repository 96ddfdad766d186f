package comitiva

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestInvalidLines(t *testing.T) {
	tests := []struct {
		name, line, id, message string
	}{
		{"an array", `[]`, "", "Invalid request ((root): expected an object)"},
		{"a number", `42`, "", "Invalid request ((root): expected an object)"},
		{"null", `null`, "", "Invalid request ((root): expected an object)"},
		{"a string", `"x"`, "", "Invalid request ((root): expected an object)"},
		{"no type", `{"id":"a"}`, "a", "Invalid request (type: expected one of the request types)"},
		{"an unknown type", `{"id":"a","type":"explode"}`, "a", "Invalid request (type: expected one of the request types)"},
		{"a type that is no text", `{"type":7,"id":"a"}`, "a", "Invalid request (type: expected one of the request types)"},
		{"a missing member", `{"id":"7","type":"run.start"}`, "7", "Invalid request (runId: required)"},
		{"an empty member", `{"id":"a","type":"run.cancel","runId":""}`, "a", "Invalid request (runId: expected at least 1 code point)"},
		{"no id", `{"type":"ping"}`, "", "Invalid request (id: required)"},
		{"an empty id", `{"id":"","type":"ping"}`, "", "Invalid request (id: expected at least 1 code point)"},
		{"a number as id", `{"id":7,"type":"ping"}`, "7", "Invalid request (id: expected a string)"},
		{"a large number as id", `{"id":1e21,"type":"ping"}`, "1e+21", "Invalid request (id: expected a string)"},
		{"a fraction as id", `{"id":1.50,"type":"ping"}`, "1.5", "Invalid request (id: expected a string)"},
		{"null as id", `{"id":null,"type":"ping"}`, "null", "Invalid request (id: expected a string)"},
		{"true as id", `{"id":true,"type":"ping"}`, "true", "Invalid request (id: expected a string)"},
		{"an object as id", `{"id":{"a":1},"type":"ping"}`, "[object Object]", "Invalid request (id: expected a string)"},
		{"an array as id", `{"id":[1,null,["x"]],"type":"ping"}`, "1,,x", "Invalid request (id: expected a string)"},
		{"a date that is none", `{"id":"a","type":"connection.test","connection":{"id":"c","name":"C","secretRef":null,"enabled":true,"createdAt":"2026-02-30T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","kind":"api","provider":"ollama","config":{}}}`,
			"a", "Invalid request (connection.createdAt: not of the expected form)"},
		{"a member deep inside", `{"id":"a","type":"toolServer.start","toolServer":{"id":"t","name":"T","transport":"stdio","command":"x","args":["a",5]}}`,
			"a", "Invalid request (toolServer.args.1: expected a string)"},
	}
	s := start(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.t = t
			s.write(tt.line + "\n")
			got := s.refused(tt.id)
			if got["code"] != "invalid_request" || got["retryable"] != false || got["message"] != tt.message {
				t.Errorf("got %v, want the message %q", got, tt.message)
			}
			s.ping("p")
		})
	}
	s.t = t
}

func TestMalformedLinesAreLoggedAndNotRepeated(t *testing.T) {
	s := start(t, nil)
	const canary = "canary-of-the-malformed-line"
	for _, line := range []string{canary, `{"id":"` + canary + `"`, `{"id":"` + canary + `"} x`, "\x00" + canary} {
		s.write(line + "\n")
		got := s.await("log event", func(m message) bool { return m["type"] == "log" })
		if got["level"] != "warn" || got["message"] != malformedText {
			t.Errorf("got %v", got)
		}
	}
	s.ping("p")
	s.stop()
	if strings.Contains(s.transcript(), canary) || strings.Contains(s.stderr.String(), canary) {
		t.Error("the text of a malformed line was repeated")
	}
	if !strings.Contains(s.stderr.String(), `"bytes":28`) {
		t.Errorf("the length of the line was not logged")
	}
}

func TestValuesOfInvalidRequestsAreNotRepeated(t *testing.T) {
	s := start(t, nil)
	const canary = "canary-of-the-invalid-request"
	for _, line := range []string{
		`{"id":"a","type":"` + canary + `"}`,
		`{"id":"a","type":"cli.detect","provider":"` + canary + `"}`,
		`{"id":"a","type":"run.approval","runId":"r","toolUseId":"u","decision":"` + canary + `"}`,
		`{"id":"a","type":"connection.test","secret":"` + canary + `","connection":{"provider":"` + canary + `"}}`,
	} {
		s.write(line + "\n")
		s.refused("a")
	}
	s.stop()
	if strings.Contains(s.transcript(), canary) || strings.Contains(s.stderr.String(), canary) {
		t.Error("a value was repeated")
	}
}

func TestRequestsSurviveTheFraming(t *testing.T) {
	ping := `{"id":"ü€😀","type":"ping","x":{"y":[1]}}`
	tests := []struct {
		name, input string
		pings       int
	}{
		{"carriage returns", ping + "\r\n" + ping + "\r\n", 2},
		{"blank lines", "\n  \n\r\n\t" + ping + "\n\n", 1},
		{"many in one write", strings.Repeat(ping+"\n", 50), 50},
		{"a byte order mark", "\ufeff" + ping + "\n", 1},
		{"an unterminated last line", ping + "\n" + ping, 2},
		{"repeated members", `{"id":"x","id":"ü€😀","type":"ping"}` + "\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, nil)
			go func() {
				// Byte by byte, to cut every character.
				for i := range len(tt.input) {
					_, _ = s.in.Write([]byte(tt.input[i : i+1]))
				}
				_ = s.in.Close()
			}()
			if code := s.exit(); code != 0 {
				t.Errorf("the exit code is %d", code)
			}
			eventually(t, "everything is read", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return s.closed
			})
			for range tt.pings {
				s.result("ü€😀")
			}
			if got := len(s.all); got != tt.pings {
				t.Errorf("the runner wrote %d lines, want %d", got, tt.pings)
			}
		})
	}
}

func TestNothingIsWrittenUnasked(t *testing.T) {
	s := start(t, nil)
	if code := s.stop(); code != 0 || s.transcript() != "" {
		t.Errorf("code %d, wrote %q", code, s.transcript())
	}
}

func TestSlowRequestDelaysNoOther(t *testing.T) {
	m := newModel(t, stall())
	s := start(t, func(o *Options) { o.ProbeTime = time.Minute })
	s.send(message{"id": "slow", "type": "connection.test", "connection": m.openai()})
	eventually(t, "the probe has begun", func() bool { return m.count() == 1 })
	for range 10 {
		s.ping("p")
	}
}

func TestConnectionTest(t *testing.T) {
	m := newModel(t)
	s := start(t, nil)
	for _, c := range []message{m.openai(), m.ollama()} {
		s.send(message{"id": "t", "type": "connection.test", "connection": c})
		got := s.result("t")
		if latency, ok := got["latencyMs"].(float64); got["ok"] != true || !ok || latency < 0 {
			t.Errorf("%v: got %v", c["provider"], got)
		}
	}
}

func TestListModels(t *testing.T) {
	m := newModel(t)
	s := start(t, nil)
	for providerID, want := range map[string]string{
		"openai-compatible": `[{"id":"one","name":"One","contextWindow":4096},{"id":"two"}]`,
		"ollama":            `[{"id":"one","name":"One"},{"id":"two","name":"two"}]`,
	} {
		c := m.openai()
		if providerID == "ollama" {
			c = m.ollama()
		}
		s.send(message{"id": "l", "type": "connection.listModels", "connection": c})
		if s.answer("l"); !strings.Contains(s.transcript(), `"result":`+want) {
			t.Errorf("%s: want %s, got\n%s", providerID, want, s.transcript())
		}
	}
}

func TestFailedProbes(t *testing.T) {
	type failure struct {
		turn      modelTurn
		code      string
		retryable bool
	}
	failures := map[string]failure{
		"401":     {status(401, `{"error":{"message":"no such key: the-secret"}}`), "auth_failed", false},
		"403":     {status(403, ``), "auth_failed", false},
		"404":     {status(404, `{"error":"no such page"}`), "provider_error", false},
		"408":     {status(408, ``), "timeout", true},
		"429":     {status(429, ``), "rate_limited", true},
		"500":     {status(500, `oops`), "provider_unavailable", true},
		"503":     {status(503, ``), "provider_unavailable", true},
		"cut off": {reset(), "provider_unavailable", true},
		"no JSON": {lines("hello"), "provider_error", false},
		"stalled": {stall(), "timeout", true},
	}
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			m := newModel(t, f.turn, f.turn)
			s := start(t, func(o *Options) {
				o.ProbeTime = patience
				if name == "stalled" {
					o.ProbeTime = 200 * time.Millisecond
				}
			})
			s.send(message{"id": "t", "type": "connection.test", "connection": m.openai(), "secret": "the-secret"})
			got := s.result("t")
			if got["ok"] != false || got.object("error")["code"] != f.code || got.object("error")["retryable"] != f.retryable {
				t.Errorf("connection.test gave %v", got)
			}
			s.send(message{"id": "l", "type": "connection.listModels", "connection": m.openai(), "secret": "the-secret"})
			if got := s.refused("l"); got["code"] != f.code || got["retryable"] != f.retryable {
				t.Errorf("connection.listModels gave %v", got)
			}
			// A probe whose time was over before it was heard of has not come.
			if n := m.count(); n > 2 || n < 2 && name != "stalled" {
				t.Errorf("%d requests came: a probe is not tried again", n)
			}
			if strings.Contains(s.transcript(), "the-secret") {
				t.Error("the secret was passed on")
			}
		})
	}
}

func TestRefusedConnection(t *testing.T) {
	m := newModel(t)
	c := m.openai()
	m.Close()
	s := start(t, nil)
	s.send(message{"id": "t", "type": "connection.test", "connection": c})
	if got := s.result("t").object("error"); got["code"] != "provider_unavailable" || got["retryable"] != true {
		t.Errorf("got %v", got)
	}
	c["config"] = message{"baseUrl": "foo:bar"}
	s.send(message{"id": "u", "type": "connection.test", "connection": c})
	if got := s.result("u").object("error"); got["code"] != "invalid_request" {
		t.Errorf("got %v", got)
	}
}

func TestProvidersWithoutAdapter(t *testing.T) {
	s := start(t, nil)
	for _, id := range []string{"anthropic", "google", "claude-code", "codex", "gemini-cli"} {
		c := connection(id, "http://127.0.0.1:1")
		if id != "anthropic" && id != "google" {
			c = cliConnection(id)
		}
		s.send(message{"id": "t", "type": "connection.test", "connection": c})
		if got := s.refused("t"); got["code"] != "unknown_provider" {
			t.Errorf("%s: connection.test gave %v", id, got)
		}
		s.send(runStart("r", c))
		if got := s.refused("sr"); got["code"] != "unknown_provider" {
			t.Errorf("%s: run.start gave %v", id, got)
		}
		want := "unknown_provider"
		if id == "claude-code" || id == "codex" {
			want = "not_implemented"
		}
		s.send(message{"id": "l", "type": "connection.listModels", "connection": c})
		if got := s.refused("l"); got["code"] != want {
			t.Errorf("%s: connection.listModels gave %v", id, got)
		}
	}
}

func TestDetect(t *testing.T) {
	folder := t.TempDir()
	script := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	codex := script("codex", "echo \"tool $1 9.8.7\"\necho more\n", 0o755)
	broken := script("broken", "echo 1; exit 3\n", 0o755)
	plain := script("plain", "echo 1\n", 0o644)
	t.Setenv("PATH", folder+":/usr/bin:/bin")
	t.Setenv("HOME", folder)
	s := start(t, nil)
	tests := []struct{ name, provider, path, want string }{
		{"an explicit path", "claude-code", codex, "tool --version 9.8.7"},
		{"a path below the home folder", "claude-code", "~/codex", "tool --version 9.8.7"},
		{"the search path", "codex", "", "tool --version 9.8.7"},
		{"a blank path counts as none", "codex", "  ", "tool --version 9.8.7"},
		{"not on the search path", "claude-code", "", "binary_not_found"},
		{"a path that is not there", "codex", folder + "/nothing", "binary_not_found"},
		{"a relative path", "codex", "codex", "binary_not_found"},
		{"a file that cannot be executed", "codex", plain, "binary_not_found"},
		{"a folder", "codex", folder, "binary_not_found"},
		{"a binary that fails", "codex", broken, "provider_error"},
		{"an API provider", "ollama", codex, "invalid_request"},
		{"an agent without adapter", "gemini-cli", codex, "unknown_provider"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.t = t
			s.send(message{"id": "d", "type": "cli.detect", "provider": tt.provider, "binaryPath": tt.path})
			got := s.answer("d")
			if got["ok"] == true {
				if r := got.object("result"); r["version"] != tt.want || r["path"] != codex {
					t.Errorf("got %v", r)
				}
			} else if got.object("error")["code"] != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
	s.t = t
}

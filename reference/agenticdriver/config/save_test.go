package config

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// TestMain lets the test binary be a process that writes a file again and again
// until it is killed: WRITE_FILE names it.
func TestMain(m *testing.M) {
	path := os.Getenv("WRITE_FILE")
	if path == "" {
		os.Exit(m.Run())
	}
	for i := 0; ; i++ {
		if err := WriteFile(path, content(i)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

// content is what is written the i-th time: long, and all of one letter.
func content(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 200_000+i%7) }

// A process that is killed while it saves leaves what was there before, or what
// it wanted to save: never a part of it, and never nothing.
func TestAKilledWriterLeavesAWholeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.yaml")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 8 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "WRITE_FILE="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		for range 1 + 3*round {
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		text, err := os.ReadFile(path)
		if err != nil || len(text) < 200_000 || len(text) > 200_006 || len(bytes.Trim(text, string(text[:1]))) != 0 {
			t.Fatalf("round %d: the file has %d bytes, %v", round, len(text), err)
		}
	}
}

func TestAFileThatCannotBeReplacedStaysAsItIs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "host.yaml")
	if err := os.MkdirAll(filepath.Join(path, "inside"), 0o700); err != nil { // a folder in the file's place
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("new")); err == nil {
		t.Error("a folder was replaced")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("something was left behind: %v, %v", left, err)
	}
}

func load(t *testing.T, name, text string) (*Document, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return d, path
}

const token = `{"id":"t","token":"0123456789012345678901234567890123456789","subject":"s","providers":[]}`

// The revision is that of the content: how the file is written does not matter.
func TestRevisionIsOfTheContent(t *testing.T) {
	asJSON, _ := load(t, "a.json", `{"hostId":"h","tokens":[`+token+`],"limits":{"queue":3}}`)
	asYAML, path := load(t, "a.yaml", "# a comment\nlimits:\n  queue: 3\nhostId: h\ntokens:\n  - "+token+"\n")
	if asJSON.Revision != asYAML.Revision || len(asJSON.Revision) != 64 {
		t.Errorf("got %s and %s", asJSON.Revision, asYAML.Revision)
	}
	server, err := protocol.DecodeProviderSettings([]byte(`{"id":"x","kind":"openai-compatible","baseUrl":"https://h/v1","apiKeyRef":{"env":"KEY"}}`))
	if err != nil {
		t.Fatal(err)
	}
	next, err := asYAML.WithProviders([]protocol.ProviderSettings{server})
	if err != nil || next.Revision == asYAML.Revision || len(asYAML.Providers) != 0 {
		t.Fatalf("got %v, %v", next, err)
	}
	if err := next.Save(); err != nil {
		t.Fatal(err)
	}
	again, err := Load(path)
	if err != nil || again.Revision != next.Revision || again.Provider("x") == nil || len(again.Principals) != 1 || again.Limits.Queue != 3 {
		t.Errorf("got %+v, %v", again, err)
	}
	if err := asYAML.Save(); !errors.Is(err, ErrEdited) {
		t.Errorf("a document that is not what the file holds: got %v", err)
	}
}

func TestDocumentsThatAreRefused(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no such member", `{"host":"h"}`, "unknown field"},
		{"two tokens of one id", `{"tokens":[` + token + `,` + strings.Replace(token, "0123", "9999", 1) + `]}`, "/tokens/1"},
		{"one token twice", `{"tokens":[` + token + `,` + strings.Replace(token, `"t"`, `"u"`, 1) + `]}`, "/tokens/1"},
		{"a short token", `{"tokens":[{"id":"t","token":"short","subject":"s","providers":[]}]}`, "shorter than 32"},
		{"no token", `{"tokens":[{"id":"t","subject":"s","providers":[]}]}`, "needs either"},
		{"a heartbeat of nothing", `{"limits":{"heartbeatMs":0}}`, "/limits/heartbeatMs: 0"},
		{"a limit below nothing", `{"limits":{"queue":-1}}`, "/limits/queue: -1"},
		{"two corpora of one id", `{"corpora":[{"id":"a"},{"id":"a"}]}`, "two corpora a"},
		{"two providers of one id", `{"providers":[{"id":"x","kind":"openai-compatible","baseUrl":"https://h","apiKeyRef":{"env":"K"}},{"id":"x","kind":"openai-compatible","baseUrl":"https://h","apiKeyRef":{"env":"K"}}]}`, "two providers x"},
		{"http to elsewhere", `{"providers":[{"id":"x","kind":"openai-compatible","baseUrl":"http://h","apiKeyRef":{"env":"K"}}]}`, "has to be https"},
		{"an account without a host", `{"providers":[{"id":"x","kind":"openai-compatible","baseUrl":"https://h","apiKeyRef":{"env":"K"},"accountId":"a"}]}`, "needs a hostId"},
		{"an identity service that it does not know", `{"identity":"real"}`, "want scripted"},
		{"not a document", `[`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "host.json")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			d, err := Load(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, %v", d, err)
			}
			if err != nil && strings.Contains(err.Error(), "0123456789") {
				t.Errorf("the error tells a token: %v", err)
			}
		})
	}
}

func TestTokensAreKeptAsDigests(t *testing.T) {
	const digest = "0e2e9b8a4c0e3f3c6f7f2d1b5a49687f0e2e9b8a4c0e3f3c6f7f2d1b5a49687f"
	d, _ := load(t, "a.json", `{"tokens":[{"id":"t","tokenSha256":"`+digest+`","subject":"s","providers":["p"]}]}`)
	p := d.Principals[0]
	if fmt.Sprintf("%x", p.Digest) != digest || !p.MayUse("p") || p.MayUse("q") || p.MayManage() {
		t.Errorf("got %+v", p)
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true, "127.0.0.2": false, "0.0.0.0": false, "": false, "localhost.example": false, "::": false} {
		if Loopback(host) != want {
			t.Errorf("%q: got %v", host, !want)
		}
	}
}

//go:build unix

package harness

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVersion(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "ambient")
	t.Setenv("COMITIVA_RUNNER_LOG", "debug")
	tests := []struct {
		name, script, line string
		err                error
	}{
		{"the first line", "echo \"agent $1\"; echo more", "agent --version", nil},
		{"blank lines before it", "echo; echo '  1.0  '", "1.0", nil},
		{"standard error does not count", "echo x >&2; echo 1.0", "1.0", nil},
		{"no keys in the environment", "echo \"[$OPENAI_API_KEY$COMITIVA_RUNNER_LOG]\"", "[]", nil},
		{"a child that stays behind", "sleep 600 & echo 1.0", "1.0", nil},
		{"more than anybody reads", "yes | head -c 1000000", "y", nil},
		{"a failure", "echo 1.0; exit 1", "", ErrFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			output, err := Version(t.Context(), script(t, tt.script))
			if FirstLine(output) != tt.line || !errors.Is(err, tt.err) {
				t.Errorf("got %.40q, %v", output, err)
			}
		})
	}
}

func TestVersionEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	path := script(t, "sleep 600")
	ended := make(chan error)
	go func() {
		_, err := Version(ctx, path)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestBinaries(t *testing.T) {
	for provider, want := range map[string]string{"claude-code": "claude", "codex": "codex", "gemini-cli": "", "ollama": ""} {
		if got, ok := Binary(provider); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v", provider, got, ok)
		}
	}
}

func TestLocateLooksWhereInstallersPutAgents(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", "relative:"+t.TempDir())
	if err := os.MkdirAll(filepath.Join(home, ".local", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, ".local", "bin", "agent-of-this-test")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := Locate("agent-of-this-test", ""); got != path || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := Locate("no-agent-of-this-test", ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if got, err := Locate("x", "~/.local/bin/agent-of-this-test"); got != path || err != nil || strings.Contains(got, "~") {
		t.Errorf("got %q, %v", got, err)
	}
}

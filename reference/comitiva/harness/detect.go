package harness

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/reference/comitiva/process"
)

// Binary is the name under which the agent of a provider is installed; ok is
// false for a provider that has none here.
func Binary(provider string) (name string, ok bool) {
	switch provider {
	case "claude-code":
		return "claude", true
	case "codex":
		return "codex", true
	}
	return "", false
}

// The errors of this package.
var (
	ErrNotFound = errors.New("the binary was not found, or cannot be executed")
	ErrTimeout  = errors.New("the binary did not answer in time")
	ErrFailed   = errors.New("the binary did not tell its version")
)

// Locate finds the agent called name: at explicit when that is not blank, where
// it must be an absolute path (a leading ~/ is the home folder), else on the
// PATH, else in the folders in which installers put it.
func Locate(name, explicit string) (string, error) {
	if path := strings.TrimSpace(explicit); path != "" {
		path = expand(path)
		if !filepath.IsAbs(path) || !executable(path) {
			return "", ErrNotFound
		}
		return path, nil
	}
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, dir := range []string{"~/.local/bin", "~/.claude/local", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"} {
		dirs = append(dirs, expand(dir))
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if dir != "" && filepath.IsAbs(path) && executable(path) {
			return path, nil
		}
	}
	return "", ErrNotFound
}

func expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// versionTime is how long an agent may take to tell its version.
const versionTime = 10 * time.Second

// maxVersionOutput bounds what is read of the output.
const maxVersionOutput = 64 << 10

// Version runs the agent with --version and returns what it prints.
func Version(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return "", ErrFailed
	}
	defer r.Close()
	cmd := &exec.Cmd{Path: path, Args: []string{path, "--version"}, Env: environment(), Stdout: w}
	child, err := process.Start(cmd)
	_ = w.Close()
	if err != nil {
		return "", ErrNotFound
	}
	defer child.Kill()
	output := make(chan []byte, 1)
	go func() {
		var b bytes.Buffer
		_, _ = io.CopyN(&b, r, maxVersionOutput)
		output <- b.Bytes()
		_, _ = io.Copy(io.Discard, r)
	}()
	select {
	case <-child.Done():
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", ErrTimeout
		}
		return "", ctx.Err()
	}
	if child.Wait() != nil {
		return "", ErrFailed
	}
	// A process that left the group may still hold the pipe.
	_ = r.SetReadDeadline(time.Now().Add(time.Second))
	return string(<-output), nil
}

// FirstLine is the first line of an output, which is the version.
func FirstLine(output string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	return strings.TrimSpace(line)
}

// hidden are the variables that no agent gets: keys that would change who pays,
// and what is the runner's own.
var hidden = []string{"ELECTRON_RUN_AS_NODE", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY"}

func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(hidden, name) || strings.HasPrefix(name, "COMITIVA_")
	})
}

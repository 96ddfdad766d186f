package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func (f *fixture) tools(l Launch, roots ...Root) ([]Tool, error) {
	f.t.Helper()
	lease := f.Acquire(l, roots)
	defer lease.Release()
	return lease.Tools(f.t.Context())
}

func call(t *testing.T, l *Lease, tool, input string) Output {
	t.Helper()
	out, err := l.Call(t.Context(), tool, json.RawMessage(input))
	if err != nil {
		t.Fatalf("calling %s: %v", tool, err)
	}
	return out
}

func TestEveryPageOfToolsIsReadAsWritten(t *testing.T) {
	f := newFixture(t, nil)
	offered, err := f.tools(f.launch("normal"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range offered {
		names = append(names, tool.Name)
		if got := string(tool.Schema); got != `{"type":"object","z":1,"a":2}` {
			t.Errorf("the schema of %s is %s", tool.Name, got)
		}
		if tool.ReadOnly() != (tool.Name == "read") {
			t.Errorf("read-only of %s is %v", tool.Name, tool.ReadOnly())
		}
		if (tool.Annotations == nil) != (tool.Name != "read") {
			t.Errorf("annotations of %s are %+v", tool.Name, tool.Annotations)
		}
	}
	slices.Sort(names)
	if want := []string{"crash", "environment", "fail", "read", "refuse", "wait", "write"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	eventually(t, "the server knows its client", func() bool { return slices.Equal(f.trace("clients"), []string{"comitiva-runner"}) })
}

func TestOutputsOfCalls(t *testing.T) {
	f := newFixture(t, nil)
	lease := f.Acquire(f.launch("normal"), nil)
	defer lease.Release()
	tests := []struct {
		tool    string
		isError bool
		text    string
	}{
		{"read", false, "read"},
		{"fail", true, "tool_failed: no luck"},
		{"refuse", true, "tool_failed: broken inside"},
		{"nonsense", true, "tool_failed: "},
	}
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			out := call(t, lease, tt.tool, `{"x":1}`)
			if out.IsError != tt.isError || !strings.HasPrefix(out.Blocks[0].Text, tt.text) {
				t.Errorf("got %+v", out)
			}
		})
	}
	if got := f.trace("calls"); got[0] != `read {"x":1}` {
		t.Errorf("the server was called with %q", got[0])
	}
}

func TestServerGetsItsOwnEnvironmentOnly(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "ambient")
	t.Setenv("COMITIVA_RUNNER_LOG", "debug")
	f := newFixture(t, nil)
	lease := f.Acquire(f.launch("normal"), nil)
	defer lease.Release()
	env := strings.Split(call(t, lease, "environment", `{}`).Blocks[0].Text, "\n")
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if !slices.Contains(inherited(), name) && name != serverMode && name != serverFolder && name != "GORACE" {
			t.Errorf("the server has the variable %s", name)
		}
	}
	if !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "PATH=") }) {
		t.Error("the server has no PATH")
	}
}

func TestBuiltinServersGetTheirArguments(t *testing.T) {
	roots := []Root{{"/a b", "read"}, {"/c", "readwrite"}}
	for builtin, want := range map[string]string{
		"":             "--own",
		"filesystem":   "--own --root /a b:read --root /c:readwrite --gated-by-client",
		"google-drive": "--own --gated-by-client",
	} {
		f := newFixture(t, nil)
		l := f.launch("normal")
		l.Builtin, l.Args = builtin, []string{"--own"}
		if _, err := f.tools(l, roots...); err != nil {
			t.Fatal(err)
		}
		if got := f.trace("arguments"); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: got %q, want %q", builtin, got, want)
		}
	}
}

func TestFailedStartBacksOff(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Limits.Backoff, o.Limits.MaxBackoff = time.Hour, time.Hour })
	var failed *StartError
	for range 3 {
		_, err := f.tools(f.launch("exit"))
		if !errors.As(err, &failed) || failed.Stopped {
			t.Fatalf("got %v, want a start error", err)
		}
	}
	if !strings.Contains(failed.Message, "exit status 7") {
		t.Errorf("the message is %q", failed.Message)
	}
	if n := len(f.trace("spawns")); n != 1 {
		t.Errorf("%d processes were started, want 1", n)
	}
	if _, err := f.tools(f.launch("normal")); err != nil {
		t.Errorf("another launch must not wait: %v", err)
	}
}

func TestFailedStartIsTriedAgainAfterTheBackoff(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Limits.Backoff = time.Nanosecond })
	for range 2 {
		if _, err := f.tools(f.launch("exit")); err == nil {
			t.Fatal("started")
		}
	}
	if n := len(f.trace("spawns")); n != 2 {
		t.Errorf("%d processes were started, want 2", n)
	}
}

func TestStartErrors(t *testing.T) {
	tests := []struct {
		name   string
		launch func(f *fixture) Launch
		want   string
	}{
		{"the command does not exist", func(*fixture) Launch { return Launch{ID: "a", Name: "A", Command: "no-such-command-here"} }, "not found"},
		{"the path does not exist", func(*fixture) Launch { return Launch{ID: "a", Name: "A", Command: "/no/such/command"} }, "not found"},
		{"the server does not answer", func(f *fixture) Launch { return f.launch("hang") }, "in time"},
		{"nobody listens", func(*fixture) Launch { return Launch{ID: "a", Name: "A", URL: "http://127.0.0.1:1/mcp"} }, "could not be started"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, func(o *Options) {
				if tt.want == "in time" {
					o.Limits.Request = 300 * time.Millisecond
				}
			})
			_, err := f.tools(tt.launch(f))
			var failed *StartError
			if !errors.As(err, &failed) || !strings.Contains(failed.Message, tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSecretsOfALaunchStayOutOfErrorsAndLogs(t *testing.T) {
	var mu sync.Mutex
	var logged bytes.Buffer
	f := newFixture(t, func(o *Options) {
		o.Logger = slog.New(slog.NewJSONHandler(locked{&mu, &logged}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	l := f.launch("chatty")
	l.Env["TOKEN"] = "canary-in-the-environment"
	if _, err := f.tools(l); err != nil {
		t.Fatalf("a greeting on stdout must not matter: %v", err)
	}
	eventually(t, "stderr is logged", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(logged.String(), "a remark about [redacted]")
	})
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(logged.String(), "canary") {
		t.Error("the log holds a secret")
	}
}

type locked struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func TestRunsShareAProcess(t *testing.T) {
	f := newFixture(t, nil)
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if _, err := f.tools(f.launch("normal")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(f.trace("spawns")); n != 1 {
		t.Errorf("%d processes were started, want 1", n)
	}
}

func TestChangedLaunchSupersedesTheOldOne(t *testing.T) {
	f := newFixture(t, nil)
	old := f.Acquire(f.launch("normal"), nil)
	call(t, old, "read", `{}`)
	changed := f.launch("normal")
	changed.Args = []string{"changed"}
	if _, err := f.tools(changed); err != nil {
		t.Fatal(err)
	}
	call(t, old, "read", `{}`) // still there for the run that uses it
	pids := f.trace("spawns")
	if len(pids) != 2 {
		t.Fatalf("%d processes were started, want 2", len(pids))
	}
	old.Release()
	first, _ := strconv.Atoi(pids[0])
	eventually(t, "the old process ends", func() bool { return !alive(first) })
	if second, _ := strconv.Atoi(pids[1]); !alive(second) {
		t.Error("the new process is gone as well")
	}
}

func TestFilesystemKeepsOneProcessForEachSetOfRoots(t *testing.T) {
	f := newFixture(t, nil)
	l := f.launch("normal")
	l.Builtin = "filesystem"
	for _, root := range []string{"/a", "/b", "/a"} {
		if _, err := f.tools(l, Root{root, "read"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(f.trace("spawns")); n != 2 {
		t.Errorf("%d processes were started, want 2", n)
	}
}

func TestIdleBuiltinIsClosed(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Limits.Idle = time.Millisecond })
	l := f.launch("normal")
	l.Builtin = "google-drive"
	if _, err := f.tools(l); err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(f.trace("spawns")[0])
	eventually(t, "the process ends", func() bool { return !alive(pid) })
}

func TestCrashedServerIsRestartedOnItsNextUse(t *testing.T) {
	f := newFixture(t, nil)
	lease := f.Acquire(f.launch("normal"), nil)
	defer lease.Release()
	if out := call(t, lease, "crash", `{}`); !out.IsError || !strings.HasPrefix(out.Blocks[0].Text, "tool_server_failed: ") {
		t.Errorf("got %+v", out)
	}
	if out := call(t, lease, "read", `{}`); out.IsError {
		t.Errorf("got %+v", out)
	}
	if n := len(f.trace("spawns")); n != 2 {
		t.Errorf("%d processes were started, want 2", n)
	}
}

func TestKilledServerIsRestartedOnItsNextUse(t *testing.T) {
	f := newFixture(t, nil)
	lease := f.Acquire(f.launch("normal"), nil)
	defer lease.Release()
	call(t, lease, "read", `{}`)
	pid, _ := strconv.Atoi(f.trace("spawns")[0])
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the process ends", func() bool { return !alive(pid) })
	eventually(t, "the server works again", func() bool { return !call(t, lease, "read", `{}`).IsError })
}

func TestCancelledCallReturnsAtOnceAndTellsTheServer(t *testing.T) {
	f := newFixture(t, nil)
	lease := f.Acquire(f.launch("normal"), nil)
	defer lease.Release()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := lease.Call(ctx, "wait", json.RawMessage(`{}`))
		ended <- err
	}()
	eventually(t, "the call has begun", func() bool { return len(f.trace("calls")) == 1 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the server was told", func() bool { return len(f.trace("cancelled")) == 1 })
}

func TestStop(t *testing.T) {
	f := newFixture(t, nil)
	lease := f.Acquire(f.launch("normal"), nil)
	defer lease.Release()
	call(t, lease, "read", `{}`)
	running := make(chan Output)
	go func() {
		out, _ := lease.Call(t.Context(), "wait", json.RawMessage(`{}`))
		running <- out
	}()
	eventually(t, "the call has begun", func() bool { return len(f.trace("calls")) == 2 })
	<-f.Stop(t.Context(), "test")
	pid, _ := strconv.Atoi(f.trace("spawns")[0])
	if alive(pid) {
		t.Error("the process is still there")
	}
	if out := <-running; !strings.HasPrefix(out.Blocks[0].Text, "tool_server_failed: ") {
		t.Errorf("the running call gave %+v", out)
	}
	if out := call(t, lease, "read", `{}`); !strings.HasPrefix(out.Blocks[0].Text, "tool_server_failed: ") {
		t.Errorf("the next call gave %+v", out)
	}
	if _, err := f.tools(f.launch("normal")); err != nil {
		t.Errorf("the server cannot be started again: %v", err)
	}
	<-f.Stop(t.Context(), "unknown")
}

func TestStopDuringTheStart(t *testing.T) {
	f := newFixture(t, nil)
	lease := f.Acquire(f.launch("hang"), nil)
	defer lease.Release()
	eventually(t, "the process is there", func() bool { return len(f.trace("spawns")) == 1 })
	<-f.Stop(t.Context(), "test")
	_, err := lease.Tools(t.Context())
	var failed *StartError
	if !errors.As(err, &failed) || !failed.Stopped {
		t.Errorf("got %v", err)
	}
}

func TestStubbornServerIsKilled(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Limits.Grace = 20 * time.Millisecond })
	if _, err := f.tools(f.launch("stubborn")); err != nil {
		t.Fatal(err)
	}
	f.Close(t.Context())
	if pid, _ := strconv.Atoi(f.trace("spawns")[0]); alive(pid) {
		t.Error("the process is still there")
	}
	if _, err := f.tools(f.launch("normal")); err == nil {
		t.Error("a closed manager starts servers")
	}
}

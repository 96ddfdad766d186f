package comitiva

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a runner in a process of its own.
type process struct {
	*shell
	cmd *exec.Cmd
}

func startProcess(t *testing.T, fault string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), runnerVariable+"="+fault, "COMITIVA_RUNNER_LOG=debug", "GORACE="+quickExit)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w := pipe(t)
	p := &process{newShell(t, in), cmd}
	p.invalid = fault != ""
	cmd.Stdout, cmd.Stderr = w, p.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	go p.read(r)
	go func() {
		_ = cmd.Wait()
		p.ended <- cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		select {
		case code := <-p.ended:
			p.ended <- code
		case <-time.After(patience):
			_ = cmd.Process.Kill()
			t.Error("the runner does not stop")
		}
	})
	return p
}

// stopWays are the ways to stop a runner.
var stopWays = map[string]func(p *process){
	"shutdown": func(p *process) {
		p.send(message{"id": "bye", "type": "shutdown"})
		p.result("bye")
	},
	"end of input": func(p *process) { _ = p.in.Close() },
	"SIGTERM":      func(p *process) { _ = p.cmd.Process.Signal(syscall.SIGTERM) },
	"SIGINT":       func(p *process) { _ = p.cmd.Process.Signal(os.Interrupt) },
}

func TestStopEndsRunsAndToolServers(t *testing.T) {
	for name, stop := range stopWays {
		t.Run(name, func(t *testing.T) {
			m := newModel(t, calls([3]string{"u1", "notes__write", `{}`}), stall("data: "+delta("x")+"\n\n"))
			tools := newToolServer(t)
			p := startProcess(t, "")
			p.send(toolRun("waiting", m, tools))
			p.event("waiting", "run.tool_call")
			p.send(runStart("streaming", m.openai()))
			p.event("streaming", "run.text_delta")
			stop(p)
			if code := p.exit(); code != 0 {
				t.Errorf("the exit code is %d", code)
			}
			for _, run := range []string{"waiting", "streaming"} {
				got := p.finish(run)
				if n := len(got); got[n-1]["stopReason"] != "cancelled" || got[n-2]["type"] != "run.usage" {
					t.Errorf("%s ended with %v", run, got[n-1])
				}
			}
			if alive(tools.pid(0)) {
				t.Error("the tool server is still there")
			}
		})
	}
}

func TestStopWhileIdle(t *testing.T) {
	for name, stop := range stopWays {
		t.Run(name, func(t *testing.T) {
			p := startProcess(t, "")
			p.ping("p")
			stop(p)
			if code := p.exit(); code != 0 {
				t.Errorf("the exit code is %d", code)
			}
		})
	}
}

func TestStubbornToolServerDoesNotOutliveTheRunner(t *testing.T) {
	tools := newToolServer(t)
	p := startProcess(t, "")
	p.send(message{"id": "a", "type": "toolServer.start", "toolServer": tools.launch("stubborn")})
	p.answer("a")
	_ = p.in.Close()
	if code := p.exit(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	if alive(tools.pid(0)) {
		t.Error("the tool server is still there")
	}
}

func TestKilledRunnerLeavesNoToolServer(t *testing.T) {
	tools := newToolServer(t)
	p := startProcess(t, "")
	p.send(message{"id": "a", "type": "toolServer.start", "toolServer": tools.launch("stubborn")})
	p.answer("a")
	_ = p.cmd.Process.Kill()
	p.exit()
	eventually(t, "the tool server ends", func() bool { return !alive(tools.pid(0)) })
}

func TestStopWhileAToolServerStarts(t *testing.T) {
	s := start(t, nil)
	s.send(message{"id": "a", "type": "toolServer.start", "toolServer": message{"id": "x", "name": "X", "transport": "stdio", "command": "sleep", "args": []string{"600"}}})
	s.ping("p")
	if code := s.stop(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
}

func TestShellThatClosesItsEndStopsTheRunner(t *testing.T) {
	stdinR, stdinW := pipe(t)
	stdoutR, stdoutW := pipe(t)
	ended := make(chan int, 1)
	go func() { ended <- Main(t.Context(), Options{Stdin: stdinR, Stdout: stdoutW, Stderr: io.Discard}) }()
	_ = stdoutR.Close()
	fmt.Fprintln(stdinW, `{"id":"1","type":"ping"}`)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the runner does not stop")
	}
	_ = stdinW.Close()
	_ = stdoutW.Close()
}

func TestShellThatDoesNotReadCannotKeepTheRunner(t *testing.T) {
	stdinR, stdinW := pipe(t)
	stdoutR, stdoutW := pipe(t)
	defer stdoutR.Close()
	ended := make(chan int, 1)
	go func() { ended <- Main(t.Context(), Options{Stdin: stdinR, Stdout: stdoutW, Stderr: io.Discard}) }()
	go func() {
		_, _ = io.WriteString(stdinW, strings.Repeat(`{"id":"1","type":"ping"}`+"\n", 5000))
		_ = stdinW.Close()
	}()
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("the exit code is %d", code)
		}
	case <-time.After(patience):
		t.Error("the runner does not stop")
	}
	_ = stdoutW.Close()
}

func TestUnknownFault(t *testing.T) {
	var stderr buffer
	if code := Main(t.Context(), Options{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr, Fault: "done-twise"}); code != exitUsage {
		t.Errorf("the exit code is %d", code)
	}
	if !strings.Contains(stderr.String(), `"done-twice"`) {
		t.Errorf("stderr is %q", stderr.String())
	}
}

func TestSignalsThatAreNotCaughtEndTheProcess(t *testing.T) {
	// A shell makes what it starts aside deaf to SIGINT, and processes inherit that; what is caught they do not inherit.
	if signal.Ignored(os.Interrupt) {
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, os.Interrupt)
		defer signal.Stop(caught)
	}
	for fault, fatal := range map[string]syscall.Signal{"sigterm-uncaught": syscall.SIGTERM, "sigint-uncaught": syscall.SIGINT} {
		p := startProcess(t, fault)
		p.ping("p")
		_ = p.cmd.Process.Signal(fatal)
		if code := p.exit(); code != -1 {
			t.Errorf("%s: the exit code is %d", fault, code)
		}
		var status syscall.WaitStatus
		if s, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
			status = s
		} else {
			t.Error(errors.ErrUnsupported)
		}
		if !status.Signaled() || status.Signal() != fatal {
			t.Errorf("%s: the process ended with %v", fault, p.cmd.ProcessState)
		}
	}
}

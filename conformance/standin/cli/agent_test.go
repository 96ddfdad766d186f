//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/standin/cli"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
	"github.com/hallmark-kit/hallmark/conformance/standin/script"
)

// TestMain lets the test binary be the process half, as the hallmark command is.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "stand-in" && os.Args[2] == "cli" {
		os.Exit(cli.Main(os.Args[3:], os.Stdin, os.Stdout, os.Stderr))
	}
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil { // or every process of a race build lingers
		panic(err)
	}
	os.Exit(m.Run())
}

func start(t *testing.T, text string) *cli.Agent {
	t.Helper()
	s, err := cli.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	agent, err := cli.Start(s, cli.Options{Name: "claude", Command: []string{executable, "stand-in", "cli"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := agent.Close(); err != nil {
			t.Error(err)
		}
	})
	return agent
}

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// await returns the next event of the kind as JSON members.
func await(t *testing.T, agent *cli.Agent, kind string) map[string]any {
	t.Helper()
	e, err := agent.Recorder().Await(bounded(t), func(e record.Event) bool { return e.Kind == kind })
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// run invokes the agent with an input and returns its output and status.
func run(t *testing.T, agent *cli.Agent, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.CommandContext(bounded(t), agent.Path(), args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestTellsItsVersionAsOftenAsAsked(t *testing.T) {
	agent := start(t, `{"version":"1.2.3 (stand-in)"}`)
	for range 2 {
		if out, _, status := run(t, agent, "", "--version"); out != "1.2.3 (stand-in)\n" || status != 0 {
			t.Errorf("got %q, %d", out, status)
		}
		if e := await(t, agent, cli.KindExited); e["scripted"] != true {
			t.Errorf("got %v", e)
		}
	}
}

func TestRecordsInvocationsAndAnswersByArgumentsAndPrompt(t *testing.T) {
	agent := start(t, `{"answers":[
		{"when":["auth","status"],"output":[{"json":{"loggedIn": true}}],"always":true},
		{"when":{"args":["-p"],"stdin":"beta"},"output":["to beta",{"err":"careful"},{"raw":"no end"}],"exit":9},
		{"when":["-p"],"read":true,"output":["to anyone"]}]}`)
	dir := t.TempDir()
	cmd := exec.CommandContext(bounded(t), agent.Path(), "-p", "it's", "--", "--name", "x")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=/h"}, strings.NewReader("alpha")
	if out, err := cmd.Output(); err != nil || string(out) != "to anyone\n" {
		t.Fatalf("got %s, %v", out, err)
	}
	e := await(t, agent, cli.KindStarted)
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	extra, err := json.Marshal(e["extra"])
	if err != nil || string(extra) != `["-p","it's","--","--name","x"]` || e["cwd"] != real || e["pid"] != float64(cmd.Process.Pid) ||
		e["env"].(map[string]any)["HOME"] != "/h" || e["spawn"] != 1.0 || e["standIn"] != "claude" {
		t.Errorf("got %v", e)
	}
	if e := await(t, agent, cli.KindStdin); e["text"] != "alpha" || e["spawn"] != 1.0 {
		t.Errorf("got %v", e)
	}
	if out, errs, status := run(t, agent, "to beta", "-p"); out != "to beta\nno end" || errs != "careful\n" || status != 9 {
		t.Errorf("got %q, %q, %d", out, errs, status)
	}
	if out, _, status := run(t, agent, "", "auth", "status"); out != "{\"loggedIn\":true}\n" || status != 0 {
		t.Errorf("got %q, %d", out, status)
	}
	if _, errs, status := run(t, agent, "", "-p"); status != 70 || !strings.Contains(errs, "no answer left") {
		t.Errorf("got %q, %d", errs, status)
	}
	if e := await(t, agent, cli.KindExhausted); e["spawn"] != 4.0 {
		t.Errorf("got %v", e)
	}
}

func TestWaitsAtGates(t *testing.T) {
	agent := start(t, `{"answers":[{"output":["a",{"wait":"g"},{"wait":"h","out":"b"}]}]}`)
	cmd := exec.CommandContext(bounded(t), agent.Path())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"g", "h"} {
		if e := await(t, agent, cli.KindWaiting); e["gate"] != name {
			t.Errorf("got %v", e)
		}
		agent.Gates().Release(name)
	}
	text, err := io.ReadAll(out)
	if err != nil || string(text) != "a\nb\n" {
		t.Errorf("got %q, %v", text, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestSignalsEndItUnlessItIsStubborn(t *testing.T) {
	agent := start(t, `{"answers":[{"hang":true},{"stubborn":true,"hang":true,"output":["ready"]}]}`)
	for _, stubborn := range []bool{false, true} {
		cmd := exec.CommandContext(bounded(t), agent.Path())
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, agent, cli.KindStarted)
		await(t, agent, cli.KindStdin) // so it handles signals
		if stubborn {
			if _, err := out.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if e := await(t, agent, cli.KindSignal); e["signal"] != "terminated" {
			t.Errorf("got %v", e)
		}
		if stubborn {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		_ = cmd.Wait() // the status is what counts
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); stubborn != status.Signaled() || !stubborn && status.ExitStatus() != 143 {
			t.Errorf("stubborn %v: got %v", stubborn, cmd.ProcessState)
		}
		if e := await(t, agent, cli.KindExited); e["scripted"] != nil {
			t.Errorf("got %v", e)
		}
	}
}

func TestAGrandchildStaysUntilItsGroupIsKilled(t *testing.T) {
	agent := start(t, `{"answers":[{"grandchild":true,"hang":true}]}`)
	cmd := exec.CommandContext(bounded(t), agent.Path(), "-p")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	grandchild := await(t, agent, cli.KindGrandchild)
	if grandchild["spawn"] != 1.0 || grandchild["pid"] == float64(cmd.Process.Pid) {
		t.Errorf("got %v", grandchild)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	seen := map[any]bool{}
	for range 2 {
		seen[await(t, agent, cli.KindExited)["pid"]] = true
	}
	if !seen[grandchild["pid"]] || !seen[float64(cmd.Process.Pid)] {
		t.Errorf("got %v", seen)
	}
}

func TestNothingOutlivesTheKit(t *testing.T) {
	agent := start(t, `{"answers":[{"grandchild":true,"stubborn":true,"hang":true}]}`)
	cmd := exec.CommandContext(bounded(t), agent.Path())
	out, err := cmd.StdoutPipe() // the grandchild has it as well
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, agent, cli.KindGrandchild)
	if err := agent.Close(); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // the status is what counts
	if cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("got %v", cmd.ProcessState)
	}
	if _, err := os.Stat(agent.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the executable is still there: %v", err)
	}
}

func TestDecodeRefusesWhatCannotBePlayed(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`{"version":"a\nb"}`, `/version: expected one line`},
		{`{"answer":[]}`, `/answer: no such member (did you mean answers?); known here: answers, version`},
		{`{"answers":[{"when":[]}]}`, `/answers/0/when: expected a list of arguments, or an object with args and stdin`},
		{`{"answers":[{"times":1,"always":true}]}`, `/answers/0/times: expected a number of uses, 1 or more, and no always beside it`},
		{`{"answers":[{"exit":256}]}`, `/answers/0/exit: expected an exit status, 0 to 255`},
		{`{"answers":[{"exit":1,"hang":true}]}`, `/answers/0/hang: expected hang or exit, not both`},
		{`{"answers":[{"output":[1]}]}`, `/answers/0/output/0: expected a line of output, or an object with wait, out, err, json or raw`},
		{`{"answers":[{"output":["a",{"out":"a","raw":"b"}]}]}`, `/answers/0/output/1: expected one of out, err, json, raw`},
	} {
		_, err := cli.Decode([]byte(c.script))
		var e *script.Error
		if !errors.As(err, &e) || e.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.script, err, c.want)
		}
	}
}

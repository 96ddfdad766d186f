package toolserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hallmark-kit/hallmark/conformance/standin/record"
	"github.com/hallmark-kit/hallmark/conformance/standin/toolserver"
)

// TestMain lets the test binary be the process half, as the hallmark command is.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "stand-in" && os.Args[2] == "tool-server" {
		os.Exit(toolserver.Main(os.Args[3:], os.Stdin, os.Stdout, os.Stderr))
	}
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil { // or every process of a race build lingers
		panic(err)
	}
	os.Exit(m.Run())
}

func start(t *testing.T, text string) *toolserver.Control {
	t.Helper()
	s, err := toolserver.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	control, err := toolserver.Start(s, toolserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = control.Close() }) // some tests close it themselves
	return control
}

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// await returns the next event of the kind as JSON members.
func await(t *testing.T, control *toolserver.Control, kind string) map[string]any {
	t.Helper()
	e, err := control.Recorder().Await(bounded(t), func(e record.Event) bool { return e.Kind == kind })
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

// command is a process of the tool server, not started yet.
func command(t *testing.T, control *toolserver.Control, extra ...string) *exec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(bounded(t), executable, append(control.Args(), extra...)...)
}

// connect starts a process and opens a session with it.
func connect(t *testing.T, control *toolserver.Control, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test-client", Version: "7"}, nil)
	session, err := client.Connect(bounded(t), &mcp.CommandTransport{Command: command(t, control)}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // crashed processes report their status here
	return session
}

func callTool(t *testing.T, session *mcp.ClientSession, name string, arguments any) (*mcp.CallToolResult, error) {
	t.Helper()
	return session.CallTool(bounded(t), &mcp.CallToolParams{Name: name, Arguments: arguments})
}

// versions are the protocol revisions of a current and of an older client.
var versions = []string{"2026-07-28", "2025-06-18"}

func TestReportsHowItWasStarted(t *testing.T) {
	control := start(t, `{}`)
	cmd := command(t, control, "--root", "/a:read", "--root=/b:readwrite", "--name", "again", "--gated-by-client")
	cmd.Env, cmd.Dir = []string{"LAUNCH=a=b"}, t.TempDir()
	if err := cmd.Run(); err != nil { // its input is empty, so it starts and ends
		t.Fatal(err)
	}
	e := await(t, control, toolserver.KindStarted)
	dir, err := filepath.EvalSymlinks(cmd.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if e["spawn"] != 1.0 || e["pid"] != float64(cmd.Process.Pid) || e["cwd"] != dir || e["standIn"] != "tools" {
		t.Errorf("got %v", e)
	}
	if argv, err := json.Marshal(cmd.Args); err != nil || !bytes.Equal(argv, mustJSON(e["argv"])) {
		t.Errorf("argv %v, want %s", e["argv"], argv)
	}
	if extra := string(mustJSON(e["extra"])); extra != `["--root","/a:read","--root=/b:readwrite","--name","again","--gated-by-client"]` {
		t.Errorf("extra %s", extra)
	}
	if env := string(mustJSON(e["env"])); env != `{"LAUNCH":"a=b","PWD":"`+cmd.Dir+`"}` && env != `{"LAUNCH":"a=b"}` {
		t.Errorf("env %s", env)
	}
	if e := await(t, control, toolserver.KindExited); e["pid"] != float64(cmd.Process.Pid) || e["scripted"] != false {
		t.Errorf("got %v", e)
	}
}

func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

const five = `{"pageSize":2,"tools":[
	{"name":"z","annotations":{"readOnlyHint":true}},
	{"name":"a","title":"A","description":"does a","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"annotations":{"destructiveHint":false}},
	{"name":"m"},{"name":"b/c","with":{"outputSchema":{"type":"object"}}},{"name":"last"}]}`

func TestListsToolsPageByPageAsScripted(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			control := start(t, five)
			session := connect(t, control, version)
			e := await(t, control, toolserver.KindInitialize)
			if e["protocolVersion"] != version || e["client"].(map[string]any)["name"] != "test-client" {
				t.Errorf("got %v", e)
			}
			var names []string
			for tool, err := range session.Tools(bounded(t), nil) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
				if tool.Name == "a" && (tool.Title != "A" || tool.Description != "does a" || *tool.Annotations.DestructiveHint ||
					string(mustJSON(tool.InputSchema)) != `{"properties":{"n":{"type":"integer"}},"type":"object"}`) {
					t.Errorf("got %+v", tool)
				}
				if tool.Name == "m" && tool.Annotations != nil {
					t.Errorf("annotations appeared: %+v", tool.Annotations)
				}
			}
			if got := strings.Join(names, " "); got != "z a m b/c last" {
				t.Errorf("got %s", got)
			}
			for _, cursor := range []any{nil, "2", "4"} {
				if e := await(t, control, toolserver.KindListed); e["cursor"] != cursor || e["spawn"] != 1.0 {
					t.Errorf("got %v, want cursor %v", e, cursor)
				}
			}
			var wire *jsonrpc.Error
			if _, err := session.ListTools(bounded(t), &mcp.ListToolsParams{Cursor: "3"}); !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("an unknown cursor: got %v", err)
			}
		})
	}
}

// TestToolsAreOnTheWireAsWritten reads the bytes, since the SDK's types cannot tell an absent hint from a false one.
func TestToolsAreOnTheWireAsWritten(t *testing.T) {
	control := start(t, five)
	raw := open(t, control)
	raw.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	want := `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"},"name":"z"},` +
		`{"annotations":{"destructiveHint":false},"description":"does a","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"name":"a","title":"A"}],"nextCursor":"2"}}`
	if got := raw.read(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// rawClient speaks to a process line by line, its input open until close.
type rawClient struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

// open starts a process and opens a session of an older revision with it.
func open(t *testing.T, control *toolserver.Control) *rawClient {
	t.Helper()
	c := &rawClient{t: t, cmd: command(t, control)}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(stdout)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"0"}}}`)
	if line := c.read(); !strings.Contains(line, `"protocolVersion":"2025-06-18"`) {
		t.Fatalf("got %s", line)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *rawClient) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.stdin, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *rawClient) read() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// wait waits for the process to end by itself and returns what else it wrote.
func (c *rawClient) wait() (string, error) {
	c.t.Helper()
	rest, err := io.ReadAll(c.out)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(rest), c.cmd.Wait()
}

func TestCallsGiveWhatIsScripted(t *testing.T) {
	for _, version := range versions {
		control := start(t, `{"tools":[
			{"name":"default"},{"name":"text","result":{"text":"12:00"}},{"name":"short","result":"hi"},{"name":"long","result":{"text":"ab","repeat":3}},
			{"name":"content","result":{"content":[{"type":"text","text":"a"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}},
			{"name":"structured","result":{"structured":{"n":1}}},{"name":"failed","result":{"text":"no","isError":true}},
			{"name":"echo","result":{"echo":true}},{"name":"series","calls":[{"result":"one"},{"error":{"code":-32001,"message":"two"}},{"result":"three"}]}]}`)
		session := connect(t, control, version)
		for i, c := range []struct {
			tool, want string
		}{
			{"default", `{"content":[{"type":"text","text":"ok"}]}`},
			{"text", `{"content":[{"type":"text","text":"12:00"}]}`},
			{"short", `{"content":[{"type":"text","text":"hi"}]}`},
			{"long", `{"content":[{"type":"text","text":"ababab"}]}`},
			{"content", `{"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"AAAA"}]}`},
			{"structured", `{"content":[],"structuredContent":{"n":1}}`},
			{"failed", `{"content":[{"type":"text","text":"no"}],"isError":true}`},
			{"echo", `{"content":[{"type":"text","text":"{\"x\":1}"}]}`},
			{"series", `{"content":[{"type":"text","text":"one"}]}`},
			{"series", `calling "tools/call": two`},
			{"series", `{"content":[{"type":"text","text":"three"}]}`},
			{"series", `{"content":[{"type":"text","text":"three"}]}`},
			{"unheard of", `calling "tools/call": stand-in: there is no such tool`},
		} {
			got, err := callTool(t, session, c.tool, map[string]any{"x": 1})
			text := ""
			if err != nil {
				text = err.Error()
			} else {
				got.Meta = nil
				text = strings.Replace(string(mustJSON(got)), `,"resultType":"complete"`, "", 1)
			}
			if text != c.want {
				t.Errorf("%s %s:\n got %s\nwant %s", version, c.tool, text, c.want)
			}
			e := await(t, control, toolserver.KindCall)
			if e["call"] != float64(i+1) || e["tool"] != c.tool || string(mustJSON(e["arguments"])) != `{"x":1}` || (e["unknown"] == true) != (c.tool == "unheard of") {
				t.Errorf("got %v", e)
			}
			if e := await(t, control, toolserver.KindAnswered); e["call"] != float64(i+1) {
				t.Errorf("got %v", e)
			}
		}
	}
}

func TestCallsWaitAtGatesAndOverlap(t *testing.T) {
	control := start(t, `{"tools":[{"name":"slow","wait":"g","result":"late"},{"name":"quick","result":"soon"}]}`)
	session := connect(t, control, "")
	type outcome struct {
		result *mcp.CallToolResult
		err    error
	}
	slow := make(chan outcome, 1)
	ctx := bounded(t)
	go func() {
		r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "slow"})
		slow <- outcome{r, err}
	}()
	if e := await(t, control, toolserver.KindWaiting); e["gate"] != "g" || e["tool"] != "slow" || e["call"] != 1.0 {
		t.Errorf("got %v", e)
	}
	if r, err := callTool(t, session, "quick", nil); err != nil || r.Content[0].(*mcp.TextContent).Text != "soon" {
		t.Fatalf("got %v, %v", r, err)
	}
	control.Gates().Release("g")
	if got := <-slow; got.err != nil || got.result.Content[0].(*mcp.TextContent).Text != "late" {
		t.Errorf("got %+v", got)
	}
}

func TestNoticesCancelledCalls(t *testing.T) {
	for _, behaviour := range []string{`"hang":true`, `"wait":"never"`} {
		control := start(t, `{"tools":[{"name":"slow",`+behaviour+`},{"name":"quick"}]}`)
		session := connect(t, control, "")
		ctx, cancel := context.WithCancel(bounded(t))
		ended := make(chan error, 1)
		go func() {
			_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "slow"})
			ended <- err
		}()
		await(t, control, toolserver.KindCall)
		cancel()
		if e := await(t, control, toolserver.KindCancelled); e["call"] != 1.0 || e["tool"] != "slow" || e["spawn"] != 1.0 {
			t.Errorf("got %v", e)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if _, err := callTool(t, session, "quick", nil); err != nil {
			t.Errorf("after a cancelled call: %v", err)
		}
	}
}

func TestTheStoryGoesOnAfterACrash(t *testing.T) {
	control := start(t, `{"tools":[{"name":"t","calls":[{"crash":3},{"result":"recovered"}]}]}`)
	session := connect(t, control, "")
	if _, err := callTool(t, session, "t", nil); err == nil {
		t.Fatal("the call outlived its process")
	}
	if e := await(t, control, toolserver.KindExited); e["spawn"] != 1.0 || e["scripted"] != true {
		t.Errorf("got %v", e)
	}
	if err := session.Close(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v", err)
	}
	again := connect(t, control, "")
	if r, err := callTool(t, again, "t", nil); err != nil || r.Content[0].(*mcp.TextContent).Text != "recovered" {
		t.Fatalf("got %v, %v", r, err)
	}
	await(t, control, toolserver.KindCall)
	if e := await(t, control, toolserver.KindCall); e["call"] != 2.0 || e["spawn"] != 2.0 {
		t.Errorf("got %v", e)
	}
}

func TestClosingTheInputEndsTheProcessEvenDuringACall(t *testing.T) {
	control := start(t, `{"tools":[{"name":"slow","hang":true}]}`)
	raw := open(t, control)
	raw.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}}`)
	await(t, control, toolserver.KindCall)
	if err := raw.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := raw.wait(); err != nil || strings.Contains(rest, `"result"`) {
		t.Errorf("got %v, %s", err, rest)
	}
	if e := await(t, control, toolserver.KindExited); e["scripted"] != false {
		t.Errorf("got %v", e)
	}
}

func TestRefusedStartsAreCountedAndEndAsScripted(t *testing.T) {
	control := start(t, `{"starts":[{"refuse":{"exit":4,"stderr":"cannot"}},{"refuse":{"exit":0}},{}],"tools":[{"name":"t"}]}`)
	for i, want := range []struct {
		code   int
		stderr string
	}{{4, "cannot"}, {0, ""}} {
		cmd := command(t, control)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdin, err := cmd.StdinPipe() // stays open: the process must not wait for its end
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		_ = stdin.Close()
		if cmd.ProcessState.ExitCode() != want.code || stderr.String() != want.stderr {
			t.Errorf("start %d: got %v, %q", i+1, err, stderr.String())
		}
		if e := await(t, control, toolserver.KindStarted); e["spawn"] != float64(i+1) {
			t.Errorf("got %v", e)
		}
		if e := await(t, control, toolserver.KindExited); e["spawn"] != float64(i+1) || e["scripted"] != true {
			t.Errorf("got %v", e)
		}
	}
	for range 2 {
		if _, err := callTool(t, connect(t, control, ""), "t", nil); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAHangingStartAnswersNothingAndEndsWithItsInput(t *testing.T) {
	control := start(t, `{"refuse":{"hang":true}}`)
	cmd := command(t, control)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	if out, err := cmd.Output(); err != nil || len(out) != 0 {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestAStubbornProcessEndsOnlyByForceOrWithTheKit(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // there is no such signal
	}
	control := start(t, `{"stubborn":true}`)
	for i, end := range []func(*os.Process){
		func(p *os.Process) { _ = p.Kill() },
		func(*os.Process) { _ = control.Close() },
	} {
		raw := open(t, control)
		if err := raw.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		process := raw.cmd.Process
		if err := process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		end(process)
		_, err := raw.wait()
		status := raw.cmd.ProcessState.Sys().(syscall.WaitStatus)
		if i == 0 && status.Signal() != syscall.SIGKILL || i == 1 && status.ExitStatus() != 3 {
			t.Errorf("end %d: got %v", i, err)
		}
	}
}

func TestProcessesEndWithTheKit(t *testing.T) {
	for _, text := range []string{`{}`, `{"refuse":{"hang":true}}`, `{"stubborn":true}`} {
		control := start(t, text)
		cmd := command(t, control)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, control, toolserver.KindStarted)
		if err := control.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 3 {
			t.Errorf("%s: got %v", text, err)
		}
		_ = stdin.Close()
		noGoroutine(t, "standin/toolserver.(*")
	}
}

func TestStrangersAreTurnedAway(t *testing.T) {
	control := start(t, `{}`)
	args := control.Args()
	address, _, _ := strings.Cut(args[3], "/")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 2, "expected --control ADDRESS"},
		{[]string{"--control"}, 2, "expected --control ADDRESS"},
		{[]string{"--control", address + "/guessed"}, 3, "closed the control channel"},
		{[]string{"--control", "127.0.0.1:1/x"}, 3, "does not listen"},
	} {
		var stderr bytes.Buffer
		if code := toolserver.Main(c.args, strings.NewReader(""), io.Discard, &stderr); code != c.code || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%v: got %d, %s", c.args, code, stderr.String())
		}
	}
	if events := control.Recorder().All(); len(events) != 0 {
		t.Errorf("got %v", events)
	}
}

// noGoroutine waits until no goroutine runs any of the functions.
func noGoroutine(t *testing.T, functions ...string) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		left := ""
		for _, stack := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			for _, f := range functions {
				if strings.Contains(stack, f) {
					left = stack
				}
			}
		}
		if left == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("a goroutine is left behind:\n%s", left)
		}
	}
}

package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The test binary is its own tool server: a launch that sets this variable
// makes it behave as the value says instead of running tests.
const serverMode = "TOOLS_TEST_SERVER"

// serverFolder names the folder in which a server leaves its traces.
const serverFolder = "TOOLS_TEST_FOLDER"

func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv(serverMode); ok {
		serve(mode)
		return
	}
	os.Exit(m.Run())
}

// trace appends a line to a file of the server's folder.
func trace(file, line string) {
	f, err := os.OpenFile(filepath.Join(os.Getenv(serverFolder), file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprintln(f, line)
}

func serve(mode string) {
	trace("spawns", strconv.Itoa(os.Getpid()))
	trace("arguments", strings.Join(os.Args[1:], " "))
	switch mode {
	case "exit":
		os.Exit(7)
	case "hang":
		select {}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	case "chatty":
		fmt.Println("Welcome to the tool server!")
		fmt.Fprintln(os.Stderr, "a remark about", os.Getenv("TOKEN"))
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{PageSize: 2,
		InitializedHandler: func(_ context.Context, req *mcp.InitializedRequest) {
			trace("clients", req.Session.InitializeParams().ClientInfo.Name)
		}})
	add := func(name string, annotations *mcp.ToolAnnotations, f func(ctx context.Context) (*mcp.CallToolResult, error)) {
		server.AddTool(&mcp.Tool{Name: name, Annotations: annotations, InputSchema: json.RawMessage(`{"type":"object","z":1,"a":2}`)},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				trace("calls", name+" "+string(req.Params.Arguments))
				return f(ctx)
			})
	}
	text := func(s string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}, nil
	}
	add("read", &mcp.ToolAnnotations{ReadOnlyHint: true}, func(context.Context) (*mcp.CallToolResult, error) { return text("read") })
	add("write", nil, func(context.Context) (*mcp.CallToolResult, error) { return text("written") })
	add("environment", nil, func(context.Context) (*mcp.CallToolResult, error) { return text(strings.Join(os.Environ(), "\n")) })
	add("crash", nil, func(context.Context) (*mcp.CallToolResult, error) { os.Exit(3); return nil, nil })
	add("fail", nil, func(context.Context) (*mcp.CallToolResult, error) {
		r, err := text("no luck")
		r.IsError = true
		return r, err
	})
	add("refuse", nil, func(context.Context) (*mcp.CallToolResult, error) { return nil, fmt.Errorf("broken inside") })
	add("wait", nil, func(ctx context.Context) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		trace("cancelled", "wait")
		return nil, ctx.Err()
	})
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
	if mode == "stubborn" {
		select {}
	}
}

// fixture is a manager with a folder for the traces of its servers.
type fixture struct {
	*Manager
	t      *testing.T
	folder string
}

func newFixture(t *testing.T, change func(*Options)) *fixture {
	t.Helper()
	o := Options{Version: "1", Limits: DefaultLimits()}
	if change != nil {
		change(&o)
	}
	f := &fixture{Manager: NewManager(o), t: t, folder: t.TempDir()}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		f.Close(ctx)
		for _, pid := range f.trace("spawns") {
			if n, _ := strconv.Atoi(pid); alive(n) {
				t.Errorf("process %s is still there", pid)
			}
		}
	})
	return f
}

func (f *fixture) launch(mode string) Launch {
	exe, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	return Launch{ID: "test", Name: "Test", Command: exe, Env: map[string]string{serverMode: mode, serverFolder: f.folder,
		"GORACE": "atexit_sleep_ms=0"}} // else a process under the race detector sleeps before it ends
}

// trace reads the lines of a server's file.
func (f *fixture) trace(file string) []string {
	data, err := os.ReadFile(filepath.Join(f.folder, file))
	if err != nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(string(data)) { // none, when the server has made the file and not written to it yet
		if line, whole := strings.CutSuffix(line, "\n"); whole {
			lines = append(lines, line)
		}
	}
	return lines
}

// alive tells whether a process exists and is no zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// eventually waits for a condition that another process brings about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("did not happen: %s", what)
		}
	}
}

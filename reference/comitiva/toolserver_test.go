package comitiva

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveTools is a tool server that leaves traces in a folder. Its arguments:
// "exit" ends it at once; "stubborn" lets it end for nothing but SIGKILL; with
// "paged" it lists two tools at a time; with "long" it has one tool, whose name
// no model takes.
func serveTools(folder string) {
	trace := func(file, line string) {
		f, err := os.OpenFile(filepath.Join(folder, file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintln(f, line)
			_ = f.Close()
		}
	}
	trace("spawns", strconv.Itoa(os.Getpid()))
	trace("arguments", strings.Join(os.Args[1:], " "))
	trace("environment", strings.Join(os.Environ(), "\n"))
	if slices.Contains(os.Args, "exit") {
		os.Exit(1)
	}
	options := &mcp.ServerOptions{}
	if slices.Contains(os.Args, "paged") {
		options.PageSize = 2
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, options)
	add := func(name string, annotations *mcp.ToolAnnotations, f func(ctx context.Context) string) {
		server.AddTool(&mcp.Tool{Name: name, Annotations: annotations, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				trace("calls", name+" "+string(req.Params.Arguments))
				text := f(ctx)
				trace("ended", name)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
			})
	}
	if slices.Contains(os.Args, "long") {
		add(strings.Repeat("x", 100), nil, func(context.Context) string { return "" })
		_ = server.Run(context.Background(), &mcp.StdioTransport{})
		return
	}
	add("read", &mcp.ToolAnnotations{ReadOnlyHint: true}, func(context.Context) string { return "what is there" })
	add("write", nil, func(context.Context) string { return "written" })
	add("erase", nil, func(context.Context) string { return "erased" })
	server.AddTool(&mcp.Tool{Name: "fail", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no luck"}}}, nil
		})
	add("crash", &mcp.ToolAnnotations{ReadOnlyHint: true}, func(context.Context) string { os.Exit(3); return "" })
	add("wait", &mcp.ToolAnnotations{ReadOnlyHint: true}, func(ctx context.Context) string {
		<-ctx.Done()
		trace("cancelled", "wait")
		return ""
	})
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
	if slices.Contains(os.Args, "stubborn") {
		select {}
	}
}

// toolServer is a tool server as a test sees it.
type toolServer struct {
	t      *testing.T
	folder string
}

func newToolServer(t *testing.T) *toolServer {
	return &toolServer{t, t.TempDir()}
}

func (s *toolServer) launch(args ...string) message {
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	return message{"id": "srv", "name": "Notes", "transport": "stdio", "command": exe, "args": append([]string{}, args...),
		"env": message{toolsVariable: s.folder, "GORACE": quickExit}}
}

func (s *toolServer) trace(file string) []string {
	data, err := os.ReadFile(filepath.Join(s.folder, file))
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

// pid is the process of the n-th spawn, from 0.
func (s *toolServer) pid(n int) int {
	s.t.Helper()
	eventually(s.t, "the tool server is there", func() bool { return len(s.trace("spawns")) > n })
	pid, err := strconv.Atoi(s.trace("spawns")[n])
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
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

package tools

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestServerOverHTTP(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "web", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "hello", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "world"}}}, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	var without atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("X-Key") != "value" {
			without.Add(1)
		}
		handler.ServeHTTP(w, req)
	}))
	defer web.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	f := newFixture(t, func(o *Options) { o.Transport = transport })
	lease := f.Acquire(Launch{ID: "web", Name: "Web", URL: web.URL, Headers: map[string]string{"X-Key": "value"}}, nil)
	defer lease.Release()
	offered, err := lease.Tools(t.Context())
	if err != nil || len(offered) != 1 || offered[0].Name != "hello" {
		t.Fatalf("got %+v, %v", offered, err)
	}
	if out := call(t, lease, "hello", `{}`); out.IsError || out.Blocks[0].Text != "world" {
		t.Errorf("got %+v", out)
	}
	if n := without.Load(); n > 0 {
		t.Errorf("%d requests came without the header", n)
	}
	f.Close(t.Context())
}

func TestHeadersStayWithTheirHost(t *testing.T) {
	var leaked atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		leaked.Store(leaked.Load() || req.Header.Get("X-Key") != "")
		w.WriteHeader(http.StatusTeapot)
	}))
	defer elsewhere.Close()
	web := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer web.Close()
	f := newFixture(t, func(o *Options) { o.Transport = http.DefaultTransport })
	if _, err := f.tools(Launch{ID: "web", Name: "Web", URL: web.URL, Headers: map[string]string{"X-Key": "value"}}); err == nil {
		t.Error("started")
	}
	if leaked.Load() {
		t.Error("a redirect carried the header to another host")
	}
}

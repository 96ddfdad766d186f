package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errEnded is the outcome of a call that nobody waits for any more.
var errEnded = errors.New("stand-in: the call was cancelled")

// serve speaks the protocol until the input ends.
func (b *body) serve(ctx context.Context) {
	server := mcp.NewServer(&mcp.Implementation{Name: "hallmark-stand-in", Version: "1"},
		&mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			switch params := r.GetParams().(type) {
			case *mcp.InitializeParams:
				b.conn.Send(fromProcess{Initialize: &Initialize{Method: method, Client: marshal(params.ClientInfo), ProtocolVersion: params.ProtocolVersion}})
			case *mcp.DiscoverParams:
				b.conn.Send(fromProcess{Initialize: &Initialize{Method: method, Client: marshal(params.Meta[mcp.MetaKeyClientInfo]), ProtocolVersion: revision(params.Meta)}})
			case *mcp.ListToolsParams:
				return b.list(params)
			case *mcp.CallToolParamsRaw:
				return b.call(ctx, params)
			}
			return next(ctx, method, r)
		}
	})
	// The error is the end of the input or a client that breaks the protocol; either way the session is over.
	_ = server.Run(ctx, &mcp.IOTransport{Reader: b.stdin, Writer: output{b.stdout}, MaxLineLength: -1})
}

// revision is the protocol version that a request itself names; older revisions only name it when the session opens.
func revision(meta mcp.Meta) string {
	version, _ := meta[mcp.MetaKeyProtocolVersion].(string)
	return version
}

// common is what newer revisions of the protocol add to results.
type common struct {
	mcp.ResultBase
	ResultType string `json:"resultType,omitempty"`
	TTLMs      *int   `json:"ttlMs,omitempty"`
	CacheScope string `json:"cacheScope,omitempty"`
}

func (c *common) suit(meta mcp.Meta, cacheable bool) {
	if revision(meta) == "" {
		return
	}
	c.ResultType = "complete"
	if cacheable {
		c.TTLMs, c.CacheScope = new(int), "private"
	}
}

// page is a result of tools/list with the tools exactly as scripted.
type page struct {
	common
	Tools      []json.RawMessage `json:"tools"`
	NextCursor string            `json:"nextCursor,omitempty"`
}

// list answers with the page that the cursor names.
func (b *body) list(params *mcp.ListToolsParams) (mcp.Result, error) {
	cursor := ""
	var meta mcp.Meta
	if params != nil {
		cursor, meta = params.Cursor, params.Meta
	}
	b.conn.Send(fromProcess{Listed: &Listed{Cursor: cursor}})
	size := b.begin.PageSize
	if size == 0 {
		size = max(1, len(b.begin.Tools))
	}
	from := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n <= 0 || n >= len(b.begin.Tools) || n%size != 0 {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "stand-in: a cursor that was never given out"}
		}
		from = n
	}
	to := min(from+size, len(b.begin.Tools))
	out := &page{Tools: b.begin.Tools[from:to]}
	out.suit(meta, true)
	if to < len(b.begin.Tools) {
		out.NextCursor = strconv.Itoa(to)
	}
	return out, nil
}

// result is a result of tools/call with the content exactly as scripted.
type result struct {
	common
	callResult
}

// call does what the kit says.
func (b *body) call(ctx context.Context, params *mcp.CallToolParamsRaw) (mcp.Result, error) {
	a := b.await(ctx, params.Name, params.Arguments)
	switch {
	case a == nil:
		return nil, errEnded
	case a.Error != nil:
		return nil, &jsonrpc.Error{Code: a.Error.Code, Message: a.Error.Message, Data: a.Error.Data}
	}
	out := &result{callResult: *a.Result}
	out.suit(params.Meta, false)
	return out, nil
}

// output is the process's own output, which is not ours to close.
type output struct{ io.Writer }

func (output) Close() error { return nil }

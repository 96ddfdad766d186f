package tools

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// described keeps what a server says about its tools as it is written. The
// SDK's own form tells a hint that is false from one that is absent no longer,
// and reorders schemas.
type described struct {
	mcp.Transport

	mu    sync.Mutex
	asked map[jsonrpc.ID]bool
	tools map[string]description
}

type description struct {
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations *struct {
		ReadOnly    *bool `json:"readOnlyHint"`
		Destructive *bool `json:"destructiveHint"`
		Idempotent  *bool `json:"idempotentHint"`
		OpenWorld   *bool `json:"openWorldHint"`
	} `json:"annotations"`
}

func describe(t mcp.Transport) *described {
	return &described{Transport: t, asked: map[jsonrpc.ID]bool{}, tools: map[string]description{}}
}

// Connect implements mcp.Transport.
func (d *described) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := d.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &describedConnection{Connection: c, d: d}, nil
}

type describedConnection struct {
	mcp.Connection
	d *described
}

func (c *describedConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	if req, ok := m.(*jsonrpc.Request); ok && req.Method == "tools/list" {
		c.d.mu.Lock()
		c.d.asked[req.ID] = true
		c.d.mu.Unlock()
	}
	return c.Connection.Write(ctx, m)
}

func (c *describedConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if res, ok := m.(*jsonrpc.Response); ok && err == nil {
		c.d.keep(res)
	}
	return m, err
}

func (d *described) keep(res *jsonrpc.Response) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.asked[res.ID] {
		return
	}
	delete(d.asked, res.ID)
	var page struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(res.Result, &page) != nil {
		return // the SDK reports it
	}
	for _, raw := range page.Tools {
		var named struct {
			Name string `json:"name"`
			description
		}
		if json.Unmarshal(raw, &named) == nil {
			d.tools[named.Name] = named.description
		}
	}
}

// refine puts a server's own words in place of the SDK's.
func (d *described) refine(t *Tool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	own, ok := d.tools[t.Name]
	if !ok {
		return
	}
	if len(own.InputSchema) > 0 && own.InputSchema[0] == '{' {
		t.Schema = own.InputSchema
	}
	if a := own.Annotations; a != nil {
		t.Annotations = &Annotations{ReadOnly: a.ReadOnly, Destructive: a.Destructive, Idempotent: a.Idempotent, OpenWorld: a.OpenWorld}
	}
}

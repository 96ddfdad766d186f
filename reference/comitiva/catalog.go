package comitiva

import (
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
	"github.com/hallmark-kit/hallmark/reference/comitiva/tools"
)

// catalog is what the tool servers of a run have, under the names that the
// model knows.
type catalog struct {
	names tools.Names
	list  []*catalogTool
}

type catalogTool struct {
	name     string // that the model knows
	tool     tools.Tool
	readOnly bool
	server   tools.Launch
	lease    *tools.Lease
}

func (c *catalog) add(p policy, l tools.Launch, lease *tools.Lease, offered []tools.Tool) {
	slug := c.names.Slug(l.Name, l.Builtin)
	for _, tool := range offered {
		c.list = append(c.list, &catalogTool{name: p.toolName(&c.names, slug, tool.Name), tool: tool,
			readOnly: p.readOnly(tool), server: l, lease: lease})
	}
}

// offered are the tools that the model is told of.
func (c *catalog) offered(gate tools.Gate) []provider.Tool {
	var out []provider.Tool
	for _, t := range c.list {
		if gate.Offers(t.readOnly) {
			out = append(out, provider.Tool{Name: t.name, Description: t.tool.Description, Schema: t.tool.Schema})
		}
	}
	return out
}

// find finds a tool under the name that the model uses.
func (c *catalog) find(name string, gate tools.Gate) (*catalogTool, bool) {
	for _, t := range c.list {
		if t.name == name && gate.Knows(t.readOnly) {
			return t, true
		}
	}
	return nil, false
}

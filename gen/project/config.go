package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// ConfigFile is the usual name of the file that says what documents cannot say about their Go package.
const ConfigFile = "hallmark.yaml"

// ReadConfig reads such a file. What its schema (config.json) does not allow is refused; errors name line and column.
func ReadConfig(name string) (*hallmark.Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parseConfig(name, data)
}

func parseConfig(name string, data []byte) (*hallmark.Config, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			p := at.GetToken().Position
			return nil, &document.Error{File: name, Line: p.Line, Column: p.Column, Reason: "this is not YAML: " + at.GetMessage()}
		}
		return nil, &document.Error{File: name, Reason: "this is not YAML: " + err.Error()}
	}
	c := converter{file: name, places: map[string]place{}}
	var text []byte
	switch bodies := bodiesOf(file); {
	case len(bodies) == 0:
		text = []byte("{}")
	case len(bodies) > 1:
		return nil, c.errorf(bodies[1], "", "one YAML document was expected, not %d", len(bodies))
	default:
		if text, err = c.json(bodies[0], ""); err != nil {
			return nil, err
		}
	}
	config, err := hallmark.DecodeConfig(text)
	var broken *wire.Error
	if errors.As(err, &broken) {
		v := broken.Violations[0]
		at := c.places[v.Instance]
		if v.Keyword == "additionalProperties" && strings.Count(v.Instance, "/") == 1 {
			return nil, &document.Error{File: name, Line: at.keyLine, Column: at.keyColumn, Pointer: v.Instance,
				Reason: "there is no such setting; known are package, title, out, documents, root and names"}
		}
		return nil, &document.Error{File: name, Line: at.line, Column: at.column, Pointer: v.Instance, Reason: v.Want + " was expected"}
	}
	if err != nil {
		return nil, err
	}
	return &config, nil
}

func bodiesOf(file *ast.File) []ast.Node {
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	return bodies
}

// converter writes a YAML tree as JSON and remembers where each value stood, by JSON pointer.
type converter struct {
	file   string
	places map[string]place
}

type place struct{ line, column, keyLine, keyColumn int }

func (c *converter) errorf(n ast.Node, pointer, format string, args ...any) error {
	line, column := position(n)
	return &document.Error{File: c.file, Line: line, Column: column, Pointer: pointer, Reason: fmt.Sprintf(format, args...)}
}

// position is where a person sees a node begin: for a mapping that is its first key, not the colon.
func position(n ast.Node) (line, column int) {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return position(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return position(m.Key)
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line, t.Position.Column
	}
	return 1, 1
}

func (c *converter) json(n ast.Node, pointer string) ([]byte, error) {
	at := c.places[pointer]
	at.line, at.column = position(n)
	c.places[pointer] = at
	switch n := n.(type) {
	case *ast.MappingNode:
		return c.object(n.Values, pointer)
	case *ast.MappingValueNode:
		return c.object([]*ast.MappingValueNode{n}, pointer)
	case *ast.SequenceNode:
		items := make([][]byte, len(n.Values))
		for i, value := range n.Values {
			item, err := c.json(value, fmt.Sprintf("%s/%d", pointer, i))
			if err != nil {
				return nil, err
			}
			items[i] = item
		}
		return []byte("[" + string(bytes.Join(items, []byte(","))) + "]"), nil
	case *ast.StringNode:
		return json.Marshal(n.Value)
	case *ast.LiteralNode:
		return json.Marshal(n.Value.Value)
	case *ast.NullNode:
		return []byte("null"), nil
	case *ast.BoolNode:
		return json.Marshal(n.Value)
	case *ast.IntegerNode:
		return json.Marshal(n.Value)
	}
	return nil, c.errorf(n, pointer, "a mapping, a sequence or text was expected; quote the value if text is meant")
}

func (c *converter) object(members []*ast.MappingValueNode, pointer string) ([]byte, error) {
	out := []byte("{")
	seen := map[string]bool{}
	for _, m := range members {
		key, ok := m.Key.(*ast.StringNode)
		if !ok {
			return nil, c.errorf(m.Key, pointer, "a key must be text; quote it")
		}
		at := pointer + "/" + document.EscapeToken(key.Value)
		if seen[key.Value] {
			return nil, c.errorf(m.Key, at, "the key is given twice")
		}
		seen[key.Value] = true
		line, column := position(m.Key)
		c.places[at] = place{keyLine: line, keyColumn: column}
		value, err := c.json(m.Value, at)
		if err != nil {
			return nil, err
		}
		out = append(wire.AppendString(wire.Next(out), key.Value), ':')
		out = append(out, value...)
	}
	return append(out, '}'), nil
}

// folder is where the files of a hallmark.yaml are looked for.
func folder(config string) string { return filepath.Dir(config) }

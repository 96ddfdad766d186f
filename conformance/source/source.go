package source

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/hallmark-kit/hallmark/conformance/value"
)

// Position is a place in a file; lines and columns count from 1, columns in characters.
type Position struct{ Line, Column int }

// Document is one file that has been read.
type Document struct {
	Name  string // as it is shown in errors
	Value any    // see package value
	JSON  []byte // Value as compact JSON

	values map[string]Position // by JSON pointer
	keys   map[string]Position // of the key of the member at the pointer
}

// Error is something wrong at a place of a file.
type Error struct {
	File         string
	Line, Column int    // 0 when the place is unknown
	Pointer      string // JSON pointer of the value
	Reason       string // what was expected, and what to do
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Reason
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Reason)
}

// Errors are several things wrong, in the order of files and places.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort orders the errors by file and place.
func (e Errors) Sort() {
	slices.SortStableFunc(e, func(a, b *Error) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

// Position returns where the value at the pointer was written, or the nearest value around it.
func (d *Document) Position(pointer string) Position {
	for {
		if p, ok := d.values[pointer]; ok {
			return p
		}
		at := strings.LastIndexByte(pointer, '/')
		if at < 0 {
			return Position{1, 1}
		}
		pointer = pointer[:at]
	}
}

// Errorf makes an error at the value.
func (d *Document) Errorf(pointer, format string, args ...any) *Error {
	p := d.Position(pointer)
	return &Error{d.Name, p.Line, p.Column, pointer, fmt.Sprintf(format, args...)}
}

// KeyErrorf makes an error at the key of the member.
func (d *Document) KeyErrorf(pointer, format string, args ...any) *Error {
	p, ok := d.keys[pointer]
	if !ok {
		p = d.Position(pointer)
	}
	return &Error{d.Name, p.Line, p.Column, pointer, fmt.Sprintf(format, args...)}
}

// maxDepth bounds nesting of a file that a person writes.
const maxDepth = 200

// Parse reads one YAML or JSON document. The error is an *Error.
func Parse(name string, data []byte) (doc *Document, err error) {
	// The YAML library is allowed to be wrong about hostile files; the kit is not allowed to end because of it.
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, &Error{File: name, Reason: fmt.Sprintf("this cannot be read as YAML (%v)", r)}
		}
	}()
	if wrong := checkText(name, data); wrong != nil {
		return nil, wrong
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, syntaxError(name, err)
	}
	bodies := slices.DeleteFunc(slices.Clone(file.Docs), func(n *ast.DocumentNode) bool { return n.Body == nil })
	if len(bodies) != 1 {
		return nil, &Error{File: name, Line: 1, Column: 1, Reason: fmt.Sprintf("one YAML document is expected, found %d", len(bodies))}
	}
	d := &Document{Name: name, values: make(map[string]Position), keys: make(map[string]Position)}
	v, fault := d.convert(bodies[0].Body, "", 0)
	if fault != nil {
		return nil, fault
	}
	d.Value = v
	d.JSON = value.Append(nil, v)
	return d, nil
}

func syntaxError(name string, err error) *Error {
	e := &Error{File: name, Reason: "this is not YAML: " + err.Error()}
	if y, ok := err.(yaml.Error); ok {
		e.Reason = "this is not YAML: " + y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = t.Position.Line, t.Position.Column
		}
	}
	return e
}

func (d *Document) convert(n ast.Node, pointer string, depth int) (any, *Error) {
	d.values[pointer] = place(n)
	if depth > maxDepth {
		return nil, d.Errorf(pointer, "nested deeper than %d", maxDepth)
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return nil, nil
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.IntegerNode:
		switch i := n.Value.(type) {
		case int64:
			return value.Int(i), nil
		case uint64:
			return value.Number(strconv.FormatUint(i, 10)), nil
		}
		return nil, d.Errorf(pointer, "this number is too large; quote it if text is meant")
	case *ast.FloatNode:
		return d.float(n, pointer)
	case *ast.SequenceNode:
		list := make(value.List, 0, len(n.Values))
		for i, item := range n.Values {
			v, fault := d.convert(item, value.JoinIndex(pointer, i), depth+1)
			if fault != nil {
				return nil, fault
			}
			list = append(list, v)
		}
		return list, nil
	case *ast.MappingNode:
		return d.object(n.Values, pointer, depth)
	case *ast.MappingValueNode:
		return d.object([]*ast.MappingValueNode{n}, pointer, depth)
	case *ast.AnchorNode, *ast.AliasNode:
		return nil, d.Errorf(pointer, "anchors and aliases are not used here; repeat the value or put it into base.yaml")
	case *ast.TagNode:
		return nil, d.Errorf(pointer, "tags are not used here; quote the value if text is meant")
	}
	return nil, d.Errorf(pointer, "a mapping, a sequence, text, a number, true, false or null is expected")
}

func (d *Document) float(n *ast.FloatNode, pointer string) (any, *Error) {
	if v, err := value.Parse([]byte(n.Token.Value)); err == nil {
		if number, ok := v.(value.Number); ok {
			return number, nil // as written: 1.50 stays 1.50
		}
	}
	if math.IsInf(n.Value, 0) || math.IsNaN(n.Value) {
		return nil, d.Errorf(pointer, "this number is too large; quote it if text is meant")
	}
	return value.Number(strconv.FormatFloat(n.Value, 'g', -1, 64)), nil
}

func (d *Document) object(members []*ast.MappingValueNode, pointer string, depth int) (any, *Error) {
	o := &value.Object{Members: make([]value.Member, 0, len(members))}
	for _, m := range members {
		key, ok := m.Key.(*ast.StringNode)
		if !ok {
			p := place(m.Key)
			return nil, &Error{d.Name, p.Line, p.Column, pointer, "a key must be text; quote it"}
		}
		at := value.Join(pointer, key.Value)
		d.keys[at] = place(m.Key)
		if _, again := o.Get(key.Value); again {
			return nil, d.KeyErrorf(at, "the key %s is given twice", key.Value)
		}
		v, fault := d.convert(m.Value, at, depth+1)
		if fault != nil {
			return nil, fault
		}
		o.Members = append(o.Members, value.Member{Name: key.Value, Value: v})
	}
	return o, nil
}

// place is where a node begins. The library gives the position of the colon for a mapping; a person looks for the
// first key.
func place(n ast.Node) Position {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return place(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return place(m.Key)
	}
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return Position{1, 1}
	}
	return Position{t.Position.Line, t.Position.Column}
}

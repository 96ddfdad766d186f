package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/hallmark-kit/hallmark/gen/wire"
)

// wrong is what is wrong with the value at a JSON pointer of a configuration.
type wrong struct {
	pointer string
	err     error
}

func (w *wrong) Error() string { return w.pointer + ": " + w.err.Error() }
func (w *wrong) Unwrap() error { return w.err }

// at says that err is about the value at a pointer. Violations of the
// protocol's document are about the values below it.
func at(pointer string, err error) error {
	var broken *wire.Error
	if errors.As(err, &broken) && len(broken.Violations) > 0 {
		v := broken.Violations[0]
		return &wrong{pointer + v.Instance, fmt.Errorf("want %s", v.Want)}
	}
	return &wrong{pointer, err}
}

// locate puts the file before an error, and line and column where it is about a
// value of the text.
func locate(name string, text []byte, err error) error {
	if err == nil {
		return nil
	}
	somewhere := fmt.Errorf("%s: %w", name, err)
	var w *wrong
	if !errors.As(err, &w) {
		return somewhere
	}
	file, parseErr := parser.ParseBytes(text, 0)
	if parseErr != nil || len(file.Docs) == 0 {
		return somewhere
	}
	node := file.Docs[0].Body
	for token := range strings.SplitSeq(strings.TrimPrefix(w.pointer, "/"), "/") {
		next := child(node, unescape.Replace(token))
		if next == nil {
			break // what is missing is told at the value that lacks it
		}
		node = next
	}
	if m, ok := node.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		node = m.Values[0].Key // the token of the mapping itself is its first colon
	}
	if node == nil || node.GetToken() == nil {
		return somewhere
	}
	p := node.GetToken().Position
	return fmt.Errorf("%s:%d:%d: %w", name, p.Line, p.Column, err)
}

// malformed is an error about text that is not YAML. The library's own words
// quote the lines around it, which may hold tokens.
func malformed(name string, err error) error {
	var broken yaml.Error
	if !errors.As(err, &broken) || broken.GetToken() == nil {
		return fmt.Errorf("%s: this is not YAML", name)
	}
	p := broken.GetToken().Position
	return fmt.Errorf("%s:%d:%d: %s", name, p.Line, p.Column, broken.GetMessage())
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// child is the member or element of a node that a token of a pointer names; nil
// when there is none.
func child(n ast.Node, token string) ast.Node {
	switch n := n.(type) {
	case *ast.AnchorNode:
		return child(n.Value, token)
	case *ast.TagNode:
		return child(n.Value, token)
	case *ast.MappingNode:
		for _, m := range n.Values {
			if m.Key.GetToken().Value == token {
				return m.Value
			}
		}
	case *ast.MappingValueNode:
		if n.Key.GetToken().Value == token {
			return n.Value
		}
	case *ast.SequenceNode:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.Values) {
			return n.Values[i]
		}
	}
	return nil
}

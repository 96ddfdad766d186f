package sample

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// value is a JSON value. Values are never changed once they are part of
// another; what changes is copied along the way to the root.
type value = document.Value

func null() *value              { return &value{Kind: document.Null} }
func boolean(b bool) *value     { return &value{Kind: document.Bool, Bool: b} }
func number(text string) *value { return &value{Kind: document.Number, Text: text} }
func text(s string) *value      { return &value{Kind: document.String, Text: s} }
func array(items ...*value) *value {
	return &value{Kind: document.Array, Items: items}
}
func object(members ...document.Member) *value {
	return &value{Kind: document.Object, Members: members}
}
func member(name string, v *value) document.Member { return document.Member{Name: name, Value: v} }

// fresh gives a value of its own identity, equal to v.
func fresh(v *value) *value {
	w := *v
	return &w
}

var errNotOneValue = errors.New("not one JSON value")

// decode reads one JSON value, strictly.
func decode(json []byte) (*value, error) {
	// Inside an array no text can be taken for a document of some form.
	wrapped := append(append([]byte("["), json...), ']')
	f, err := document.Parse("instance", wrapped)
	if err != nil {
		return nil, err
	}
	if len(f.Root.Items) != 1 {
		return nil, errNotOneValue
	}
	return f.Root.Items[0], nil
}

func encode(v *value) []byte { return appendValue(nil, v) }

func appendValue(b []byte, v *value) []byte {
	switch v.Kind {
	case document.Null:
		return append(b, "null"...)
	case document.Bool:
		return strconv.AppendBool(b, v.Bool)
	case document.Number:
		return append(b, v.Text...)
	case document.String:
		return wire.AppendString(b, v.Text)
	case document.Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, item)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, m := range v.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, m.Name), ':')
		b = appendValue(b, m.Value)
	}
	return append(b, '}')
}

// locate finds the steps from root to the very value v: indices into members or
// items.
func locate(root, v *value) ([]int, bool) {
	if root == v {
		return nil, true
	}
	for i := range children(root) {
		if path, ok := locate(child(root, i), v); ok {
			return append([]int{i}, path...), true
		}
	}
	return nil, false
}

func children(v *value) int { return len(v.Members) + len(v.Items) }

func child(v *value, i int) *value {
	if v.Kind == document.Object {
		return v.Members[i].Value
	}
	return v.Items[i]
}

// at gives the value the steps lead to.
func at(root *value, path []int) *value {
	for _, i := range path {
		root = child(root, i)
	}
	return root
}

// replace gives root with another value where the steps lead.
func replace(root *value, path []int, v *value) *value {
	if len(path) == 0 {
		return v
	}
	c := fresh(root)
	i := path[0]
	if c.Kind == document.Object {
		c.Members = slices.Clone(c.Members)
		c.Members[i].Value = replace(c.Members[i].Value, path[1:], v)
	} else {
		c.Items = slices.Clone(c.Items)
		c.Items[i] = replace(c.Items[i], path[1:], v)
	}
	return c
}

// without gives a composite value without its i-th part.
func without(v *value, i int) *value {
	c := fresh(v)
	if c.Kind == document.Object {
		c.Members = slices.Delete(slices.Clone(c.Members), i, i+1)
	} else {
		c.Items = slices.Delete(slices.Clone(c.Items), i, i+1)
	}
	return c
}

// with gives an object with one more member, or the member's value replaced.
func with(v *value, name string, m *value) *value {
	c := fresh(v)
	c.Members = slices.Clone(c.Members)
	for i := range c.Members {
		if c.Members[i].Name == name {
			c.Members[i].Value = m
			return c
		}
	}
	c.Members = append(c.Members, member(name, m))
	return c
}

// lacking gives an object without the named member.
func lacking(v *value, name string) *value {
	for i, m := range v.Members {
		if m.Name == name {
			return without(v, i)
		}
	}
	return v
}

// pointer writes steps as a JSON Pointer.
func pointer(root *value, path []int) string {
	var b bytes.Buffer
	for _, i := range path {
		b.WriteByte('/')
		if root.Kind == document.Object {
			b.WriteString(document.EscapeToken(root.Members[i].Name))
		} else {
			b.WriteString(strconv.Itoa(i))
		}
		root = child(root, i)
	}
	return b.String()
}

package value

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Number is the text of a JSON number.
type Number string

// List is a JSON array.
type List []any

// Member is one member of an object.
type Member struct {
	Name  string
	Value any
}

// Object is a JSON object with its members in order.
type Object struct{ Members []Member }

// Get returns the member's value and whether the object has it. A nil object has no members.
func (o *Object) Get(name string) (any, bool) {
	if o == nil {
		return nil, false
	}
	for _, m := range o.Members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// Set replaces the member's value or appends the member.
func (o *Object) Set(name string, v any) {
	for i := range o.Members {
		if o.Members[i].Name == name {
			o.Members[i].Value = v
			return
		}
	}
	o.Members = append(o.Members, Member{name, v})
}

// Delete removes the member if the object has it.
func (o *Object) Delete(name string) {
	for i := range o.Members {
		if o.Members[i].Name == name {
			o.Members = append(o.Members[:i:i], o.Members[i+1:]...)
			return
		}
	}
}

// Names returns the names of the members in order.
func (o *Object) Names() []string {
	names := make([]string, len(o.Members))
	for i, m := range o.Members {
		names[i] = m.Name
	}
	return names
}

// Of makes an object of name, value, name, value …
func Of(pairs ...any) *Object {
	o := &Object{}
	for i := 0; i+1 < len(pairs); i += 2 {
		o.Members = append(o.Members, Member{pairs[i].(string), pairs[i+1]})
	}
	return o
}

// Int is the number n.
func Int(n int64) Number { return Number(strconv.FormatInt(n, 10)) }

// maxDepth bounds nesting: values come from implementations under test.
const maxDepth = 1000

// Parse reads exactly one JSON text (RFC 8259). Of members with the same name the last one is kept.
func Parse(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := parse(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more after the end of the JSON value, at byte %d", d.InputOffset())
	}
	return v, nil
}

func parse(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d at byte %d", maxDepth, d.InputOffset())
	}
	t, err := d.Token()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			list := List{}
			for d.More() {
				item, err := parse(d, depth+1)
				if err != nil {
					return nil, err
				}
				list = append(list, item)
			}
			_, err := d.Token()
			return list, err
		}
		o := &Object{}
		seen := make(map[string]int)
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := parse(d, depth+1)
			if err != nil {
				return nil, err
			}
			text := name.(string)
			if at, again := seen[text]; again {
				o.Members[at].Value = v
				continue
			}
			seen[text] = len(o.Members)
			o.Members = append(o.Members, Member{text, v})
		}
		_, err := d.Token()
		return o, err
	case json.Number:
		return Number(t), nil
	default:
		return t, nil
	}
}

// Append writes v as compact JSON.
func Append(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case Number:
		return append(b, v...)
	case string:
		return appendString(b, v)
	case List:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = Append(b, item)
		}
		return append(b, ']')
	case *Object:
		b = append(b, '{')
		for i, m := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, m.Name)
			b = append(b, ':')
			b = Append(b, m.Value)
		}
		return append(b, '}')
	}
	panic(fmt.Sprintf("value: %T is no JSON value", v))
}

func appendString(b []byte, s string) []byte {
	if plain(s) {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string is always encodable
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return false
		}
	}
	return true
}

// Text is v as compact JSON.
func Text(v any) string { return string(Append(nil, v)) }

// Canonical is v as compact JSON with the members of every object sorted by name, in the order of UTF-16 code units.
func Canonical(v any) string { return Text(sorted(v)) }

func sorted(v any) any {
	switch v := v.(type) {
	case List:
		list := make(List, len(v))
		for i, item := range v {
			list[i] = sorted(item)
		}
		return list
	case *Object:
		o := &Object{Members: make([]Member, len(v.Members))}
		for i, m := range v.Members {
			o.Members[i] = Member{m.Name, sorted(m.Value)}
		}
		slices.SortFunc(o.Members, func(a, b Member) int {
			return slices.Compare(utf16.Encode([]rune(a.Name)), utf16.Encode([]rune(b.Name)))
		})
		return o
	default:
		return v
	}
}

// Type is the JSON Schema name of v's type; a number that is whole is "integer".
func Type(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case Number:
		if r, ok := v.rat(); ok && r.IsInt() {
			return "integer"
		}
		return "number"
	case string:
		return "string"
	case List:
		return "array"
	case *Object:
		return "object"
	}
	return "unknown"
}

// rat gives the exact value unless the exponent is so large that computing with it would be slow.
func (n Number) rat() (*big.Rat, bool) {
	if at := strings.IndexAny(string(n), "eE"); at >= 0 {
		exp, err := strconv.Atoi(string(n[at+1:]))
		if err != nil || exp > 400 || exp < -400 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(string(n))
}

// Compare is negative, zero or positive as a is below, equal to or above b; ok is false when one of them cannot be
// computed with.
func Compare(a, b Number) (order int, ok bool) {
	x, okX := a.rat()
	y, okY := b.rat()
	if !okX || !okY {
		return 0, false
	}
	return x.Cmp(y), true
}

// Equal tells whether a and b are the same JSON value: numbers by value, objects without regard to order.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case Number:
		other, ok := b.(Number)
		if !ok {
			return false
		}
		if a == other {
			return true
		}
		order, ok := Compare(a, other)
		return ok && order == 0
	case List:
		other, ok := b.(List)
		if !ok || len(a) != len(other) {
			return false
		}
		for i := range a {
			if !Equal(a[i], other[i]) {
				return false
			}
		}
		return true
	case *Object:
		other, ok := b.(*Object)
		if !ok || len(a.Members) != len(other.Members) {
			return false
		}
		for _, m := range a.Members {
			v, ok := other.Get(m.Name)
			if !ok || !Equal(m.Value, v) {
				return false
			}
		}
		return true
	default:
		switch b.(type) {
		case Number, List, *Object:
			return false
		}
		return a == b
	}
}

// Clone copies v deeply.
func Clone(v any) any {
	switch v := v.(type) {
	case List:
		list := make(List, len(v))
		for i, item := range v {
			list[i] = Clone(item)
		}
		return list
	case *Object:
		o := &Object{Members: make([]Member, len(v.Members))}
		for i, m := range v.Members {
			o.Members[i] = Member{m.Name, Clone(m.Value)}
		}
		return o
	default:
		return v
	}
}

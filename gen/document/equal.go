package document

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Canonical writes the value so that two values are equal in the sense of JSON
// Schema (core 4.2.2: numbers by value, members in any order) exactly when
// their texts are. It is valid JSON.
func (v *Value) Canonical() string { return string(v.appendCanonical(nil)) }

// Equal tells whether two values are equal in the sense of JSON Schema.
func (v *Value) Equal(o *Value) bool {
	if v == nil || o == nil {
		return v == o
	}
	return v.Kind == o.Kind && v.Canonical() == o.Canonical()
}

func (v *Value) appendCanonical(b []byte) []byte {
	switch v.Kind {
	case Null:
		return append(b, "null"...)
	case Bool:
		return strconv.AppendBool(b, v.Bool)
	case Number:
		return append(b, v.Decimal().String()...)
	case String:
		return appendQuoted(b, v.Text)
	case Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendCanonical(b)
		}
		return append(b, ']')
	case Object:
		members := slices.Clone(v.Members)
		slices.SortFunc(members, func(x, y Member) int { return strings.Compare(x.Name, y.Name) })
		b = append(b, '{')
		for i, m := range members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendQuoted(b, m.Name), ':')
			b = m.Value.appendCanonical(b)
		}
		return append(b, '}')
	}
	return b
}

// appendQuoted writes a JSON string with the least escaping RFC 8259 allows.
func appendQuoted(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// Any gives the value as package encoding/json would, numbers as json.Number:
// what jsonschema/v6 takes.
func (v *Value) Any() any {
	return v.AnyBut(func(*Value) (any, bool) { return nil, false })
}

// AnyBut is like Any, but with something else in place of the values for which
// instead answers true.
func (v *Value) AnyBut(instead func(*Value) (any, bool)) any {
	if other, ok := instead(v); ok {
		return other
	}
	switch v.Kind {
	case Bool:
		return v.Bool
	case Number:
		return json.Number(v.Text)
	case String:
		return v.Text
	case Array:
		items := make([]any, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.AnyBut(instead)
		}
		return items
	case Object:
		members := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			members[m.Name] = m.Value.AnyBut(instead)
		}
		return members
	}
	return nil
}

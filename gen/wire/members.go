package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Raw is one JSON value as written. What a decoder hands out is a copy
// that may be changed; nothing else that it hands out changes with it.
type Raw []byte

// MarshalJSON returns the value as written; null if it is empty.
func (v Raw) MarshalJSON() ([]byte, error) {
	if len(v) == 0 {
		return []byte("null"), nil
	}
	return v, nil
}

// UnmarshalJSON keeps a copy of data.
func (v *Raw) UnmarshalJSON(data []byte) error {
	*v = append((*v)[:0:0], data...)
	return nil
}

// Kind is the kind of the value.
func (v Raw) Kind() Kind {
	if i := skipSpace(v, 0); i < len(v) {
		return kinds[v[i]]
	}
	return KindInvalid
}

// Valid returns nil if v is one JSON value by the rules of this package.
func (v Raw) Valid(opts ...Option) error {
	r := Acquire(v, opts)
	r.Skip()
	return r.Close()
}

// Member is a member of an object that its schema does not name.
type Member struct {
	Name  string
	Value Raw
}

// Members are members in the order of the message.
type Members []Member

// Get returns the value of the last member of that name.
func (m Members) Get(name string) (Raw, bool) {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].Name == name {
			return m[i].Value, true
		}
	}
	return nil, false
}

// MarshalJSON writes an object.
func (m Members) MarshalJSON() ([]byte, error) {
	return append(AppendMembers([]byte{'{'}, m), '}'), nil
}

// UnmarshalJSON reads an object.
func (m *Members) UnmarshalJSON(data []byte) error {
	list := Members{}
	err := eachMember(data, func(name string, value Raw) error {
		list = append(list, Member{name, value})
		return nil
	})
	if err == nil {
		*m = list
	}
	return err
}

// Entry is a member of a [Map].
type Entry[T any] struct {
	Name  string
	Value T
}

// Map is an object with arbitrary names and values of one type, in the order
// of the message.
type Map[T any] []Entry[T]

// Get returns the value of the last entry of that name.
func (m Map[T]) Get(name string) (T, bool) {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].Name == name {
			return m[i].Value, true
		}
	}
	var zero T
	return zero, false
}

// MarshalJSON writes an object.
func (m Map[T]) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, m[i].Name)
		v, err := json.Marshal(m[i].Value)
		if err != nil {
			return nil, err
		}
		b = append(append(b, ':'), v...)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads an object.
func (m *Map[T]) UnmarshalJSON(data []byte) error {
	list := Map[T]{}
	err := eachMember(data, func(name string, value Raw) error {
		var v T
		if err := json.Unmarshal(value, &v); err != nil {
			return fmt.Errorf("member %q: %w", name, err)
		}
		list = append(list, Entry[T]{name, v})
		return nil
	})
	if err == nil {
		*m = list
	}
	return err
}

var objectSite = &Site{Keyword: "type", Want: "an object"}

// eachMember reads the members of an object.
func eachMember(data []byte, visit func(name string, value Raw) error) error {
	r := AcquireDecode(bytes.TrimSpace(data), nil)
	var failed error
	if r.Kind() != KindObject {
		r.FailSkip(objectSite)
		return r.Close()
	}
	r.Object()
	frame := r.Frame()
	for failed == nil && r.Member() {
		if !r.Unique(frame) {
			break
		}
		name := r.NameString()
		v, ok := r.Raw()
		if !ok {
			break
		}
		failed = visit(name, v)
	}
	if failed != nil {
		r.release()
		return failed
	}
	r.EndObject(frame)
	return r.Close()
}

package wire

import "encoding/json"

// Opt is an optional member: absent or a value.
type Opt[T any] struct {
	Value T
	Set   bool
}

// Some is the Opt that holds v.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// Get returns the value, and whether there is one.
func (o Opt[T]) Get() (T, bool) { return o.Value, o.Set }

// Or returns the value, or v if there is none.
func (o Opt[T]) Or(v T) T {
	if o.Set {
		return o.Value
	}
	return v
}

// IsZero tells whether the member is absent, for encoding/json's omitzero.
func (o Opt[T]) IsZero() bool { return !o.Set }

// MarshalJSON writes the value; null if there is none.
func (o Opt[T]) MarshalJSON() ([]byte, error) { return marshalIf(o.Set, o.Value) }

// UnmarshalJSON reads a value; null leaves the member absent.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	set, err := unmarshalIf(data, &o.Value)
	o.Set = set
	return err
}

// Nullable is a required member whose value may be null.
type Nullable[T any] struct {
	Value T
	Set   bool // false: null
}

// NonNull is the Nullable that holds v.
func NonNull[T any](v T) Nullable[T] { return Nullable[T]{v, true} }

// Get returns the value, and false if it is null.
func (n Nullable[T]) Get() (T, bool) { return n.Value, n.Set }

// Or returns the value, or v if it is null.
func (n Nullable[T]) Or(v T) T {
	if n.Set {
		return n.Value
	}
	return v
}

// MarshalJSON writes the value or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return marshalIf(n.Set, n.Value) }

// UnmarshalJSON reads a value or null.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error {
	set, err := unmarshalIf(data, &n.Value)
	n.Set = set
	return err
}

// Maybe is an optional member whose value may be null: absent, null or a
// value.
type Maybe[T any] struct {
	Value T
	Set   bool // there is a value
	Null  bool // the member is there and null; not with Set
}

// Present is the Maybe that holds v.
func Present[T any](v T) Maybe[T] { return Maybe[T]{Value: v, Set: true} }

// Null is the Maybe that is there and null.
func Null[T any]() Maybe[T] { return Maybe[T]{Null: true} }

// Get returns the value, and false if the member is absent or null.
func (m Maybe[T]) Get() (T, bool) { return m.Value, m.Set }

// Or returns the value, or v if there is none.
func (m Maybe[T]) Or(v T) T {
	if m.Set {
		return m.Value
	}
	return v
}

// IsZero tells whether the member is absent, for encoding/json's omitzero.
func (m Maybe[T]) IsZero() bool { return !m.Set && !m.Null }

// MarshalJSON writes the value; null if there is none.
func (m Maybe[T]) MarshalJSON() ([]byte, error) { return marshalIf(m.Set, m.Value) }

// UnmarshalJSON reads a value or null.
func (m *Maybe[T]) UnmarshalJSON(data []byte) error {
	set, err := unmarshalIf(data, &m.Value)
	m.Set, m.Null = set, !set && err == nil
	return err
}

func marshalIf(set bool, v any) ([]byte, error) {
	if !set {
		return []byte("null"), nil
	}
	return json.Marshal(v)
}

func unmarshalIf[T any](data []byte, v *T) (bool, error) {
	var zero T
	*v = zero
	if string(data) == "null" {
		return false, nil
	}
	err := json.Unmarshal(data, v)
	return err == nil, err
}

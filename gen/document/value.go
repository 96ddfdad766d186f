package document

import "iter"

// Kind is the kind of a JSON value.
type Kind uint8

// The six kinds of JSON value; the zero Kind is no value.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// String names the kind as RFC 8259 does.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "nothing"
}

// Value is one JSON value with its place in the file. It is read-only.
type Value struct {
	Kind    Kind
	Offset  int      // byte offset of the first byte
	End     int      // byte offset after the last byte
	Members []Member // of an object, in document order
	Items   []*Value // of an array
	Text    string   // of a string: its content, unescaped; of a number: its text as written
	Bool    bool     // of a boolean
	file    *File
}

// Member is one member of an object.
type Member struct {
	Name       string // unescaped
	NameOffset int    // byte offset of the opening quote of the name
	Value      *Value
}

// File gives the file the value was read from.
func (v *Value) File() *File { return v.file }

// Raw gives the bytes of the value as written; the caller must not change them.
func (v *Value) Raw() []byte { return v.file.Data[v.Offset:v.End:v.End] }

// Position gives line and column of the value's first byte, both from 1.
func (v *Value) Position() (line, column int) { return v.file.Position(v.Offset) }

// Get gives the member called name of an object, or nil.
func (v *Value) Get(name string) *Value {
	if m := v.Member(name); m != nil {
		return m.Value
	}
	return nil
}

// Member gives the member called name with its own position, or nil.
func (v *Value) Member(name string) *Member {
	if v == nil || v.Kind != Object {
		return nil
	}
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i]
		}
	}
	return nil
}

// StringMember gives the content of a member that is a string, else "".
func (v *Value) StringMember(name string) string {
	if m := v.Get(name); m != nil && m.Kind == String {
		return m.Text
	}
	return ""
}

// All visits the value and everything below it, parents first, with the JSON
// Pointer of each, in document order.
func (v *Value) All() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) { v.all("", yield) }
}

func (v *Value) all(pointer string, yield func(string, *Value) bool) bool {
	if !yield(pointer, v) {
		return false
	}
	for _, m := range v.Members {
		if !m.Value.all(pointer+"/"+EscapeToken(m.Name), yield) {
			return false
		}
	}
	for i, item := range v.Items {
		if !item.all(indexPointer(pointer, i), yield) {
			return false
		}
	}
	return true
}

package document

import "iter"

// Place is where something stands: a JSON Pointer into a file, and the value there.
type Place struct {
	Value   *Value // nil: nothing is there
	Pointer string
}

// Top is the place of the value that a file consists of.
func (f *File) Top() Place { return Place{f.Root, ""} }

// File gives the file of the place; there must be something.
func (p Place) File() *File { return p.Value.file }

// Member gives the place of a member of an object.
func (p Place) Member(name string) Place {
	return Place{p.Value.Get(name), p.Pointer + "/" + EscapeToken(name)}
}

// Members gives the places of all members of an object, by name, in document order.
func (p Place) Members() iter.Seq2[string, Place] {
	return func(yield func(string, Place) bool) {
		if p.Value == nil {
			return
		}
		for _, m := range p.Value.Members {
			if !yield(m.Name, Place{m.Value, p.Pointer + "/" + EscapeToken(m.Name)}) {
				return
			}
		}
	}
}

// Item gives the place of an element of an array.
func (p Place) Item(i int) Place {
	at := Place{nil, indexPointer(p.Pointer, i)}
	if p.Value != nil && i < len(p.Value.Items) {
		at.Value = p.Value.Items[i]
	}
	return at
}

// Location writes the place as "FILE#/pointer".
func (p Place) Location() string { return p.File().Name + "#" + p.Pointer }

// Errorf makes an *Error at the place.
func (p Place) Errorf(format string, args ...any) *Error {
	return p.File().Errorf(p.Value, p.Pointer, format, args...)
}

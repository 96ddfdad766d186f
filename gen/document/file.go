package document

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Form is the kind of document a file holds.
type Form uint8

// The forms Parse tells apart. Anything else is FormUnknown: it is JSON, but
// nothing that can hold a schema (an array, say).
const (
	FormUnknown Form = iota
	JSONSchema
	OpenAPI
	EventDefinition
)

// String names the form for messages.
func (f Form) String() string {
	switch f {
	case JSONSchema:
		return "JSON Schema"
	case OpenAPI:
		return "OpenAPI description"
	case EventDefinition:
		return "event definition"
	}
	return "unknown kind of document"
}

// File is one document that was read. It is read-only.
type File struct {
	Name    string // as given to Parse: a path, relative or absolute, or a URI
	Data    []byte // JSON: the bytes as read, or what a document in YAML stands for
	SHA256  string // of the bytes as read, lower-case hexadecimal
	Root    *Value
	Form    Form
	Dialect string   // $schema or jsonSchemaDialect as written, "" when not given
	Version string   // of an OpenAPI description: its openapi member
	Event   *Event   // of an event definition
	base    string   // of a description that has $self: what that says
	places  []placed // of a document in YAML: where each thing stood
	lines   []int    // offset of the first byte of each line
	marks   []mark   // within long lines, so that no position costs a whole line
}

// Parse reads one document: as YAML where its name ends in .yaml or .yml, as
// JSON otherwise. The name is a path or a URI; it appears in errors and is what
// relative references inside the document start from. Parse keeps data; the
// caller must not change it. Errors are *Error.
func Parse(name string, data []byte) (*File, error) {
	return parse(name, data, IsYAML(name))
}

// ParseYAML reads one document as YAML, whatever its name.
func ParseYAML(name string, data []byte) (*File, error) { return parse(name, data, true) }

func parse(name string, data []byte, yaml bool) (*File, error) {
	sum := sha256.Sum256(data)
	f := &File{Name: name, Data: data, SHA256: hex.EncodeToString(sum[:])}
	if yaml {
		if err := f.readYAML(data); err != nil {
			return nil, err
		}
	}
	f.index()
	root, err := (&parser{file: f, data: f.Data}).document()
	if err != nil {
		return nil, err
	}
	f.Root = root
	if err := f.classify(); err != nil {
		return nil, err
	}
	return f, nil
}

// classify finds out which form of document the file is.
func (f *File) classify() error {
	switch {
	case f.Root.Kind == Bool:
		f.Form = JSONSchema
	case f.Root.Kind != Object:
		f.Form = FormUnknown
	case f.Root.Get("openapi") != nil:
		return f.classifyOpenAPI()
	case f.Root.Get("swagger") != nil:
		return f.Errorf(f.Root.Get("swagger"), "/swagger", "Swagger 2.0 is not read; convert the document to OpenAPI 3.1")
	case f.Root.Get("topic") != nil && f.Root.Get("payloadSchema") != nil:
		return f.classifyEvent()
	default:
		f.Form = JSONSchema
		f.Dialect = f.Root.StringMember("$schema")
	}
	return nil
}

func (f *File) classifyOpenAPI() error {
	v := f.Root.Get("openapi")
	if v.Kind != String || !strings.HasPrefix(v.Text, "3.") {
		return f.Errorf(v, "/openapi", "OpenAPI version 3.0, 3.1 or 3.2 was expected, as a string")
	}
	f.Form, f.Version = OpenAPI, v.Text
	f.Dialect = f.Root.StringMember("jsonSchemaDialect")
	return f.readSelf()
}

// readSelf reads the URI that a description says is its own (OpenAPI 3.2.0, OpenAPI Object, $self).
func (f *File) readSelf() error {
	self := f.Root.Get("$self")
	if self == nil || f.Edition() < OpenAPI32 {
		return nil
	}
	if self.Kind != String {
		return f.Errorf(self, "/$self", "$self must be a string, not a %s", self.Kind)
	}
	uri, _, err := ResolveURI(CleanURI(f.Name), self.Text)
	if err != nil {
		return f.Errorf(self, "/$self", "%v", err)
	}
	if strings.Contains(self.Text, "#") {
		return f.Errorf(self, "/$self", "$self must be a URI reference without fragment")
	}
	f.base = CleanURI(uri)
	return nil
}

// Base gives the URI or path that relative references in the file start from: the name of the file, or what a
// description says with $self. (An $id inside a schema is the business of package schema.)
func (f *File) Base() string {
	if f.base != "" {
		return f.base
	}
	return CleanURI(f.Name)
}

// Edition is a version of the OpenAPI specification without its patch number, which changes no meaning (OpenAPI 3.2.0,
// Versions and Deprecation).
type Edition uint8

// The editions that are read.
const (
	OpenAPI30 Edition = iota + 1
	OpenAPI31
	OpenAPI32
)

// Edition gives the edition that a description is written in, 0 where it is none of those that are read.
func (f *File) Edition() Edition {
	if f.Form != OpenAPI {
		return 0
	}
	switch number, _, _ := strings.Cut(strings.TrimPrefix(f.Version, "3."), "."); number {
	case "0":
		return OpenAPI30
	case "1":
		return OpenAPI31
	case "2":
		return OpenAPI32
	}
	return 0
}

// Position gives line and column of a byte offset of Data in the text as it was
// read: both from 1, the column in code points.
func (f *File) Position(offset int) (line, column int) {
	if f.places != nil {
		return f.position(offset)
	}
	offset = min(max(offset, 0), len(f.Data))
	i := sort.SearchInts(f.lines, offset+1) - 1
	from := mark{offset: f.lines[i]}
	if k := sort.Search(len(f.marks), func(k int) bool { return f.marks[k].offset > offset }) - 1; k >= 0 && f.marks[k].offset > from.offset {
		from = f.marks[k]
	}
	return i + 1, from.column + utf8.RuneCount(f.Data[from.offset:offset]) + 1
}

// mark is a place within a line, with the number of code points before it.
type mark struct{ offset, column int }

// stride is how many bytes of a line go by between marks. Documents without line
// breaks are common, and long.
const stride = 512

// index notes where lines begin, and marks within long ones.
func (f *File) index() {
	f.lines = append(f.lines, 0)
	last := mark{}
	for i, c := range f.Data {
		switch {
		case c == '\n':
			f.lines = append(f.lines, i+1)
			last = mark{offset: i + 1}
		case i-last.offset >= stride && utf8.RuneStart(c):
			last = mark{i, last.column + utf8.RuneCount(f.Data[last.offset:i])}
			f.marks = append(f.marks, last)
		}
	}
}

// Errorf makes an *Error at a value of this file.
func (f *File) Errorf(v *Value, pointer, format string, args ...any) *Error {
	return f.errorAt(v.Offset, pointer, fmt.Sprintf(format, args...))
}

func (f *File) errorAt(offset int, pointer, reason string) *Error {
	line, column := f.Position(offset)
	return &Error{File: f.Name, Line: line, Column: column, Pointer: pointer, Reason: reason}
}

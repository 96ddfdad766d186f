// Package script reads the scripts of stand-ins strictly: a member that nothing would act on is an error, and every
// error names the place (a JSON pointer) and what was expected there, so that a loader can turn it into file, line
// and column.
package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Error says where a script is wrong and what was expected.
type Error struct {
	Pointer string // RFC 6901, relative to the script
	Reason  string // what was expected; never quotes a value
}

func (e *Error) Error() string {
	at := e.Pointer
	if at == "" {
		at = "(root)"
	}
	return at + ": " + e.Reason
}

// Errorf builds an [Error]; the path elements are member names (strings) and indexes (ints).
func Errorf(path []any, format string, args ...any) *Error {
	return &Error{Pointer: Pointer(path...), Reason: fmt.Sprintf(format, args...)}
}

// Pointer joins member names (strings) and indexes (ints) to a JSON pointer.
func Pointer(path ...any) string {
	var b strings.Builder
	for _, p := range path {
		b.WriteByte('/')
		switch p := p.(type) {
		case int:
			b.WriteString(strconv.Itoa(p))
		default:
			b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(p)))
		}
	}
	return b.String()
}

// Shorthand is implemented by (pointers to) script types that may also be written as something shorter than an
// object, such as a string. Expand is given the raw JSON of anything that is not an object and sets the value, or
// says what was expected.
type Shorthand interface {
	Expand(raw json.RawMessage) error
}

// Decode reads one JSON value into the struct that into points to. Unlike encoding/json it refuses members that the
// struct does not have (at any depth), repeated members and trailing data, compares names exactly, and names the
// place. Members of type json.RawMessage take anything.
func Decode(data []byte, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return errors.New("script.Decode needs a pointer")
	}
	return decode(data, v.Elem(), nil)
}

var (
	rawType       = reflect.TypeFor[json.RawMessage]()
	shorthandType = reflect.TypeFor[Shorthand]()
)

func decode(data []byte, v reflect.Value, path []any) error {
	data = bytes.Trim(data, " \t\r\n") // the white space of JSON, which is not all of Unicode
	if v.Type() == rawType {
		if !json.Valid(data) {
			return Errorf(path, "expected one JSON value")
		}
		v.SetBytes(slices.Clone(data))
		return nil
	}
	if reflect.PointerTo(v.Type()).Implements(shorthandType) && !bytes.HasPrefix(data, []byte("{")) {
		if err := v.Addr().Interface().(Shorthand).Expand(data); err != nil {
			return Errorf(path, "%s", err.Error())
		}
		return nil
	}
	if string(data) == "null" {
		return Errorf(path, "expected %s, not null; leave the member out instead", want(v.Type()))
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decode(data, v.Elem(), path)
	case reflect.Struct:
		return decodeStruct(data, v, path)
	case reflect.Slice:
		return decodeSlice(data, v, path)
	case reflect.Map:
		return decodeMap(data, v, path)
	}
	if err := json.Unmarshal(data, v.Addr().Interface()); err != nil {
		return Errorf(path, "expected %s", want(v.Type()))
	}
	return nil
}

func decodeStruct(data []byte, v reflect.Value, path []any) error {
	fields := map[string][]int{}
	collect(v.Type(), nil, fields)
	return eachMember(data, path, func(name string, value json.RawMessage) error {
		at := append(slices.Clone(path), name)
		index, ok := fields[name]
		if !ok {
			return Errorf(at, "no such member%s; known here: %s", nearest(name, fields), strings.Join(names(fields), ", "))
		}
		return decode(value, v.FieldByIndex(index), at)
	})
}

// collect maps the JSON names of t's fields, those of embedded structs included, to their indexes.
func collect(t reflect.Type, prefix []int, into map[string][]int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(prefix), i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			collect(f.Type, index, into)
		case f.IsExported() && name != "" && name != "-":
			into[name] = index
		}
	}
}

func decodeSlice(data []byte, v reflect.Value, path []any) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return Errorf(path, "expected %s", want(v.Type()))
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if err := decode(item, v.Index(i), append(slices.Clone(path), i)); err != nil {
			return err
		}
	}
	return nil
}

func decodeMap(data []byte, v reflect.Value, path []any) error {
	v.Set(reflect.MakeMap(v.Type()))
	return eachMember(data, path, func(name string, value json.RawMessage) error {
		item := reflect.New(v.Type().Elem()).Elem()
		if err := decode(value, item, append(slices.Clone(path), name)); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name), item)
		return nil
	})
}

// eachMember calls f for every member of the object in data, in order.
func eachMember(data []byte, path []any, f func(name string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return Errorf(path, "expected an object")
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return Errorf(path, "malformed JSON: %v", err)
		}
		name := t.(string) // the decoder gives nothing else in this place
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return Errorf(append(slices.Clone(path), name), "malformed JSON: %v", err)
		}
		if seen[name] {
			return Errorf(append(slices.Clone(path), name), "the member is given twice")
		}
		seen[name] = true
		if err := f(name, value); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return Errorf(path, "malformed JSON: %v", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Errorf(path, "expected nothing after the value")
	}
	return nil
}

// want names the JSON that t takes.
func want(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return want(t.Elem())
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		return "an array"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "an integer"
	}
	return "a number"
}

func names(fields map[string][]int) []string {
	var out []string
	for name := range fields {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// nearest proposes the known name closest to the given one, if any is close.
func nearest(name string, fields map[string][]int) string {
	best, least := "", 3
	for _, known := range names(fields) {
		if d := distance(name, known); d < least {
			best, least = known, d
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// distance is the number of single-character edits between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

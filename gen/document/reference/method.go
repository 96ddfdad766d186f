package reference

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// Operation is an operation of a path item.
type Operation struct {
	Method string // as it is sent
	At     document.Place
}

// Operations lists the operations of a path item, in document order: those under the names of methods, and as of 3.2
// those of additionalOperations, whose methods are written as they are sent (OpenAPI 3.2.0, Path Item Object).
func (l Layout) Operations(item document.Place) ([]Operation, error) {
	l = l.In(item.File())
	var out []Operation
	for name, at := range item.Members() {
		part, ok := l.PartOf(PathItem, name)
		switch {
		case !ok || part.Kind != operation:
		case part.Form == One:
			out = append(out, Operation{strings.ToUpper(name), at})
		default:
			for method, at := range at.Members() {
				if err := l.additional(method, at); err != nil {
					return nil, err
				}
				out = append(out, Operation{method, at})
			}
		}
	}
	return out, nil
}

// additional refuses what cannot be a key of additionalOperations.
func (l Layout) additional(method string, at document.Place) error {
	field := strings.ToLower(method)
	if part, ok := l.PartOf(PathItem, field); ok && part == (Part{operation, One}) && method == strings.ToUpper(field) {
		return at.Errorf("additionalOperations cannot have the method %s; the path item has it under %q", method, field)
	}
	if method == "" || slices.ContainsFunc([]byte(method), func(c byte) bool { return !isTokenByte(c) }) {
		return at.Errorf("the key of an additional operation must be the name of an HTTP method, not %q", method)
	}
	return nil
}

// isTokenByte tells the characters of which the name of a method is made (RFC 9110, 5.6.2 and 9.1).
func isTokenByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

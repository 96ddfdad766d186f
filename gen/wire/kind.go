package wire

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds. KindInvalid stands where no value starts.
const (
	KindInvalid Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// String is the name JSON Schema gives the kind.
func (k Kind) String() string {
	switch k {
	case KindNull:
		return "null"
	case KindBool:
		return "boolean"
	case KindNumber:
		return "number"
	case KindString:
		return "string"
	case KindArray:
		return "array"
	case KindObject:
		return "object"
	}
	return "no value"
}

// kinds maps the first byte of a value to its kind.
var kinds = [256]Kind{
	'n': KindNull, 't': KindBool, 'f': KindBool, '"': KindString, '[': KindArray, '{': KindObject, '-': KindNumber,
	'0': KindNumber, '1': KindNumber, '2': KindNumber, '3': KindNumber, '4': KindNumber,
	'5': KindNumber, '6': KindNumber, '7': KindNumber, '8': KindNumber, '9': KindNumber,
}

// isSpace tells the four white-space bytes of RFC 8259 section 2.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// skipSpace returns the offset of the first byte at or after i that is no
// white space.
func skipSpace(data []byte, i int) int {
	for i < len(data) && isSpace(data[i]) {
		i++
	}
	return i
}

package document

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// MaxDepth is how deep objects and arrays may nest in a document.
	MaxDepth = 1000
	// maxExponent bounds the exponent of a number, so that arithmetic on
	// numbers stays cheap whatever a document says.
	maxExponent = 999_999_999
)

// parser reads one document. Errors travel as panics of *Error up to Parse:
// the reader is recursive and nothing in it can go on after an error.
type parser struct {
	file  *File
	data  []byte
	pos   int
	depth int
	path  []step
}

// step is one level of the path to the value being read; a name or an index.
type step struct {
	name  string
	index int
	array bool
}

func (p *parser) fail(at int, format string, args ...any) {
	pointer := ""
	for _, s := range p.path {
		if s.array {
			pointer = indexPointer(pointer, s.index)
		} else {
			pointer += "/" + EscapeToken(s.name)
		}
	}
	panic(p.file.errorAt(at, pointer, fmt.Sprintf(format, args...)))
}

// document reads the one value of a document and what surrounds it.
func (p *parser) document() (root *Value, err *Error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			root, err = nil, e
		}
	}()
	if bytes.HasPrefix(p.data, []byte("\xef\xbb\xbf")) {
		p.fail(0, "the document begins with a byte order mark; write it as UTF-8 without one")
	}
	p.space()
	if p.pos == len(p.data) {
		p.fail(p.pos, "the document is empty; a JSON value was expected")
	}
	root = p.value()
	p.space()
	if p.pos < len(p.data) {
		p.fail(p.pos, "bytes after the end of the document; it must be one JSON value")
	}
	return root, nil
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *parser) value() *Value {
	v := &Value{Offset: p.pos, file: p.file}
	switch c := p.peek(); {
	case p.pos == len(p.data):
		p.fail(p.pos, "the document ends where a value was expected")
	case c == '{':
		p.object(v)
	case c == '[':
		p.array(v)
	case c == '"':
		v.Kind, v.Text = String, p.text()
	case c == '-' || (c >= '0' && c <= '9'):
		v.Kind, v.Text = Number, p.number()
	case c == 't':
		p.literal("true")
		v.Kind, v.Bool = Bool, true
	case c == 'f':
		p.literal("false")
		v.Kind = Bool
	case c == 'n':
		p.literal("null")
		v.Kind = Null
	default:
		p.fail(p.pos, "%s where a JSON value was expected", p.seen())
	}
	v.End = p.pos
	return v
}

// seen describes the character at the reading position for an error.
func (p *parser) seen() string {
	if p.pos == len(p.data) {
		return "end of the document"
	}
	r, size := utf8.DecodeRune(p.data[p.pos:])
	if r == utf8.RuneError && size == 1 {
		return "invalid UTF-8"
	}
	return strconv.QuoteRune(r)
}

func (p *parser) literal(word string) {
	if !bytes.HasPrefix(p.data[p.pos:], []byte(word)) {
		p.fail(p.pos, "%s where a JSON value was expected (perhaps %s)", p.seen(), word)
	}
	p.pos += len(word)
}

func (p *parser) enter() {
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.pos, "nested deeper than %d levels", MaxDepth)
	}
	p.pos++
	p.space()
}

func (p *parser) object(v *Value) {
	v.Kind = Object
	p.enter()
	defer func() { p.depth-- }()
	if p.peek() == '}' {
		p.pos++
		return
	}
	// Small objects are searched, large ones get an index: linear in all cases.
	var index map[string]struct{}
	for {
		if p.peek() != '"' {
			p.fail(p.pos, "%s where a member name was expected", p.seen())
		}
		m := Member{NameOffset: p.pos}
		m.Name = p.text()
		repeated := false
		if index == nil {
			for i := range v.Members {
				repeated = repeated || v.Members[i].Name == m.Name
			}
			if len(v.Members) >= 16 {
				index = make(map[string]struct{}, 64)
				for i := range v.Members {
					index[v.Members[i].Name] = struct{}{}
				}
			}
		} else {
			_, repeated = index[m.Name]
		}
		if repeated {
			p.fail(m.NameOffset, "the member name %q is used twice in one object", m.Name)
		}
		if index != nil {
			index[m.Name] = struct{}{}
		}
		p.space()
		if p.peek() != ':' {
			p.fail(p.pos, "%s where %q was expected after a member name", p.seen(), ":")
		}
		p.pos++
		p.space()
		p.path = append(p.path, step{name: m.Name})
		m.Value = p.value()
		p.path = p.path[:len(p.path)-1]
		v.Members = append(v.Members, m)
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
			p.space()
		case '}':
			p.pos++
			return
		default:
			p.fail(p.pos, "%s where %q or %q was expected", p.seen(), ",", "}")
		}
	}
}

func (p *parser) array(v *Value) {
	v.Kind = Array
	p.enter()
	defer func() { p.depth-- }()
	if p.peek() == ']' {
		p.pos++
		return
	}
	for {
		p.path = append(p.path, step{array: true, index: len(v.Items)})
		v.Items = append(v.Items, p.value())
		p.path = p.path[:len(p.path)-1]
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
			p.space()
		case ']':
			p.pos++
			return
		default:
			p.fail(p.pos, "%s where %q or %q was expected", p.seen(), ",", "]")
		}
	}
}

func (p *parser) number() string {
	start := p.pos
	if p.peek() == '-' {
		p.pos++
	}
	if p.peek() == '0' {
		p.pos++
		if c := p.peek(); c >= '0' && c <= '9' {
			p.fail(start, "a number may not begin with 0 followed by a digit")
		}
	} else {
		p.digits()
	}
	if p.peek() == '.' {
		p.pos++
		p.digits()
	}
	mantissa := p.data[start:p.pos]
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		negative := p.peek() == '-'
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		at := p.pos
		p.digits()
		n, err := strconv.ParseInt(string(p.data[at:p.pos]), 10, 64)
		if negative {
			n = -n
		}
		// The same value may be written with the point elsewhere, so its first and last digit count as well.
		first, last := significant(mantissa)
		if err != nil || max(n, -n, first+n, -first-n, last+n, -last-n) > maxExponent {
			p.fail(start, "the exponent of the number is beyond %d", maxExponent)
		}
	}
	return string(p.data[start:p.pos])
}

// significant gives the powers of ten of the first and the last digit of a number
// that are not 0; 0 and 0 where there is none.
func significant(mantissa []byte) (first, last int64) {
	whole := bytes.IndexByte(mantissa, '.')
	if whole < 0 {
		whole = len(mantissa)
	}
	seen := false
	for i, c := range mantissa {
		if c < '1' || c > '9' {
			continue
		}
		power := int64(whole - i) // of a digit behind the point
		if i < whole {
			power--
		}
		if !seen {
			first, seen = power, true
		}
		last = power
	}
	return first, last
}

func (p *parser) digits() {
	start := p.pos
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.pos++
	}
	if p.pos == start {
		p.fail(p.pos, "%s where a digit was expected", p.seen())
	}
}

// text reads a string and gives its content.
func (p *parser) text() string {
	start := p.pos
	p.pos++
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == '"':
			p.pos++
			return string(p.data[start+1 : p.pos-1])
		case c == '\\':
			return p.escaped(start)
		default:
			p.plain()
		}
	}
	p.fail(start, "the string has no closing quote")
	return ""
}

// plain steps over one character that stands for itself.
func (p *parser) plain() {
	c := p.data[p.pos]
	if c < 0x20 {
		p.fail(p.pos, "control character %#02x inside a string must be escaped", c)
	}
	if c < utf8.RuneSelf {
		p.pos++
		return
	}
	r, size := utf8.DecodeRune(p.data[p.pos:])
	if r == utf8.RuneError && size == 1 {
		p.fail(p.pos, "invalid UTF-8 inside a string")
	}
	p.pos += size
}

// escaped reads the rest of a string whose first escape is at p.pos.
func (p *parser) escaped(start int) string {
	out := append([]byte(nil), p.data[start+1:p.pos]...)
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		switch {
		case c == '"':
			p.pos++
			return string(out)
		case c == '\\':
			at := p.pos
			p.pos++
			e := p.peek()
			p.pos++
			switch e {
			case '"', '\\', '/':
				out = append(out, e)
			case 'b':
				out = append(out, '\b')
			case 'f':
				out = append(out, '\f')
			case 'n':
				out = append(out, '\n')
			case 'r':
				out = append(out, '\r')
			case 't':
				out = append(out, '\t')
			case 'u':
				r := p.hex(at)
				if utf16.IsSurrogate(r) {
					if !bytes.HasPrefix(p.data[p.pos:], []byte(`\u`)) {
						p.fail(at, "a surrogate escape without its other half")
					}
					p.pos += 2
					if r = utf16.DecodeRune(r, p.hex(at)); r == utf8.RuneError {
						p.fail(at, "a surrogate escape without its other half")
					}
				}
				out = utf8.AppendRune(out, r)
			default:
				p.fail(at, "unknown escape in a string")
			}
		default:
			at := p.pos
			p.plain()
			out = append(out, p.data[at:p.pos]...)
		}
	}
	p.fail(start, "the string has no closing quote")
	return ""
}

// hex reads the four digits of a \u escape that began at offset at.
func (p *parser) hex(at int) rune {
	if p.pos+4 > len(p.data) {
		p.fail(at, "a \\u escape needs four hexadecimal digits")
	}
	var r rune
	for _, c := range p.data[p.pos : p.pos+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			p.fail(at, "a \\u escape needs four hexadecimal digits")
		}
		r = r<<4 | rune(c)
	}
	p.pos += 4
	return r
}

package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// textCode is what a scan of a string found.
type textCode uint8

const (
	textPlain   textCode = iota // the content is the bytes as they stand
	textEscaped                 // the content has escapes
	textOpen
	textControl
	textUTF8
	textEscape
	textSurrogate
)

func (c textCode) want() string {
	switch c {
	case textOpen:
		return "the closing quotation mark of the string"
	case textControl:
		return "control characters in strings written as escapes"
	case textUTF8:
		return "UTF-8"
	case textEscape:
		return `one of the escapes \" \\ \/ \b \f \n \r \t \uXXXX`
	case textSurrogate:
		return "surrogate escapes in pairs"
	}
	return "a string"
}

// Word-at-a-time search: ones and tops have the lowest and the highest bit of
// each byte set.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// stops marks, in the top bit of each byte of w, the bytes that end a run of
// plain string content: quotation mark, backslash, control characters and
// bytes of several-byte characters. The lowest mark is exact; those above a
// mark may be false.
//
// The quotation mark with its second bit turned over is the number behind the control characters, which stay among
// themselves: one comparison finds both.
func stops(w uint64) uint64 {
	return (w | ((w ^ ones*0x02) - ones*0x21) | ((w ^ ones*'\\') - ones)) & tops
}

// load64 is the word of the eight bytes from i on. The caller has made sure of
// 0 <= i <= len(data)-8; the compiler cannot see that, and its check would cost
// a fifth of the time of reading.
func load64(data []byte, i int) uint64 {
	p := (*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), i))
	return binary.LittleEndian.Uint64(p[:])
}

// plainEnd returns the offset of the quotation mark that closes the string whose content starts at i, where nothing but
// plain content stands before it. Where that takes a closer look it returns the complement of the offset from which on
// [scanString] has to look.
func plainEnd(data []byte, i int) int {
	for i <= len(data)-8 {
		if m := stops(load64(data, i)); m != 0 {
			i += bits.TrailingZeros64(m) >> 3
			if data[i] != '"' {
				return ^i
			}
			return i
		}
		i += 8
	}
	return ^i
}

// store64 puts a word into the eight bytes from i on, see load64.
func store64(data []byte, i int, w uint64) {
	p := (*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), i))
	binary.LittleEndian.PutUint64(p[:], w)
}

// plain marks the bytes that stops does not.
var plain = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// scanString checks the content of a string from i on and returns the offset of
// its closing quotation mark, or of the error.
func scanString(data []byte, i int) (int, textCode) {
	code := textPlain
	for {
		for i <= len(data)-8 {
			if m := stops(load64(data, i)); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				goto stop
			}
			i += 8
		}
		for i < len(data) && plain[data[i]] {
			i++
		}
		if i >= len(data) {
			return i, textOpen
		}
	stop:
		switch c := data[i]; {
		case c == '"':
			return i, code
		case c == '\\':
			if i+1 < len(data) && shortEscapes[data[i+1]] != 0 {
				i += 2
				code = textEscaped
				continue
			}
			n, bad := scanEscape(data, i)
			if bad != textPlain {
				return i, bad
			}
			i += n
			code = textEscaped
		case c < 0x20:
			return i, textControl
		case i <= len(data)-4 && simple(data, i):
			i += int(leads[c])
		default:
			if i = scanUTF8(data, i); i < 0 {
				return ^i, textUTF8
			}
		}
	}
}

// scanUTF8 passes over several-byte characters from i on and returns the
// offset of the first byte of another sort, or the complement of the offset of
// a malformed character.
func scanUTF8(data []byte, i int) int {
	for i < len(data) && data[i] >= utf8.RuneSelf {
		c := data[i]
		switch {
		case c >= 0xe1 && c <= 0xec || c == 0xee || c == 0xef:
			if i+3 > len(data) || data[i+1]&0xc0 != 0x80 || data[i+2]&0xc0 != 0x80 {
				return ^i
			}
			i += 3
		case c >= 0xc2 && c <= 0xdf:
			if i+2 > len(data) || data[i+1]&0xc0 != 0x80 {
				return ^i
			}
			i += 2
		case c >= 0xf1 && c <= 0xf3 || c == 0xf0 && i+1 < len(data) && data[i+1] >= 0x90:
			if i+4 > len(data) || data[i+1]&0xc0 != 0x80 || data[i+2]&0xc0 != 0x80 || data[i+3]&0xc0 != 0x80 {
				return ^i
			}
			i += 4
		default:
			ru, n := utf8.DecodeRune(data[i:])
			if ru == utf8.RuneError && n <= 1 {
				return ^i
			}
			i += n
		}
	}
	return i
}

// leads has the length of the characters that start with a byte, where any continuation bytes may follow that one.
var leads = func() (t [256]uint8) {
	for c := 0xc2; c <= 0xf3; c++ {
		switch {
		case c < 0xe0:
			t[c] = 2
		case c > 0xe0 && c < 0xf0 && c != 0xed:
			t[c] = 3
		case c > 0xf0:
			t[c] = 4
		}
	}
	return t
}()

// continued are, by the length of a character, the bits that tell continuation bytes and what they must be.
var continued = [...]struct{ mask, want uint32 }{2: {0xc000, 0x8000}, 3: {0xc0c000, 0x808000}, 4: {0xc0c0c000, 0x80808000}}

// simple tells whether a sound character of the kind that leads knows starts at i; four bytes stand there.
func simple(data []byte, i int) bool {
	n := leads[data[i]]
	if n == 0 {
		return false
	}
	c := &continued[n]
	return binary.LittleEndian.Uint32(data[i:i+4])&c.mask == c.want
}

// shortEscapes are the escapes of two bytes: by their second one, what they stand for.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// scanEscape checks the escape at i, which is no short one, and returns its
// length; a surrogate pair counts as one.
func scanEscape(data []byte, i int) (int, textCode) {
	if i+1 < len(data) && data[i+1] == 'u' {
		u, ok := hex4(data, i+2)
		if !ok {
			return 0, textEscape
		}
		if u < 0xd800 || u > 0xdfff {
			return 6, textPlain
		}
		if u >= 0xdc00 || i+8 > len(data) || data[i+6] != '\\' || data[i+7] != 'u' {
			return 0, textSurrogate
		}
		l, ok := hex4(data, i+8)
		if !ok {
			return 0, textEscape
		}
		if l < 0xdc00 || l > 0xdfff {
			return 0, textSurrogate
		}
		return 12, textPlain
	}
	return 0, textEscape
}

func hex4(data []byte, i int) (rune, bool) {
	if i+4 > len(data) {
		return 0, false
	}
	var v rune
	for _, c := range data[i : i+4] {
		v <<= 4
		switch {
		case c >= '0' && c <= '9':
			v |= rune(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v |= rune(c|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return v, true
}

// unescape appends the content of a checked string to b. It never reads past
// malformed input, but what it makes of it is of no use.
func unescape(b, s []byte) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			n := bytes.IndexByte(s[i:], '\\')
			if n < 0 {
				return append(b, s[i:]...)
			}
			b = append(b, s[i:i+n]...)
			i += n
		}
		if i+1 >= len(s) {
			return b
		}
		switch c := s[i+1]; c {
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			u, _ := hex4(s, i+2)
			if u >= 0xd800 && u <= 0xdbff {
				if l, ok := hex4(s, i+8); ok {
					u = 0x10000 + (u-0xd800)<<10 + (l - 0xdc00)
					i += 6
				}
			}
			b = utf8.AppendRune(b, u)
			i += 4
		default:
			b = append(b, c)
		}
		i += 2
	}
	return b
}

// Text consumes a string and returns its content. It is a slice of the input
// or, if the string has escapes, of scratch space that is good until the next
// call of a method of the reader.
func (r *Reader) Text() ([]byte, bool) {
	start, end, code := r.scanText()
	switch code {
	case textPlain:
		return r.data[start:end:end], true
	case textEscaped:
		r.scratch = unescape(r.scratch[:0], r.data[start:end])
		return r.scratch, true
	}
	return nil, false
}

// String consumes a string and returns its content, which stays good.
//
// It is no [fmt.Stringer]; the name is the one the other value methods suggest.
func (r *Reader) String() (string, bool) {
	if i := r.pos; uint(i) >= uint(len(r.data)) || r.data[i] != '"' {
		return "", r.badLiteral("a string")
	}
	text, end, code := r.keepText(r.pos + 1)
	if code > textEscaped {
		return "", r.textError(end, code.want())
	}
	r.pos = end + 1
	return text, true
}

// scanText checks the string at the position and moves behind it.
func (r *Reader) scanText() (start, end int, code textCode) {
	i := r.pos
	if uint(i) >= uint(len(r.data)) || r.data[i] != '"' {
		r.badLiteral("a string")
		return 0, 0, textOpen
	}
	i++
	if end = plainEnd(r.data, i); end < 0 {
		end, code = scanString(r.data, ^end)
		if code > textEscaped {
			r.textError(end, code.want())
			return 0, 0, code
		}
	}
	r.pos = end + 1
	return i, end, code
}

// TextWithin consumes a string and tells whether it has at least low and at
// most high code points; a negative high is no bound. It costs less than
// [Reader.Text] because escapes are counted, not resolved. ok is false if
// reading must stop.
func (r *Reader) TextWithin(low, high int) (within, ok bool) {
	start, end, code := r.scanText()
	if code > textEscaped {
		return false, false
	}
	raw := r.data[start:end]
	if code == textPlain {
		return (low <= 0 || MinRunes(raw, low)) && (high < 0 || MaxRunes(raw, high)), true
	}
	if low <= 1 && (high < 0 || len(raw) <= high) {
		return true, true // an escape is at least one code point, and longer written than meant
	}
	n := escapedRunes(raw)
	return n >= low && (high < 0 || n <= high), true
}

// escapedRunes is the number of code points of a checked string with escapes.
func escapedRunes(raw []byte) int {
	n := RuneCount(raw)
	for i := 0; ; {
		k := bytes.IndexByte(raw[i:], '\\')
		if k < 0 {
			return n
		}
		i += k
		switch {
		case raw[i+1] != 'u':
			n, i = n-1, i+2
		case raw[i+2]|0x20 == 'd' && raw[i+3] >= '8':
			n, i = n-11, i+12
		default:
			n, i = n-5, i+6
		}
	}
}

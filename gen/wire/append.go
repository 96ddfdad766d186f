package wire

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string with as few escapes as JSON allows.
// Bytes that are no UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	if cap(b)-len(b) < len(s)+2 {
		b = slices.Grow(b, len(s)+2)
	}
	data := unsafe.Slice(unsafe.StringData(s), len(s))
	out, j := b[:cap(b)], len(b)
	out[j] = '"'
	j++
	for i := 0; ; {
		// What is left of s makes at least as many bytes, so whole words can be stored before it is known how much of them
		// stays. There is room for it, and for one quotation mark.
		for i <= len(data)-8 {
			w := load64(data, i)
			store64(out, j, w)
			if m := stops(w); m != 0 {
				n := bits.TrailingZeros64(m) >> 3
				i += n
				j += n
				goto stop
			}
			i += 8
			j += 8
			for i <= len(data)-16 {
				w, x := load64(data, i), load64(data, i+8)
				if stops(w)|stops(x) != 0 {
					break
				}
				store64(out, j, w)
				store64(out, j+8, x)
				i += 16
				j += 16
			}
		}
		for i < len(data) && plain[data[i]] {
			out[j] = data[i]
			i++
			j++
		}
		if i >= len(data) {
			out[j] = '"'
			return out[:j+1]
		}
	stop:
		c := data[i]
		if c >= utf8.RuneSelf {
			n := scanUTF8(data, i)
			if n < 0 {
				n = ^n
				j += copy(out[j:], data[i:n])
				i = n + 1
				out, j = appendMore(out[:j], "\ufffd", len(data)-i)
				continue
			}
			if i <= len(data)-8 && n-i <= 8 {
				store64(out, j, load64(data, i))
			} else {
				copy(out[j:], data[i:n])
			}
			i, j = n, j+n-i
			continue
		}
		i++
		if short := shortEscape[c]; short != 0 && j+2+len(data)-i < len(out) {
			out[j], out[j+1] = '\\', short
			j += 2
			continue
		}
		out, j = appendMore(out[:j], escapes[c], len(data)-i)
	}
}

// appendMore appends s and makes room for rest bytes and one more behind it: the result is as long as its memory, used up
// to the length returned.
func appendMore(b []byte, s string, rest int) ([]byte, int) {
	b = slices.Grow(append(b, s...), rest+1)
	return b[:cap(b)], len(b)
}

// escapes are what bytes that cannot stand in a string are written as, and shortEscape the second byte of those that have
// two.
var escapes, shortEscape = func() (texts [utf8.RuneSelf]string, short [utf8.RuneSelf]byte) {
	for c := range byte(0x20) {
		texts[c] = `\u00` + string([]byte{hexDigits[c>>4], hexDigits[c&15]})
	}
	for c, second := range map[byte]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f'} {
		texts[c], short[c] = `\`+string([]byte{second}), second
	}
	return texts, short
}()

// AppendInt appends v.
func AppendInt(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) }

// AppendFloat appends the shortest text that reads back as f. JSON has no NaN
// and no infinities; they become null, which validation refuses before.
func AppendFloat(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(b, "null"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		b = strconv.AppendFloat(b, f, 'e', -1, 64)
		if n := len(b); b[n-4] == 'e' && b[n-2] == '0' { // e-07
			b[n-2] = b[n-1]
			b = b[:n-1]
		}
		return b
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// AppendBool appends true or false.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

// AppendNumber appends n as written; the empty Number is 0.
func AppendNumber(b []byte, n Number) []byte {
	if n == "" {
		return append(b, '0')
	}
	return append(b, n...)
}

// AppendRaw appends v as written; an empty Raw is null.
func AppendRaw(b []byte, v Raw) []byte {
	if len(v) == 0 {
		return append(b, "null"...)
	}
	return append(b, v...)
}

// AppendMembers appends members to an object whose opening brace b holds:
// each with a comma before it unless it comes right behind the brace.
func AppendMembers(b []byte, m Members) []byte {
	for i := range m {
		if len(b) > 0 && b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = AppendString(b, m[i].Name)
		b = append(b, ':')
		b = AppendRaw(b, m[i].Value)
	}
	return b
}

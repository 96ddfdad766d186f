package wire

import (
	"math"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string with as few escapes as JSON allows.
// Bytes that are no UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	data := unsafe.Slice(unsafe.StringData(s), len(s))
	done := 0
	for i := 0; ; {
		i = pass(data, i)
		if i >= len(data) {
			break
		}
		c := data[i]
		if c >= utf8.RuneSelf {
			if i = scanUTF8(data, i); i < 0 {
				i = ^i
				b = append(append(b, data[done:i]...), "\ufffd"...)
				i++
				done = i
			}
			continue
		}
		b = append(b, data[done:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		done = i
	}
	b = append(b, data[done:]...)
	return append(b, '"')
}

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

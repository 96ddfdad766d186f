package wire

import (
	"bytes"
	"math/bits"
)

// skipFrame is a container that Skip is in.
type skipFrame struct {
	frame int    // of the names of an object; arrayFrame for an array
	seen  uint64 // a bit for each name so far, see nameBit: one whose bit is not there is new
}

const arrayFrame = -1

// nameBit picks one of 64 bits by the key of a name.
func nameBit(key uint64) uint64 { return 1 << (key * keyLength >> 58) }

// Skip consumes any value, checked in full: grammar, UTF-8, escapes, repeated
// names and depth.
func (r *Reader) Skip() bool {
	data := r.data
	i := r.pos
	if len(r.ends) > 0 {
		if end, ok := r.ends[i]; ok {
			r.pos = end
			return true
		}
	}
	stack := r.stack[:0]
	var (
		c    byte
		at   int
		end  int
		code textCode
		top  = skipFrame{frame: arrayFrame} // the innermost container; those around it are on the stack
	)

value:
	if uint(i) >= uint(len(data)) {
		r.pos = i
		return r.noValue()
	}
	switch c = data[i]; c {
	case '"':
		// Most strings are short and plain: their end shows in the first words.
		i++
		for i <= len(data)-8 {
			m := stops(load64(data, i))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
			break
		}
		if uint(i) < uint(len(data)) && data[i] == '"' {
			i++
			break
		}
		end, code = scanString(data, i)
		if code > textEscaped {
			return r.textError(end, code.want())
		}
		i = end + 1
	case '{', '[':
		if r.depth+len(stack) >= r.maxDepth {
			return r.textError(i, wantDepth)
		}
		at = i
		i++
		if uint(i) < uint(len(data)) && data[i] <= ' ' {
			i = skipSpace(data, i)
		}
		if c == '[' {
			if uint(i) < uint(len(data)) && data[i] == ']' {
				i++
				break
			}
			stack = append(stack, top)
			top.frame = arrayFrame
			if r.looking {
				r.starts = append(r.starts, at)
			}
			goto value
		}
		if uint(i) < uint(len(data)) && data[i] == '}' {
			i++
			break
		}
		stack = append(stack, top)
		top = skipFrame{frame: len(r.names)}
		if r.looking {
			r.starts = append(r.starts, at)
		}
		goto name
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end = passNumber(data, i)
		if end < 0 {
			r.pos = i
			return r.badNumber(i, ^end)
		}
		i = end
	case 't':
		if i+4 > len(data) || string(data[i:i+4]) != "true" {
			return r.textError(i, "true")
		}
		i += 4
	case 'f':
		if i+5 > len(data) || string(data[i:i+5]) != "false" {
			return r.textError(i, "false")
		}
		i += 5
	case 'n':
		if i+4 > len(data) || string(data[i:i+4]) != "null" {
			return r.textError(i, "null")
		}
		i += 4
	default:
		if c <= ' ' && isSpace(c) {
			i = skipSpace(data, i)
			goto value
		}
		r.pos = i
		return r.noValue()
	}

	for len(stack) > 0 {
		if uint(i) < uint(len(data)) && data[i] <= ' ' {
			i = skipSpace(data, i)
		}
		if uint(i) >= uint(len(data)) {
			if top.frame == arrayFrame {
				return r.textError(i, wantCommaA)
			}
			return r.textError(i, wantComma)
		}
		c = data[i]
		if top.frame == arrayFrame {
			if c == ',' {
				i++
				goto value
			}
			if c != ']' {
				return r.textError(i, wantCommaA)
			}
		} else {
			if c == ',' {
				i++
				if uint(i) < uint(len(data)) && data[i] <= ' ' {
					i = skipSpace(data, i)
				}
				goto name
			}
			if c != '}' {
				return r.textError(i, wantComma)
			}
			if top.frame < len(r.names) {
				r.endFrame(top.frame)
			}
		}
		top = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		i++
		if r.looking {
			r.remember(i)
		}
	}
	r.stack = stack
	r.pos = i
	return true

name:
	if uint(i) >= uint(len(data)) || data[i] != '"' {
		return r.textError(i, wantName)
	}
	at = i
	i++
	code = textPlain
	for i <= len(data)-8 {
		m := stops(load64(data, i))
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		break
	}
	if uint(i) >= uint(len(data)) || data[i] != '"' {
		i, code = scanString(data, i)
		if code > textEscaped {
			return r.textError(i, code.want())
		}
	}
	end = i
	i++
	if uint(i) < uint(len(data)) && data[i] == ':' {
		i++
	} else {
		i = skipSpace(data, i)
		if i >= len(data) || data[i] != ':' {
			return r.textError(i, wantColon)
		}
		i++
	}
	if r.repeats {
		goto value
	}
	if n := end - at - 1; code == textPlain && len(r.names)-top.frame < linearNames && at < len(data)-8 {
		key := load64(data, at+1)
		if n < 8 {
			key &= 1<<(8*n&63) - 1
		}
		key ^= uint64(n) * keyLength
		if bit := nameBit(key); top.seen&bit == 0 {
			top.seen |= bit
			r.names = append(r.names, nameEntry{key: key, off: at + 1, n: n})
			goto value
		}
	} else {
		top.seen = ^uint64(0) // bits are not kept for all names: compare them from here on
	}
	if !r.note(top.frame, at+1, end, code) {
		return r.textError(at, wantUnique)
	}
	goto value
}

// rememberFrom is the size of containers from which on it pays to remember
// where they end.
const rememberFrom = 512

// remember keeps the end of the container that Skip closes while looking ahead:
// it is going to be read again, and where tags of nested objects come last,
// again and again.
func (r *Reader) remember(end int) {
	start := r.starts[len(r.starts)-1]
	r.starts = r.starts[:len(r.starts)-1]
	if end-start < rememberFrom {
		return
	}
	if r.ends == nil {
		r.ends = map[int]int{}
	}
	r.ends[start] = end
}

// note records the name written between start and end in the frame, unless it
// is there.
func (r *Reader) note(frame, start, end int, code textCode) bool {
	if code == textEscaped {
		n := len(r.arena)
		r.arena = unescape(r.arena, r.data[start:end])
		name := r.arena[n:]
		return r.addName(frame, nameEntry{key: nameKey(name), off: n, n: -1 - len(name)}, name)
	}
	name := r.data[start:end]
	e := nameEntry{key: nameKey(name), off: start, n: len(name)}
	names := r.names
	if len(names)-frame >= linearNames {
		return r.addHashed(frame, e, name)
	}
	for k := frame; k < len(names); k++ {
		if names[k].key == e.key && bytes.Equal(r.nameBytes(names[k]), name) {
			return false
		}
	}
	r.names = append(names, e)
	return true
}

// passNumber checks the number at i and returns its end, or the complement of
// the offset where it breaks the grammar.
func passNumber(data []byte, i int) int {
	if data[i] == '-' {
		i++
		if i >= len(data) {
			return ^i
		}
	}
	c := data[i] - '0'
	if c > 9 {
		return ^i
	}
	i++
	if c == 0 {
		if i < len(data) && data[i]-'0' <= 9 {
			return ^i
		}
	} else {
		for i < len(data) && data[i]-'0' <= 9 {
			i++
		}
	}
	if i < len(data) && data[i] == '.' {
		i++
		if i >= len(data) || data[i]-'0' > 9 {
			return ^i
		}
		for i < len(data) && data[i]-'0' <= 9 {
			i++
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if i >= len(data) || data[i]-'0' > 9 {
			return ^i
		}
		for i < len(data) && data[i]-'0' <= 9 {
			i++
		}
	}
	return i
}

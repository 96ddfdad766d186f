package wire

import "math/bits"

// Object consumes the opening brace; the caller has seen KindObject. It
// returns false if the nesting is too deep.
func (r *Reader) Object() bool { return r.open('{', "an object") }

// Array consumes the opening bracket; the caller has seen KindArray.
func (r *Reader) Array() bool { return r.open('[', "an array") }

func (r *Reader) open(c byte, want string) bool {
	i := r.pos
	if i >= len(r.data) {
		return r.noValue()
	}
	if r.data[i] != c {
		return r.badLiteral(want)
	}
	if r.depth >= r.maxDepth {
		return r.textError(i, wantDepth)
	}
	r.depth++
	r.first = true
	r.pos = i + 1
	return true
}

// Member moves to the value of the next member: its name is read, see
// [Reader.Name], and the colon consumed. It returns false behind the closing
// brace, or on an error; [Reader.EndObject] tells which.
func (r *Reader) Member() bool {
	data := r.data
	i := r.pos
	if uint(i) >= uint(len(data)) {
		return r.textError(i, wantComma)
	}
	c := data[i]
	if c <= ' ' {
		i = skipSpace(data, i)
		if uint(i) >= uint(len(data)) {
			return r.textError(i, wantComma)
		}
		c = data[i]
	}
	if c == '}' {
		r.pos = i + 1
		r.depth--
		r.first = false
		return false
	}
	if r.first {
		r.first = false
	} else {
		if c != ',' {
			return r.textError(i, wantComma)
		}
		i++
		if uint(i) >= uint(len(data)) {
			return r.textError(i, wantName)
		}
		c = data[i]
		if c <= ' ' {
			i = skipSpace(data, i)
			if uint(i) >= uint(len(data)) {
				return r.textError(i, wantName)
			}
			c = data[i]
		}
	}
	if c != '"' {
		return r.textError(i, wantName)
	}
	start := i + 1
	end := start
	for end <= len(data)-8 {
		m := stops(load64(data, end))
		if m == 0 {
			end += 8
			continue
		}
		end += bits.TrailingZeros64(m) >> 3
		break
	}
	r.nameAt = i
	if uint(end) >= uint(len(data)) || data[end] != '"' {
		var code textCode
		if end, code = scanString(data, end); code > textEscaped {
			return r.textError(end, code.want())
		}
		if r.nameEscaped = code == textEscaped; r.nameEscaped {
			r.nameOff = len(r.arena)
			r.arena = unescape(r.arena, data[start:end])
			r.nameEnd = len(r.arena)
		} else {
			r.nameEnd = end
		}
	} else {
		r.nameEnd = end
		r.nameEscaped = false
	}
	i = end + 1
	if uint(i) < uint(len(data)) && data[i] == ':' {
		i++
	} else {
		i = skipSpace(data, i)
		if i >= len(data) || data[i] != ':' {
			return r.textError(i, wantColon)
		}
		i++
	}
	if uint(i) < uint(len(data)) && data[i] <= ' ' {
		i = skipSpace(data, i)
	}
	r.pos = i
	return true
}

// Name is the name of the current member, without escapes. It is good until
// the next call of [Reader.Member] on any level.
func (r *Reader) Name() []byte {
	if r.nameEscaped {
		return r.arena[r.nameOff:r.nameEnd:r.nameEnd]
	}
	return r.data[r.nameAt+1 : r.nameEnd : r.nameEnd]
}

// NamePos is the offset of the current member's name.
func (r *Reader) NamePos() int { return r.nameAt }

// NameString is [Reader.Name] as a string that stays good.
func (r *Reader) NameString() string {
	if r.nameEscaped {
		return r.keepBytes(r.arena[r.nameOff:r.nameEnd])
	}
	return r.keepString(r.nameAt+1, r.nameEnd)
}

// EndObject ends the object begun by [Reader.Object]: it forgets the names of
// frame and returns false if the loop over the members ended by an error.
func (r *Reader) EndObject(frame int) bool {
	r.endFrame(frame)
	return !r.bad
}

// Element moves to the next element of the array. It returns false behind the
// closing bracket, or on an error; [Reader.EndArray] tells which.
func (r *Reader) Element() bool {
	data := r.data
	i := r.pos
	if uint(i) >= uint(len(data)) {
		return r.textError(i, wantCommaA)
	}
	c := data[i]
	if c <= ' ' {
		i = skipSpace(data, i)
		if uint(i) >= uint(len(data)) {
			return r.textError(i, wantCommaA)
		}
		c = data[i]
	}
	if c == ']' {
		r.pos = i + 1
		r.depth--
		r.first = false
		return false
	}
	if r.first {
		r.first = false
		r.pos = i
		return true
	}
	if c != ',' {
		return r.textError(i, wantCommaA)
	}
	i++
	if uint(i) < uint(len(data)) && data[i] <= ' ' {
		i = skipSpace(data, i)
	}
	r.pos = i
	if uint(i) >= uint(len(data)) || kinds[data[i]] == KindInvalid {
		return r.textError(i, wantValue)
	}
	return true
}

// EndArray returns false if the loop over the elements ended by an error.
func (r *Reader) EndArray() bool { return !r.bad }

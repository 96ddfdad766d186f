package wire

import "bytes"

// Mark is a place in a message to which a reader can return.
type Mark struct {
	pos, depth, names, arena, nameAt, nameEnd, nameOff int
	first, nameEscaped                                 bool
}

// Mark remembers the reader's place.
func (r *Reader) Mark() Mark {
	return Mark{
		pos: r.pos, depth: r.depth, names: len(r.names), arena: len(r.arena), nameAt: r.nameAt, nameEnd: r.nameEnd,
		nameOff: r.nameOff, first: r.first, nameEscaped: r.nameEscaped,
	}
}

// Reset returns to a place remembered earlier, to read the same bytes again.
// After an error in the text it does nothing.
func (r *Reader) Reset(m Mark) {
	if r.bad {
		return
	}
	r.pos, r.depth, r.first = m.pos, m.depth, m.first
	r.nameAt, r.nameEnd, r.nameOff, r.nameEscaped = m.nameAt, m.nameEnd, m.nameOff, m.nameEscaped
	r.arena = r.arena[:min(m.arena, len(r.arena))]
	r.endFrame(m.names)
}

// Trial is the state of one attempt, see [Reader.Try].
type Trial struct {
	outer, failed bool
}

// Try begins an attempt to read a value by a schema that it need not obey:
// violations are not recorded and the first one stops reading. Attempts nest;
// [Reader.EndTrial] ends the innermost. Whoever wants to read the value again
// takes a [Mark] before.
func (r *Reader) Try(m *Trial) {
	m.outer, m.failed = r.trial, r.trialFail
	r.trial, r.trialFail = true, false
}

// EndTrial ends an attempt and tells whether it met no violation. Errors in
// the text stay with the reader.
func (r *Reader) EndTrial(m *Trial) bool {
	ok := !r.trialFail && !r.bad && !r.stopped
	r.trial, r.trialFail = m.outer, m.failed
	return ok
}

// PeekMember looks for a member of the object at the reader's place without
// consuming anything. It returns the kind of its value and, for a string, the
// content, for other scalars the text; ok is false if the object has no such
// member (or is none). The bytes are good until the next call of a method of
// the reader. What stands before the member is checked now or when it is read;
// large values are not gone through again then.
func (r *Reader) PeekMember(name string) (kind Kind, value []byte, ok bool) {
	if r.Kind() != KindObject {
		return KindInvalid, nil, false
	}
	if at, found := r.lookAhead(name); found > 0 {
		kind = kinds[r.data[at]]
		if kind == KindString {
			end, code := scanString(r.data, at+1)
			if code == textPlain {
				return kind, r.data[at+1 : end : end], true
			}
			if code == textEscaped {
				r.scratch = unescape(r.scratch[:0], r.data[at+1:end])
				return kind, r.scratch, true
			}
		} else if kind == KindArray || kind == KindObject {
			return kind, nil, true
		}
	} else if found == 0 {
		return KindInvalid, nil, false
	}
	m := r.Mark()
	if !r.Object() {
		return KindInvalid, nil, false
	}
	frame := r.Frame()
	for r.Member() {
		if string(r.Name()) == name {
			kind, value, ok = r.peekValue()
			break
		}
		if !r.Unique(frame) {
			break
		}
		r.looking = true
		ok := r.Skip()
		r.looking = false
		if !ok {
			break
		}
	}
	r.Reset(m)
	if r.bad {
		return KindInvalid, nil, false
	}
	return kind, value, ok
}

// lookAhead looks for a member among those that scalars stand before, changing
// nothing: nearly always the tag is there. found is 1 with the offset of the
// value, 0 if the object ends without the member, and -1 if the search has to
// be made in full: a container, an error, or a name with escapes was met.
func (r *Reader) lookAhead(name string) (at, found int) {
	data := r.data
	i := skipSpace(data, r.pos+1)
	if i < len(data) && data[i] == '}' {
		return 0, 0
	}
	for i < len(data) && data[i] == '"' {
		start := i + 1
		end, code := plainEnd(data, start), textPlain
		if end < 0 {
			if end, code = scanString(data, ^end); code != textPlain {
				return 0, -1
			}
		}
		i = end + 1
		if i < len(data) && data[i] != ':' {
			i = skipSpace(data, i)
		}
		if i >= len(data) || data[i] != ':' {
			return 0, -1
		}
		if i++; i < len(data) && data[i] <= ' ' {
			i = skipSpace(data, i)
		}
		if i >= len(data) {
			return 0, -1
		}
		if string(data[start:end]) == name {
			return i, 1
		}
		switch c := data[i]; {
		case c == '"':
			i++
			if end = plainEnd(data, i); end < 0 {
				if end, code = scanString(data, ^end); code > textEscaped {
					return 0, -1
				}
			}
			i = end + 1
		case kinds[c] == KindNumber:
			if i = passNumber(data, i); i < 0 {
				return 0, -1
			}
		case i+4 <= len(data) && (string(data[i:i+4]) == "true" || string(data[i:i+4]) == "null"):
			i += 4
		case i+5 <= len(data) && string(data[i:i+5]) == "false":
			i += 5
		default:
			return 0, -1
		}
		if i < len(data) && data[i] <= ' ' {
			i = skipSpace(data, i)
		}
		if i >= len(data) || data[i] != ',' {
			if i < len(data) && data[i] == '}' {
				return 0, 0
			}
			return 0, -1
		}
		if i++; i < len(data) && data[i] <= ' ' {
			i = skipSpace(data, i)
		}
	}
	return 0, -1
}

func (r *Reader) peekValue() (Kind, []byte, bool) {
	k := r.Kind()
	switch k {
	case KindString:
		v, ok := r.Text()
		return k, v, ok
	case KindInvalid:
		return k, nil, r.noValue()
	case KindArray, KindObject:
		return k, nil, true
	}
	at := r.pos
	if !r.Skip() {
		return KindInvalid, nil, false
	}
	return k, bytes.TrimRight(r.data[at:r.pos], " \t\r\n"), true
}

package wire

// Pos is the offset of the value that was marked.
func (m Mark) Pos() int { return m.pos }

// Holds reports whether the value at m passes check, without recording anything, and returns to m.
func (r *Reader) Holds(m Mark, check func(*Reader) bool) bool {
	r.Reset(m)
	var t Trial
	r.Try(&t)
	check(r)
	ok := r.EndTrial(&t)
	r.Reset(m)
	return ok
}

// HoldsOnce is [Reader.Holds] with a memory: the verdict on the value at m for the schema that id stands for is worked
// out once a message. Where schemas with several possible branches contain themselves, trying without a memory would
// read the innermost values a number of times that doubles with every level.
func (r *Reader) HoldsOnce(id uint32, m Mark, check func(*Reader) bool) bool {
	key := verdictKey{id, m.pos}
	held, known := r.verdicts[key]
	if !known {
		held = r.Holds(m, check)
		r.rememberVerdict(key, held)
	}
	r.Reset(m)
	return held
}

// CheckOnce is check with a memory of what passed it: a value that has passed the schema that id stands for is only
// skipped. Where several schemas that contain each other hold for one value, checking without a memory would read the
// innermost values a number of times that doubles with every level.
func (r *Reader) CheckOnce(id uint32, check func(*Reader) bool) bool {
	key := verdictKey{id, r.pos}
	if r.verdicts[key] {
		return r.Skip()
	}
	before := len(r.violations)
	if !check(r) {
		return false
	}
	if len(r.violations) == before {
		r.rememberVerdict(key, true)
	}
	return true
}

func (r *Reader) rememberVerdict(key verdictKey, passed bool) {
	if r.verdicts == nil {
		r.verdicts = map[verdictKey]bool{}
	}
	r.verdicts[key] = passed
}

// verdictKey is a schema and the place of a value.
type verdictKey struct {
	id  uint32
	pos int
}

// Sound reports whether no violation has been met so far.
func (r *Reader) Sound() bool { return !r.bad && !r.trialFail && len(r.violations) == 0 }

// Tag returns the content of a member of the next value, where this is an object and the member a string; nil
// otherwise. It consumes nothing.
func (r *Reader) Tag(member string) []byte {
	if kind, text, ok := r.PeekMember(member); ok && kind == KindString {
		return text
	}
	return nil
}

// TagBool is [Reader.Tag] for a boolean: its text, nil where there is none.
func (r *Reader) TagBool(member string) []byte {
	if kind, text, ok := r.PeekMember(member); ok && kind == KindBool {
		return text
	}
	return nil
}

// Has reports whether the value at m is an object with the member.
func (r *Reader) Has(m Mark, member string) bool {
	r.Reset(m)
	_, _, ok := r.PeekMember(member)
	return ok
}

// CheckName holds the name of the current member against check, as if it were a string value, and returns to the
// member's value.
func (r *Reader) CheckName(check func(*Reader) bool) bool {
	back := r.Mark()
	r.pos = r.nameAt
	if !check(r) {
		return false
	}
	r.Reset(back)
	return !r.bad
}

// RawFrom returns the bytes from m to here, as [Reader.Raw] would.
func (r *Reader) RawFrom(m Mark) Raw { return r.raw(m.pos, max(r.pos, m.pos)) }

// ReadRaw consumes any value into v.
func (r *Reader) ReadRaw(v *Raw) (ok bool) {
	*v, ok = r.Raw()
	return ok
}

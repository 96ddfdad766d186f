package wire

import "sync"

// Reader reads one JSON message. It is not safe for concurrent use. Its zero
// value is not usable; see [Acquire] and [AcquireDecode].
type Reader struct {
	data  []byte
	pos   int  // at the start of a value, or just behind one
	first bool // a container was just opened: its next member or element has no comma before it
	depth int

	decoding bool
	formats  bool
	repeats  bool
	quote    bool
	maxDepth int
	limit    int

	// bad is set by the first error in the text; pos then stays at the end.
	bad     bool
	badAt   int
	badWant string

	stopped    bool // enough violations
	trial      bool // between Try and EndTrial
	trialFail  bool
	violations []fault
	explained  int // choices around that tell what is wrong by their closest branch
	effort     int // what such telling has cost so far

	// The current member name is kept as offsets: a slice in a heap object costs a write barrier at every member.
	nameAt      int  // of the quotation mark before it
	nameEnd     int  // behind it: in data, or in arena if it had escapes
	nameEscaped bool // it lives in arena, from nameOff on
	nameOff     int

	arena   []byte // names that had escapes
	scratch []byte // the last text that had escapes
	keeper
	spans   []span      // of the list of strings being read
	stack   []skipFrame // containers around the one that Skip is in
	looking bool        // PeekMember skips
	starts  []int       // of the containers on stack, while looking
	ends    map[int]int
	names   []nameEntry
	tables  []nameTable

	verdicts map[verdictKey]bool // of HoldsOnce and CheckOnce
}

// fault is a violation before its position is worked out.
type fault struct {
	at     int
	site   *Site
	causes []fault
}

var readers = sync.Pool{New: func() any { return new(Reader) }}

// Acquire returns a reader for validation: nothing of data is kept unless a string
// is asked for, and raw values are slices of data, which must not change until
// [Reader.Close].
func Acquire(data []byte, opts []Option) *Reader {
	r := readers.Get().(*Reader)
	r.start(data, opts)
	r.decoding = false
	return r
}

// AcquireDecode returns a reader whose raw values are copies, as strings always
// are, and stay good for ever. Copies of one message share memory, those of small
// messages that of a few before. data must not change until [Reader.Close].
func AcquireDecode(data []byte, opts []Option) *Reader {
	r := readers.Get().(*Reader)
	r.start(data, opts)
	r.decoding = true
	return r
}

func (r *Reader) start(data []byte, opts []Option) {
	r.data = data
	r.pos = skipSpace(data, 0)
	r.first = false
	r.depth = 0
	r.bad, r.stopped, r.trial, r.trialFail = false, false, false, false
	r.violations, r.effort = r.violations[:0], 0
	r.arena = r.arena[:0]
	r.names = r.names[:0]
	r.tables = r.tables[:0]
	r.looking, r.starts = false, r.starts[:0]
	if len(r.ends) > 0 {
		clear(r.ends)
	}
	r.configure(opts)
}

// Scratch larger than this is not kept in the pool.
const keepBytes, keepEntries = 64 << 10, 4 << 10

// Close ends the reading of a message and releases the reader, which must not
// be used afterwards. It returns nil if the text is one JSON value that broke
// no rule, and an [*Error] otherwise.
func (r *Reader) Close() error {
	if !r.bad && !r.stopped {
		if i := skipSpace(r.data, r.pos); i < len(r.data) {
			r.textError(i, "the end of the text after the value")
		}
	}
	var err error
	if r.bad || len(r.violations) > 0 {
		err = r.report()
	}
	r.release()
	return err
}

func (r *Reader) release() {
	r.leaveRoom()
	r.data = nil
	r.spans = r.spans[:0]
	if len(r.verdicts) > keepEntries {
		r.verdicts = nil
	}
	clear(r.verdicts)
	clear(r.violations)
	if cap(r.arena) > keepBytes {
		r.arena = nil
	}
	if cap(r.scratch) > keepBytes {
		r.scratch = nil
	}
	if cap(r.stack) > keepEntries {
		r.stack = nil
	}
	if cap(r.names) > keepEntries {
		r.names = nil
	}
	if cap(r.starts) > keepEntries {
		r.starts = nil
	}
	if len(r.ends) > keepEntries {
		r.ends = nil
	}
	if cap(r.violations) > keepEntries {
		r.violations = nil
	}
	r.tables = r.tables[:cap(r.tables)]
	for i := range r.tables {
		if cap(r.tables[i].slots) > keepEntries {
			r.tables[i].slots = nil
		}
	}
	if len(r.tables) > 16 {
		r.tables = nil
	}
	readers.Put(r)
}

// Kind tells the kind of the next value without consuming it; KindInvalid if
// none starts here.
func (r *Reader) Kind() Kind {
	if i := r.pos; uint(i) < uint(len(r.data)) {
		return kinds[r.data[i]]
	}
	return KindInvalid
}

// Pos is the offset of the next value.
func (r *Reader) Pos() int { return r.pos }

// AssertFormats tells whether "format" is a rule for this message.
func (r *Reader) AssertFormats() bool { return r.formats }

// Decoding tells whether the reader was made by [AcquireDecode].
func (r *Reader) Decoding() bool { return r.decoding }

// Fail records that the value at offset at breaks the rule s. It consumes
// nothing. It returns true if reading should go on to collect more, false if
// it should stop now.
func (r *Reader) Fail(at int, s *Site) bool { return r.fail(fault{at: at, site: s}) }

func (r *Reader) fail(f fault) bool {
	if r.trial {
		r.trialFail = true
		return false
	}
	if r.bad || r.stopped {
		return false
	}
	r.violations = append(r.violations, f)
	if len(r.violations) == r.limit {
		r.stopped = true
		return false
	}
	return true
}

// FailSkip records that the next value breaks the rule s (it has the wrong
// type, say) and, if reading goes on, consumes it. Where no value starts the
// error is one of the text.
func (r *Reader) FailSkip(s *Site) bool {
	if r.Kind() == KindInvalid {
		return r.noValue()
	}
	return r.Fail(r.pos, s) && r.Skip()
}

// textError records the first error in the text and moves to the end, where
// every further step fails. It returns false.
func (r *Reader) textError(at int, want string) bool {
	if !r.bad {
		r.bad, r.badAt, r.badWant = true, at, want
	}
	r.pos = len(r.data)
	r.first = false
	return false
}

// noValue is the error for a place where a value must start and none does.
func (r *Reader) noValue() bool {
	if r.pos == 0 && len(r.data) >= 3 && string(r.data[:3]) == "\xef\xbb\xbf" {
		return r.textError(0, "text without a byte order mark")
	}
	return r.textError(r.pos, wantValue)
}

const (
	wantValue  = "a JSON value"
	wantComma  = "a comma or the end of the object"
	wantCommaA = "a comma or the end of the array"
	wantColon  = "a colon after the member name"
	wantName   = "a member name in quotation marks"
	wantDepth  = "fewer levels of nesting"
	wantUnique = "each member name once"
)

// Null consumes null.
func (r *Reader) Null() bool {
	i := r.pos
	if i+4 <= len(r.data) && string(r.data[i:i+4]) == "null" {
		r.pos = i + 4
		return true
	}
	return r.badLiteral("null")
}

// Bool consumes true or false; ok is false if neither stands here.
func (r *Reader) Bool() (v, ok bool) {
	i := r.pos
	if i+4 <= len(r.data) {
		if string(r.data[i:i+4]) == "true" {
			r.pos = i + 4
			return true, true
		}
		if i+5 <= len(r.data) && string(r.data[i:i+5]) == "false" {
			r.pos = i + 5
			return false, true
		}
	}
	return false, r.badLiteral("true or false")
}

func (r *Reader) badLiteral(want string) bool {
	if r.Kind() == KindInvalid {
		return r.noValue()
	}
	return r.textError(r.pos, want)
}

// Raw consumes any value, fully checked. In decoding mode the result is a
// copy, otherwise a slice of the data itself, to be copied by whoever keeps it.
func (r *Reader) Raw() (Raw, bool) {
	at := r.pos
	if !r.Skip() {
		return nil, false
	}
	return r.raw(at, r.pos), true
}

// raw hands out the bytes between two offsets.
func (r *Reader) raw(start, end int) Raw {
	if !r.decoding {
		return Raw(r.data[start:end:end])
	}
	return r.keep(start, end)
}

// Span returns the bytes between m and the reader's position.
func (r *Reader) Span(m Mark) []byte {
	if m.pos > r.pos {
		return nil
	}
	return r.data[m.pos:r.pos:r.pos]
}

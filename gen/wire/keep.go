package wire

import (
	"math/bits"
	"strings"
	"unsafe"
)

// What a decoder hands out (strings, raw values, numbers as text) is copied out of the message into a room that it
// shares with what else is kept of the message. Names of the schema, punctuation and white space are not kept, so that
// the room is a good deal smaller than the message, and the garbage collector has less to do.

// keeper is the part of a reader that holds the room.
type keeper struct {
	room   []byte // all of it, used and free
	used   int    // length of what has been handed out
	from   int    // where this message began to use it
	before int    // length of what this message uses in rooms before
	share  int32  // of a message that is kept, in parts of shareUnit; 0 is not known
}

// smallRoom is the size of the rooms for small messages: several of them, one after the other, share one.
const smallRoom = 2 << 10

// largestRoom is the size of the largest room but for a single value: whoever holds one string of a large message holds no
// more memory than this.
const largestRoom = 64 << 10

// keep copies the bytes between two offsets of data into the room. Nothing else is written there; only its capacity
// could be appended to, and it has none left.
func (r *Reader) keep(start, end int) []byte {
	n, at := end-start, r.used
	if n > len(r.room)-at {
		r.makeRoom(n, len(r.data)-start)
		at = 0
	}
	r.used = at + n
	if n <= 16 && at <= len(r.room)-16 && start <= len(r.data)-16 {
		// What is written too much is free or lies behind.
		store64(r.room, at, load64(r.data, start))
		store64(r.room, at+8, load64(r.data, start+8))
	} else {
		copy(r.room[at:r.used], r.data[start:end])
	}
	return r.room[at:r.used:r.used]
}

// keepText checks the content of a string from an offset of data on and keeps it without its escapes, in one pass. It
// returns the offset of the closing quotation mark, or of the error that code tells of. The code is textPlain only for a
// text of ASCII that stands there as it is.
func (r *Reader) keepText(start int) (kept string, end int, code textCode) {
	data, room, at := r.data, r.room, r.used
	// Up to here whole words can be read and written: what is kept is never longer than it is written.
	last := min(len(data), start+len(room)-at) - 8
	i, k := start, at
	for i <= last {
		w := load64(data, i)
		store64(room, k, w)
		m := stops(w)
		if m == 0 {
			i, k = i+8, k+8
			continue
		}
		n := bits.TrailingZeros64(m) >> 3
		i, k = i+n, k+n
		if data[i] != '"' {
			return r.keepMixed(start, i, k, last)
		}
		r.used = k
		return r.keptFrom(at), i, textPlain
	}
	return r.keepSlowly(start, i)
}

// keptFrom is what has been kept from a place of the room on.
func (r *Reader) keptFrom(at int) string {
	return unsafe.String((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(r.room)), at)), r.used-at)
}

// keepMixed is keepText from an offset on where no plain byte stands; as far as there all is in the room, to its place k.
func (r *Reader) keepMixed(start, i, k, last int) (kept string, end int, code textCode) {
	data, room := r.data, r.room
	for i <= last {
		switch c := data[i]; {
		case c == '"':
			at := r.used
			r.used = k
			return r.keptFrom(at), i, textEscaped
		case c == '\\':
			if e := shortEscapes[data[i+1]]; e != 0 {
				room[k] = e
				i, k = i+2, k+1
				break
			}
			n, bad := scanEscape(data, i)
			if bad != textPlain {
				return "", i, bad
			}
			k += len(unescape(room[k:k:k+8], data[i:i+n]))
			i += n
		case c < 0x20:
			return "", i, textControl
		case simple(data, i):
			copy(room[k:k+4], data[i:i+4])
			i, k = i+int(leads[c]), k+int(leads[c])
		default:
			j := scanUTF8(data, i)
			if j < 0 {
				return "", ^j, textUTF8
			}
			k += copy(room[k:], data[i:j]) // what does not fit ends behind last
			i = j
		}
		for i <= last {
			w := load64(data, i)
			store64(room, k, w)
			if m := stops(w); m != 0 {
				n := bits.TrailingZeros64(m) >> 3
				i, k = i+n, k+n
				break
			}
			i, k = i+8, k+8
		}
	}
	return r.keepSlowly(start, i)
}

// keepSlowly is keepText where the room or the message ends; nothing is wrong between start and i.
func (r *Reader) keepSlowly(start, i int) (kept string, end int, code textCode) {
	end, code = scanString(r.data, i)
	if code > textEscaped {
		return "", end, code
	}
	return r.keepUnescaped(start, end), end, textEscaped
}

// keepString is [Reader.keep] as a string.
func (r *Reader) keepString(start, end int) string { return textOf(r.keep(start, end)) }

// keepUnescaped keeps the content of the checked string with escapes between two offsets of data.
func (r *Reader) keepUnescaped(start, end int) string {
	if end-start > len(r.room)-r.used {
		r.makeRoom(end-start, len(r.data)-start)
	}
	// It never needs more room than it takes as it is written.
	content := unescape(r.room[r.used:r.used:len(r.room)], r.data[start:end])
	r.used += len(content)
	return textOf(content)
}

// keepBytes keeps a copy of b, which may lie anywhere.
func (r *Reader) keepBytes(b []byte) string {
	if len(b) > len(r.room)-r.used {
		r.makeRoom(len(b), len(b))
	}
	at := r.used
	r.used += copy(r.room[at:], b)
	return textOf(r.room[at:r.used])
}

// textOf views bytes that will not change any more as a string.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// makeRoom makes room for n bytes, where left bytes of the message are still to come, with them.
func (r *Reader) makeRoom(n, left int) {
	r.before += r.used - r.from
	r.used, r.from = 0, 0
	size := max(left, n)
	switch {
	case size <= smallRoom/2:
		size = smallRoom
	case r.share > 0:
		size = max(n, int(int64(size)*int64(r.share)/shareUnit)+64)
	}
	r.room = uncleared(packed(max(n, min(size, largestRoom))))
}

// shareUnit is the share of a message that is kept of it if that is all of it.
const shareUnit = 1 << 10

// leaveRoom ends the use of the room by one message.
func (r *Reader) leaveRoom() {
	if len(r.data) > smallRoom {
		// How much of the next message will be kept is expected to be as much as of this one; of a mixture of messages
		// the one that most is kept of counts for longer.
		kept := r.before + r.used - r.from
		share := int32(min(shareUnit, int64(kept)*shareUnit/int64(len(r.data))+1))
		if share < r.share {
			share = r.share - (r.share-share+7)/8
		}
		r.share = share
	}
	if len(r.room) > smallRoom {
		r.room, r.used = nil, 0
	}
	r.from, r.before = r.used, 0
}

// packed is the size of room to ask for where n bytes are needed. Some size classes of Go's allocator (its sizeclasses.go)
// have spans of one object, so that each message would cost a span of its own; objects of the class behind them share one.
func packed(n int) int {
	switch {
	case n > 6912 && n <= 8192:
		return 9472
	case n > 14336 && n <= 16384:
		return 18432
	case n > 21760 && n <= 24576:
		return 27264
	}
	return n
}

// uncleared is memory of at least n bytes with whatever is in it: all that anyone sees of it has been written before.
// A [strings.Builder] is the only way to ask for it.
func uncleared(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0) // an empty string need not point to the memory
	return unsafe.Slice(unsafe.StringData(b.String()), b.Cap())
}

package wire

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// nameEntry is one member name met in an object that is being read.
type nameEntry struct {
	key uint64 // cheap digest, see nameKey
	off int    // in data, or in arena
	n   int    // length; negative minus one: the name lives in arena
}

// nameTable finds names of one large object by keyed hash, so that chosen
// names cannot make the search long.
type nameTable struct {
	frame int
	count int     // entries of the frame that are in slots
	slots []int32 // index into names + 1, 0 is free; length is a power of two
}

// linearNames is the number of names up to which comparing with each is
// cheaper than hashing.
const linearNames = 16

var nameSeed = maphash.MakeSeed()

// nameKey digests a name by its length and its first bytes: equal names have
// equal keys, different names mostly different ones.
func nameKey(name []byte) uint64 {
	var word [8]byte
	copy(word[:], name)
	return binary.LittleEndian.Uint64(word[:]) ^ uint64(len(name))*keyLength
}

// keyLength spreads the length of a name over its key.
const keyLength = 0x9e3779b97f4a7c15

// Frame starts the bookkeeping of names for the object being read. The frames
// of nested objects end before that of the object around them.
func (r *Reader) Frame() int { return len(r.names) }

// Unique records the current name and returns true if this frame has not had
// it. A repeated name is an error in the text, unless allowed.
func (r *Reader) Unique(frame int) bool {
	if r.repeats {
		return true
	}
	name := r.Name()
	e := nameEntry{key: nameKey(name), n: len(name)}
	if r.nameEscaped {
		e.off, e.n = r.nameOff, -1-e.n
	} else {
		e.off = r.nameAt + 1
	}
	if !r.addName(frame, e, name) {
		return r.textError(r.nameAt, wantUnique)
	}
	return true
}

// Repeated is called when a member of the schema comes a second time: an error
// in the text (false), unless repeated names are allowed (true; the later
// value counts).
func (r *Reader) Repeated() bool {
	if r.repeats {
		return true
	}
	return r.textError(r.nameAt, wantUnique)
}

// addName adds e, whose bytes are name, to the frame unless it is there.
func (r *Reader) addName(frame int, e nameEntry, name []byte) bool {
	frame = min(frame, len(r.names))
	if len(r.names)-frame >= linearNames {
		return r.addHashed(frame, e, name)
	}
	for _, o := range r.names[frame:] {
		if o.key == e.key && bytes.Equal(r.nameBytes(o), name) {
			return false
		}
	}
	r.names = append(r.names, e)
	return true
}

func (r *Reader) nameBytes(e nameEntry) []byte {
	if e.n < 0 {
		return r.arena[e.off : e.off-1-e.n]
	}
	return r.data[e.off : e.off+e.n]
}

func (r *Reader) addHashed(frame int, e nameEntry, name []byte) bool {
	t := r.table(frame)
	mask := uint64(len(t.slots) - 1)
	i := maphash.Bytes(nameSeed, name) & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		o := r.names[t.slots[i]-1]
		if o.key == e.key && bytes.Equal(r.nameBytes(o), name) {
			return false
		}
	}
	r.names = append(r.names, e)
	t.slots[i] = int32(len(r.names))
	t.count++
	return true
}

// table returns the table of the frame with room for one more name.
func (r *Reader) table(frame int) *nameTable {
	n := len(r.names) - frame
	k := len(r.tables)
	if k == 0 || r.tables[k-1].frame != frame {
		if k < cap(r.tables) {
			r.tables = r.tables[:k+1]
		} else {
			r.tables = append(r.tables, nameTable{})
		}
		r.tables[k].frame = frame
		r.tables[k].count = -1
		k++
	}
	t := &r.tables[k-1]
	if t.count != n || len(t.slots) < 2*(n+1) {
		r.fillTable(t, n)
	}
	return t
}

func (r *Reader) fillTable(t *nameTable, n int) {
	size := 4 * linearNames
	for size < 4*(n+1) {
		size *= 2
	}
	if cap(t.slots) >= size {
		t.slots = t.slots[:size]
		clear(t.slots)
	} else {
		t.slots = make([]int32, size)
	}
	mask := uint64(size - 1)
	for j := t.frame; j < t.frame+n; j++ {
		i := maphash.Bytes(nameSeed, r.nameBytes(r.names[j])) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = int32(j + 1)
	}
	t.count = n
}

// endFrame forgets the names of frame and of frames inside it.
func (r *Reader) endFrame(frame int) {
	if frame < len(r.names) {
		r.names = r.names[:frame]
	}
	for k := len(r.tables); k > 0 && r.tables[k-1].frame >= frame; k-- {
		r.tables = r.tables[:k-1]
	}
}

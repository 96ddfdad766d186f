package wire

import (
	"math"
	"strings"
	"sync/atomic"
	"unsafe"
)

// Names are the members that a schema names, in the order in which messages mostly have them. The zero value names
// none.
type Names struct {
	List []string

	words atomic.Pointer[nameWords] // the first of as many as List has, made when first needed
}

// nameWords is a name as it stands in a message, from its opening quotation mark to the colon behind it, in words that
// can be compared with the message at once: the first eight bytes, the last eight and eight in the middle. They overlap.
type nameWords struct {
	first, middle, last uint64
	mask                uint64 // which bytes of the words count, should there be fewer than eight
	middleAt, lastAt    uint16
	n                   uint16 // length
	long                string // all of it, if three words do not hold it
}

// End is what [Reader.Next] returns behind the last member.
const End = math.MinInt

// Next moves to the value of the next member, as [Reader.Member] does, and returns the index of its name in names. It
// returns [End] behind the closing brace, or on an error; [Reader.EndObject] tells which. Every other negative number
// stands for a member that is not named; see [Reader.Name], which is not to be asked for the names that are.
//
// prev is what Next returned for the member before, and -1 for the first one: the name that stands behind it in the list
// is looked for first, and nearly always a comparison of a few words finds it.
func (r *Reader) Next(names *Names, prev int) int {
	data, i, k := r.data, r.pos, prev+1
	if prev != -1 {
		if uint(i) >= uint(len(data)) {
			return r.search(names, prev)
		}
		if data[i] != ',' {
			if data[i] != '}' {
				return r.search(names, prev)
			}
			r.pos = i + 1
			r.depth--
			return End
		}
		i++
	}
	words := names.words.Load()
	if words == nil {
		return r.search(names, prev)
	}
	for uint(k) < uint(len(names.List)) {
		name := words.index(k)
		end := i + int(name.n)
		if end > len(data)-9 {
			break
		}
		d := load64(data, i) ^ name.first
		d |= load64(data, i+int(name.middleAt)) ^ name.middle
		d |= load64(data, i+int(name.lastAt)) ^ name.last
		if d&name.mask == 0 && (len(name.long) == 0 || string(data[i:end]) == name.long) {
			r.nameAt = i
			if uint(end) < uint(len(data)) && data[end] <= ' ' {
				end = skipSpace(data, end)
			}
			r.pos = end
			if prev == -1 {
				r.first = false
			}
			return k
		}
		k++
	}
	return r.search(names, prev)
}

// index is the name so many places behind this one.
func (name *nameWords) index(k int) *nameWords {
	return (*nameWords)(unsafe.Add(unsafe.Pointer(name), uintptr(k)*unsafe.Sizeof(*name)))
}

// at tells whether the name stands at i; so many bytes and eight more do.
func (name *nameWords) at(data []byte, i int) bool {
	d := load64(data, i) ^ name.first
	d |= load64(data, i+int(name.middleAt)) ^ name.middle
	d |= load64(data, i+int(name.lastAt)) ^ name.last
	return d&name.mask == 0 && (len(name.long) == 0 || string(data[i:i+int(name.n)]) == name.long)
}

// search is Next where another member comes than the one that was looked for.
func (r *Reader) search(names *Names, prev int) int {
	words := names.words.Load()
	if words == nil {
		words = names.prepare()
	}
	if !r.Member() {
		return End
	}
	k := prev + 1
	if prev < -1 {
		k = named(prev)
	}
	data, i := r.data, r.nameAt
	if r.nameEscaped || r.nameEnd > len(data)-16 || data[r.nameEnd+1] != ':' {
		return names.index(r.Name(), k)
	}
	for n := len(names.List); n > 0; n-- {
		if k >= len(names.List) {
			k = 0
		}
		if name := words.index(k); i+int(name.n) == r.nameEnd+2 && name.at(data, i) {
			return k
		}
		k++
	}
	return unnamed(k)
}

// unnamed is what stands for a member that is not in the list, where the name at k is to be looked for next; named leads
// back to k.
func unnamed(k int) int { return -2 - k }

func named(prev int) int { return -2 - prev }

// index returns the index of a name, or [unnamed].
func (n *Names) index(name []byte, k int) int {
	for i, known := range n.List {
		if known == string(name) {
			return i
		}
	}
	return unnamed(k)
}

func (n *Names) prepare() *nameWords {
	words := make([]nameWords, len(n.List)+1) // one at least
	for k, name := range n.List {
		text := string(append(AppendString(nil, name), ':'))
		if len(text) != len(name)+3 || len(text) > longestName {
			words[k].n = math.MaxUint16 // it has escapes or is very long, and is not found by its bytes
			words[k].long = "-"
			continue
		}
		w := nameWords{n: uint16(len(text)), mask: math.MaxUint64}
		if w.n < 8 {
			w.mask = 1<<(8*w.n) - 1
		}
		w.lastAt = max(w.n, 8) - 8
		w.middleAt = min(8, w.lastAt)
		padded := []byte(text + strings.Repeat("\x00", 8))
		w.first, w.middle, w.last = load64(padded, 0), load64(padded, int(w.middleAt)), load64(padded, int(w.lastAt))
		if w.n > 24 {
			w.long = text
		}
		words[k] = w
	}
	n.words.Store(&words[0])
	return &words[0]
}

// longestName is the length of a name up to which it is found by its bytes.
const longestName = 1 << 12

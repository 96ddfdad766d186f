package wire

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"sync"
)

// UniqueItems looks for two equal elements of a checked array. It returns
// their indices, i before j, with ok false; or ok true if there are none. It
// compares keyed digests first, so that its time grows with n·log n whatever
// the elements are.
func UniqueItems(raw []byte) (i, j int, ok bool) {
	c := cursor{data: raw}
	if !c.accept('[') || c.accept(']') {
		return 0, 0, true
	}
	if i, j, ok, few := uniqueFew(c); few {
		return i, j, ok
	}
	u := uniques.Get().(*uniqueScratch)
	defer u.release()
	for n := 0; ; n++ {
		c.space()
		start := c.pos
		d, valid := u.digest(&c, 0)
		if !valid {
			return 0, 0, true
		}
		u.items = append(u.items, item{d, n, start, c.pos})
		if !c.accept(',') {
			break
		}
	}
	slices.SortFunc(u.items, func(a, b item) int {
		if a.digest != b.digest {
			return cmp.Compare(a.digest, b.digest)
		}
		return a.index - b.index
	})
	i, j = -1, -1
	for k := 0; k < len(u.items); {
		end := k + 1
		for end < len(u.items) && u.items[end].digest == u.items[k].digest {
			end++
		}
		// Within a run of equal digests the elements are equal but for an
		// accident of 64 bits.
		for x := k; x < end; x++ {
			for y := x + 1; y < end; y++ {
				a, b := u.items[x], u.items[y]
				if j >= 0 && b.index >= j {
					break
				}
				if Equal(raw[a.start:a.end], raw[b.start:b.end]) {
					i, j = a.index, b.index
					break
				}
			}
			if j >= 0 {
				break
			}
		}
		k = end
	}
	if j < 0 {
		return 0, 0, true
	}
	return i, j, false
}

// fewItems is how many elements are compared pair by pair.
const fewItems = 8

// uniqueFew is UniqueItems for short arrays, from the first element on; few is
// false if the array is longer.
func uniqueFew(c cursor) (i, j int, ok, few bool) {
	var items [fewItems][]byte
	for n := range items {
		c.space()
		start := c.pos
		if !c.skip() {
			return 0, 0, true, true
		}
		items[n] = c.data[start:c.pos]
		for i := range n {
			if sameItem(items[i], items[n]) {
				return i, n, false, true
			}
		}
		if !c.accept(',') {
			return 0, 0, true, true
		}
	}
	return 0, 0, true, false
}

// sameItem is Equal; strings without escapes are compared as they stand.
func sameItem(a, b []byte) bool {
	if a[0] == '"' && b[0] == '"' && bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return bytes.Equal(a, b)
	}
	return Equal(a, b)
}

type item struct {
	digest     uint64
	index      int
	start, end int
}

type uniqueScratch struct {
	items   []item
	scratch []byte
}

var uniques = sync.Pool{New: func() any { return new(uniqueScratch) }}

func (u *uniqueScratch) release() {
	if cap(u.items) > keepEntries || cap(u.scratch) > keepBytes {
		return
	}
	u.items = u.items[:0]
	uniques.Put(u)
}

// Salts of the kinds of value that have an inside.
const (
	saltNumber = iota + 1
	saltString
	saltArray
	saltObject
)

func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// digest consumes a value and digests it: equal values have equal digests.
func (u *uniqueScratch) digest(c *cursor, depth int) (uint64, bool) {
	if depth > depthCeiling {
		return 0, false
	}
	switch x := c.peek(); x {
	case '"':
		h, ok := u.text(c)
		return mix(h + saltString), ok
	case '[':
		c.pos++
		h := uint64(saltArray)
		for first := true; !c.accept(']'); first = false {
			if !first && !c.accept(',') {
				return 0, false
			}
			e, ok := u.digest(c, depth+1)
			if !ok {
				return 0, false
			}
			h = mix(h ^ e)
		}
		return mix(h + saltArray), true
	case '{':
		c.pos++
		h := uint64(saltObject)
		for first := true; !c.accept('}'); first = false {
			if !first && !c.accept(',') {
				return 0, false
			}
			name, ok := u.text(c)
			if !ok || !c.accept(':') {
				return 0, false
			}
			v, ok := u.digest(c, depth+1)
			if !ok {
				return 0, false
			}
			h += mix(name ^ mix(v))
		}
		return mix(h + saltObject), true
	case 't', 'f', 'n':
		c.scalar()
		return mix(uint64(x)), true
	default:
		if kinds[x] != KindNumber {
			return 0, false
		}
		return u.number(c.scalar()), true
	}
}

func (u *uniqueScratch) text(c *cursor) (uint64, bool) {
	raw, escaped, ok := c.text()
	if !ok {
		return 0, false
	}
	if escaped {
		u.scratch = unescape(u.scratch[:0], raw)
		raw = u.scratch
	}
	return maphash.Bytes(nameSeed, raw), true
}

// number digests by sign, position and digits.
func (u *uniqueScratch) number(raw []byte) uint64 {
	d := parseDigits(raw)
	u.scratch = append(append(u.scratch[:0], d.whole...), d.frac...)
	h := maphash.Bytes(nameSeed, u.scratch) ^ uint64(d.point)*0x9e3779b97f4a7c15
	if d.neg {
		h = ^h
	}
	return mix(h + saltNumber)
}

package wire

import (
	"encoding/binary"
	"math/bits"
)

// RuneCount is the number of code points of b, which is valid UTF-8.
func RuneCount(b []byte) int {
	n := len(b)
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i : i+8])
		// A byte continues a character if its top bits are 10.
		n -= bits.OnesCount64(w & tops & (^w << 1))
	}
	for ; i < len(b); i++ {
		if b[i]&0xc0 == 0x80 {
			n--
		}
	}
	return n
}

// MinRunes tells whether b, valid UTF-8, has at least n code points.
func MinRunes(b []byte, n int) bool {
	if len(b) < n {
		return false
	}
	return n <= (len(b)+3)/4 || RuneCount(b) >= n
}

// MaxRunes tells whether b, valid UTF-8, has at most n code points.
func MaxRunes(b []byte, n int) bool {
	if len(b) <= n {
		return true
	}
	return (len(b)+3)/4 <= n && RuneCount(b) <= n
}

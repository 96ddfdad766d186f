package wire

import (
	"math"
	"strconv"
	"unsafe"
)

// Num is a number as it stands in a message, a view of its bytes.
type Num struct {
	Raw []byte // the text, checked against the grammar

	small   int64 // the value, if isSmall
	isSmall bool
}

// Number consumes a number.
func (r *Reader) Number() (Num, bool) {
	at := r.pos
	end, n := scanNumber(r.data, at)
	if end < 0 {
		return Num{}, r.badNumber(at, ^end)
	}
	r.pos = end
	n.Raw = r.data[at:end:end]
	return n, true
}

func (r *Reader) badNumber(at, end int) bool {
	if r.Kind() != KindNumber {
		return r.badLiteral("a number")
	}
	if end == at+1 && end < len(r.data) && r.data[at] == '0' {
		return r.textError(end, "no digit after a leading zero")
	}
	return r.textError(end, "a digit")
}

// NumberText is the text of n as a [Number] that stays good.
func (r *Reader) NumberText(n Num) Number { return Number(r.keepBytes(n.Raw)) }

// shortInt reads the number at i if it is written in up to 18 digits and nothing else but a sign, and returns its end: 0
// if it is another number, or none.
func shortInt(data []byte, i int) (v int64, end int) {
	start := i
	neg := uint(i) < uint(len(data)) && data[i] == '-'
	if neg {
		i++
		start = i
	}
	var c byte
	for ; uint(i) < uint(len(data)); i++ {
		if c = data[i]; c-'0' > 9 {
			break
		}
		v = v*10 + int64(c-'0')
	}
	n := i - start
	if n == 0 || n > 18 || c == '.' || c|0x20 == 'e' || n > 1 && data[start] == '0' {
		return 0, 0
	}
	if neg {
		v = -v
	}
	return v, i
}

// scanNumber checks the number at i and returns its end, or the complement of
// the offset where it breaks the grammar. Integers of up to 18 digits are
// worked out on the way.
func scanNumber(data []byte, i int) (int, Num) {
	var n Num
	neg := false
	if i < len(data) && data[i] == '-' {
		neg = true
		i++
	}
	if i >= len(data) {
		return ^i, n
	}
	start := i
	c := data[i] - '0'
	if c > 9 {
		return ^i, n
	}
	v := int64(c)
	i++
	if c == 0 {
		if i < len(data) && data[i]-'0' <= 9 {
			return ^i, n
		}
	} else {
		for i < len(data) {
			c = data[i] - '0'
			if c > 9 {
				break
			}
			v = v*10 + int64(c) // may overflow; used only for short numbers
			i++
		}
	}
	if i >= len(data) || (data[i] != '.' && data[i]|0x20 != 'e') {
		if i-start <= 18 {
			if neg {
				v = -v
			}
			n.small, n.isSmall = v, true
		}
		return i, n
	}
	if data[i] == '.' {
		i++
		if i >= len(data) || data[i]-'0' > 9 {
			return ^i, n
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
			return ^i, n
		}
		for i < len(data) && data[i]-'0' <= 9 {
			i++
		}
	}
	return i, n
}

// IsInteger tells whether the value is an integer, however written: 1.0, 1e2
// and -0 are.
func (n Num) IsInteger() bool {
	if n.isSmall {
		return true
	}
	d := parseDigits(n.Raw)
	return d.isInteger()
}

// Int64 is the value as an int64; ok is false if it is no integer or does not
// fit.
func (n Num) Int64() (v int64, ok bool) {
	if n.isSmall {
		return n.small, true
	}
	d := parseDigits(n.Raw)
	return d.int64()
}

// Float64 is the nearest float64; ±Inf beyond the range.
func (n Num) Float64() float64 {
	if n.isSmall && n.small > -1<<53 && n.small < 1<<53 && (n.small != 0 || n.Raw[0] != '-') {
		return float64(n.small)
	}
	return parseFloat(n.Raw)
}

func parseFloat(b []byte) float64 {
	// ParseFloat keeps no reference to its argument.
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// CmpInt compares with an integer: -1, 0 or +1.
func (n Num) CmpInt(v int64) int {
	if n.isSmall {
		switch {
		case n.small < v:
			return -1
		case n.small > v:
			return 1
		}
		return 0
	}
	var buf [20]byte
	a, b := parseDigits(n.Raw), parseDigits(strconv.AppendInt(buf[:0], v, 10))
	return a.cmp(&b)
}

// Cmp compares with d: -1, 0 or +1.
func (n Num) Cmp(d *Decimal) int {
	if n.isSmall && d.isSmall {
		return n.CmpInt(d.small)
	}
	a := parseDigits(n.Raw)
	return a.cmp(&d.digits)
}

// MultipleOf tells whether the value is an integral multiple of d, exactly. A
// d of zero has only itself as multiple.
func (n Num) MultipleOf(d *Decimal) bool {
	if n.isSmall && d.isSmall && d.small != 0 {
		return n.small%d.small == 0
	}
	a := parseDigits(n.Raw)
	return d.divides(&a)
}

package wire

import (
	"bytes"
	"fmt"
	"math/big"
	"math/bits"
)

// Decimal is an exact number of a schema: a bound, a const, a divisor.
type Decimal struct {
	text    string
	digits  digits
	small   int64
	isSmall bool
	unit    uint64   // the digits as an integer, if isUnit
	isUnit  bool     //
	wide    *big.Int // the digits as an integer, if not isUnit
}

// ParseDecimal reads a JSON number.
func ParseDecimal(text string) (*Decimal, error) {
	b := []byte(text)
	end, _ := scanNumber(b, 0)
	if end != len(b) {
		return nil, fmt.Errorf("wire: %q is no JSON number", text)
	}
	d := &Decimal{text: text, digits: parseDigits(b)}
	d.small, d.isSmall = d.digits.int64()
	if n := d.digits.len(); n <= 19 {
		d.isUnit = true
		for i := range n {
			d.unit = d.unit*10 + uint64(d.digits.at(i))
		}
	} else {
		d.wide = d.digits.bigInt()
	}
	return d, nil
}

// MustDecimal is [ParseDecimal] for texts known to be good; it panics on
// others.
func MustDecimal(text string) *Decimal {
	d, err := ParseDecimal(text)
	if err != nil {
		panic(err)
	}
	return d
}

// String is the number as it was written.
func (d *Decimal) String() string { return d.text }

// digits is a number as 0.d1d2d3… × 10^point, a view of its text without
// leading or trailing zeros. Zero has no digits.
type digits struct {
	neg   bool
	whole []byte // digits before the decimal point of the text
	frac  []byte // digits behind it
	point int64
}

// pointBound bounds exponents: a number whose exponent is beyond it counts as
// having this exponent. No text that fits into memory gets there by digits.
const pointBound = 1 << 60

// parseDigits reads a checked number in time linear in its length, whatever
// its exponent.
func parseDigits(raw []byte) digits {
	var d digits
	b := raw
	if len(b) > 0 && b[0] == '-' {
		d.neg = true
		b = b[1:]
	}
	i := 0
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	d.whole, b = b[:i], b[i:]
	if len(b) > 0 && b[0] == '.' {
		b = b[1:]
		i = 0
		for i < len(b) && b[i]-'0' <= 9 {
			i++
		}
		d.frac, b = b[:i], b[i:]
	}
	d.point = int64(len(d.whole)) + parseExponent(b)
	d.trim()
	return d
}

func parseExponent(b []byte) int64 {
	if len(b) < 2 {
		return 0
	}
	b = b[1:]
	neg := b[0] == '-'
	if neg || b[0] == '+' {
		b = b[1:]
	}
	var e int64
	for _, c := range b {
		e = min(e*10+int64(c-'0'), pointBound/2)
	}
	if neg {
		return -e
	}
	return e
}

func (d *digits) trim() {
	for len(d.frac) > 0 && d.frac[len(d.frac)-1] == '0' {
		d.frac = d.frac[:len(d.frac)-1]
	}
	if len(d.frac) == 0 {
		for len(d.whole) > 0 && d.whole[len(d.whole)-1] == '0' {
			d.whole = d.whole[:len(d.whole)-1]
		}
	}
	for len(d.whole) > 0 && d.whole[0] == '0' {
		d.whole = d.whole[1:]
		d.point--
	}
	if len(d.whole) == 0 {
		for len(d.frac) > 0 && d.frac[0] == '0' {
			d.frac = d.frac[1:]
			d.point--
		}
	}
	if d.len() == 0 {
		d.neg, d.point = false, 0
	}
}

func (d *digits) len() int { return len(d.whole) + len(d.frac) }

func (d *digits) at(i int) byte {
	if i < len(d.whole) {
		return d.whole[i] - '0'
	}
	return d.frac[i-len(d.whole)] - '0'
}

func (d *digits) isInteger() bool { return int64(d.len()) <= d.point || d.len() == 0 }

func (d *digits) int64() (int64, bool) {
	if !d.isInteger() || d.point > 19 {
		return 0, false
	}
	var v uint64
	for i := range int(d.point) {
		c := uint64(0)
		if i < d.len() {
			c = uint64(d.at(i))
		}
		v = v*10 + c
	}
	if d.neg {
		if v > 1<<63 {
			return 0, false
		}
		return -int64(v), true
	}
	if v >= 1<<63 {
		return 0, false
	}
	return int64(v), true
}

// cmp compares by sign, position of the first digit, then digit by digit.
func (d *digits) cmp(o *digits) int {
	switch {
	case d.len() == 0 && o.len() == 0:
		return 0
	case d.len() == 0:
		return sign(!o.neg)
	case o.len() == 0:
		return sign(d.neg)
	case d.neg != o.neg:
		return sign(d.neg)
	}
	c := d.cmpAbs(o)
	if d.neg {
		return -c
	}
	return c
}

func sign(negative bool) int {
	if negative {
		return -1
	}
	return 1
}

func (d *digits) cmpAbs(o *digits) int {
	if d.point != o.point {
		return sign(d.point < o.point)
	}
	if len(d.frac) == 0 && len(o.frac) == 0 {
		return bytes.Compare(d.whole, o.whole)
	}
	n := min(d.len(), o.len())
	for i := range n {
		if a, b := d.at(i), o.at(i); a != b {
			return sign(a < b)
		}
	}
	switch {
	case d.len() < o.len():
		return -1
	case d.len() > o.len():
		return 1
	}
	return 0
}

func (d *digits) bigInt() *big.Int {
	text := append(append(make([]byte, 0, d.len()), d.whole...), d.frac...)
	v, ok := new(big.Int).SetString(string(text), 10)
	if !ok {
		return new(big.Int)
	}
	return v
}

// mod is the digits as an integer modulo w, in time linear in their number.
func (d *digits) mod(w *big.Int) *big.Int {
	rest, chunk, scale := new(big.Int), new(big.Int), new(big.Int)
	for i := 0; i < d.len(); {
		c, s := uint64(0), uint64(1)
		for ; i < d.len() && s < 1e18; i++ {
			c = c*10 + uint64(d.at(i))
			s *= 10
		}
		rest.Mul(rest, scale.SetUint64(s))
		rest.Add(rest, chunk.SetUint64(c))
		rest.Mod(rest, w)
	}
	return rest
}

// divides tells whether a / d is an integer. With a = m·10^e and d = u·10^f,
// neither m nor u ending in a zero, that needs e >= f (m has no factor 10 to
// spare) and u to divide m·10^(e-f), worked out modulo u.
func (d *Decimal) divides(a *digits) bool {
	if a.len() == 0 {
		return true
	}
	if d.digits.len() == 0 {
		return false
	}
	shift := (a.point - int64(a.len())) - (d.digits.point - int64(d.digits.len()))
	if shift < 0 {
		return false
	}
	if !d.isUnit {
		m := a.mod(d.wide)
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), d.wide)
		return m.Mul(m, p).Mod(m, d.wide).Sign() == 0
	}
	u := d.unit
	if u == 1 {
		return true
	}
	var rest uint64
	for i := range a.len() {
		rest = (mulMod(rest, 10, u) + uint64(a.at(i))%u) % u
	}
	return mulMod(rest, powMod(10%u, shift, u), u) == 0
}

func mulMod(a, b, m uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, m)
}

func powMod(base uint64, exp int64, m uint64) uint64 {
	p := 1 % m
	for ; exp > 0; exp >>= 1 {
		if exp&1 != 0 {
			p = mulMod(p, base, m)
		}
		base = mulMod(base, base, m)
	}
	return p
}

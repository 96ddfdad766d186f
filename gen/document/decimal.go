package document

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Decimal is the exact value of a JSON number: Digits × 10^Exponent, without
// leading or trailing zeros in Digits, so that equal numbers are equal Decimals
// (== works). Zero is the zero Decimal, whatever its sign was.
type Decimal struct {
	Negative bool
	Digits   string // no leading, no trailing zeros; "" is zero
	Exponent int64
}

// Decimal gives the exact value of a number; v must be of kind Number.
func (v *Value) Decimal() Decimal { return ParseDecimal(v.Text) }

// ParseDecimal reads the text of a JSON number, which must be one (as every
// number of a parsed document is).
func ParseDecimal(text string) Decimal {
	var d Decimal
	d.Negative = strings.HasPrefix(text, "-")
	text = strings.TrimPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.ParseInt(strings.TrimPrefix(text[i+1:], "+"), 10, 64)
		if err != nil || n > math.MaxInt32 || n < -math.MaxInt32 {
			n = min(max(n, -math.MaxInt32), math.MaxInt32)
		}
		d.Exponent, text = n, text[:i]
	}
	if i := strings.IndexByte(text, '.'); i >= 0 {
		d.Exponent -= int64(len(text) - i - 1)
		text = text[:i] + text[i+1:]
	}
	text = strings.TrimLeft(text, "0")
	d.Digits = strings.TrimRight(text, "0")
	d.Exponent += int64(len(text) - len(d.Digits))
	if d.Digits == "" {
		return Decimal{}
	}
	return d
}

// IsInteger tells whether the number has no fraction (1.0 and 1e2 have none).
func (d Decimal) IsInteger() bool { return d.Exponent >= 0 }

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.Digits == "":
		return 0
	case d.Negative:
		return -1
	}
	return 1
}

// Int64 gives the number when it is an integer that fits.
func (d Decimal) Int64() (int64, bool) {
	if d.Exponent < 0 || int64(len(d.Digits))+d.Exponent > 19 {
		return 0, false
	}
	if d.Digits == "" {
		return 0, true
	}
	text := d.Digits + strings.Repeat("0", int(d.Exponent))
	if d.Negative {
		text = "-" + text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

// Cmp compares two numbers exactly: -1, 0 or 1. It never expands an exponent.
func (d Decimal) Cmp(o Decimal) int {
	if s, t := d.Sign(), o.Sign(); s != t || s == 0 {
		return cmp.Compare(s, t)
	}
	c := cmp.Compare(int64(len(d.Digits))+d.Exponent, int64(len(o.Digits))+o.Exponent)
	if c == 0 {
		// Same magnitude: digit strings compare as fractions do.
		c = strings.Compare(d.Digits, o.Digits)
	}
	if d.Negative {
		c = -c
	}
	return c
}

// Rat gives the number as a fraction; ok is false when the exponent is so large
// that the fraction would not be worth building.
func (d Decimal) Rat() (r *big.Rat, ok bool) {
	const limit = 4096
	if d.Exponent > limit || d.Exponent < -limit || len(d.Digits) > limit {
		return nil, false
	}
	return new(big.Rat).SetString(d.String())
}

// String writes the number in one canonical form: as an integer when that is
// short, else digits and exponent. It is valid JSON.
func (d Decimal) String() string {
	if d.Digits == "" {
		return "0"
	}
	text := d.Digits
	switch {
	case d.Exponent >= 0 && int64(len(text))+d.Exponent <= 40:
		text += strings.Repeat("0", int(d.Exponent))
	case d.Exponent < 0 && -d.Exponent < int64(len(text)):
		cut := len(text) + int(d.Exponent)
		text = text[:cut] + "." + text[cut:]
	case d.Exponent < 0 && -d.Exponent <= 20:
		text = "0." + strings.Repeat("0", int(-d.Exponent)-len(text)) + text
	default:
		text += "e" + strconv.FormatInt(d.Exponent, 10)
	}
	if d.Negative {
		text = "-" + text
	}
	return text
}

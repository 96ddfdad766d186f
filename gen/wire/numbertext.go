package wire

import (
	"fmt"
	"math"
	"strconv"
)

// Number is a number of any size and precision: its JSON text. The empty
// Number is 0.
type Number string

// Int is the Number of v.
func Int(v int64) Number { return Number(strconv.FormatInt(v, 10)) }

// Float is the Number of f, in the fewest digits that read back as f. It is
// not meant for NaN and infinities, which JSON does not have; they make an
// invalid Number.
func Float(f float64) Number {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Number(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return Number(AppendFloat(nil, f))
}

// Valid tells whether n is a JSON number, or empty.
func (n Number) Valid() bool {
	if n == "" {
		return true
	}
	end, _ := scanNumber([]byte(n), 0)
	return end == len(n)
}

// Num is n as the type that compares exactly. It is the number 0 if n is not
// valid.
func (n Number) Num() Num {
	b := []byte(n)
	end, v := scanNumber(b, 0)
	if end != len(b) || end == 0 {
		b = []byte("0")
		_, v = scanNumber(b, 0)
	}
	v.Raw = b
	return v
}

// Float64 is the nearest float64, ±Inf beyond the range, NaN if n is no
// number.
func (n Number) Float64() float64 {
	if !n.Valid() {
		return math.NaN()
	}
	return n.Num().Float64()
}

// Int64 is the value as an int64; ok is false if it is no integer or does not
// fit.
func (n Number) Int64() (v int64, ok bool) {
	if !n.Valid() {
		return 0, false
	}
	return n.Num().Int64()
}

// MarshalJSON writes n as it stands.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Valid() {
		return nil, fmt.Errorf("wire: a Number that is no JSON number")
	}
	return AppendNumber(nil, n), nil
}

// UnmarshalJSON reads a number.
func (n *Number) UnmarshalJSON(data []byte) error {
	v := Number(data)
	if v == "" || !v.Valid() {
		return fmt.Errorf("wire: want a JSON number")
	}
	*n = v
	return nil
}

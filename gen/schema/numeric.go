package schema

import (
	"math/big"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
)

func tighter(a, b atom, sign int) bool {
	c := a.num.Cmp(b.num) * sign
	return c > 0 || (c == 0 && a.strict)
}

// numbers merges bounds and multiples.
func (t *tidy) numbers() bool {
	step := t.step()
	if t.values != nil {
		t.values = slices.DeleteFunc(slices.Clone(t.values), func(v *document.Value) bool { return !t.admits(v.Decimal()) })
		return true
	}
	if step != nil {
		t.low, t.high = onGrid(t.low, step, 1), onGrid(t.high, step, -1)
	}
	if t.low != nil && t.high != nil {
		switch c := t.low.num.Cmp(t.high.num); {
		case c > 0 || (c == 0 && (t.low.strict || t.high.strict)):
			return false
		case c == 0:
			if _, fits := t.low.num.Rat(); len(t.multiples) > 0 && (step == nil || !fits) {
				break // too unwieldy to tell whether it is a multiple
			}
			t.values = []*document.Value{{Kind: document.Number, Text: t.low.num.String()}}
			return true
		}
		if t.enumerate(step) {
			return true
		}
	}
	for _, a := range []*atom{t.low, t.high} {
		if a != nil {
			t.keep(*a)
		}
	}
	for _, m := range t.multiples {
		t.keep(atom{op: opMultiple, num: m})
	}
	return true
}

// enumerate turns a bounded range of few integers into their enumeration.
func (t *tidy) enumerate(step *big.Rat) bool {
	const few = 64
	if step == nil {
		return false
	}
	low, ok1 := t.low.num.Rat()
	high, ok2 := t.high.num.Rat()
	if !ok1 || !ok2 {
		return false
	}
	span := new(big.Rat).Sub(high, low)
	if span.Quo(span, step).Cmp(big.NewRat(few, 1)) >= 0 {
		return false
	}
	var values []*document.Value
	for v := low; v.Cmp(high) <= 0; v = new(big.Rat).Add(v, step) {
		text, exact := decimalText(v)
		if !exact {
			return false
		}
		values = append(values, &document.Value{Kind: document.Number, Text: text})
	}
	t.values = sortedValues(values)
	return true
}

// step joins the multiples into one: their least common multiple. It is nil when
// there is none, or one too unwieldy to reckon with.
func (t *tidy) step() *big.Rat {
	slices.SortFunc(t.multiples, document.Decimal.Cmp)
	t.multiples = slices.Compact(t.multiples)
	if len(t.multiples) == 0 {
		return nil
	}
	const limit = 64
	var step *big.Rat
	for _, m := range t.multiples {
		if m.Exponent > limit || m.Exponent < -limit || len(m.Digits) > limit {
			return nil
		}
		r, ok := m.Rat()
		if !ok {
			return nil
		}
		if step == nil {
			step = r
		} else {
			// lcm(a/b, c/d) = lcm(a·d, c·b) / (b·d)
			x := new(big.Int).Mul(step.Num(), r.Denom())
			y := new(big.Int).Mul(r.Num(), step.Denom())
			gcd := new(big.Int).GCD(nil, nil, x, y)
			lcm := new(big.Int).Mul(new(big.Int).Div(x, gcd), y)
			step = new(big.Rat).SetFrac(lcm, new(big.Int).Mul(step.Denom(), r.Denom()))
		}
	}
	text, exact := decimalText(step)
	if !exact || len(text) > 4*limit {
		return nil
	}
	t.multiples = []document.Decimal{document.ParseDecimal(text)}
	return step
}

// decimalText writes a fraction as a decimal number, if it is one.
func decimalText(r *big.Rat) (text string, exact bool) {
	digits, exact := r.FloatPrec()
	return r.FloatString(digits), exact
}

// onGrid moves a bound to the nearest multiple of step inside it.
func onGrid(a *atom, step *big.Rat, sign int) *atom {
	if a == nil {
		return nil
	}
	bound, ok := a.num.Rat()
	if !ok {
		return a
	}
	q := new(big.Rat).Quo(bound, step)
	n, rest := new(big.Int).DivMod(q.Num(), q.Denom(), new(big.Int)) // floor
	if sign > 0 && (rest.Sign() != 0 || a.strict) {
		n.Add(n, big.NewInt(1))
	}
	if sign < 0 && rest.Sign() == 0 && a.strict {
		n.Sub(n, big.NewInt(1))
	}
	text, exact := decimalText(new(big.Rat).Mul(new(big.Rat).SetInt(n), step))
	if !exact {
		return a
	}
	return &atom{op: a.op, num: document.ParseDecimal(text)}
}

// admits tells whether a number keeps the bounds and multiples. The multiples
// that could not be reckoned with stay as atoms.
func (t *tidy) admits(d document.Decimal) bool {
	if t.low != nil {
		if c := d.Cmp(t.low.num); c < 0 || (c == 0 && t.low.strict) {
			return false
		}
	}
	if t.high != nil {
		if c := d.Cmp(t.high.num); c > 0 || (c == 0 && t.high.strict) {
			return false
		}
	}
	for _, m := range t.multiples {
		r, ok1 := d.Rat()
		s, ok2 := m.Rat()
		if !ok1 || !ok2 {
			t.keep(atom{op: opMultiple, num: m})
			continue
		}
		if !new(big.Rat).Quo(r, s).IsInt() {
			return false
		}
	}
	return true
}

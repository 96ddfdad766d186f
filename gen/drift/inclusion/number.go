package inclusion

import (
	"math/big"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// number looks for a number by conditions: an interval, multiples it must and
// must not be of, and numbers it must not be.
func (s *Solver) number(atoms []*term) Answer {
	p := interval{}
	for _, t := range atoms {
		switch t.op {
		case opMin, opMax:
			r, ok := t.num.Rat()
			if !ok {
				return Answer{Status: Unknown, Keyword: "minimum"}
			}
			p.bound(r, t.strict, t.op == opMin)
		case opMultiple, opNotMultiple:
			r, ok := t.num.Rat()
			if !ok || r.Sign() <= 0 {
				return Answer{Status: Unknown, Keyword: "multipleOf"}
			}
			if t.op == opNotMultiple {
				p.not = append(p.not, r)
				continue
			}
			p.step = commonMultiple(p.step, r)
		}
	}
	fits := func(x *big.Rat) (Answer, bool) {
		for _, n := range p.not {
			if new(big.Rat).Quo(x, n).IsInt() {
				return Answer{}, false
			}
		}
		v := &document.Value{Kind: document.Number, Text: decimalText(x)}
		return Answer{Status: Found, Value: v}, !excludedValue(atoms, v)
	}
	if p.low != nil && p.high != nil {
		switch c := p.low.Cmp(p.high); {
		case c > 0 || c == 0 && (p.lowOpen || p.highOpen):
			return Answer{Status: None}
		case c == 0:
			if p.step == nil || new(big.Rat).Quo(p.low, p.step).IsInt() {
				if a, ok := fits(p.low); ok {
					return a
				}
			}
			return Answer{Status: None}
		}
	}
	if p.step == nil {
		return p.dense(fits)
	}
	return p.grid(len(together(atoms, opNotValues)), fits)
}

type interval struct {
	low, high         *big.Rat
	lowOpen, highOpen bool
	step              *big.Rat
	not               []*big.Rat
}

func (p *interval) bound(r *big.Rat, open, lower bool) {
	at, isOpen, sign := &p.high, &p.highOpen, -1
	if lower {
		at, isOpen, sign = &p.low, &p.lowOpen, 1
	}
	c := 1
	if *at != nil {
		c = sign * r.Cmp(*at)
	}
	if c > 0 {
		*at, *isOpen = r, open
	} else if c == 0 {
		*isOpen = *isOpen || open
	}
}

func (p *interval) contains(x *big.Rat) bool {
	if p.low != nil {
		if c := x.Cmp(p.low); c < 0 || c == 0 && p.lowOpen {
			return false
		}
	}
	if p.high != nil {
		if c := x.Cmp(p.high); c > 0 || c == 0 && p.highOpen {
			return false
		}
	}
	return true
}

// dense looks in an interval that holds infinitely many numbers, plain ones
// first: what is excluded lies on finitely many grids, and finer decimals do not.
func (p *interval) dense(fits func(*big.Rat) (Answer, bool)) Answer {
	step := big.NewRat(1, 1)
	for range 400 {
		from := p.start(step)
		for i := range int64(24) {
			x := new(big.Rat).Add(from, new(big.Rat).Mul(step, big.NewRat(p.way()*i, 1)))
			if p.contains(x) {
				if a, ok := fits(x); ok {
					return a
				}
			}
		}
		step = new(big.Rat).Quo(step, big.NewRat(10, 1))
	}
	return Answer{Status: Unknown, Keyword: "multipleOf"}
}

// way is the direction to walk in: up, but for an interval without lower end.
func (p *interval) way() int64 {
	if p.low == nil && p.high != nil {
		return -1
	}
	return 1
}

// start gives the multiple of step to begin at.
func (p *interval) start(step *big.Rat) *big.Rat {
	zero := new(big.Rat)
	switch {
	case p.contains(zero):
		return zero
	case p.low != nil:
		return roundTo(p.low, step, true)
	default:
		return roundTo(p.high, step, false)
	}
}

// grid looks among multiples of the step, from near zero outwards. Which of them
// are multiples of something else too repeats, so that a whole period without
// success, beyond the values that are excluded one by one, says all.
func (p *interval) grid(excluded int, fits func(*big.Rat) (Answer, bool)) Answer {
	period := p.step
	for _, n := range p.not {
		period = commonMultiple(period, n)
	}
	turns := new(big.Rat).Quo(period, p.step)
	const limit = 20_000
	most := limit
	if n := turns.Num(); n.IsInt64() && n.Int64() < limit {
		most = min(limit, int(n.Int64())*(excluded+1)+1)
	}
	for _, way := range []int64{1, -1} {
		step := new(big.Rat).Mul(p.step, big.NewRat(way, 1))
		x := p.start(p.step)
		if p.low == nil && p.high != nil && way > 0 && !p.contains(new(big.Rat)) {
			// Only downwards is there anything.
			continue
		}
		if p.lowOpen && p.low.Cmp(x) == 0 && way > 0 || p.highOpen && p.high != nil && p.high.Cmp(x) == 0 && way < 0 {
			x.Add(x, step)
		}
		for i := 0; p.contains(x); i++ {
			if a, ok := fits(x); ok {
				return a
			}
			if i >= most {
				if most == limit {
					return Answer{Status: Unknown, Keyword: "multipleOf"}
				}
				break
			}
			x.Add(x, step)
		}
	}
	return Answer{Status: None}
}

// roundTo gives the multiple of step at or next to x, upwards or downwards.
func roundTo(x, step *big.Rat, up bool) *big.Rat {
	q := new(big.Rat).Quo(x, step)
	n, rest := new(big.Int).DivMod(q.Num(), q.Denom(), new(big.Int))
	if up && rest.Sign() != 0 {
		n.Add(n, big.NewInt(1))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), step)
}

// commonMultiple gives the least number that is a multiple of both.
func commonMultiple(x, y *big.Rat) *big.Rat {
	if x == nil {
		return y
	}
	// lcm(a/b, c/d) = lcm(a, c) / gcd(b, d) for reduced fractions.
	g := new(big.Int).GCD(nil, nil, x.Num(), y.Num())
	num := new(big.Int).Mul(x.Num(), new(big.Int).Quo(y.Num(), g))
	return new(big.Rat).SetFrac(num, new(big.Int).GCD(nil, nil, x.Denom(), y.Denom()))
}

// decimalText writes a fraction that has a finite decimal form.
func decimalText(x *big.Rat) string {
	if x.IsInt() {
		return document.ParseDecimal(x.Num().String()).String()
	}
	places, _ := x.FloatPrec()
	return x.FloatString(places)
}

// together collects the values of all terms of an op.
func together(atoms []*term, o op) (values []*document.Value) {
	for _, t := range atoms {
		if t.op == o {
			values = append(values, t.values...)
		}
	}
	return slices.Clip(values)
}

package sample

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// numberRule is what several schemas demand of one number. Numbers are multiples
// k of a step, from first to last.
type numberRule struct {
	step        *big.Rat
	first, last *big.Int // multiples; nil = no bound
	exact       bool     // the step is demanded, not just a way to walk
}

// numberOf merges the rules of the nodes. Bounds too large for a fraction are
// left to the evaluation.
func numberOf(nodes []*schema.Node, integer bool) numberRule {
	r := numberRule{}
	if integer {
		r.step = big.NewRat(1, 1)
	}
	for _, n := range nodes {
		if n.MultipleOf != nil {
			if x, ok := n.MultipleOf.Decimal().Rat(); ok {
				r.step = commonMultiple(r.step, x)
			}
		}
	}
	r.exact = r.step != nil
	low, lowOpen := tightest(nodes, 1, func(n *schema.Node) (*document.Value, *document.Value) { return n.Minimum, n.ExclusiveMinimum })
	high, highOpen := tightest(nodes, -1, func(n *schema.Node) (*document.Value, *document.Value) { return n.Maximum, n.ExclusiveMaximum })
	if !r.exact {
		r.step = stride(low, high)
	}
	if low != nil {
		r.first = quotient(low, r.step, true)
		if lowOpen && product(r.first, r.step).Cmp(low) == 0 {
			r.first.Add(r.first, big.NewInt(1))
		}
	}
	if high != nil {
		r.last = quotient(high, r.step, false)
		if highOpen && product(r.last, r.step).Cmp(high) == 0 {
			r.last.Sub(r.last, big.NewInt(1))
		}
	}
	return r
}

// stride is a step fine enough to hit both bounds and to have room between them.
func stride(low, high *big.Rat) *big.Rat {
	step := big.NewRat(1, 10)
	fits := func(x *big.Rat) bool { return x == nil || new(big.Rat).Quo(x, step).IsInt() }
	room := func() bool {
		return low == nil || high == nil ||
			new(big.Rat).Sub(high, low).Cmp(new(big.Rat).Mul(step, big.NewRat(4, 1))) >= 0 || high.Cmp(low) <= 0
	}
	for i := 0; i < 400 && !(fits(low) && fits(high) && room()); i++ {
		step.Quo(step, big.NewRat(10, 1))
	}
	return step
}

// tightest gives the tightest of closed and open bounds; sign is 1 for lower ones.
func tightest(nodes []*schema.Node, sign int, of func(*schema.Node) (closed, open *document.Value)) (bound *big.Rat, isOpen bool) {
	consider := func(v *document.Value, open bool) {
		if v == nil {
			return
		}
		x, ok := v.Decimal().Rat()
		if !ok {
			return
		}
		c := 1
		if bound != nil {
			c = sign * x.Cmp(bound)
		}
		if c > 0 || c == 0 && open {
			bound, isOpen = x, open
		}
	}
	for _, n := range nodes {
		closed, open := of(n)
		consider(closed, false)
		consider(open, true)
	}
	return bound, isOpen
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

// quotient gives x/step as an integer, rounded up or down.
func quotient(x, step *big.Rat, up bool) *big.Int {
	q := new(big.Rat).Quo(x, step)
	k, rest := new(big.Int).DivMod(q.Num(), q.Denom(), new(big.Int))
	if up && rest.Sign() != 0 {
		k.Add(k, big.NewInt(1))
	}
	return k
}

func product(k *big.Int, step *big.Rat) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt(k), step)
}

// text writes k times the step as a JSON number.
func (r numberRule) text(k *big.Int) string { return decimalText(product(k, r.step)) }

// decimalText writes a fraction that has a finite decimal form.
func decimalText(x *big.Rat) string {
	if x.IsInt() {
		s := x.Num().String()
		// Very long ones are written with an exponent.
		if t := strings.TrimRight(s, "0"); len(s) > 40 && len(s)-len(t) > 20 {
			return t + "e" + strconv.Itoa(len(s)-len(t))
		}
		return s
	}
	places, _ := x.FloatPrec()
	return x.FloatString(places)
}

func (m *maker) number(p *plan, integer bool) *value {
	r := numberOf(p.nodes, integer)
	if r.first != nil && r.last != nil && r.first.Cmp(r.last) > 0 {
		return nil
	}
	if !r.exact && r.first == nil && r.last == nil && !p.small {
		return number(pick(m.rng, looseNumbers))
	}
	return number(m.dress(r.text(m.multiple(r)), p.small))
}

// multiple picks k: often near a bound, sometimes far out where there is none.
func (m *maker) multiple(r numberRule) *big.Int {
	near := big.NewInt(int64(m.rng.IntN(20)))
	switch {
	case r.first != nil && r.last != nil:
		span := new(big.Int).Sub(r.last, r.first)
		k := new(big.Int)
		if span.IsInt64() && span.Int64() < 1<<62 {
			k.SetInt64(m.rng.Int64N(span.Int64() + 1))
		} else {
			k.Quo(new(big.Int).Mul(span, big.NewInt(m.rng.Int64N(1000))), big.NewInt(999))
		}
		return k.Add(k, r.first)
	case r.first != nil:
		if m.rng.IntN(6) == 0 {
			near.Add(near, m.large())
		}
		return near.Add(near, r.first)
	case r.last != nil:
		if m.rng.IntN(6) == 0 {
			near.Add(near, m.large())
		}
		return near.Sub(r.last, near)
	}
	if m.rng.IntN(6) == 0 {
		near = m.large()
	}
	if m.rng.IntN(2) == 0 {
		near.Neg(near)
	}
	return near
}

// large picks a number around the limits of machine numbers.
func (m *maker) large() *big.Int {
	k := new(big.Int).Lsh(big.NewInt(1), pick(m.rng, []uint{31, 32, 53, 63, 64, 100}))
	return k.Add(k, big.NewInt(int64(m.rng.IntN(3))-1))
}

// dress writes the same number in another way now and then.
func (m *maker) dress(text string, plain bool) string {
	if plain || strings.ContainsAny(text, ".eE") || len(text) > 30 {
		return text
	}
	switch m.rng.IntN(12) {
	case 0:
		return text + ".0"
	case 1:
		return text + "e0"
	case 2:
		if text != "0" && text != "-0" {
			return text + "0E-1"
		}
	case 3:
		if text == "0" {
			return "-0"
		}
		if t := strings.TrimRight(text, "0"); t != text && t != "" {
			return t + "e+" + strconv.Itoa(len(text)-len(t))
		}
	}
	return text
}

package wire

import (
	"slices"
	"strconv"
)

// NumberRule is what a schema demands of a number. A bound that is nil does not exist.
type NumberRule struct {
	Place
	Integer          bool // integers only (1.0 and 1e2 are integers)
	Minimum          *Decimal
	Maximum          *Decimal
	ExclusiveMinimum *Decimal
	ExclusiveMaximum *Decimal
	MultipleOf       *Decimal
	Const            *Decimal // the only value
	Values           []int64  // the only values: an enum, nil for none
}

// CheckNumber consumes a number and holds it against the rule.
func (r *Reader) CheckNumber(rule *NumberRule) bool {
	at := r.Pos()
	if v, end := shortInt(r.data, at); end > 0 && rule.holdsInt(v) {
		r.pos = end
		return true
	}
	n, ok, entered := r.number(rule)
	if !entered {
		return ok
	}
	return r.holdNumber(at, n, rule)
}

// ReadNumber consumes a number into v, as it is written, and holds it against the rule.
func (r *Reader) ReadNumber(rule *NumberRule, v *Number) bool {
	at := r.Pos()
	if n, end := shortInt(r.data, at); end > 0 && rule.holdsInt(n) {
		*v = Number(r.keepString(at, end))
		r.pos = end
		return true
	}
	n, ok, entered := r.number(rule)
	if !entered {
		return ok
	}
	*v = r.NumberText(n)
	return r.holdNumber(at, n, rule)
}

// ReadInt consumes an integer into v and holds it against the rule, whose bounds lie within int64.
func (r *Reader) ReadInt(rule *NumberRule, v *int64) bool {
	at := r.Pos()
	if n, end := shortInt(r.data, at); end > 0 && rule.holdsInt(n) {
		*v = n
		r.pos = end
		return true
	}
	n, ok, entered := r.number(rule)
	if !entered {
		return ok
	}
	*v, _ = n.Int64()
	return r.holdNumber(at, n, rule)
}

// ReadFloat consumes a number into v and holds it against the rule, whose bounds lie within float64.
func (r *Reader) ReadFloat(rule *NumberRule, v *float64) bool {
	at := r.Pos()
	n, ok, entered := r.number(rule)
	if !entered {
		return ok
	}
	*v = n.Float64()
	return r.holdNumber(at, n, rule)
}

// holdsInt tells whether v obeys the rule, and false where that takes a closer look.
func (rule *NumberRule) holdsInt(v int64) bool {
	if d := rule.Minimum; d != nil && (!d.isSmall || v < d.small) {
		return false
	}
	if d := rule.Maximum; d != nil && (!d.isSmall || v > d.small) {
		return false
	}
	if d := rule.ExclusiveMinimum; d != nil && (!d.isSmall || v <= d.small) {
		return false
	}
	if d := rule.ExclusiveMaximum; d != nil && (!d.isSmall || v >= d.small) {
		return false
	}
	return rule.MultipleOf == nil && rule.Const == nil && (rule.Values == nil || slices.Contains(rule.Values, v))
}

// number consumes a number; entered is false if there was none, and ok then tells whether to go on.
func (r *Reader) number(rule *NumberRule) (n Num, ok, entered bool) {
	if r.Kind() != KindNumber {
		want := "a number"
		if rule.Integer {
			want = "an integer"
		}
		return Num{}, r.Mismatch(&rule.Place, want), false
	}
	n, ok = r.Number()
	return n, ok, ok
}

func (r *Reader) holdNumber(at int, n Num, rule *NumberRule) bool {
	if rule.Integer && !n.IsInteger() {
		return r.Broken(at, &rule.Place, "type", "an integer")
	}
	if rule.Values != nil && !rule.lists(n) {
		return r.broken(at, &rule.Place, "enum", func() string { return oneOf(rule.texts()) })
	}
	if rule.Const != nil && n.Cmp(rule.Const) != 0 {
		return r.broken(at, &rule.Place, "const", func() string { return rule.Const.String() })
	}
	if rule.Minimum != nil && n.Cmp(rule.Minimum) < 0 &&
		!r.broken(at, &rule.Place, "minimum", func() string { return "at least " + rule.Minimum.String() }) {
		return false
	}
	if rule.Maximum != nil && n.Cmp(rule.Maximum) > 0 &&
		!r.broken(at, &rule.Place, "maximum", func() string { return "at most " + rule.Maximum.String() }) {
		return false
	}
	if rule.ExclusiveMinimum != nil && n.Cmp(rule.ExclusiveMinimum) <= 0 &&
		!r.broken(at, &rule.Place, "exclusiveMinimum", func() string { return "more than " + rule.ExclusiveMinimum.String() }) {
		return false
	}
	if rule.ExclusiveMaximum != nil && n.Cmp(rule.ExclusiveMaximum) >= 0 &&
		!r.broken(at, &rule.Place, "exclusiveMaximum", func() string { return "less than " + rule.ExclusiveMaximum.String() }) {
		return false
	}
	if rule.MultipleOf != nil && !n.MultipleOf(rule.MultipleOf) &&
		!r.broken(at, &rule.Place, "multipleOf", func() string { return "a multiple of " + rule.MultipleOf.String() }) {
		return false
	}
	return true
}

func (rule *NumberRule) lists(n Num) bool {
	v, ok := n.Int64()
	return ok && slices.Contains(rule.Values, v)
}

func (rule *NumberRule) texts() []string {
	texts := make([]string, len(rule.Values))
	for i, v := range rule.Values {
		texts[i] = strconv.FormatInt(v, 10)
	}
	return texts
}

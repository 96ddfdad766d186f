package sample

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Mutate gives a message that differs a little from the given one: in its
// structure (a member missing, renamed, moved, doubled, another value at some
// place), in its spelling only (white space, escapes, the order of members, the
// way numbers are written), or in its bytes, so that it may be no JSON any more.
// It does not touch the given bytes.
func Mutate(rng *rand.Rand, json []byte) []byte {
	m := mutator{rng}
	root, err := decode(json)
	if err != nil || rng.IntN(4) == 0 {
		return m.bytes(json)
	}
	for n := 1 + rng.IntN(2); n > 0; n-- {
		root = m.structure(root)
	}
	if rng.IntN(3) == 0 {
		return m.spell(nil, root)
	}
	return encode(root)
}

type mutator struct{ rng *rand.Rand }

// somewhere gives the steps to a random value, composite ones as likely as others.
func (m mutator) somewhere(root *value) []int {
	var all [][]int
	var walk func(v *value, path []int)
	walk = func(v *value, path []int) {
		all = append(all, slices.Clone(path))
		for i := range children(v) {
			walk(child(v, i), append(path, i))
		}
	}
	walk(root, nil)
	return pick(m.rng, all)
}

// structure changes one place of the tree.
func (m mutator) structure(root *value) *value {
	path := m.somewhere(root)
	v := at(root, path)
	n := children(v)
	if n > 0 && m.rng.IntN(3) > 0 {
		return replace(root, path, m.parts(root, v, m.rng.IntN(n)))
	}
	switch v.Kind {
	case document.String:
		if m.rng.IntN(2) == 0 {
			return replace(root, path, text(m.text(v.Text)))
		}
	case document.Number:
		if m.rng.IntN(2) == 0 {
			return replace(root, path, number(m.number(v.Text)))
		}
	case document.Bool:
		if m.rng.IntN(2) == 0 {
			return replace(root, path, boolean(!v.Bool))
		}
	}
	switch m.rng.IntN(8) {
	case 0:
		return replace(root, path, array(v))
	case 1:
		return replace(root, path, object(member("value", v)))
	case 2:
		return replace(root, path, at(root, m.somewhere(root))) // a value from elsewhere
	}
	return replace(root, path, pick(m.rng, looseValues))
}

var looseValues = []*value{
	null(), boolean(true), boolean(false), number("0"), number("-0"), number("1"), number("1.0"), number("-1"), number("0.5"), number("1e2"),
	number("9007199254740992"), number("9223372036854775808"), number("1e400"), number("1e-400"), text(""), text("a"), text("null"), text("\x00"), text("𝒳"),
	array(), object(), array(null()), array(array()), object(member("", null())), object(member("type", text("x"))),
}

// parts changes a composite value around its i-th part.
func (m mutator) parts(root, v *value, i int) *value {
	c := fresh(v)
	c.Members, c.Items = slices.Clone(v.Members), slices.Clone(v.Items)
	k := m.rng.IntN(children(v))
	switch m.rng.IntN(7) {
	case 0, 1:
		return without(v, i)
	case 2: // swap: the order of members says nothing, that of items does
		if v.Kind == document.Object {
			c.Members[i], c.Members[k] = c.Members[k], c.Members[i]
		} else {
			c.Items[i], c.Items[k] = c.Items[k], c.Items[i]
		}
	case 3: // two values change places, their names stay
		if v.Kind == document.Object {
			c.Members[i].Value, c.Members[k].Value = c.Members[k].Value, c.Members[i].Value
		} else {
			c.Items[i] = c.Items[k]
		}
	case 4:
		if v.Kind == document.Array {
			c.Items = append(c.Items, v.Items[i])
			break
		}
		name := m.text(v.Members[i].Name)
		if v.Get(name) == nil {
			c.Members[i].Name = name
		}
	case 5:
		if v.Kind == document.Array {
			c.Items = slices.Insert(c.Items, i, pick(m.rng, looseValues))
			break
		}
		// A name that is there already makes a repeated one, now and then.
		name := m.text(v.Members[i].Name)
		if v.Get(name) == nil || m.rng.IntN(4) == 0 {
			c.Members = slices.Insert(c.Members, i, member(name, pick(m.rng, looseValues)))
		}
	case 6:
		other := at(root, m.somewhere(root))
		if v.Kind == document.Array {
			c.Items[i] = other
		} else {
			c.Members[i].Value = other
		}
	}
	return c
}

// text changes one place of a string.
func (m mutator) text(s string) string {
	r := []rune(s)
	i := m.rng.IntN(len(r) + 1)
	insert := func(t string) string { return string(r[:i]) + t + string(r[i:]) }
	switch m.rng.IntN(10) {
	case 0:
		return insert("𝒳")
	case 1:
		return insert(pick(m.rng, []string{"\x00", "\n", "\u2028", "\ufeff", "\"", "\\", "/", "\x7f", " "}))
	case 2:
		return insert(pick(m.rng, []string{"a", "Z", "0", "-", ".", "é", "e\u0301"}))
	case 3:
		return upper(s)
	case 4:
		return s + s
	case 5:
		return strings.Repeat(s+"a", 1+m.rng.IntN(40))
	case 6:
		return ""
	case 7:
		return string(r[:i])
	}
	if i == len(r) {
		return s + "x"
	}
	return string(r[:i]) + string(r[i+1:])
}

// number changes a number, or only the way it is written.
func (m mutator) number(s string) string {
	plain := !strings.ContainsAny(s, ".eE")
	switch m.rng.IntN(8) {
	case 0:
		if plain {
			return s + ".0"
		}
	case 1:
		if plain {
			return s + pick(m.rng, []string{"e0", "E+0", "e-0", "e1", "e-1", "e300", ".5"})
		}
	case 2:
		if s[0] == '-' {
			return s[1:]
		}
		return "-" + s
	case 3:
		if plain && s != "0" && s != "-0" {
			return s + "0"
		}
	case 4:
		if d := s[len(s)-1]; plain && len(s) > 1 && s[len(s)-2] >= '1' && d > '0' {
			return s[:len(s)-1] + string(d-1)
		}
	case 5:
		return pick(m.rng, looseNumbers)
	}
	return pick(m.rng, []string{"0", "1", "-1", "2", "100", s})
}

// bytes changes the text without looking at what it says.
func (m mutator) bytes(json []byte) []byte {
	b := slices.Clone(json)
	for n := 1 + m.rng.IntN(3); n > 0; n-- {
		i := m.rng.IntN(len(b) + 1)
		if i == len(b) || m.rng.IntN(3) == 0 {
			b = slices.Insert(b, i, []byte(pick(m.rng, fragments))...)
			continue
		}
		k := min(len(b), i+1+m.rng.IntN(8))
		switch m.rng.IntN(6) {
		case 0:
			b[i] ^= 1 << m.rng.IntN(8)
		case 1:
			b = slices.Delete(b, i, i+1)
		case 2:
			b = slices.Delete(b, i, k)
		case 3:
			b = slices.Insert(b, i, bytes.Clone(b[i:k])...)
		case 4:
			b[i] = pick(m.rng, fragments)[0]
		case 5:
			if m.rng.IntN(4) == 0 {
				b = b[:i]
			}
		}
	}
	return b
}

// fragments are pieces of text that readers stumble over.
var fragments = []string{
	"{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "\\ud83d\\ude00", "\\u0000", "\\/", "\x00", "\x1f", "\x7f", "\x80", "\xff",
	"\xed\xa0\x80", "\xef\xbb\xbf", "\xc0\x80", "\xf4\x90\x80\x80", "é", "𝒳", " ", "\t", "\r\n", "\u00a0", "0", "00", "-", "+", ".", "e", "E5", "1e5", "null", "true", "nul",
	"NaN", "//", "'", "[[[[[[", `"type":`, `"":0,`,
}

// spell writes a value in one of many ways that mean the same.
func (m mutator) spell(b []byte, v *value) []byte {
	b = m.space(b)
	switch v.Kind {
	case document.String:
		b = m.quote(b, v.Text)
	case document.Number:
		b = append(b, m.respell(v.Text)...)
	case document.Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = m.spell(b, item)
		}
		b = append(m.space(b), ']')
	case document.Object:
		b = append(b, '{')
		for i, k := range m.rng.Perm(len(v.Members)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = m.quote(m.space(b), v.Members[k].Name)
			b = m.spell(append(m.space(b), ':'), v.Members[k].Value)
		}
		b = append(m.space(b), '}')
	default:
		b = appendValue(b, v)
	}
	return m.space(b)
}

func (m mutator) space(b []byte) []byte {
	if m.rng.IntN(6) > 0 {
		return b
	}
	return append(b, pick(m.rng, []string{" ", "\t", "\n", "\r\n", "        ", " \n\t"})...)
}

// quote writes a string with more escapes than it needs.
func (m mutator) quote(b []byte, s string) []byte {
	if m.rng.IntN(3) > 0 {
		return wire.AppendString(b, s)
	}
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\' || c < 0x20 || m.rng.IntN(4) == 0:
			b = appendEscape(b, c, m.rng.IntN(2) == 0)
		case c == '/' && m.rng.IntN(2) == 0:
			b = append(b, '\\', '/')
		default:
			b = append(b, string(c)...)
		}
	}
	return append(b, '"')
}

func appendEscape(b []byte, c rune, capital bool) []byte {
	digits := "0123456789abcdef"
	if capital {
		digits = "0123456789ABCDEF"
	}
	unit := func(u rune) {
		b = append(b, '\\', 'u', digits[u>>12], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	if c > 0xffff {
		c -= 0x10000
		unit(0xd800 + c>>10)
		unit(0xdc00 + c&0x3ff)
		return b
	}
	unit(c)
	return b
}

// respell writes the same number in another way.
func (m mutator) respell(s string) string {
	if m.rng.IntN(2) == 0 {
		return s
	}
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		i = len(s)
	}
	if strings.ContainsRune(s[:i], '.') {
		return s[:i] + "0" + s[i:]
	}
	if i < len(s) {
		return s[:i] + ".0" + s[i:]
	}
	return s + pick(m.rng, []string{".0", ".000", "e0", "E+0", "e-0", ".0e00"})
}

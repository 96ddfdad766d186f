package wire

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// isIDNHostname is RFC 5890 section 2.3.2.3: labels separated by a full stop
// or one of its wide forms, each LDH, an A-label or a U-label. That U-labels
// are in normalisation form C is checked by code point only, and the rule for
// right-to-left scripts (RFC 5893) is not checked.
func isIDNHostname(s []byte) bool {
	if len(s) == 0 {
		return false
	}
	total := 0
	for {
		end, next := len(s), -1
		for i, r := range string(s) {
			if r == '.' || r == 0x3002 || r == 0xff0e || r == 0xff61 {
				end, next = i, i+utf8.RuneLen(r)
				break
			}
		}
		n := idnLabel(s[:end])
		if n == 0 {
			return false
		}
		total += n + 1
		if next < 0 {
			return total-1 <= maxHost
		}
		s = s[next:]
	}
}

// idnLabel is the length of the label in ASCII, 0 if it is invalid.
func idnLabel(s []byte) int {
	ascii := true
	for _, c := range s {
		ascii = ascii && c < utf8.RuneSelf
	}
	if ascii {
		if !isLDH(s) || hasACEPrefix(s) && !isALabel(s) {
			return 0
		}
		return len(s)
	}
	label := []rune(string(s))
	if !isULabel(label) {
		return 0
	}
	n := 4 + len(punycode(label))
	if n > maxLabel {
		return 0
	}
	return n
}

// isALabel tells whether a label that begins with xn-- stands for a U-label.
func isALabel(s []byte) bool {
	label, ok := unpunycode(s[4:])
	if !ok || !isULabel(label) {
		return false
	}
	for _, r := range label {
		if r >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// isULabel is RFC 5891 section 4.2 without the bidirectional rule.
func isULabel(label []rune) bool {
	n := len(label)
	if n == 0 || label[0] == '-' || label[n-1] == '-' || n >= 4 && label[2] == '-' && label[3] == '-' ||
		unicode.Is(unicode.M, label[0]) {
		return false
	}
	for i, r := range label {
		if !isPValid(r) && !contextAllows(label, i) {
			return false
		}
	}
	return true
}

// isPValid is the property PVALID of RFC 5892 section 3. What depends on
// context is not PVALID.
func isPValid(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z'
	case r == 0xdf, r == 0x3c2, r == 0x6fd, r == 0x6fe, r == 0xf0b, r == 0x3007:
		return true
	case r == 0x640, r == 0x7fa, r == 0x302e, r == 0x302f, r >= 0x3031 && r <= 0x3035, r == 0x303b,
		r == 0x375, r == 0x5f3, r == 0x5f4, r == 0x30fb, r >= 0x660 && r <= 0x669, r >= 0x6f0 && r <= 0x6f9:
		return false
	case r >= 0x1100 && r <= 0x11ff, r >= 0xa960 && r <= 0xa97f, r >= 0xd7b0 && r <= 0xd7ff: // old Hangul
		return false
	case r >= 0x20d0 && r <= 0x20ff, r >= 0x1d100 && r <= 0x1d24f: // ignorable blocks
		return false
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return false
	case unicode.ToLower(r) != r || idnUnstable.has(r):
		return false
	}
	return unicode.In(r, unicode.Ll, unicode.Lo, unicode.Nd, unicode.Lm, unicode.Mn, unicode.Mc)
}

// contextAllows is RFC 5892 appendix A.
func contextAllows(label []rune, i int) bool {
	at := func(k int) rune {
		if k < 0 || k >= len(label) {
			return -1
		}
		return label[k]
	}
	switch r := label[i]; {
	case r == 0x200c:
		return viramas.has(at(i-1)) || joins(label, i)
	case r == 0x200d:
		return viramas.has(at(i - 1))
	case r == 0xb7:
		return at(i-1) == 'l' && at(i+1) == 'l'
	case r == 0x375:
		return unicode.Is(unicode.Greek, at(i+1))
	case r == 0x5f3, r == 0x5f4:
		return unicode.Is(unicode.Hebrew, at(i-1))
	case r == 0x30fb:
		return slices.ContainsFunc(label, func(r rune) bool {
			return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han)
		})
	case r >= 0x660 && r <= 0x669:
		return !slices.ContainsFunc(label, func(r rune) bool { return r >= 0x6f0 && r <= 0x6f9 })
	case r >= 0x6f0 && r <= 0x6f9:
		return !slices.ContainsFunc(label, func(r rune) bool { return r >= 0x660 && r <= 0x669 })
	}
	return false
}

// joins tells whether letters on both sides of i join across it, RFC 5892
// appendix A.1.
func joins(label []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && transparent(label[before]) {
		before--
	}
	for after < len(label) && transparent(label[after]) {
		after++
	}
	return before >= 0 && (joinsLeft.has(label[before]) || joinsBoth.has(label[before])) &&
		after < len(label) && (joinsRight.has(label[after]) || joinsBoth.has(label[after]))
}

func transparent(r rune) bool {
	return r != 0x200c && r != 0x200d && unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf)
}

// runeRanges are ranges in ascending order.
type runeRanges []struct{ lo, hi rune }

func (t runeRanges) has(r rune) bool {
	lo, hi := 0, len(t)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		switch {
		case r < t[m].lo:
			hi = m
		case r > t[m].hi:
			lo = m + 1
		default:
			return true
		}
	}
	return false
}

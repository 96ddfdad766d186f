package wire

import (
	"bytes"
	"unicode/utf8"
)

// Parameters of RFC 3492 section 5.
const (
	punyBase  = 36
	punyTMin  = 1
	punyTMax  = 26
	punySkew  = 38
	punyDamp  = 700
	punyBias  = 72
	punyStart = 0x80
)

// punyAdapt is RFC 3492 section 6.1.
func punyAdapt(delta, count int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / count
	k := 0
	for delta > (punyBase-punyTMin)*punyTMax/2 {
		delta /= punyBase - punyTMin
		k += punyBase
	}
	return k + (punyBase-punyTMin+1)*delta/(delta+punySkew)
}

func punyThreshold(k, bias int) int { return min(max(k-bias, punyTMin), punyTMax) }

// unpunycode is RFC 3492 section 6.2. Labels longer than a host name's can be
// are refused, so that its insertions stay few.
func unpunycode(s []byte) ([]rune, bool) {
	if len(s) > maxHost {
		return nil, false
	}
	var out []rune
	if i := bytes.LastIndexByte(s, '-'); i >= 0 {
		if i == 0 {
			return nil, false
		}
		for _, c := range s[:i] {
			out = append(out, rune(c))
		}
		s = s[i+1:]
	}
	n, i, bias := punyStart, 0, punyBias
	for pos := 0; pos < len(s); {
		old, weight := i, 1
		for k := punyBase; ; k += punyBase {
			if pos == len(s) {
				return nil, false
			}
			digit := punyDigit(s[pos])
			pos++
			if digit < 0 || digit > (1<<31-i)/weight {
				return nil, false
			}
			i += digit * weight
			t := punyThreshold(k, bias)
			if digit < t {
				break
			}
			if weight > 1<<31/(punyBase-t) {
				return nil, false
			}
			weight *= punyBase - t
		}
		count := len(out) + 1
		bias = punyAdapt(i-old, count, old == 0)
		n += i / count
		i %= count
		if n > utf8.MaxRune || n >= 0xd800 && n <= 0xdfff {
			return nil, false
		}
		out = append(out, 0)
		copy(out[i+1:], out[i:])
		out[i] = rune(n)
		i++
	}
	return out, true
}

func punyDigit(c byte) int {
	switch {
	case isAlpha(c):
		return int(c|0x20) - 'a'
	case isDigit(c):
		return int(c-'0') + 26
	}
	return -1
}

// punycode is RFC 3492 section 6.3. Of labels far too long for a host name it
// returns something too long.
func punycode(label []rune) []byte {
	if len(label) > maxLabel {
		return make([]byte, maxLabel+1)
	}
	var out []byte
	for _, r := range label {
		if r < punyStart {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(punyStart), 0, punyBias
	for done := basic; done < len(label); {
		next := rune(utf8.MaxRune)
		for _, r := range label {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for k := punyBase; ; k += punyBase {
				t := punyThreshold(k, bias)
				if q < t {
					break
				}
				out = append(out, punyLetter(t+(q-t)%(punyBase-t)))
				q = (q - t) / (punyBase - t)
			}
			out = append(out, punyLetter(q))
			bias = punyAdapt(delta, done+1, done == basic)
			delta = 0
			done++
		}
		delta++
		n++
	}
	return out
}

func punyLetter(d int) byte {
	if d < 26 {
		return byte('a' + d)
	}
	return byte('0' + d - 26)
}

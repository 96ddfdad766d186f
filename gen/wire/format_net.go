package wire

import (
	"bytes"
	"unicode/utf8"
)

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool { return c-'0' <= 9 }
func isHex(c byte) bool   { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// isIPv4 is RFC 2673 section 3.2, dotted-quad, without leading zeros.
func isIPv4(s []byte) bool {
	for part := range 4 {
		n, v := 0, 0
		for n < len(s) && isDigit(s[n]) {
			v = v*10 + int(s[n]-'0')
			n++
			if n > 3 {
				return false
			}
		}
		if n == 0 || v > 255 || n > 1 && s[0] == '0' {
			return false
		}
		s = s[n:]
		if part < 3 {
			if len(s) == 0 || s[0] != '.' {
				return false
			}
			s = s[1:]
		}
	}
	return len(s) == 0
}

// isIPv6 is RFC 4291 section 2.2, without zones.
func isIPv6(s []byte) bool {
	groups, short := 0, false
	if len(s) >= 2 && s[0] == ':' && s[1] == ':' {
		short = true
		s = s[2:]
		if len(s) == 0 {
			return true
		}
	}
	for {
		n := 0
		for n < len(s) && isHex(s[n]) {
			n++
		}
		if n < len(s) && s[n] == '.' {
			groups += 2
			return isIPv4(s) && (groups == 8 || short && groups < 8)
		}
		if n == 0 || n > 4 {
			return false
		}
		groups++
		s = s[n:]
		if len(s) == 0 {
			return groups == 8 || short && groups < 8
		}
		if s[0] != ':' || len(s) == 1 || groups == 8 {
			return false
		}
		s = s[1:]
		if s[0] == ':' {
			if short {
				return false
			}
			short = true
			s = s[1:]
			if len(s) == 0 {
				return groups < 8
			}
		}
	}
}

// isUUID is RFC 9562 section 4, the form with hyphens.
func isUUID(s []byte) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range s {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !isHex(c) {
				return false
			}
		}
	}
	return true
}

// isEmail is RFC 5321 section 4.1.2, Mailbox; with international of RFC 6531
// section 3.3.
func isEmail(s []byte, international bool) bool {
	at := bytes.LastIndexByte(s, '@')
	if at < 1 || at > 64 && !international || len(s) > 254 && !international {
		return false
	}
	return isLocalPart(s[:at], international) && isMailDomain(s[at+1:], international)
}

func isLocalPart(s []byte, international bool) bool {
	if s[0] == '"' {
		return isQuotedLocal(s, international)
	}
	dot := true // a dot may not come next
	for _, c := range s {
		switch {
		case c == '.':
			if dot {
				return false
			}
			dot = true
			continue
		case isAlpha(c), isDigit(c), bytes.IndexByte([]byte("!#$%&'*+-/=?^_`{|}~"), c) >= 0:
		case c >= utf8.RuneSelf && international:
		default:
			return false
		}
		dot = false
	}
	return !dot
}

func isQuotedLocal(s []byte, international bool) bool {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return false
	}
	s = s[1 : len(s)-1]
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			return false
		case c == '\\':
			i++
			if i == len(s) || s[i] < ' ' || s[i] > '~' {
				return false
			}
		case c >= ' ' && c <= '~':
		case c >= utf8.RuneSelf && international:
		default:
			return false
		}
	}
	return true
}

func isMailDomain(s []byte, international bool) bool {
	if len(s) > 2 && s[0] == '[' && s[len(s)-1] == ']' {
		s = s[1 : len(s)-1]
		if len(s) > 5 && bytes.EqualFold(s[:5], []byte("IPv6:")) {
			return isIPv6(s[5:])
		}
		return isIPv4(s)
	}
	if international {
		return isIDNHostname(s)
	}
	return isHostname(s)
}

package wire

import (
	"bytes"
	"unicode/utf8"
)

// uriRules selects a production of RFC 3986 or RFC 3987.
type uriRules struct {
	absolute      bool // a scheme is required
	international bool
}

// Classes of bytes in URIs, RFC 3986 section 2 and appendix A.
const (
	uriUnreserved = 1 << iota
	uriSubDelim
	uriColon
	uriAt
	uriSlash // and the question mark
)

var uriBytes = func() (t [256]uint8) {
	for c := range t {
		if b := byte(c); b < utf8.RuneSelf && (isAlpha(b) || isDigit(b)) || bytes.IndexByte([]byte("-._~"), b) >= 0 {
			t[c] = uriUnreserved
		}
	}
	for _, c := range []byte("!$&'()*+,;=") {
		t[c] = uriSubDelim
	}
	t[':'], t['@'], t['/'], t['?'] = uriColon, uriAt, uriSlash, uriSlash
	return t
}()

// isURI checks the grammar of RFC 3986 appendix A, or that of RFC 3987 section
// 2.2.
func isURI(s []byte, rules uriRules) bool {
	if i := bytes.IndexByte(s, '#'); i >= 0 {
		if !rules.chars(s[i+1:], uriColon|uriAt|uriSlash, false) {
			return false
		}
		s = s[:i]
	}
	if i := bytes.IndexByte(s, '?'); i >= 0 {
		if !rules.chars(s[i+1:], uriColon|uriAt|uriSlash, true) {
			return false
		}
		s = s[:i]
	}
	rest, scheme := cutScheme(s)
	if rules.absolute && !scheme {
		return false
	}
	if len(rest) >= 2 && rest[0] == '/' && rest[1] == '/' {
		rest = rest[2:]
		end := bytes.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		if !rules.authority(rest[:end]) {
			return false
		}
		rest = rest[end:]
	} else if !scheme {
		// The first segment of a relative path has no colon.
		first, _, _ := bytes.Cut(rest, []byte("/"))
		if bytes.IndexByte(first, ':') >= 0 {
			return false
		}
	}
	return rules.chars(rest, uriColon|uriAt|uriSlash, false)
}

// cutScheme takes the scheme and its colon off, if there is one.
func cutScheme(s []byte) ([]byte, bool) {
	for i, c := range s {
		switch {
		case c == ':' && i > 0:
			return s[i+1:], true
		case isAlpha(c), i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return s, false
		}
	}
	return s, false
}

func (u uriRules) authority(s []byte) bool {
	if i := bytes.LastIndexByte(s, '@'); i >= 0 {
		if !u.chars(s[:i], uriColon, false) {
			return false
		}
		s = s[i+1:]
	}
	if len(s) > 0 && s[0] == '[' {
		end := bytes.IndexByte(s, ']')
		if end < 0 || !isIPLiteral(s[1:end]) {
			return false
		}
		s = s[end+1:]
		return len(s) == 0 || s[0] == ':' && allDigits(s[1:])
	}
	if i := bytes.LastIndexByte(s, ':'); i >= 0 {
		if !allDigits(s[i+1:]) {
			return false
		}
		s = s[:i]
	}
	return u.chars(s, 0, false)
}

func allDigits(s []byte) bool {
	for _, c := range s {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// isIPLiteral is what stands between brackets: IPv6address or IPvFuture.
func isIPLiteral(s []byte) bool {
	if len(s) == 0 || s[0]|0x20 != 'v' {
		return isIPv6(s)
	}
	version, address, ok := bytes.Cut(s[1:], []byte("."))
	if !ok || len(version) == 0 || len(address) == 0 {
		return false
	}
	for _, c := range version {
		if !isHex(c) {
			return false
		}
	}
	for _, c := range address {
		if uriBytes[c]&(uriUnreserved|uriSubDelim|uriColon) == 0 {
			return false
		}
	}
	return true
}

// chars tells whether s consists of unreserved characters, sub-delimiters,
// percent encodings and the classes given in extra. In a query private
// characters may stand too, RFC 3987.
func (u uriRules) chars(s []byte, extra uint8, query bool) bool {
	allowed := extra | uriUnreserved | uriSubDelim
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case uriBytes[c]&allowed != 0:
			i++
		case c == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
			i += 3
		case c >= utf8.RuneSelf && u.international:
			r, n := utf8.DecodeRune(s[i:])
			if !isUCSChar(r) && !(query && isIPrivate(r)) {
				return false
			}
			i += n
		default:
			return false
		}
	}
	return true
}

// isUCSChar is ucschar of RFC 3987 section 2.2.
func isUCSChar(r rune) bool {
	switch {
	case r < 0xa0:
		return false
	case r <= 0xffef:
		return r <= 0xd7ff || r >= 0xf900 && r <= 0xfdcf || r >= 0xfdf0
	}
	// Planes 1 to 14 but for their last two code points, and the start of 14.
	return r >= 0x10000 && r < 0xf0000 && r&0xffff <= 0xfffd && (r < 0xe0000 || r >= 0xe1000)
}

// isIPrivate is iprivate of RFC 3987 section 2.2.
func isIPrivate(r rune) bool {
	return r >= 0xe000 && r <= 0xf8ff || r >= 0xf0000 && r&0xffff <= 0xfffd
}

// isURITemplate is RFC 6570 section 2.
func isURITemplate(s []byte) bool {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '{':
			n := bytes.IndexByte(s[i:], '}')
			if n < 0 || !isTemplateExpression(s[i+1:i+n]) {
				return false
			}
			i += n + 1
		case c == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
			i += 3
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(s[i:])
			if !isUCSChar(r) && !isIPrivate(r) {
				return false
			}
			i += n
		case c <= ' ' || c == 0x7f || bytes.IndexByte([]byte("\"<>\\^`|}"), c) >= 0:
			return false
		default:
			i++
		}
	}
	return true
}

// isTemplateExpression is what stands between braces: an operator and
// variables with modifiers.
func isTemplateExpression(s []byte) bool {
	if len(s) > 0 && bytes.IndexByte([]byte("+#./;?&=,!@|"), s[0]) >= 0 {
		s = s[1:]
	}
	for {
		spec, rest, more := bytes.Cut(s, []byte(","))
		if !isVariable(spec) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

func isVariable(s []byte) bool {
	if n := len(s); n > 0 && s[n-1] == '*' {
		s = s[:n-1]
	} else if name, prefix, ok := bytes.Cut(s, []byte(":")); ok {
		if len(prefix) == 0 || len(prefix) > 4 || prefix[0] == '0' || !allDigits(prefix) {
			return false
		}
		s = name
	}
	dot := true // a dot may not come next
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '.':
			if dot {
				return false
			}
			dot = true
			i++
			continue
		case isAlpha(c), isDigit(c), c == '_':
			i++
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 3
		default:
			return false
		}
		dot = false
	}
	return !dot
}

package wire

import "bytes"

// maxHost and maxLabel bound host names and their labels, RFC 1035 section
// 2.3.4: 255 octets on the wire are 253 characters.
const maxHost, maxLabel = 253, 63

// isHostname is RFC 1123 section 2.1; labels that begin with xn-- must be
// A-labels, RFC 5890 section 2.3.2.1.
func isHostname(s []byte) bool {
	if len(s) == 0 || len(s) > maxHost {
		return false
	}
	for {
		label, rest, more := bytes.Cut(s, []byte("."))
		if !isLDH(label) || hasACEPrefix(label) && !isALabel(label) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

// isLDH tells whether s is letters, digits and hyphens, none at the ends.
func isLDH(s []byte) bool {
	n := len(s)
	if n == 0 || n > maxLabel || s[0] == '-' || s[n-1] == '-' {
		return false
	}
	for _, c := range s {
		if !isAlpha(c) && !isDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

func hasACEPrefix(s []byte) bool {
	return len(s) >= 4 && s[0]|0x20 == 'x' && s[1]|0x20 == 'n' && s[2] == '-' && s[3] == '-'
}

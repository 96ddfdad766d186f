package wire

import "github.com/hallmark-kit/hallmark/gen/wire/ecma"

// isJSONPointer is RFC 6901 section 5, the string form.
func isJSONPointer(s []byte) bool {
	if len(s) == 0 {
		return true
	}
	if s[0] != '/' {
		return false
	}
	for i, c := range s {
		if c == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}

// isRelativeJSONPointer is draft-bhutton-relative-json-pointer-00 section 3.
func isRelativeJSONPointer(s []byte) bool {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == 0 || n > 1 && s[0] == '0' {
		return false
	}
	s = s[n:]
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		n = 1
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		if n == 1 || s[1] == '0' {
			return false
		}
		s = s[n:]
	}
	return len(s) == 1 && s[0] == '#' || isJSONPointer(s)
}

// isRegex is a regular expression of ECMA-262 with the u flag.
func isRegex(s []byte) bool {
	_, err := ecma.ParseStrict(string(s))
	return err == nil
}

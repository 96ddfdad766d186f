package document

import (
	"fmt"
	"strconv"
	"strings"
)

var (
	tokenEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	tokenUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapeToken writes a member name as a reference token of RFC 6901.
func EscapeToken(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return tokenEscaper.Replace(name)
}

// Pointer joins member names and indices to a JSON Pointer.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(EscapeToken(t))
	}
	return b.String()
}

// SplitPointer gives the unescaped reference tokens of a JSON Pointer. An error
// tells which rule of RFC 6901 section 3 the text breaks.
func SplitPointer(pointer string) ([]string, error) {
	if pointer == "" {
		return nil, nil
	}
	if pointer[0] != '/' {
		return nil, fmt.Errorf("a JSON Pointer is empty or begins with %q", "/")
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		for j := 0; j < len(t); j++ {
			if t[j] == '~' && (j+1 == len(t) || (t[j+1] != '0' && t[j+1] != '1')) {
				return nil, fmt.Errorf("%q must be followed by 0 or 1 in a JSON Pointer", "~")
			}
		}
		tokens[i] = tokenUnescaper.Replace(t)
	}
	return tokens, nil
}

// Lookup gives the value a JSON Pointer names below v, or nil when there is
// none (or the text is no JSON Pointer).
func (v *Value) Lookup(pointer string) *Value {
	tokens, err := SplitPointer(pointer)
	if err != nil {
		return nil
	}
	for _, t := range tokens {
		if v = v.step(t); v == nil {
			return nil
		}
	}
	return v
}

func (v *Value) step(token string) *Value {
	switch v.Kind {
	case Object:
		return v.Get(token)
	case Array:
		// RFC 6901 section 4: no leading zeros, no sign.
		if token == "" || token[0] < '0' || token[0] > '9' || (token[0] == '0' && len(token) > 1) {
			return nil
		}
		if i, err := strconv.Atoi(token); err == nil && i < len(v.Items) {
			return v.Items[i]
		}
	}
	return nil
}

func indexPointer(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }

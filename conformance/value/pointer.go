package value

import (
	"strconv"
	"strings"
)

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// Join appends one reference token, a member name, to a JSON pointer (RFC 6901).
func Join(pointer, name string) string { return pointer + "/" + escaper.Replace(name) }

// JoinIndex appends one reference token, a list index, to a JSON pointer.
func JoinIndex(pointer string, index int) string { return pointer + "/" + strconv.Itoa(index) }

// Tokens splits a JSON pointer; ok is false when it is none.
func Tokens(pointer string) (tokens []string, ok bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	tokens = strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		tokens[i] = unescaper.Replace(t)
	}
	return tokens, true
}

// At returns the value inside v at the pointer.
func At(v any, pointer string) (any, bool) {
	tokens, ok := Tokens(pointer)
	if !ok {
		return nil, false
	}
	return Walk(v, tokens)
}

// Walk follows member names and list indexes into v.
func Walk(v any, path []string) (any, bool) {
	for _, step := range path {
		switch in := v.(type) {
		case *Object:
			next, ok := in.Get(step)
			if !ok {
				return nil, false
			}
			v = next
		case List:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// Shown is how a pointer is written for people: the root is "(root)".
func Shown(pointer string) string {
	if pointer == "" {
		return "(root)"
	}
	return pointer
}

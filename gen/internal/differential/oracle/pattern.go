package oracle

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// engine picks an engine for one pattern.
func engine(pattern string) (jsonschema.Regexp, error) {
	if translated, ok := translate(pattern); ok {
		if re, err := regexp.Compile(translated); err == nil {
			return re, nil
		}
	}
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, err
	}
	return backtracking{re}, nil
}

type backtracking struct{ re *regexp2.Regexp }

func (b backtracking) MatchString(s string) bool {
	ok, err := b.re.MatchString(s)
	return ok && err == nil
}

func (b backtracking) String() string { return b.re.String() }

// White space and line terminators of ECMA-262, as parts of a class.
const (
	space      = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	terminator = `\n\r\x{2028}\x{2029}`
)

// translate writes a pattern of ECMA-262 for RE2. It is false for what RE2 has
// not, and for what is not worth the trouble.
func translate(pattern string) (string, bool) {
	t := translator{in: []rune(pattern)}
	for t.pos < len(t.in) {
		if !t.next() {
			return "", false
		}
	}
	return t.out.String(), !t.class
}

type translator struct {
	in    []rune
	pos   int
	out   strings.Builder
	class bool
}

func (t *translator) peek(s string) bool {
	return strings.HasPrefix(string(t.in[t.pos:min(len(t.in), t.pos+len(s))]), s)
}

func (t *translator) next() bool {
	switch c := t.in[t.pos]; {
	case c == '\\':
		t.pos++
		return t.escape()
	case t.class && c == ']':
		t.class = false
	case t.class && c == '[':
		t.out.WriteString(`\[`) // RE2 knows [:classes:], ECMA-262 does not
		t.pos++
		return true
	case t.class:
	case c == '[':
		if t.peek("[]") || t.peek("[^]") {
			return false
		}
		t.class = true
		t.out.WriteByte('[')
		t.pos++
		if t.pos < len(t.in) && t.in[t.pos] == '^' {
			t.out.WriteByte('^')
			t.pos++
		}
		return true
	case c == '.':
		t.out.WriteString("[^" + terminator + "]")
		t.pos++
		return true
	case c == '(' && t.peek("(?") && !t.peek("(?:"):
		return false
	}
	t.out.WriteRune(t.in[t.pos])
	t.pos++
	return true
}

func (t *translator) escape() bool {
	if t.pos == len(t.in) {
		return false
	}
	c := t.in[t.pos]
	t.pos++
	switch c {
	case 's':
		if t.class {
			t.out.WriteString(space)
		} else {
			t.out.WriteString("[" + space + "]")
		}
	case 'S':
		if t.class {
			return false
		}
		t.out.WriteString("[^" + space + "]")
	case 'd', 'D', 'w', 'W', 't', 'n', 'v', 'f', 'r':
		t.out.WriteString(`\` + string(c))
	case 'b', 'B':
		if t.class {
			return false
		}
		t.out.WriteString(`\` + string(c))
	case '0':
		if t.pos < len(t.in) && t.in[t.pos] >= '0' && t.in[t.pos] <= '9' {
			return false
		}
		t.char(0)
	case 'c':
		if t.pos == len(t.in) {
			return false
		}
		t.char(t.in[t.pos] % 32)
		t.pos++
	case 'x':
		v, ok := t.hex(2)
		if !ok {
			return false
		}
		t.char(v)
	case 'u':
		return t.unicode()
	case 'p', 'P':
		return t.property(c)
	default:
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return false
		}
		t.char(c)
	}
	return true
}

func (t *translator) char(c rune) { fmt.Fprintf(&t.out, `\x{%x}`, c) }

func (t *translator) hex(n int) (rune, bool) {
	if t.pos+n > len(t.in) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(t.in[t.pos:t.pos+n]), 16, 32)
	t.pos += n
	return rune(v), err == nil
}

func (t *translator) unicode() bool {
	if t.pos < len(t.in) && t.in[t.pos] == '{' {
		end := t.pos
		for end < len(t.in) && t.in[end] != '}' {
			end++
		}
		if end == len(t.in) {
			return false
		}
		v, err := strconv.ParseUint(string(t.in[t.pos+1:end]), 16, 32)
		t.pos = end + 1
		t.char(rune(v))
		return err == nil
	}
	v, ok := t.hex(4)
	if ok && utf16.IsSurrogate(v) {
		if !t.peek(`\u`) {
			return false
		}
		t.pos += 2
		low, fine := t.hex(4)
		if v = utf16.DecodeRune(v, low); !fine || v == 0xfffd {
			return false
		}
	}
	t.char(v)
	return ok
}

// property translates \p{L}, \p{Lu} and \p{Script=Greek}; RE2 names other
// properties not at all or differently.
func (t *translator) property(c rune) bool {
	if t.pos == len(t.in) || t.in[t.pos] != '{' {
		return false
	}
	end := t.pos
	for end < len(t.in) && t.in[end] != '}' {
		end++
	}
	if end == len(t.in) {
		return false
	}
	name := string(t.in[t.pos+1 : end])
	t.pos = end + 1
	for _, prefix := range []string{"Script=", "sc=", "General_Category=", "gc="} {
		name = strings.TrimPrefix(name, prefix)
	}
	if long, ok := categories[name]; ok {
		name = long
	}
	t.out.WriteString(`\` + string(c) + "{" + name + "}")
	return true // RE2 refuses what it does not know
}

var categories = map[string]string{
	"Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Mark": "M", "Number": "N",
	"Decimal_Number": "Nd", "digit": "Nd", "Punctuation": "P", "punct": "P", "Symbol": "S", "Separator": "Z",
}

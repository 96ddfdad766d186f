package wire

import (
	"strconv"
	"unsafe"
)

// TextRule is what a schema demands of a string.
type TextRule struct {
	Place
	MinLength int      // in code points
	MaxLength int      // in code points; only if Limited
	Limited   bool     // there is a MaxLength
	Pattern   *Pattern // nil: none
	Format    string   // an annotation unless [AssertFormats] is asked for ...
	Assert    bool     // ... or the document's dialect makes it a rule
}

// CheckText consumes a string and holds it against the rule.
func (r *Reader) CheckText(rule *TextRule) bool {
	at := r.pos
	if uint(at) >= uint(len(r.data)) || r.data[at] != '"' {
		return r.Mismatch(&rule.Place, "a string")
	}
	if end := plainEnd(r.data, at+1); end > at+rule.MinLength && (rule.bare() || r.holdPlain(r.data[at+1:end], rule)) {
		r.pos = end + 1
		return true
	}
	if rule.Pattern == nil && (rule.Format == "" || !r.formats && !rule.Assert) {
		return r.checkLength(at, rule)
	}
	s, ok := r.Text()
	if !ok {
		return false
	}
	return r.holdText(at, s, rule)
}

// bare tells whether the rule demands nothing but a least length.
func (rule *TextRule) bare() bool {
	return !rule.Limited && rule.Pattern == nil && len(rule.Format) == 0
}

// holdPlain tells whether a text of ASCII only obeys the rule.
func (r *Reader) holdPlain(s []byte, rule *TextRule) bool {
	return len(s) >= rule.MinLength && (!rule.Limited || len(s) <= rule.MaxLength) &&
		(len(rule.Format) == 0 || !r.formats && !rule.Assert) && (rule.Pattern == nil || rule.Pattern.Match(s))
}

// checkLength is CheckText where nothing but the length matters: escapes need not be resolved.
func (r *Reader) checkLength(at int, rule *TextRule) bool {
	high := -1
	if rule.Limited {
		high = rule.MaxLength
	}
	within, ok := r.TextWithin(rule.MinLength, high)
	if within || !ok {
		return ok
	}
	r.pos = at
	s, ok := r.Text()
	return ok && r.holdText(at, s, rule)
}

// ReadText consumes a string into v and holds it against the rule.
func (r *Reader) ReadText(rule *TextRule, v *string) bool {
	at := r.pos
	if uint(at) >= uint(len(r.data)) || r.data[at] != '"' {
		return r.Mismatch(&rule.Place, "a string")
	}
	text, end, code := r.keepText(at + 1)
	*v = text
	if code != textPlain {
		if code != textEscaped {
			return r.textError(end, code.want())
		}
		r.pos = end + 1
		return r.holdText(at, bytesOf(text), rule)
	}
	r.pos = end + 1
	return end > at+rule.MinLength && (rule.bare() || r.holdPlain(r.data[at+1:end], rule)) || r.holdText(at, bytesOf(text), rule)
}

func (r *Reader) holdText(at int, s []byte, rule *TextRule) bool {
	if rule.MinLength > 0 && !MinRunes(s, rule.MinLength) &&
		!r.broken(at, &rule.Place, "minLength", func() string { return "at least " + plural(rule.MinLength, "code point") }) {
		return false
	}
	if rule.Limited && !MaxRunes(s, rule.MaxLength) &&
		!r.broken(at, &rule.Place, "maxLength", func() string { return "at most " + plural(rule.MaxLength, "code point") }) {
		return false
	}
	if rule.Pattern != nil && !rule.Pattern.Match(s) &&
		!r.broken(at, &rule.Place, "pattern", func() string { return "a string matching " + rule.Pattern.String() }) {
		return false
	}
	if rule.Format != "" && (r.formats || rule.Assert) && !Format(rule.Format, s) &&
		!r.broken(at, &rule.Place, "format", func() string { return "a string of format " + rule.Format }) {
		return false
	}
	return true
}

// CheckConstText consumes a string that must be want.
func (r *Reader) CheckConstText(p *Place, want string) bool {
	if r.Kind() != KindString {
		return r.Mismatch(p, "a string")
	}
	at := r.pos
	if end := plainEnd(r.data, at+1); end >= 0 && string(r.data[at+1:end]) == want {
		r.pos = end + 1
		return true
	}
	s, ok := r.Text()
	if !ok {
		return false
	}
	return string(s) == want || r.broken(at, p, "const", func() string { return Quoted(want) })
}

// Quoted writes s as a JSON string.
func Quoted(s string) string { return string(AppendString(nil, s)) }

// NotInEnum records that the string at offset at is none of the texts of an enum.
func (r *Reader) NotInEnum(at int, p *Place, texts []string) bool {
	return r.NotInChoice(at, p, "enum", texts)
}

// NotInChoice is [Reader.NotInEnum] for texts that the branches of another keyword, oneOf or anyOf, list.
func (r *Reader) NotInChoice(at int, p *Place, keyword string, texts []string) bool {
	return r.broken(at, p, keyword, func() string {
		quoted := make([]string, len(texts))
		for i, text := range texts {
			quoted[i] = Quoted(text)
		}
		return oneOf(quoted)
	})
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}

// bytesOf views a string as bytes that must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

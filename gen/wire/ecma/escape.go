package ecma

import "strings"

// syntaxCharacters are those that a backslash takes the meaning from.
const syntaxCharacters = `^$\.*+?()[]{}|/`

// escape reads an escape outside of a class, behind its backslash.
func (p *parser) escape() (n *Node, quantifiable bool) {
	if !p.more() {
		return p.fail("a backslash ends the pattern"), false
	}
	switch c := p.in[p.pos]; {
	case c == 'b':
		p.pos++
		return &Node{Op: OpWordBoundary}, false
	case c == 'B':
		p.pos++
		return &Node{Op: OpNotBoundary}, false
	case c >= '1' && c <= '9':
		at := p.pos
		v, _ := p.decimal()
		if v <= p.total {
			return &Node{Op: OpBackreference, Groups: []int{v}}, true
		}
		p.pos = at
		if p.strict {
			return p.fail("a reference to a group that does not exist"), false
		}
	case c == 'k' && p.named:
		p.pos++
		if p.accept("<") {
			if name, ok := p.groupName(); ok && len(p.names[name]) > 0 {
				return &Node{Op: OpBackreference, Name: name, Groups: p.names[name]}, true
			}
		}
		return p.fail("want \\k<name> with the name of a group"), false
	}
	if set, ok := p.classEscape(); ok {
		return &Node{Op: OpSet, Set: set}, true
	}
	return literal(p.characterEscape(false)), true
}

// classEscape reads \d, \D, \s, \S, \w, \W, \p{…} or \P{…}, behind the
// backslash.
func (p *parser) classEscape() (Set, bool) {
	if !p.more() {
		return nil, false
	}
	var set Set
	switch p.in[p.pos] {
	case 'd':
		set = digitSet
	case 'D':
		set = digitSet.Complement()
	case 's':
		set = spaceSet
	case 'S':
		set = spaceSet.Complement()
	case 'w':
		set = wordSet
	case 'W':
		set = wordSet.Complement()
	case 'p', 'P':
		return p.property()
	default:
		return nil, false
	}
	p.pos++
	return set, true
}

func (p *parser) property() (Set, bool) {
	negated := p.in[p.pos] == 'P'
	at := p.pos
	p.pos++
	if !p.accept("{") {
		p.pos = at
		if p.strict {
			p.fail("want a property in braces")
			return nil, true
		}
		return nil, false
	}
	end := p.pos
	for end < len(p.in) && p.in[end] != '}' {
		end++
	}
	set, ok := Property(string(p.in[p.pos:end]))
	if end == len(p.in) || !ok {
		p.fail("an unknown Unicode property")
		return nil, true
	}
	p.pos = end + 1
	if negated {
		set = set.Complement()
	}
	return set, true
}

// characterEscape reads an escape for one code point, behind its backslash.
func (p *parser) characterEscape(inClass bool) rune {
	if !p.more() {
		p.fail("a backslash ends the pattern")
		return 0
	}
	c := p.in[p.pos]
	p.pos++
	switch c {
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	case 'c':
		return p.control(inClass)
	case 'x':
		if v, ok := p.hex(2); ok {
			return v
		}
		return p.identity(c, "want two hexadecimal digits")
	case 'u':
		if v, ok := p.unicodeEscape(); ok {
			return v
		}
		return p.identity(c, "want \\uXXXX or \\u{X…}")
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return p.octal(c)
	}
	if !strings.ContainsRune(syntaxCharacters, c) && !(inClass && c == '-') {
		return p.identity(c, "an escape that ECMA-262 does not have")
	}
	return c
}

// identity is c itself where the grammar without the u flag allows that.
func (p *parser) identity(c rune, reason string) rune {
	if p.strict {
		p.pos--
		p.fail(reason)
	}
	return c
}

func (p *parser) control(inClass bool) rune {
	if p.more() {
		c := p.in[p.pos]
		if l := c | 0x20; l >= 'a' && l <= 'z' || (!p.strict && inClass && (c >= '0' && c <= '9' || c == '_')) {
			p.pos++
			return c & 0x1f
		}
	}
	if p.strict {
		p.fail("want a letter after \\c")
		return 0
	}
	p.pos-- // the backslash stands for itself, the c is read again
	return '\\'
}

// octal reads \0 and, without the u flag, octal escapes.
func (p *parser) octal(c rune) rune {
	digit := func() bool { return p.more() && p.in[p.pos] >= '0' && p.in[p.pos] <= '7' }
	if p.strict {
		if c != '0' || p.more() && p.in[p.pos] >= '0' && p.in[p.pos] <= '9' {
			p.fail("an octal escape")
		}
		return 0
	}
	v := c - '0'
	for range 2 {
		if !digit() || v*8+p.in[p.pos]-'0' > 0o377 {
			break
		}
		v = v*8 + p.in[p.pos] - '0'
		p.pos++
	}
	return v
}

// hex reads n hexadecimal digits, or consumes nothing.
func (p *parser) hex(n int) (rune, bool) {
	if p.pos+n > len(p.in) {
		return 0, false
	}
	var v rune
	for _, c := range p.in[p.pos : p.pos+n] {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		v = v<<4 | d
	}
	p.pos += n
	return v, true
}

func hexDigit(c rune) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// unicodeEscape reads what follows \u, or consumes nothing. Two escapes that
// make a surrogate pair are one code point.
func (p *parser) unicodeEscape() (rune, bool) {
	at := p.pos
	if p.accept("{") {
		v, digits := rune(0), 0
		for p.more() {
			d, ok := hexDigit(p.in[p.pos])
			if !ok {
				break
			}
			v = min(v<<4|d, maxRune+1)
			digits++
			p.pos++
		}
		if digits == 0 || v > maxRune || !p.accept("}") {
			p.pos = at
			return 0, false
		}
		return v, true
	}
	v, ok := p.hex(4)
	if !ok {
		return 0, false
	}
	if v >= firstSurrogate && v < 0xdc00 {
		back := p.pos
		if p.accept(`\u`) {
			if l, ok := p.hex(4); ok && l >= 0xdc00 && l <= lastSurrogate {
				return 0x10000 + (v-firstSurrogate)<<10 + l - 0xdc00, true
			}
		}
		p.pos = back
	}
	return v, true
}

// class reads a character class behind its opening bracket.
func (p *parser) class() *Node {
	at := p.pos - 1
	negated := p.accept("^")
	var ranges []Range
	for {
		if !p.more() {
			p.pos = at
			return p.fail("a character class is not closed")
		}
		if p.accept("]") {
			break
		}
		lo, set := p.classAtom()
		if set != nil || !p.peek("-") || p.peek("-]") {
			if set == nil {
				set = Set{{lo, lo}}
			} else if p.strict && p.peek("-") && !p.peek("-]") {
				return p.fail("a range whose end is a class")
			}
			ranges = append(ranges, set...)
			continue
		}
		p.accept("-")
		if !p.more() {
			continue
		}
		hi, set := p.classAtom()
		switch {
		case p.err != nil:
			return &Node{Op: OpEmpty}
		case set != nil && p.strict:
			return p.fail("a range whose end is a class")
		case set != nil:
			ranges = append(append(ranges, set...), Range{lo, lo}, Range{'-', '-'})
		case lo > hi:
			return p.fail("the ends of a range are out of order")
		default:
			ranges = append(ranges, Range{lo, hi})
		}
	}
	set := NewSet(ranges...)
	if negated {
		set = set.Complement()
	}
	return &Node{Op: OpSet, Set: set}
}

// classAtom reads one code point, or a class escape, which is a non-nil set.
func (p *parser) classAtom() (rune, Set) {
	c := p.in[p.pos]
	p.pos++
	if c != '\\' {
		return c, nil
	}
	if set, ok := p.classEscape(); ok {
		if set == nil {
			set = Set{}
		}
		return 0, set
	}
	if p.accept("b") {
		return '\b', nil
	}
	return p.characterEscape(true), nil
}

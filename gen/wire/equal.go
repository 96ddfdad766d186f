package wire

import (
	"bytes"
	"slices"
)

// Equal tells whether two JSON texts are the same value: numbers by value,
// strings by content, objects regardless of the order of members. Both texts
// have been checked by a reader; of others the result is false or of no
// meaning.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	c := comparison{a: cursor{data: a}, b: cursor{data: b}}
	return c.equal(0)
}

// cursor steps through checked text.
type cursor struct {
	data []byte
	pos  int
}

func (c *cursor) space() { c.pos = skipSpace(c.data, c.pos) }

func (c *cursor) peek() byte {
	c.space()
	if c.pos < len(c.data) {
		return c.data[c.pos]
	}
	return 0
}

// accept consumes the byte x if it comes next.
func (c *cursor) accept(x byte) bool {
	if c.peek() == x && x != 0 {
		c.pos++
		return true
	}
	return false
}

// text consumes a string and returns its content as written, and whether that
// holds escapes.
func (c *cursor) text() (raw []byte, escaped, ok bool) {
	if !c.accept('"') {
		return nil, false, false
	}
	end, code := scanString(c.data, c.pos)
	if code > textEscaped {
		return nil, false, false
	}
	raw = c.data[c.pos:end]
	c.pos = end + 1
	return raw, code == textEscaped, true
}

// scalar consumes a number or a word.
func (c *cursor) scalar() []byte {
	start := c.pos
	for c.pos < len(c.data) {
		switch c.data[c.pos] {
		case ',', ']', '}', ':', '[', '{', '"', ' ', '\n', '\r', '\t':
			return c.data[start:c.pos]
		}
		c.pos++
	}
	return c.data[start:]
}

// skip consumes any value without a check of its inside.
func (c *cursor) skip() bool {
	depth := 0
	for {
		switch c.peek() {
		case 0:
			return false
		case '"':
			if _, _, ok := c.text(); !ok {
				return false
			}
		case '[', '{':
			depth++
			c.pos++
			continue
		case ']', '}':
			depth--
			c.pos++
		case ',', ':':
			c.pos++
			continue
		default:
			c.scalar()
		}
		if depth <= 0 {
			return depth == 0
		}
	}
}

// comparison walks two texts side by side.
type comparison struct {
	a, b cursor
}

func (c *comparison) equal(depth int) bool {
	if depth > depthCeiling {
		return false
	}
	x, y := c.a.peek(), c.b.peek()
	switch {
	case x == '"':
		return y == '"' && c.equalText()
	case x == '[':
		return y == '[' && c.equalArray(depth)
	case x == '{':
		return y == '{' && c.equalObject(depth)
	case kinds[x] == KindNumber && kinds[y] == KindNumber:
		p, q := c.a.scalar(), c.b.scalar()
		if bytes.Equal(p, q) {
			return true
		}
		d, e := parseDigits(p), parseDigits(q)
		return d.cmp(&e) == 0
	case kinds[x] == KindInvalid || x != y:
		return false
	}
	return bytes.Equal(c.a.scalar(), c.b.scalar())
}

func (c *comparison) equalText() bool {
	p, pe, ok := c.a.text()
	q, qe, ok2 := c.b.text()
	return ok && ok2 && equalContent(p, pe, q, qe)
}

func equalContent(p []byte, pe bool, q []byte, qe bool) bool {
	if bytes.Equal(p, q) {
		return true
	}
	if !pe && !qe {
		return false
	}
	return bytes.Equal(content(p, pe), content(q, qe))
}

func content(raw []byte, escaped bool) []byte {
	if !escaped {
		return raw
	}
	return unescape(make([]byte, 0, len(raw)), raw)
}

func (c *comparison) equalArray(depth int) bool {
	c.a.pos++
	c.b.pos++
	for first := true; ; first = false {
		x, y := c.a.accept(']'), c.b.accept(']')
		if x || y {
			return x && y
		}
		if !first && !(c.a.accept(',') && c.b.accept(',')) {
			return false
		}
		if !c.equal(depth + 1) {
			return false
		}
	}
}

// equalObject compares members pairwise as long as they come in the same
// order, and by name from there on.
func (c *comparison) equalObject(depth int) bool {
	c.a.pos++
	c.b.pos++
	for first := true; ; first = false {
		x, y := c.a.accept('}'), c.b.accept('}')
		if x || y {
			return x && y
		}
		if !first && !(c.a.accept(',') && c.b.accept(',')) {
			return false
		}
		p, q := c.a, c.b
		pn, pe, ok := c.a.text()
		qn, qe, ok2 := c.b.text()
		if !ok || !ok2 {
			return false
		}
		if !equalContent(pn, pe, qn, qe) {
			c.a, c.b = p, q
			return c.equalUnordered(depth)
		}
		if !c.a.accept(':') || !c.b.accept(':') || !c.equal(depth+1) {
			return false
		}
	}
}

// place is one member of an object: its name and where its value starts.
type place struct {
	name []byte
	at   int
}

// members lists the rest of an object, sorted by name.
func (c *cursor) members() ([]place, bool) {
	var list []place
	for {
		name, escaped, ok := c.text()
		if !ok || !c.accept(':') {
			return nil, false
		}
		c.space()
		list = append(list, place{content(name, escaped), c.pos})
		if !c.skip() {
			return nil, false
		}
		if c.accept('}') {
			break
		}
		if !c.accept(',') {
			return nil, false
		}
	}
	slices.SortStableFunc(list, func(x, y place) int { return bytes.Compare(x.name, y.name) })
	return list, true
}

func (c *comparison) equalUnordered(depth int) bool {
	p, ok := c.a.members()
	q, ok2 := c.b.members()
	if !ok || !ok2 || len(p) != len(q) {
		return false
	}
	for i := range p {
		if !bytes.Equal(p[i].name, q[i].name) {
			return false
		}
	}
	a, b := c.a.pos, c.b.pos
	for i := range p {
		c.a.pos, c.b.pos = p[i].at, q[i].at
		if !c.equal(depth + 1) {
			return false
		}
	}
	c.a.pos, c.b.pos = a, b
	return true
}

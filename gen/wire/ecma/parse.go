package ecma

import (
	"fmt"
	"slices"
	"unicode"
)

// SyntaxError tells why and where a pattern is no regular expression.
type SyntaxError struct {
	Pattern string
	Offset  int // in code points from 0
	Reason  string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("pattern %q, character %d: %s", e.Pattern, e.Offset+1, e.Reason)
}

// maxNesting bounds the depth of groups.
const maxNesting = 1000

// maxCount bounds repetition counts, as engines do; larger ones mean this.
const maxCount = 1<<31 - 1

// Parse reads a pattern with the meaning of the u flag, but takes what is only
// legal without it too (Annex B: identity escapes like \-, lone brackets),
// because schemas are written for both.
func Parse(pattern string) (*Pattern, error) { return parse(pattern, false) }

// ParseStrict reads a pattern that must be legal with the u flag.
func ParseStrict(pattern string) (*Pattern, error) { return parse(pattern, true) }

type parser struct {
	source string
	in     []rune
	pos    int
	strict bool
	depth  int
	groups int              // opened so far
	total  int              // in the whole pattern
	names  map[string][]int // of the whole pattern
	named  bool             // \k is a reference
	err    *SyntaxError
}

func parse(pattern string, strict bool) (*Pattern, error) {
	p := &parser{source: pattern, in: []rune(pattern), strict: strict}
	p.survey()
	p.named = strict || len(p.names) > 0
	root := p.disjunction()
	if p.err == nil && p.pos < len(p.in) {
		p.fail("a parenthesis is closed that was not opened")
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Pattern{Source: pattern, Root: root, Groups: p.groups}, nil
}

// survey counts the groups and collects their names: references may come
// before what they refer to.
func (p *parser) survey() {
	p.names = map[string][]int{}
	class := false
	for i := 0; i < len(p.in); i++ {
		switch c := p.in[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '(' && !class:
			if i+1 >= len(p.in) || p.in[i+1] != '?' {
				p.total++
				continue
			}
			if i+3 < len(p.in) && p.in[i+2] == '<' && p.in[i+3] != '=' && p.in[i+3] != '!' {
				p.total++
				end := i + 3
				for end < len(p.in) && p.in[end] != '>' {
					end++
				}
				name := p.nameText(p.in[i+3 : end])
				p.names[name] = append(p.names[name], p.total)
			}
		}
	}
}

func (p *parser) fail(reason string) *Node {
	if p.err == nil {
		p.err = &SyntaxError{p.source, min(p.pos, len(p.in)), reason}
	}
	p.pos = len(p.in)
	return &Node{Op: OpEmpty}
}

func (p *parser) more() bool { return p.pos < len(p.in) }

func (p *parser) peek(s string) bool {
	k := p.pos
	for _, c := range s {
		if k >= len(p.in) || p.in[k] != c {
			return false
		}
		k++
	}
	return true
}

func (p *parser) accept(s string) bool {
	if !p.peek(s) {
		return false
	}
	p.pos += len([]rune(s))
	return true
}

func (p *parser) disjunction() *Node {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxNesting {
		return p.fail("groups nest too deep")
	}
	subs := []*Node{p.alternative()}
	for p.accept("|") {
		subs = append(subs, p.alternative())
	}
	if len(subs) == 1 {
		return subs[0]
	}
	return &Node{Op: OpAlternate, Subs: subs}
}

func (p *parser) alternative() *Node {
	var subs []*Node
	for p.more() && !p.peek("|") && !p.peek(")") {
		subs = append(subs, p.term())
	}
	switch len(subs) {
	case 0:
		return &Node{Op: OpEmpty}
	case 1:
		return subs[0]
	}
	return &Node{Op: OpConcat, Subs: subs}
}

func (p *parser) term() *Node {
	quantifiable := true
	var n *Node
	switch c := p.in[p.pos]; c {
	case '^':
		p.pos++
		n, quantifiable = &Node{Op: OpStart}, false
	case '$':
		p.pos++
		n, quantifiable = &Node{Op: OpEnd}, false
	case '(':
		n, quantifiable = p.group()
	case '.':
		p.pos++
		n = &Node{Op: OpSet, Set: dotSet}
	case '[':
		p.pos++
		n = p.class()
	case '\\':
		p.pos++
		n, quantifiable = p.escape()
	case '*', '+', '?':
		return p.fail("a quantifier has nothing to repeat")
	case '{':
		if p.strict {
			return p.fail("a quantifier has nothing to repeat, or a brace lacks its backslash")
		}
		if _, _, ok := p.braces(); ok {
			return p.fail("a quantifier has nothing to repeat")
		}
		p.pos++
		n = literal(c)
	case '}', ']':
		if p.strict {
			return p.fail("a bracket lacks its backslash")
		}
		p.pos++
		n = literal(c)
	default:
		p.pos++
		n = literal(c)
	}
	return p.quantified(n, quantifiable)
}

func literal(c rune) *Node { return &Node{Op: OpSet, Set: NewSet(Range{c, c})} }

func (p *parser) quantified(n *Node, quantifiable bool) *Node {
	lo, hi := 0, 0
	at := p.pos
	switch {
	case p.err != nil:
		return n
	case p.accept("*"):
		lo, hi = 0, Unbounded
	case p.accept("+"):
		lo, hi = 1, Unbounded
	case p.accept("?"):
		lo, hi = 0, 1
	case p.peek("{"):
		var ok bool
		if lo, hi, ok = p.braces(); !ok {
			if p.strict {
				return p.fail("want {n}, {n,} or {n,m}")
			}
			return n
		}
		if hi != Unbounded && lo > hi {
			p.pos = at
			return p.fail("the bounds of a quantifier are out of order")
		}
	default:
		return n
	}
	if !quantifiable {
		p.pos = at
		return p.fail("an assertion cannot be repeated")
	}
	return &Node{Op: OpRepeat, Subs: []*Node{n}, Min: lo, Max: hi, Lazy: p.accept("?")}
}

// braces reads {n}, {n,} or {n,m}; if none stands here it consumes nothing.
func (p *parser) braces() (lo, hi int, ok bool) {
	at := p.pos
	p.pos++
	lo, ok = p.decimal()
	hi = lo
	if ok && p.accept(",") {
		if hi, ok = p.decimal(); !ok {
			hi, ok = Unbounded, true
		}
	}
	if !ok || !p.accept("}") {
		p.pos = at
		return 0, 0, false
	}
	return lo, hi, true
}

func (p *parser) decimal() (int, bool) {
	at, v := p.pos, 0
	for p.more() && p.in[p.pos] >= '0' && p.in[p.pos] <= '9' {
		v = min(v*10+int(p.in[p.pos]-'0'), maxCount)
		p.pos++
	}
	return v, p.pos > at
}

// group reads what stands in parentheses; its second result tells whether a
// quantifier may follow.
func (p *parser) group() (*Node, bool) {
	at := p.pos
	n := &Node{Op: OpGroup}
	quantifiable := true
	switch {
	case p.accept("(?:"):
		n = nil
	case p.accept("(?="):
		n.Op, quantifiable = OpLookahead, !p.strict
	case p.accept("(?!"):
		n.Op, quantifiable = OpNotLookahead, !p.strict
	case p.accept("(?<="):
		n.Op, quantifiable = OpLookbehind, false
	case p.accept("(?<!"):
		n.Op, quantifiable = OpNotLookbehind, false
	case p.accept("(?<"):
		name, ok := p.groupName()
		if !ok {
			return p.fail("want a group name in angle brackets"), false
		}
		n.Name = name
	case p.accept("(?"):
		return p.fail("want (?: (?= (?! (?<= (?<! or (?<name>"), false
	default:
		p.accept("(")
	}
	if n != nil && n.Op == OpGroup {
		p.groups++
		n.Index = p.groups
	}
	sub := p.disjunction()
	if p.err == nil && !p.accept(")") {
		p.pos = at
		return p.fail("a parenthesis is not closed"), false
	}
	if n == nil {
		return sub, quantifiable
	}
	n.Subs = []*Node{sub}
	return n, quantifiable
}

// groupName reads a name and the closing angle bracket.
func (p *parser) groupName() (string, bool) {
	end := p.pos
	for end < len(p.in) && p.in[end] != '>' {
		end++
	}
	if end == p.pos || end == len(p.in) {
		return "", false
	}
	name := p.nameText(p.in[p.pos:end])
	for i, c := range []rune(name) {
		start := c == '$' || c == '_' || unicode.In(c, unicode.L, unicode.Nl, unicode.Other_ID_Start)
		if !start && (i == 0 || !(c == 0x200c || c == 0x200d ||
			unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue))) {
			return "", false
		}
	}
	p.pos = end + 1
	return name, name != ""
}

// nameText is a group name without its escapes.
func (p *parser) nameText(in []rune) string {
	if !slices.Contains(in, '\\') {
		return string(in)
	}
	q := &parser{in: in}
	var out []rune
	for q.more() {
		c := q.in[q.pos]
		q.pos++
		if c == '\\' && q.accept("u") {
			v, ok := q.unicodeEscape()
			if !ok {
				return ""
			}
			c = v
		}
		out = append(out, c)
	}
	return string(out)
}

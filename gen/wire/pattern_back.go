package wire

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/hallmark-kit/hallmark/gen/wire/ecma"
)

// matchTimeout bounds one match by backtracking; a match that takes longer
// counts as none.
const matchTimeout = 2 * time.Second

// compileBacktracking hands a pattern to the backtracking engine. The pattern
// is written out anew from its tree, so that both engines agree on what every
// class and escape means.
func compileBacktracking(p *ecma.Pattern) (*regexp2.Regexp, error) {
	var w backtrackWriter
	w.node(p.Root)
	re, err := regexp2.Compile(w.String(), regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, fmt.Errorf("no engine takes it: %w", err)
	}
	re.MatchTimeout = matchTimeout
	return re, nil
}

func matchBacktracking(re *regexp2.Regexp, s []byte) bool {
	ok, err := re.MatchString(string(s))
	return ok && err == nil
}

type backtrackWriter struct{ strings.Builder }

func (w *backtrackWriter) node(n *ecma.Node) {
	switch n.Op {
	case ecma.OpSet:
		w.set(n.Set)
	case ecma.OpConcat:
		for _, s := range n.Subs {
			w.node(s)
		}
	case ecma.OpAlternate:
		w.WriteString("(?:")
		for i, s := range n.Subs {
			if i > 0 {
				w.WriteByte('|')
			}
			w.node(s)
		}
		w.WriteByte(')')
	case ecma.OpRepeat:
		w.repeat(n)
	case ecma.OpGroup:
		// Groups are numbered in the order they open, as in the source.
		w.wrap("(", n)
	case ecma.OpStart:
		w.WriteByte('^')
	case ecma.OpEnd:
		w.WriteByte('$')
	case ecma.OpWordBoundary:
		w.WriteString(`\b`)
	case ecma.OpNotBoundary:
		w.WriteString(`\B`)
	case ecma.OpLookahead:
		w.wrap("(?=", n)
	case ecma.OpNotLookahead:
		w.wrap("(?!", n)
	case ecma.OpLookbehind:
		w.wrap("(?<=", n)
	case ecma.OpNotLookbehind:
		w.wrap("(?<!", n)
	case ecma.OpBackreference:
		// A reference to a group that took no part matches the empty string, so
		// a name of several groups is a reference to each.
		for _, g := range n.Groups {
			w.WriteString(`(?:\` + strconv.Itoa(g) + `)`)
		}
	}
}

func (w *backtrackWriter) wrap(open string, n *ecma.Node) {
	w.WriteString(open)
	w.node(n.Subs[0])
	w.WriteByte(')')
}

func (w *backtrackWriter) repeat(n *ecma.Node) {
	w.wrap("(?:", n)
	switch {
	case n.Max == ecma.Unbounded && n.Min == 0:
		w.WriteByte('*')
	case n.Max == ecma.Unbounded:
		w.WriteString("{" + strconv.Itoa(n.Min) + ",}")
	default:
		w.WriteString("{" + strconv.Itoa(n.Min) + "," + strconv.Itoa(n.Max) + "}")
	}
	if n.Lazy {
		w.WriteByte('?')
	}
}

func (w *backtrackWriter) set(s ecma.Set) {
	if len(s) == 0 {
		w.WriteString(`(?!)`)
		return
	}
	w.WriteByte('[')
	for r := range slices.Values(s) {
		w.char(r.Lo)
		if r.Hi > r.Lo {
			w.WriteByte('-')
			w.char(r.Hi)
		}
	}
	w.WriteByte(']')
}

func (w *backtrackWriter) char(c rune) {
	w.WriteString(`\u{` + strconv.FormatInt(int64(c), 16) + "}")
}

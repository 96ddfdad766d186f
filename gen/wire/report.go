package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// report turns what the reader recorded into an error. Pointers are found by
// walking the text once more, so that reading valid text need not track them.
func (r *Reader) report() *Error {
	faults := r.violations
	if r.bad {
		faults = append(faults, fault{at: r.badAt, site: &Site{Keyword: KeywordJSON, Want: r.badWant}})
	}
	out, order := outline(faults, nil)
	slices.SortStableFunc(order, func(a, b told) int { return a.fault.at - b.fault.at })
	w := walker{data: r.data}
	line, column, seen := 1, 1, 0
	for _, t := range order {
		f, v := t.fault, t.violation
		at := max(seen, min(f.at, len(r.data)))
		for i := bytes.IndexByte(r.data[seen:at], '\n'); i >= 0; i = bytes.IndexByte(r.data[seen:at], '\n') {
			line, column, seen = line+1, 1, seen+i+1
		}
		column += utf8.RuneCount(r.data[seen:at])
		seen = at
		v.Instance, v.Offset, v.Line, v.Column = w.pointer(f.at), f.at, line, column
		v.Document, v.Schema, v.Keyword, v.Want = f.site.Document, f.site.Pointer, f.site.Keyword, f.site.Want
		if r.quote && f.site.Keyword != KeywordJSON {
			v.Value = quote(r.data, f.at)
		}
	}
	return &Error{out}
}

// told is a violation that is being worked out.
type told struct {
	fault     *fault
	violation *Violation
}

// outline makes room for the violations that faults and their causes become, and adds all of them to a list.
func outline(faults []fault, all []told) ([]Violation, []told) {
	if len(faults) == 0 {
		return nil, all
	}
	out := make([]Violation, len(faults))
	for i := range faults {
		all = append(all, told{&faults[i], &out[i]})
		out[i].Causes, all = outline(faults[i].causes, all)
	}
	return out, all
}

// quote is the value at offset at, cut to QuoteLength bytes at the boundary of
// a character.
func quote(data []byte, at int) string {
	q := Acquire(data[min(at, len(data)):], nil)
	start := q.pos
	end := len(q.data)
	if q.Skip() {
		end = q.pos
	}
	text := q.data[start:end]
	cut := ""
	if len(text) > QuoteLength {
		n := QuoteLength
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text, cut = text[:n], "…"
	}
	v := strings.ToValidUTF8(string(text), "\ufffd") + cut
	q.release()
	return v
}

// walker follows the structure of a text, which may be malformed from some
// offset on, and tells the JSON pointer at growing offsets.
type walker struct {
	data  []byte
	pos   int
	stack []level
	state walkState
}

// level is one open container.
type level struct {
	object  bool
	name    []byte // of the current member, with escapes
	named   bool
	element int // index of the current element
}

type walkState uint8

const (
	walkValue walkState = iota // a value comes next
	walkFirst                  // the first member or element, or the end, comes next
	walkAfter                  // a comma or the end comes next
	walkName                   // a member name comes next
	walkColon
	walkDone
)

// pointer is the JSON pointer of the innermost value that holds offset at; the
// name of a member counts as part of it.
func (w *walker) pointer(at int) string {
	for {
		i := skipSpace(w.data, w.pos)
		if i >= len(w.data) || w.state == walkDone {
			return w.path(w.state == walkValue || w.state == walkColon)
		}
		c := w.data[i]
		switch w.state {
		case walkValue:
			end := w.scalarEnd(i)
			if i >= at || end > at {
				return w.path(true)
			}
			switch c {
			case '{', '[':
				w.stack = append(w.stack, level{object: c == '{'})
				w.pos, w.state = i+1, walkFirst
			default:
				w.pos = end
				w.after()
			}
		case walkFirst, walkAfter, walkName:
			top := &w.stack[len(w.stack)-1]
			if c == '"' && top.object && w.state != walkAfter {
				end := w.scalarEnd(i)
				if i > at {
					return w.path(false)
				}
				top.name, top.named = w.data[i+1:max(i+1, min(end-1, len(w.data)))], true
				if end > at {
					return w.path(true)
				}
				w.pos, w.state = end, walkColon
				continue
			}
			if i >= at {
				// An element that starts here is looked at as a value.
				if w.state != walkFirst || top.object || kinds[c] == KindInvalid || i > at {
					return w.path(false)
				}
			}
			switch {
			case c == '}' && top.object, c == ']' && !top.object:
				w.pos = i + 1
				w.stack = w.stack[:len(w.stack)-1]
				w.after()
			case c == ',' && w.state == walkAfter:
				w.pos = i + 1
				if top.object {
					w.state = walkName
				} else {
					top.element++
					w.state = walkValue
				}
			case w.state == walkFirst && !top.object:
				top.named = true
				w.state = walkValue
			default:
				w.state = walkDone
			}
		case walkColon:
			if i >= at || c != ':' {
				return w.path(true)
			}
			w.pos, w.state = i+1, walkValue
		}
	}
}

func (w *walker) after() {
	w.state = walkAfter
	if len(w.stack) == 0 {
		w.state = walkDone
	}
}

// scalarEnd is the end of the string, number or word at i; i+1 for anything
// else.
func (w *walker) scalarEnd(i int) int {
	if w.data[i] == '"' {
		for j := i + 1; j < len(w.data); j++ {
			switch w.data[j] {
			case '\\':
				j++
			case '"':
				return j + 1
			}
		}
		return len(w.data)
	}
	j := i
	for j < len(w.data) && !isSpace(w.data[j]) && !strings.ContainsRune(`,:[]{}"`, rune(w.data[j])) {
		j++
	}
	return max(j, i+1)
}

// path is the pointer of the current value; without inner, of the container
// around it.
func (w *walker) path(inner bool) string {
	var b []byte
	for k := range w.stack {
		l := &w.stack[k]
		if k == len(w.stack)-1 && (!inner || (l.object && !l.named)) {
			break
		}
		b = append(b, '/')
		if !l.object {
			b = strconv.AppendInt(b, int64(l.element), 10)
			continue
		}
		for _, c := range unescape(nil, l.name) {
			switch c {
			case '~':
				b = append(b, "~0"...)
			case '/':
				b = append(b, "~1"...)
			default:
				b = append(b, c)
			}
		}
	}
	return strings.ToValidUTF8(string(b), "\ufffd")
}

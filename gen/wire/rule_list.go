package wire

import "strconv"

// ListRule is what a schema demands of an array, beyond its elements.
type ListRule struct {
	Place
	MinItems    int
	MaxItems    int // only if Limited
	Limited     bool
	UniqueItems bool
}

// HoldList holds the array that m marks, of n elements and read to its end, against the rule.
func (r *Reader) HoldList(m Mark, n int, rule *ListRule) bool {
	return r.holdList(m.pos, n, rule)
}

func (r *Reader) holdList(at, n int, rule *ListRule) bool {
	if !r.holdLength(at, n, rule) {
		return false
	}
	if rule.UniqueItems && n > 1 {
		if i, j, ok := UniqueItems(r.data[at:r.pos]); !ok {
			return r.equalItems(at, rule, i, j)
		}
	}
	return true
}

func (r *Reader) equalItems(at int, rule *ListRule, i, j int) bool {
	return r.broken(at, &rule.Place, "uniqueItems", func() string {
		return "elements that differ; those at " + strconv.Itoa(i) + " and " + strconv.Itoa(j) + " are equal"
	})
}

// holdLength holds the number of elements against the bounds.
func (r *Reader) holdLength(at, n int, rule *ListRule) bool {
	if n < rule.MinItems && !r.broken(at, &rule.Place, "minItems", func() string { return "at least " + plural(rule.MinItems, "element") }) {
		return false
	}
	if rule.Limited && n > rule.MaxItems && !r.broken(at, &rule.Place, "maxItems", func() string { return "at most " + plural(rule.MaxItems, "element") }) {
		return false
	}
	return true
}

// CheckTexts consumes an array of strings.
func (r *Reader) CheckTexts(list *ListRule, item *TextRule) bool {
	if r.Kind() != KindArray {
		return r.Mismatch(&list.Place, "an array")
	}
	at, n := r.pos, 0
	if !r.Array() {
		return false
	}
	if list.UniqueItems {
		r.spans = r.spans[:0]
	}
	for r.Element() {
		n++
		start := r.pos
		if !r.CheckText(item) {
			return false
		}
		if list.UniqueItems && n <= fewTexts {
			r.spans = append(r.spans, span{start, r.pos, false})
		}
	}
	if !r.EndArray() {
		return false
	}
	if list.UniqueItems && n <= fewTexts {
		return r.holdLength(at, n, list) && r.holdUnequal(at, list)
	}
	return r.holdList(at, n, list)
}

// holdUnequal holds the few elements whose spans have been noted against uniqueItems.
func (r *Reader) holdUnequal(at int, rule *ListRule) bool {
	for i, a := range r.spans {
		for j, b := range r.spans[:i] {
			if sameItem(r.data[a.start:a.end], r.data[b.start:b.end]) {
				return r.equalItems(at, rule, j, i)
			}
		}
	}
	return true
}

// span is where a string lies in a message: the offsets of its content, and whether that has escapes.
type span struct {
	start, end int
	escaped    bool
}

// fewTexts is how many strings are compared pair by pair, which needs neither memory nor a second look at the text.
const fewTexts = 16

// ReadTexts consumes an array of strings into v; an empty array is an empty slice, not nil.
func (r *Reader) ReadTexts(list *ListRule, item *TextRule, v *[]string) bool {
	if r.Kind() != KindArray {
		return r.Mismatch(&list.Place, "an array")
	}
	from := r.pos
	if !r.Array() {
		return false
	}
	// Where the strings lie is noted first, so that the list is allocated once, at its length.
	r.spans = r.spans[:0]
	n := 0
	for r.Element() {
		n++
		if r.Kind() != KindString {
			if !r.Mismatch(&item.Place, "a string") {
				return false
			}
			continue
		}
		at := r.pos
		if end := plainEnd(r.data, at+1); end >= 0 && r.holdPlain(r.data[at+1:end], item) {
			r.spans = append(r.spans, span{at + 1, end, false})
			r.pos = end + 1
			continue
		}
		start, end, code := r.scanText()
		text := r.data[start:end]
		switch code {
		case textPlain:
		case textEscaped:
			r.scratch = unescape(r.scratch[:0], text)
			text = r.scratch
		default:
			return false
		}
		if !r.holdText(at, text, item) {
			return false
		}
		r.spans = append(r.spans, span{start, end, code == textEscaped})
	}
	if !r.EndArray() {
		return false
	}
	texts := make([]string, len(r.spans))
	for i, s := range r.spans {
		if s.escaped {
			texts[i] = r.keepUnescaped(s.start, s.end)
		} else {
			texts[i] = r.keepString(s.start, s.end)
		}
	}
	*v = texts
	if list.UniqueItems && len(texts) <= fewTexts && r.Sound() {
		return r.holdLength(from, n, list) && r.holdDifferent(from, texts, list)
	}
	return r.holdList(from, n, list)
}

// holdDifferent holds a few strings against uniqueItems.
func (r *Reader) holdDifferent(at int, texts []string, rule *ListRule) bool {
	for i := range texts {
		for j := range i {
			if texts[i] == texts[j] {
				return r.equalItems(at, rule, j, i)
			}
		}
	}
	return true
}

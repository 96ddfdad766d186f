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
	at := m.pos
	if n < rule.MinItems && !r.Broken(at, &rule.Place, "minItems", "at least "+plural(rule.MinItems, "element")) {
		return false
	}
	if rule.Limited && n > rule.MaxItems && !r.Broken(at, &rule.Place, "maxItems", "at most "+plural(rule.MaxItems, "element")) {
		return false
	}
	if rule.UniqueItems && n > 1 {
		if i, j, ok := UniqueItems(r.Span(m)); !ok {
			return r.Broken(at, &rule.Place, "uniqueItems", "elements that differ; those at "+strconv.Itoa(i)+" and "+strconv.Itoa(j)+" are equal")
		}
	}
	return true
}

// CheckTexts consumes an array of strings.
func (r *Reader) CheckTexts(list *ListRule, item *TextRule) bool {
	if r.Kind() != KindArray {
		return r.Mismatch(&list.Place, "an array")
	}
	m, n := r.Mark(), 0
	if !r.Array() {
		return false
	}
	for r.Element() {
		n++
		if !r.CheckText(item) {
			return false
		}
	}
	return r.EndArray() && r.HoldList(m, n, list)
}

// ReadTexts consumes an array of strings into v; an empty array is an empty slice, not nil.
func (r *Reader) ReadTexts(list *ListRule, item *TextRule, v *[]string) bool {
	if r.Kind() != KindArray {
		return r.Mismatch(&list.Place, "an array")
	}
	m := r.Mark()
	if !r.Array() {
		return false
	}
	scratch := textScratch.Get()
	texts := *scratch
	for r.Element() {
		var s string
		if !r.ReadText(item, &s) {
			return false
		}
		texts = append(texts, s)
	}
	*scratch = texts
	*v = textScratch.Take(scratch)
	return r.EndArray() && r.HoldList(m, len(*v), list)
}

var textScratch Scratch[string]

package match

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/conformance/value"
)

// Difference is one place where a value is not what was wanted.
type Difference struct {
	Pointer string // JSON pointer into the value
	Wanted  string // in words or as JSON
	Got     string // as JSON, shortened; or "nothing"
}

// Capture is a value that a matcher asked to remember.
type Capture struct {
	Name  string
	Value any
}

// Result is the outcome of a match.
type Result struct {
	Differences []Difference // empty: it matched
	Captures    []Capture    // valid when it matched
}

// OK tells whether the value matched.
func (r Result) OK() bool { return len(r.Differences) == 0 }

// absent is given in place of a member that is not there.
type absent struct{}

// maxDifferences bounds a report; a person reads the first few.
const maxDifferences = 20

// Match decides whether got is what want, a matcher with all placeholders replaced, describes.
func Match(want, got any) Result {
	m := &matcher{}
	m.match(want, got, "")
	return Result{m.differences, m.captures}
}

type matcher struct {
	differences []Difference
	captures    []Capture
}

func (m *matcher) differ(at, wanted string, got any) {
	if len(m.differences) < maxDifferences {
		m.differences = append(m.differences, Difference{at, wanted, show(got)})
	}
}

func (m *matcher) match(want, got any, at string) {
	switch want := want.(type) {
	case *value.Object:
		m.object(want, got, at)
	case value.List:
		list, ok := got.(value.List)
		if !ok {
			m.differ(at, fmt.Sprintf("a list of %d", len(want)), got)
			return
		}
		if len(list) != len(want) {
			m.differ(at, fmt.Sprintf("a list of %d", len(want)), describeList(list))
		}
		for i := range min(len(want), len(list)) {
			m.match(want[i], list[i], value.JoinIndex(at, i))
		}
	default:
		if _, missing := got.(absent); missing || !value.Equal(want, got) {
			m.differ(at, show(want), got)
		}
	}
}

func (m *matcher) object(want *value.Object, got any, at string) {
	plain := len(want.Members) == 0
	for _, w := range want.Members {
		if IsWord(w.Name) {
			m.word(w.Name, w.Value, got, at)
		} else {
			plain = true
		}
	}
	if !plain {
		return
	}
	o, ok := got.(*value.Object)
	if !ok {
		m.differ(at, "an object", got)
		return
	}
	for _, w := range want.Members {
		if IsWord(w.Name) {
			continue
		}
		v, there := o.Get(w.Name)
		if !there {
			v = absent{}
		}
		m.match(w.Value, v, value.Join(at, w.Name))
	}
}

func (m *matcher) word(name string, want, got any, at string) {
	_, missing := got.(absent)
	text, isText := got.(string)
	list, isList := got.(value.List)
	wanted, _ := want.(string)
	switch name {
	case "$exact", "$equals":
		if missing || !value.Equal(want, got) {
			m.differ(at, "exactly "+show(want), got)
		}
	case "$pattern":
		re, err := pattern(wanted)
		if err != nil || !isText || !re.MatchString(text) {
			m.differ(at, "text that matches "+wanted, got)
		}
	case "$type":
		if missing || !hasType(want, got) {
			m.differ(at, "the type "+strings.NewReplacer(`"`, "", ",", " or ", "[", "", "]", "").Replace(value.Text(want)), got)
		}
	case "$absent":
		if !missing {
			m.differ(at, "nothing", got)
		}
	case "$present":
		if missing {
			m.differ(at, "anything", got)
		}
	case "$any order":
		items, _ := want.(value.List)
		if !isList || len(list) != len(items) {
			m.differ(at, fmt.Sprintf("a list of %d", len(items)), got)
		} else {
			m.assign(items, list, at)
		}
	case "$contains":
		items, several := want.(value.List)
		switch {
		case several && isList:
			m.assign(items, list, at)
		case several:
			m.differ(at, "a list", got)
		case !isText || !strings.Contains(text, wanted):
			m.differ(at, "text that contains "+show(wanted), got)
		}
	case "$each":
		if !isList {
			m.differ(at, "a list", got)
		}
		for i, item := range list {
			m.match(want, item, value.JoinIndex(at, i))
		}
	case "$unique":
		if !isList {
			m.differ(at, "a list", got)
		}
		for i, item := range list {
			for j := range i {
				if value.Equal(list[j], item) {
					m.differ(value.JoinIndex(at, i), "an item that is not in the list before", item)
				}
			}
		}
	case "$length":
		n, ok := length(got)
		if !ok {
			m.differ(at, "something that has a length", got)
		} else if r := Match(want, value.Int(int64(n))); !r.OK() {
			m.differ(at, "a length of "+r.Differences[0].Wanted, described(fmt.Sprintf("a length of %d", n)))
		}
	case "$range":
		m.limits(want, got, at)
	case "$starts":
		if !isText || !strings.HasPrefix(text, wanted) {
			m.differ(at, "text that starts with "+show(wanted), got)
		}
	case "$ends":
		if !isText || !strings.HasSuffix(text, wanted) {
			m.differ(at, "text that ends with "+show(wanted), got)
		}
	case "$not":
		inner := &matcher{}
		if inner.match(want, got, at); len(inner.differences) == 0 {
			m.differ(at, "not "+show(want), got)
		}
	case "$any of":
		m.anyOf(want, got, at)
	case "$all of":
		items, _ := want.(value.List)
		for _, item := range items {
			m.match(item, got, at)
		}
	case "$capture":
		if missing {
			m.differ(at, "anything, to be captured as "+wanted, got)
		} else {
			m.captures = append(m.captures, Capture{wanted, got})
		}
	default:
		m.differ(at, "a matcher that exists instead of "+name, got)
	}
}

func (m *matcher) anyOf(want, got any, at string) {
	items, _ := want.(value.List)
	for _, item := range items {
		inner := &matcher{}
		if inner.match(item, got, at); len(inner.differences) == 0 {
			m.captures = append(m.captures, inner.captures...)
			return
		}
	}
	m.differ(at, "any of "+show(want), got)
}

func (m *matcher) limits(want, got any, at string) {
	n, ok := got.(value.Number)
	if !ok {
		m.differ(at, "a number in "+show(want), got)
		return
	}
	o, _ := want.(*value.Object)
	for _, limit := range o.Members {
		bound, _ := limit.Value.(value.Number)
		order, ok := value.Compare(n, bound)
		holds := ok && map[string]bool{"min": order >= 0, "max": order <= 0, "above": order > 0, "below": order < 0}[limit.Name]
		if !holds {
			m.differ(at, "a number in "+show(want), got)
			return
		}
	}
}

// assign finds an item of list for each of the matchers, no item twice (augmenting paths).
func (m *matcher) assign(matchers, list value.List, at string) {
	results := make([][]Result, len(matchers))
	for i, want := range matchers {
		results[i] = make([]Result, len(list))
		for j, got := range list {
			results[i][j] = Match(want, got)
		}
	}
	owner := make([]int, len(list))
	for j := range owner {
		owner[j] = -1
	}
	var place func(i int, seen []bool) bool
	place = func(i int, seen []bool) bool {
		for j := range list {
			if !seen[j] && results[i][j].OK() {
				seen[j] = true
				if owner[j] < 0 || place(owner[j], seen) {
					owner[j] = i
					return true
				}
			}
		}
		return false
	}
	for i, want := range matchers {
		if !place(i, make([]bool, len(list))) {
			m.differ(at, "an item like "+show(want), list)
		}
	}
	for j, i := range owner {
		if i >= 0 {
			m.captures = append(m.captures, results[i][j].Captures...)
		}
	}
}

func hasType(want, got any) bool {
	names := value.List{want}
	if list, ok := want.(value.List); ok {
		names = list
	}
	t := value.Type(got)
	return slices.Contains(names, any(t)) || t == "integer" && slices.Contains(names, any("number"))
}

func length(v any) (int, bool) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), true
	case value.List:
		return len(v), true
	case *value.Object:
		return len(v.Members), true
	}
	return 0, false
}

// shown bounds the text of one value in a difference, in bytes.
const shown = 300

func show(v any) string {
	if _, missing := v.(absent); missing {
		return "nothing"
	}
	if d, ok := v.(described); ok {
		return string(d)
	}
	text := value.Text(v)
	if len(text) <= shown {
		return text
	}
	cut := shown
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:cut], len(text))
}

// described is a value that is better told than shown.
type described string

func describeList(l value.List) described {
	return described(fmt.Sprintf("a list of %d: %s", len(l), show(any(l))))
}

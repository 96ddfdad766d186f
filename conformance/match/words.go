package match

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

var words = []string{
	"$exact", "$equals", "$pattern", "$type", "$absent", "$present", "$any order", "$contains", "$each", "$length",
	"$range", "$starts", "$ends", "$not", "$any of", "$all of", "$unique", "$capture",
}

var typeNames = []string{"string", "number", "integer", "boolean", "null", "array", "object"}

// IsWord tells whether the member name is a matcher word or looks like one.
func IsWord(name string) bool { return strings.HasPrefix(name, "$") && !strings.HasPrefix(name, "$$") }

// Problem is something wrong with a matcher as it is written.
type Problem struct {
	Pointer string
	Reason  string // what was expected
	Key     bool   // it is the name of the member at Pointer that is wrong, not its value
}

// Check finds what is wrong with a matcher before any value is there. Placeholders (text beginning with a dollar
// sign) stand for values that are not known yet and are accepted everywhere. The names that the matcher captures
// are returned in order.
func Check(m any) (captures []string, problems []Problem) {
	c := &checker{}
	c.matcher(m, "")
	return c.captures, c.problems
}

type checker struct {
	captures []string
	problems []Problem
}

func (c *checker) wrong(at, reason string) {
	c.problems = append(c.problems, Problem{Pointer: at, Reason: reason})
}

func (c *checker) matcher(m any, at string) {
	switch m := m.(type) {
	case value.List:
		for i, item := range m {
			c.matcher(item, value.JoinIndex(at, i))
		}
	case *value.Object:
		if _, builder := builderOf(m); builder {
			return // it becomes a value before it is a matcher; checked then
		}
		for _, member := range m.Members {
			here := value.Join(at, member.Name)
			if IsWord(member.Name) {
				c.word(member.Name, member.Value, here)
			} else {
				c.matcher(member.Value, here)
			}
		}
	}
}

// builderOf tells whether an object is one of the value builders of scenarios.
func builderOf(o *value.Object) (string, bool) {
	for _, b := range []string{"$from", "$text", "$json", "$canonical", "$base64", "$sha256", "$bytes", "$sum", "$minutes"} {
		if _, ok := o.Get(b); ok {
			return b, true
		}
	}
	return "", false
}

func placeholder(v any) bool {
	s, ok := v.(string)
	return ok && strings.HasPrefix(s, "$") && !strings.HasPrefix(s, "$$")
}

func (c *checker) word(name string, v any, at string) {
	if !slices.Contains(words, name) {
		c.problems = append(c.problems, Problem{at, "there is no matcher " + name + nearest.Suggestion(name, words), true})
		return
	}
	if placeholder(v) && name != "$capture" {
		return
	}
	list, isList := v.(value.List)
	text, isText := v.(string)
	switch name {
	case "$pattern":
		if !isText {
			c.wrong(at, "$pattern wants a regular expression as text")
		} else if _, err := regexp.Compile(text); err != nil {
			c.wrong(at, "$pattern wants a regular expression (RE2): "+strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	case "$type":
		names := list
		if isText {
			names = value.List{text}
		}
		if len(names) == 0 {
			c.wrong(at, "$type wants one of "+strings.Join(typeNames, ", ")+", or a list of them")
		}
		for _, n := range names {
			if s, ok := n.(string); !ok || !slices.Contains(typeNames, s) {
				c.wrong(at, "$type wants one of "+strings.Join(typeNames, ", ")+", or a list of them")
			}
		}
	case "$absent", "$present", "$unique":
		if v != true {
			c.wrong(at, name+" wants true")
		}
	case "$any order", "$any of", "$all of":
		if !isList || len(list) == 0 && name != "$any order" {
			c.wrong(at, name+" wants a list of matchers")
			return
		}
		c.matcher(v, at)
	case "$contains":
		if !isText && !isList {
			c.wrong(at, "$contains wants text or a list of matchers")
			return
		}
		c.matcher(v, at)
	case "$each", "$not", "$length":
		c.matcher(v, at)
	case "$range":
		c.limits(v, at)
	case "$starts", "$ends":
		if !isText {
			c.wrong(at, name+" wants text")
		}
	case "$capture":
		if !isText || !validName.MatchString(text) {
			c.wrong(at, "$capture wants a name of letters, digits and underscores")
			return
		}
		c.captures = append(c.captures, text)
	}
}

func (c *checker) limits(v any, at string) {
	o, ok := v.(*value.Object)
	if !ok || len(o.Members) == 0 {
		c.wrong(at, "$range wants at least one of min, max, above, below")
		return
	}
	for _, m := range o.Members {
		here := value.Join(at, m.Name)
		if !slices.Contains([]string{"min", "max", "above", "below"}, m.Name) {
			c.wrong(here, "$range knows min, max, above and below")
		} else if _, ok := m.Value.(value.Number); !ok && !placeholder(m.Value) {
			c.wrong(here, m.Name+" wants a number")
		}
	}
}

var validName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

var compiled sync.Map // pattern text -> *regexp.Regexp

func pattern(text string) (*regexp.Regexp, error) {
	if re, ok := compiled.Load(text); ok {
		return re.(*regexp.Regexp), nil
	}
	re, err := regexp.Compile(text)
	if err == nil {
		compiled.Store(text, re)
	}
	return re, err
}

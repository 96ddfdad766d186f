package drift

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// newFinding describes a change of a pair: its rule, places and sentence.
func (c *comparer) newFinding(p *pair, ch *change) Finding {
	f := Finding{Keyword: ch.keyword}
	if ch.hasOld {
		f.Old = c.old.place(p.old.File, p.old.Pointer+ch.old)
	} else {
		f.Old = c.old.place(p.old.File, p.old.Pointer)
		f.Old.Text = ""
	}
	if ch.hasNew {
		f.New = c.new.place(p.new.File, p.new.Pointer+ch.new)
	} else {
		f.New = c.new.place(p.new.File, p.new.Pointer)
		f.New.Text = ""
	}
	f.Rule, f.Summary = describe(p, ch, f.Old.Text, f.New.Text)
	return f
}

// maxQuoted bounds what a sentence quotes of the documents, in bytes.
const maxQuoted = 120

// kebab writes a keyword as rule ids do.
func kebab(keyword string) string {
	var b strings.Builder
	for _, r := range keyword {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return strings.TrimPrefix(b.String(), "$")
}

// describe gives the rule of a change and a sentence about it.
func describe(p *pair, ch *change, old, new string) (rule, sentence string) {
	kind := ch.kind()
	rule = kebab(ch.keyword) + "-" + kind
	simple := func(what string) string {
		if len(old)+len(new) > maxQuoted {
			return fmt.Sprintf("%s was %s", what, kind) // the report shows both
		}
		switch kind {
		case "added":
			return fmt.Sprintf("%s was added: %s", what, new)
		case "removed":
			return fmt.Sprintf("%s was removed: %s", what, old)
		}
		return fmt.Sprintf("%s was changed from %s to %s", what, old, new)
	}
	switch ch.keyword {
	case "schema":
		return "schema-changed", simple("the schema")
	case "properties":
		rule = "property-" + kind
		sentence = fmt.Sprintf("the member %q was %s", ch.detail, kind)
		if kind == "added" && p.new.IsRequired(ch.detail) || kind == "removed" && p.old.IsRequired(ch.detail) {
			sentence = fmt.Sprintf("the required member %q was %s", ch.detail, kind)
		}
		return rule, sentence
	case "required":
		if kind == "added" || !p.old.IsRequired(ch.detail) {
			return "required-added", fmt.Sprintf("the member %q became required", ch.detail)
		}
		return "required-removed", fmt.Sprintf("the member %q became optional", ch.detail)
	case "patternProperties":
		return rule, fmt.Sprintf("the rule for members that match %s was %s", ch.detail, kind)
	case "dependentSchemas":
		return rule, fmt.Sprintf("what the member %q brings along was %s", ch.detail, kind)
	case "allOf", "anyOf", "oneOf":
		return branchRule(p, ch, kind)
	case "enum":
		if ch.hasOld && ch.hasNew {
			more, fewer := valuesBeyond(p.new, p.old), valuesBeyond(p.old, p.new)
			switch {
			case len(fewer) == 0 && len(more) > 0:
				return "enum-value-added", fmt.Sprintf("%s: %s", plural(len(more), "a value was", "values were", "added"), strings.Join(more, ", "))
			case len(more) == 0 && len(fewer) > 0:
				return "enum-value-removed", fmt.Sprintf("%s: %s", plural(len(fewer), "a value was", "values were", "removed"), strings.Join(fewer, ", "))
			}
		}
	case "type":
		if ch.hasOld && ch.hasNew {
			o, n := full(p.old.Types), full(p.new.Types)
			if n.Has(o) {
				rule = "type-widened"
			} else if o.Has(n) {
				rule = "type-narrowed"
			}
		}
	case "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		if ch.hasOld && ch.hasNew {
			switch boundOf(p.new, ch.keyword).Cmp(boundOf(p.old, ch.keyword)) {
			case 1:
				return kebab(ch.keyword) + "-raised", fmt.Sprintf("%s was raised from %s to %s", ch.keyword, old, new)
			case -1:
				return kebab(ch.keyword) + "-lowered", fmt.Sprintf("%s was lowered from %s to %s", ch.keyword, old, new)
			}
			if (p.new.Minimum == nil) == (ch.keyword == "minimum") {
				rule = kebab(ch.keyword) + "-raised"
			} else {
				rule = kebab(ch.keyword) + "-lowered"
			}
		}
	case "contentEncoding", "contentMediaType":
		rule = "content-changed"
	case "deprecated", "readOnly", "writeOnly", "discriminator":
		rule = kebab(ch.keyword) + "-changed"
	}
	return rule, simple(ch.keyword)
}

func branchRule(p *pair, ch *change, kind string) (string, string) {
	if ch.detail == "" && ch.hasOld && ch.hasNew && (p.old.AnyOf != nil) != (p.new.AnyOf != nil) {
		return "one-of-changed", fmt.Sprintf("%s became %s", strings.TrimPrefix(ch.old, "/"), strings.TrimPrefix(ch.new, "/"))
	}
	list := func(n *schema.Node) []*schema.Node {
		if ch.keyword == "allOf" {
			return conjuncts(n)
		}
		return *listOf(n, ch.keyword)
	}
	what := ch.keyword
	if ch.detail != "" {
		what = fmt.Sprintf("%s (%s)", ch.keyword, ch.detail)
	}
	if ch.detail == "" && kind != "changed" && (len(list(p.old)) == 0 || len(list(p.new)) == 0) {
		return kebab(ch.keyword) + "-" + kind, fmt.Sprintf("%s was %s", ch.keyword, kind)
	}
	if kind == "changed" {
		return "schema-changed", fmt.Sprintf("a branch of %s was changed", what)
	}
	if len(list(p.old)) == 0 || len(list(p.new)) == 0 {
		return kebab(ch.keyword) + "-" + kind, fmt.Sprintf("a branch of %s was %s; there is no other", what, kind)
	}
	return kebab(ch.keyword) + "-branch-" + kind, fmt.Sprintf("a branch of %s was %s", what, kind)
}

func plural(n int, one, many, verb string) string {
	if n == 1 {
		return one + " " + verb
	}
	return fmt.Sprintf("%d %s %s", n, many, verb)
}

func full(t schema.Types) schema.Types {
	if t.Has(schema.TypeNumber) {
		t |= schema.TypeInteger
	}
	return t
}

// valuesBeyond gives the values one schema lists and the other does not.
func valuesBeyond(n, other *schema.Node) []string {
	listed := func(n *schema.Node) []*document.Value {
		if n.Const != nil {
			return []*document.Value{n.Const}
		}
		return n.Enum
	}
	var texts []string
	for _, v := range listed(n) {
		if !slices.ContainsFunc(listed(other), v.Equal) {
			texts = append(texts, shortened(v.Raw()))
		}
	}
	return texts
}

// boundOf gives the number of a keyword that bounds.
func boundOf(n *schema.Node, keyword string) document.Decimal {
	count := func(i *int64) document.Decimal {
		if i == nil {
			return document.Decimal{}
		}
		return document.ParseDecimal(fmt.Sprint(*i))
	}
	value := func(list ...*document.Value) document.Decimal {
		for _, v := range list {
			if v != nil {
				return v.Decimal()
			}
		}
		return document.Decimal{}
	}
	switch keyword {
	case "minimum":
		return value(n.Minimum, n.ExclusiveMinimum)
	case "maximum":
		return value(n.Maximum, n.ExclusiveMaximum)
	case "minLength":
		return count(n.MinLength)
	case "maxLength":
		return count(n.MaxLength)
	case "minItems":
		return count(n.MinItems)
	case "maxItems":
		return count(n.MaxItems)
	case "minProperties":
		return count(n.MinProperties)
	}
	return count(n.MaxProperties)
}

// reportNote reports a change of an annotation.
func (c *comparer) reportNote(p *pair, ch *change) {
	f := c.newFinding(p, ch)
	f.Class, f.Reason = Compatible, "it says something to people and generators; messages stay what they are"
	switch ch.keyword {
	case "default":
		f.Class, f.Reason = Risky, "a member that is left out means something else to the other end"
	case "format":
		f.Class, f.Reason = Risky, "format is an annotation, but peers whose validators assert it refuse what the others send"
	case "contentEncoding", "contentMediaType":
		f.Class, f.Reason = Risky, "the same text means something else to the other end"
	}
	f.Reach = reachOf(p.roots, nil)
	f.Hits = []Hit{{Peers: c.peers(true), Words: f.Reason}}
	c.reportEdit(f, p, ch)
}

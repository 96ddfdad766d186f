package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// family is one of the six kinds of JSON value. What a schema demands is kept
// apart for each: a rule can only be felt by one family, and unions split.
type family uint8

const (
	nulls family = iota
	booleans
	numbers
	strs
	arrays
	objects
	families = 6
)

var familyOf = map[document.Kind]family{
	document.Null: nulls, document.Bool: booleans, document.Number: numbers,
	document.String: strs, document.Array: arrays, document.Object: objects,
}

// condition is a conjunction of atoms about values of one family. Conditions are
// interned: equal ones are one pointer. nil is the condition that never holds,
// one without atoms always does.
type condition struct {
	id     int
	family family
	atoms  []atom // sorted by text, each once
}

func (c *condition) always() bool { return c != nil && len(c.atoms) == 0 }

// op is the kind of an atom.
type op uint8

const (
	opValues     op = iota // one of values
	opMin                  // number, ≥ num (> when strict)
	opMax                  // number, ≤ num (< when strict)
	opMultiple             // number, a multiple of num
	opMinLength            // string, n code points at least
	opMaxLength            //
	opPattern              // string, name is the pattern
	opFormat               // name is the format
	opMinItems             // array
	opMaxItems             //
	opUnique               //
	opItem                 // array, item n if present holds sub[0]
	opRest                 // array, items from n hold sub[0]
	opContains             // array, n..m (m < 0: no bound) items hold sub[0]
	opMinMembers           // object
	opMaxMembers           //
	opRequired             // object, has member name
	opMember               // object, member name if present holds sub[0]
	opMatching             // object, members whose name matches pattern name hold sub[0]
	opOthers               // object, members not in names and matching none of patterns hold sub[0]
	opNames                // object, member names hold sub[0]
	opAny                  // at least one of conds
	opOne                  // exactly one of conds
	opNot                  // not conds[0]
	opBoth                 // all of sub, for parts that are not worth joining
	opUneval               // members or items not evaluated by names, patterns, n, sub[1:], or whens, hold sub[0]
)

// atom is one demand. Which fields count is said at its op.
type atom struct {
	op       op
	name     string
	num      document.Decimal
	strict   bool
	n, m     int64
	names    []string // sorted
	patterns []string // sorted
	values   []*document.Value
	sub      []int // schemas of parts, by number in the keyer
	conds    []*condition
	whens    []when // of opUneval
	text     string // everything above, for interning
}

// when says that more is evaluated where a condition holds.
type when struct {
	cond *condition
	seen evaluated
}

// evaluated is what a schema evaluates of a value, for unevaluated keywords.
type evaluated struct {
	all             bool
	names, patterns []string // of members; sorted
	prefix          int64    // items before this index
	containing      []int    // items that hold one of these; sorted
}

func (e evaluated) text() string {
	return strconv.FormatBool(e.all) + quoted(e.names) + quoted(e.patterns) + strconv.FormatInt(e.prefix, 10) + ints(e.containing)
}

func quoted(list []string) string {
	var b strings.Builder
	b.WriteByte('[')
	for _, s := range list {
		b.WriteString(strconv.Quote(s))
	}
	b.WriteByte(']')
	return b.String()
}

func ints(list []int) string {
	var b strings.Builder
	b.WriteByte('[')
	for _, i := range list {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte(',')
	}
	b.WriteByte(']')
	return b.String()
}

// seal fills in the text that tells atoms apart within a run.
func (a *atom) seal() {
	var b strings.Builder
	b.WriteString(strconv.Itoa(int(a.op)))
	b.WriteByte(' ')
	b.WriteString(a.parameters())
	for _, s := range a.sub {
		b.WriteString(" s")
		b.WriteString(strconv.Itoa(s))
	}
	for _, c := range a.conds {
		b.WriteString(" c")
		b.WriteString(strconv.Itoa(c.number()))
	}
	for _, w := range a.whens {
		b.WriteString(" w")
		b.WriteString(strconv.Itoa(w.cond.number()))
		b.WriteString(w.seen.text())
	}
	a.text = b.String()
}

func (c *condition) number() int {
	if c == nil {
		return -1
	}
	return c.id
}

// parameters is what of an atom does not refer to other schemas; it means the
// same in every run.
func (a *atom) parameters() string {
	switch a.op {
	case opValues:
		texts := make([]string, len(a.values))
		for i, v := range a.values {
			texts[i] = v.Canonical()
		}
		return strings.Join(texts, ",")
	case opMin, opMax, opMultiple:
		return strconv.FormatBool(a.strict) + a.num.String()
	case opMinLength, opMaxLength, opMinItems, opMaxItems, opItem, opRest, opContains, opMinMembers, opMaxMembers:
		return strconv.FormatInt(a.n, 10) + "," + strconv.FormatInt(a.m, 10)
	case opPattern, opFormat, opRequired, opMember, opMatching:
		return strconv.Quote(a.name)
	case opOthers, opUneval:
		return quoted(a.names) + quoted(a.patterns) + strconv.FormatInt(a.n, 10)
	}
	return ""
}

// intern gives the one condition with these atoms.
func (k *keyer) intern(f family, atoms []atom) *condition {
	for i := range atoms {
		if atoms[i].text == "" {
			atoms[i].seal()
		}
	}
	slices.SortFunc(atoms, func(x, y atom) int { return strings.Compare(x.text, y.text) })
	atoms = slices.CompactFunc(atoms, func(x, y atom) bool { return x.text == y.text })
	var b strings.Builder
	b.WriteByte('0' + byte(f))
	for i := range atoms {
		b.WriteByte('\n')
		b.WriteString(atoms[i].text)
	}
	text := b.String()
	if c := k.conditions[text]; c != nil {
		return c
	}
	c := &condition{id: len(k.conditions), family: f, atoms: atoms}
	k.conditions[text] = c
	return c
}

// top is the condition that always holds.
func (k *keyer) top(f family) *condition {
	if k.tops[f] == nil {
		k.tops[f] = k.intern(f, nil)
	}
	return k.tops[f]
}

// isValues tells whether the condition is only an enumeration.
func (c *condition) isValues() bool {
	return c != nil && len(c.atoms) == 1 && c.atoms[0].op == opValues
}

// only gives the single atom of a condition when it has the given op.
func (c *condition) only(o op) *atom {
	if c != nil && len(c.atoms) == 1 && c.atoms[0].op == o {
		return &c.atoms[0]
	}
	return nil
}

func (k *keyer) values(f family, values []*document.Value) *condition {
	return k.all(f, []atom{{op: opValues, values: sortedValues(values)}})
}

// sortedValues orders values by their canonical text and drops repetitions.
func sortedValues(values []*document.Value) []*document.Value {
	texts := make(map[string]*document.Value, len(values))
	keys := make([]string, 0, len(values))
	for _, v := range values {
		t := v.Canonical()
		if texts[t] == nil {
			texts[t] = v
			keys = append(keys, t)
		}
	}
	slices.Sort(keys)
	sorted := make([]*document.Value, len(keys))
	for i, t := range keys {
		sorted[i] = texts[t]
	}
	return sorted
}

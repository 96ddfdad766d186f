package validator

import (
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Validator holds messages against one schema. It is safe for concurrent use.
type Validator struct{ check check }

// check consumes the next value and holds it against a schema; true means go on. It is what a check function of
// generated code is.
type check func(r *wire.Reader) bool

// Compile makes the validator of a schema and of all that it uses. A pattern that is not one of ECMA-262 is a
// *document.Error with its place; everything else that could be wrong has been refused when the schema was built.
func Compile(n *schema.Node) (v *Validator, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*document.Error)
			if !ok {
				panic(r)
			}
			v, err = nil, e
		}
	}()
	c := &compiler{
		checks:   map[*schema.Node]*cell{},
		covers:   map[*schema.Node]*coverCell{},
		folded:   map[*schema.Node][]*schema.Node{},
		retried:  map[*schema.Node]uint32{},
		rings:    shape.NewRings(),
		patterns: map[string]*wire.Pattern{},
	}
	return &Validator{check: c.check(n)}, nil
}

// Validate reports whether data is a valid message: nil, or a *wire.Error with the first violations.
func (v *Validator) Validate(data []byte, opts ...wire.Option) error {
	r := wire.Acquire(data, opts)
	v.check(r)
	return r.Close()
}

// Type gives the validator the form of an entry of a generated package's Types.
func (v *Validator) Type(name string, n *schema.Node) wire.Type {
	return wire.Type{Name: name, Document: n.FileName(), Pointer: n.Pointer, Validate: v.Validate}
}

// compiler makes checks. Errors travel as panics of *document.Error up to Compile.
type compiler struct {
	checks   map[*schema.Node]*cell
	covers   map[*schema.Node]*coverCell
	folded   map[*schema.Node][]*schema.Node // a choice -> its branches, each with what stands beside the choice
	retried  map[*schema.Node]uint32         // schemas that remember their verdict when they are tried, numbered
	rings    *shape.Rings
	patterns map[string]*wire.Pattern
}

// cell holds the check of a schema from the moment its compilation begins, so that recursive schemas can refer to it.
type cell struct{ run check }

// check gives the check of a schema.
func (c *compiler) check(n *schema.Node) check {
	if n == nil {
		return (*wire.Reader).Skip
	}
	n = n.Target()
	if made, ok := c.checks[n]; ok {
		if made.run != nil {
			return made.run
		}
		return func(r *wire.Reader) bool { return made.run(r) } // it is being compiled: a recursive schema
	}
	made := &cell{}
	c.checks[n] = made
	run := c.compile(n)
	if c.rings.Doubled(n) {
		id, once := c.memory(n), run
		run = func(r *wire.Reader) bool { return r.CheckOnce(id, once) }
	}
	made.run = run
	return made.run
}

// trial reports whether the marked value passes a schema, without recording anything, and returns to it.
type trial func(r *wire.Reader, value wire.Mark) bool

// trial gives the trial of a part of n.
func (c *compiler) trial(n, part *schema.Node) trial {
	check := c.check(part)
	if !c.rings.Retried(n, part) {
		return func(r *wire.Reader, value wire.Mark) bool { return r.Holds(value, check) }
	}
	id := c.memory(part)
	return func(r *wire.Reader, value wire.Mark) bool { return r.HoldsOnce(id, value, check) }
}

// memory is the number by which a message remembers the verdicts of a schema.
func (c *compiler) memory(n *schema.Node) uint32 {
	n = n.Target()
	id, ok := c.retried[n]
	if !ok {
		id = uint32(len(c.retried) + 1)
		c.retried[n] = id
	}
	return id
}

// place names a schema as generated code does.
func place(n *schema.Node) *wire.Place {
	p := wire.At(n.FileName(), n.Pointer)
	return &p
}

// pattern compiles a pattern that stands in the value of a keyword of n.
func (c *compiler) pattern(n *schema.Node, keyword, source string) *wire.Pattern {
	if p, ok := c.patterns[source]; ok {
		return p
	}
	p, err := wire.ParsePattern(source)
	if err != nil {
		panic(patternError(n, keyword, source, err))
	}
	c.patterns[source] = p
	return p
}

// patternError places the fault of a pattern: at the value of pattern, at the schema under a pattern of
// patternProperties.
func patternError(n *schema.Node, keyword, source string, err error) *document.Error {
	at, pointer := n.Value.Get(keyword), n.Pointer+"/"+keyword
	if keyword == "patternProperties" {
		at, pointer = at.Get(source), pointer+"/"+document.EscapeToken(source)
	}
	if at == nil {
		at, pointer = n.Value, n.Pointer
	}
	return n.File.Errorf(at, pointer, "a regular expression of ECMA-262 was expected: %v", err)
}

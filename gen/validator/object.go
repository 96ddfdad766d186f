package validator

import (
	"fmt"

	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// object is the one pass over the members of an object.
type object struct {
	names   []string // members known by name, the required ones first: a name's index is its bit in the set of seen ones
	index   map[string]int
	members []check // by the same index; nil: any value

	name     check // of member names, nil: any
	patterns []patternCheck
	others   check // of members that nothing names, nil: any value

	demands    []*wire.RequiredRule
	counts     []*wire.CountRule
	dependents []dependent
}

type patternCheck struct {
	pattern *wire.Pattern
	check   check
}

// dependent is one member that must come if another one has.
type dependent struct {
	at         *wire.Place
	name, then int // bits
	want       string
}

// smallSet is how many 64-bit words of the set of seen members fit without an allocation.
const smallSet = 4

func (c *compiler) object(o *shape.Object) *object {
	out := &object{index: map[string]int{}}
	required, by := o.Required()
	for i, name := range required {
		if i == 0 || by[i] != by[i-1] {
			out.demands = append(out.demands, &wire.RequiredRule{Place: *place(by[i]), First: i})
		}
		d := out.demands[len(out.demands)-1]
		d.Required = append(d.Required, name)
		out.add(name)
	}
	for _, name := range o.Names {
		out.add(name)
	}
	for _, p := range o.Parts {
		out.depend(p)
		if least(p.MinProperties) > 0 || p.MaxProperties != nil {
			count := &wire.CountRule{Place: *place(p), MinProperties: least(p.MinProperties)}
			count.MaxProperties, count.Limited = most(p.MaxProperties)
			out.counts = append(out.counts, count)
		}
	}
	out.members = make([]check, len(out.names))
	for i, name := range out.names {
		out.members[i] = all(c.memberRules(o, name))
	}
	out.others = all(c.additional(o))
	// Patterns and rules for names stand in an object of one part only; see shape.Fuse.
	n := o.Parts[0]
	for _, p := range n.PatternProperties {
		out.patterns = append(out.patterns, patternCheck{c.pattern(n, "patternProperties", p.Pattern), c.check(p.Node)})
	}
	if names := n.PropertyNames; demands(names) && !(shape.Only(shape.Rules(names.Target()), "type") && names.Target().Types.Has(schema.TypeString)) {
		out.name = c.check(names)
	}
	return out
}

func (o *object) add(name string) int {
	i, ok := o.index[name]
	if !ok {
		i = len(o.names)
		o.index[name] = i
		o.names = append(o.names, name)
	}
	return i
}

func (o *object) depend(p *schema.Node) {
	for _, d := range p.DependentRequired {
		name := o.add(d.Name)
		for _, then := range d.Required {
			o.dependents = append(o.dependents, dependent{
				at: place(p), name: name, then: o.add(then),
				want: fmt.Sprintf("the member %q, since there is %q", then, d.Name),
			})
		}
	}
}

// memberRules are the checks that the value of a named member must pass.
func (c *compiler) memberRules(o *shape.Object, name string) []check {
	var checks []check
	n := o.Parts[0]
	if len(n.PatternProperties) == 0 {
		if part, keyword := o.Refusing(name, true); part != nil {
			return []check{undeclared(part, keyword)}
		}
		for _, rule := range o.Rules(name) {
			checks = append(checks, c.check(rule))
		}
		return checks
	}
	evaluated := false
	if p := n.Property(name); p != nil {
		evaluated = true
		if demands(p) {
			checks = append(checks, c.check(p))
		}
	}
	for _, p := range n.PatternProperties {
		if c.pattern(n, "patternProperties", p.Pattern).Match([]byte(name)) {
			evaluated = true
			if demands(p.Node) {
				checks = append(checks, c.check(p.Node))
			}
		}
	}
	if !evaluated {
		checks = c.additional(o)
	}
	return checks
}

// additional are the checks of a member that nothing names.
func (c *compiler) additional(o *shape.Object) []check {
	if part, keyword := o.Refusing("", false); part != nil {
		return []check{undeclared(part, keyword)}
	}
	var checks []check
	for _, rule := range o.Others() {
		checks = append(checks, c.check(rule))
	}
	return checks
}

func undeclared(part *schema.Node, keyword string) check {
	at := place(part)
	return func(r *wire.Reader) bool { return r.Refused(at, keyword, "no member beside the declared ones") }
}

// check consumes an object; the caller has seen its kind.
func (o *object) check(r *wire.Reader) bool {
	var few [smallSet]uint64
	seen := few[:]
	if len(o.names) > 64*smallSet {
		seen = make([]uint64, (len(o.names)+63)/64)
	}
	at := r.Pos()
	if !r.Object() {
		return false
	}
	frame, count, next := r.Frame(), 0, 0
	for r.Member() {
		if o.name != nil && !r.CheckName(o.name) {
			return false
		}
		name := r.Name()
		// Members mostly come in the order of the document.
		i, known := next, next < len(o.names) && string(name) == o.names[next]
		if !known && len(o.names) > 0 {
			i, known = o.index[string(name)]
		}
		if !known {
			count++
			if !o.unnamed(r, frame) {
				return false
			}
			continue
		}
		next = i + 1
		if !r.Known(&seen[i/64], 1<<(i%64)) {
			return false
		}
		if check := o.members[i]; check != nil {
			if !check(r) {
				return false
			}
		} else if !r.Skip() {
			return false
		}
	}
	if !r.EndObject(frame) {
		return false
	}
	for _, rule := range o.counts {
		if !r.HoldCount(at, count+wire.Seen(seen...), rule) {
			return false
		}
	}
	for _, rule := range o.demands {
		if !r.Missing(at, rule, seen...) {
			return false
		}
	}
	has := func(bit int) bool { return seen[bit/64]&(1<<(bit%64)) != 0 }
	for i := range o.dependents {
		d := &o.dependents[i]
		if has(d.name) && !has(d.then) && !r.Broken(at, d.at, "dependentRequired", d.want) {
			return false
		}
	}
	return true
}

// unnamed consumes the value of a member that is not known by name.
func (o *object) unnamed(r *wire.Reader, frame int) bool {
	if len(o.patterns) == 0 {
		if o.others == nil {
			return r.Ignore(frame)
		}
		return r.Unique(frame) && o.others(r)
	}
	if !r.Unique(frame) {
		return false
	}
	// The name is gone once a value has been read, so it is matched first.
	var few [16]bool
	matched := few[:0]
	for i := range o.patterns {
		matched = append(matched, o.patterns[i].pattern.Match(r.Name()))
	}
	value, any := r.Mark(), false
	for i, m := range matched {
		if !m {
			continue
		}
		any = true
		r.Reset(value)
		if !o.patterns[i].check(r) {
			return false
		}
	}
	switch {
	case any:
		return true
	case o.others == nil:
		return r.Skip()
	}
	return o.others(r)
}

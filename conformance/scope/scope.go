package scope

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// Reserved are the first words of placeholders that are not names given by the scenario.
var Reserved = []string{"new", "base", "standin", "target", "file", "secret", "canary"}

// Hidden begins names that are no business of a scenario.
const Hidden = "\x00"

// Sources is where values come from that a scenario does not name itself.
type Sources struct {
	Base    *value.Object                                      // base.yaml; nil when the protocol has none
	NewID   func(name string) string                           // a fresh id text
	StandIn func(path []string) (v any, reason string)         // path after "standin."; a reason when there is none
	Target  func(path []string) (v any, reason string)         // path after "target."
	File    func(name string) (v any, reason string)           // absolute path of a file of the scenario
	Canary  func(kind, name string, requirement string) string // kind is "secret" or "canary"
}

// Scope holds names. Names of an enclosing scope can be read but not changed.
type Scope struct {
	sources *Sources
	parent  *Scope
	names   map[string]any

	// Requirement is handed to Sources.Canary: whom a leak of a canary is charged to.
	Requirement string
}

// New returns an empty scope.
func New(sources *Sources) *Scope { return &Scope{sources: sources, names: make(map[string]any)} }

// Child returns an empty scope inside s.
func (s *Scope) Child() *Scope {
	return &Scope{sources: s.sources, parent: s, names: make(map[string]any), Requirement: s.Requirement}
}

// Set names a value.
func (s *Scope) Set(name string, v any) { s.names[name] = v }

// lazy is a named value that is expanded when it is first asked for.
type lazy struct {
	raw  any
	busy bool
}

// SetLazy names a value that is expanded, once, when it is first asked for.
func (s *Scope) SetLazy(name string, raw any) { s.names[name] = &lazy{raw: raw} }

// Get returns what is named, here or in an enclosing scope.
func (s *Scope) Get(name string) (any, bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.names[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// Names lists everything that can be read, in no particular order.
func (s *Scope) Names() []string {
	var names []string
	for ; s != nil; s = s.parent {
		for n := range s.names {
			if !strings.HasPrefix(n, Hidden) {
				names = append(names, n)
			}
		}
	}
	return names
}

// Error says which placeholder has no value.
type Error struct {
	Pointer string // of the string or builder, in the value that was to be expanded
	Reason  string
	Unbound string // the name, when it is one that nothing has named (yet)
}

func (e *Error) Error() string { return value.Shown(e.Pointer) + ": " + e.Reason }

var (
	whole    = regexp.MustCompile(`^\$[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)*$`)
	embedded = regexp.MustCompile(`\$?\$\{[^}]*\}`)
	name     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
)

// ValidName tells whether a scenario may name a value so.
func ValidName(s string) bool {
	if !name.MatchString(s) {
		return false
	}
	for _, r := range Reserved {
		if s == r {
			return false
		}
	}
	return true
}

// maxDepth bounds placeholders whose values contain placeholders.
const maxDepth = 40

// Expand replaces all placeholders in v and builds what builders build. v itself is not changed. The error is an
// *Error.
func (s *Scope) Expand(v any) (any, error) {
	e := &expander{scope: s}
	out, fault := e.expand(v, "", 0)
	if fault != nil {
		return nil, fault
	}
	return out, nil
}

// ExpandText replaces ${…} in text that is never a placeholder as a whole.
func (s *Scope) ExpandText(text string) (any, error) {
	v, f := (&expander{scope: s}).embed(text, "", 0)
	if f != nil {
		return nil, f
	}
	return v, nil
}

type expander struct {
	scope  *Scope
	values int // how many values have been made
}

// maxValues bounds what one expansion makes: placeholders within placeholders grow by powers.
const maxValues = 200_000

func fault(at, format string, args ...any) *Error {
	return &Error{Pointer: at, Reason: fmt.Sprintf(format, args...)}
}

func (e *expander) expand(v any, at string, depth int) (any, *Error) {
	if depth > maxDepth {
		return nil, fault(at, "the values of placeholders refer to each other without end")
	}
	if e.values++; e.values > maxValues {
		return nil, fault(at, "the placeholders here stand for more than %d values", maxValues)
	}
	switch v := v.(type) {
	case string:
		return e.text(v, at, depth)
	case value.List:
		list := make(value.List, len(v))
		for i, item := range v {
			x, f := e.expand(item, value.JoinIndex(at, i), depth)
			if f != nil {
				return nil, f
			}
			list[i] = x
		}
		return list, nil
	case *value.Object:
		if b, ok := builder(v); ok {
			return e.build(b, v, at, depth)
		}
		o := &value.Object{Members: make([]value.Member, 0, len(v.Members))}
		for _, m := range v.Members {
			if m.Name == "$capture" {
				o.Members = append(o.Members, m)
				continue
			}
			x, f := e.expand(m.Value, value.Join(at, m.Name), depth)
			if f != nil {
				return nil, f
			}
			o.Members = append(o.Members, value.Member{Name: m.Name, Value: x})
		}
		return o, nil
	default:
		return v, nil
	}
}

func (e *expander) text(s, at string, depth int) (any, *Error) {
	if strings.HasPrefix(s, "$$") && !strings.HasPrefix(s, "$${") {
		return s[1:], nil
	}
	if strings.HasPrefix(s, "$") && !strings.HasPrefix(s, "${") && !strings.HasPrefix(s, "$${") {
		if !whole.MatchString(s) {
			return nil, fault(at, "%s is no placeholder; write $%s for this very text", s, s)
		}
		return e.lookup(strings.Split(s[1:], "."), at, depth)
	}
	return e.embed(s, at, depth)
}

// embed replaces ${…} inside text.
func (e *expander) embed(s, at string, depth int) (any, *Error) {
	if !strings.Contains(s, "${") {
		return s, nil
	}
	var first *Error
	sample := false
	out := embedded.ReplaceAllStringFunc(s, func(found string) string {
		if strings.HasPrefix(found, "$$") {
			return found[1:]
		}
		path := "$" + found[2:len(found)-1]
		if !whole.MatchString(path) {
			if first == nil {
				first = fault(at, "%s is no placeholder; write $%s for this very text", found, found)
			}
			return found
		}
		v, f := e.lookup(strings.Split(path[1:], "."), at, depth)
		if f != nil {
			if first == nil {
				first = f
			}
			return found
		}
		switch v := v.(type) {
		case string:
			return v
		case value.Number, bool:
			return value.Text(v)
		case Sample:
			sample = true
		default:
			if first == nil {
				first = fault(at, "%s is not text, a number or a truth value and cannot be part of a text", found)
			}
		}
		return found
	})
	if first != nil {
		return nil, first
	}
	if sample {
		return Sample{}, nil
	}
	return out, nil
}

func (e *expander) lookup(path []string, at string, depth int) (any, *Error) {
	shown := "$" + strings.Join(path, ".")
	if _, own := e.scope.Get(path[0]); own || !contains(Reserved, path[0]) {
		return e.named(path, shown, at, depth)
	}
	if len(path) < 2 {
		return nil, fault(at, "%s needs a name after it, as in %s.x", shown, shown)
	}
	src, rest := e.scope.sources, path[1:]
	switch path[0] {
	case "new":
		if len(rest) > 1 || !ValidName(rest[0]) {
			return nil, fault(at, "%s: a name of letters, digits and underscores is expected after $new.", shown)
		}
		id := src.NewID(rest[0])
		e.scope.Set(rest[0], id)
		return id, nil
	case "base":
		if src.Base == nil {
			return nil, fault(at, "%s: there is no base.yaml", shown)
		}
		return e.base(rest, shown, at, depth)
	case "standin", "target":
		from := src.StandIn
		if path[0] == "target" {
			from = src.Target
		}
		v, reason := from(rest)
		if reason != "" {
			return nil, fault(at, "%s: %s", shown, reason)
		}
		return value.Clone(v), nil
	case "file":
		// A dot is part of the name of a file.
		v, reason := src.File(strings.Join(rest, "."))
		if reason != "" {
			return nil, fault(at, "%s: %s", shown, reason)
		}
		return v, nil
	default:
		if len(rest) > 1 {
			return nil, fault(at, "%s: one name is expected after $%s.", shown, path[0])
		}
		return src.Canary(path[0], rest[0], e.scope.Requirement), nil
	}
}

// settle expands a lazy value in the scope that holds it.
func (e *expander) settle(name string, l *lazy, depth int) (any, *Error) {
	if l.busy {
		return nil, fault("", "it refers to itself")
	}
	owner := e.scope
	for owner.names[name] != any(l) {
		owner = owner.parent
	}
	l.busy = true
	defer func() { l.busy = false }()
	v, f := (&expander{scope: owner}).expand(l.raw, "", depth+1)
	if f == nil {
		owner.names[name] = v
	}
	return v, f
}

func (e *expander) named(path []string, shown, at string, depth int) (any, *Error) {
	v, ok := e.scope.Get(path[0])
	if !ok {
		known := append(e.scope.Names(), Reserved...)
		f := fault(at, "nothing is named $%s here%s", path[0], nearest.Suggestion(path[0], known))
		f.Unbound = path[0]
		return nil, f
	}
	if l, ok := v.(*lazy); ok {
		x, f := e.settle(path[0], l, depth)
		if f != nil {
			return nil, &Error{Pointer: at, Reason: shown + " among the values: " + f.Reason, Unbound: f.Unbound}
		}
		v = x
	}
	if _, sample := v.(Sample); sample {
		return v, nil
	}
	part, ok := value.Walk(v, path[1:])
	if !ok {
		return nil, fault(at, "%s: $%s has no such part", shown, path[0])
	}
	return value.Clone(part), nil
}

// base walks into base.yaml, expanding on the way only what must be expanded to go on.
func (e *expander) base(path []string, shown, at string, depth int) (any, *Error) {
	var v any = e.scope.sources.Base
	for i, step := range path {
		if _, isText := v.(string); isText || isBuilder(v) {
			x, f := e.expand(v, "", depth+1)
			if f != nil {
				return nil, inside(f, at, shown)
			}
			part, ok := value.Walk(x, path[i:])
			if !ok {
				return nil, fault(at, "%s: base.yaml has no such value", shown)
			}
			return part, nil
		}
		next, ok := value.Walk(v, []string{step})
		if !ok {
			hint := ""
			if o, isObject := v.(*value.Object); isObject {
				hint = nearest.Suggestion(step, o.Names())
			}
			return nil, fault(at, "%s: base.yaml has no such value%s", shown, hint)
		}
		v = next
	}
	x, f := e.expand(v, "", depth+1)
	if f != nil {
		return nil, inside(f, at, shown)
	}
	return x, nil
}

// inside moves a fault found in base.yaml to the place that used it.
func inside(f *Error, at, shown string) *Error {
	return &Error{Pointer: at, Reason: shown + " in base.yaml: " + f.Reason, Unbound: f.Unbound}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

package shape

import (
	"errors"
	"fmt"
	"sort"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// PinError says what is wrong with a name that the configuration pins to a place.
type PinError struct {
	Pointer string // "FILE#/pointer", as in the configuration
	Name    string
	Reason  string
}

// Error implements error.
func (e *PinError) Error() string {
	return fmt.Sprintf("%s is pinned to %q, but %s", e.Pointer, e.Name, e.Reason)
}

// checkPins refuses names that no type has got.
func checkPins(p *Package, names map[string]string) error {
	have := map[string]bool{}
	for _, t := range p.Types {
		have[t.Name] = true
	}
	pointers := make([]string, 0, len(names))
	for pointer := range names {
		pointers = append(pointers, pointer)
	}
	sort.Strings(pointers)
	for _, pointer := range pointers {
		if !have[names[pointer]] {
			return &PinError{pointer, names[pointer], "no Go type is made of the schema there (text, numbers, lists and maps are held as they are)"}
		}
	}
	return nil
}

// readPins finds the schemas that the configuration names. A pin holds for the schema at its place and, unless that is
// one of several $defs entries that mean the same, for all schemas that mean the same.
func (b *builder) readPins(names map[string]string) error {
	pointers := make([]string, 0, len(names))
	for pointer := range names {
		pointers = append(pointers, pointer)
	}
	sort.Strings(pointers)
	type pinned struct{ key, pointer string }
	byName := map[string]pinned{}
	for _, pointer := range pointers {
		name := names[pointer]
		n, err := b.graph.At(pointer)
		if err != nil {
			reason := err.Error()
			var at *document.Error
			if errors.As(err, &at) && at.Err != nil {
				reason = at.Err.Error()
			}
			return &PinError{pointer, name, "no schema is there: " + reason}
		}
		if inner, ok := withoutNull(n.Target()); ok {
			n = inner
		}
		n = n.Target()
		key := b.key(n)
		if other, ok := byName[name]; ok && other.key != key {
			return &PinError{pointer, name, "so is " + other.pointer + ", but they are different schemas"}
		}
		byName[name] = pinned{key, pointer}
		b.pinAt[n.Location()] = name
		if b.defs[n] != "" && len(b.byKey[key]) > 1 {
			continue // each of them has a name of its own
		}
		if old, ok := b.pins[key]; ok && old != name {
			return &PinError{pointer, name, fmt.Sprintf("an equal schema is pinned to %q already: equal schemas are one type", old)}
		}
		b.pins[key] = name
	}
	return b.mergeDefs()
}

// mergeDefs makes one type of the $defs entries that mean the same and have, or are pinned to, the same name. The
// others keep their own: that two of them mean the same today may be a coincidence.
func (b *builder) mergeDefs() error {
	keys := make([]string, 0, len(b.byKey))
	for key, defs := range b.byKey {
		if len(defs) > 1 {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	for _, key := range keys {
		pinned := map[string]string{} // name of the entries -> name they are pinned to
		for _, def := range b.byKey[key] {
			pin, ok := b.pinAt[def.Location()]
			if !ok {
				continue
			}
			if old, ok := pinned[b.defs[def]]; ok && old != pin {
				return &PinError{def.Location(), pin, fmt.Sprintf("an equal schema of the same name is pinned to %q already: equal schemas are one type", old)}
			}
			pinned[b.defs[def]] = pin
		}
		first := map[string]*schema.Node{}
		for _, def := range b.byKey[key] { // sorted by name, file and pointer
			name := b.defs[def]
			if pin, ok := pinned[name]; ok {
				name = pin
			} else {
				name = GoName(name)
			}
			if b.isUnion(def) {
				name = "union " + name // never one type with a schema that is none
			}
			if first[name] == nil {
				first[name] = def
			}
			b.standard[def] = first[name]
		}
	}
	return nil
}

// identity decides which schemas are one Go type: a $defs entry is itself, save those that are merged; an inline schema
// is the $defs entry that means the same, if there is exactly one, and otherwise one with its equals.
func (b *builder) identity(n *schema.Node) string {
	if def := b.definitionOf(n); def != nil {
		return "def " + def.Location() + def.Scope
	}
	if b.isUnion(n) {
		return "union " + b.key(n) // which may mean the same as the widest of its variants
	}
	return "key " + b.key(n)
}

// definitionOf returns the $defs entry that n is, or is one type with, nil if there is none.
func (b *builder) definitionOf(n *schema.Node) *schema.Node {
	if _, ok := b.defs[n]; ok {
		return b.merged(n)
	}
	var only *schema.Node
	union := b.isUnion(n)
	for _, def := range b.byKey[b.key(n)] {
		switch def = b.merged(def); {
		case b.isUnion(def) != union:
		case only == nil:
			only = def
		case only != def:
			return nil
		}
	}
	if only == nil || len(only.Properties)+len(only.OneOf)+len(only.AnyOf)+len(only.Enum) == 0 {
		return nil
	}
	return only
}

func (b *builder) merged(def *schema.Node) *schema.Node {
	if s := b.standard[def]; s != nil {
		return s
	}
	return def
}

// pinned returns the name that a type is pinned to: at one of its places, or by what it means.
func (b *builder) pinned(t *Type) (string, bool) {
	for _, place := range t.Uses {
		if name, ok := b.pinAt[place]; ok {
			return name, true
		}
	}
	if _, isDef := b.defs[t.Node]; isDef && len(b.byKey[b.key(t.Node)]) > 1 {
		return "", false
	}
	name, ok := b.pins[b.key(t.Node)]
	return name, ok
}

// onlyOnePin refuses two names for one type.
func (b *builder) onlyOnePin(t *Type) error {
	var name, at []string
	for _, place := range t.Uses {
		if pin, ok := b.pinAt[place]; ok && (len(name) == 0 || name[0] != pin) {
			name, at = append(name, pin), append(at, place)
		}
	}
	if len(name) > 1 {
		return &PinError{at[1], name[1], fmt.Sprintf("an equal schema is pinned to %q already, at %s: equal schemas are one type", name[0], at[0])}
	}
	return nil
}

// tagPin returns the name that the values of a tag are pinned to, at any of the constants, "" if at none.
func (b *builder) tagPin(consts []*Const) string {
	for _, c := range consts {
		if name, ok := b.pinAt[c.Node.Target().Location()]; ok {
			return name
		}
	}
	return ""
}

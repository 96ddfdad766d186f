package validation

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/gen/capture"
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/protocol"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Subject is what messages are held against.
type Subject struct {
	protocol string
	messages []wire.Type // one of these each message must be
	events   []wire.Type // what streams carry, where the protocol says so; messages otherwise
	types    []string    // all that could be asked for
}

// Of makes the subject of one schema.
func Of(t wire.Type) *Subject { return &Subject{messages: []wire.Type{t}} }

// ErrUnknown is the cause of errors that name a protocol or type which does not exist; Known lists those that do.
type ErrUnknown struct {
	What  string // "protocol", or "type of PROTOCOL"
	Name  string
	Known []string
}

func (e *ErrUnknown) Error() string { return fmt.Sprintf("there is no %s %q", e.What, e.Name) }

// ForProtocol makes the subject of a generated package: one type by name, or, where typeName is "", what the
// protocol.yaml in files says is sent. A protocol that names no messages has to be asked for a type.
func ForProtocol(files fs.FS, name, typeName string) (*Subject, error) {
	types, ok := protocol.Types(name)
	if !ok {
		return nil, &ErrUnknown{What: "protocol", Name: name, Known: protocol.Names()}
	}
	s := &Subject{protocol: name}
	for known := range types {
		s.types = append(s.types, known)
	}
	slices.Sort(s.types)
	if typeName != "" {
		t, ok := types[typeName]
		if !ok {
			return nil, &ErrUnknown{What: "type of " + name, Name: typeName, Known: s.types}
		}
		s.messages = []wire.Type{t}
		return s, nil
	}
	p, err := gen.ReadProtocol(files, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if p == nil {
		return s, nil
	}
	for _, m := range p.Messages {
		if t, ok := types[m.Type]; ok && !has(s.messages, t) {
			s.messages = append(s.messages, t)
		}
	}
	for _, operation := range p.Operations {
		for _, t := range types {
			if t.Branch == "" && t.Document+"#"+t.Pointer == operation.Events && !has(s.events, t) {
				s.events = append(s.events, t)
			}
		}
	}
	if len(s.messages) == 0 {
		s.messages = onlyRoot(types)
	}
	slices.SortFunc(s.events, func(a, b wire.Type) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
}

// onlyRoot gives the type of the one document that is a schema as a whole, where there is one: a protocol that lists no
// messages has but this one. (The type of a union's tag stands at the same place as the union.)
func onlyRoot(types map[string]wire.Type) []wire.Type {
	var roots []wire.Type
	for _, t := range types {
		if t.Branch == "" && (t.Pointer == "" || t.Pointer == document.PayloadPointer) {
			roots = append(roots, t)
		}
	}
	if len(roots) != 1 {
		return nil
	}
	return roots
}

func has(types []wire.Type, t wire.Type) bool {
	return slices.ContainsFunc(types, func(have wire.Type) bool { return have.Name == t.Name })
}

// AmbiguousError tells that a protocol does not say which messages a recording can hold.
type AmbiguousError struct {
	Protocol string
	Types    []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s does not say which of its types such a message is: choose one with --as %s:TYPE, of\n%s",
		e.Protocol, e.Protocol, wrapped(e.Types))
}

// wrapped lists names in lines of a width that a screen has.
func wrapped(names []string) string {
	const width = 98
	var out strings.Builder
	line := " "
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if len(line)+1+len(name) > width {
			out.WriteString(line + "\n")
			line = " "
		}
		line += " " + name
	}
	return out.String() + line
}

// candidates are the types that a message of a recording of the form can have.
func (s *Subject) candidates(input capture.Input) ([]wire.Type, error) {
	if input == capture.SSE && len(s.events) > 0 {
		return s.events, nil
	}
	if len(s.messages) == 0 {
		return nil, &AmbiguousError{s.protocol, s.types}
	}
	return s.messages, nil
}

// judge holds one message against the types it can have. It returns the type it belongs to ("" for none) and the
// violations of that type's rules. A message that one of the types accepts is valid; otherwise it belongs to the type
// that recognises it, that is, whose complaint is not about the choice of the message as a whole.
func judge(candidates []wire.Type, data []byte, opts []wire.Option) (typeName string, violations []wire.Violation) {
	if len(candidates) == 1 {
		return candidates[0].Name, violationsOf(candidates[0].Validate(data, opts...))
	}
	all := make([][]wire.Violation, len(candidates))
	for i, t := range candidates {
		all[i] = violationsOf(t.Validate(data, opts...))
		if len(all[i]) == 0 {
			return t.Name, nil
		}
	}
	for i, found := range all {
		if recognised(found) && (violations == nil || len(found) < len(violations)) {
			typeName, violations = candidates[i].Name, found
		}
	}
	if violations == nil {
		return "", []wire.Violation{stranger(candidates, all)}
	}
	return typeName, violations
}

func violationsOf(err error) []wire.Violation {
	var broken *wire.Error
	if errors.As(err, &broken) {
		return broken.Violations
	}
	return nil
}

// recognised reports whether violations are of a message that belongs to the type: none says that the whole is of
// another kind, of no branch, or no JSON text.
func recognised(violations []wire.Violation) bool {
	for _, v := range violations {
		if v.Instance == "" && slices.Contains([]string{"oneOf", "anyOf", "type", "const", "enum", wire.KeywordJSON}, v.Keyword) {
			return false
		}
	}
	return true
}

// KeywordMessages is the keyword of the violation that a message is none of those of its protocol.
const KeywordMessages = "messages"

// stranger is that violation; where the text is no JSON, that comes first. What each type wants of the whole helps to see
// why it is not recognised.
func stranger(candidates []wire.Type, all [][]wire.Violation) wire.Violation {
	out := wire.Violation{Line: 1, Column: 1, Document: gen.ProtocolFile, Schema: "/messages", Keyword: KeywordMessages}
	var wants []string
	for i, t := range candidates {
		want := t.Name
		for _, v := range all[i] {
			if v.Keyword == wire.KeywordJSON {
				return v
			}
			if v.Instance == "" {
				want += " (" + v.Want + ")"
				out.Line, out.Column, out.Value = v.Line, v.Column, v.Value
			}
		}
		wants = append(wants, want)
	}
	out.Want = "a message of the protocol: " + strings.Join(wants, " or ")
	return out
}

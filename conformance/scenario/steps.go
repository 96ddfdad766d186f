package scenario

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// qualifiers says which further members go with a word; for, within and note go with every word.
var qualifiers = map[Word][]string{
	Send:         {"invalid", "line end", "split every", "split at"},
	SendTogether: {"line end", "split every", "split at"},
	RawBytes:     {"line end", "split every", "split at", "as"},
	Call:         {"as", "token", "accept", "headers", "body", "bytes", "chunked", "until answer", "invalid", "split every", "split at"},
	Answer:       {"of", "valid as"},
	EndOfStream:  {"of"},
	Comment:      {"of"},
	NearMisses:   {"token", "headers", "body", "refused", "accepted", "unlike"},
	Expect:       {"valid as", "of"},
	Maybe:        {"valid as", "of"},
	Some:         {"valid as", "count", "joined", "of"},
	Until:        {"valid as", "of"},
	Observe:      {"sees", "count"},
	Check:        {"is"},
	Silence:      nil, Never: nil, InAnyOrder: nil, InOrder: nil, Parallel: nil, Repeat: nil,
	Close: {"of"}, Release: nil, Signal: nil, Exit: nil, Stderr: nil, Let: nil,
}

var always = []string{"for", "within", "note"}

// Words lists all words in alphabetical order.
func Words() []string {
	var words []string
	for w := range qualifiers {
		words = append(words, string(w))
	}
	slices.Sort(words)
	return words
}

func (l *loader) steps(steps []hallmark.Step, at string, s *Scenario, charged string) []*Step {
	out := make([]*Step, 0, len(steps))
	for i := range steps {
		if step := l.step(&steps[i], value.JoinIndex(at, i), s, charged); step != nil {
			out = append(out, step)
		}
	}
	return out
}

// word finds the one word of a step and refuses members that do not go with it.
func (l *loader) word(at string) Word {
	written, _ := l.at(at)
	names := written.(*value.Object).Names()
	var word Word
	for _, n := range names {
		if _, ok := qualifiers[Word(n)]; !ok {
			continue
		}
		if word != "" {
			l.errs = append(l.errs, l.doc.KeyErrorf(value.Join(at, n), "this step already says %s; one step has one word", word))
			return ""
		}
		word = Word(n)
	}
	if word == "" {
		l.wrong(at, "this step does not say what to do; one of these words is expected: %s", strings.Join(l.words(), ", "))
		return ""
	}
	for _, n := range names {
		if n != string(word) && !slices.Contains(always, n) && !slices.Contains(qualifiers[word], n) {
			l.errs = append(l.errs, l.doc.KeyErrorf(value.Join(at, n), "%s does not go with %s", n, word))
		}
	}
	return word
}

func (l *loader) step(f *hallmark.Step, at string, s *Scenario, charged string) *Step {
	word := l.word(at)
	if word == "" {
		return nil
	}
	l.channel(word, at)
	written, _ := l.at(at)
	if id, ok := f.For.Get(); ok {
		if !slices.Contains(s.Decides, id) {
			l.wrong(at+"/for", "%s is not among the requirements that this scenario decides%s", id, nearest.Suggestion(id, s.Decides))
		}
		charged = id
	}
	step := &Step{
		Word: word, Pointer: at, Place: l.doc.Position(at), Text: value.Text(written), Note: f.Note.Value, For: charged,
		Within: l.duration(at+"/within", f.Within),
	}
	here := value.Join(at, string(word))
	body, _ := l.at(here)
	switch word {
	case Send, SendTogether, RawBytes:
		l.sending(step, f, at, body)
	case Call, NearMisses:
		l.request(step, f, at)
	case Answer, Expect, Maybe, Some, Until, Stderr:
		step.Matcher = body
		l.qualify(step, f, at)
	case Observe:
		step.Of = f.Observe.Value
		sees, ok := l.at(at + "/sees")
		if !ok {
			l.wrong(at, "observe says with sees what the recording looks like; it is missing")
		}
		step.Matcher = sees
		l.qualify(step, f, at)
	case Silence:
		step.Lasting, step.Of = l.duration(here+"/for", wire.Some(f.Silence.For)), f.Silence.Of.Value
		about, ok := l.at(here + "/about")
		step.Matcher, step.Anything = about, !ok
		if !ok && step.Of != "" {
			step.Matcher, step.Anything = &value.Object{}, false // any recording
		}
	case Never:
		step.Of = f.Never.Of.Value
		step.Matcher, _ = l.at(here + "/about")
	case InAnyOrder:
		step.Steps = l.steps(f.InAnyOrder, here, s, charged)
	case InOrder:
		step.Steps = l.steps(f.InOrder, here, s, charged)
	case Parallel:
		step.Steps = l.steps(f.Parallel, here, s, charged)
	case Repeat:
		step.AsMany = f.Repeat.AsManyAs.Value
		if f.Repeat.Times.Set == f.Repeat.AsManyAs.Set {
			l.wrong(here, "either times or as many as is expected")
		}
		step.Times, step.As, step.AtOnce = int(f.Repeat.Times.Value), f.Repeat.As.Value, f.Repeat.AtOnce.Value
		step.Steps = l.steps(f.Repeat.Steps, here+"/steps", s, charged)
	case Release:
		step.Of, step.Gate = f.Release.Of, f.Release.Gate
	case Signal:
		step.Signal = string(f.Signal.Value)
	case Exit:
		step.Signal = f.Exit.Signal.Value
		if status, ok := f.Exit.Status.Get(); ok {
			n := int(status)
			step.Status = &n
		}
	case Let:
		step.Values = body.(*value.Object)
	case Check:
		step.Value = body
		is, ok := l.at(at + "/is")
		if !ok {
			l.wrong(at, "check says with is what the value looks like; it is missing")
		}
		step.Matcher = is
	}
	l.exchangeOf(step, f, at)
	if step.Of != "" {
		l.standInOf(step, here, s)
	}
	return step
}

func (l *loader) standInOf(step *Step, here string, s *Scenario) {
	refs := make([]string, len(s.StandIns))
	for i, in := range s.StandIns {
		refs[i] = in.Ref
	}
	if step.Word != Observe {
		here += "/of"
	}
	if l.http && step.Word != Observe && step.Word != Release && slices.Contains(l.requests, step.Of) {
		step.Exchange, step.Of = step.Of, ""
		return
	}
	l.known(here, "stand-in", step.Of, append(refs, l.requests...))
}

func (l *loader) qualify(step *Step, f *hallmark.Step, at string) {
	step.Count, step.Counts = l.at(at + "/count")
	step.Joined = l.object(at + "/joined")
	if valid := l.object(at + "/valid as"); valid != nil {
		for _, m := range valid.Members {
			here := value.Join(at+"/valid as", m.Name)
			l.pointer(here, m.Name)
			var types []string
			for t := range l.lib.Protocol.Types {
				types = append(types, t)
			}
			name, _ := f.ValidAs.Get(m.Name)
			l.known(here, "type", name, types)
			step.ValidAs = append(step.ValidAs, Part{m.Name, name})
		}
	}
	if step.Joined != nil {
		for _, m := range step.Joined.Members {
			l.pointer(value.Join(at+"/joined", m.Name), m.Name)
		}
	}
}

func (l *loader) pointer(at, text string) {
	if _, ok := value.Tokens(text); !ok {
		l.errs = append(l.errs, l.doc.KeyErrorf(at, "a JSON pointer is expected, such as /result"))
	}
}

func (l *loader) sending(step *Step, f *hallmark.Step, at string, body any) {
	step.Writing = Writing{End: ends[f.LineEnd.Or(hallmark.LineEndLf)], Every: int(f.SplitEvery.Value)}
	for _, offset := range f.SplitAt {
		step.Writing.At = append(step.Writing.At, int(offset))
	}
	if f.SplitEvery.Set && len(f.SplitAt) > 0 {
		l.wrong(at+"/split at", "split at does not go with split every")
	}
	if !slices.IsSorted(f.SplitAt) {
		l.wrong(at+"/split at", "the offsets are expected in ascending order")
	}
	switch step.Word {
	case Send:
		step.Messages = []any{body}
		if rule, ok := f.Invalid.Get(); ok {
			step.Invalid = l.rule(at+"/invalid", rule)
		}
	case SendTogether:
		step.Messages = body.(value.List)
	case RawBytes:
		step.Raw = l.bytes(f.Raw, at+"/raw")
		if l.http {
			step.Request = &Request{Name: f.As.Value}
			l.requests = append(l.requests, f.As.Value)
			step.Writing.End = ends[f.LineEnd.Or(hallmark.LineEndNone)]
		}
	}
}

// bytes reads bytes that are written as text or in base64.
func (l *loader) bytes(f *hallmark.Raw, at string) *Raw {
	raw := &Raw{Text: f.Text.Value, Times: int(f.Times.Or(1))}
	if f.Text.Set == f.Base64.Set {
		l.wrong(at, "either text or base64 is expected")
	}
	b, err := base64.StdEncoding.DecodeString(f.Base64.Value)
	if err != nil {
		l.wrong(at+"/base64", "base64 with padding is expected: %v", err)
	}
	raw.Bytes = b
	return raw
}

var ends = map[hallmark.LineEnd]string{hallmark.LineEndLf: "\n", hallmark.LineEndCrlf: "\r\n", hallmark.LineEndNone: ""}

// rule reads "KEYWORD at POINTER".
func (l *loader) rule(at, text string) *Rule {
	rule := ReadRule(text)
	if rule == nil {
		l.wrong(at, "KEYWORD at POINTER is expected, such as minLength at /runId or required at (root)")
	}
	return rule
}

// ReadRule reads "KEYWORD at POINTER"; nil when it is not that.
func ReadRule(text string) *Rule {
	keyword, pointer, ok := strings.Cut(text, " at ")
	if pointer == "(root)" {
		pointer = ""
	} else if pointer == "" {
		ok = false
	}
	if _, isPointer := value.Tokens(pointer); !ok || !isPointer || keyword == "" || strings.Contains(keyword, " ") {
		return nil
	}
	return &Rule{keyword, pointer}
}

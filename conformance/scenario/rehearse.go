package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/scope"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// rehearse walks through the scenario without a target. What a target or a stand-in would supply is a sample.
func (l *loader) rehearse(s *Scenario) {
	r := &rehearsal{loader: l, scenario: s, role: l.lib.Protocol.Roles[s.Role], asks: make(map[string]bool)}
	offers := make(Offers)
	ids := 0
	root := scope.New(&scope.Sources{
		Base:    l.lib.Base,
		NewID:   func(name string) string { ids++; return fmt.Sprintf("%s-%d", name, ids) },
		StandIn: offers.Lookup,
		Target:  r.target,
		File:    func(name string) (any, string) { return s.FilePath(name, "/hallmark") },
		Canary:  func(kind, name, _ string) string { return "hallmark-" + kind + "-" + name },
	})
	root.Requirement = s.Decides[0]
	if s.Values != nil {
		for _, m := range s.Values.Members {
			r.name("/values", m.Name)
			root.SetLazy(m.Name, m.Value)
		}
	}
	for _, in := range s.StandIns {
		r.script(root, in)
		offers.Add(l.lib.Protocol, in, sampleFacts(in))
	}
	if s.Env != nil {
		r.expand(root, s.Env, "/env")
	}
	r.steps(root, s.Steps)
	if s.Values != nil {
		for _, m := range s.Values.Members {
			r.expand(root, m.Value, value.Join("/values", m.Name)) // those that no step used
		}
	}
	for name := range r.asks {
		s.Asks = append(s.Asks, name)
	}
	slices.Sort(s.Asks)
}

type rehearsal struct {
	*loader
	scenario *Scenario
	role     protocol.Role
	asks     map[string]bool // values of the target file
}

func (r *rehearsal) target(path []string) (any, string) {
	known := r.lib.Catalogue.ValueNames()
	if !slices.Contains(known, path[0]) {
		return nil, "requirements.yaml declares no such value" + nearest.Suggestion(path[0], known)
	}
	r.asks[path[0]] = true
	return scope.Sample{}, ""
}

func (r *rehearsal) name(at, name string) {
	if !scope.ValidName(name) {
		r.errs = append(r.errs, r.doc.KeyErrorf(value.Join(at, name),
			"a name of letters, digits and underscores is expected, none of %s", strings.Join(scope.Reserved, ", ")))
	}
}

// FilePath gives the path of a file of the scenario in the folder that holds them all, or a reason why there is none.
func (s *Scenario) FilePath(name, folder string) (path any, reason string) {
	var known []string
	for _, f := range s.Files {
		if f.Name == name {
			return folder + "/" + name, ""
		}
		known = append(known, f.Name)
	}
	return nil, "this scenario has no such file" + nearest.Suggestion(name, known)
}

// expand reports what has no value. ok tells whether v could be expanded.
func (r *rehearsal) expand(s *scope.Scope, v any, at string) (out any, ok bool) {
	out, err := s.Expand(v)
	return out, r.expanded(err, at)
}

func (r *rehearsal) expanded(err error, at string) bool {
	var missing *scope.Error
	if errors.As(err, &missing) {
		r.wrong(at+missing.Pointer, "%s", missing.Reason)
	}
	return err == nil
}

// script checks the script of a stand-in with the stand-in's own reader.
func (r *rehearsal) script(s *scope.Scope, in StandIn) {
	v, ok := r.expand(s, in.Script, in.Pointer)
	check := r.lib.Scripts[in.Kind]
	if !ok || check == nil {
		return
	}
	plain, samples := scope.Strip(v)
	for _, p := range check(value.Append(nil, plain)) {
		if !within(p.Pointer, samples) {
			r.wrong(in.Pointer+p.Pointer, "%s", p.Reason)
		}
	}
}

// within tells whether the pointer is at or inside one of the places.
func within(pointer string, places []string) bool {
	return slices.ContainsFunc(places, func(p string) bool {
		return pointer == p || strings.HasPrefix(pointer, p+"/")
	})
}

func (r *rehearsal) steps(s *scope.Scope, steps []*Step) {
	for _, step := range steps {
		s.Requirement = step.For
		r.step(s, step)
	}
}

func (r *rehearsal) step(s *scope.Scope, step *Step) {
	here := value.Join(step.Pointer, string(step.Word))
	switch step.Word {
	case Send:
		r.message(s, step, step.Messages[0], here)
	case SendTogether:
		for i, m := range step.Messages {
			r.message(s, step, m, value.JoinIndex(here, i))
		}
	case RawBytes:
		_, err := s.ExpandText(step.Raw.Text)
		r.expanded(err, here+"/text")
	case Call, NearMisses:
		r.request(s, step, here)
	case Answer:
		r.matcher(s, step.Matcher, here)
	case Expect, Maybe, Some, Until, Stderr:
		r.matcher(s, step.Matcher, here)
		r.qualified(s, step)
	case Observe:
		r.matcher(s, step.Matcher, step.Pointer+"/sees")
		r.qualified(s, step)
	case Silence, Never:
		if !step.Anything {
			r.matcher(s, step.Matcher, here+"/about")
		}
	case Check:
		r.expand(s, step.Value, here)
		r.matcher(s, step.Matcher, step.Pointer+"/is")
	case Let:
		for _, m := range step.Values.Members {
			r.name(here, m.Name)
			if v, ok := r.expand(s, m.Value, value.Join(here, m.Name)); ok {
				s.Set(m.Name, v)
			}
		}
	case Repeat:
		if step.AsMany != "" {
			r.expand(s, step.AsMany, here+"/as many as")
		}
		round := s.Child()
		if step.As != "" {
			if !scope.ValidName(step.As) {
				r.wrong(here+"/as", "%s is not a name a scenario may give", step.As)
			}
			round.Set(step.As, value.Int(1))
		}
		r.steps(round, step.Steps)
	case InAnyOrder, InOrder, Parallel:
		r.steps(s, step.Steps)
	}
}

func (r *rehearsal) qualified(s *scope.Scope, step *Step) {
	if step.Counts {
		r.matcher(s, step.Count, step.Pointer+"/count")
	}
	if step.Joined != nil {
		for _, m := range step.Joined.Members {
			r.matcher(s, m.Value, value.Join(step.Pointer+"/joined", m.Name))
		}
	}
}

func (r *rehearsal) matcher(s *scope.Scope, m any, at string) {
	captures, problems := match.Check(m)
	for _, p := range problems {
		if p.Key {
			r.errs = append(r.errs, r.doc.KeyErrorf(at+p.Pointer, "%s", p.Reason))
		} else {
			r.wrong(at+p.Pointer, "%s", p.Reason)
		}
	}
	r.expand(s, m, at)
	for _, name := range captures {
		if !scope.ValidName(name) {
			r.wrong(at, "%s is not a name a scenario may give to what it captures", name)
		}
		s.Set(name, scope.Sample{})
	}
}

// message proves that a message is valid, or breaks the rule it is declared to break. Where that depends on a value
// that is not there yet, it is decided when the message is sent.
func (r *rehearsal) message(s *scope.Scope, step *Step, m any, at string) {
	v, ok := r.expand(s, m, at)
	if !ok {
		return
	}
	plain, samples := scope.Strip(v)
	r.judge(step, r.role.Accepts(value.Append(nil, plain)), samples, at)
}

// judge compares what a message is declared to be with what it is, unless that depends on a sample.
func (r *rehearsal) judge(step *Step, violations []protocol.Violation, samples []string, at string) {
	if slices.ContainsFunc(violations, func(v protocol.Violation) bool { return within(v.Pointer, samples) }) {
		return
	}
	if reason := Judge(step.Invalid, violations); reason != "" {
		if step.Invalid != nil {
			at = step.Pointer + "/invalid" // where the declaration stands
		}
		r.wrong(at, "%s", reason)
	}
}

// Judge compares what a message is declared to be with what it is; declared is nil for a valid message. It returns
// what is wrong, or "".
func Judge(declared *Rule, violations []protocol.Violation) string {
	switch {
	case declared == nil && len(violations) == 0:
		return ""
	case declared == nil:
		return "this message is not valid: " + list(violations) + "; say so with invalid, or mend it"
	case len(violations) == 0:
		return "this message is valid, it does not break " + declared.String()
	}
	for _, v := range violations {
		if v.Keyword == declared.Keyword && v.Pointer == declared.Pointer {
			return ""
		}
	}
	return "this message does not break " + declared.String() + "; it breaks " + list(violations)
}

func list(violations []protocol.Violation) string {
	const most = 4
	var parts []string
	for _, v := range violations {
		if len(parts) == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(violations)-most))
			break
		}
		parts = append(parts, v.String())
	}
	return strings.Join(parts, ", ")
}

// request looks at everything a request is made of, and proves what its body is declared to be.
func (r *rehearsal) request(s *scope.Scope, step *Step, here string) {
	q := step.Request
	at := step.Pointer
	if !q.TokenGiven {
		q.Token = "$target." + r.role.HTTP.Token
		at = here
	} else {
		at += "/token"
	}
	r.expand(s, q.Token, at)
	target, err := s.ExpandText(q.Target)
	r.expanded(err, here)
	if q.Headers != nil {
		r.expand(s, q.Headers, step.Pointer+"/headers")
	}
	if q.Bytes != nil {
		_, err := s.ExpandText(q.Bytes.Text)
		r.expanded(err, step.Pointer+"/bytes/text")
	}
	for name, m := range map[string]any{"refused": step.Refused, "accepted": step.Accepted, "until answer": step.Again} {
		if m != nil {
			r.matcher(s, m, step.Pointer+"/"+name)
		}
	}
	if !q.HasBody {
		return
	}
	v, ok := r.expand(s, q.Body, step.Pointer+"/body")
	text, known := target.(string)
	if !ok || !known {
		return
	}
	check := r.role.HTTP.Body(q.Method, text)
	switch {
	case check != nil:
		plain, samples := scope.Strip(v)
		r.judge(step, check(value.Append(nil, plain)), samples, step.Pointer+"/body")
	case step.Invalid != nil:
		r.wrong(step.Pointer+"/invalid", "nothing describes the body of %s %s", q.Method, text)
	case step.Word == NearMisses:
		r.wrong(here, "nothing describes the body of %s %s", q.Method, text)
	}
}

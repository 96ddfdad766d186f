package engine

import (
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/standin/gate"
	"github.com/hallmark-kit/hallmark/conformance/standin/host"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
	"github.com/hallmark-kit/hallmark/conformance/standin/script"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// startHost starts the host that a client under test speaks to.
func startHost(in scenario.StandIn, text []byte, gates *gate.Set, recorder *record.Recorder) (*standIn, *value.Object, error) {
	s, err := host.Decode(text)
	if err != nil {
		return nil, nil, err
	}
	server, err := host.Start(s, host.Options{Name: in.Ref, Recorder: recorder, Gates: gates})
	if err != nil {
		return nil, nil, err
	}
	return &standIn{gates, server.Close}, value.Of("url", server.URL(), "ca", server.CA()), nil
}

// hostProblems holds everything that a script has a host send to the documents: it is valid, or breaks the rule that it
// is said to break.
func hostProblems(p *protocol.Protocol, s *host.Script) []scenario.Problem {
	if p.Answers == nil {
		return []scenario.Problem{{Reason: "clients of " + p.Name + " cannot be tested: no host is known that they speak to"}}
	}
	var found []scenario.Problem
	for i := range s.Answers {
		found = append(found, answerProblems(p, s, &s.Answers[i], script.Pointer("answers", i))...)
	}
	for i := range s.Always {
		found = append(found, answerProblems(p, s, &s.Always[i], script.Pointer("always", i))...)
	}
	return found
}

func answerProblems(p *protocol.Protocol, s *host.Script, a *host.Answer, at string) (found []scenario.Problem) {
	method, target, _ := strings.Cut(a.To, " ")
	body, event, ok := p.Answers(method, target, a.Status)
	if !ok {
		return []scenario.Problem{{Pointer: at + "/to", Reason: "no operation is described for this request"}}
	}
	if a.Body != nil && body != nil {
		found = append(found, declared(a.Invalid, body(a.Body), at, "/body")...)
	}
	events, err := s.Events(a)
	if err != nil {
		return append(found, scenario.Problem{Pointer: at, Reason: err.Error()})
	}
	for n, data := range events {
		if data != nil && event != nil {
			found = append(found, declared(a.Items[n].Invalid, event(data), at+script.Pointer("events", n), "/event")...)
		}
	}
	return found
}

// declared compares what a message is said to be with what it is. at is what holds the message, in its member.
func declared(text string, violations []protocol.Violation, at, member string) []scenario.Problem {
	var rule *scenario.Rule
	if text != "" {
		if rule = scenario.ReadRule(text); rule == nil {
			return []scenario.Problem{{Pointer: at + "/invalid", Reason: "KEYWORD at POINTER is expected, such as required at (root)"}}
		}
	}
	reason := scenario.Judge(rule, violations)
	switch {
	case reason == "":
		return nil
	case rule != nil:
		return []scenario.Problem{{Pointer: at + "/invalid", Reason: reason}}
	}
	return []scenario.Problem{{Pointer: at + member + violations[0].Pointer, Reason: reason}}
}

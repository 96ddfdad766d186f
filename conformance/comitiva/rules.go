package comitiva

import (
	"time"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// rules are all standing rules of one conversation with a runner.
type rules struct {
	answers *answers
	each    []rule
}

// rule is one of them.
type rule interface {
	Sent(v any, isJSON bool)
	Received(message *value.Object) []protocol.Breach
}

func newRules() protocol.Rules { return rulesAt(time.Now) }

// rulesAt are the rules with a clock.
func rulesAt(now func() time.Time) protocol.Rules {
	a := newAnswers(now)
	return &rules{a, []rule{a, newTerminals(), newOwners(), newStamps(now), newDurations(now), shellCodes{}}}
}

func (r *rules) Sent(v any, isJSON bool) {
	for _, one := range r.each {
		one.Sent(v, isJSON)
	}
}

func (r *rules) Received(m *value.Object) []protocol.Breach {
	var all []protocol.Breach
	for _, one := range r.each {
		all = append(all, one.Received(m)...)
	}
	return all
}

func (r *rules) Stopping() { r.answers.stopping() }

func (r *rules) Unanswered() []protocol.Unanswered { return r.answers.unanswered() }

package comitiva

import (
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// rules are all standing rules of one conversation with a runner.
type rules struct{ each []protocol.Rules }

func newRules() protocol.Rules {
	return &rules{[]protocol.Rules{newAnswers(), newTerminals(), newStamps(), shellCodes{}}}
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

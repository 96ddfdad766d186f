package agenticdriver

import (
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// rules are all standing rules of one conversation with a host.
type rules struct {
	streams map[int]*stream // by the number of the exchange
}

func newRules() protocol.HTTPRules { return &rules{make(map[int]*stream)} }

// Answered implements protocol.HTTPRules.
func (r *rules) Answered(x *protocol.Exchange) []protocol.Breach {
	if x.Raw {
		return nil // what is no request may be answered by what is no host
	}
	found := answer(x)
	if x.HasJSON && x.Answer.Status < 300 {
		found = append(found, relations(x)...)
	}
	return found
}

// Framed implements protocol.HTTPRules.
func (r *rules) Framed(x *protocol.Exchange, f *transport.Frame, event *value.Object) ([]protocol.Breach, bool) {
	s := r.streams[x.Number]
	if s == nil {
		s = newStream(x)
		r.streams[x.Number] = s
	}
	return s.frame(f, event)
}

// Over implements protocol.HTTPRules.
func (r *rules) Over(x *protocol.Exchange, reason string) []protocol.Breach {
	s := r.streams[x.Number]
	switch {
	case s == nil:
		return breach("AD-S04", "the stream has ended without an event")
	case s.terminal == "":
		if reason == "" {
			reason = "it has ended"
		}
		return breach("AD-S04", "no terminal event came before the end of the stream: %s", reason)
	case reason != "":
		return breach("AD-S04", "after the terminal event the stream has not ended in order: %s", reason)
	}
	return nil
}

package comitiva

import (
	"fmt"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// stamps holds a runner to CO-36: every run event has a time stamp, and it never goes back within a run.
type stamps struct{ last map[string]value.Number }

func newStamps() *stamps { return &stamps{make(map[string]value.Number)} }

func (s *stamps) Sent(any, bool) {}

func (s *stamps) Received(m *value.Object) []protocol.Breach {
	kind := text(m, "type")
	if !strings.HasPrefix(kind, "run.") {
		return nil
	}
	run := text(m, "runId")
	v, _ := m.Get("ts")
	ts, ok := v.(value.Number)
	if !ok {
		return []protocol.Breach{{Requirement: "CO-36", Reason: kind + " has no ts"}}
	}
	before, seen := s.last[run]
	s.last[run] = ts
	if order, comparable := value.Compare(ts, before); seen && comparable && order < 0 {
		return []protocol.Breach{{Requirement: "CO-36", Reason: fmt.Sprintf("the ts of %s is %s, after %s in the same run", kind, ts, before)}}
	}
	return nil
}

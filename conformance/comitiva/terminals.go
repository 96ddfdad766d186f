package comitiva

import (
	"fmt"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// terminals holds a runner to CO-31: one terminal event a run, and nothing after it until the run id is used again.
type terminals struct{ ended map[string]string }

func newTerminals() *terminals { return &terminals{make(map[string]string)} }

func (t *terminals) Sent(v any, _ bool) {
	request, ok := v.(*value.Object)
	if ok && text(request, "type") == "run.start" {
		delete(t.ended, text(request, "runId"))
	}
}

func (t *terminals) Received(m *value.Object) []protocol.Breach {
	kind := text(m, "type")
	if !strings.HasPrefix(kind, "run.") {
		return nil
	}
	run := text(m, "runId")
	if by, over := t.ended[run]; over {
		return []protocol.Breach{{Requirement: "CO-31", Reason: fmt.Sprintf("%s came after the run %s had ended with %s", kind, run, by)}}
	}
	if isTerminal(m) {
		t.ended[run] = kind
	}
	return nil
}

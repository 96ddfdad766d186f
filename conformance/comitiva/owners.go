package comitiva

import (
	"fmt"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// owners holds a runner to CO-36: the events of a run carry the id under which the run was started.
type owners struct{ started map[string]bool }

func newOwners() *owners { return &owners{make(map[string]bool)} }

func (o *owners) Sent(v any, _ bool) {
	if request, ok := v.(*value.Object); ok && text(request, "type") == "run.start" {
		o.started[text(request, "runId")] = true
	}
}

func (o *owners) Received(m *value.Object) []protocol.Breach {
	kind, run := text(m, "type"), text(m, "runId")
	if !strings.HasPrefix(kind, "run.") || o.started[run] {
		return nil
	}
	return []protocol.Breach{{Requirement: "CO-36", Reason: fmt.Sprintf("%s is about the run %q, which nobody started", kind, run)}}
}

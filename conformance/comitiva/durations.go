package comitiva

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// durations holds a runner to CO-112: how long a call took is told in whole milliseconds, and no call took longer than
// its run has been going on.
type durations struct {
	now     func() time.Time
	started map[string]time.Time // by run id; the first start, when an id is used again
}

func newDurations(now func() time.Time) *durations {
	return &durations{now, make(map[string]time.Time)}
}

// slack is for clocks that do not run alike.
const slack = time.Second

func (d *durations) Sent(v any, _ bool) {
	request, ok := v.(*value.Object)
	if !ok || text(request, "type") != "run.start" {
		return
	}
	if run := text(request, "runId"); d.started[run].IsZero() {
		d.started[run] = d.now()
	}
}

func (d *durations) Received(m *value.Object) []protocol.Breach {
	since, ok := d.started[text(m, "runId")]
	if !ok || text(m, "type") != "run.tool_result" {
		return nil
	}
	v, _ := m.Get("durationMs")
	n, ok := v.(value.Number)
	if !ok {
		return nil // the document demands it
	}
	took, err := strconv.ParseFloat(string(n), 64)
	breach := func(format string, args ...any) []protocol.Breach {
		return []protocol.Breach{{Requirement: "CO-112", Reason: fmt.Sprintf(format, args...)}}
	}
	most := d.now().Sub(since)
	switch {
	case err != nil || took != math.Trunc(took):
		return breach("durationMs is %s, not whole milliseconds", n)
	case took > float64((most + slack).Milliseconds()):
		return breach("durationMs is %s, but the run has been going on for %d ms", n, most.Milliseconds())
	}
	return nil
}

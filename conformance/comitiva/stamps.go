package comitiva

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// stamps holds a runner to CO-36: every run event has a time stamp in milliseconds since 1970, and it never goes back
// within a run.
type stamps struct {
	now  func() time.Time
	last map[string]value.Number
}

func newStamps(now func() time.Time) *stamps { return &stamps{now, make(map[string]value.Number)} }

// apart is how far the clocks of the kit and of a runner may differ. It only has to tell units apart.
const apart = 24 * time.Hour

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
	here := s.now().UnixMilli()
	if there, err := strconv.ParseFloat(string(ts), 64); err != nil || math.Abs(there-float64(here)) > float64(apart.Milliseconds()) {
		return []protocol.Breach{{Requirement: "CO-36", Reason: fmt.Sprintf("the ts of %s is %s, which is not the time in milliseconds since 1970: that is about %d", kind, ts, here)}}
	}
	return nil
}

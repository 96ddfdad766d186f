package agenticdriver

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// maxFrame bounds a frame of a stream, in bytes.
const maxFrame = 2_000_000

// knownTypes are the types of events that need not be asked for.
var knownTypes = []string{
	"run.started", "step.started", "text.delta", "run.progress", "tool.called", "tool.completed", "usage.reported",
	"run.completed", "run.failed", "run.cancelled", "approval.requested", "approval.resolved", "tool.execution.requested",
}

// validEvent is the check of events.
var validEvent = protocol.Of(agenticdriver.Types["RunEvent"])

// stream watches the events of one run.
type stream struct {
	exchange *protocol.Exchange
	request  *value.Object // what the run was asked to be
	optional bool          // unknown events were asked for
	run      string        // runId
	sequence int64
	terminal string // type of the event that ended it, "" as long as none has come
	order    *order
}

func newStream(x *protocol.Exchange) *stream {
	request, _ := x.Body.(*value.Object)
	return &stream{
		exchange: x, request: request, order: newOrder(request),
		optional: x.Header.Get("AgenticDriver-Accept-Optional-Events") == "true",
	}
}

// frame takes one frame. It tells whether its event ends the run.
func (s *stream) frame(f *transport.Frame, event *value.Object) (found []protocol.Breach, last bool) {
	if f.Bytes > maxFrame {
		found = append(found, breach("AD-S09", "a frame has %d bytes", f.Bytes)...)
	}
	if f.BadText {
		found = append(found, breach("AD-V02", "a frame is not UTF-8")...)
	}
	if !slices.Contains(f.Fields, "data") {
		return found, false // a comment keeps the connection alive and says nothing
	}
	if event == nil {
		return append(found, breach("AD-V02", "the data of a frame is no JSON object")...), false
	}
	kind := text(event, "type")
	found = append(found, s.kind(kind, event, f)...)
	found = append(found, s.envelope(event, f)...)
	if s.terminal != "" {
		found = append(found, breach("AD-S04", "%s came after the run had ended with %s", kind, s.terminal)...)
		return found, false
	}
	found = append(found, s.order.take(kind, event)...)
	if last = isTerminal(kind); last {
		s.terminal = kind
	}
	return found, last
}

// kind holds the event to its schema and to the types that may be sent.
func (s *stream) kind(kind string, event *value.Object, f *transport.Frame) []protocol.Breach {
	if slices.Contains(knownTypes, kind) {
		if v := validEvent(f.Data); len(v) > 0 {
			return breach("AD-V02", "%s is no valid RunEvent: %s", kind, v[0])
		}
		asked := map[string]string{"approval.requested": "approvals", "approval.resolved": "approvals", "tool.execution.requested": "applicationTools"}
		if member := asked[kind]; member != "" {
			if _, ok := s.request.Get(member); !ok {
				return breach("AD-S12", "%s came in a run without %s", kind, member)
			}
		}
		return nil
	}
	if v, _ := event.Get("optional"); v != true {
		return breach("AD-S06", "the unknown event %s is not marked optional", kind)
	}
	if !s.optional {
		return breach("AD-S06", "the unknown event %s came although the request did not ask for such", kind)
	}
	return nil
}

// envelope holds what all events have to each other and to the frame.
func (s *stream) envelope(event *value.Object, f *transport.Frame) []protocol.Breach {
	var found []protocol.Breach
	kind, run := text(event, "type"), text(event, "runId")
	sequence, ok := number(event, "sequence")
	if s.sequence++; !ok || sequence != s.sequence {
		found = append(found, breach("AD-S03", "the sequence of %s is %d, expected is %d", kind, sequence, s.sequence)...)
		s.sequence = sequence
	}
	if s.run == "" {
		s.run = run
	}
	if run == "" || run != s.run {
		found = append(found, breach("AD-S03", "the runId of %s is %q, the first one was %q", kind, run, s.run)...)
	}
	if stamp := text(event, "timestamp"); !isTimestamp(stamp) {
		found = append(found, breach("AD-S03", "the timestamp of %s is %q, no date and time with seconds and a zone", kind, stamp)...)
	}
	if f.ID != strconv.FormatInt(sequence, 10) || f.Event != kind {
		found = append(found, breach("AD-S05", "a frame with id %q and event %q carries %s with sequence %d", f.ID, f.Event, kind, sequence)...)
	}
	if s.sequence == 1 && kind == "run.started" {
		for _, member := range []string{"provider", "model"} {
			if asked := text(s.request, member); asked != "" && asked != text(event, member) {
				found = append(found, breach("AD-S02", "%s of run.started is %q, the request said %q", member, text(event, member), asked)...)
			}
		}
	}
	if s.sequence == 1 && kind != "run.started" {
		found = append(found, breach("AD-S02", "the first event is %s", kind)...)
	}
	if kind == "run.completed" {
		found = append(found, s.result(object(event, "result"))...)
	}
	return found
}

// result holds the result to the run it ends.
func (s *stream) result(result *value.Object) []protocol.Breach {
	for _, want := range [][2]string{{"runId", s.run}, {"provider", text(s.request, "provider")}, {"model", text(s.request, "model")}} {
		if got := text(result, want[0]); want[1] != "" && got != want[1] {
			return breach("AD-S17", "%s of the result is %q, that of the run is %q", want[0], got, want[1])
		}
	}
	for _, member := range []string{"retrieval", "session"} {
		_, asked := s.request.Get(member)
		if _, got := result.Get(member); got != asked {
			return breach("AD-S17", "the result has %s: %t, the request: %t", member, got, asked)
		}
	}
	return nil
}

func isTerminal(kind string) bool {
	return kind == "run.completed" || kind == "run.failed" || kind == "run.cancelled"
}

// isTimestamp tells whether text is a date and time with seconds and a zone (RFC 3339), on a day there is.
func isTimestamp(text string) bool {
	_, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	return err == nil
}

package agenticdriver

import (
	"context"
	"net/http"
	"strconv"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// stream writes the events of a run as they come, until the last one. When
// nobody reads any more, cancel ends the run.
func (s *server) stream(w http.ResponseWriter, r *http.Request, q *run.Queue, cancel context.CancelCauseFunc) {
	limits := s.settings.Document().Limits
	out := eventWriter{w: w, control: http.NewResponseController(w), timeout: config.Duration(limits.WriteTimeoutMs)}
	heartbeat := time.NewTicker(config.Duration(limits.HeartbeatMs))
	defer heartbeat.Stop()
	gone := func() { cancel(failure.New(protocol.ErrorCodeCANCELLED, "The client has gone.")) }
	var batch []byte
	for {
		ev, over := q.Take()
		if ev != nil {
			batch = appendFrame(batch, ev)
			if len(batch) < maxBatch {
				continue
			}
		}
		if len(batch) > 0 {
			if out.write(batch) != nil {
				gone()
				return
			}
			batch = batch[:0]
		}
		if over {
			return
		}
		if ev != nil {
			continue
		}
		select {
		case <-q.Signal():
		case <-heartbeat.C:
			if !s.edges.policy.NoHeartbeats && out.begun {
				batch = append(batch, ": heartbeat\n\n"...)
			}
		case <-r.Context().Done():
			gone()
			return
		}
	}
}

// maxBatch is how many bytes of frames are gathered before they are written.
const maxBatch = 64 << 10

// appendFrame writes one event as one frame.
func appendFrame(b []byte, ev protocol.RunEvent) []byte {
	b = append(b, "id: "...)
	b = strconv.AppendInt(b, run.Sequence(ev), 10)
	b = append(b, "\nevent: "...)
	b = append(b, run.Type(ev)...)
	b = append(b, "\ndata: "...)
	b = ev.AppendJSON(b)
	return append(b, "\n\n"...)
}

// eventWriter writes the answer. A reader that takes nothing for the time-out
// is cut off.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	begun   bool
}

func (e *eventWriter) write(b []byte) error {
	if !e.begun {
		h := e.w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("X-Accel-Buffering", "no")
		e.w.WriteHeader(http.StatusOK)
		e.begun = true
	}
	if err := e.control.SetWriteDeadline(time.Now().Add(e.timeout)); err != nil {
		return err
	}
	if _, err := e.w.Write(b); err != nil {
		return err
	}
	return e.control.Flush()
}

package comitiva

import (
	"fmt"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
)

// answers holds a runner to CO-04: every valid request is answered, there are no more answers to an id than there were
// requests with it, and none to an id that no request had. Which id the answer to a line without one carries is not its
// business but that of CO-10, CO-15, CO-16 and CO-102; once such a line was sent, an unknown id is no breach.
type answers struct {
	now             func() time.Time
	asked, answered map[string]int
	open            []asking
	stops           int  // how often it was asked to stop
	odd             bool // a line had no id of its own
}

// asking is a request without an answer.
type asking struct {
	id      string
	request *value.Object
	sent    time.Time
}

func newAnswers(now func() time.Time) *answers {
	return &answers{now: now, asked: make(map[string]int), answered: make(map[string]int)}
}

func (a *answers) Sent(v any, isJSON bool) {
	request, _ := v.(*value.Object)
	id, _ := request.Get("id")
	text, ok := id.(string)
	if !isJSON || !ok || text == "" {
		a.odd = true
		return
	}
	a.asked[text]++
	if a.stops > 1 || a.stops == 1 && !stops(request) {
		return // it is stopping, and may let go of this
	}
	a.open = append(a.open, asking{text, request, a.now()})
}

func (a *answers) Received(m *value.Object) []protocol.Breach {
	if text(m, "type") != "response" {
		return nil
	}
	id := text(m, "id")
	for i, one := range a.open {
		if one.id == id {
			a.open = append(a.open[:i:i], a.open[i+1:]...)
			break
		}
	}
	a.answered[id]++
	switch asked := a.asked[id]; {
	case asked == 0 && a.odd, a.answered[id] <= asked:
		return nil
	case asked == 0:
		return []protocol.Breach{{Requirement: "CO-04", Reason: fmt.Sprintf("the response has the id %q, which no request had", id)}}
	default:
		return []protocol.Breach{{Requirement: "CO-04", Reason: fmt.Sprintf("%d requests had the id %q, and this is response number %d to it", asked, id, a.answered[id])}}
	}
}

// stopping lets go of all that is under way: a runner that is asked to stop may give it up.
func (a *answers) stopping() {
	a.open = nil
	a.stops++
}

// slow are the requests whose answer depends on others, and how long a shell waits for it at most.
var slow = map[string]time.Duration{
	"connection.test": 30 * time.Second, "connection.listModels": 30 * time.Second, "cli.detect": 30 * time.Second,
	"toolServer.start": 45 * time.Second, "toolServer.stop": 30 * time.Second,
}

// unanswered leaves out what is no valid request: that it is answered all the same is for CO-12, CO-13 and CO-102.
func (a *answers) unanswered() []protocol.Unanswered {
	var out []protocol.Unanswered
	for _, one := range a.open {
		if comitiva.ValidateRunnerRequest(value.Append(nil, one.request)) != nil {
			continue
		}
		kind := text(one.request, "type")
		out = append(out, protocol.Unanswered{
			Requirement: "CO-04", Request: fmt.Sprintf("the request %q (%s)", one.id, kind), Stream: "id=" + value.Text(one.id),
			Sent: one.sent, Slow: slow[kind],
		})
	}
	return out
}

package comitiva

import (
	"fmt"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// answers holds a runner to CO-04: no more answers to an id than there were requests with it, and none to an id that
// no request had.
type answers struct {
	asked, answered map[string]int
	odd             bool // a request had an id whose text form is up to the runner
}

func newAnswers() *answers {
	return &answers{asked: make(map[string]int), answered: make(map[string]int)}
}

func (a *answers) Sent(v any, isJSON bool) {
	if !isJSON {
		return // answered by a log event, not by a response
	}
	request, ok := v.(*value.Object)
	if !ok {
		a.asked[""]++
		return
	}
	id, ok := request.Get("id")
	switch id := id.(type) {
	case string:
		a.asked[id]++
	case value.Number:
		a.asked[string(id)]++
	default:
		if ok {
			a.odd = true
		}
		a.asked[""]++
	}
}

func (a *answers) Received(m *value.Object) []protocol.Breach {
	if text(m, "type") != "response" {
		return nil
	}
	id := text(m, "id")
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

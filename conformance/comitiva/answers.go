package comitiva

import (
	"fmt"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// answers holds a runner to CO-04: no more answers to an id than there were requests with it, and none to an id that
// no request had. Which id the answer to a line without one carries is not its business but that of CO-10, CO-15,
// CO-16 and CO-102; once such a line was sent, an unknown id is no breach.
type answers struct {
	asked, answered map[string]int
	odd             bool // a line had no id of its own
}

func newAnswers() *answers {
	return &answers{asked: make(map[string]int), answered: make(map[string]int)}
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

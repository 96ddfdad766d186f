package agenticdriver

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
)

// client is the role of a client, which its adapter drives.
func client() protocol.Role {
	return protocol.Role{
		Accepts:  protocol.Of(hallmark.Types["AdapterRequest"]),
		Emits:    protocol.Of(hallmark.Types["AdapterAnswer"]),
		Ready:    value.Of("id", "ready", "do", "state"),
		NewRules: func() protocol.Rules { return &adapter{open: make(map[string]*sent)} },
		Stops:    func(message *value.Object) bool { return text(message, "do") == "quit" },
		Ends:     answersRequest,
		Framing:  "AD-C27",
		Leaks:    "AD-C25",
		Standing: []string{"AD-C01", "AD-C14", "AD-C25", "AD-C26", "AD-C27"},
		Observed: requested,
		Adapter:  true,
	}
}

// answers gives the checks of what a host answers to a request.
func answers(method, target string, status int) (body, event protocol.Validate, ok bool) {
	o := operation(method, target)
	if o == nil {
		return nil, nil, false
	}
	if status == 0 {
		status = http.StatusOK
	}
	r := o.Response(status)
	if m := r.As("application/json"); m != nil && m.Schema.Validate != nil {
		body = protocol.Of(m.Schema)
	}
	if m := r.As("text/event-stream"); m != nil && m.Event.Validate != nil {
		event = protocol.Of(m.Event)
	}
	return body, event, true
}

// answersRequest tells whether a line of the adapter is the last about its request.
func answersRequest(message *value.Object) bool {
	_, isEvent := message.Get("event")
	return !isEvent
}

// slow is how long a call may take: as long as the scripted host lets it.
const slow = 30 * time.Second

// sent is a request to the adapter that is not answered yet.
type sent struct {
	id, do string
	stream bool
	at     time.Time
}

// adapter holds an adapter to AD-C27: each request is answered once, and only streams have events.
type adapter struct {
	order    []string
	open     map[string]*sent
	stopping bool
}

func (a *adapter) Sent(v any, isJSON bool) {
	message, ok := v.(*value.Object)
	if !isJSON || !ok {
		return
	}
	stream, _ := message.Get("stream")
	s := &sent{id: text(message, "id"), do: text(message, "do"), stream: stream == true, at: time.Now()}
	a.order, a.open[s.id] = append(a.order, s.id), s
}

func (a *adapter) Received(message *value.Object) []protocol.Breach {
	id := text(message, "id")
	s, ok := a.open[id]
	switch {
	case !ok:
		return breach("AD-C27", "an answer to %q came, which was not asked or is answered already", id)
	case answersRequest(message):
		delete(a.open, id)
	case !s.stream:
		return breach("AD-C27", "an event came of %q, which is no call with stream", id)
	}
	return nil
}

func (a *adapter) Stopping() { a.stopping = true }

func (a *adapter) Unanswered() []protocol.Unanswered {
	var out []protocol.Unanswered
	for _, id := range a.order {
		s, ok := a.open[id]
		if !ok || a.stopping {
			continue
		}
		u := protocol.Unanswered{Requirement: "AD-C27", Request: fmt.Sprintf("the request %q (%s)", id, s.do), Stream: "id=" + value.Text(id), Sent: s.at}
		if s.do == "call" {
			u.Slow = slow
		}
		out = append(out, u)
	}
	return out
}

// requested holds everything that a client sends to AD-C01, AD-C14 and AD-C26.
func requested(_ string, recording *value.Object) []protocol.Breach {
	method, target := text(recording, "method"), text(recording, "target")
	switch text(recording, "event") {
	case "unexpected":
		return breach("AD-C14", "the client sent %s %s, which nothing had asked it to send now", method, target)
	case "request", "aside":
	default:
		return nil
	}
	path := target
	if i := strings.Index(target, "/v1/"); i > 0 {
		path = target[i:] // behind the path of the base URL
	}
	o := operation(method, path)
	if o == nil {
		return nil // the script is for it, so it is what the scenario wants
	}
	headers := object(recording, "headers")
	body, hasBody := recording.Get("body")
	found := sentHeaders(o.ID, headers, hasBody)
	media := o.Body.As("application/json")
	if media == nil || media.Schema.Validate == nil {
		return found
	}
	if !hasBody {
		return append(found, breach("AD-C26", "%s was sent without a body of JSON", o.ID)...)
	}
	if violations := protocol.Of(media.Schema)(value.Append(nil, body)); len(violations) > 0 {
		found = append(found, breach("AD-C26", "the body of %s is not valid: %s", o.ID, violations[0])...)
	}
	return found
}

// sentHeaders holds the headers of a request to AD-C01.
func sentHeaders(operation string, headers *value.Object, hasBody bool) []protocol.Breach {
	accept, kind := text(headers, "accept"), text(headers, "content-type")
	_, cookie := headers.Get("cookie")
	bearer, hasBearer := strings.CutPrefix(text(headers, "authorization"), "Bearer ")
	accepts := accept == "application/json" || operation == agenticdriver.OperationRun.ID && strings.Contains(accept, "text/event-stream")
	switch {
	case text(headers, "agenticdriver-version") != version:
		return breach("AD-C01", "%s was sent without AgenticDriver-Version: %s", operation, version)
	case text(headers, "agenticdriver-accept-optional-events") != "true":
		return breach("AD-C01", "%s was sent without AgenticDriver-Accept-Optional-Events: true", operation)
	case operation != agenticdriver.OperationHealth.ID && (!hasBearer || bearer == ""):
		return breach("AD-C01", "%s was sent without a bearer token", operation)
	case !accepts:
		return breach("AD-C01", "%s was sent with Accept: %s", operation, accept)
	case hasBody && !strings.HasPrefix(kind, "application/json"):
		return breach("AD-C01", "the body of %s was sent with Content-Type: %s", operation, kind)
	case cookie:
		return breach("AD-C01", "%s was sent with a cookie", operation)
	}
	return nil
}

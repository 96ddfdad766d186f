package protocol

import (
	"net/http"

	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// HTTP is how a role is tested that serves HTTP.
type HTTP struct {
	// Operation gives the operation of a method and a target, nil when there is none.
	Operation func(method, target string) *wire.Operation

	// Headers are sent with every request unless the step says otherwise, name and text.
	Headers [][2]string

	// Token is the name of the target's value that is the bearer token of a request that names none.
	Token string

	// Ready is the target of a GET request that shows that a host serves, and Features takes from the answer what it
	// says it provides. Viewers are values of the target whose tokens see further features.
	Ready    string
	Features func(body any) []string
	Viewers  []string

	// NewRules returns the rules of one conversation.
	NewRules func() HTTPRules

	// StreamEnd is the requirement that a stream ends after its last event.
	StreamEnd string

	// Misses are near misses of what an operation takes, the same for the same seed, and how many rules there are.
	Misses func(o *wire.Operation, seed uint64) (misses []Miss, rules int, err error)
}

// Miss is a body that breaks exactly one rule of its document.
type Miss struct {
	Rule    Rule
	Body    []byte
	Shrinks func(body []byte) bool // tells whether a smaller body still breaks that rule, and only that
}

// Rule is a rule of a document and the place of a message where it is felt.
type Rule struct {
	Keyword, Pointer string // of the message
	Schema           string // document and schema pointer
}

// Exchange is a request and what came back so far.
type Exchange struct {
	Number    int
	Method    string
	Target    string
	Operation *wire.Operation // nil: none is described
	Header    http.Header     // of the request
	Token     string          // bearer token that was sent, or ""
	Raw       bool            // the request is bytes that need not be one
	Body      any             // of the request, when it is JSON
	IsJSON    bool

	Answer   *transport.Answer // nil: there is none yet, or it is none
	Content  any               // body of the answer, when it is JSON
	HasJSON  bool
	Stream   bool          // the answer is a stream of events
	Last     *value.Object // the last event that ended the stream by its meaning, nil when none has come
	Events   int           // that have come
	Finished bool          // nothing more comes
}

// HTTPRules watch one conversation. The engine calls them from one goroutine.
type HTTPRules interface {
	// Answered is told of an answer: all of it, or the head of a stream.
	Answered(x *Exchange) []Breach

	// Framed is told of a frame of a stream; v is nil when its data is no JSON object. last tells that the event is
	// the last of its stream.
	Framed(x *Exchange, f *transport.Frame, v *value.Object) (breaches []Breach, last bool)

	// Over is told that nothing more comes of a stream; reason is "" when it ended in order.
	Over(x *Exchange, reason string) []Breach
}

// Body gives the check of what an operation takes as JSON, nil when nothing describes it.
func (h *HTTP) Body(method, target string) Validate {
	o := h.Operation(method, target)
	if o == nil {
		return nil
	}
	media := o.Body.As("application/json")
	if media == nil || media.Schema.Validate == nil {
		return nil
	}
	return Of(media.Schema)
}

package protocol

import (
	"fmt"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/source"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/schemas"
)

// Violation is one rule of a document that a message breaks.
type Violation struct {
	Pointer string // JSON pointer into the message
	Keyword string // of JSON Schema; "json" when the text is not JSON at all
	Rule    string // document and schema pointer
	Want    string // in words; never the offending value
}

func (v Violation) String() string {
	return fmt.Sprintf("%s at %s: %s (%s)", v.Keyword, value.Shown(v.Pointer), v.Want, v.Rule)
}

// Validate checks one JSON text and returns all violations; none means it is valid.
type Validate func(text []byte) []Violation

// Breach is a standing rule that a conversation broke.
type Breach struct {
	Requirement string
	Reason      string
}

// Rules watch one conversation. They are told of every line in order; the engine calls them from one goroutine.
type Rules interface {
	// Sent is told of a line written to the target; v is nil when the line is not JSON, or null.
	Sent(v any, isJSON bool)
	// Received is told of a valid message of the target.
	Received(message *value.Object) []Breach
	// Stopping is told that the target is being asked to stop, before the message that asks for it, if it is one.
	Stopping()
	// Unanswered lists the requests whose answer has not come yet and would have to, in the order they were sent.
	Unanswered() []Unanswered
}

// Unanswered is a request to which no answer has come yet.
type Unanswered struct {
	Requirement string // that it is answered
	Request     string // for people, such as: the request "ping-1" (ping)
	Stream      string // in which the answer will come, as Protocol.Stream names it
	Sent        time.Time
	Slow        time.Duration // how long the answer may take when what it depends on is slow; 0: it depends on nothing
}

// Role is what an implementation plays, seen from the kit that plays the other side.
type Role struct {
	Accepts Validate // messages that may be sent to the target
	Emits   Validate // messages the target may send

	// Ready is sent to a target to see whether it serves. Anything it writes in return shows that it is there.
	Ready *value.Object

	// NewRules returns rules for one conversation.
	NewRules func() Rules

	// Stops tells whether a message to the target asks it to end.
	Stops func(message *value.Object) bool

	// Ends tells whether a message of the target is the last of its stream.
	Ends func(message *value.Object) bool

	// Framing is the requirement that every line is a valid message, Leaks the one that secrets appear nowhere.
	Framing, Leaks string

	// Standing lists all requirements that rules, framing and leaks are charged to.
	Standing []string

	// Observed is told of every recording of a stand-in, nil where there are no rules over them.
	Observed func(standIn string, recording *value.Object) []Breach

	// Adapter is set when the target is a command that drives the implementation, see schemas/hallmark/adapter.json.
	Adapter bool

	// HTTP is set when the target serves HTTP. Accepts, Emits, Ready, NewRules and Framing are not used then.
	HTTP *HTTP
}

// Protocol is one protocol as the kit knows it.
type Protocol struct {
	Name        string
	Title       string
	RoleNames   []string            // all roles the protocol has
	Roles       map[string]Role     // those that the kit can test
	Correlation []string            // members whose value names the stream; the first present wins
	Types       map[string]Validate // by name, for parts of messages

	// Answers gives the checks of what a host answers to a request: the body, and each event of a stream; nil for what
	// nothing describes. ok tells that there is such an operation. nil: clients cannot be tested.
	Answers func(method, target string, status int) (body, event Validate, ok bool)

	// Shape gives what a stand-in offers in the protocol's own terms, such as a whole connection for a model
	// server. kind is "model", "tools" or "agent"; facts are what the stand-in says of itself.
	Shape func(kind, name string, facts *value.Object) *value.Object
}

// ReadFile reads the embedded protocol.yaml of a protocol.
func ReadFile(name string) (*hallmark.ProtocolFile, error) {
	data, err := schemas.FS.ReadFile(name + "/protocol.yaml")
	if err != nil {
		return nil, fmt.Errorf("there is no protocol %s: %w", name, err)
	}
	doc, err := source.Parse("schemas/"+name+"/protocol.yaml", data)
	if err != nil {
		return nil, err
	}
	file, err := hallmark.DecodeProtocolFile(doc.JSON)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doc.Name, err)
	}
	return &file, nil
}

// Stream returns the name of the stream the message belongs to. Plain text and numbers name it by their JSON text,
// "" is the stream of messages without correlation.
func (p *Protocol) Stream(message *value.Object) string {
	for _, member := range p.Correlation {
		if v, ok := message.Get(member); ok {
			return member + "=" + value.Text(v)
		}
	}
	return ""
}

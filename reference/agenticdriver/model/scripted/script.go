package scripted

import (
	"bytes"
	"encoding/json"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// script is a run's input that says what to do.
type script struct {
	As    string     `json:"as"`    // names the counters
	Turns [][]action `json:"turns"` // one a model call; the last repeats
}

// action is one thing to do: exactly one of its members that are not modifiers.
type action struct {
	Text     *string         `json:"text"`
	Whole    *string         `json:"whole"`
	JSON     json.RawMessage `json:"json"`
	Progress int             `json:"progress"`
	Quiet    int64           `json:"quiet"`
	Stall    bool            `json:"stall"`
	Hold     string          `json:"hold"`
	Release  string          `json:"release"`
	Until    *condition      `json:"until"`
	Call     *toolCall       `json:"call"`
	Usage    json.RawMessage `json:"usage"`
	Finish   string          `json:"finish"`
	Fail     json.RawMessage `json:"fail"`
	Throw    *string         `json:"throw"`
	Native   json.RawMessage `json:"native"`
	Event    json.RawMessage `json:"event"`
	Report   string          `json:"report"`

	// Modifiers.
	Of      *string `json:"of"`      // whose counters to report
	Times   int     `json:"times"`   // of text and call
	EveryMs int64   `json:"everyMs"` // pause between repetitions
	First   int64   `json:"first"`   // only in the first runs under the script's name
}

type condition struct {
	Counter string  `json:"counter"`
	Of      *string `json:"of"`
	AtLeast int64   `json:"atLeast"`
}

type toolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// parse reads a script; nil without an error means that the input is none.
func parse(input string) (*script, error) {
	var probe struct {
		Turns json.RawMessage `json:"turns"`
	}
	if len(input) == 0 || input[0] != '{' || json.Unmarshal([]byte(input), &probe) != nil || probe.Turns == nil {
		return nil, nil
	}
	var s script
	d := json.NewDecoder(bytes.NewReader([]byte(input)))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil || len(s.Turns) == 0 {
		return nil, failure.New("INVALID_SCRIPT", "The input has turns, but is no script of the scripted provider.")
	}
	return &s, nil
}

// NameOf gives the name of the counters that an input chooses.
func NameOf(input string) string {
	if s, err := parse(input); err == nil && s != nil {
		return s.As
	}
	return ""
}

func usageOf(text json.RawMessage) (*protocol.Usage, error) {
	u, err := protocol.DecodeUsage(text)
	if err != nil {
		return nil, failure.New("INVALID_SCRIPT", "The script reports usage that is none.")
	}
	return &u, nil
}

func errorOf(text json.RawMessage) error {
	info, err := protocol.DecodeErrorInfo(text)
	if err != nil {
		return failure.New("INVALID_SCRIPT", "The script fails with an error that is none.")
	}
	return failure.FromInfo(info)
}

// eventOf splits an event into its type and its other members.
func eventOf(text json.RawMessage) (string, wire.Members) {
	var members, rest wire.Members
	if json.Unmarshal(text, &members) != nil {
		return "", nil
	}
	kind := ""
	for _, m := range members {
		if m.Name == "type" {
			_ = json.Unmarshal(m.Value, &kind)
			continue
		}
		rest = append(rest, m)
	}
	return kind, rest
}

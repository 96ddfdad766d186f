package measure

import (
	"bytes"
	"encoding/json"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	goccy "github.com/goccy/go-json"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/hand"
)

// codec is a library that works on Go types.
type codec struct {
	name    string
	decode  func(data []byte, v any) error
	encoder func(w io.Writer) func(v any) error
}

var codecs = []codec{
	{Goccy, func(data []byte, v any) error { return goccy.Unmarshal(data, v) }, func(w io.Writer) func(any) error {
		e := goccy.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode
	}},
	{JSONv2, func(data []byte, v any) error { return jsonv2.Unmarshal(data, v) }, func(w io.Writer) func(any) error {
		return func(v any) error { return jsonv2.MarshalWrite(w, v) }
	}},
	{"encoding/json", json.Unmarshal, func(w io.Writer) func(any) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode
	}},
}

// handTypes make the value that a message is read into.
var handTypes = map[string]func() any{
	RunStart:      func() any { return new(hand.RunnerRequest) },
	RunStartLarge: func() any { return new(hand.RunnerRequest) },
	LeaseResult:   func() any { return new(hand.LeaseResult) },
	RunRequest:    func() any { return new(hand.RunRequest) },
	SideEvent:     func() any { return new(hand.Side) },
}

func handPeers() []Peer {
	var peers []Peer
	for _, c := range codecs {
		peers = append(peers,
			Peer{Name: c.name, Task: Decode, Notes: Unvalidated, Prepare: func(m Message) (func() error, error) {
				value := handTypes[m.Name]
				return func() error { return c.decode(m.Data, value()) }, nil
			}},
			Peer{Name: c.name, Task: Encode, Prepare: func(m Message) (func() error, error) {
				v := handTypes[m.Name]()
				if err := json.Unmarshal(m.Data, v); err != nil {
					return nil, err
				}
				var buf bytes.Buffer
				encode := c.encoder(&buf)
				return func() error {
					buf.Reset()
					return encode(v)
				}, nil
			}})
	}
	return peers
}

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

func handPeers() []Peer {
	var peers []Peer
	for _, c := range codecs {
		start := decodeHand[hand.RunnerRequest](c)
		peers = append(peers, Peer{Name: c.name, Task: Decode, Notes: Unvalidated, Prepare: byMessage(map[string]func(Message) (func() error, error){
			RunStart:      start,
			RunStartLarge: start,
			LeaseResult:   decodeHand[hand.LeaseResult](c),
			RunRequest:    decodeHand[hand.RunRequest](c),
			SideEvent:     decodeHand[hand.Side](c),
		})})
		start = encodeHand[hand.RunnerRequest](c)
		peers = append(peers, Peer{Name: c.name, Task: Encode, Prepare: byMessage(map[string]func(Message) (func() error, error){
			RunStart:      start,
			RunStartLarge: start,
			LeaseResult:   encodeHand[hand.LeaseResult](c),
			RunRequest:    encodeHand[hand.RunRequest](c),
			SideEvent:     encodeHand[hand.Side](c),
		})})
	}
	return peers
}

func decodeHand[T any](c codec) func(Message) (func() error, error) {
	return func(m Message) (func() error, error) {
		return func() error { return c.decode(m.Data, new(T)) }, nil
	}
}

func encodeHand[T any](c codec) func(Message) (func() error, error) {
	return func(m Message) (func() error, error) {
		v := new(T)
		if err := json.Unmarshal(m.Data, v); err != nil {
			return nil, err
		}
		var buf bytes.Buffer
		encode := c.encoder(&buf)
		return func() error {
			buf.Reset()
			return encode(v)
		}, nil
	}
}

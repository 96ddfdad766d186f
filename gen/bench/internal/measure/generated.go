package measure

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/go-faster/jx"
	"github.com/mailru/easyjson"
)

// The peers below work on code that their own generators write on demand; small
// programs, generated too, put their types in.

// Generated is a type of another generator, for one message.
type Generated struct {
	Peer    string
	Message string
	Decode  func(Message) (func() error, error)
	Encode  func(Message) (func() error, error)
}

// OgenType is what ogen writes for a type.
type OgenType[T any] interface {
	*T
	Decode(*jx.Decoder) error
	Encode(*jx.Encoder)
	Validate() error
}

// OgenGenerated makes the peer for a type of ogen, used the way a server of
// ogen uses it.
func OgenGenerated[T any, P OgenType[T]](message string) Generated {
	decode := func(data []byte) (P, error) {
		d := jx.GetDecoder()
		defer jx.PutDecoder(d)
		d.ResetBytes(data)
		v := P(new(T))
		if err := v.Decode(d); err != nil {
			return nil, err
		}
		if err := d.Skip(); err != io.EOF {
			return nil, errInvalid
		}
		return v, v.Validate()
	}
	return Generated{
		Peer:    Ogen,
		Message: message,
		Decode: func(m Message) (func() error, error) {
			return func() error {
				_, err := decode(m.Data)
				return err
			}, nil
		},
		Encode: func(m Message) (func() error, error) {
			v, err := decode(m.Data)
			var e jx.Encoder
			return func() error {
				e.Reset()
				v.Encode(&e)
				return nil
			}, err
		},
	}
}

// EasyType is what easyjson writes for a type.
type EasyType[T any] interface {
	*T
	easyjson.Marshaler
	easyjson.Unmarshaler
}

// EasyGenerated makes the peer for a type of easyjson.
func EasyGenerated[T any, P EasyType[T]](message string) Generated {
	return Generated{
		Peer:    "easyjson",
		Message: message,
		Decode: func(m Message) (func() error, error) {
			return func() error { return easyjson.Unmarshal(m.Data, P(new(T))) }, nil
		},
		Encode: func(m Message) (func() error, error) {
			v := P(new(T))
			if err := json.Unmarshal(m.Data, v); err != nil {
				return nil, err
			}
			var buf bytes.Buffer
			return func() error {
				buf.Reset()
				_, err := easyjson.MarshalToWriter(v, &buf)
				return err
			}, nil
		},
	}
}

var generatedNotes = map[string]string{Ogen: "validated by rewritten documents", "easyjson": Unvalidated}

// GeneratedPeers puts the types of each generator together.
func GeneratedPeers(all ...Generated) []Peer {
	var peers []Peer
	for _, name := range []string{Ogen, "easyjson"} {
		decode, encode := map[string]func(Message) (func() error, error){}, map[string]func(Message) (func() error, error){}
		for _, g := range all {
			if g.Peer == name {
				decode[g.Message], encode[g.Message] = g.Decode, g.Encode
			}
		}
		if len(decode) > 0 {
			peers = append(peers,
				Peer{Name: name, Task: Decode, Notes: generatedNotes[name], Prepare: byMessage(decode)},
				Peer{Name: name, Task: Encode, Prepare: byMessage(encode)})
		}
	}
	return peers
}

package measure

import (
	"encoding/json"
	"errors"

	"github.com/go-faster/jx"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/valyala/fastjson"
)

var errInvalid = errors.New("not JSON")

// scanPeers check the grammar and keep nothing. They are the floor under every
// validator.
func scanPeers() []Peer {
	const notes = "a scan: grammar only"
	return []Peer{
		{Name: JX + " skip", Task: Validate, Notes: notes, Prepare: func(m Message) (func() error, error) {
			d := jx.GetDecoder()
			return func() error {
				d.ResetBytes(m.Data)
				return d.Skip()
			}, nil
		}},
		{Name: "gen/wire skip", Task: Validate, Notes: notes + ", repeated names and Unicode", Prepare: func(m Message) (func() error, error) {
			return func() error {
				r := wire.Acquire(m.Data, nil)
				r.Skip()
				return r.Close()
			}, nil
		}},
		{Name: "encoding/json Valid", Task: Validate, Notes: notes, Prepare: func(m Message) (func() error, error) {
			return func() error {
				if !json.Valid(m.Data) {
					return errInvalid
				}
				return nil
			}, nil
		}},
		{Name: "fastjson Validate", Task: Validate, Notes: notes, Prepare: func(m Message) (func() error, error) {
			return func() error { return fastjson.ValidateBytes(m.Data) }, nil
		}},
	}
}

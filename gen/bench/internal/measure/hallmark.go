package measure

import (
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/protocol/nylorun"
	"github.com/hallmark-kit/hallmark/gen/protocol/tutti"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// ours are the generated functions for one message.
type ours struct {
	validate func([]byte, ...wire.Option) error
	decode   func([]byte) error
	encode   func([]byte) (func(b []byte) []byte, error)
}

func binding[T any](
	validate func([]byte, ...wire.Option) error,
	decode func([]byte, ...wire.Option) (T, error),
	encode func(*T, []byte) []byte,
) ours {
	return ours{
		validate: validate,
		decode: func(data []byte) error {
			_, err := decode(data)
			return err
		},
		encode: func(data []byte) (func([]byte) []byte, error) {
			v, err := decode(data)
			return func(b []byte) []byte { return encode(&v, b) }, err
		},
	}
}

var bindings = func() map[string]ours {
	start := binding(comitiva.ValidateRunnerRequest, comitiva.DecodeRunnerRequest,
		func(v *comitiva.RunnerRequest, b []byte) []byte { return (*v).AppendJSON(b) })
	return map[string]ours{
		RunStart:      start,
		RunStartLarge: start,
		LeaseResult:   binding(nylorun.ValidateLeaseResult, nylorun.DecodeLeaseResult, (*nylorun.LeaseResult).AppendJSON),
		RunRequest:    binding(agenticdriver.ValidateRunRequest, agenticdriver.DecodeRunRequest, (*agenticdriver.RunRequest).AppendJSON),
		SideEvent: binding(tutti.ValidateSideUpdate, tutti.DecodeSideUpdate,
			func(v *tutti.SideUpdate, b []byte) []byte { return (*v).AppendJSON(b) }),
	}
}()

func hallmarkPeers() []Peer {
	return []Peer{
		{Name: Hallmark, Task: Validate, Prepare: func(m Message) (func() error, error) {
			validate := bindings[m.Name].validate
			return func() error { return validate(m.Data) }, nil
		}},
		{Name: Hallmark, Task: Decode, Prepare: func(m Message) (func() error, error) {
			decode := bindings[m.Name].decode
			return func() error { return decode(m.Data) }, nil
		}},
		{Name: Hallmark, Task: Encode, Prepare: func(m Message) (func() error, error) {
			encode, err := bindings[m.Name].encode(m.Data)
			var buf []byte
			return func() error { buf = encode(buf[:0]); return nil }, err
		}},
	}
}

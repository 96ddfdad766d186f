package measure

import (
	"path"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/internal/differential/oracle"
	"github.com/hallmark-kit/hallmark/schemas"
)

// Place is where the schema of a message stands.
type Place struct{ Folder, File, Pointer string }

// Places of the schemas, by message.
var Places = map[string]Place{
	RunStart:      {"comitiva", "RunnerRequest.json", ""},
	RunStartLarge: {"comitiva", "RunnerRequest.json", ""},
	LeaseResult:   {"nylorun", "harness-api.v5.json", "/$defs/lease.result"},
	RunRequest:    {"agenticdriver", "openapi.json", "/components/schemas/RunRequest"},
	SideEvent:     {"tutti", "side.updated.event.json", "/payloadSchema"},
}

// schemaPeer reads a message to any and holds it against the document itself.
func schemaPeer() Peer {
	return Peer{Name: "any + jsonschema/v6", Task: Decode, Notes: "no Go types", Prepare: func(m Message) (func() error, error) {
		p := Places[m.Name]
		data, err := schemas.FS.ReadFile(path.Join(p.Folder, p.File))
		if err != nil {
			return nil, err
		}
		f, err := document.Parse(p.File, data)
		if err != nil {
			return nil, err
		}
		o, err := oracle.New([]*document.File{f})
		if err != nil {
			return nil, err
		}
		s, err := o.Schema(p.File, p.Pointer)
		if err != nil {
			return nil, err
		}
		return func() error { return s.Validate(m.Data) }, nil
	}}
}

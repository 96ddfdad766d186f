package main

import (
	"path"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/measure"
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/internal/differential/oracle"
	"github.com/hallmark-kit/hallmark/schemas"
)

// schemaPeer reads a message to any and holds it against the document itself.
func schemaPeer() measure.Peer {
	return measure.Peer{Name: "any + jsonschema/v6", Task: measure.Decode, Notes: "no Go types", Prepare: func(m measure.Message) (func() error, error) {
		p := measure.Places[m.Name]
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

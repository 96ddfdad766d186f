package comitiva

import (
	"encoding/json"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/schemas"
)

// types gives the checks of both documents and of everything they name.
func types() (map[string]protocol.Validate, error) {
	out := make(map[string]protocol.Validate)
	for _, name := range []string{"RunnerRequest", "RunnerEvent"} {
		v, err := protocol.Compile("comitiva", name+".json#")
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	data, err := schemas.FS.ReadFile("comitiva/RunnerEvent.json")
	if err != nil {
		return nil, err
	}
	var doc struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	for name := range doc.Defs {
		v, err := protocol.Compile("comitiva", "RunnerEvent.json#/$defs/"+name)
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}

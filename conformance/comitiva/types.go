package comitiva

import (
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
)

// types gives the checks of everything the documents name, by name.
func types() map[string]protocol.Validate {
	out := make(map[string]protocol.Validate, len(comitiva.Types))
	for name, t := range comitiva.Types {
		out[name] = protocol.Of(t)
	}
	return out
}

package peers

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/downlevel"
	"github.com/hallmark-kit/hallmark/gen/bench/internal/measure"
	"github.com/hallmark-kit/hallmark/schemas"
)

// source is one document and what ogen and easyjson call the types of its
// messages.
type source struct {
	folder, file string
	definitions  string            // pointer of the definitions; "" = the document is one
	name         string            // of the definition, when the document is one
	messages     map[string]string // message -> definition
	hand         map[string]string // message -> hand-written type
}

var sources = []source{
	{
		folder: "comitiva", file: "RunnerRequest.json", name: "RunnerRequest",
		messages: map[string]string{measure.RunStart: "RunnerRequest", measure.RunStartLarge: "RunnerRequest"},
		hand:     map[string]string{measure.RunStart: "RunnerRequest", measure.RunStartLarge: "RunnerRequest"},
	},
	{
		folder: "nylorun", file: "harness-api.v5.json", definitions: "/$defs",
		messages: map[string]string{measure.LeaseResult: "LeaseResult"},
		hand:     map[string]string{measure.LeaseResult: "LeaseResult"},
	},
	{
		folder: "agenticdriver", file: "openapi.json", definitions: "/components/schemas",
		messages: map[string]string{measure.RunRequest: "RunRequest"},
		hand:     map[string]string{measure.RunRequest: "RunRequest"},
	},
	{
		folder: "tutti", file: "side.updated.event.json", definitions: "/payloadSchema", name: "Side",
		messages: map[string]string{measure.SideEvent: "Side"},
		hand:     map[string]string{measure.SideEvent: "Side"},
	},
}

// rewrite makes the document for ogen.
func (s source) rewrite() (*downlevel.Spec, error) {
	text, err := schemas.FS.ReadFile(path.Join(s.folder, s.file))
	if err != nil {
		return nil, err
	}
	var root any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	for _, step := range steps(s.definitions) {
		root = root.(map[string]any)[step]
	}
	if s.name != "" {
		return downlevel.Rewrite(map[string]any{s.name: root}, "/$defs/")
	}
	return downlevel.Rewrite(root.(map[string]any), s.definitions+"/")
}

func steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	return strings.Split(pointer[1:], "/")
}

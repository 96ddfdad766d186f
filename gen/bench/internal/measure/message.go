package measure

import (
	"os"
	"path/filepath"
)

// Message is one input.
type Message struct {
	Name  string // what it is, and about how large
	Bytes int    // its length
	Data  []byte `json:"-"`
}

// Names of the messages; testdata holds each as NAME.json.
const (
	RunStart      = "run.start-2k"
	RunStartLarge = "run.start-50k"
	LeaseResult   = "lease.result-10k"
	RunRequest    = "run-request-5k"
	SideEvent     = "side-event-0.5k"
)

// Messages reads the inputs from a folder.
func Messages(dir string) ([]Message, error) {
	var all []Message
	for _, name := range []string{RunStart, RunStartLarge, LeaseResult, RunRequest, SideEvent} {
		data, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			return nil, err
		}
		all = append(all, Message{Name: name, Bytes: len(data), Data: data})
	}
	return all, nil
}

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

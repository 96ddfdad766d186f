package schemas

import "embed"

// FS holds every document and every protocol.yaml under its path in this folder, such as
// "comitiva/RunnerRequest.json".
//
//go:embed */*.json */*.yaml
var FS embed.FS

// Hallmark is the folder of the documents that describe our own files. It is no protocol.
const Hallmark = "hallmark"

// Protocols returns the protocols in alphabetical order. Each is the name of a folder of FS and of the "protocol"
// member of the protocol.yaml in it.
func Protocols() []string {
	return []string{"agenticdriver", "comitiva", "nylorun", "tutti"}
}

package toolserver

import (
	"encoding/json"

	"github.com/hallmark-kit/hallmark/conformance/standin/channel"
)

// Kinds of events, see the package comment.
const (
	KindStarted    = "started"    // detail: *Started
	KindInitialize = "initialize" // detail: *Initialize
	KindListed     = "listed"     // detail: *Listed
	KindCall       = "call"       // detail: *Call
	KindWaiting    = "waiting"    // detail: *Call with gate, without arguments
	KindAnswered   = "answered"   // detail: *Call without arguments
	KindCancelled  = "cancelled"  // detail: *Call without arguments
	KindExited     = "exited"     // detail: *Exited
)

// Started is a process that began to run; Extra is what whoever started it appended to [Control.Args].
type Started struct {
	Spawn int `json:"spawn"` // 1, 2, 3 … in the order in which processes called the kit
	channel.Process
}

// Initialize is the opening of a session.
type Initialize struct {
	Spawn           int             `json:"spawn"`
	Method          string          `json:"method"`           // initialize, or server/discover of newer revisions
	Client          json.RawMessage `json:"client,omitempty"` // name, version …
	ProtocolVersion string          `json:"protocolVersion"`
}

// Listed is a request for a page of tools.
type Listed struct {
	Spawn  int    `json:"spawn"`
	Cursor string `json:"cursor,omitempty"` // none: the first page
}

// Call is a call of a tool.
type Call struct {
	Spawn     int             `json:"spawn"`
	Call      int             `json:"call"` // 1, 2, 3 … over all tools and processes
	Tool      string          `json:"tool"`
	Unknown   bool            `json:"unknown,omitempty"` // the script has no such tool
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Gate      string          `json:"gate,omitempty"`
}

// Exited is a process that is gone.
type Exited struct {
	Spawn    int  `json:"spawn"`
	PID      int  `json:"pid"`
	Scripted bool `json:"scripted"` // by a refused start or a crash of the script
}

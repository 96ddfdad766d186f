package model

import "encoding/json"

// Kinds of events, see the package comment.
const (
	KindRequest    = "request"    // detail: *Request
	KindWaiting    = "waiting"    // detail: *Progress with gate
	KindStalled    = "stalled"    // detail: *Progress
	KindFinished   = "finished"   // detail: *Progress with status
	KindClosed     = "closed"     // detail: *Progress
	KindCut        = "cut"        // detail: *Progress
	KindExhausted  = "exhausted"  // detail: *Trouble
	KindUnexpected = "unexpected" // detail: *Trouble
)

// Request is a request as it arrived.
type Request struct {
	Request int               `json:"request"` // 1, 2, 3 … in order of arrival
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   string            `json:"query,omitempty"`
	Headers map[string]string `json:"headers"`        // names in lower case; several values joined by ", "
	Size    int               `json:"size"`           // bytes of the body
	Body    json.RawMessage   `json:"body,omitempty"` // the body when it is JSON
	Text    string            `json:"text,omitempty"` // the body when it is not
	Turn    *int              `json:"turn,omitempty"` // chat: index of the turn it took
	Model   string            `json:"model,omitempty"`
	User    string            `json:"user,omitempty"`  // chat: text of the last user message
	Tools   []string          `json:"tools,omitempty"` // chat: names of the offered tools, in order
}

// Progress is how far the answer to a request went.
type Progress struct {
	Request int    `json:"request"`
	Status  int    `json:"status,omitempty"`
	Chunks  int    `json:"chunks"` // deltas and call fragments sent
	Gate    string `json:"gate,omitempty"`
}

// Trouble is a request that the script or the dialect has no answer for.
type Trouble struct {
	Request int    `json:"request"`
	Reason  string `json:"reason"`
}

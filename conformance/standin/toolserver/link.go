package toolserver

import "encoding/json"

// What goes over the channel: the kit sends begin as soon as a process calls; after that each side sends what the
// types below say.

// fromProcess is a line from the process: exactly one member is set.
type fromProcess struct {
	Initialize *Initialize `json:"initialize,omitempty"`
	Listed     *Listed     `json:"listed,omitempty"`
	Call       *request    `json:"call,omitempty"`
	Cancelled  *int        `json:"cancelled,omitempty"` // id of a request
}

// request is a call that waits for its act.
type request struct {
	ID        int             `json:"id"` // 1, 2, 3 … within the process
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// toProcess is a line to the process: exactly one member is set.
type toProcess struct {
	Begin *begin `json:"begin,omitempty"`
	Act   *act   `json:"act,omitempty"`
}

// begin tells a process how to go on.
type begin struct {
	Refuse   *Refuse           `json:"refuse,omitempty"`
	Stubborn bool              `json:"stubborn,omitempty"`
	Tools    []json.RawMessage `json:"tools"`
	PageSize int               `json:"pageSize,omitempty"`
}

// act tells a process how to end a call.
type act struct {
	ID     int         `json:"id"`
	Result *callResult `json:"result,omitempty"`
	Error  *Error      `json:"error,omitempty"`
	Crash  *Crash      `json:"crash,omitempty"`
}

// callResult is a tool's result.
type callResult struct {
	Content    []json.RawMessage `json:"content"`
	Structured json.RawMessage   `json:"structuredContent,omitempty"`
	IsError    bool              `json:"isError,omitempty"`
}

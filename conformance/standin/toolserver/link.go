package toolserver

import (
	"encoding/json"
	"io"
	"sync"
)

// The control channel carries one JSON object a line. The process begins with hello, the kit answers with begin;
// after that each side sends what the types below say.

// fromProcess is a line from the process: exactly one member is set.
type fromProcess struct {
	Hello      *hello      `json:"hello,omitempty"`
	Initialize *Initialize `json:"initialize,omitempty"`
	Listed     *Listed     `json:"listed,omitempty"`
	Call       *request    `json:"call,omitempty"`
	Cancelled  *int        `json:"cancelled,omitempty"` // id of a request
}

// hello introduces a process.
type hello struct {
	Token string `json:"token"` // proves that it was started with the address we gave out
	Started
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

// lines writes JSON lines; it may be used from several goroutines.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

// send writes one line. An error means that the other side is gone, which the reading side notices as well.
func (l *lines) send(v any) {
	data := append(marshal(v), '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.w.Write(data)
}

package client

import (
	"io"
	"net/http"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// Bounds of what is read, in bytes.
const (
	maxFrame      = 2_000_000 // of a stream, counted as sse.Reader counts it
	maxBody       = 2_000_000
	maxErrorBody  = 64_000
	maxToken      = 4096
	maxExecutions = 2048 // tool executions of a run
)

// policy is how the client treats what it sends and gets. That of a client without fault waives and changes nothing.
type policy struct {
	waived      map[Rule]bool
	frame       int  // bound of a frame
	body        int  // bound of an answer
	readsOn     bool // goes on behind the terminal event
	lastLine    bool // of several data lines only the last counts
	anyTarget   bool // base URLs are not looked at
	anyToken    bool // neither are tokens
	noOptional  bool // optional events are refused
	emptyFrames bool // frames without data count
	tellsTokens bool // tokens are not kept out of errors
	anyRun      bool // nor runs that need a stream and have none

	transport func(http.RoundTripper) http.RoundTripper
	stream    func(io.Reader) io.Reader                              // what a stream is read through
	text      func([]byte) []byte                                    // what JSON is read through
	takes     func(any) bool                                         // whether a message that was read is taken
	failure   func(agenticdriver.ErrorInfo) *agenticdriver.ErrorInfo // nil: no Error object
}

func newPolicy() *policy {
	return &policy{
		waived:    make(map[Rule]bool),
		frame:     maxFrame,
		body:      maxBody,
		transport: func(t http.RoundTripper) http.RoundTripper { return t },
		stream:    func(r io.Reader) io.Reader { return r },
		text:      func(b []byte) []byte { return b },
		takes:     func(any) bool { return true },
		failure:   func(e agenticdriver.ErrorInfo) *agenticdriver.ErrorInfo { return &e },
	}
}

func (p *policy) waives(r Rule) bool { return p.waived[r] }

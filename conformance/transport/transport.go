package transport

import (
	"net/http"
	"time"
)

// Unkillable bounds the wait for a target that has been killed: the system may be unable to end it.
const Unkillable = 30 * time.Second

// Kind is what happened on a connection.
type Kind int

// The kinds of events.
const (
	Line     Kind = iota // the target wrote a line; Data is it without its end
	Tail                 // the target ended its output in the middle of a line; Data is that part
	TooLong              // the target wrote a line beyond a bound; nothing more is read
	ErrorOut             // the target wrote to its standard error
	Unwanted             // the target no longer takes what is written to it
	Ended                // the target has ended and everything it wrote has been reported; always the last event

	Printed // a target that serves HTTP wrote a line to its standard output; Data is it
	Head    // a stream of events begins; Answer is what came before it
	Body    // an answer is complete; Answer has it all
	Framed  // an event of a stream arrived; Frame is it
	Idle    // a frame without data arrived, such as a comment that keeps the connection alive
	Over    // nothing more comes of an exchange; Reason is "" when it ended in order
)

// Event is something that happened on a connection.
type Event struct {
	Kind Kind
	At   time.Time
	Data []byte
	Exit Exit // Ended

	Exchange int     // Head, Body, Framed, Idle, Over: the number given to Call
	Answer   *Answer // Head, Body
	Frame    *Frame  // Framed, Idle
	Reason   string  // Over; TooLong: why, when it is not for its own length
}

// Answer is the answer to an HTTP request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // Body: all of it
}

// Frame is one frame of a stream of server-sent events.
type Frame struct {
	ID, Event string   // of the last such field; "" when there is none
	Fields    []string // names of the fields in order, "" for a comment
	Data      []byte   // lines of data, joined by LF
	Bytes     int      // bytes of all its lines without their ends
	BadText   bool     // it is not UTF-8
}

// Request is an HTTP request as it is to be written.
type Request struct {
	Method, Target string
	Header         [][2]string // as they are written, without Content-Length and Transfer-Encoding
	Body           [][]byte    // pieces that are written one by one; nil: the request has no body
	Chunked        bool        // each piece is a chunk
	Raw            [][]byte    // instead of everything above: pieces of bytes as they are
}

// Caller is a connection to a target that serves HTTP. Every request has a connection of its own.
type Caller interface {
	Conn

	// Call sends a request and never blocks. What comes of it are events with this number, of which Over or Body is
	// the last, unless Abort comes before.
	Call(exchange int, r Request)

	// Abort closes the connection of an exchange. No event about it follows but those that are under way.
	Abort(exchange int)
}

// Exit is how a process ended.
type Exit struct {
	Status int    // exit status; -1 when a signal ended it
	Signal string // such as SIGKILL, or ""
}

// Conn is a connection to a target that has been started for it. Events must be taken until Ended; all methods may
// be called from any goroutine.
type Conn interface {
	Events() <-chan Event

	// Received counts the bytes of messages that have arrived so far, also those of an unfinished line.
	Received() int64

	// Write queues chunks, each written for itself, and never blocks.
	Write(chunks [][]byte)

	// CloseInput closes the target's input once everything queued has been written.
	CloseInput()

	// Signal sends the target's process a signal, such as SIGTERM.
	Signal(name string) error

	// Kill ends the target and everything it started. Ended follows.
	Kill()

	// Release ends what the target left behind and frees everything; it returns when that is done.
	Release()
}

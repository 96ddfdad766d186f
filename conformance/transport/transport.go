package transport

import "time"

// Kind is what happened on a connection.
type Kind int

// The kinds of events.
const (
	Line     Kind = iota // the target wrote a line; Data is it without its end
	Tail                 // the target ended its output in the middle of a line; Data is that part
	TooLong              // the target wrote a line beyond the bound; nothing more is read
	ErrorOut             // the target wrote to its standard error
	Unwanted             // the target no longer takes what is written to it
	Ended                // the target has ended and everything it wrote has been reported; always the last event
)

// Event is something that happened on a connection.
type Event struct {
	Kind Kind
	At   time.Time
	Data []byte
	Exit Exit // Ended
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

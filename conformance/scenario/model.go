package scenario

import (
	"time"

	"github.com/hallmark-kit/hallmark/conformance/source"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// Scenario is one loaded scenario.
type Scenario struct {
	ID       string // path below the folder of scenarios, without .yaml
	Title    string
	Why      string
	Role     string
	Decides  []string // requirement ids; the first is charged by default
	Fault    string
	Needs    []string // features
	Without  []string // features the target must lack
	Slow     bool     // runs only when asked for
	Files    []File
	Asks     []string // values of the target file, in alphabetical order
	Env      *value.Object
	Debug    bool
	StandIns []StandIn
	Values   *value.Object
	Within   time.Duration // 0: the default
	Steps    []*Step

	File *source.Document
}

// File is a file the kit writes for the scenario.
type File struct {
	Name, Text string
	Executable bool
}

// StandIn is something the kit starts around the target.
type StandIn struct {
	Ref     string // as steps name it: "model", "models.slow", "tools.clock", "host"
	Kind    string // one of the kinds below
	Name    string // the last part of Ref
	Script  any    // with placeholders
	Pointer string // of the script in the file
}

// Kinds of stand-ins.
const (
	KindModel = "model" // a scripted model server
	KindTools = "tools" // a scripted tool server
	KindAgent = "agent" // a scripted command-line agent
	KindHost  = "host"  // a scripted host, for a client under test
)

// Word is what a step does.
type Word string

// The words.
const (
	Send         Word = "send"
	SendTogether Word = "send together"
	RawBytes     Word = "raw"
	Call         Word = "request"
	Answer       Word = "answer"
	EndOfStream  Word = "end of stream"
	Comment      Word = "comment"
	NearMisses   Word = "near misses"
	Expect       Word = "expect"
	Maybe        Word = "maybe"
	Some         Word = "some"
	Until        Word = "until"
	Silence      Word = "silence"
	Never        Word = "never"
	InAnyOrder   Word = "in any order"
	InOrder      Word = "in order"
	Parallel     Word = "parallel"
	Repeat       Word = "repeat"
	Observe      Word = "observe"
	Release      Word = "release"
	Close        Word = "close"
	Signal       Word = "signal"
	Exit         Word = "exit"
	Stderr       Word = "stderr"
	Let          Word = "let"
	Check        Word = "check"
)

// Step is one step. Which fields are used depends on the word.
type Step struct {
	Word    Word
	Pointer string // in the file
	Place   source.Position
	Text    string        // the step as it was written, as compact JSON
	Note    string        // a remark
	For     string        // requirement a failure is charged to; inherited by inner steps
	Within  time.Duration // 0: the default

	Messages []any // Send: one, SendTogether: several; with placeholders
	Raw      *Raw
	Request  *Request      // Call, NearMisses; RawBytes: only its name
	Exchange string        // which request is meant, by name; "" is the last one without a name
	Again    any           // Call: matcher of the answer until which the request is sent again
	Refused  any           // NearMisses: matcher of the answer to each
	Accepted any           // NearMisses: matcher of the answer to a valid body
	Unlike   []Rule        // NearMisses: rules that are left out; * in a pointer stands for any token
	Invalid  *Rule         // Send, Call: the rule the message breaks
	Writing  Writing       // Send, SendTogether, RawBytes, Call
	Matcher  any           // Expect, Maybe, Some, Until, Answer; Observe (sees); Silence, Never (about); Stderr; Check (is)
	Counts   bool          // Some, Observe: Count is given
	Count    any           // matcher of the number
	Joined   *value.Object // Some: pointer to matcher
	ValidAs  []Part        // Expect, Maybe, Some, Until
	Anything bool          // Silence: nothing at all may arrive
	Lasting  time.Duration // Silence: for how long
	Of       string        // Observe, Release, and optionally Silence, Never: the stand-in
	Gate     string        // Release
	Steps    []*Step       // InAnyOrder, InOrder, Parallel, Repeat
	Times    int           // Repeat
	AsMany   string        // Repeat: instead of Times, a placeholder
	As       string        // Repeat: name of the round's number, or ""
	AtOnce   bool          // Repeat
	Signal   string        // Signal; Exit: "" or the signal that ended it
	Status   *int          // Exit
	Values   *value.Object // Let
	Value    any           // Check
}

// Request is an HTTP request.
type Request struct {
	Method, Target string // Target with ${…}
	Name           string
	Token          any // with placeholders; nil sends none
	TokenGiven     bool
	Accept         string
	Headers        *value.Object // with placeholders; nil: none of its own
	Body           any           // with placeholders
	HasBody        bool
	Bytes          *Raw // instead of Body
	Chunked        bool
}

// Raw is bytes that need not be a message.
type Raw struct {
	Text  string // with ${…}
	Bytes []byte // instead of Text
	Times int
}

// Writing is how bytes are written to the target.
type Writing struct {
	End   string // after each message: "\n", "\r\n" or ""
	Every int    // bytes a write; 0: all in one
	At    []int  // or offsets between writes
}

// Chunks cuts the bytes as they are to be written.
func (w Writing) Chunks(b []byte) [][]byte {
	if w.Every == 0 && len(w.At) == 0 {
		return [][]byte{b}
	}
	var chunks [][]byte
	if w.Every > 0 {
		for len(b) > w.Every {
			chunks = append(chunks, b[:w.Every])
			b = b[w.Every:]
		}
		return append(chunks, b)
	}
	from := 0
	for _, at := range w.At {
		if at > from && at < len(b) {
			chunks = append(chunks, b[from:at])
			from = at
		}
	}
	return append(chunks, b[from:])
}

// Rule is one rule of a document: a keyword of JSON Schema at a place of the message.
type Rule struct{ Keyword, Pointer string }

func (r Rule) String() string { return r.Keyword + " at " + value.Shown(r.Pointer) }

// Part is a part of a message that must be valid as a type of its own.
type Part struct{ Pointer, Type string }

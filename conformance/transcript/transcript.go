package transcript

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Direction is who did something.
type Direction string

// The directions.
const (
	Sent     Direction = "sent"     // by the kit to the target
	Received Direction = "received" // from the target
	Stderr   Direction = "stderr"   // written by the target to its standard error
	Observed Direction = "observed" // by a stand-in
	Process  Direction = "process"  // start, signals and end of the target
	Note     Direction = "note"     // of the scenario
)

// Entry is one thing that happened.
type Entry struct {
	Seconds   float64 // since the scenario began
	Direction Direction
	Text      string // shortened; secrets are replaced
}

// Bounds of what is kept.
const (
	maxText = 1 << 10 // bytes of one entry
	first   = 100     // entries kept from the beginning
	last    = 200     // entries kept from the end
)

// Transcript collects entries. It is used from one goroutine.
type Transcript struct {
	began   time.Time
	head    []Entry
	tail    []Entry
	dropped int
	secrets []secret
}

type secret struct{ text, shown string }

// New returns an empty transcript of something that begins now.
func New(began time.Time) *Transcript { return &Transcript{began: began} }

// Hide replaces the secret in every entry from now on.
func (t *Transcript) Hide(text, name string) {
	if len(text) >= 4 {
		t.secrets = append(t.secrets, secret{text, "[" + name + "]"})
	}
}

// Redact replaces everything hidden in a text.
func (t *Transcript) Redact(text string) string {
	for _, s := range t.secrets {
		text = strings.ReplaceAll(text, s.text, s.shown)
	}
	return text
}

// Add appends an entry.
func (t *Transcript) Add(d Direction, text string) {
	// First redact: a secret that was cut in two would not be found.
	e := Entry{time.Since(t.began).Round(time.Microsecond).Seconds(), d, Shorten(t.Redact(text), maxText)}
	if len(t.head) < first {
		t.head = append(t.head, e)
		return
	}
	t.tail = append(t.tail, e)
	if len(t.tail) >= 2*last {
		t.dropped += len(t.tail) - last
		t.tail = append([]Entry{}, t.tail[len(t.tail)-last:]...)
	}
}

// Entries returns what was kept.
func (t *Transcript) Entries() []Entry {
	out := append([]Entry{}, t.head...)
	if t.dropped > 0 {
		out = append(out, Entry{t.tail[0].Seconds, Note, fmt.Sprintf("(%d entries are left out here)", t.dropped)})
	}
	return append(out, t.tail...)
}

// Shorten cuts text to about most bytes, at a character, and says how long it was.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:cut], "\uFFFD"), len(text))
}

package drift

import (
	"slices"
)

// Class is what a change means for a deployed peer.
type Class string

// The classes.
const (
	Breaking   Class = "breaking"   // a peer sends what the other refuses; there is a witness
	Undecided  Class = "undecided"  // it could not be decided
	Risky      Class = "risky"      // breaks only peers that do something unusual, or changes a meaning
	Compatible Class = "compatible" // breaks nobody
)

var classes = []Class{Breaking, Undecided, Risky, Compatible}

// rank orders classes, the gravest first.
func (c Class) rank() int { return slices.Index(classes, c) }

// Level is how strictly documents are compared.
type Level string

// The levels.
const (
	Wire   Level = "wire"   // messages, format as an annotation
	Strict Level = "strict" // messages, format asserted; risky changes break
	Source Level = "source" // wire, and the exported API of the Go bindings
)

// Report is the result of one comparison.
type Report struct {
	Verdict  Class     `json:"verdict"` // the gravest class of a finding that is not ignored
	Level    Level     `json:"level"`
	Upgrade  Upgrade   `json:"upgrade"` // which end is assumed to be upgraded first
	Old      Document  `json:"old"`
	New      Document  `json:"new"`
	Counts   Counts    `json:"counts"`
	Messages int       `json:"messages"`        // how many were compared
	Findings []Finding `json:"findings"`        // the gravest first, then in the order of the documents
	Notes    []string  `json:"notes,omitempty"` // about the documents as a whole
}

// Document is one version that was compared.
type Document struct {
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
	Kind    string `json:"kind"`
	Version string `json:"version,omitempty"` // what the document calls its version
}

// Counts is how many findings of each class there are, ignored ones left out.
type Counts struct {
	Breaking   int `json:"breaking"`
	Undecided  int `json:"undecided"`
	Risky      int `json:"risky"`
	Compatible int `json:"compatible"`
	Ignored    int `json:"ignored"`
}

// Finding is one edit and what it means.
type Finding struct {
	ID      string `json:"id"`   // fingerprint: the same for the same edit in later runs
	Rule    string `json:"rule"` // see Explain
	Class   Class  `json:"class"`
	Summary string `json:"summary"` // one sentence
	Reason  string `json:"reason"`  // why it has its class
	Keyword string `json:"keyword,omitempty"`
	// Old and New are the places of the edit; nil where there is none.
	Old *Place `json:"old,omitempty"`
	New *Place `json:"new,omitempty"`
	// Also are the places of the same edit elsewhere, where the document writes one
	// schema out more than once.
	Also []Place `json:"also,omitempty"`
	// Hits says who is hit, in words, for each way round.
	Hits    []Hit    `json:"hits"`
	Reach   Reach    `json:"reach"`
	Witness *Witness `json:"witness,omitempty"`
	Ignored *Ignored `json:"ignored,omitempty"`
}

// Place is a place in a document.
type Place struct {
	File    string `json:"file"`
	Pointer string `json:"pointer"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Text    string `json:"text,omitempty"` // what is written there, shortened
	part    string // the file, as the description names it that it is a part of; "" for a document itself
}

// name is what tells the place from others of its version, whatever the file of the version is called.
func (p *Place) name() string {
	if p.part == "" {
		return p.Pointer
	}
	return p.part + "#" + p.Pointer
}

// Hit is one pair of peers of different age.
type Hit struct {
	Peers  string `json:"peers"` // "old client with new host"
	Breaks bool   `json:"breaks"`
	Words  string `json:"words"`
}

// Reach is what an edit concerns.
type Reach struct {
	Count int      `json:"count"`
	First []string `json:"first"` // some of them, in document order
}

// Witness is a message that proves a break.
type Witness struct {
	// Message is JSON; or, where a whole exchange is what breaks, a request line.
	Message     string `json:"message"`
	In          string `json:"in"`          // which message it is
	AcceptedBy  string `json:"accepted_by"` // "old" or "new"
	RefusedBy   string `json:"refused_by"`
	Keyword     string `json:"keyword"`            // that refuses it
	Instance    string `json:"instance,omitempty"` // pointer into the message
	Schema      string `json:"schema,omitempty"`   // pointer into the refusing document
	Explanation string `json:"explanation,omitempty"`
}

// Ignored says why a finding does not count.
type Ignored struct {
	Reason  string `json:"reason"`
	Expires string `json:"expires"`
}

// finish sorts and counts the findings and gives the verdict.
func (r *Report) finish() {
	slices.SortStableFunc(r.Findings, func(x, y Finding) int { return x.Class.rank() - y.Class.rank() })
	r.Counts, r.Verdict = Counts{}, Compatible
	for _, f := range r.Findings {
		if f.Ignored != nil {
			r.Counts.Ignored++
			continue
		}
		switch f.Class {
		case Breaking:
			r.Counts.Breaking++
		case Undecided:
			r.Counts.Undecided++
		case Risky:
			r.Counts.Risky++
		case Compatible:
			r.Counts.Compatible++
		}
		if f.Class.rank() < r.Verdict.rank() {
			r.Verdict = f.Class
		}
	}
}

// Add puts findings of another origin into the report, of the bindings for
// instance, and judges anew.
func (r *Report) Add(findings ...Finding) {
	r.Findings = append(r.Findings, findings...)
	r.finish()
}

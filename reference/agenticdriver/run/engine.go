package run

import (
	"context"
	"log/slog"
	"strings"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/session"
)

// Features are the parts of the protocol that a host may leave out.
type Features struct {
	ApplicationTools, Approvals, Sessions, Jobs, Idempotency bool
	Retrieval, PDF, References, Pairing, Management, Setup   bool
}

// Retriever searches documents for a run.
type Retriever interface {
	Search(ctx context.Context, p *config.Principal, req *protocol.RetrievalSearch) (*protocol.RetrievalResult, error)
}

// Engine is what runs need of the host around them.
type Engine struct {
	Config     func() *config.Document
	Adapter    func(*config.Provider) model.Adapter
	Tools      map[string]*HostTool
	Features   Features
	Admission  *Admission
	Sessions   *session.Store
	Approvals  *pending.Approvals
	Executions *pending.Executions
	Retrieval  Retriever
	Policy     *policy.Policy
	Log        *slog.Logger
	// Events stands between a run and its queue.
	Events func(r *Run, next func(protocol.RunEvent)) func(protocol.RunEvent)
}

// Run is one run on its way.
type Run struct {
	ID        string
	Plan      *Plan
	Principal *config.Principal
	Ticket    *Ticket
	Turn      *session.Turn // nil: not in a session
	Optional  bool          // the client takes advisory events
	Queue     *Queue
	// Recheck looks at the caller's authority once more after a wait for a slot;
	// nil: it cannot have changed.
	Recheck func() error
	// Record takes the events that a replay repeats, as JSON, before the last of
	// them is shown to anybody; no events: they were too much to keep. nil: the run
	// is not recorded.
	Record func(events []wire.Raw, terminal protocol.RunEvent)
}

// Recorded tells whether a replay repeats the event.
func Recorded(ev protocol.RunEvent) bool {
	switch ev.(type) {
	case *protocol.RunStarted, *protocol.StepStarted, *protocol.ToolCalled, *protocol.ToolCompleted, *protocol.UsageReported,
		*protocol.RunCompleted, *protocol.RunFailed:
		return true
	}
	return false
}

// searchOf is the search that a run asks for.
func searchOf(req *protocol.RunRequest) (*protocol.RetrievalSearch, error) {
	r := req.Retrieval
	s := &protocol.RetrievalSearch{Corpus: r.Corpus, SourceIDs: r.SourceIDs, Query: strings.TrimSpace(r.Query.Or(req.Input)),
		Limit: r.Limit, MaxContextBytes: r.MaxContextBytes, MinScore: r.MinScore}
	if s.Query == "" || len(s.Query) > maxQuery || repeated(s.SourceIDs) {
		return nil, failure.New(protocol.ErrorCodeINVALIDRETRIEVAL, "The query is blank or too long, or a source is named twice.")
	}
	return s, nil
}

// maxQuery bounds a query, in bytes.
const maxQuery = 16_384

// Reauthorise checks that what a run rested on may still be seen.
func (e *Engine) Reauthorise(plan *Plan, p *config.Principal) error {
	for i := range plan.attached {
		if c := plan.attached[i]; c.reference != nil {
			if _, err := Resolve(e.Config().References, p.Subject(), c.reference); err != nil {
				return err
			}
		}
	}
	return nil
}

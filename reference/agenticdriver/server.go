package agenticdriver

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/job"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model/openai"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model/scripted"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/operation"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pairing"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/retrieval"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/session"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/settings"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/signin"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/store"
)

// server is one host.
type server struct {
	log        *slog.Logger
	edges      *edges
	db         *store.DB
	stage      *scripted.Stage
	settings   *settings.Store
	engine     *run.Engine
	operations *operation.Store
	jobs       *job.Store
	retrieval  *retrieval.Service
	pairing    *pairing.Store
	signin     *signin.Desk
	discovery  *discovery
	routes     map[string]route
	paths      map[string]bool // with any method
	tls        bool

	principals map[[sha256.Size]byte]*config.Principal
	state      atomic.Int32 // starting, serving, closing
	requests   gate
	runs       sync.WaitGroup     // those that somebody waits for; jobs look after their own
	ctx        context.Context    // of the runs: ends with the host
	stop       context.CancelFunc // ends it
}

// gate counts those inside, until it closes.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

// enter lets one in; false once the gate is closed.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.inside.Add(1)
	}
	return !g.closed
}

func (g *gate) leave() { g.inside.Done() }

// close lets nobody in any more and waits for those inside.
func (g *gate) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
}

// States of a host.
const (
	starting int32 = iota
	serving
	closing
)

// newServer makes a host of a configuration. It serves nothing yet.
func newServer(o Options, doc *config.Document, e *edges) (*server, error) {
	features, err := featuresOf(doc, o.Without)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(o.State)
	if err != nil {
		return nil, err
	}
	s := &server{log: slog.New(slog.NewJSONHandler(o.Stderr, nil)), edges: e, db: db, stage: scripted.NewStage(),
		principals: map[[sha256.Size]byte]*config.Principal{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	for _, p := range doc.Principals {
		s.principals[p.Digest] = p
	}
	if err := s.assemble(doc, features); err != nil {
		_ = db.Close()
		return nil, err
	}
	s.register()
	return s, nil
}

func (s *server) assemble(doc *config.Document, features run.Features) (err error) {
	limits := doc.Limits
	if s.settings, err = settings.NewStore(doc, &s.edges.policy); err != nil {
		return err
	}
	tools, err := run.HostTools(doc.Tools, s.stage)
	if err != nil {
		return err
	}
	s.engine = &run.Engine{Config: s.settings.Document, Adapter: s.adapter, Tools: tools, Features: features, Log: s.log,
		Admission:  run.NewAdmission(limits.Slots, limits.SlotsPerSubject, limits.Queue),
		Sessions:   session.NewStore(limits.Sessions, config.Duration(limits.SessionRetentionMs), &s.edges.policy),
		Approvals:  pending.NewApprovals(limits.Approvals, &s.edges.policy),
		Executions: pending.NewExecutions(limits.Executions, &s.edges.policy),
		Events:     s.edges.events, Policy: &s.edges.policy}
	if s.retrieval, err = retrieval.NewService(s.db, doc, features.PDF, &s.edges.policy); err != nil {
		return err
	}
	s.engine.Retrieval = s.retrieval
	if s.operations, err = operation.NewStore(s.db, limits.Operations, &s.edges.policy); err != nil {
		return err
	}
	if s.pairing, err = pairing.NewStore(s.db, limits.Connections, &s.edges.policy); err != nil {
		return err
	}
	s.signin = signin.NewDesk(s.settings, s.stage, config.Duration(limits.SetupMs), &s.edges.policy)
	s.jobs, err = job.NewStore(s.db, s.engine, s.authority, job.Options{Limit: limits.Jobs, Workers: limits.JobWorkers,
		Retention: config.Duration(limits.JobRetentionMs), Lease: config.Duration(limits.JobLeaseMs),
		Poll: config.Duration(limits.JobPollMs), Policy: &s.edges.policy})
	s.discovery = newDiscovery(s.adapter, config.Duration(limits.DiscoveryCacheMs))
	return err
}

// adapter gives the adapter of a provider.
func (s *server) adapter(p *config.Provider) model.Adapter {
	switch p.Kind {
	case config.KindOpenAICompatible:
		return &openai.Provider{BaseURL: p.BaseURL, Key: func() (string, error) { return settings.Secret(p.KeyRef) }}
	case config.KindCodex: // signed in at the stand-in, run by it
		return &scripted.Provider{Stage: s.stage}
	}
	return &scripted.Provider{Stage: s.stage, Inventory: p.Catalog, Plain: p.Script}
}

// authority gives the principal that a credential stands for now; nil if it
// stands for nobody any more.
func (s *server) authority(principalID string) (*config.Principal, error) {
	for _, p := range s.principals {
		if p.ID == principalID {
			return p, nil
		}
	}
	return s.pairing.ByPrincipal(principalID)
}

// close ends what goes on behind the wire.
func (s *server) close() {
	s.stop()
	s.requests.close()
	s.runs.Wait()
	s.jobs.Close()
	s.signin.Close()
	s.settings.Close()
	if err := s.db.Close(); err != nil {
		s.log.Warn("the state file could not be closed", "error", err)
	}
}

// ready refuses requests that come too early or too late.
func (s *server) ready() error {
	switch s.state.Load() {
	case starting:
		return failure.New(protocol.ErrorCodeHOSTSTARTING, "The host is starting.")
	case closing:
		return shuttingDown
	}
	return nil
}

var shuttingDown = failure.New(protocol.ErrorCodeHOSTSHUTTINGDOWN, "The host is shutting down.")

// handler is the whole host as a handler, with its outer edge.
func (s *server) handler() http.Handler {
	var h http.Handler = http.HandlerFunc(s.serve)
	if s.edges.handler != nil {
		h = s.edges.handler(h)
	}
	return h
}

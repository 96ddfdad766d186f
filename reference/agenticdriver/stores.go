package agenticdriver

import (
	"net/http"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/session"
)

var forbidden = failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow this.")

// createSession is POST /v1/sessions/create.
func (s *server) createSession(c *call) (answer, error) {
	if err := s.sessionsOn(); err != nil {
		return nil, err
	}
	req, err := decode(c.body, protocol.DecodeSessionCreate, protocol.ErrorCodeINVALIDSESSION)
	if err != nil {
		return nil, err
	}
	p := s.settings.Document().Provider(req.Provider)
	switch {
	case !c.principal.MayUse(req.Provider) || !c.principal.MayHold(protocol.SessionPermissionCreate) && !s.edges.policy.SessionGrantsUnchecked:
		return nil, forbidden
	case p == nil:
		return nil, failure.New(protocol.ErrorCodeUNKNOWNPROVIDER, "There is no such provider.")
	case !p.Can(session.Capability(req.Mode)) && !s.edges.policy.AnyContinuation:
		return nil, failure.New(protocol.ErrorCodeUNSUPPORTEDCONTINUATION, "The provider does not continue sessions of this mode.")
	case !p.Allows(req.Model):
		return nil, failure.New(protocol.ErrorCodeUNSUPPORTEDMODEL, "The provider does not run this model.")
	case p.AccountID == "":
		return nil, failure.New(protocol.ErrorCodeSESSIONACCOUNTREQUIRED, "The provider is not bound to an account.")
	}
	return give(s.engine.Sessions.Create(c.principal, p.AccountID, &req))
}

func (s *server) sessionsOn() error {
	if !s.engine.Features.Sessions {
		return failure.New(protocol.ErrorCodeSESSIONSUNAVAILABLE, "The host keeps no sessions.")
	}
	return nil
}

// readSession is POST /v1/sessions/read.
func (s *server) readSession(c *call) (answer, error) {
	id, err := s.sessionID(c)
	if err != nil {
		return nil, err
	}
	return give(s.engine.Sessions.Read(c.principal, id, func(provider string) string {
		if p := s.settings.Document().Provider(provider); p != nil {
			return p.AccountID
		}
		return ""
	}))
}

// deleteSession is POST /v1/sessions/delete.
func (s *server) deleteSession(c *call) (answer, error) {
	id, err := s.sessionID(c)
	if err != nil {
		return nil, err
	}
	return give(s.engine.Sessions.Delete(c.principal, id))
}

func (s *server) sessionID(c *call) (string, error) {
	if err := s.sessionsOn(); err != nil {
		return "", err
	}
	id, err := decode(c.body, protocol.DecodeSessionIdentity, protocol.ErrorCodeINVALIDSESSION)
	return id.ID, err
}

func (s *server) jobsOn() error {
	if !s.engine.Features.Jobs {
		return failure.New(protocol.ErrorCodeJOBSUNAVAILABLE, "The host keeps no jobs.")
	}
	return nil
}

// submitJob is POST /v1/jobs/submit.
func (s *server) submitJob(c *call) (answer, error) {
	if err := s.jobsOn(); err != nil {
		return nil, err
	}
	req, err := decode(c.body, protocol.DecodeJobSubmit, protocol.ErrorCodeINVALIDJOB)
	if err != nil {
		return nil, err
	}
	if !c.principal.MayDo(protocol.JobPermissionSubmit) && !s.edges.policy.JobGrantsUnchecked {
		return nil, forbidden
	}
	if r := &req.Request; r.Session != nil || r.ApplicationTools != nil || r.Approvals != nil || r.IdempotencyKey.Set {
		return nil, failure.New(protocol.ErrorCodeJOBREQUESTUNSUPPORTED, "A job has neither session, application tools, approvals nor idempotency key.")
	}
	plan, err := s.engine.Validate(&req.Request, c.principal)
	if err != nil {
		return nil, err
	}
	if err := s.engine.Authorise(plan, c.principal); err != nil {
		return nil, err
	}
	if plan.Provider.AccountID == "" {
		return nil, failure.New(protocol.ErrorCodeJOBACCOUNTREQUIRED, "The provider is not bound to an account.")
	}
	return give(s.jobs.Submit(c.principal, req.Key, plan))
}

// readJob is POST /v1/jobs/read.
func (s *server) readJob(c *call) (answer, error) {
	id, err := s.jobID(c)
	if err != nil {
		return nil, err
	}
	return give(s.jobs.Read(c.principal, id))
}

// cancelJob is POST /v1/jobs/cancel.
func (s *server) cancelJob(c *call) (answer, error) {
	id, err := s.jobID(c)
	if err != nil {
		return nil, err
	}
	return give(s.jobs.Cancel(c.principal, id))
}

func (s *server) jobID(c *call) (string, error) {
	if err := s.jobsOn(); err != nil {
		return "", err
	}
	id, err := decode(c.body, protocol.DecodeJobIdentity, protocol.ErrorCodeINVALIDJOB)
	return id.ID, err
}

// jobEvents is POST /v1/jobs/events.
func (s *server) jobEvents(c *call) (answer, error) {
	if err := s.jobsOn(); err != nil {
		return nil, err
	}
	req, err := decode(c.body, protocol.DecodeJobEventsRequest, protocol.ErrorCodeINVALIDJOBCURSOR)
	if err != nil {
		return nil, err
	}
	return give(s.jobs.Events(c.principal, &req))
}

// documents carries out work on documents, which takes a slot.
func documents[T any, R answer](s *server, c *call, read func([]byte) (T, error), may func(*config.Principal, *T) bool, do func(*T) (R, error)) (answer, error) {
	req, err := read(c.body)
	if err != nil {
		return nil, err
	}
	if !may(c.principal, &req) && !s.edges.policy.RetrievalGrantsUnchecked {
		return nil, failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow this with the corpus.")
	}
	if !s.engine.Features.Retrieval {
		return nil, failure.New(protocol.ErrorCodeRETRIEVALUNAVAILABLE, "The host has no retrieval.")
	}
	ticket, err := s.engine.Admission.Reserve(c.principal.Subject())
	if err != nil {
		return nil, err
	}
	defer ticket.Release()
	if err := ticket.Wait(c.r.Context()); err != nil {
		return nil, failure.New(protocol.ErrorCodeCANCELLED, "The caller has gone.")
	}
	return give(do(&req))
}

// searchContext is POST /v1/retrieval/search.
func (s *server) searchContext(c *call) (answer, error) {
	return documents(s, c, func(b []byte) (protocol.RetrievalSearch, error) {
		return decode(b, protocol.DecodeRetrievalSearch, protocol.ErrorCodeINVALIDRETRIEVAL)
	}, func(p *config.Principal, req *protocol.RetrievalSearch) bool { return p.MaySearch(req.Corpus) },
		func(req *protocol.RetrievalSearch) (*protocol.RetrievalResult, error) {
			return s.retrieval.Search(c.r.Context(), c.principal, req)
		})
}

// indexContext is POST /v1/retrieval/index.
func (s *server) indexContext(c *call) (answer, error) {
	return documents(s, c, func(b []byte) (protocol.RetrievalIndexRequest, error) {
		return decode(b, protocol.DecodeRetrievalIndexRequest, protocol.ErrorCodeINVALIDRETRIEVAL)
	}, func(p *config.Principal, req *protocol.RetrievalIndexRequest) bool { return p.MayIndex(req.Corpus) },
		s.retrieval.Index)
}

// ingestContext is POST /v1/retrieval/ingest.
func (s *server) ingestContext(c *call) (answer, error) {
	return documents(s, c, func(b []byte) (protocol.IngestRequest, error) {
		req, err := decode(b, protocol.DecodeIngestRequest, protocol.ErrorCodeINVALIDRETRIEVAL)
		if err == nil {
			err = checkMessages(req.Document)
		}
		return req, err
	}, func(p *config.Principal, req *protocol.IngestRequest) bool {
		if s.edges.policy.IngestNeedsSearch {
			return p.MaySearch(req.Corpus)
		}
		return p.MayIndex(req.Corpus)
	}, func(req *protocol.IngestRequest) (*protocol.IngestResult, error) {
		return s.retrieval.Ingest(c.r.Context(), c.principal, req)
	})
}

// checkMessages wants the messages of a thread to have ids of their own.
func checkMessages(d protocol.Document) error {
	email, ok := d.(*protocol.EmailDocument)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for i := range email.Messages {
		if id := email.Messages[i].ID; seen[id] {
			return failure.New(protocol.ErrorCodeINVALIDRETRIEVAL, "Two messages have the same id.")
		} else {
			seen[id] = true
		}
	}
	return nil
}

// deleteContext is POST /v1/retrieval/delete.
func (s *server) deleteContext(c *call) (answer, error) {
	return documents(s, c, func(b []byte) (protocol.RetrievalDelete, error) {
		return decode(b, protocol.DecodeRetrievalDelete, protocol.ErrorCodeINVALIDRETRIEVAL)
	}, func(p *config.Principal, req *protocol.RetrievalDelete) bool { return p.MayDelete(req.Corpus) },
		s.retrieval.Delete)
}

// exchangeInvitation is POST /v1/connections/exchange: the bearer is the
// invitation's code.
func (s *server) exchangeInvitation(w http.ResponseWriter, r *http.Request) (answer, error) {
	body, err := s.readBody(w, r)
	if err != nil {
		return nil, err
	}
	code := bearer(r)
	if _, err := decode(body, protocol.DecodeExchangeInvitationRequest, protocol.ErrorCodeINVALIDINVITATION); err != nil && !s.edges.policy.ExchangeBodyIgnored {
		if s.edges.policy.BadExchangeConsumes {
			_, _ = s.pairing.Exchange(code)
		}
		return nil, err
	}
	return give(s.pairing.Exchange(code))
}

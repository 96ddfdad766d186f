package agenticdriver

import (
	"context"
	"strings"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/operation"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// run is POST /v1/runs.
func (s *server) run(c *call) (answer, error) {
	req, err := decode(c.body, protocol.DecodeRunRequest, protocol.ErrorCodeINVALIDREQUEST)
	if err != nil {
		return nil, err
	}
	plan, err := s.engine.Validate(&req, c.principal)
	if err != nil {
		return nil, err
	}
	if s.edges.policy.ReplayBeforeGrants && req.IdempotencyKey.Set {
		if a, err := s.replayRecorded(c, &req); a != nil || err != nil {
			return a, err
		}
	}
	if err := s.engine.Authorise(plan, c.principal); err != nil {
		return nil, err
	}
	ticket, err := s.engine.Admission.Reserve(c.principal.Subject())
	if err != nil {
		return nil, err
	}
	streamed := strings.Contains(strings.Join(c.r.Header.Values("Accept"), ", "), "text/event-stream")
	if !streamed {
		if err := plan.StreamRequired(); err != nil {
			ticket.Release()
			return nil, err
		}
	}
	r := &run.Run{ID: uuid.NewString(), Plan: plan, Principal: c.principal, Ticket: ticket,
		Optional: c.r.Header.Get("AgenticDriver-Accept-Optional-Events") == "true", Recheck: s.recheck(c.principal, plan)}
	parent := c.r.Context()
	if s.edges.policy.Detached(streamed) {
		parent = context.WithoutCancel(parent)
	}
	ctx, cancel := context.WithCancelCause(parent)
	claim, err := s.begin(r, cancel)
	if err != nil || claim != nil && !claim.Fresh {
		ticket.Release()
		cancel(nil)
		if err != nil {
			return nil, err
		}
		return s.replay(c, claim, streamed)
	}
	r.Queue = run.NewQueue(r.ID, func() {
		cancel(failure.New(protocol.ErrorCodeOUTPUTBUFFERLIMIT, "The events of the run were not read in time."))
	})
	s.runs.Go(func() {
		defer context.AfterFunc(s.ctx, func() { cancel(failure.New(protocol.ErrorCodeCANCELLED, "The host is shutting down.")) })()
		s.engine.Execute(ctx, cancel, r)
	})
	if streamed {
		gone := cancel
		if s.edges.policy.StreamsDetached {
			gone = func(error) {}
		}
		s.stream(c.w, c.r, r.Queue, gone)
		return nil, nil
	}
	return await(c.r.Context(), r.Queue)
}

// recheck gives what looks at a principal's authority again after a wait.
func (s *server) recheck(p *config.Principal, plan *run.Plan) func() error {
	return func() error {
		now, err := s.authority(p.ID)
		if err != nil {
			return failure.New(protocol.ErrorCodeAUTHUNAVAILABLE, "The token cannot be checked.")
		}
		if now == nil {
			return failure.New(protocol.ErrorCodeFORBIDDEN, "The token is not valid any more.")
		}
		return s.engine.Authorise(plan, now)
	}
}

// begin claims the idempotency key and the session. A claim that is not fresh
// is to be replayed.
func (s *server) begin(r *run.Run, cancel context.CancelCauseFunc) (*operation.Claim, error) {
	req := r.Plan.Request
	var claim *operation.Claim
	if key, ok := req.IdempotencyKey.Get(); ok {
		text := req.AppendJSON(nil)
		fingerprint, err := canonical.Digest(text)
		if err != nil {
			return nil, err
		}
		if s.edges.policy.FingerprintOfText {
			fingerprint = canonical.SHA256(text)
		}
		if claim, err = s.operations.Claim(r.Principal.Subject(), key, fingerprint, r.ID); err != nil {
			return nil, err
		}
		if !claim.Fresh {
			if req.Session != nil {
				err = s.engine.Sessions.Access(r.Principal, req.Session.ID)
			}
			return claim, err
		}
		r.Record = func(events []wire.Raw, _ protocol.RunEvent) {
			if events == nil {
				s.operations.Abandon(r.ID)
				return
			}
			if err := s.operations.Record(r.ID, events); err != nil {
				s.log.Error("the record of a run could not be kept", "run", r.ID, "error", err)
			}
		}
	}
	if req.Session != nil {
		turn, err := s.engine.Sessions.Begin(r.Principal, r.Plan.Provider, req, cancel)
		if err != nil {
			if claim != nil {
				s.operations.Abandon(r.ID)
			}
			return nil, err
		}
		r.Turn = turn
	}
	return claim, nil
}

// await empties the queue of a run for its result.
func await(ctx context.Context, q *run.Queue) (answer, error) {
	for {
		ev, over := q.Take()
		if over {
			return nil, failure.New(protocol.ErrorCodeINTERNALERROR, "The run ended without a result.")
		}
		if ev == nil {
			select {
			case <-q.Signal():
				continue
			case <-ctx.Done():
				return nil, failure.New(protocol.ErrorCodeCANCELLED, "The caller has gone.")
			}
		}
		if result, failed := run.Terminal(ev); result != nil {
			return result, nil
		} else if failed != nil {
			return nil, failure.FromInfo(*failed)
		}
	}
}

// replay repeats a recorded run.
func (s *server) replay(c *call, claim *operation.Claim, streamed bool) (answer, error) {
	q := run.NewQueue(claim.RunID, nil)
	uncertain := failure.New(protocol.ErrorCodeOPERATIONUNCERTAIN, "What became of the run with this key is not known.")
	for _, text := range claim.Events {
		ev, err := protocol.DecodeRunEvent(text)
		if err != nil {
			return nil, err
		}
		q.Put(ev)
	}
	if !claim.Ended {
		if len(claim.Events) == 0 && streamed {
			req, err := decode(c.body, protocol.DecodeRunRequest, protocol.ErrorCodeINVALIDREQUEST)
			if err != nil {
				return nil, err
			}
			q.Put(&protocol.RunStarted{Provider: req.Provider, Model: req.Model})
		}
		q.Put(&protocol.RunFailed{Type: protocol.RunFailedTypeRunFailed, Error: uncertain.Info()})
	}
	q.End()
	if streamed {
		s.stream(c.w, c.r, q, func(error) {})
		return nil, nil
	}
	return await(c.r.Context(), q)
}

// replayRecorded repeats the run of a key whoever asks; nil if there is none.
func (s *server) replayRecorded(c *call, req *protocol.RunRequest) (answer, error) {
	claim, err := s.operations.Find(c.principal.Subject(), req.IdempotencyKey.Value)
	if claim == nil || err != nil {
		return nil, err
	}
	return s.replay(c, claim, false)
}

// decideApproval is POST /v1/approvals/decisions.
func (s *server) decideApproval(c *call) (answer, error) {
	if !s.engine.Features.Approvals {
		return nil, failure.New(protocol.ErrorCodeAPPROVALNOTFOUND, "The host takes no interactive decisions.")
	}
	d, err := decode(c.body, protocol.DecodeApprovalDecision, protocol.ErrorCodeINVALIDAPPROVAL)
	if err != nil {
		return nil, err
	}
	return give(s.engine.Approvals.Decide(c.principal, &d))
}

// reportToolProgress is POST /v1/tool-executions/progress.
func (s *server) reportToolProgress(c *call) (answer, error) {
	id, err := decode(c.body, protocol.DecodeToolExecutionIdentity, protocol.ErrorCodeINVALIDTOOLEXECUTION)
	if err != nil {
		return nil, err
	}
	return give(s.engine.Executions.Report(c.principal, &id))
}

// completeTool is POST /v1/tool-executions/results.
func (s *server) completeTool(c *call) (answer, error) {
	result, err := decode(c.body, protocol.DecodeToolExecutionResult, protocol.ErrorCodeINVALIDTOOLEXECUTION)
	if err != nil {
		return nil, err
	}
	return give(s.engine.Executions.Complete(c.principal, result))
}

// give makes an answer out of what a store gives: a nil pointer must not become
// an answer.
func give[T answer](v T, err error) (answer, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

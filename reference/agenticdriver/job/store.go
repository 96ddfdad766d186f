package job

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/store"
)

// Options bound a store.
type Options struct {
	Limit     int           // jobs kept, tombstones included
	Workers   int           // jobs that run at a time
	Retention time.Duration // of an ended job's events
	Lease     time.Duration // after which a silent worker counts as lost
	Poll      time.Duration // between looks at authority and leases
	Policy    *policy.Policy
}

// Store keeps jobs and runs them.
type Store struct {
	db        *store.DB
	engine    *run.Engine
	authority func(principalID string) (*config.Principal, error)
	o         Options
	owner     string

	mu      sync.Mutex
	running map[int64]*work // by number
	waiting bool            // jobs may be queued
	closed  bool
	wake    chan struct{}
	ctx     context.Context
	stop    context.CancelFunc
	workers sync.WaitGroup
}

// NewStore makes a store and starts its workers.
func NewStore(db *store.DB, engine *run.Engine, authority func(string) (*config.Principal, error), o Options) (*Store, error) {
	if err := db.Create(tables); err != nil {
		return nil, err
	}
	s := &Store{db: db, engine: engine, authority: authority, o: o, owner: uuid.NewString(), running: map[int64]*work{},
		wake: make(chan struct{}, 1)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.workers.Go(s.dispatch)
	return s, nil
}

var (
	broken     = failure.New(protocol.ErrorCodeJOBSTOREERROR, "The host cannot read or write its jobs.")
	notFound   = failure.New(protocol.ErrorCodeJOBNOTFOUND, "There is no such job.")
	gone       = failure.New(protocol.ErrorCodeJOBEXPIRED, "The job has expired.")
	forbidden  = failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow this with the job.")
	cancelled  = failure.New(protocol.ErrorCodeCANCELLED, "The job was cancelled.")
	storeIsOff = failure.New(protocol.ErrorCodeJOBSTORECLOSED, "The host takes no jobs any more.")
)

// told makes an error of the database one for callers.
func told(err error) error {
	if _, known := errors.AsType[*failure.Error](err); err == nil || known {
		return err
	}
	return broken
}

// Submit keeps a job, or gives the one that the subject's key stands for. The
// request has been validated and authorised.
func (s *Store) Submit(p *config.Principal, key string, plan *run.Plan) (*protocol.JobInfo, error) {
	text := plan.Request.AppendJSON(nil)
	fingerprint, err := canonical.Digest(text)
	if err != nil {
		return nil, err
	}
	now := time.Now().UnixMilli()
	var job *row
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, storeIsOff
	}
	if s.o.Policy.JobKeyIgnored {
		key = uuid.NewString()
	}
	err = s.db.Do(func(tx *sql.Tx) error {
		had, err := list(tx, `subject = ? AND key = ?`, p.Subject(), key)
		if err != nil {
			return err
		}
		if len(had) > 0 {
			job = had[0]
			switch {
			case job.fingerprint != fingerprint && !s.o.Policy.JobKeyConflictUnnoticed:
				return failure.New(protocol.ErrorCodeIDEMPOTENCYCONFLICT, "The key was used with another request.")
			case job.over(now):
				return gone
			}
			return nil
		}
		var n int
		if err := tx.QueryRow(`SELECT count(*) FROM jobs`).Scan(&n); err != nil {
			return err
		}
		if n >= s.o.Limit {
			return failure.New(protocol.ErrorCodeJOBSTOREFULL, "The host can keep no more jobs.")
		}
		job = &row{id: uuid.NewString(), run: uuid.NewString(), provider: plan.Request.Provider, model: plan.Request.Model,
			state: string(protocol.JobStateQueued), created: now, updated: now}
		_, err = tx.Exec(`INSERT INTO jobs (id, run, subject, key, principal, fingerprint, request, provider, model, account, state, created, updated)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, job.id, job.run, p.Subject(), key, p.ID, fingerprint, string(text), job.provider,
			job.model, plan.Provider.AccountID, job.state, now, now)
		return err
	})
	if err != nil {
		return nil, told(err)
	}
	s.waiting = true
	s.notify()
	return s.shown(job), nil
}

// shown is the job as callers see it.
func (s *Store) shown(r *row) *protocol.JobInfo {
	i := r.info()
	if s.o.Policy.JobExpiryAlways && !i.ExpiresAt.Set {
		i.ExpiresAt = wire.Some(stamp(r.updated + s.o.Retention.Milliseconds()))
	}
	if s.o.Policy.FailedJobCompleted && i.State == protocol.JobStateFailed {
		i.State = protocol.JobStateCompleted
	}
	return i
}

func (s *Store) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// find looks a job up for a caller with the permission.
func (s *Store) find(p *config.Principal, id string, permission protocol.JobPermission) (*row, *protocol.RunRequest, error) {
	if !p.MayDo(permission) && !s.o.Policy.JobGrantsUnchecked {
		return nil, nil, forbidden
	}
	rows, err := list(s.db, `id = ?`, id)
	switch {
	case err != nil:
		return nil, nil, broken
	case len(rows) == 0 || rows[0].subject != p.Subject() && !s.o.Policy.JobsShared:
		return nil, nil, notFound
	case rows[0].over(time.Now().UnixMilli()):
		return nil, nil, gone
	}
	req, err := protocol.DecodeRunRequest([]byte(rows[0].request), wire.AllowRepeatedNames())
	if err != nil {
		return nil, nil, broken
	}
	if !s.covers(p, &req) {
		return nil, nil, forbidden
	}
	return rows[0], &req, nil
}

// covers tells whether the grants cover what the job uses.
func (s *Store) covers(p *config.Principal, req *protocol.RunRequest) bool {
	for _, tool := range req.Tools {
		if !p.MayCall(tool) {
			return false
		}
	}
	return p.MayUse(req.Provider) && (req.Retrieval == nil || p.MaySearch(req.Retrieval.Corpus))
}

// Read gives a job.
func (s *Store) Read(p *config.Principal, id string) (*protocol.JobInfo, error) {
	r, _, err := s.find(p, id, protocol.JobPermissionRead)
	if err != nil {
		return nil, err
	}
	return s.shown(r), nil
}

// Cancel ends a job that waits, and asks one that runs to end.
func (s *Store) Cancel(p *config.Principal, id string) (*protocol.JobInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _, err := s.find(p, id, protocol.JobPermissionCancel)
	if err != nil {
		return nil, err
	}
	err = s.db.Do(func(tx *sql.Tx) error {
		// A host beside this one may have begun or ended the job since.
		if r, err = again(tx, r); err != nil {
			return err
		}
		switch {
		case r.terminal() && s.o.Policy.CancelEndedNotFound:
			return notFound
		case r.terminal():
			return nil
		}
		r.cancel, r.updated = true, max(time.Now().UnixMilli(), r.updated)
		if _, err := tx.Exec(`UPDATE jobs SET cancel = 1, updated = ? WHERE number = ?`, r.updated, r.number); err != nil {
			return err
		}
		if r.state == string(protocol.JobStateQueued) && !s.o.Policy.QueuedCancelWaits {
			return appendEvents(tx, r, ending(r, protocol.RunFailedTypeRunCancelled, cancelled), protocol.JobStateCancelled, s.o.Retention)
		}
		return nil
	})
	if err != nil {
		return nil, told(err)
	}
	if w := s.running[r.number]; w != nil && !r.terminal() {
		w.cancel(cancelled)
	}
	info := s.shown(r)
	if s.o.Policy.CancelImmediate && info.State == protocol.JobStateRunning {
		info.State, info.CancelRequested = protocol.JobStateCancelled, false
		info.ExpiresAt = wire.Some(stamp(r.updated + s.o.Retention.Milliseconds()))
	}
	return info, nil
}

// Bounds of a page of events.
const (
	maxPage      = 100
	maxPageBytes = 1_500_000
)

// Events gives a page of a job's events.
func (s *Store) Events(p *config.Principal, req *protocol.JobEventsRequest) (*protocol.JobEventPage, error) {
	r, asked, err := s.find(p, req.ID, protocol.JobPermissionRead)
	if err != nil {
		return nil, err
	}
	if req.After > r.cursor && !s.o.Policy.CursorBeyondEmpty {
		return nil, failure.New(protocol.ErrorCodeINVALIDJOBCURSOR, "The job has no event of that number yet.")
	}
	if err := s.evidence(p, r, asked); err != nil {
		return nil, err
	}
	limit := req.Limit.Or(maxPage)
	if s.o.Policy.PageLimitIgnored {
		limit = maxPage
	}
	page := &protocol.JobEventPage{Events: []protocol.RunEvent{}, NextCursor: req.After}
	rows, err := s.db.Query(`SELECT sequence, event FROM job_events WHERE job = ? AND sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?`,
		r.number, req.After, r.cursor, limit)
	if err != nil {
		return nil, broken
	}
	defer rows.Close()
	size := 0
	for rows.Next() {
		var sequence int64
		var text string
		if rows.Scan(&sequence, &text) != nil {
			return nil, broken
		}
		if size += len(text); len(page.Events) > 0 && size > maxPageBytes {
			break
		}
		ev, err := protocol.DecodeRunEvent([]byte(text), wire.AllowRepeatedNames())
		if err != nil {
			return nil, broken
		}
		page.Events, page.NextCursor = append(page.Events, ev), sequence
	}
	if rows.Err() != nil {
		return nil, broken
	}
	page.Job, page.HasMore = *s.shown(r), page.NextCursor < r.cursor
	return page, nil
}

// evidence looks at the right to what a run rested on, which its events show.
func (s *Store) evidence(p *config.Principal, r *row, req *protocol.RunRequest) error {
	rests := req.Retrieval != nil
	for _, a := range req.Attachments {
		_, reference := a.(*protocol.ReferenceAttachment)
		rests = rests || reference
	}
	if !rests {
		return nil
	}
	if r.state != string(protocol.JobStateCompleted) {
		return failure.New(protocol.ErrorCodeCONTEXTREPLAYUNAVAILABLE, "Events of a job that rests on documents are shown once it is completed.")
	}
	plan, err := s.engine.Validate(req, p)
	if err == nil {
		err = s.engine.Authorise(plan, p)
	}
	if err == nil {
		err = s.engine.Reauthorise(plan, p)
	}
	return err
}

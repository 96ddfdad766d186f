package job

import (
	"context"
	"database/sql"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// work is a job that runs in this process.
type work struct {
	row       *row
	principal string
	cancel    context.CancelCauseFunc
	given     bool // ended from outside: what the run still says is dropped
	logged    int  // bytes of its events
}

// Bounds of a job's log.
const (
	maxEvents     = 10_000
	maxEventBytes = 1_500_000
	maxLogBytes   = 64 << 20
	maxBatch      = 1 << 20 // bytes that are gathered before they are written
)

// dispatch starts jobs, and looks after those that run, until the store closes.
func (s *Store) dispatch() {
	poll := time.NewTicker(max(min(s.o.Poll, s.o.Lease/3), time.Millisecond)) // a lease is renewed well before it ends
	defer poll.Stop()
	s.look()
	for {
		s.start()
		select {
		case <-s.ctx.Done():
			return
		case <-s.wake:
		case <-s.engine.Admission.Freed():
		case <-poll.C:
			s.look()
		}
	}
}

// look renews leases, gives up what lost workers left behind, ends jobs whose
// authority is gone and forgets what has expired.
func (s *Store) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.waiting = true // another host may have been given some
	now := time.Now().UnixMilli()
	for _, w := range s.running {
		if p, err := s.authority(w.principal); err == nil && (p == nil || !s.mayRun(p, w.row)) {
			w.cancel(failure.New(protocol.ErrorCodeFORBIDDEN, "The token that submitted the job does not allow it any more."))
		}
	}
	// The database may be busy for a moment; the next look does what this one could not.
	_ = s.db.Do(func(tx *sql.Tx) error {
		if _, err := tx.Exec(`UPDATE jobs SET lease = ? WHERE owner = ? AND state = 'running'`, now+s.o.Lease.Milliseconds(), s.owner); err != nil {
			return err
		}
		if err := s.obey(tx); err != nil {
			return err
		}
		lost, err := list(tx, `state = 'running' AND owner <> ? AND lease < ?`, s.owner, now)
		if err != nil {
			return err
		}
		for _, r := range lost {
			if err := appendEvents(tx, r, ending(r, protocol.RunFailedTypeRunFailed, interrupted), protocol.JobStateInterrupted, s.o.Retention); err != nil {
				return err
			}
		}
		over, err := list(tx, `expires > 0 AND expires <= ? AND state <> ?`, now, expired)
		if err != nil {
			return err
		}
		for _, r := range over {
			if _, err := tx.Exec(`DELETE FROM job_events WHERE job = ?`, r.number); err != nil {
				return err
			}
			if _, err := tx.Exec(`UPDATE jobs SET state = ?, request = '' WHERE number = ?`, expired, r.number); err != nil {
				return err
			}
		}
		return nil
	})
}

var interrupted = failure.New(protocol.ErrorCodeJOBINTERRUPTED, "The job's worker was lost; what the job has done is not known.")

// mayRun tells whether the submitter's authority still covers the job.
func (s *Store) mayRun(p *config.Principal, r *row) bool {
	req, err := protocol.DecodeRunRequest([]byte(r.request), wire.AllowRepeatedNames())
	return err == nil && p.MayDo(protocol.JobPermissionSubmit) && s.covers(p, &req)
}

// obey carries out what other hosts on the file have done to the jobs that run
// here: asked for their end, or taken them for lost.
func (s *Store) obey(tx *sql.Tx) error {
	rows, err := tx.Query(`SELECT number, cancel FROM jobs WHERE owner = ? AND state = 'running'`, s.owner)
	if err != nil {
		return err
	}
	defer rows.Close()
	asked := map[int64]bool{} // whether to end, of those that are still ours
	for rows.Next() {
		var number int64
		var cancel bool
		if err := rows.Scan(&number, &cancel); err != nil {
			return err
		}
		asked[number] = cancel
	}
	for number, w := range s.running {
		cancel, ours := asked[number]
		switch {
		case w.row.terminal():
		case !ours:
			w.given = true
			w.cancel(failure.New(protocol.ErrorCodeJOBLEASELOST, "Another host has taken the job for lost."))
		case cancel:
			w.cancel(cancelled)
		}
	}
	return rows.Err()
}

// start begins as many queued jobs as there are workers and slots for. A
// subject that may begin none does not keep others waiting.
func (s *Store) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.waiting || len(s.running) >= s.o.Workers {
		return
	}
	queued, err := s.queued()
	if err != nil {
		return
	}
	s.waiting = len(queued) > 0
	full := map[string]bool{} // subjects
	for _, q := range queued {
		if len(s.running) >= s.o.Workers {
			return
		}
		if !full[q.subject] {
			full[q.subject] = !s.tryStart(q)
		}
	}
}

// place is where a job stands in the queue.
type place struct {
	number  int64
	subject string
}

func (s *Store) queued() ([]place, error) {
	rows, err := s.db.Query(`SELECT number, subject FROM jobs WHERE state = 'queued' ORDER BY number`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []place
	for rows.Next() {
		var p place
		if err := rows.Scan(&p.number, &p.subject); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, rows.Err()
}

// tryStart begins a job or ends it; false if its subject has to wait.
func (s *Store) tryStart(q place) bool {
	rows, err := list(s.db, `number = ? AND state = 'queued'`, q.number)
	if err != nil || len(rows) == 0 {
		return err == nil
	}
	r := rows[0]
	p, err := s.authority(r.principal)
	if err != nil {
		return false // nobody knows for now: the next look asks again
	}
	plan, err := s.plan(r, p)
	if err != nil {
		s.fail(r, failure.Of(err))
		return true
	}
	ticket := s.engine.Admission.Try(r.subject)
	if ticket == nil {
		return false
	}
	s.begin(r, p, plan, ticket)
	return true
}

// plan checks a queued job against what holds now.
func (s *Store) plan(r *row, p *config.Principal) (*run.Plan, error) {
	if p == nil || !p.MayDo(protocol.JobPermissionSubmit) {
		return nil, failure.New(protocol.ErrorCodeFORBIDDEN, "The token that submitted the job is not valid any more.")
	}
	req, err := protocol.DecodeRunRequest([]byte(r.request), wire.AllowRepeatedNames())
	if err != nil {
		return nil, err
	}
	plan, err := s.engine.Validate(&req, p)
	if err != nil {
		return nil, err
	}
	if plan.Provider.AccountID != r.account {
		return nil, failure.New(protocol.ErrorCodeJOBACCOUNTCHANGED, "The provider is bound to another account now.")
	}
	return plan, s.engine.Authorise(plan, p)
}

// fail ends a job that cannot begin.
func (s *Store) fail(r *row, why *failure.Error) {
	told := failure.New(why.Code, "The job could not be started.")
	_ = s.db.Do(func(tx *sql.Tx) error {
		if n, err := affected(tx.Exec(`UPDATE jobs SET owner = ? WHERE number = ? AND state = 'queued'`, s.owner, r.number)); n != 1 {
			return err // another host was faster
		}
		return appendEvents(tx, r, ending(r, protocol.RunFailedTypeRunFailed, told), protocol.JobStateFailed, s.o.Retention)
	})
}

// affected is how many rows a statement has changed.
func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// begin runs a job, unless another host was faster. That it runs is on the disk
// before it does.
func (s *Store) begin(r *row, p *config.Principal, plan *run.Plan, ticket *run.Ticket) {
	now := max(time.Now().UnixMilli(), r.updated)
	n, err := affected(s.db.Exec(`UPDATE jobs SET state = 'running', owner = ?, lease = ?, updated = ? WHERE number = ? AND state = 'queued'`,
		s.owner, now+s.o.Lease.Milliseconds(), now, r.number))
	if err != nil || n != 1 {
		ticket.Release()
		return
	}
	r.state, r.updated = string(protocol.JobStateRunning), now
	ctx, cancel := context.WithCancelCause(context.Background())
	w := &work{row: r, principal: p.ID, cancel: cancel}
	s.running[r.number] = w
	one := &run.Run{ID: r.run, Plan: plan, Principal: p, Ticket: ticket, Queue: run.NewQueue(r.run, nil)}
	s.workers.Go(func() { s.engine.Execute(ctx, cancel, one) })
	s.workers.Go(func() { s.commit(w, one.Queue) })
	if r.cancel {
		cancel(cancelled)
	}
}

// commit writes the events of a running job as they come.
func (s *Store) commit(w *work, q *run.Queue) {
	defer func() {
		s.mu.Lock()
		delete(s.running, w.row.number)
		s.mu.Unlock()
		s.notify()
	}()
	var batch [][]byte
	var state protocol.JobState
	size := 0
	for {
		ev, over := q.Take()
		if ev != nil {
			text := ev.AppendJSON(nil)
			batch, size = append(batch, text), size+len(text)
			if end := endState(ev); end != "" {
				state = end
			}
			if size < maxBatch {
				continue
			}
		}
		if len(batch) > 0 && !s.write(w, batch, state) {
			s.interrupt(w)
		}
		batch, size = batch[:0], 0
		if over {
			return
		}
		if ev == nil {
			<-q.Signal()
		}
	}
}

// write commits events; false when the log cannot take them.
func (s *Store) write(w *work, batch [][]byte, state protocol.JobState) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.given {
		return true
	}
	for _, e := range batch {
		w.logged += len(e)
		if len(e) > maxEventBytes || w.logged > maxLogBytes {
			return false
		}
	}
	if w.row.cursor+int64(len(batch)) > maxEvents {
		return false
	}
	before := *w.row
	err := s.db.Do(func(tx *sql.Tx) error { return appendEvents(tx, w.row, batch, state, s.o.Retention) })
	if err != nil {
		*w.row = before
	}
	return err == nil
}

// interrupt ends a job of which nothing more will be known.
func (s *Store) interrupt(w *work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveUp(w)
}

func (s *Store) giveUp(w *work) {
	if w.given {
		return
	}
	w.given = true
	if !w.row.terminal() {
		_ = s.db.Do(func(tx *sql.Tx) error { // if this fails as well, the lease runs out
			return appendEvents(tx, w.row, ending(w.row, protocol.RunFailedTypeRunFailed, interrupted), protocol.JobStateInterrupted, s.o.Retention)
		})
	}
	w.cancel(interrupted)
}

// Close interrupts what runs and leaves what waits for the next process.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	for _, w := range s.running {
		s.giveUp(w)
	}
	s.mu.Unlock()
	s.stop()
	s.workers.Wait()
}

func endState(ev protocol.RunEvent) protocol.JobState {
	switch e := ev.(type) {
	case *protocol.RunCompleted:
		return protocol.JobStateCompleted
	case *protocol.RunFailed:
		if e.Type == protocol.RunFailedTypeRunCancelled {
			return protocol.JobStateCancelled
		}
		return protocol.JobStateFailed
	}
	return ""
}

// ending are the events that end a job from outside its run: with those that
// every job has.
func ending(r *row, kind protocol.RunFailedType, why *failure.Error) [][]byte {
	var events [][]byte
	sequence := r.cursor
	add := func(ev protocol.RunEvent) {
		sequence++
		run.Stamp(ev, r.run, sequence, pending.Stamp(time.Now()))
		events = append(events, ev.AppendJSON(nil))
	}
	if r.cursor == 0 {
		add(&protocol.RunStarted{Provider: r.provider, Model: r.model})
	}
	add(&protocol.RunFailed{Type: kind, Error: why.Info()})
	return events
}

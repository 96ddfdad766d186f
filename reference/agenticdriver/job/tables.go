package job

import (
	"database/sql"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
)

const tables = `
CREATE TABLE IF NOT EXISTS jobs (
	number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, run TEXT NOT NULL, subject TEXT NOT NULL, key TEXT NOT NULL,
	principal TEXT NOT NULL, fingerprint TEXT NOT NULL, request TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
	account TEXT NOT NULL, state TEXT NOT NULL, cursor INTEGER NOT NULL DEFAULT 0, cancel INTEGER NOT NULL DEFAULT 0,
	created INTEGER NOT NULL, updated INTEGER NOT NULL, expires INTEGER NOT NULL DEFAULT 0, lease INTEGER NOT NULL DEFAULT 0,
	owner TEXT NOT NULL DEFAULT '', UNIQUE (subject, key));
CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state, number);
CREATE TABLE IF NOT EXISTS job_events (
	job INTEGER NOT NULL, sequence INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (job, sequence)) WITHOUT ROWID`

// expired is the state of a job of which only its key is left.
const expired = "expired"

// row is a job as it is kept.
type row struct {
	number                                   int64
	id, run, subject, key, principal         string
	fingerprint, request                     string
	provider, model, account, state          string
	cursor, created, updated, expires, lease int64
	cancel                                   bool
	owner                                    string
}

const columns = `number, id, run, subject, key, principal, fingerprint, request, provider, model, account, state, cursor, created, updated, expires, lease, cancel, owner`

func scan(from interface{ Scan(...any) error }) (*row, error) {
	var r row
	err := from.Scan(&r.number, &r.id, &r.run, &r.subject, &r.key, &r.principal, &r.fingerprint, &r.request, &r.provider, &r.model,
		&r.account, &r.state, &r.cursor, &r.created, &r.updated, &r.expires, &r.lease, &r.cancel, &r.owner)
	return &r, err
}

// querier is a database or a transaction.
type querier interface {
	Query(string, ...any) (*sql.Rows, error)
}

func list(q querier, where string, args ...any) ([]*row, error) {
	rows, err := q.Query(`SELECT `+columns+` FROM jobs WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []*row
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// info is the job as callers see it.
func (r *row) info() *protocol.JobInfo {
	i := &protocol.JobInfo{ID: r.id, RunID: r.run, Provider: r.provider, Model: r.model, State: protocol.JobState(r.state),
		Cursor: r.cursor, CancelRequested: r.cancel, CreatedAt: stamp(r.created), UpdatedAt: stamp(r.updated)}
	if r.expires > 0 {
		i.ExpiresAt = wire.Some(stamp(r.expires))
	}
	return i
}

func stamp(ms int64) string { return pending.Stamp(time.UnixMilli(ms)) }

// again reads a job once more.
func again(q querier, r *row) (*row, error) {
	rows, err := list(q, `number = ?`, r.number)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, notFound
	}
	if rows[0].state == expired {
		return nil, gone
	}
	return rows[0], nil
}

// over tells whether only the job's key is left to the callers.
func (r *row) over(now int64) bool { return r.state == expired || r.expires > 0 && now >= r.expires }

// terminal tells whether the job has ended.
func (r *row) terminal() bool {
	return r.state != string(protocol.JobStateQueued) && r.state != string(protocol.JobStateRunning)
}

// appendEvents writes events behind the job's cursor and, with a state, ends
// the job.
func appendEvents(tx *sql.Tx, r *row, events [][]byte, state protocol.JobState, retention time.Duration) error {
	now := max(time.Now().UnixMilli(), r.updated)
	for _, e := range events {
		r.cursor++
		if _, err := tx.Exec(`INSERT INTO job_events (job, sequence, event) VALUES (?, ?, ?)`, r.number, r.cursor, string(e)); err != nil {
			return err
		}
	}
	if state != "" {
		r.state, r.expires = string(state), now+max(retention.Milliseconds(), 1)
	}
	r.updated = now
	_, err := tx.Exec(`UPDATE jobs SET state = ?, cursor = ?, updated = ?, expires = ? WHERE number = ?`,
		r.state, r.cursor, r.updated, r.expires, r.number)
	return err
}

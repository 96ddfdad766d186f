package operation

import (
	"database/sql"
	"encoding/json"
	"errors"
	"sync"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/store"
)

const tables = `
CREATE TABLE IF NOT EXISTS operations (
	subject TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, run TEXT NOT NULL,
	ended INTEGER NOT NULL DEFAULT 0, events TEXT NOT NULL DEFAULT '[]',
	PRIMARY KEY (subject, key))`

// Store holds the keys of a host.
type Store struct {
	db     *store.DB
	limit  int
	policy *policy.Policy

	mu      sync.Mutex
	running map[string]bool // run ids of this process
}

// Claim is what a key stands for.
type Claim struct {
	Fresh  bool       // this request has claimed it
	RunID  string     // of the run that the key belongs to
	Ended  bool       // its last event is on record
	Events []wire.Raw // on record, in order
}

// NewStore makes a store of no more than limit keys.
func NewStore(db *store.DB, limit int, p *policy.Policy) (*Store, error) {
	return &Store{db: db, limit: limit, policy: p, running: map[string]bool{}}, db.Create(tables)
}

var broken = failure.New(protocol.ErrorCodeOPERATIONSTOREERROR, "The host cannot read or write its idempotency keys.")

// Claim takes the key for a run, or says what it already stands for.
func (s *Store) Claim(subject, key, fingerprint, runID string) (*Claim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.policy.KeysShared {
		subject = ""
	}
	var c *Claim
	err := s.db.Do(func(tx *sql.Tx) (err error) { // a host beside this one may claim it as well
		c, err = s.claim(tx, subject, key, fingerprint, runID)
		return err
	})
	if err != nil {
		return nil, told(err)
	}
	if c.Fresh {
		s.running[runID] = true
	}
	return c, nil
}

// told makes an error of the database one for callers.
func told(err error) error {
	if _, known := errors.AsType[*failure.Error](err); known {
		return err
	}
	return broken
}

func (s *Store) claim(tx *sql.Tx, subject, key, fingerprint, runID string) (*Claim, error) {
	var c Claim
	var had, events string
	err := tx.QueryRow(`SELECT fingerprint, run, ended, events FROM operations WHERE subject = ? AND key = ?`, subject, key).
		Scan(&had, &c.RunID, &c.Ended, &events)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return s.take(tx, subject, key, fingerprint, runID)
	case err != nil:
		return nil, err
	case had != fingerprint && !s.policy.KeyConflictUnnoticed:
		return nil, failure.New(protocol.ErrorCodeIDEMPOTENCYCONFLICT, "The key was used with another request.")
	case s.running[c.RunID]:
		return nil, failure.New(protocol.ErrorCodeOPERATIONINPROGRESS, "The run with this key has not ended.")
	}
	return c.read(events)
}

func (c *Claim) read(events string) (*Claim, error) {
	if json.Unmarshal([]byte(events), &c.Events) != nil {
		return nil, broken
	}
	return c, nil
}

// Find gives what the key stands for, whatever the request; nil if nothing has
// ended under it.
func (s *Store) Find(subject, key string) (*Claim, error) {
	var c Claim
	var events string
	err := s.db.QueryRow(`SELECT run, ended, events FROM operations WHERE subject = ? AND key = ? AND ended = 1`, subject, key).
		Scan(&c.RunID, &c.Ended, &events)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, broken
	}
	return c.read(events)
}

func (s *Store) take(tx *sql.Tx, subject, key, fingerprint, runID string) (*Claim, error) {
	var n int
	if err := tx.QueryRow(`SELECT count(*) FROM operations`).Scan(&n); err != nil {
		return nil, err
	}
	if n >= s.limit {
		return nil, failure.New(protocol.ErrorCodeOPERATIONSTOREFULL, "The host can keep no more idempotency keys.")
	}
	_, err := tx.Exec(`INSERT INTO operations (subject, key, fingerprint, run) VALUES (?, ?, ?, ?)`, subject, key, fingerprint, runID)
	return &Claim{Fresh: true, RunID: runID}, err
}

// Record keeps what replays of the run repeat.
func (s *Store) Record(runID string, events []wire.Raw) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, runID)
	text, err := json.Marshal(events)
	if err == nil {
		_, err = s.db.Exec(`UPDATE operations SET ended = 1, events = ? WHERE run = ?`, string(text), runID)
	}
	return err
}

// Abandon leaves the key with a run of which nothing is known.
func (s *Store) Abandon(runID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, runID)
}

package pairing

import (
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/store"
)

const tables = `
CREATE TABLE IF NOT EXISTS invitations (
	id TEXT PRIMARY KEY, digest BLOB NOT NULL UNIQUE, grant_json TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL,
	lifetime INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS connections (
	id TEXT PRIMARY KEY, digest BLOB NOT NULL UNIQUE, grant_json TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL)`

// Defaults of an invitation, in seconds.
const (
	defaultOpen     = 600
	defaultLifetime = 2_592_000
)

// Store holds invitations and connections.
type Store struct {
	db     *store.DB
	limit  int
	policy *policy.Policy

	mu    sync.Mutex
	seen  map[string]*activity // of connections, by id
	codes map[string]string    // of invitations, where they are listed
}

// activity is what this process knows of a connection's requests.
type activity struct {
	last   time.Time
	active int64
}

// NewStore makes a store of no more than limit connections, and as many open
// invitations.
func NewStore(db *store.DB, limit int, p *policy.Policy) (*Store, error) {
	return &Store{db: db, limit: limit, policy: p, seen: map[string]*activity{}, codes: map[string]string{}}, db.Create(tables)
}

var (
	unavailable = failure.New(protocol.ErrorCodeCONNECTIONSTOREUNAVAILABLE, "The host cannot read or write its connections.")
	rejected    = failure.New(protocol.ErrorCodeINVITATIONREJECTED, "There is no such open invitation.")
)

// secret makes 32 random bytes as 43 characters, and their digest.
func secret() (string, []byte) {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	text := base64.RawURLEncoding.EncodeToString(b[:])
	sum := sha256.Sum256([]byte(text))
	return text, sum[:]
}

// Invite opens an invitation.
func (s *Store) Invite(req *protocol.CreateInvitation) (*protocol.ConnectionInvitation, error) {
	code, digest := secret()
	now := time.Now()
	one := &protocol.ConnectionInvitation{ID: uuid.NewString(), Grant: config.CleanGrant(req.Grant), Code: code}
	open := req.ExpiresInSeconds.Or(defaultOpen)
	if s.policy.InvitationShort {
		open = req.ExpiresInSeconds.Or(defaultOpen / 10)
	}
	expires := now.Add(time.Duration(open) * time.Second)
	one.CreatedAt, one.ExpiresAt = pending.Stamp(now), pending.Stamp(expires)
	err := s.db.Do(func(tx *sql.Tx) error {
		if err := s.forget(tx, now); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow(`SELECT count(*) FROM invitations`).Scan(&n); err != nil {
			return err
		}
		if n >= s.limit {
			return failure.New(protocol.ErrorCodeCONNECTIONCAPACITY, "There are too many open invitations.")
		}
		_, err := tx.Exec(`INSERT INTO invitations VALUES (?, ?, ?, ?, ?, ?)`, one.ID, digest, string(one.Grant.AppendJSON(nil)),
			now.UnixMilli(), expires.UnixMilli(), req.ConnectionLifetimeSeconds.Or(defaultLifetime))
		return err
	})
	if err != nil {
		return nil, told(err)
	}
	if s.policy.CodeListed {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.codes[one.ID] = code
	}
	return one, nil
}

// forget removes what has expired.
func (s *Store) forget(tx *sql.Tx, now time.Time) error {
	if s.policy.NeverExpire {
		return nil
	}
	_, err := tx.Exec(`DELETE FROM invitations WHERE expires <= ?`, now.UnixMilli())
	if err == nil {
		_, err = tx.Exec(`DELETE FROM connections WHERE expires <= ?`, now.UnixMilli())
	}
	return err
}

// Exchange trades a code for a connection. Of several that try at once, one
// succeeds.
func (s *Store) Exchange(code string) (*protocol.ConnectionCredentials, error) {
	sum := sha256.Sum256([]byte(code))
	token, digest := secret()
	now := time.Now()
	one := &protocol.ConnectionCredentials{ID: uuid.NewString(), Token: token, CreatedAt: pending.Stamp(now)}
	err := s.db.Do(func(tx *sql.Tx) error {
		var invitation, grant string
		var expires, lifetime int64
		err := tx.QueryRow(`SELECT id, grant_json, expires, lifetime FROM invitations WHERE digest = ?`, sum[:]).
			Scan(&invitation, &grant, &expires, &lifetime)
		if errors.Is(err, sql.ErrNoRows) || err == nil && now.UnixMilli() >= expires && !s.policy.NeverExpire {
			return rejected
		}
		if err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow(`SELECT count(*) FROM connections WHERE expires > ?`, now.UnixMilli()).Scan(&n); err != nil {
			return err
		}
		if n >= s.limit {
			return failure.New(protocol.ErrorCodeCONNECTIONCAPACITY, "There are too many connections.")
		}
		if one.Grant, err = protocol.DecodeGrant([]byte(grant)); err != nil {
			return err
		}
		until := now.Add(time.Duration(lifetime) * time.Second)
		one.ExpiresAt = pending.Stamp(until)
		if !s.policy.InvitationReusable && !s.policy.ExchangeRaces {
			if _, err = tx.Exec(`DELETE FROM invitations WHERE id = ?`, invitation); err != nil {
				return err
			}
		}
		_, err = tx.Exec(`INSERT INTO connections VALUES (?, ?, ?, ?, ?)`, one.ID, digest, grant, now.UnixMilli(), until.UnixMilli())
		return err
	})
	if err == nil && s.policy.ExchangeRaces { // used up a moment later, in a step of its own
		time.AfterFunc(2*time.Second, func() { _, _ = s.db.Exec(`DELETE FROM invitations WHERE digest = ?`, sum[:]) })
	}
	return one, told(err)
}

// told makes an error of the database one for callers.
func told(err error) error {
	if _, known := errors.AsType[*failure.Error](err); err == nil || known {
		return err
	}
	return unavailable
}

// Principal finds the connection that a token belongs to; nil if there is none.
func (s *Store) Principal(digest [sha256.Size]byte) (*config.Principal, error) {
	return s.principal(`digest = ?`, digest[:], digest)
}

// PrincipalID is the id of a connection's principal.
func PrincipalID(connection string) string { return prefix + connection }

const prefix = "connection:"

// ByPrincipal finds the connection with that principal id; nil if there is none
// any more.
func (s *Store) ByPrincipal(id string) (*config.Principal, error) {
	if len(id) < len(prefix) || id[:len(prefix)] != prefix {
		return nil, nil
	}
	return s.principal(`id = ?`, id[len(prefix):], [sha256.Size]byte{})
}

func (s *Store) principal(where string, key any, digest [sha256.Size]byte) (*config.Principal, error) {
	var id, grant string
	err := s.db.QueryRow(`SELECT id, grant_json FROM connections WHERE `+where+` AND expires > ?`, key, time.Now().UnixMilli()).Scan(&id, &grant)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, unavailable
	}
	p := &config.Principal{ID: PrincipalID(id), Digest: digest}
	if p.Grant, err = protocol.DecodeGrant([]byte(grant)); err != nil {
		return nil, unavailable
	}
	return p, nil
}

// Seen counts a request of a connection, until done is called. Principals of
// other kinds are not counted.
func (s *Store) Seen(p *config.Principal) (done func()) {
	if len(p.ID) < len(prefix) || p.ID[:len(prefix)] != prefix {
		return func() {}
	}
	id := p.ID[len(prefix):]
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.seen[id]
	if a == nil {
		a = &activity{}
		s.seen[id] = a
	}
	a.last = time.Now()
	a.active++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		a.active--
	}
}

// Revoke ends an invitation or a connection; false if there is none of that id.
func (s *Store) Revoke(id string) (bool, error) {
	removed := int64(0)
	err := s.db.Do(func(tx *sql.Tx) error {
		for _, table := range []string{"invitations", "connections"} {
			if table == "connections" && s.policy.RevokedWorks {
				removed++
				continue
			}
			r, err := tx.Exec(`DELETE FROM `+table+` WHERE id = ? AND expires > ?`, id, time.Now().UnixMilli())
			if err != nil {
				return err
			}
			n, err := r.RowsAffected()
			if err != nil {
				return err
			}
			removed += n
		}
		return nil
	})
	return removed > 0, told(err)
}

// List gives what has not expired.
func (s *Store) List() (*protocol.ConnectionList, error) {
	list := &protocol.ConnectionList{}
	var err error
	if list.Invitations, err = s.rows("invitations"); err != nil {
		return nil, unavailable
	}
	if list.Connections, err = s.rows("connections"); err != nil {
		return nil, unavailable
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range list.Invitations {
		if code, ok := s.codes[list.Invitations[i].ID]; ok {
			list.Invitations[i].Extra = wire.Members{{Name: "code", Value: wire.AppendString(nil, code)}}
		}
	}
	known := map[string]bool{}
	for i := range list.Connections {
		c := &list.Connections[i]
		known[c.ID] = true
		if a := s.seen[c.ID]; a != nil {
			c.LastSeenAt, c.ActiveRequests = wire.Some(pending.Stamp(a.last)), wire.Some(a.active)
		}
	}
	for id, a := range s.seen {
		if !known[id] && a.active == 0 {
			delete(s.seen, id)
		}
	}
	return list, nil
}

// maxListed bounds each of the two lists.
const maxListed = 1000

func (s *Store) rows(table string) ([]protocol.Connection, error) {
	rows, err := s.db.Query(`SELECT id, grant_json, created, expires FROM `+table+` WHERE expires > ? ORDER BY created, id LIMIT ?`,
		time.Now().UnixMilli(), maxListed)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []protocol.Connection{}
	for rows.Next() {
		var c protocol.Connection
		var grant string
		var created, expires int64
		if err := rows.Scan(&c.ID, &grant, &created, &expires); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(grant), &c.Grant); err != nil {
			return nil, err
		}
		c.CreatedAt, c.ExpiresAt = pending.Stamp(time.UnixMilli(created)), pending.Stamp(time.UnixMilli(expires))
		list = append(list, c)
	}
	return list, rows.Err()
}

package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
)

// Bounds of one session.
const (
	maxMessages = 100
	maxBytes    = 1_000_000
)

// Store holds the sessions of a host.
type Store struct {
	mu        sync.Mutex
	limit     int
	retention time.Duration
	policy    *policy.Policy
	sessions  map[string]*session
}

type session struct {
	info         protocol.SessionInfo
	subject      string
	account      string
	history      []protocol.HistoryMessage
	instructions wire.Opt[string]
	native       wire.Raw
	expires      time.Time
	turn         *Turn // nil: not running
}

// NewStore makes an empty store.
func NewStore(limit int, retention time.Duration, p *policy.Policy) *Store {
	return &Store{limit: limit, retention: retention, policy: p, sessions: map[string]*session{}}
}

var notFound = failure.New(protocol.ErrorCodeSESSIONNOTFOUND, "There is no such session.")

// Create makes a session; the request has been checked against the provider.
func (s *Store) Create(p *config.Principal, account string, req *protocol.SessionCreate) (*protocol.SessionSnapshot, error) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(now)
	if len(s.sessions) >= s.limit {
		return nil, failure.New(protocol.ErrorCodeSESSIONCAPACITY, "There are too many sessions.")
	}
	if tooLarge(req.History, req.Instructions.Or("")) {
		return nil, failure.New(protocol.ErrorCodeSESSIONCONTEXTLIMIT, "The history is too large for a session.")
	}
	one := &session{subject: p.Subject(), account: account, history: slices.Clone(req.History), instructions: req.Instructions,
		info: protocol.SessionInfo{ID: uuid.NewString(), Provider: req.Provider, Model: req.Model, Mode: req.Mode,
			State: protocol.SessionStateReady, CreatedAt: pending.Stamp(now)}}
	if s.policy.SessionStartsAtOne {
		one.info.Revision = 1
	}
	s.touch(one, now)
	s.sessions[one.info.ID] = one
	return one.snapshot(), nil
}

// Read gives a session. It does not extend its life. accountOf gives the
// account that the session's provider is bound to now.
func (s *Store) Read(p *config.Principal, id string, accountOf func(provider string) string) (*protocol.SessionSnapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, err := s.find(p, id, protocol.SessionPermissionRead)
	switch {
	case err != nil:
		return nil, err
	case accountOf(one.info.Provider) != one.account:
		return nil, failure.New(protocol.ErrorCodeSESSIONACCOUNTCHANGED, "The provider is bound to another account now.")
	}
	shown := one.snapshot()
	if s.policy.NativeShown && one.native != nil {
		shown.History = append(shown.History, protocol.HistoryMessage{Role: protocol.HistoryRoleAssistant, Content: string(one.native)})
	}
	return shown, nil
}

// Delete ends a session, and the turn that runs in it.
func (s *Store) Delete(p *config.Principal, id string) (*protocol.SessionDeleteResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, err := s.find(p, id, protocol.SessionPermissionDelete)
	if err != nil {
		return nil, err
	}
	if !s.policy.DeletedStillRead {
		delete(s.sessions, id)
	}
	if one.turn != nil && !s.policy.DeleteLeavesTurn {
		one.turn.cancel(failure.New("SESSION_DELETED", "The session was deleted."))
	}
	return &protocol.SessionDeleteResult{ID: id}, nil
}

// find looks up a session and checks the grants, with the lock held.
func (s *Store) find(p *config.Principal, id string, permission protocol.SessionPermission) (*session, error) {
	s.sweep(time.Now())
	one := s.sessions[id]
	switch {
	case one == nil || one.subject != p.Subject() && !s.policy.SessionsShared:
		return nil, notFound
	case !p.MayHold(permission) && !s.policy.SessionGrantsUnchecked || !p.MayUse(one.info.Provider):
		return nil, failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow this with sessions of this provider.")
	}
	return one, nil
}

// Turn is a run in a session.
type Turn struct {
	History      []protocol.HistoryMessage // before the turn
	Instructions string
	Native       wire.Raw
	store        *Store
	session      *session
	cancel       context.CancelCauseFunc
}

// Access checks what a replay needs: that the session is there and may be
// continued.
func (s *Store) Access(p *config.Principal, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.find(p, id, protocol.SessionPermissionContinue)
	return err
}

// Begin starts a turn. cancel is called when the session is deleted.
func (s *Store) Begin(p *config.Principal, provider *config.Provider, req *protocol.RunRequest, cancel context.CancelCauseFunc) (*Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, err := s.find(p, req.Session.ID, protocol.SessionPermissionContinue)
	if err != nil {
		return nil, err
	}
	switch {
	case provider.ID == one.info.Provider && provider.AccountID != one.account:
		err = failure.New(protocol.ErrorCodeSESSIONACCOUNTCHANGED, "The provider is bound to another account now.")
	case (req.Provider != one.info.Provider || req.Model != one.info.Model) && !s.policy.SessionMoves:
		err = failure.New(protocol.ErrorCodeSESSIONPROVIDERMISMATCH, "The session belongs to another provider or model.")
	case !provider.Can(Capability(one.info.Mode)) && !s.policy.AnyContinuation:
		err = failure.New(protocol.ErrorCodeUNSUPPORTEDCONTINUATION, "The provider does not continue sessions of this mode.")
	case req.Session.Revision != one.info.Revision && !s.policy.StaleRevisionRuns:
		err = failure.New(protocol.ErrorCodeSESSIONREVISIONCONFLICT, "The session has another revision.")
	case one.turn != nil && !s.policy.ConcurrentTurns:
		err = failure.New(protocol.ErrorCodeSESSIONBUSY, "Another turn runs in the session.")
	case one.info.State == protocol.SessionStateInterrupted:
		err = failure.New(protocol.ErrorCodeSESSIONINTERRUPTED, "A turn of the session was interrupted; it cannot go on.")
	case len(one.history)+2 > maxMessages || tooLarge(one.history, one.instructions.Or("")+req.Input):
		err = failure.New(protocol.ErrorCodeSESSIONCONTEXTLIMIT, "The session has reached its size.")
	}
	if err != nil {
		return nil, err
	}
	one.turn = &Turn{History: one.history, Instructions: one.instructions.Or(""), Native: one.native, store: s, session: one, cancel: cancel}
	one.info.State = protocol.SessionStateRunning
	one.info.UpdatedAt = pending.Stamp(time.Now())
	if !s.policy.RunningExpires {
		one.info.ExpiresAt = wire.Opt[string]{}
	}
	return one.turn, nil
}

// Commit ends the turn with an answer; false if the session has been deleted.
func (t *Turn) Commit(input, answer string, native wire.Raw) (*protocol.SessionInfo, bool) {
	s, one := t.store, t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[one.info.ID] != one {
		return nil, false
	}
	one.turn = nil
	one.history = append(slices.Clone(one.history), protocol.HistoryMessage{Role: protocol.HistoryRoleUser, Content: input})
	if !s.policy.AssistantForgotten {
		one.history = append(one.history, protocol.HistoryMessage{Role: protocol.HistoryRoleAssistant, Content: answer})
	}
	if one.info.Mode == protocol.SessionModeNative {
		one.native = native
	}
	one.info.Revision++
	one.info.State = protocol.SessionStateReady
	s.touch(one, time.Now())
	info := one.info
	return &info, true
}

// Abort ends the turn without an answer. worked tells that a model call had
// begun: then the session cannot be continued.
func (t *Turn) Abort(worked bool) {
	s, one := t.store, t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	one.turn = nil
	one.info.State = protocol.SessionStateReady
	if worked && !s.policy.InterruptedGoesOn {
		one.info.State = protocol.SessionStateInterrupted
	}
	s.touch(one, time.Now())
}

// touch starts the retention anew, with the lock held.
func (s *Store) touch(one *session, now time.Time) {
	one.expires = now.Add(s.retention)
	one.info.UpdatedAt = pending.Stamp(now)
	one.info.ExpiresAt = wire.Some(pending.Stamp(one.expires))
}

// sweep forgets what has expired, with the lock held.
func (s *Store) sweep(now time.Time) {
	for id, one := range s.sessions {
		if one.turn == nil && now.After(one.expires) {
			delete(s.sessions, id)
		}
	}
}

func (s *session) snapshot() *protocol.SessionSnapshot {
	history := slices.Clone(s.history)
	if history == nil {
		history = []protocol.HistoryMessage{}
	}
	return &protocol.SessionSnapshot{Session: s.info, History: history, Instructions: s.instructions}
}

// Capability is what a provider has to advertise for sessions of the mode.
func Capability(mode protocol.SessionMode) string {
	if mode == protocol.SessionModeNative {
		return "nativeContinuation"
	}
	return "historyContinuation"
}

func tooLarge(history []protocol.HistoryMessage, more string) bool {
	n := len(more)
	for _, m := range history {
		n += len(m.Content)
	}
	return n > maxBytes
}

package session

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
)

func principal(subject string) *config.Principal {
	return &config.Principal{ID: subject, Grant: protocol.Grant{Subject: subject, Providers: []string{"p"},
		Sessions: []protocol.SessionPermission{protocol.SessionPermissionRead, protocol.SessionPermissionContinue, protocol.SessionPermissionDelete}}}
}

var provider = &config.Provider{ID: "p", AccountID: "a", Capabilities: map[string]bool{"historyContinuation": true, "nativeContinuation": true}}

func create(t *testing.T, s *Store, history ...protocol.HistoryMessage) string {
	t.Helper()
	made, err := s.Create(principal("alice"), "a", &protocol.SessionCreate{Provider: "p", Model: "m", Mode: protocol.SessionModeHistory, History: history})
	if err != nil {
		t.Fatal(err)
	}
	return made.Session.ID
}

func begin(s *Store, id string, revision int64) (*Turn, error) {
	return s.Begin(principal("alice"), provider, &protocol.RunRequest{Provider: "p", Model: "m", Input: "hello",
		Session: &protocol.SessionHandle{ID: id, Revision: revision}}, func(error) {})
}

func code(err error) string {
	if err == nil {
		return ""
	}
	return failure.Of(err).Code
}

// A session's revision rises with each answer, and with nothing else.
func TestRevisions(t *testing.T) {
	s := NewStore(10, time.Hour, &policy.Policy{})
	id := create(t, s)
	for revision := range int64(5) {
		if _, err := begin(s, id, revision+1); code(err) != "SESSION_REVISION_CONFLICT" {
			t.Errorf("got %v", err)
		}
		unworked, err := begin(s, id, revision)
		if err != nil {
			t.Fatal(err)
		}
		unworked.Abort(false) // no model call had begun
		turn, err := begin(s, id, revision)
		if err != nil || len(turn.History) != int(2*revision) {
			t.Fatalf("got %v, %v", turn, err)
		}
		info, ok := turn.Commit("hello", fmt.Sprint("answer ", revision), nil)
		if !ok || info.Revision != revision+1 || info.State != protocol.SessionStateReady || !info.ExpiresAt.Set {
			t.Errorf("got %v, %v", info, ok)
		}
	}
}

func TestSessionsHaveASize(t *testing.T) {
	s := NewStore(3, time.Hour, &policy.Policy{})
	message := protocol.HistoryMessage{Role: protocol.HistoryRoleUser, Content: "x"}
	full := make([]protocol.HistoryMessage, maxMessages-1)
	for i := range full {
		full[i] = message
	}
	if _, err := begin(s, create(t, s, full...), 0); code(err) != "SESSION_CONTEXT_LIMIT" {
		t.Errorf("too many messages: got %v", err)
	}
	large := protocol.HistoryMessage{Role: protocol.HistoryRoleUser, Content: strings.Repeat("x", maxBytes-2)}
	if _, err := begin(s, create(t, s, large), 0); code(err) != "SESSION_CONTEXT_LIMIT" {
		t.Errorf("too many bytes: got %v", err)
	}
	_, err := s.Create(principal("alice"), "a", &protocol.SessionCreate{Provider: "p", Model: "m", Mode: protocol.SessionModeHistory, History: []protocol.HistoryMessage{large, large}})
	if code(err) != "SESSION_CONTEXT_LIMIT" {
		t.Errorf("too large from the beginning: got %v", err)
	}
	create(t, s)
	if _, err := s.Create(principal("alice"), "a", &protocol.SessionCreate{Provider: "p", Model: "m"}); code(err) != "SESSION_CAPACITY" {
		t.Errorf("too many sessions: got %v", err)
	}
}

func TestDeletingCancelsTheTurn(t *testing.T) {
	s := NewStore(10, time.Hour, &policy.Policy{})
	id := create(t, s)
	var why error
	turn, err := s.Begin(principal("alice"), provider, &protocol.RunRequest{Provider: "p", Model: "m", Session: &protocol.SessionHandle{ID: id}}, func(err error) { why = err })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Delete(principal("bob"), id); code(err) != "SESSION_NOT_FOUND" || why != nil {
		t.Errorf("got %v, %v", err, why)
	}
	if _, err := s.Delete(principal("alice"), id); err != nil || code(why) != "SESSION_DELETED" {
		t.Errorf("got %v, %v", err, why)
	}
	if _, ok := turn.Commit("hello", "answer", nil); ok {
		t.Error("an answer was kept")
	}
	turn.Abort(true) // of a session that is gone: nothing to do
}

// Native state goes to the next turn only, and to no snapshot.
func TestNativeState(t *testing.T) {
	s := NewStore(10, time.Hour, &policy.Policy{})
	made, err := s.Create(principal("alice"), "a", &protocol.SessionCreate{Provider: "p", Model: "m", Mode: protocol.SessionModeNative})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := begin(s, made.Session.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	turn.Commit("hello", "answer", wire.Raw(`"private"`))
	next, err := begin(s, made.Session.ID, 1)
	if err != nil || string(next.Native) != `"private"` {
		t.Errorf("got %v, %v", next, err)
	}
	shown, err := s.Read(principal("alice"), made.Session.ID, func(string) string { return "a" })
	if err != nil || strings.Contains(string(shown.AppendJSON(nil)), "private") || len(shown.History) != 2 {
		t.Errorf("got %v, %v", shown, err)
	}
	if _, err := s.Read(principal("alice"), made.Session.ID, func(string) string { return "b" }); code(err) != "SESSION_ACCOUNT_CHANGED" {
		t.Errorf("got %v", err)
	}
}

func TestIdleSessionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStore(2, time.Hour, &policy.Policy{})
		idle, busy := create(t, s), create(t, s)
		turn, err := begin(s, busy, 0)
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour + time.Millisecond)
		if create(t, s) == "" || s.Access(principal("alice"), idle) == nil || s.Access(principal("alice"), busy) != nil {
			t.Error("the wrong one was forgotten")
		}
		turn.Commit("hello", "answer", nil)
		<-time.After(59 * time.Minute)
		if err := s.Access(principal("alice"), busy); err != nil {
			t.Errorf("a turn does not extend the session: %v", err)
		}
	})
}

package agenticdriver

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

const granted = `{"subject":"dora","providers":["mock"],"tools":["echo"],"unknown":1}`

func invite(h *host, grant string, more ...string) protocol.ConnectionInvitation {
	h.t.Helper()
	return post(h, protocol.DecodeConnectionInvitation, "/v1/management/invitations", admin, `{"grant":`+grant+strings.Join(append([]string{""}, more...), ",")+`}`)
}

func trade(h *host, code string) protocol.ConnectionCredentials {
	h.t.Helper()
	return post(h, protocol.DecodeConnectionCredentials, "/v1/connections/exchange", code, `{}`)
}

func connections(h *host) protocol.ConnectionList {
	h.t.Helper()
	r := h.do("GET", "/v1/management/connections", admin, "")
	list, err := protocol.DecodeConnectionList(r.body)
	if err != nil {
		h.t.Fatalf("got %d %s", r.status, r.body)
	}
	return list
}

func TestAnInvitationIsTradedOnce(t *testing.T) {
	o := Options{State: filepath.Join(t.TempDir(), "state.db")}
	h := start(t, o)
	one := invite(h, granted)
	if len(one.Code) != 43 || len(one.Grant.Extra) != 0 {
		t.Errorf("got %s", one.AppendJSON(nil))
	}
	h.refused("INVALID_INVITATION", "/v1/connections/exchange", one.Code, `{"extra":1}`)
	h.refused("INVALID_INVITATION", "/v1/connections/exchange", one.Code, `[]`)
	h.refused("INVALID_REQUEST", "/v1/connections/exchange", one.Code, `{`)
	h.refused("UNSUPPORTED_PROTOCOL_VERSION", "/v1/connections/exchange", one.Code, `{}`, "Agenticdriver-Version", "2.0")
	if list := connections(h); len(list.Invitations) != 1 || list.Invitations[0].ID != one.ID || len(list.Connections) != 0 {
		t.Errorf("got %s", list.AppendJSON(nil))
	}
	before := h.heardSoFar()
	credentials := trade(h, one.Code)
	if len(credentials.Token) != 43 || credentials.ID == one.ID || credentials.Grant.Subject != "dora" || strings.Contains(before, credentials.Token) {
		t.Errorf("got %s", credentials.AppendJSON(nil))
	}
	h.refused("INVITATION_REJECTED", "/v1/connections/exchange", one.Code, `{}`)
	for _, code := range []string{"", "x", strings.Repeat("x", 43), one.Code + " "} {
		h.refused("INVITATION_REJECTED", "/v1/connections/exchange", code, `{}`)
	}

	// The token has exactly the rights of the grant, also after a restart.
	check := func(h *host) {
		t.Helper()
		post(h, protocol.DecodeRunResult, "/v1/runs", credentials.Token, runBody(`"x"`, `"tools":["echo"]`))
		h.refused("FORBIDDEN", "/v1/runs", credentials.Token, runBody(`"x"`, `"tools":["guarded"]`))
		h.refused("FORBIDDEN", "/v1/runs", credentials.Token, `{"provider":"plain","model":"demo","input":"x"}`)
		h.refused("FORBIDDEN", "/v1/management/invitations", credentials.Token, `{}`)
	}
	check(h)
	list := connections(h)
	if len(list.Invitations) != 0 || len(list.Connections) != 1 || !list.Connections[0].LastSeenAt.Set || list.Connections[0].ActiveRequests.Value != 0 {
		t.Errorf("got %s", list.AppendJSON(nil))
	}
	h.stop()
	h = start(t, o)
	check(h)
	if strings.Contains(string(h.do("GET", "/v1/management/connections", admin, "").body), credentials.Token) {
		t.Error("the list tells a token")
	}
	for _, want := range []bool{true, false} {
		if r := post(h, protocol.DecodeRevokeConnectionResponse, "/v1/management/connections/revoke", admin, identity(credentials.ID)); r.Revoked != want {
			t.Errorf("revoked: %v, want %v", r.Revoked, want)
		}
	}
	if r := h.do("GET", "/v1/protocol", credentials.Token, ""); r.status != http.StatusUnauthorized {
		t.Errorf("a revoked token: got %d", r.status)
	}
	h.refused("INVALID_INVITATION", "/v1/management/connections/revoke", admin, `{"id":"no uuid"}`)
}

func TestOfManyExchangesAtOnceOneSucceeds(t *testing.T) {
	h := start(t, Options{})
	code := invite(h, granted).Code
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range 16 {
		all.Go(func() {
			r := h.do("POST", "/v1/connections/exchange", code, `{}`)
			mu.Lock()
			defer mu.Unlock()
			statuses[r.status]++
		})
	}
	all.Wait()
	if statuses[http.StatusOK] != 1 || statuses[http.StatusUnauthorized] != 15 {
		t.Errorf("got %v", statuses)
	}
}

func TestInvitationsThatCannotBe(t *testing.T) {
	h := start(t, Options{})
	for name, body := range map[string]string{
		"a provider that is not there":   `{"grant":{"subject":"dora","providers":["nope"]}}`,
		"too short":                      `{"grant":` + granted + `,"expiresInSeconds":29}`,
		"too long":                       `{"grant":` + granted + `,"connectionLifetimeSeconds":7776001}`,
		"an application tool twice":      `{"grant":{"subject":"dora","providers":[],"applicationTools":[{"name":"a"},{"name":"a"}]}}`,
		"no subject":                     `{"grant":{"providers":[]}}`,
		"a member that it does not have": `{"grant":` + granted + `,"code":"x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.refused("INVALID_INVITATION", "/v1/management/invitations", admin, body)
		})
	}
	h.t = t
}

func TestInvitationsAndConnectionsExpire(t *testing.T) {
	inBubble(t, "{ jobPollMs: 1000000 }", func(t *testing.T, h *host) {
		late, soon := invite(h, granted), invite(h, granted, `"expiresInSeconds":30`, `"connectionLifetimeSeconds":60`)
		token := trade(h, soon.Code).Token
		short := invite(h, granted, `"expiresInSeconds":30`)
		pass(31 * time.Second)
		h.refused("INVITATION_REJECTED", "/v1/connections/exchange", short.Code, `{}`)
		if r := h.do("GET", "/v1/protocol", token, ""); r.status != http.StatusOK {
			t.Errorf("got %d", r.status)
		}
		pass(30 * time.Second)
		if r := h.do("GET", "/v1/protocol", token, ""); r.status != http.StatusUnauthorized {
			t.Errorf("an expired token: got %d", r.status)
		}
		if list := connections(h); len(list.Invitations) != 1 || len(list.Connections) != 0 {
			t.Errorf("got %s", list.AppendJSON(nil))
		}
		pass(538 * time.Second) // of 600
		trade(h, late.Code)
	})
}

func TestConnectionsAreLimited(t *testing.T) {
	h := start(t, Options{Config: configured(t, "{ connections: 2 }")})
	first := trade(h, invite(h, granted).Code)
	trade(h, invite(h, granted).Code)
	code := invite(h, granted).Code
	r := h.do("POST", "/v1/connections/exchange", code, `{}`)
	if r.status != http.StatusTooManyRequests || r.code() != "CONNECTION_CAPACITY" {
		t.Errorf("got %d %s", r.status, r.body)
	}
	post(h, protocol.DecodeRevokeConnectionResponse, "/v1/management/connections/revoke", admin, identity(first.ID))
	trade(h, code) // it has not been used up
}

// What runs goes on when its connection is revoked; what waits fails.
func TestRevokingStopsWhatHasNotBegun(t *testing.T) {
	h := start(t, Options{Config: configured(t, "{ jobWorkers: 1, jobPollMs: 10 }")})
	one := trade(h, invite(h, `{"subject":"alice","providers":["mock"],"jobs":["submit","read"]}`).Code)
	s := h.stream(one.Token, runBody(script("", `[[{"text":"a"},{"hold":"go"}]]`)))
	until[*protocol.TextDelta](s)
	blocker := submitted(h, "blocker", `[[{"hold":"go"}]]`)
	h.counters("blocker", "runs", 1)
	waiting := post(h, protocol.DecodeJobInfo, "/v1/jobs/submit", one.Token, fmt.Sprintf(`{"key":"k","request":%s}`, runBody(script("never", `[[{"text":"a"}]]`))))
	post(h, protocol.DecodeRevokeConnectionResponse, "/v1/management/connections/revoke", admin, identity(one.ID))
	post(h, protocol.DecodeRunResult, "/v1/runs", bob, runBody(script("", `[[{"release":"go"}]]`)))
	if got := s.types(); got != "run.completed" {
		t.Errorf("the run that went on: %s", got)
	}
	endOf(h, blocker.ID)
	info := endOf(h, waiting.ID)
	last := page(h, waiting.ID, info.Cursor-1, "").Events[0]
	if failed, ok := last.(*protocol.RunFailed); !ok || info.State != protocol.JobStateFailed || failed.Error.Code != "FORBIDDEN" {
		t.Errorf("got %s, %s", info.AppendJSON(nil), last.AppendJSON(nil))
	}
	if got := h.counters("never", "", 0); !strings.Contains(got, `"runs":0`) {
		t.Errorf("got %s", got)
	}
}

package agenticdriver

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// crowd are callers who do everything at once. They say what is wrong as errors.
type crowd struct {
	h *host
	r *reader
}

// ask makes a request that may succeed, or fail with one of the codes.
func (c *crowd) ask(ctx context.Context, method, path, token, body string, codes ...string) (string, error) {
	res, err := c.h.request(ctx, method, path, token, body)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode == http.StatusOK {
		return string(text), err
	}
	failed, err := protocol.DecodeError(text)
	if err == nil && !strings.Contains(" "+strings.Join(codes, " ")+" ", " "+failed.Error.Code+" ") {
		err = fmt.Errorf("%s %s: got %d %s", method, path, res.StatusCode, text)
	}
	return "", err
}

// follow runs a stream to its end, or until see says that it is enough.
func (c *crowd) follow(ctx context.Context, body string, see func(protocol.RunEvent) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var why error
	err := c.r.follow(ctx, alice, body, func(ev protocol.RunEvent) {
		if err := see(ev); err != nil && why == nil {
			why = err
			cancel()
		}
	})
	if why == errEnough {
		return nil
	}
	if why != nil {
		return why
	}
	return err
}

var errEnough = fmt.Errorf("enough")

// acts are what a caller may do.
func (c *crowd) acts(ctx context.Context, n int, rng *rand.Rand) []func() error {
	key := fmt.Sprint("key-", rng.IntN(20))
	return []func() error{
		func() error { // approve or deny
			body := runBody(script("", `[[{"call":{"id":"c1","name":"guarded","arguments":{}}}],[{"text":"a"}]]`), `"tools":["guarded"]`, `"approvals":`+waits)
			return c.follow(ctx, body, func(ev protocol.RunEvent) error {
				a, ok := ev.(*protocol.ApprovalRequested)
				if !ok {
					return nil
				}
				_, err := c.ask(ctx, "POST", "/v1/approvals/decisions", alice, decision(a.Approval.ApprovalID, a.Approval.RunID, asked(a.Approval), []string{"approve", "deny", "cancel"}[n%3]))
				return err
			})
		},
		func() error { // carry out a tool
			body := runBody(script("", `[[{"call":{"id":"c1","name":"lookup"}}],[{"text":"a"}]]`), `"tools":["lookup"]`, `"applicationTools":[`+definition("lookup", "")+`]`)
			return c.follow(ctx, body, func(ev protocol.RunEvent) error {
				e, ok := ev.(*protocol.ToolExecutionRequested)
				if !ok {
					return nil
				}
				if _, err := c.ask(ctx, "POST", "/v1/tool-executions/progress", alice, progressOf(e.Execution)); err != nil {
					return err
				}
				_, err := c.ask(ctx, "POST", "/v1/tool-executions/results", alice, answerOf(e.Execution, `"output":1`))
				return err
			})
		},
		func() error { // leave in the middle
			return c.follow(ctx, runBody(script("", `[[{"text":"a"},{"stall":true}]]`)), func(ev protocol.RunEvent) error {
				if _, ok := ev.(*protocol.TextDelta); ok {
					return errEnough
				}
				return nil
			})
		},
		func() error { // a session with a turn, deleted meanwhile or not
			text, err := c.ask(ctx, "POST", "/v1/sessions/create", alice, `{"provider":"mock","model":"demo","mode":"history"}`)
			if err != nil {
				return err
			}
			made, err := protocol.DecodeSessionSnapshot([]byte(text))
			if err != nil {
				return err
			}
			var all sync.WaitGroup
			if n%2 == 0 {
				all.Go(func() { _, _ = c.ask(ctx, "POST", "/v1/sessions/delete", alice, identity(made.Session.ID)) })
			}
			err = c.follow(ctx, runBody(script("", `[[{"text":"a","times":20}]]`), fmt.Sprintf(`"session":{"id":%q,"revision":0}`, made.Session.ID)), func(protocol.RunEvent) error { return nil })
			all.Wait()
			if n%2 == 0 && err != nil && strings.Contains(err.Error(), "SESSION_NOT_FOUND") {
				return nil
			}
			return err
		},
		func() error { // one of a few keys
			_, err := c.ask(ctx, "POST", "/v1/runs", alice, runBody(script(key, `[[{"text":"a"}]]`), fmt.Sprintf(`"idempotencyKey":%q`, key)), "OPERATION_IN_PROGRESS")
			return err
		},
		func() error { // a job, perhaps one that is there, perhaps cancelled
			text, err := c.ask(ctx, "POST", "/v1/jobs/submit", alice, fmt.Sprintf(`{"key":%q,"request":%s}`, key, runBody(script("job", `[[{"text":"a","times":9}]]`))))
			if err != nil {
				return err
			}
			info, err := protocol.DecodeJobInfo([]byte(text))
			if err != nil {
				return err
			}
			if n%3 == 0 {
				_, err = c.ask(ctx, "POST", "/v1/jobs/cancel", alice, identity(info.ID))
			} else {
				_, err = c.ask(ctx, "POST", "/v1/jobs/events", alice, fmt.Sprintf(`{"id":%q,"after":0}`, info.ID))
			}
			return err
		},
		func() error { // documents
			_, err := c.ask(ctx, "POST", "/v1/retrieval/ingest", alice, ingest(textDocument(fmt.Sprint("open-", n), "text/plain", fmt.Sprintf("text %d\n", n))))
			if err == nil {
				_, err = c.ask(ctx, "POST", "/v1/retrieval/search", alice, `{"corpus":"docs","query":"text"}`)
			}
			if err == nil && n%2 == 0 {
				_, err = c.ask(ctx, "POST", "/v1/retrieval/delete", alice, fmt.Sprintf(`{"corpus":"docs","sourceId":"open-%d","revision":"1"}`, n))
			}
			return err
		},
		func() error { // management, pairing, discovery
			if _, err := c.ask(ctx, "GET", "/v1/providers?refresh=true", admin, ""); err != nil {
				return err
			}
			text, err := c.ask(ctx, "GET", "/v1/management", admin, "")
			if err != nil {
				return err
			}
			s, err := protocol.DecodeManagementSnapshot([]byte(text))
			if err != nil {
				return err
			}
			if _, err := c.ask(ctx, "POST", "/v1/management/providers", admin, configure(s.Revision, modelServer(fmt.Sprint("p", rng.IntN(5)))), "CONFIG_CONFLICT", "CONFIG_BUSY"); err != nil {
				return err
			}
			if _, err := c.ask(ctx, "POST", "/v1/management/setup", admin, startSetup(s.Revision, fmt.Sprint("s", n), "scripted:approve"), "CONFIG_CONFLICT", "SETUP_CAPACITY"); err != nil {
				return err
			}
			text, err = c.ask(ctx, "POST", "/v1/management/invitations", admin, `{"grant":{"subject":"dora","providers":["mock"]}}`)
			if err != nil {
				return err
			}
			one, err := protocol.DecodeConnectionInvitation([]byte(text))
			if err == nil {
				_, err = c.ask(ctx, "POST", "/v1/connections/exchange", one.Code, `{}`)
			}
			if err == nil {
				_, err = c.ask(ctx, "GET", "/v1/management/connections", admin, "")
			}
			return err
		},
	}
}

// Many callers who do everything at once get what each of them would get alone.
func TestCallersDoNotDisturbOneAnother(t *testing.T) {
	h := start(t, Options{Config: configured(t, "{ slots: 100, slotsPerSubject: 100, jobWorkers: 4 }")})
	c := &crowd{h, newReader(h.url)}
	defer c.r.client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), 2*bounded)
	defer cancel()
	each := 40
	if testing.Short() {
		each = 8
	}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			for j := range each {
				acts := c.acts(ctx, i*each+j, rng)
				if err := acts[rng.IntN(len(acts))](); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	post(h, protocol.DecodeRunResult, "/v1/runs", alice, runBody(`"still here"`))
}

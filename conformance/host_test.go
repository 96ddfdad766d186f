package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance"
	"github.com/hallmark-kit/hallmark/conformance/engine"
	"github.com/hallmark-kit/hallmark/conformance/report"
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/conformance/value"
	suites "github.com/hallmark-kit/hallmark/fixtures"
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

const (
	goodToken = "a-token-of-the-test-0123456789abcdef"
	now       = "2026-01-02T03:04:05.678Z"
)

// smallHost is a host that answers what is asked of every host: one provider, which says what it is told. wrong is
// what it does wrong.
func smallHost(t *testing.T, wrong string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wrong != "no-version" {
			w.Header().Set("AgenticDriver-Version", "1.0")
		}
		say := func(status int, body string) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
		refuse := func(status int, code string) {
			say(status, fmt.Sprintf(`{"error":{"code":%q,"message":"no","retryable":false}}`, code))
		}
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case r.RequestURI == "/health":
			say(200, `{"status":"ok","protocol":"agenticdriver.v1"}`)
		case token != goodToken:
			refuse(401, "UNAUTHORIZED")
		case r.RequestURI == "/v1/protocol" && r.Method == "GET":
			say(200, `{"protocol":"agenticdriver","version":"1.0","supportedVersions":["1.0"],"features":["event-stream","interactive-approvals"]}`)
		case r.RequestURI == "/v1/runs" && r.Method == "POST":
			body, err := io.ReadAll(io.LimitReader(r.Body, 1_000_001))
			request, invalid := agenticdriver.DecodeRunRequest(body)
			switch {
			case wrong == "misses" && strings.Contains(string(body), `"maxSteps"`):
				say(200, result("m", "x"))
			case err != nil, invalid != nil:
				refuse(400, "INVALID_REQUEST")
			case !strings.Contains(r.Header.Get("Accept"), "text/event-stream"):
				say(200, result(request.Model, request.Input))
			default:
				w.Header().Set("Content-Type", "text/event-stream")
				stream(w, r, wrong, request)
			}
		case wrong == "tells-token":
			say(404, `{"error":{"code":"NOT_FOUND","message":"not for `+token+`","retryable":false}}`)
		default:
			refuse(404, "NOT_FOUND")
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func result(model, text string) string {
	b, _ := json.Marshal(text)
	return fmt.Sprintf(`{"runId":"r","provider":"mock","model":%q,"text":%s,"usage":{},"steps":1,"finishReason":"stop"}`, model, b)
}

func stream(w http.ResponseWriter, r *http.Request, wrong string, request agenticdriver.RunRequest) {
	n := 0
	send := func(kind, members string) {
		if n++; wrong == "gap" && n == 3 {
			n++
		}
		fmt.Fprintf(w, ": noise\r\nid: %d\nevent: %s\r\ndata: {\"type\":%q,\"runId\":\"r\",\"sequence\":%d,\"timestamp\":%q%s}\n\n", n, kind, kind, n, now, members)
		_ = http.NewResponseController(w).Flush()
	}
	send("run.started", fmt.Sprintf(`,"provider":%q,"model":%q`, request.Provider, request.Model))
	send("step.started", `,"step":1`)
	_, _ = io.WriteString(w, ": heartbeat\n\n")
	for _, c := range request.Input {
		text, _ := json.Marshal(string(c))
		send("text.delta", fmt.Sprintf(`,"text":%s`, text))
	}
	if request.Input == "stall" {
		<-r.Context().Done()
		return
	}
	end := fmt.Sprintf(`,"result":%s`, result(request.Model, request.Input))
	send("run.completed", end)
	switch wrong {
	case "twice":
		send("run.completed", end)
	case "open":
		<-r.Context().Done()
	case "cut":
		panic(http.ErrAbortHandler)
	}
}

func hostTarget(url string) *target.Target {
	return &target.Target{
		Protocol: "agenticdriver", Name: "a small host", Role: "host", URL: url,
		Values:  value.Of("provider", "mock", "model", "m"),
		Secrets: map[string]string{"token": goodToken},
		Bounds:  target.Bounds{Start: long, Step: long, Scenario: long, Stop: long},
	}
}

func loadHosts(t *testing.T) *conformance.Suite {
	t.Helper()
	suite, err := conformance.Load(suites.FS, "fixtures", "agenticdriver", nil)
	if err != nil {
		t.Fatal(err)
	}
	return suite
}

// what a host passes that has one provider and nothing else.
const easy = "health-*,errors-are-error-objects,missing-token-refused,protocol-descriptor,unknown-path,malformed-json-refused,invalid-utf8-refused," +
	"unknown-run-member,run-json,stream-*,first-event,one-terminal-event,sequence-has-no-gaps,body-in-pieces,approvals-unavailable,sessions-unavailable,near-misses-run"

func TestASmallHostPassesWhatItProvides(t *testing.T) {
	r, err := loadHosts(t).Run(context.Background(), hostTarget(smallHost(t, "").URL), conformance.Options{Pattern: easy})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Scenarios {
		want := report.Pass
		switch s.ID {
		case "sessions-unavailable": // this host takes sessions that it does not have
			want = report.Fail
		case "approvals-unavailable": // it says that it has them
			want = report.Skip
		}
		if s.Verdict != want {
			t.Errorf("%s: %s %v", s.ID, s.Verdict, s.Failures)
		}
	}
	if n := r.Summary.NearMisses; n == nil || n.Tried < 200 || n.Tried > n.Rules {
		t.Errorf("near misses: %+v", n)
	}
}

func TestWhatAHostDoesWrongIsChargedToItsRequirement(t *testing.T) {
	cases := map[string]struct{ scenario, requirement string }{
		"no-version":  {"health-body", "AD-T03"},
		"tells-token": {"unknown-path", "AD-T23"},
		"gap":         {"first-event", "AD-S03"},
		"twice":       {"first-event", "AD-S04"},
		"open":        {"sequence-has-no-gaps", "AD-S04"},
		"cut":         {"one-terminal-event", "AD-S04"},
		"misses":      {"near-misses-run", "AD-V03"},
	}
	suite := loadHosts(t)
	for wrong, c := range cases {
		t.Run(wrong, func(t *testing.T) {
			tg := hostTarget(smallHost(t, wrong).URL)
			if wrong == "open" {
				tg.Bounds.Stop = 300 * time.Millisecond // which it will miss
			}
			r, err := suite.Run(context.Background(), tg, conformance.Options{Pattern: c.scenario})
			if err != nil {
				t.Fatal(err)
			}
			failures := r.Scenarios[0].Failures
			found := slices.ContainsFunc(failures, func(f report.Failure) bool { return f.Requirement == c.requirement })
			if !found {
				t.Errorf("failures: %v, expected is %q", failures, c.requirement)
			}
		})
	}
}

func TestAHostThatIsNotThereIsUnreachable(t *testing.T) {
	gone := smallHost(t, "")
	gone.Close()
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	for _, url := range []string{gone.URL, elsewhere.URL, "http://127.0.0.1:1/x"} {
		_, err := loadHosts(t).Run(context.Background(), hostTarget(url), conformance.Options{Pattern: "health-body"})
		var unreachable *engine.UnreachableError
		if !errors.As(err, &unreachable) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// A failing near miss is told as small as it gets.
func TestAnAcceptedNearMissIsShrunk(t *testing.T) {
	r, err := loadHosts(t).Run(context.Background(), hostTarget(smallHost(t, "misses").URL), conformance.Options{Pattern: "near-misses-run"})
	if err != nil {
		t.Fatal(err)
	}
	message := r.Scenarios[0].Failures[0].Message.Value
	if len(message) > 120 || !strings.Contains(message, "maxSteps") {
		t.Errorf("the message is %s", message)
	}
}

package engine

import (
	"testing"

	"github.com/hallmark-kit/hallmark/conformance/agenticdriver"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
)

// What a script has a host send is valid, or breaks the rule that it is said to break.
func TestScriptsOfHostsAreHeldToTheDocuments(t *testing.T) {
	p, err := agenticdriver.Protocol()
	if err != nil {
		t.Fatal(err)
	}
	check := ScriptChecks(p)[scenario.KindHost]
	const envelope = `"each": {"runId": "r", "timestamp": "2026-01-02T03:04:05Z"}, "count": "sequence", `
	for script, want := range map[string]string{
		`{"answers": [{"to": "GET /health", "body": {"status": "ok", "protocol": "agenticdriver.v1"}}]}`:                                                      "",
		`{"answers": [{"to": "GET /health", "body": {"status": "down", "protocol": "agenticdriver.v1"}}]}`:                                                    "/answers/0/body/status",
		`{"answers": [{"to": "GET /health", "body": {"status": "down", "protocol": "agenticdriver.v1"}, "invalid": "const at /status"}]}`:                     "",
		`{"answers": [{"to": "GET /health", "body": {"status": "down", "protocol": "agenticdriver.v1"}, "invalid": "required at (root)"}]}`:                   "/answers/0/invalid",
		`{"answers": [{"to": "GET /health", "body": {"status": "ok", "protocol": "agenticdriver.v1"}, "invalid": "const at /status"}]}`:                       "/answers/0/invalid",
		`{"answers": [{"to": "GET /health", "body": {}, "invalid": "nonsense"}]}`:                                                                             "/answers/0/invalid",
		`{"answers": [{"to": "GET /health", "status": 503, "body": {"error": {"code": "X", "message": "", "retryable": true}}}]}`:                             "",
		`{"answers": [{"to": "GET /health", "status": 503, "body": {}}]}`:                                                                                     "/answers/0/body",
		`{"answers": [{"to": "GET /health", "bytes": "what you like"}]}`:                                                                                      "",
		`{"always": [{"to": "GET /health", "body": {}}]}`:                                                                                                     "/always/0/body",
		`{"answers": [{"to": "GET /nowhere"}]}`:                                                                                                               "/answers/0/to",
		`{"answers": [{"to": "GET /health", "then": "wait"}]}`:                                                                                                "/answers/0/then",
		`{` + envelope + `"answers": [{"to": "POST /v1/runs", "events": [{"event": {"type": "text.delta", "text": "x"}}, {"bytes": "data: no\n\n"}]}]}`:       "",
		`{` + envelope + `"answers": [{"to": "POST /v1/runs", "events": [{"event": {"type": "text.delta"}}]}]}`:                                               "/answers/0/events/0/event",
		`{` + envelope + `"answers": [{"to": "POST /v1/runs", "events": [{"event": {"type": "text.delta"}, "invalid": "required at (root)"}]}]}`:              "",
		`{` + envelope + `"answers": [{"to": "POST /v1/runs", "events": [{"event": {"type": "text.delta", "text": "x"}, "invalid": "required at (root)"}]}]}`: "/answers/0/events/0/invalid",
		`{` + envelope + `"answers": [{"to": "POST /v1/runs", "events": [{"event": {"type": "text.delta", "text": "x", "sequence": 0}}]}]}`:                   "/answers/0/events/0/event/sequence",
	} {
		got := ""
		if problems := check([]byte(script)); len(problems) > 0 {
			got = problems[0].Pointer
		}
		if got != want {
			t.Errorf("%s: the problem is at %q, expected at %q", script, got, want)
		}
	}
}

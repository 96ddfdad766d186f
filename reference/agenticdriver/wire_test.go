package agenticdriver

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestOrderOfChecks(t *testing.T) {
	h := start(t, Options{})
	body := runBody(`"hi"`)
	version := "Agenticdriver-Version"
	tests := []struct {
		name, method, target, token, body string
		header                            []string
		status                            int
		code                              string
	}{
		{"health needs nothing", "GET", "/health", "", "", nil, 200, ""},
		{"a foreign origin wins over health", "GET", "/health", "", "", []string{"Origin", "https://evil.example"}, 403, "ORIGIN_DENIED"},
		{"an allowed origin", "GET", "/health", "", "", []string{"Origin", "https://app.example"}, 200, ""},
		{"OPTIONS without origin", "OPTIONS", "/v1/runs", alice, "", nil, 404, "NOT_FOUND"},
		{"health is not HEAD", "HEAD", "/health", "", "", nil, 401, ""},
		{"no token, unknown path", "GET", "/v1/nope", "", "", nil, 401, "UNAUTHORIZED"},
		{"unknown token", "GET", "/v1/protocol", strings.Repeat("x", 40), "", nil, 401, "UNAUTHORIZED"},
		{"lower-case scheme", "GET", "/v1/protocol", "", "", []string{"Authorization", "bearer " + alice}, 401, "UNAUTHORIZED"},
		{"token in a cookie", "GET", "/v1/protocol", "", "", []string{"Cookie", "token=" + alice}, 401, "UNAUTHORIZED"},
		{"other version", "GET", "/v1/protocol", alice, "", []string{version, "2.0"}, 400, "UNSUPPORTED_PROTOCOL_VERSION"},
		{"empty version", "GET", "/v1/protocol", alice, "", []string{version, ""}, 400, "UNSUPPORTED_PROTOCOL_VERSION"},
		{"exact version", "GET", "/v1/protocol", alice, "", []string{version, "1.0"}, 200, ""},
		{"unknown token wins over version", "GET", "/v1/protocol", "nobody", "", []string{version, "2.0"}, 401, "UNAUTHORIZED"},
		{"version wins over path", "GET", "/v1/nope", alice, "", []string{version, "1"}, 400, "UNSUPPORTED_PROTOCOL_VERSION"},
		{"unknown path", "GET", "/v1/nope", alice, "", nil, 404, "NOT_FOUND"},
		{"trailing slash", "GET", "/v1/protocol/", alice, "", nil, 404, "NOT_FOUND"},
		{"escaped path", "GET", "/v1/%70rotocol", alice, "", nil, 404, "NOT_FOUND"},
		{"query", "GET", "/v1/protocol?x=1", alice, "", nil, 404, "NOT_FOUND"},
		{"doubled slash", "GET", "//v1/protocol", alice, "", nil, 404, "NOT_FOUND"},
		{"wrong method", "GET", "/v1/runs", alice, "", nil, 404, "NOT_FOUND"},
		{"other query of providers", "GET", "/v1/providers?refresh=1", alice, "", nil, 404, "NOT_FOUND"},
		{"management without the grant", "POST", "/v1/management", alice, "", nil, 403, "FORBIDDEN"},
		{"wrong method of management", "POST", "/v1/management", admin, "", nil, 400, "INVALID_REQUEST"},
		{"unknown path of management", "GET", "/v1/management/nope", admin, "", nil, 404, "NOT_FOUND"},
		{"text", "POST", "/v1/runs", alice, body, []string{"Content-Type", "text/plain"}, 400, "INVALID_REQUEST"},
		{"no content type", "POST", "/v1/runs", alice, body, []string{"Content-Type", ""}, 400, "INVALID_REQUEST"},
		{"JSON with parameters", "POST", "/v1/runs", alice, body, []string{"Content-Type", "Application/JSON ; charset=utf-8"}, 200, ""},
		{"compressed", "POST", "/v1/runs", alice, body, []string{"Content-Encoding", "gzip"}, 400, "INVALID_REQUEST"},
		{"identity", "POST", "/v1/runs", alice, body, []string{"Content-Encoding", "identity"}, 200, ""},
		{"empty body", "POST", "/v1/runs", alice, "", nil, 400, "INVALID_REQUEST"},
		{"bytes after the value", "POST", "/v1/runs", alice, body + "x", nil, 400, "INVALID_REQUEST"},
		{"invalid UTF-8", "POST", "/v1/runs", alice, runBody("\"\xff\""), nil, 400, "INVALID_REQUEST"},
		{"byte order mark", "POST", "/v1/runs", alice, "\ufeff" + body, nil, 200, ""},
		{"unknown member", "POST", "/v1/runs", alice, runBody(`"hi"`, `"extra":1`), nil, 400, "INVALID_REQUEST"},
		{"member names have case", "POST", "/v1/runs", alice, runBody(`"hi"`, `"MaxSteps":1`), nil, 400, "INVALID_REQUEST"},
		{"whole number forms", "POST", "/v1/runs", alice, runBody(`"hi"`, `"maxSteps":2.0,"maxOutputTokens":1e2`), nil, 200, ""},
		{"the last of two members counts", "POST", "/v1/runs", alice, `{"provider":"nope","provider":"mock","model":"demo","input":"hi"}`, nil, 200, ""},
		{"approval schema", "POST", "/v1/approvals/decisions", alice, `{}`, nil, 400, "INVALID_APPROVAL"},
		{"execution schema", "POST", "/v1/tool-executions/progress", alice, `{}`, nil, 400, "INVALID_TOOL_EXECUTION"},
		{"session schema", "POST", "/v1/sessions/create", alice, `{}`, nil, 400, "INVALID_SESSION"},
		{"job schema", "POST", "/v1/jobs/submit", alice, `{}`, nil, 502, "INVALID_JOB"},
		{"ingestion schema", "POST", "/v1/retrieval/ingest", alice, `{}`, nil, 400, "INVALID_RETRIEVAL"},
		{"setup schema", "POST", "/v1/management/setup", admin, `{}`, nil, 400, "INVALID_SETUP_REQUEST"},
		{"config schema", "POST", "/v1/management/providers", admin, `{}`, nil, 400, "INVALID_CONFIG"},
		{"invitation schema", "POST", "/v1/management/invitations", admin, `{}`, nil, 400, "INVALID_INVITATION"},
		{"exchange with a bad code", "POST", "/v1/connections/exchange", "nope", `{}`, nil, 401, "INVITATION_REJECTED"},
		{"exchange that is no JSON", "POST", "/v1/connections/exchange", "nope", `x`, nil, 400, "INVALID_REQUEST"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := h.do(tt.method, tt.target, tt.token, tt.body, tt.header...)
			if r.status != tt.status || r.code() != tt.code {
				t.Errorf("got %d %s, want %d %s", r.status, r.body, tt.status, tt.code)
			}
			if r.header.Get("AgenticDriver-Version") != "1.0" || r.header.Get("Cache-Control") != "no-store" || r.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("a header is missing: %v", r.header)
			}
		})
	}
}

func TestPreflightOfAnAllowedOrigin(t *testing.T) {
	h := start(t, Options{})
	r := h.do("OPTIONS", "/v1/runs", "", "", "Origin", "https://app.example")
	if r.status != 204 || len(r.body) != 0 || r.header.Get("Access-Control-Allow-Origin") != "https://app.example" || r.header.Get("Vary") != "Origin" ||
		!strings.Contains(r.header.Get("Access-Control-Allow-Headers"), "AgenticDriver-Accept-Optional-Events") {
		t.Errorf("got %d %v", r.status, r.header)
	}
}

func TestBodyLimit(t *testing.T) {
	h := start(t, Options{})
	padded := func(n int) string {
		body := runBody(`"hi"`)
		return body + strings.Repeat(" ", n-len(body))
	}
	if r := h.do("POST", "/v1/runs", alice, padded(maxBody)); r.status != 200 {
		t.Errorf("a body at the limit: got %d %s", r.status, r.body)
	}
	if r := h.do("POST", "/v1/runs", alice, padded(maxBody+1)); r.status != 413 || r.code() != "BODY_TOO_LARGE" {
		t.Errorf("a body above the limit: got %d %s", r.status, r.body)
	}
	req, err := http.NewRequest("POST", h.url+"/v1/runs", io.MultiReader(strings.NewReader(padded(maxBody+1)))) // of unknown length
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + alice}, "Content-Type": {"application/json"}}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 413 {
		t.Errorf("a chunked body above the limit: got %d", res.StatusCode)
	}
}

func TestWhatIsNoHTTPHarmsNobody(t *testing.T) {
	h := start(t, Options{})
	for _, text := range []string{"\x16\x03\x01\x00", "HELLO\r\n\r\n", "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(bounded))
		fmt.Fprint(c, text)
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c)
		_ = c.Close()
	}
	if r := h.do("GET", "/health", "", ""); r.status != 200 {
		t.Errorf("got %d", r.status)
	}
}

func TestListeningOffLoopbackNeedsACertificateAndTokensOfOnesOwn(t *testing.T) {
	for _, o := range []Options{{Listen: "0.0.0.0:0"}, {Listen: "0.0.0.0:0", Config: configured(t, "{}")}} {
		log := &syncBuffer{}
		o.Stderr, o.Stdout = log, io.Discard
		if code := Main(t.Context(), o); code != exitUsage || !strings.Contains(log.String(), "TLS_REQUIRED") {
			t.Errorf("got %d %s", code, log)
		}
	}
}

func TestFeaturesDependOnTheCallerAndOnWhatIsLeftOut(t *testing.T) {
	h := start(t, Options{Without: []string{"scoped-retrieval", "idempotency"}})
	plain, manager := string(h.do("GET", "/v1/protocol", alice, "").body), string(h.do("GET", "/v1/protocol", admin, "").body)
	for name, want := range map[string][2]bool{"provider-management": {false, true}, "idempotency": {false, false},
		"document-ingestion": {false, false}, "pdf-ingestion": {false, false}, "durable-jobs": {true, true}} {
		if strings.Contains(plain, name) != want[0] || strings.Contains(manager, name) != want[1] {
			t.Errorf("%s: got %v and %v, want %v", name, strings.Contains(plain, name), strings.Contains(manager, name), want)
		}
	}
	h.refused("IDEMPOTENCY_UNAVAILABLE", "/v1/runs", alice, runBody(`"hi"`, `"idempotencyKey":"k"`))
	h.refused("RETRIEVAL_UNAVAILABLE", "/v1/retrieval/search", alice, `{"corpus":"docs","query":"x"}`)
}

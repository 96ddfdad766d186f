package agenticdriver

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// versionHeader names the header that negotiates the version.
const versionHeader = "Agenticdriver-Version"

// wireFaults are wrong ways to speak HTTP: headers, versions, credentials,
// paths, origins and errors.
var wireFaults = []fault{
	{"sniffable", "X-Content-Type-Options", "Does not say that types may not be guessed.",
		onAnswer(func(_ *http.Request, a *reply) { a.header.Del("X-Content-Type-Options") })},
	{"cacheable", "Cache-Control", "Does not forbid to store answers.",
		onAnswer(func(_ *http.Request, a *reply) { a.header.Del("Cache-Control") })},
	{"errors-as-text", "error objects", "Writes errors as plain text.",
		onFailure(func(_ *http.Request, a *reply) {
			a.header.Set("Content-Type", "text/plain; charset=utf-8")
			a.body = []byte(http.StatusText(a.status))
		})},
	{"errors-without-retryable", "the member retryable", "Leaves retryable out of errors.",
		onFailure(func(_ *http.Request, a *reply) {
			a.body = changed(a.body, func(o object) { drop(o, "/error/retryable") })
		})},
	{"token-in-errors", "secrets in errors", "Repeats the token of a request in the message of its error.",
		onFailure(func(r *http.Request, a *reply) {
			a.body = changed(a.body, func(o object) {
				put(o, "/error/message", text(o, "/error/message")+" You sent "+r.Header.Get("Authorization")+".")
			})
		})},
	{"health-status-up", "the body of health", "Says up where health says ok.",
		onSuccess(pathHealth, func(o object) { o["status"] = "up" })},
	{"health-needs-token", "health without credentials", "Wants a token for health.",
		onRequest(func(r *http.Request) *failure.Error {
			if r.RequestURI == pathHealth && r.Header.Get("Authorization") == "" {
				return unauthorized
			}
			return nil
		})},
	{"feature-forgotten", "the features that every host has", "Forgets the feature draft-artifacts.",
		onSuccess("/v1/protocol", func(o object) {
			list, _ := o["features"].([]any)
			var others []any
			for _, name := range list {
				if name != "draft-artifacts" {
					others = append(others, name)
				}
			}
			o["features"] = others
		})},
	{"descriptor-lists-other-version", "supported versions", "Lists version 2.0 alone as supported.",
		onSuccess("/v1/protocol", func(o object) { o["supportedVersions"] = []string{"2.0"} })},

	{"missing-token-served", "requests without a token", "Takes a request without a token for one of the first principal.",
		func(e *edges) { e.policy.TokenlessServed = true }},
	{"unknown-token-forbidden", "the code of unknown tokens", "Refuses what has no known token as FORBIDDEN.", recoded("UNAUTHORIZED", "FORBIDDEN")},
	{"cookie-authenticates", "cookies", "Takes a token out of a cookie.",
		onHeader(func(h http.Header) {
			if token, ok := strings.CutPrefix(h.Get("Cookie"), "token="); ok && h.Get("Authorization") == "" {
				h.Set("Authorization", "Bearer "+token)
			}
		})},
	{"query-authenticates", "tokens in URLs", "Takes a token out of the query.",
		onRequest(func(r *http.Request) *failure.Error {
			if path, token, ok := strings.Cut(r.RequestURI, "?token="); ok && r.Header.Get("Authorization") == "" {
				r.RequestURI = path
				r.Header.Set("Authorization", "Bearer "+token)
			}
			return nil
		})},

	{"version-ignored", "other versions", "Does not look at the version of requests.", onHeader(func(h http.Header) { h.Del(versionHeader) })},
	{"version-by-prefix", "the exact version", "Takes every version that begins with 1 for 1.0.",
		onHeader(func(h http.Header) {
			if strings.HasPrefix(h.Get(versionHeader), "1") {
				h.Del(versionHeader)
			}
		})},
	{"version-demanded", "requests without a version", "Wants every request to name its version.",
		onRequest(func(r *http.Request) *failure.Error {
			if r.Header.Get(versionHeader) == "" {
				return failure.New(protocol.ErrorCodeUNSUPPORTEDPROTOCOLVERSION, "The version has to be named.")
			}
			return nil
		})},
	{"version-only-on-success", "the version on errors", "Names the version on successful answers only.",
		onFailure(func(_ *http.Request, a *reply) { a.header.Del(versionHeader) })},
	{"health-without-version", "the version on health", "Does not name the version on health.",
		onAnswer(func(r *http.Request, a *reply) {
			if r.RequestURI == pathHealth {
				a.header.Del(versionHeader)
			}
		})},
	{"version-checked-after-work", "versions before work", "Carries out a run of another version, then refuses it.",
		func(e *edges) {
			e.handler = func(host http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					err := checkVersion(r)
					if err == nil {
						host.ServeHTTP(w, r)
						return
					}
					r.Header.Del(versionHeader)
					host.ServeHTTP(&outlet{ResponseWriter: w}, r)
					commonHeaders(w.Header())
					writeFailure(w, failure.Of(err))
				})
			}
		}},

	{"origin-wildcard", "the allowed origin", "Allows any origin in answers.",
		onAnswer(func(_ *http.Request, a *reply) { a.header.Set("Access-Control-Allow-Origin", "*") })},
	{"foreign-origin-served", "foreign origins", "Does not look at the origin of requests.", onHeader(func(h http.Header) { h.Del("Origin") })},
	{"health-before-origin", "foreign origins on health", "Does not look at the origin of requests for health.",
		onRequest(func(r *http.Request) *failure.Error {
			if r.RequestURI == pathHealth {
				r.Header.Del("Origin")
			}
			return nil
		})},
	{"preflight-forgets-own-headers", "headers that a preflight allows", "Allows no headers of its own in a preflight.",
		onAnswer(func(r *http.Request, a *reply) {
			if r.Method == http.MethodOptions {
				a.header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept")
			}
		})},
	{"preflight-needs-token", "preflights without credentials", "Wants a token for a preflight.",
		onRequest(func(r *http.Request) *failure.Error {
			if r.Method == http.MethodOptions && r.Header.Get("Authorization") == "" {
				return unauthorized
			}
			return nil
		})},

	{"slash-redirects", "redirects", "Redirects a path with a slash at its end.",
		onAnswer(func(r *http.Request, a *reply) {
			if path := strings.TrimSuffix(r.RequestURI, "/"); path != r.RequestURI && path != "" {
				a.status = http.StatusPermanentRedirect
				a.header.Set("Location", path)
			}
		})},
	{"trailing-slash-served", "exact paths", "Serves a path with a slash at its end like the one without.",
		onRequest(func(r *http.Request) *failure.Error {
			r.RequestURI = strings.TrimSuffix(r.RequestURI, "/")
			return nil
		})},
	{"any-query-refreshes", "the query of the list of providers", "Takes every query of the list of providers for a refresh.",
		onRequest(func(r *http.Request) *failure.Error {
			if path, _, ok := strings.Cut(r.RequestURI, "?"); ok && path == "/v1/providers" {
				r.RequestURI = path + "?refresh=true"
			}
			return nil
		})},
	{"routing-before-authentication", "unknown paths without a token", "Looks at the path before it looks at the token.",
		onRequest(func(r *http.Request) *failure.Error {
			if path, _, _ := strings.Cut(r.RequestURI, "?"); !served(path) {
				return failure.New(protocol.ErrorCodeNOTFOUND, "There is nothing at this path.")
			}
			return nil
		})},
	{"unknown-path-invalid", "the code of unknown paths", "Refuses unknown paths as INVALID_REQUEST.", recoded("NOT_FOUND", "INVALID_REQUEST")},
	{"wrong-method-invalid", "wrong methods", "Refuses a wrong method with status 400.",
		onFailure(func(r *http.Request, a *reply) {
			if path, _, _ := strings.Cut(r.RequestURI, "?"); a.status == http.StatusNotFound && served(path) {
				a.status = http.StatusBadRequest
			}
		})},
	{"malformed-http-ends-serving", "what is no HTTP", "Hangs up on everybody once somebody has spoken no HTTP.", listening(hangUpAfterNoise)},
}

// served tells whether an operation of the protocol has the path.
func served(path string) bool {
	for _, op := range protocol.Operations {
		if op.Path == path {
			return true
		}
	}
	return false
}

// listening goes around the connections that come in.
func listening(around func(net.Listener) net.Listener) func(*edges) {
	return func(e *edges) { e.listener = around }
}

func hangUpAfterNoise(l net.Listener) net.Listener { return &easilyOffended{Listener: l} }

// easilyOffended is a listener that takes no connections any more once one has
// begun with what is no method.
type easilyOffended struct {
	net.Listener
	offended atomic.Bool
}

func (l *easilyOffended) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !l.offended.Load() {
			return &listened{Conn: c, listener: l}, nil
		}
		_ = c.Close()
	}
}

// listened is a connection whose first bytes are looked at.
type listened struct {
	net.Conn
	listener *easilyOffended
	first    sync.Once
}

func (c *listened) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.first.Do(func() {
		method, _, _ := bytes.Cut(b[:n], []byte(" "))
		if !bytes.Equal(method, bytes.ToUpper(method)) {
			c.listener.offended.Store(true)
		}
	})
	return n, err
}

// bodyFaults are wrong ways to read the bodies of requests.
var bodyFaults = []fault{
	{"content-type-ignored", "content types", "Takes every body for JSON, whatever it is said to be.",
		onHeader(func(h http.Header) { h.Set("Content-Type", "application/json") })},
	{"content-type-verbatim", "content types with parameters", "Takes no other content type than application/json, letter by letter.",
		onRequest(func(r *http.Request) *failure.Error {
			if r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json" {
				return failure.New(protocol.ErrorCodeINVALIDREQUEST, "The Content-Type has to be application/json.")
			}
			return nil
		})},
	{"content-encoding-ignored", "compressed bodies", "Does not look at Content-Encoding.", onHeader(func(h http.Header) { h.Del("Content-Encoding") })},
	{"body-limit-low", "bodies at the limit", "Refuses bodies of more than 500,000 bytes.", func(e *edges) { e.policy.BodyLimit = maxBody / 2 }},
	{"body-limit-doubled", "bodies above the limit", "Takes bodies of up to 2,000,000 bytes.", func(e *edges) { e.policy.BodyLimit = 2 * maxBody }},
	{"chunked-body-unlimited", "bodies of unknown length", "Bounds only bodies whose length is announced.",
		func(e *edges) { e.policy.ChunkedUnlimited = true }},
	{"first-piece-only", "bodies in pieces", "Reads what one read of 32 bytes gives.",
		onText("", func(body []byte) []byte { return body[:min(len(body), 32)] })},
	{"trailing-bytes-ignored", "bytes after the value", "Ignores what follows the JSON value of a body.",
		onText("", func(body []byte) []byte {
			d := json.NewDecoder(bytes.NewReader(body))
			var v json.RawMessage
			if d.Decode(&v) != nil {
				return body
			}
			return v
		})},
	{"invalid-utf8-replaced", "invalid UTF-8", "Replaces bytes that are no UTF-8.",
		onText("", func(body []byte) []byte { return bytes.ToValidUTF8(body, []byte("\ufffd")) })},
	{"members-in-any-case", "letter case of member names", "Takes member names of runs in any case.",
		onBody("/v1/runs", func(o object) {
			for name, v := range o {
				if lower := strings.ToLower(name); lower != name {
					delete(o, name)
					o[lower] = v
				}
			}
		})},
	{"unknown-members-dropped", "members that nobody knows", "Drops members that a schema does not allow, and goes on.", onAnyBody(dropUnknown)},
	{"unknown-run-member-dropped", "members of a run that nobody knows", "Drops members of a run that its schema does not allow.", droppingUnknown("/v1/runs", 1)},
	{"unknown-nested-member-dropped", "members deeper inside that nobody knows", "Drops members inside a run that its schema does not allow.", droppingUnknown("/v1/runs", 9)},
	{"unknown-session-member-dropped", "members of a session that nobody knows", "Drops members of a session that its schema does not allow.", droppingUnknown("/v1/sessions/create", 1)},
	{"unknown-decision-member-dropped", "members of a decision that nobody knows", "Drops members of a decision that its schema does not allow.", droppingUnknown("/v1/approvals/decisions", 1)},
	{"unknown-job-member-dropped", "members of a job that nobody knows", "Drops members of a job that its schema does not allow.", droppingUnknown("/v1/jobs/submit", 1)},
	{"unknown-retrieval-member-dropped", "members of a search that nobody knows", "Drops members of a search that its schema does not allow.", droppingUnknown("/v1/retrieval/search", 1)},
	{"unknown-settings-member-dropped", "members of settings that nobody knows", "Drops members of settings that their schema does not allow.", droppingUnknown("/v1/management/providers", 1)},
	{"decimal-point-refused", "whole numbers with a point", "Refuses whole numbers that are written with a point or an exponent.",
		onText("/v1/runs", func(body []byte) []byte {
			return changed(body, func(o object) {
				if n, ok := o["maxSteps"].(json.Number); ok && strings.ContainsAny(n.String(), ".eE") {
					o["maxSteps"] = n.String()
				}
			})
		})},
}

package agenticdriver

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// Version is the protocol's version on the wire.
const Version = "1.0"

// Paths that are told apart before a route is looked up.
const (
	pathHealth   = "/health"
	pathExchange = "/v1/connections/exchange"
	management   = "/v1/management"
)

// call is one authenticated request.
type call struct {
	w         http.ResponseWriter
	r         *http.Request
	principal *config.Principal
	body      []byte // JSON text
}

// answer is a message to write.
type answer interface{ AppendJSON([]byte) []byte }

// route is what a method and path lead to. It gives the answer, or nil if it
// has answered itself.
type route func(*call) (answer, error)

// register fills the table of routes. Targets are compared byte for byte: a
// pattern would follow slashes and escapes.
func (s *server) register() {
	s.routes = map[string]route{
		"GET /v1/protocol":                       s.getProtocol,
		"GET /v1/providers":                      s.listProviders,
		"GET /v1/providers?refresh=true":         s.refreshProviders,
		"POST /v1/runs":                          s.run,
		"POST /v1/approvals/decisions":           s.decideApproval,
		"POST /v1/tool-executions/progress":      s.reportToolProgress,
		"POST /v1/tool-executions/results":       s.completeTool,
		"POST /v1/sessions/create":               s.createSession,
		"POST /v1/sessions/read":                 s.readSession,
		"POST /v1/sessions/delete":               s.deleteSession,
		"POST /v1/jobs/submit":                   s.submitJob,
		"POST /v1/jobs/read":                     s.readJob,
		"POST /v1/jobs/cancel":                   s.cancelJob,
		"POST /v1/jobs/events":                   s.jobEvents,
		"POST /v1/retrieval/search":              s.searchContext,
		"POST /v1/retrieval/index":               s.indexContext,
		"POST /v1/retrieval/ingest":              s.ingestContext,
		"POST /v1/retrieval/delete":              s.deleteContext,
		"GET /v1/management":                     s.readManagement,
		"POST /v1/management/providers":          s.configureProvider,
		"POST /v1/management/setup":              s.setUpProvider,
		"GET /v1/management/connections":         s.listConnections,
		"POST /v1/management/invitations":        s.createInvitation,
		"POST /v1/management/connections/revoke": s.revokeConnection,
	}
	s.paths = map[string]bool{}
	for name, do := range s.routes {
		if s.edges.route != nil {
			s.routes[name] = s.edges.route(s, name, do)
		}
		_, path, _ := strings.Cut(name, " ")
		s.paths[path] = true
	}
}

// serve answers one request. The order of the checks is the protocol's: it
// decides which error wins.
func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	commonHeaders(w.Header())
	if s.tls {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
	}
	if !s.requests.enter() {
		s.refuse(w, r, shuttingDown)
		return
	}
	defer s.requests.leave()
	defer s.survive(w, r)
	a, err := s.check(w, r)
	// Whoever does not read the answer is cut off, however long it took to make.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(config.Duration(s.settings.Document().Limits.WriteTimeoutMs)))
	switch {
	case err != nil:
		s.refuse(w, r, err)
	case a != nil:
		writeJSON(w, http.StatusOK, a.AppendJSON(nil))
	}
}

// survive keeps the host up when a request makes it panic. What it panicked
// with is not logged: it may hold anything.
func (s *server) survive(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	s.log.Error("a request made the host panic", "method", r.Method, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		panic(http.ErrAbortHandler) // the stream has begun: its connection ends
	}
	s.refuse(w, r, failure.New(protocol.ErrorCodeINTERNALERROR, "The host failed in a way it has no code for."))
}

func commonHeaders(h http.Header) {
	h.Set("AgenticDriver-Version", Version)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

func (s *server) check(w http.ResponseWriter, r *http.Request) (answer, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	if origin := strings.Join(r.Header.Values("Origin"), ", "); origin != "" {
		if !slices.Contains(s.settings.Document().Origins, origin) {
			return nil, failure.New(protocol.ErrorCodeORIGINDENIED, "The host does not serve this origin.")
		}
		allowOrigin(w.Header(), origin)
		if r.Method == http.MethodOptions {
			allowPreflight(w.Header())
			w.WriteHeader(http.StatusNoContent)
			return nil, nil
		}
	}
	target := r.Method + " " + r.RequestURI
	if target == "GET "+pathHealth {
		return &protocol.Health{}, nil
	}
	if target == "POST "+pathExchange && s.engine.Features.Pairing {
		if err := checkVersion(r); err != nil {
			return nil, err
		}
		return s.exchangeInvitation(w, r)
	}
	p, err := s.authenticate(r)
	if err != nil {
		return nil, err
	}
	defer s.pairing.Seen(p)()
	if err := checkVersion(r); err != nil {
		return nil, err
	}
	c := &call{w: w, r: r, principal: p}
	do, known := s.routes[target]
	if managed := strings.HasPrefix(r.RequestURI, management+"/") || r.RequestURI == management; managed {
		return s.manage(c, do)
	}
	if !known {
		return nil, failure.New(protocol.ErrorCodeNOTFOUND, "There is nothing at this method and path.")
	}
	if r.Method == http.MethodPost {
		if err := checkContent(r); err != nil {
			return nil, err
		}
		if c.body, err = s.readBody(w, r); err != nil {
			return nil, err
		}
	}
	return do(c)
}

// manage carries out what only those may do who manage providers.
func (s *server) manage(c *call, do route) (answer, error) {
	if !c.principal.MayManage() && !s.edges.policy.ManagementForAll {
		return nil, failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow management.")
	}
	if do == nil {
		if s.paths[c.r.RequestURI] {
			return nil, failure.New(protocol.ErrorCodeINVALIDREQUEST, "The path does not take this method.")
		}
		return nil, failure.New(protocol.ErrorCodeNOTFOUND, "There is nothing at this path.")
	}
	if c.r.Method == http.MethodPost {
		var err error
		if c.body, err = s.readBody(c.w, c.r); err != nil {
			return nil, err
		}
	}
	return do(c)
}

func allowOrigin(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "AgenticDriver-Version")
}

func allowPreflight(h http.Header) {
	h.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, AgenticDriver-Version, AgenticDriver-Accept-Optional-Events")
}

// checkVersion wants the version's header to be absent or exact.
func checkVersion(r *http.Request) error {
	values := r.Header.Values("AgenticDriver-Version")
	if len(values) == 0 || len(values) == 1 && values[0] == Version {
		return nil
	}
	return failure.New(protocol.ErrorCodeUNSUPPORTEDPROTOCOLVERSION, "The host speaks version "+Version+" only.")
}

// maxToken bounds a bearer token, in characters.
const maxToken = 4096

// bearer gives the token of a request; empty if it has none that could be one.
func bearer(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || len(token) > maxToken || strings.ContainsAny(token, " \t\n\v\f\r\x00\u0085\u00a0") {
		return ""
	}
	return token
}

func (s *server) authenticate(r *http.Request) (*config.Principal, error) {
	token := bearer(r)
	if token == "" && s.edges.policy.TokenlessServed {
		return s.settings.Document().Principals[0], nil
	}
	if token == "" {
		return nil, unauthorized
	}
	digest := sha256.Sum256([]byte(token))
	if p := s.principals[digest]; p != nil {
		return p, nil
	}
	if s.engine.Features.Pairing {
		p, err := s.pairing.Principal(digest)
		if p != nil || err != nil {
			return p, err
		}
	}
	return nil, unauthorized
}

var unauthorized = failure.New(protocol.ErrorCodeUNAUTHORIZED, "A bearer token that the host knows is needed.")

// getProtocol is GET /v1/protocol.
func (s *server) getProtocol(c *call) (answer, error) {
	return &protocol.ProtocolInfo{Version: Version, SupportedVersions: []string{Version}, Features: s.advertised(c.principal)}, nil
}

// decode reads a body whose schema failure has the code. Names that come twice
// are taken as JavaScript takes them: the last one counts.
func decode[T any](body []byte, read func([]byte, ...wire.Option) (T, error), code protocol.ErrorCode) (T, error) {
	v, err := read(body, wire.AllowRepeatedNames(), wire.Limit(3))
	if err != nil {
		return v, failure.Invalid(code, err)
	}
	return v, nil
}

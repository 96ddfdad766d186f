package agenticdriver

import (
	"crypto/rand"
	"encoding/hex"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// pathSave is where providers are saved.
const pathSave = management + "/providers"

// managementFaults are wrong ways to manage providers.
var managementFaults = []fault{
	{"management-for-everybody", "the grant of management", "Lets everybody manage.", func(e *edges) { e.policy.ManagementForAll = true }},
	{"management-not-found-without-feature", "management on a host without", "Says that there is nothing at the path if the host has no management.",
		wrapped("GET "+management, func(s *server, c *call, do route) (answer, error) {
			if !s.engine.Features.Management {
				return nil, failure.New(protocol.ErrorCodeNOTFOUND, "There is nothing at this path.")
			}
			return do(c)
		})},
	{"revision-random", "the revision of settings", "Tells another revision each time.",
		onSuccess(management, func(o object) {
			var b [32]byte
			_, _ = rand.Read(b[:]) // never fails
			o["revision"] = hex.EncodeToString(b[:])
		})},
	{"save-keeps-revision", "the revision after a save", "Tells after a save the revision before it.",
		wrapped("POST "+pathSave, func(_ *server, c *call, do route) (answer, error) {
			a, err := do(c)
			if snapshot, ok := a.(*protocol.ManagementSnapshot); ok {
				changed(c.body, func(o object) { snapshot.Revision = text(o, "/revision") })
			}
			return a, err
		})},
	{"stale-save-accepted", "stale saves", "Takes a save after any revision.", func(e *edges) { e.policy.StaleSaveAccepted = true }},
	{"api-key-shown", "API keys", "Shows the key that was saved.",
		wrapped("POST "+pathSave, func(_ *server, c *call, do route) (answer, error) {
			a, err := do(c)
			if err != nil {
				return nil, err
			}
			var key string
			changed(c.body, func(o object) { key = text(o, "/apiKey") })
			return verbatim(changed(a.AppendJSON(nil), func(o object) { o["apiKey"] = key })), nil
		})},
	{"kind-may-change", "the kind of a provider", "Lets a provider change its kind and account.", func(e *edges) { e.policy.KindMayChange = true }},
	{"removal-without-effect", "removed providers", "Keeps a provider that is removed.", func(e *edges) { e.policy.RemovalWithoutEffect = true }},
	{"disabled-runs", "providers that are switched off", "Saves every provider as one that is switched on.",
		onBody(pathSave, func(o object) { drop(o, "/provider/enabled") })},
	{"execution-providers-all", "providers that may be run", "Says that all providers may be run.",
		onSuccess(pathSave, func(o object) {
			var all []any
			each(o, "/providers", func(p object) { all = append(all, p["id"]) })
			o["executionProviders"] = all
		})},
}

// verbatim is an answer as text.
type verbatim []byte

// AppendJSON appends the text.
func (v verbatim) AppendJSON(b []byte) []byte { return append(b, v...) }

// signInFaults are wrong ways to sign in to providers.
var signInFaults = []fault{
	{"setup-expires-late", "the time of a sign-in", "Says that a sign-in has an hour.", func(e *edges) { e.policy.SetupExpiresLate = true }},
	{"setups-shared", "sign-ins of another credential", "Shows sign-ins to everybody who may manage.", func(e *edges) { e.policy.SetupsShared = true }},
	{"setup-revision-unchecked", "the revision of a sign-in", "Begins a sign-in from any revision.", func(e *edges) { e.policy.SetupRevisionUnchecked = true }},
	{"setup-unlimited", "the number of sign-ins", "Begins any number of sign-ins.", func(e *edges) { e.policy.SetupUnlimited = true }},
	{"early-accept-finished", "accepting a sign-in early", "Says of a sign-in that is not ready that it is over.",
		func(e *edges) { e.policy.EarlyAcceptFinished = true }},
	{"accepted-not-saved", "accepted sign-ins", "Does not save the provider of a sign-in that was accepted.",
		func(e *edges) { e.policy.AcceptedNotSaved = true }},
}

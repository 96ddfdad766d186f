package agenticdriver

import (
	"encoding/json"
	"strings"

	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pairing"
)

const pathInvitations = management + "/invitations"

// pairingFaults are wrong ways to invite clients, and to exchange invitations
// for tokens.
var pairingFaults = []fault{
	{"invitation-lifetime-short", "the time of an invitation", "Gives an invitation one minute.", func(e *edges) { e.policy.InvitationShort = true }},
	{"code-listed", "codes of invitations", "Tells codes in the list of invitations.", func(e *edges) { e.policy.CodeListed = true }},
	{"invitations-never-expire", "invitations that have expired", "Exchanges invitations that have expired.", func(e *edges) { e.policy.NeverExpire = true }},
	{"lifetimes-clamped", "the bounds of lifetimes", "Takes a shorter lifetime of an invitation for the shortest.",
		onBody(pathInvitations, func(o object) {
			if n, ok := o["expiresInSeconds"].(json.Number); ok {
				if v, err := n.Int64(); err == nil {
					o["expiresInSeconds"] = max(v, 30)
				}
			}
		})},
	{"unknown-grant-accepted", "providers of an invitation", "Invites to providers that it does not have.",
		func(e *edges) { e.policy.UnknownGrantAccepted = true }},

	{"invitation-reusable", "a second exchange", "Exchanges an invitation as often as it is asked to.", func(e *edges) { e.policy.InvitationReusable = true }},
	{"exchange-races", "exchanges at once", "Marks an invitation as used a moment after its exchange.", func(e *edges) { e.policy.ExchangeRaces = true }},
	{"exchange-body-ignored", "the body of an exchange", "Does not look at the body of an exchange.", func(e *edges) { e.policy.ExchangeBodyIgnored = true }},
	{"bad-exchange-consumes", "exchanges that are refused", "Uses an invitation up by an exchange that is refused.",
		func(e *edges) { e.policy.BadExchangeConsumes = true }},
	{"grant-shrinks", "the grant of a connection", "Leaves the tools out of the grant that a client is told of.",
		onSuccess(pathExchange, func(o object) { drop(o, "/grant/tools") })},

	{"paired-token-may-run-all", "what a paired client may run", "Lets paired clients run every provider.",
		wrapped("POST /v1/runs", func(s *server, c *call, do route) (answer, error) {
			if strings.HasPrefix(c.principal.ID, pairing.PrincipalID("")) {
				wide := *c.principal
				wide.Grant.Providers = nil
				for _, p := range s.settings.Document().Providers {
					wide.Grant.Providers = append(wide.Grant.Providers, p.ID)
				}
				c.principal = &wide
			}
			return do(c)
		})},
	{"revoked-token-works", "revoked connections", "Goes on serving a token that was revoked.", func(e *edges) { e.policy.RevokedWorks = true }},
	{"revoke-unknown-not-found", "revoking what is not there", "Answers NOT_FOUND when there is nothing to revoke.",
		func(e *edges) { e.policy.RevokeUnknownNotFound = true }},
}

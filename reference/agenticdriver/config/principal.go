package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Principal is who a bearer token stands for.
type Principal struct {
	ID     string // of the credential; never its value
	Digest [sha256.Size]byte
	Grant  protocol.Grant
}

// Subject is who acts: tokens of one subject share keys, jobs, sessions,
// approvals and executions.
func (p *Principal) Subject() string { return p.Grant.Subject }

// MayManage tells whether the principal may change providers and connections.
func (p *Principal) MayManage() bool { return p.Grant.ManageProviders.Or(false) }

// MayUse tells whether the principal may run the provider.
func (p *Principal) MayUse(provider string) bool { return slices.Contains(p.Grant.Providers, provider) }

// MayCall tells whether runs of the principal may call the host tool.
func (p *Principal) MayCall(tool string) bool { return slices.Contains(p.Grant.Tools, tool) }

// MayApprove tells whether the principal may decide on calls of the tool.
func (p *Principal) MayApprove(tool string) bool { return slices.Contains(p.Grant.ApproveTools, tool) }

// MayDo tells whether the principal has the permission on jobs.
func (p *Principal) MayDo(job protocol.JobPermission) bool { return slices.Contains(p.Grant.Jobs, job) }

// MayHold tells whether the principal has the permission on sessions.
func (p *Principal) MayHold(session protocol.SessionPermission) bool {
	return slices.Contains(p.Grant.Sessions, session)
}

// ApplicationTool gives the grant of an application tool.
func (p *Principal) ApplicationTool(name string) (protocol.ApplicationToolGrant, bool) {
	for _, g := range p.Grant.ApplicationTools {
		if g.Name == name {
			return g, true
		}
	}
	return protocol.ApplicationToolGrant{}, false
}

// MaySearch tells whether the principal may search the corpus.
func (p *Principal) MaySearch(corpus string) bool {
	return p.Grant.Retrieval != nil && slices.Contains(p.Grant.Retrieval.Search, corpus)
}

// MayIndex tells whether the principal may write to the corpus.
func (p *Principal) MayIndex(corpus string) bool {
	return p.Grant.Retrieval != nil && slices.Contains(p.Grant.Retrieval.Index, corpus)
}

// MayDelete tells whether the principal may delete from the corpus.
func (p *Principal) MayDelete(corpus string) bool {
	return p.Grant.Retrieval != nil && slices.Contains(p.Grant.Retrieval.Delete, corpus)
}

// minToken is the least length of a static token.
const minToken = 32

// principalOf reads an entry of tokens: a grant with an id and a token, or the
// SHA-256 of one.
func principalOf(text []byte) (*Principal, error) {
	grant, err := protocol.DecodeGrant(text)
	if err != nil {
		return nil, err
	}
	p := &Principal{Grant: grant}
	var token, digest string
	for _, m := range grant.Extra {
		into, ok := map[string]*string{"id": &p.ID, "token": &token, "tokenSha256": &digest}[m.Name]
		if !ok {
			return nil, fmt.Errorf("%q is no member of a token", m.Name)
		}
		if err := json.Unmarshal(m.Value, into); err != nil {
			return nil, fmt.Errorf("%s: want a string", m.Name)
		}
	}
	p.Grant.Extra = nil
	switch {
	case p.ID == "":
		return nil, fmt.Errorf("a token needs an id")
	case (token == "") == (digest == ""):
		return nil, fmt.Errorf("the token %s needs either token or tokenSha256", p.ID)
	case token != "" && len(token) < minToken:
		return nil, fmt.Errorf("the token %s is shorter than %d characters", p.ID, minToken)
	case token != "":
		p.Digest = sha256.Sum256([]byte(token))
	default:
		sum, err := hex.DecodeString(digest)
		if err != nil || len(sum) != sha256.Size {
			return nil, fmt.Errorf("the tokenSha256 of %s is not 64 hex digits", p.ID)
		}
		copy(p.Digest[:], sum)
	}
	return p, nil
}

// CleanGrant gives the grant with only the members that the protocol names.
func CleanGrant(g protocol.Grant) protocol.Grant {
	g.Extra = nil
	if g.Retrieval != nil {
		r := *g.Retrieval
		r.Extra = nil
		g.Retrieval = &r
	}
	if !g.ManageProviders.Or(false) {
		g.ManageProviders = wire.Opt[bool]{}
	}
	return g
}

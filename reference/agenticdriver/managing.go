package agenticdriver

import (
	"slices"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// readManagement is GET /v1/management.
func (s *server) readManagement(c *call) (answer, error) {
	if !s.engine.Features.Management {
		return nil, forbidden
	}
	return s.settings.Snapshot(c.principal), nil
}

// configureProvider is POST /v1/management/providers.
func (s *server) configureProvider(c *call) (answer, error) {
	if !s.engine.Features.Management {
		return nil, forbidden
	}
	req, err := decode(c.body, protocol.DecodeConfigureProvider, protocol.ErrorCodeINVALIDCONFIG)
	if err != nil {
		return nil, err
	}
	return give(s.settings.Configure(c.principal, &req))
}

// setUpProvider is POST /v1/management/setup.
func (s *server) setUpProvider(c *call) (answer, error) {
	switch {
	case !s.engine.Features.Management:
		return nil, forbidden
	case !s.engine.Features.Setup:
		return nil, failure.New(protocol.ErrorCodeSETUPUNAVAILABLE, "The host signs in to no providers.")
	}
	req, err := decode(c.body, protocol.DecodeProviderSetupRequest, protocol.ErrorCodeINVALIDSETUPREQUEST)
	if err != nil {
		return nil, err
	}
	return give(s.signin.Do(c.principal, req))
}

// listConnections is GET /v1/management/connections.
func (s *server) listConnections(*call) (answer, error) {
	if !s.engine.Features.Pairing {
		return nil, forbidden
	}
	return give(s.pairing.List())
}

// createInvitation is POST /v1/management/invitations.
func (s *server) createInvitation(c *call) (answer, error) {
	if !s.engine.Features.Pairing {
		return nil, forbidden
	}
	req, err := decode(c.body, protocol.DecodeCreateInvitation, protocol.ErrorCodeINVALIDINVITATION)
	if err != nil {
		return nil, err
	}
	doc := s.settings.Document()
	names := map[string]bool{}
	for _, t := range req.Grant.ApplicationTools {
		if names[t.Name] {
			return nil, failure.New(protocol.ErrorCodeINVALIDINVITATION, "The grant names an application tool twice.")
		}
		names[t.Name] = true
	}
	if slices.ContainsFunc(req.Grant.Providers, func(id string) bool { return doc.Provider(id) == nil }) && !s.edges.policy.UnknownGrantAccepted {
		return nil, failure.New(protocol.ErrorCodeINVALIDINVITATION, "The grant names a provider that the host does not have.")
	}
	return give(s.pairing.Invite(&req))
}

// revokeConnection is POST /v1/management/connections/revoke.
func (s *server) revokeConnection(c *call) (answer, error) {
	if !s.engine.Features.Pairing {
		return nil, forbidden
	}
	req, err := decode(c.body, protocol.DecodeRevokeConnection, protocol.ErrorCodeINVALIDINVITATION)
	if err != nil {
		return nil, err
	}
	revoked, err := s.pairing.Revoke(req.ID)
	if err != nil {
		return nil, err
	}
	if !revoked && s.edges.policy.RevokeUnknownNotFound {
		return nil, failure.New(protocol.ErrorCodeNOTFOUND, "There is no such connection.")
	}
	return &protocol.RevokeConnectionResponse{Revoked: revoked}, nil
}

package client

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Invoke carries out an operation by its id, for callers that have a request as JSON: its body, or for an operation
// without one an object of its query parameters; nil for none. It gives the answer as JSON, with all members that the
// host sent. exchangeInvitation sends the client's token as the invitation's code. Operations of agenticdriver.Operations
// are known, under the ids that they have there; a run is carried out without a stream.
//
// Everything that the typed method refuses is refused here.
func (c *Client) Invoke(ctx context.Context, id string, request []byte) ([]byte, error) {
	invoke, ok := invocations[id]
	if !ok {
		return nil, fail(codeRequest, "there is no operation %q", id)
	}
	return invoke(ctx, c, request)
}

// StreamJSON is Stream for a request as JSON.
func (c *Client) StreamJSON(ctx context.Context, request []byte) (*Stream, error) {
	q, err := agenticdriver.DecodeRunRequest(request)
	if err != nil {
		return nil, undecodable(err)
	}
	return c.Stream(ctx, &q)
}

func undecodable(err error) error {
	return fail(codeRequest, "the request breaks the document: %v", err).because(err)
}

type invocation func(ctx context.Context, c *Client, request []byte) ([]byte, error)

// writable is a type of the bindings, by pointer.
type writable[V any] interface {
	*V
	AppendJSON(b []byte) []byte
}

func written[V any, P writable[V]](v *V, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return P(v).AppendJSON(nil), nil
}

// taking makes an invocation of a method with a request.
func taking[Q, V any, P writable[V]](decode func([]byte, ...wire.Option) (Q, error), method func(*Client, context.Context, *Q) (*V, error)) invocation {
	return func(ctx context.Context, c *Client, request []byte) ([]byte, error) {
		q, err := decode(request)
		if err != nil {
			return nil, undecodable(err)
		}
		return written[V, P](method(c, ctx, &q))
	}
}

// takingOneOf makes an invocation of a method whose request is a union.
func takingOneOf[Q, V any, P writable[V]](decode func([]byte, ...wire.Option) (Q, error), method func(*Client, context.Context, Q) (*V, error)) invocation {
	return func(ctx context.Context, c *Client, request []byte) ([]byte, error) {
		q, err := decode(request)
		if err != nil {
			return nil, undecodable(err)
		}
		return written[V, P](method(c, ctx, q))
	}
}

// plain makes an invocation of a method without a request.
func plain[V any, P writable[V]](method func(*Client, context.Context) (*V, error)) invocation {
	return func(ctx context.Context, c *Client, request []byte) ([]byte, error) {
		if len(bytes.TrimSpace(request)) > 0 {
			if err := json.Unmarshal(request, &struct{}{}); err != nil {
				return nil, undecodable(err)
			}
		}
		return written[V, P](method(c, ctx))
	}
}

func listProviders(ctx context.Context, c *Client, request []byte) ([]byte, error) {
	var q struct {
		Refresh bool `json:"refresh"`
	}
	if len(bytes.TrimSpace(request)) > 0 {
		if err := json.Unmarshal(request, &q); err != nil {
			return nil, undecodable(err)
		}
	}
	return written(c.ListProviders(ctx, q.Refresh))
}

func exchangeInvitation(ctx context.Context, c *Client, _ []byte) ([]byte, error) {
	code, err := c.bearer(ctx)
	if err != nil {
		return nil, err
	}
	return written(c.ExchangeInvitation(ctx, code))
}

// invocations are all operations by id.
var invocations = map[string]invocation{
	agenticdriver.OperationHealth.ID:             plain((*Client).Health),
	agenticdriver.OperationGetProtocol.ID:        plain((*Client).GetProtocol),
	agenticdriver.OperationListProviders.ID:      listProviders,
	agenticdriver.OperationRun.ID:                taking(agenticdriver.DecodeRunRequest, (*Client).Run),
	agenticdriver.OperationDecideApproval.ID:     taking(agenticdriver.DecodeApprovalDecision, (*Client).DecideApproval),
	agenticdriver.OperationReportToolProgress.ID: taking(agenticdriver.DecodeToolExecutionIdentity, (*Client).ReportToolProgress),
	agenticdriver.OperationCompleteTool.ID:       takingOneOf(agenticdriver.DecodeToolExecutionResult, (*Client).CompleteTool),
	agenticdriver.OperationCreateSession.ID:      taking(agenticdriver.DecodeSessionCreate, (*Client).CreateSession),
	agenticdriver.OperationReadSession.ID:        taking(agenticdriver.DecodeSessionIdentity, (*Client).ReadSession),
	agenticdriver.OperationDeleteSession.ID:      taking(agenticdriver.DecodeSessionIdentity, (*Client).DeleteSession),
	agenticdriver.OperationSubmitJob.ID:          taking(agenticdriver.DecodeJobSubmit, (*Client).SubmitJob),
	agenticdriver.OperationReadJob.ID:            taking(agenticdriver.DecodeJobIdentity, (*Client).ReadJob),
	agenticdriver.OperationCancelJob.ID:          taking(agenticdriver.DecodeJobIdentity, (*Client).CancelJob),
	agenticdriver.OperationJobEvents.ID:          taking(agenticdriver.DecodeJobEventsRequest, (*Client).JobEvents),
	agenticdriver.OperationSearchContext.ID:      taking(agenticdriver.DecodeRetrievalSearch, (*Client).SearchContext),
	agenticdriver.OperationIndexContext.ID:       taking(agenticdriver.DecodeRetrievalIndexRequest, (*Client).IndexContext),
	agenticdriver.OperationIngestContext.ID:      taking(agenticdriver.DecodeIngestRequest, (*Client).IngestContext),
	agenticdriver.OperationDeleteContext.ID:      taking(agenticdriver.DecodeRetrievalDelete, (*Client).DeleteContext),
	agenticdriver.OperationExchangeInvitation.ID: exchangeInvitation,
	agenticdriver.OperationCreateInvitation.ID:   taking(agenticdriver.DecodeCreateInvitation, (*Client).CreateInvitation),
	agenticdriver.OperationListConnections.ID:    plain((*Client).ListConnections),
	agenticdriver.OperationRevokeConnection.ID:   taking(agenticdriver.DecodeRevokeConnection, (*Client).RevokeConnection),
	agenticdriver.OperationReadManagement.ID:     plain((*Client).ReadManagement),
	agenticdriver.OperationConfigureProvider.ID:  taking(agenticdriver.DecodeConfigureProvider, (*Client).ConfigureProvider),
	agenticdriver.OperationSetUpProvider.ID:      takingOneOf(agenticdriver.DecodeProviderSetupRequest, (*Client).SetUpProvider),
}

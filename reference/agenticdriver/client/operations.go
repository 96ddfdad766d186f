package client

import (
	"context"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// responses insists on rules over answers.
func (c *Client) responses() insist { return insist{c.policy, codeResponse} }

// asked asks and holds the answer to the rules of check.
func asked[T any](ctx context.Context, c *Client, operation *wire.Operation, body message, decode func([]byte, ...wire.Option) (T, error), check func(*T) error) (*T, error) {
	v, err := ask(ctx, c, request{operation: operation, body: body}, decode)
	if err != nil {
		return nil, err
	}
	if err := check(v); err != nil {
		return nil, err
	}
	return v, nil
}

// anything is for answers that only the document has something to say about.
func anything[T any](*T) error { return nil }

// Health asks whether the host serves. It sends no token.
func (c *Client) Health(ctx context.Context) (*agenticdriver.Health, error) {
	return exchange(ctx, c, request{operation: &agenticdriver.OperationHealth}, agenticdriver.DecodeHealth)
}

// GetProtocol asks for the protocol's version and what the host offers to this token. It gives up after ten seconds.
func (c *Client) GetProtocol(ctx context.Context) (*agenticdriver.ProtocolInfo, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, discoveryPatience, errNoAnswer)
	defer cancel()
	return ask(ctx, c, request{operation: &agenticdriver.OperationGetProtocol}, agenticdriver.DecodeProtocolInfo)
}

// ListProviders lists what may be run. With refresh the host asks providers anew, if it has not done so just now. It
// gives up after ten seconds.
func (c *Client) ListProviders(ctx context.Context, refresh bool) (*agenticdriver.ProviderList, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, discoveryPatience, errNoAnswer)
	defer cancel()
	r := request{operation: &agenticdriver.OperationListProviders}
	if refresh {
		r.query = "?refresh=true"
	}
	return ask(ctx, c, r, agenticdriver.DecodeProviderList)
}

// Run carries out a run and waits for its result; see [Client.Stream] for its events. A run with approvals or
// application tools needs a stream and is refused here. Ending the context cancels the run.
func (c *Client) Run(ctx context.Context, q *agenticdriver.RunRequest) (*agenticdriver.RunResult, error) {
	switch {
	case c.policy.anyRun:
	case len(q.ApplicationTools) > 0:
		return nil, fail(codeToolStream, "application tools need a stream of events")
	case q.Approvals != nil:
		return nil, fail(codeApprovalStream, "approvals need a stream of events")
	}
	return asked(ctx, c, &agenticdriver.OperationRun, q, agenticdriver.DecodeRunResult, func(v *agenticdriver.RunResult) error {
		return c.responses().result(q, v, v.RunID)
	})
}

// DecideApproval answers an approval.requested. The receipt tells that the decision was taken, not that the tool ran.
func (c *Client) DecideApproval(ctx context.Context, q *agenticdriver.ApprovalDecision) (*agenticdriver.ApprovalResolution, error) {
	return asked(ctx, c, &agenticdriver.OperationDecideApproval, q, agenticdriver.DecodeApprovalResolution, func(v *agenticdriver.ApprovalResolution) error {
		return c.responses().decided(q, v)
	})
}

// ReportToolProgress tells the host that an application tool is still at work, which resets the run's idle clock.
func (c *Client) ReportToolProgress(ctx context.Context, q *agenticdriver.ToolExecutionIdentity) (*agenticdriver.ToolExecutionReceipt, error) {
	return asked(ctx, c, &agenticdriver.OperationReportToolProgress, q, agenticdriver.DecodeToolExecutionReceipt, func(v *agenticdriver.ToolExecutionReceipt) error {
		return c.responses().executed(*q, agenticdriver.ToolExecutionReceiptStatusProgress, v)
	})
}

// CompleteTool hands the output or the failure of an application tool to the run that waits for it. It is taken once.
func (c *Client) CompleteTool(ctx context.Context, q agenticdriver.ToolExecutionResult) (*agenticdriver.ToolExecutionReceipt, error) {
	return asked(ctx, c, &agenticdriver.OperationCompleteTool, q, agenticdriver.DecodeToolExecutionReceipt, func(v *agenticdriver.ToolExecutionReceipt) error {
		return c.responses().executed(executionOf(q), agenticdriver.ToolExecutionReceiptStatusAccepted, v)
	})
}

// CreateSession begins a conversation.
func (c *Client) CreateSession(ctx context.Context, q *agenticdriver.SessionCreate) (*agenticdriver.SessionSnapshot, error) {
	return asked(ctx, c, &agenticdriver.OperationCreateSession, q, agenticdriver.DecodeSessionSnapshot, func(v *agenticdriver.SessionSnapshot) error {
		return first(c.responses().session(&v.Session), c.responses().created(q, v))
	})
}

// ReadSession gives a conversation as it stands.
func (c *Client) ReadSession(ctx context.Context, q *agenticdriver.SessionIdentity) (*agenticdriver.SessionSnapshot, error) {
	return asked(ctx, c, &agenticdriver.OperationReadSession, q, agenticdriver.DecodeSessionSnapshot, func(v *agenticdriver.SessionSnapshot) error {
		i := c.responses()
		return first(i.on(RuleSession, v.Session.ID == q.ID, "another session was read"), i.session(&v.Session))
	})
}

// DeleteSession ends a conversation, and a turn of it that is under way.
func (c *Client) DeleteSession(ctx context.Context, q *agenticdriver.SessionIdentity) (*agenticdriver.SessionDeleteResult, error) {
	return asked(ctx, c, &agenticdriver.OperationDeleteSession, q, agenticdriver.DecodeSessionDeleteResult, func(v *agenticdriver.SessionDeleteResult) error {
		return c.responses().on(RuleSession, v.ID == q.ID, "another session was deleted")
	})
}

// SubmitJob queues a run that goes on without this client. The same key and request give the same job.
func (c *Client) SubmitJob(ctx context.Context, q *agenticdriver.JobSubmit) (*agenticdriver.JobInfo, error) {
	return asked(ctx, c, &agenticdriver.OperationSubmitJob, q, agenticdriver.DecodeJobInfo, func(v *agenticdriver.JobInfo) error {
		i := c.responses()
		same := v.Provider == q.Request.Provider && v.Model == q.Request.Model
		return first(i.on(RuleJob, same, "the job is for another provider or model"), i.job(v))
	})
}

// ReadJob tells how a job stands.
func (c *Client) ReadJob(ctx context.Context, q *agenticdriver.JobIdentity) (*agenticdriver.JobInfo, error) {
	return c.jobOf(ctx, &agenticdriver.OperationReadJob, q)
}

// CancelJob asks for the end of a job; a running one ends a little later.
func (c *Client) CancelJob(ctx context.Context, q *agenticdriver.JobIdentity) (*agenticdriver.JobInfo, error) {
	return c.jobOf(ctx, &agenticdriver.OperationCancelJob, q)
}

func (c *Client) jobOf(ctx context.Context, operation *wire.Operation, q *agenticdriver.JobIdentity) (*agenticdriver.JobInfo, error) {
	return asked(ctx, c, operation, q, agenticdriver.DecodeJobInfo, func(v *agenticdriver.JobInfo) error {
		i := c.responses()
		return first(i.on(RuleJob, v.ID == q.ID, "the answer is about another job"), i.job(v))
	})
}

// JobEvents gives a page of a job's events. Ask again from NextCursor on while HasMore.
func (c *Client) JobEvents(ctx context.Context, q *agenticdriver.JobEventsRequest) (*agenticdriver.JobEventPage, error) {
	return asked(ctx, c, &agenticdriver.OperationJobEvents, q, agenticdriver.DecodeJobEventPage, func(v *agenticdriver.JobEventPage) error {
		i := c.responses()
		return first(i.on(RuleJob, v.Job.ID == q.ID, "the page is of another job"), i.job(&v.Job), i.page(q, v))
	})
}

// SearchContext looks for passages.
func (c *Client) SearchContext(ctx context.Context, q *agenticdriver.RetrievalSearch) (*agenticdriver.RetrievalResult, error) {
	return asked(ctx, c, &agenticdriver.OperationSearchContext, q, agenticdriver.DecodeRetrievalResult, func(v *agenticdriver.RetrievalResult) error {
		return c.responses().hits(boundsOfSearch(q), v)
	})
}

// IndexContext stores a document that is cut into chunks already.
func (c *Client) IndexContext(ctx context.Context, q *agenticdriver.RetrievalIndexRequest) (*agenticdriver.RetrievalIndexResult, error) {
	return asked(ctx, c, &agenticdriver.OperationIndexContext, q, agenticdriver.DecodeRetrievalIndexResult, func(v *agenticdriver.RetrievalIndexResult) error {
		return c.responses().indexed(q, v)
	})
}

// IngestContext has a document read, cut into chunks and stored.
func (c *Client) IngestContext(ctx context.Context, q *agenticdriver.IngestRequest) (*agenticdriver.IngestResult, error) {
	return asked(ctx, c, &agenticdriver.OperationIngestContext, q, agenticdriver.DecodeIngestResult, func(v *agenticdriver.IngestResult) error {
		return c.responses().ingested(q, v)
	})
}

// DeleteContext removes one revision of a document.
func (c *Client) DeleteContext(ctx context.Context, q *agenticdriver.RetrievalDelete) (*agenticdriver.RetrievalDeleteResult, error) {
	return asked(ctx, c, &agenticdriver.OperationDeleteContext, q, agenticdriver.DecodeRetrievalDeleteResult, func(v *agenticdriver.RetrievalDeleteResult) error {
		same := v.Corpus == q.Corpus && v.SourceID == q.SourceID && v.Revision == q.Revision
		return c.responses().on(RuleRetrieval, same, "another document was deleted")
	})
}

// ExchangeInvitation makes credentials out of an invitation's code, once. It sends the code, not the token. Do not
// repeat it when the answer is lost: the code is used up.
func (c *Client) ExchangeInvitation(ctx context.Context, code string) (*agenticdriver.ConnectionCredentials, error) {
	if err := c.checkToken(code); err != nil {
		return nil, err
	}
	r := request{operation: &agenticdriver.OperationExchangeInvitation, body: &agenticdriver.ExchangeInvitationRequest{}, token: code}
	return exchange(ctx, c, r, agenticdriver.DecodeConnectionCredentials)
}

// CreateInvitation makes a code that somebody can exchange for credentials with the grant.
func (c *Client) CreateInvitation(ctx context.Context, q *agenticdriver.CreateInvitation) (*agenticdriver.ConnectionInvitation, error) {
	return asked(ctx, c, &agenticdriver.OperationCreateInvitation, q, agenticdriver.DecodeConnectionInvitation, anything)
}

// ListConnections lists invitations and connections that have not expired.
func (c *Client) ListConnections(ctx context.Context) (*agenticdriver.ConnectionList, error) {
	return asked(ctx, c, &agenticdriver.OperationListConnections, nil, agenticdriver.DecodeConnectionList, anything)
}

// RevokeConnection ends an invitation or a connection.
func (c *Client) RevokeConnection(ctx context.Context, q *agenticdriver.RevokeConnection) (*agenticdriver.RevokeConnectionResponse, error) {
	return asked(ctx, c, &agenticdriver.OperationRevokeConnection, q, agenticdriver.DecodeRevokeConnectionResponse, anything)
}

// ReadManagement gives the settings of providers.
func (c *Client) ReadManagement(ctx context.Context) (*agenticdriver.ManagementSnapshot, error) {
	return asked(ctx, c, &agenticdriver.OperationReadManagement, nil, agenticdriver.DecodeManagementSnapshot, anything)
}

// ConfigureProvider saves or removes the settings of a provider.
func (c *Client) ConfigureProvider(ctx context.Context, q *agenticdriver.ConfigureProvider) (*agenticdriver.ManagementSnapshot, error) {
	return asked(ctx, c, &agenticdriver.OperationConfigureProvider, q, agenticdriver.DecodeManagementSnapshot, func(v *agenticdriver.ManagementSnapshot) error {
		return c.responses().configured(q, v)
	})
}

// SetUpProvider begins, reads, accepts or cancels sign-in attempts.
func (c *Client) SetUpProvider(ctx context.Context, q agenticdriver.ProviderSetupRequest) (*agenticdriver.ProviderSetupSnapshot, error) {
	return asked(ctx, c, &agenticdriver.OperationSetUpProvider, q, agenticdriver.DecodeProviderSetupSnapshot, func(v *agenticdriver.ProviderSetupSnapshot) error {
		return c.responses().setUp(q, v)
	})
}

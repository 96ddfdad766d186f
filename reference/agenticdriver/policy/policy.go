// Package policy names the rules of the protocol that a host could get wrong.
// The zero value breaks none of them; each field that is set makes the host
// wrong in one way, so that a conformance suite can be seen to notice it.
package policy

// Policy is how a host deviates from the protocol.
type Policy struct {
	Wire
	Access
	Runs
	Calls
	Keys
	Sessions
	Approvals
	Executions
	Jobs
	Retrieval
	Connections
	Settings
}

// Wire deviates in how requests are read.
type Wire struct {
	TokenlessServed  bool // requests without a token are those of the first principal
	BodyLimit        int  // of a request's body, in bytes; 0: the protocol's
	ChunkedUnlimited bool // only bodies whose length is announced are bounded
}

// Access deviates in who may do what.
type Access struct {
	ManagementForAll         bool // management without the grant
	ProvidersUnfiltered      bool // all providers are listed for everybody
	RetrievalGrantsUnchecked bool
	IngestNeedsSearch        bool // ingestion asks for the grant of searching
	SessionGrantsUnchecked   bool
	JobGrantsUnchecked       bool
}

// Runs deviates in how runs are checked and carried out.
type Runs struct {
	MetadataUnlimited  bool // any number of metadata
	MismatchDelivered  bool // output that does not match its schema is delivered
	TextDelivered      bool // output that is no JSON is delivered as a string
	JSONDetached       bool // runs in JSON mode outlive their caller
	StreamsDetached    bool // streamed runs outlive their caller
	UnknownToolDropped bool // a tool that the host does not have is taken out of the run
	ProgressUncounted  bool // only text resets the idle clock
	IdleWhileQueued    bool // the idle clock runs while a run waits
	RawFailures        bool // failures without a code show their text
	LastStepRunsTools  bool // the calls of the last step are carried out
	ContextUnlimited   bool
	UnstreamedSilent   bool // text that was not streamed is not shown
	NoEvidenceRuns     bool // a search without hits stops no run
	NoHeartbeats       bool
}

// Detached tells whether runs of the mode outlive their caller.
func (r *Runs) Detached(streamed bool) bool {
	return streamed && r.StreamsDetached || !streamed && r.JSONDetached
}

// Calls deviates in tool calls.
type Calls struct {
	CheckedSingly         bool // each call is checked when its turn comes
	ArgumentsUnchecked    bool
	UnlistedCalled        bool // host tools that the run did not list
	IDsUnchecked          bool
	Unlimited             bool
	DefinitionsUnlimited  bool
	ToolProgressUncounted bool
}

// Keys deviates in idempotency keys.
type Keys struct {
	FingerprintOfText    bool
	KeyConflictUnnoticed bool
	KeysShared           bool
	ReplayBeforeGrants   bool
}

// Sessions deviates in sessions.
type Sessions struct {
	SessionStartsAtOne bool
	AssistantForgotten bool
	StaleRevisionRuns  bool
	ConcurrentTurns    bool
	SessionMoves       bool // to other models
	SessionsShared     bool
	InterruptedGoesOn  bool
	DeleteLeavesTurn   bool
	DeletedStillRead   bool
	AnyContinuation    bool
	NativeShown        bool
	RunningExpires     bool
}

// Approvals deviates in decisions.
type Approvals struct {
	ApprovedRunsTwice       bool
	DeniedToolRuns          bool
	ExpiryIgnored           bool
	LateDecisionConflict    bool
	SecondDecisionAccepted  bool
	ApprovalsShared         bool
	ApproveGrantUnchecked   bool
	RefusedDecisionConsumes bool
	ApprovalCallUnchecked   bool
	ArgumentsAsSets         bool
	ArgumentsAsText         bool
	ApprovalOutlivesStream  bool
}

// Executions deviates in application tools.
type Executions struct {
	SecondResultAccepted bool
	ResultIDsUnchecked   bool
	TicketsShared        bool
	TicketGrantUnchecked bool
	MismatchConsumes     bool
	ProgressConsumes     bool
	ToolOutputUnchecked  bool
	BadOutputResent      bool
	TicketOutlivesRun    bool
}

// Jobs deviates in jobs.
type Jobs struct {
	JobKeyIgnored           bool
	JobKeyConflictUnnoticed bool
	PageLimitIgnored        bool
	CursorBeyondEmpty       bool
	CancelImmediate         bool
	CancelEndedNotFound     bool
	QueuedCancelWaits       bool
	JobsShared              bool
	JobExpiryAlways         bool
	FailedJobCompleted      bool
}

// Retrieval deviates in documents.
type Retrieval struct {
	SourceOverwritten   bool
	SourceFilterIgnored bool
	MinScoreIgnored     bool
	LimitIgnored        bool
	PassagesCut         bool
	UnknownSourceTold   bool
	DeleteAnyRevision   bool
	BlankQueryAccepted  bool
	SectionsUnnamed     bool
	DigestOfNormalised  bool
	ChunksMayExceed     bool
	CarriageReturnsKept bool
	MessagesMerged      bool
	EmptyIndexed        bool
	PDFAsText           bool
	DigestOfTexts       bool
	RevisionsPileUp     bool
}

// Connections deviates in invitations and connections.
type Connections struct {
	InvitationShort       bool
	CodeListed            bool
	InvitationReusable    bool
	ExchangeRaces         bool
	ExchangeBodyIgnored   bool
	BadExchangeConsumes   bool
	RevokedWorks          bool
	RevokeUnknownNotFound bool
	NeverExpire           bool
	UnknownGrantAccepted  bool
}

// Settings deviates in provider settings and sign-ins.
type Settings struct {
	StaleSaveAccepted      bool
	KindMayChange          bool
	RemovalWithoutEffect   bool
	SetupExpiresLate       bool
	SetupsShared           bool
	EarlyAcceptFinished    bool
	SetupRevisionUnchecked bool
	SetupUnlimited         bool
	AcceptedNotSaved       bool
}

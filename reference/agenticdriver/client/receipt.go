package client

import (
	"regexp"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// outcomes are what decisions come to.
var outcomes = map[agenticdriver.Decision]agenticdriver.ApprovalOutcome{
	agenticdriver.DecisionApprove: agenticdriver.ApprovalOutcomeApproved,
	agenticdriver.DecisionDeny:    agenticdriver.ApprovalOutcomeDenied,
	agenticdriver.DecisionCancel:  agenticdriver.ApprovalOutcomeCancelled,
}

// decided holds a receipt to the decision that was sent.
func (i insist) decided(q *agenticdriver.ApprovalDecision, v *agenticdriver.ApprovalResolution) error {
	same := v.ApprovalID == q.ApprovalID && v.RunID == q.RunID && v.CallID == q.Call.ID
	return first(
		i.on(RuleReceipt, same, "the receipt is for another approval, run or call"),
		i.on(RuleReceipt, v.Outcome == outcomes[q.Decision], "the outcome is %s, the decision was %s", v.Outcome, q.Decision),
	)
}

// executionOf is which execution a result is of.
func executionOf(q agenticdriver.ToolExecutionResult) agenticdriver.ToolExecutionIdentity {
	switch r := q.(type) {
	case *agenticdriver.ToolExecutionOutput:
		return agenticdriver.ToolExecutionIdentity{ExecutionID: r.ExecutionID, RunID: r.RunID, CallID: r.CallID}
	case *agenticdriver.ToolExecutionFailure:
		return agenticdriver.ToolExecutionIdentity{ExecutionID: r.ExecutionID, RunID: r.RunID, CallID: r.CallID}
	}
	return agenticdriver.ToolExecutionIdentity{}
}

// executed holds a receipt to what was told about a tool execution.
func (i insist) executed(q agenticdriver.ToolExecutionIdentity, status agenticdriver.ToolExecutionReceiptStatus, v *agenticdriver.ToolExecutionReceipt) error {
	same := v.ExecutionID == q.ExecutionID && v.RunID == q.RunID && v.CallID == q.CallID
	return first(
		i.on(RuleReceipt, same, "the receipt is for another execution, run or call"),
		i.on(RuleReceipt, v.Status == status, "the receipt says %s, expected %s", v.Status, status),
	)
}

// exact are times with three decimals in UTC; they sort as texts.
var exact = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`)

// times holds three times to their form and order; the last may be absent.
func (i insist) times(rule Rule, created, updated string, expires wire.Opt[string]) error {
	form := exact.MatchString(created) && exact.MatchString(updated) && (!expires.Set || exact.MatchString(expires.Value))
	return first(
		i.on(rule, form, "times have three decimals and Z"),
		i.on(rule, updated >= created, "updatedAt is before createdAt"),
		i.on(rule, !expires.Set || expires.Value > updated, "expiresAt is not after updatedAt"),
	)
}

// session holds a session to what its state says.
func (i insist) session(v *agenticdriver.SessionInfo) error {
	running := v.State == agenticdriver.SessionStateRunning
	return first(
		i.on(RuleSession, running != v.ExpiresAt.Set, "a session that is %s has expiresAt: %t", v.State, v.ExpiresAt.Set),
		i.times(RuleSession, v.CreatedAt, v.UpdatedAt, v.ExpiresAt),
	)
}

// created holds a new session to its request.
func (i insist) created(q *agenticdriver.SessionCreate, v *agenticdriver.SessionSnapshot) error {
	s := &v.Session
	same := s.Provider == q.Provider && s.Model == q.Model && s.Mode == q.Mode
	return first(
		i.on(RuleSession, same, "the session is for another provider, model or mode"),
		i.on(RuleSession, s.State == agenticdriver.SessionStateReady && s.Revision == 0, "a new session is ready and has revision 0"),
		i.on(RuleSession, v.Instructions == q.Instructions, "the session has other instructions"),
		i.on(RuleSession, slices.Equal(v.History, q.History), "the session has another history"),
	)
}

// setUp holds sign-in attempts to what was asked about.
func (i insist) setUp(q agenticdriver.ProviderSetupRequest, v *agenticdriver.ProviderSetupSnapshot) error {
	ids := make(map[string]bool)
	for n := range v.Attempts {
		ids[v.Attempts[n].ID] = true
	}
	if err := i.on(RuleSetup, len(ids) == len(v.Attempts), "an attempt is listed twice"); err != nil {
		return err
	}
	if _, list := q.(*agenticdriver.ListSetups); list {
		return nil
	}
	if len(v.Attempts) != 1 {
		return i.on(RuleSetup, false, "there are %d attempts, expected 1", len(v.Attempts))
	}
	a := &v.Attempts[0]
	switch r := q.(type) {
	case *agenticdriver.StartSetup:
		same := a.ProviderID == r.Provider.ID && a.AccountID == r.Provider.AccountID && a.Revision == r.Revision
		return i.on(RuleSetup, same, "the attempt is for another provider, account or revision")
	case *agenticdriver.ReadSetup:
		return i.on(RuleSetup, a.ID == r.ID, "the attempt is another one")
	case *agenticdriver.AcceptSetup:
		return i.on(RuleSetup, a.ID == r.ID, "the attempt is another one")
	case *agenticdriver.CancelSetup:
		return i.on(RuleSetup, a.ID == r.ID, "the attempt is another one")
	}
	return nil
}

// configured holds settings to what was saved.
func (i insist) configured(q *agenticdriver.ConfigureProvider, v *agenticdriver.ManagementSnapshot) error {
	id, present := settingsID(q.Provider), false
	for _, p := range v.Providers {
		present = present || settingsID(p) == id
	}
	return i.on(RuleSettings, present != q.Remove.Value, "the provider is in the settings afterwards: %t", present)
}

func settingsID(p agenticdriver.ProviderSettings) string {
	switch s := p.(type) {
	case *agenticdriver.APIProviderSettings:
		return s.ID
	case *agenticdriver.CLIProviderSettings:
		return s.ID
	case *agenticdriver.CodexProviderSettings:
		return s.ID
	case *agenticdriver.ExtensionProviderSettings:
		return s.ID
	}
	return ""
}

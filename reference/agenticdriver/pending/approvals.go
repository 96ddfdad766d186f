package pending

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
)

// TimeFormat is how the host writes timestamps: UTC with three decimals.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// Stamp writes a time.
func Stamp(t time.Time) string { return t.UTC().Format(TimeFormat) }

// Approvals are the calls that wait for a decision.
type Approvals struct {
	mu     sync.Mutex
	limit  int
	policy *policy.Policy
	open   map[string]*Approval
	taken  map[string]*protocol.ApprovalResolution // what repeats get, where repeats are accepted
}

// Approval is one call that waits for a decision.
type Approval struct {
	Request  protocol.ApprovalRequest
	Decision chan protocol.ApprovalResolution // gets one value at most
	subject  string
	provider string
	deadline time.Time // zero: none
	consumed bool      // by a decision that was refused
}

// NewApprovals makes an empty collection that holds no more than limit.
func NewApprovals(limit int, p *policy.Policy) *Approvals {
	return &Approvals{limit: limit, policy: p, open: map[string]*Approval{}, taken: map[string]*protocol.ApprovalResolution{}}
}

// Open adds a call.
func (a *Approvals) Open(p *config.Principal, provider, runID string, call protocol.ToolCall, asked *protocol.ApprovalPolicy) (*Approval, error) {
	now := time.Now()
	one := &Approval{subject: p.Subject(), provider: provider, Decision: make(chan protocol.ApprovalResolution, 1),
		Request: protocol.ApprovalRequest{ApprovalID: uuid.NewString(), RunID: runID, Call: call, RequestedAt: Stamp(now), IdlePolicy: asked.IdlePolicy}}
	if ms, ok := asked.ExpiresAfterMs.Get(); ok {
		deadline := now.Add(config.Duration(ms))
		one.Request.ExpiresAt = wire.Some(Stamp(deadline))
		if !a.policy.ExpiryIgnored {
			one.deadline = deadline
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.open) >= a.limit {
		return nil, failure.New(protocol.ErrorCodeAPPROVALCAPACITY, "Too many approvals are pending.")
	}
	a.open[one.Request.ApprovalID] = one
	return one, nil
}

// Left is the time until the approval expires; false without a deadline.
func (a *Approval) Left() (time.Duration, bool) {
	return time.Until(a.deadline), !a.deadline.IsZero()
}

// Close takes the approval away undecided and gives the resolution that says
// why; false if a decision came first, which is then in Decision.
func (a *Approvals) Close(one *Approval, why protocol.ApprovalOutcome) (protocol.ApprovalResolution, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[one.Request.ApprovalID] != one {
		return protocol.ApprovalResolution{}, false
	}
	if !a.policy.ApprovalOutlivesStream {
		delete(a.open, one.Request.ApprovalID)
	}
	return one.resolution(why), true
}

func (a *Approval) resolution(outcome protocol.ApprovalOutcome) protocol.ApprovalResolution {
	return protocol.ApprovalResolution{ApprovalID: a.Request.ApprovalID, RunID: a.Request.RunID, CallID: a.Request.Call.ID,
		Outcome: outcome, DecidedAt: Stamp(time.Now())}
}

var outcomes = map[protocol.Decision]protocol.ApprovalOutcome{
	protocol.DecisionApprove: protocol.ApprovalOutcomeApproved,
	protocol.DecisionDeny:    protocol.ApprovalOutcomeDenied,
	protocol.DecisionCancel:  protocol.ApprovalOutcomeCancelled,
}

// Decide carries out a decision. What it refuses stays pending.
func (a *Approvals) Decide(p *config.Principal, d *protocol.ApprovalDecision) (*protocol.ApprovalResolution, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := a.open[d.ApprovalID]
	mismatch := failure.New(protocol.ErrorCodeAPPROVALMISMATCH, "The decision is not about the call that waits.")
	if again := a.taken[d.ApprovalID]; again != nil {
		return again, nil
	}
	switch {
	case one == nil && a.policy.LateDecisionConflict:
		return nil, mismatch
	case one == nil, one.subject != p.Subject() && !a.policy.ApprovalsShared, one.late(), one.consumed:
		return nil, failure.New(protocol.ErrorCodeAPPROVALNOTFOUND, "There is no such pending approval.")
	case (!p.MayUse(one.provider) || !p.MayApprove(one.Request.Call.Name)) && !a.policy.ApproveGrantUnchecked:
		if a.policy.RefusedDecisionConsumes {
			one.consumed = true
		}
		return nil, failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow decisions on calls of this tool.")
	case (d.RunID != one.Request.RunID || !a.sameCall(&one.Request.Call, &d.Call)) && !a.policy.ApprovalCallUnchecked:
		return nil, mismatch
	}
	delete(a.open, d.ApprovalID)
	r := one.resolution(outcomes[d.Decision])
	if a.policy.SecondDecisionAccepted {
		a.taken[d.ApprovalID] = &r
	}
	one.Decision <- r
	return &r, nil
}

// sameCall compares calls by value: the order of members is free.
func (a *Approvals) sameCall(asked *protocol.ToolCall, decided *protocol.DecidedCall) bool {
	x, y := object(asked.Arguments), object(decided.Arguments)
	same := wire.Equal(x, y)
	switch {
	case a.policy.ArgumentsAsText:
		same = bytes.Equal(x, y)
	case a.policy.ArgumentsAsSets:
		same = same || bytes.Equal(sorted(x), sorted(y))
	}
	return asked.ID == decided.ID && asked.Name == decided.Name && same
}

// sorted gives the bytes of a text in order, which leaves nothing of the order
// of its parts.
func sorted(text []byte) []byte {
	text = bytes.Clone(text)
	slices.Sort(text)
	return text
}

// late tells whether the deadline has passed.
func (a *Approval) late() bool { return !a.deadline.IsZero() && !time.Now().Before(a.deadline) }

func object(m wire.Map[wire.Raw]) []byte {
	b := []byte{'{'}
	for i := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, m[i].Name), ':')
		b = wire.AppendRaw(b, m[i].Value)
	}
	return append(b, '}')
}

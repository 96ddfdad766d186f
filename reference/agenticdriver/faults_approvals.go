package agenticdriver

import (
	"net/http"
	"strings"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// approvalFaults are wrong ways to ask for decisions, and to take them.
var approvalFaults = []fault{
	{"approvals-dropped-without-feature", "approvals on a host that takes none", "Drops the approvals of a run if the host takes none.",
		droppedWithout(func(f *run.Features) bool { return f.Approvals }, func(o object) { drop(o, "/approvals") })},
	{"approval-in-json", "approvals without a stream", "Takes approvals of a run that answers JSON, and has nobody to ask.",
		unstreamed(func(o object) { drop(o, "/approvals") })},
	{"unapproved-tool-runs", "tools that need an approval", "Carries out every tool of the host without asking.",
		configuration(func(d *config.Document) {
			for i := range d.Tools {
				d.Tools[i].RequiresApproval = false
			}
		})},
	{"approval-rewrites-call", "the call to approve", "Shows the call to approve without its last argument.",
		onEvent(func(next emitter, asked *protocol.ApprovalRequested) {
			call := &asked.Approval.Call
			call.Arguments = call.Arguments[:max(len(call.Arguments)-1, 0)]
			next(asked)
		})},
	{"resolved-after-completed", "the order of an approval's events", "Tells the decision on a call once the call is completed.",
		delayed[*protocol.ApprovalResolved, *protocol.ToolCompleted]()},
	{"expiry-ignored", "approvals that expire", "Goes on waiting for a decision after its time.", func(e *edges) { e.policy.ExpiryIgnored = true }},
	{"approval-outlives-stream", "approvals of a run that is over", "Keeps an approval open when its run is over.",
		func(e *edges) { e.policy.ApprovalOutlivesStream = true }},
	{"idle-never-pauses", "the idle timeout during an approval", "Lets the idle clock run while a decision is awaited.",
		onBody("/v1/runs", func(o object) {
			if o["approvals"] != nil {
				put(o, "/approvals/idlePolicy", "continue")
			}
		})},
	{"idle-always-pauses", "an idle clock that goes on during an approval", "Halts the idle clock while a decision is awaited, whatever was asked for.",
		levers(onBody("/v1/runs", func(o object) {
			if o["approvals"] != nil {
				put(o, "/approvals/idlePolicy", "pause")
			}
		}), onEvent(func(next emitter, asked *protocol.ApprovalRequested) {
			asked.Approval.IdlePolicy = protocol.IdlePolicyContinue
			next(asked)
		}))},

	{"receipt-always-denied", "the receipt of a decision", "Says of every decision that it was denied.",
		onSuccess("/v1/approvals/decisions", func(o object) { o["outcome"] = "denied" })},
	{"approved-runs-twice", "approved calls", "Carries out an approved call twice.", func(e *edges) { e.policy.ApprovedRunsTwice = true }},
	{"denial-is-cancellation", "denied calls", "Cancels a run whose call was denied.",
		onEnd(func(f *protocol.RunFailed) {
			if f.Error.Code == "APPROVAL_DENIED" {
				f.Type, f.Error.Code = protocol.RunFailedTypeRunCancelled, "CANCELLED"
			}
		})},
	{"denied-tool-runs", "tools that were denied", "Carries out a call of a tool of the host, and fails, when it was denied.",
		func(e *edges) { e.policy.DeniedToolRuns = true }},
	{"cancellation-is-denial", "cancelled approvals", "Takes the cancellation of an approval for a denial.",
		onBody("/v1/approvals/decisions", func(o object) {
			if o["decision"] == "cancel" {
				o["decision"] = "deny"
			}
		})},

	{"invalid-approval-not-found", "the code of malformed decisions", "Refuses malformed decisions as APPROVAL_NOT_FOUND.",
		recoded("INVALID_APPROVAL", "APPROVAL_NOT_FOUND")},
	{"late-decision-conflict", "decisions that come late", "Refuses a decision that comes too late as a mismatch.",
		func(e *edges) { e.policy.LateDecisionConflict = true }},
	{"second-decision-accepted", "second decisions", "Repeats the receipt of a decision that comes again.",
		func(e *edges) { e.policy.SecondDecisionAccepted = true }},
	{"approvals-shared", "approvals of another subject", "Takes decisions from every subject.", func(e *edges) { e.policy.ApprovalsShared = true }},
	{"approve-grant-unchecked", "the grant of decisions", "Takes decisions of every token of the subject.",
		func(e *edges) { e.policy.ApproveGrantUnchecked = true }},
	{"refused-decision-consumes", "decisions that are refused", "Takes an approval away when a decision on it is refused.",
		func(e *edges) { e.policy.RefusedDecisionConsumes = true }},
	{"approval-call-unchecked", "decisions on another call", "Takes a decision that names another call or run.",
		func(e *edges) { e.policy.ApprovalCallUnchecked = true }},
	{"arguments-as-sets", "the order of lists in a decision", "Compares lists in the arguments of a decision as sets.",
		func(e *edges) { e.policy.ArgumentsAsSets = true }},
	{"arguments-as-text", "the order of members in a decision", "Compares the arguments of a decision as text.",
		func(e *edges) { e.policy.ArgumentsAsText = true }},
}

// unstreamed changes runs that answer JSON.
func unstreamed(change func(run object)) func(*edges) {
	return onRequest(func(r *http.Request) *failure.Error {
		if r.RequestURI == "/v1/runs" && !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			rewrite(r, func(body []byte) []byte { return changed(body, change) })
		}
		return nil
	})
}

// levers pulls several levers.
func levers(all ...func(*edges)) func(*edges) {
	return func(e *edges) {
		for _, apply := range all {
			apply(e)
		}
	}
}

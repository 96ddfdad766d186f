package client

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// Fault is one way in which the client can be made to break the protocol, to show that a conformance suite notices.
type Fault struct {
	ID          string // as Options.Fault names it
	Title       string // the requirement's subject, in a few words
	Description string // what the client then does wrong
}

// fault is an entry of the table: what it changes is a value of the policy, or an edge.
type fault struct {
	id, title, does string
	apply           func(*policy)
}

// Faults lists every fault, sorted by id.
func Faults() []Fault {
	out := make([]Fault, 0, len(faults))
	for _, f := range faults {
		out = append(out, Fault{ID: f.id, Title: f.title, Description: f.does})
	}
	slices.SortFunc(out, func(a, b Fault) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// spoil applies a fault.
func spoil(p *policy, id string) error {
	for _, f := range faults {
		if f.id == id {
			f.apply(p)
			return nil
		}
	}
	return fmt.Errorf("there is no fault %q of the client; Faults lists them", id)
}

// waive makes a client that no longer insists on a rule.
func waive(rules ...Rule) func(*policy) {
	return func(p *policy) {
		for _, r := range rules {
			p.waived[r] = true
		}
	}
}

// faults is the table.
var faults = []fault{
	// What is sent.
	{"sends-no-version", "version header", "leaves AgenticDriver-Version out", header(headerVersion, "")},
	{"sends-no-opt-in", "optional events", "does not say that it takes optional events", header(headerOptional, "")},
	{"sends-no-accept", "accept header", "sends Accept */* for everything", header("Accept", "*/*")},
	{"sends-no-content-type", "content type", "sends JSON as plain text", header("Content-Type", "text/plain")},
	{"sends-bare-token", "bearer scheme", "sends the token without its scheme", bareToken},
	{"sends-cookies", "no cookies", "sends the token as a cookie too", cookie},
	{"sends-token-in-url", "no secret in URLs", "repeats the token in the query", tokenInURL},
	{"drops-path-prefix", "path prefix", "asks at the root of the host instead of below the base URL", dropPrefix},
	{"takes-any-base-url", "base URL", "uses base URLs that are not secure or not plain", func(p *policy) { p.anyTarget = true }},
	{"sends-any-token", "token", "sends empty and blank tokens", func(p *policy) { p.anyToken = true }},
	{"runs-without-stream", "stream needed", "runs with approvals or application tools without a stream", func(p *policy) { p.anyRun = true }},
	{"sends-further-members", "bodies", "sends a member that the document does not have", furtherMember},
	{"trusts-anybody", "certificates", "takes any certificate for any name", trustAnybody},
	{"repeats-tokens", "no secret in errors", "repeats in errors what the host says, its token included", func(p *policy) { p.tellsTokens = true }},
	{"follows-redirects", "redirects", "follows redirects, with its token", follow},
	{"retries-refusals", "no retry", "sends a request again when the host says that it is busy", retryRefusals},
	{"retries-broken-connections", "no retry", "sends a request again when the connection breaks before an answer", retryBroken},
	{"reconnects-streams", "no reconnect", "asks for the run again when its stream breaks off", reconnect},
	{"lingers-after-cancel", "cancel", "leaves the connection of a cancelled call open", linger},
	{"lingers-after-end", "terminal event", "goes on reading behind the event that ends a run", func(p *policy) { p.readsOn = true }},

	// What failures become.
	{"maps-unknown-codes", "unknown codes", "makes HTTP_ERROR of codes that it does not know", func(p *policy) {
		p.failure = func(e agenticdriver.ErrorInfo) *agenticdriver.ErrorInfo {
			if !agenticdriver.ErrorCode(e.Code).Valid() {
				return nil
			}
			return &e
		}
	}},
	{"drops-retryable", "retryable", "never says that a failure is retryable", info(func(e *agenticdriver.ErrorInfo) { e.Retryable = false })},
	{"drops-outcome", "outcome", "does not say that effects may have happened", info(func(e *agenticdriver.ErrorInfo) { e.Outcome.Set = false })},
	{"invents-codes", "malformed failure", "makes INTERNAL_ERROR of failures without an error object", inventCode},

	// What answers are taken.
	{"ignores-response-version", "response version", "takes answers in any version", waive(RuleVersion)},
	{"requires-response-version", "response version", "refuses answers that do not name a version", requireVersion},
	{"reads-unbounded-answers", "size of answers", "reads answers of any size", func(p *policy) { p.body = 64 << 20 }},
	{"replaces-invalid-text", "UTF-8", "replaces bytes that are no text", waive(RuleText)},
	{"matches-names-in-any-case", "names of members", "takes ID for id, as Go's encoding/json does", func(p *policy) { p.text = anyCase }},
	{"takes-null-for-absent", "null", "takes null for an absent member", func(p *policy) { p.text = withoutNulls }},
	{"rounds-integers", "integers", "cuts off what stands behind the decimal point", func(p *policy) { p.text = rounded }},
	{"refuses-decimal-integers", "integers", "refuses integers that are written with a decimal point", func(p *policy) { p.text = plainIntegers }},
	{"refuses-further-members", "open objects", "refuses members that it does not know", func(p *policy) { p.takes = closed }},

	// How streams are cut.
	{"takes-any-content-type", "content type of streams", "reads every answer as a stream", waive(RuleContentType)},
	{"ends-lines-at-lf-only", "ends of lines", "does not know that CR ends a line", func(p *policy) { p.stream = withoutCR }},
	{"keeps-byte-order-mark", "byte order mark", "takes the byte order mark for text", func(p *policy) { p.stream = marked }},
	{"keeps-last-data-line", "data lines", "keeps only the last data line of a frame", func(p *policy) { p.lastLine = true }},
	{"reads-frames-without-data", "comments", "takes a frame without data, such as a heartbeat, for an event", func(p *policy) { p.emptyFrames = true }},
	{"bounds-frames-early", "size of frames", "refuses frames beyond 64 KiB, as line readers do by default", func(p *policy) { p.frame = 64 << 10 }},
	{"counts-characters", "size of frames", "counts characters where bytes are meant", func(p *policy) { p.frame = 4 * maxFrame }},
	{"ignores-unended-frames", "unended frame", "takes a frame that the end of the stream cuts off", waive(RuleTermination)},
	{"takes-unended-streams", "unended stream", "takes the end of a stream for the end of the run", waive(RuleEnd)},

	// What events are taken.
	{"passes-over-bad-events", "bad events", "passes over events that it cannot read", waive(RuleEvent)},
	{"takes-any-time", "timestamps", "does not look at timestamps", waive(RuleTime)},
	{"takes-any-start", "first event", "does not mind which event comes first, or again", waive(RuleStart)},
	{"ignores-sequence", "sequence", "does not look at sequences", waive(RuleSequence)},
	{"ignores-run", "run of an event", "takes events of other runs", waive(RuleRun)},
	{"ignores-started-provider", "provider of a run", "does not look at what run.started names", waive(RuleProvider)},
	{"passes-over-required-events", "unknown events", "passes over events that it does not know though they are not optional", waive(RuleKnown)},
	{"refuses-optional-events", "optional events", "refuses optional events that it does not know", func(p *policy) { p.noOptional = true }},
	{"takes-unasked-events", "negotiated events", "takes approvals and tool executions that it did not ask for", waive(RuleNegotiated)},
	{"repeats-executions", "tool executions", "takes a tool execution twice, or of a tool it does not offer", waive(RuleExecution)},
	{"ignores-approval-policy", "approvals", "takes approvals with another idle policy", waive(RuleApproval)},

	// What results and receipts are taken.
	{"takes-any-result", "result of a run", "does not look at which run a result is of", waive(RuleResult)},
	{"takes-any-evidence", "evidence", "does not look at what a result retrieved", waive(RuleEvidence)},
	{"takes-any-artifact", "artifacts", "does not look at artifacts", waive(RuleArtifacts)},
	{"takes-any-turn", "session of a result", "does not look at the session of a result", waive(RuleTurn)},
	{"takes-any-receipt", "receipts", "does not look at what a receipt is for", waive(RuleReceipt)},
	{"takes-any-session", "sessions", "does not look at whether a session is the one asked for, and consistent", waive(RuleSession)},
	{"takes-any-job", "jobs", "does not look at whether a job is the one asked for, and consistent", waive(RuleJob)},
	{"takes-any-page", "pages of events", "does not look for holes in pages of events", waive(RulePage)},
	{"takes-any-passage", "retrieval", "does not look at whether passages are those asked for", waive(RuleRetrieval)},
	{"takes-any-attempt", "set-up", "does not look at which attempt an answer is about", waive(RuleSetup)},
	{"takes-any-settings", "settings", "does not look at whether settings were saved", waive(RuleSettings)},
}

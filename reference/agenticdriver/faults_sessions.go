package agenticdriver

import (
	"regexp"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// sessionFaults are wrong ways to keep conversations.
var sessionFaults = []fault{
	{"session-starts-at-one", "the revision of a new session", "Gives a new session revision 1.", func(e *edges) { e.policy.SessionStartsAtOne = true }},
	{"session-history-not-echoed", "what a session begins with", "Tells a new session's history as empty.",
		onSuccess("/v1/sessions/create", func(o object) { o["history"] = []any{} })},
	{"session-timestamps-in-seconds", "times of sessions", "Tells the times of a new session without decimals.",
		onSuccess("/v1/sessions/create", func(o object) {
			for _, at := range []string{"/session/createdAt", "/session/updatedAt", "/session/expiresAt"} {
				put(o, at, decimals.ReplaceAllString(text(o, at), ""))
			}
		})},
	{"session-dropped-without-feature", "sessions on a host that keeps none", "Drops the session of a run if the host keeps no sessions.",
		droppedWithout(func(f *run.Features) bool { return f.Sessions }, func(o object) { drop(o, "/session") })},
	{"invalid-session-is-request", "the code of malformed sessions", "Refuses malformed sessions as INVALID_REQUEST.", recoded("INVALID_SESSION", "INVALID_REQUEST")},
	{"session-grants-unchecked", "the grants of sessions", "Lets everybody create, read and delete their sessions.",
		func(e *edges) { e.policy.SessionGrantsUnchecked = true }},
	{"sessions-shared", "sessions of another subject", "Shows sessions to every subject.", func(e *edges) { e.policy.SessionsShared = true }},
	{"any-continuation", "modes that a provider does not continue", "Keeps native sessions with providers that remember nothing.",
		func(e *edges) { e.policy.AnyContinuation = true }},
	{"native-state-shown", "what a provider remembers for itself", "Shows what a provider remembers for itself as a message.",
		func(e *edges) { e.policy.NativeShown = true }},

	{"revision-stays", "the revision after a turn", "Tells after a turn the revision before it.",
		onResult(func(r *run.Run, result *protocol.RunResult) {
			if result.Session != nil {
				result.Session.Revision = r.Plan.Request.Session.Revision
			}
		})},
	{"assistant-turn-forgotten", "the history after a turn", "Does not add what the assistant said to the history.",
		func(e *edges) { e.policy.AssistantForgotten = true }},
	{"stale-revision-runs", "stale revisions", "Takes a turn after any revision.", func(e *edges) { e.policy.StaleRevisionRuns = true }},
	{"concurrent-turns", "two turns at once", "Takes a turn while another one runs.", func(e *edges) { e.policy.ConcurrentTurns = true }},
	{"running-expires", "the expiry of a session that runs", "Tells when a session expires while a turn runs.",
		func(e *edges) { e.policy.RunningExpires = true }},
	{"session-history-merged", "turns with a history of their own", "Puts the history and instructions of a turn into its input.",
		onBody("/v1/runs", func(o object) {
			if o["session"] == nil {
				return
			}
			all := text(o, "/instructions")
			each(o, "/history", func(m object) { all += text(m, "/content") + "\n" })
			o["input"] = all + text(o, "/input")
			drop(o, "/history")
			drop(o, "/instructions")
		})},
	{"session-context-dropped", "turns with attachments", "Drops the attachments and the retrieval of a turn.",
		onBody("/v1/runs", func(o object) {
			if o["session"] != nil {
				drop(o, "/attachments")
				drop(o, "/retrieval")
			}
		})},
	{"session-moves", "the model of a session", "Lets a session go on with another model.", func(e *edges) { e.policy.SessionMoves = true }},
	{"interrupted-goes-on", "sessions whose turn failed", "Goes on with a session whose turn failed in the middle.",
		func(e *edges) { e.policy.InterruptedGoesOn = true }},
	{"delete-leaves-turn", "the turn of a deleted session", "Lets the turn of a deleted session go on.", func(e *edges) { e.policy.DeleteLeavesTurn = true }},
	{"deleted-still-read", "deleted sessions", "Still shows deleted sessions.", func(e *edges) { e.policy.DeletedStillRead = true }},
}

var decimals = regexp.MustCompile(`\.\d+`)

// droppedWithout makes a host that lacks a feature drop what belongs to it from
// a run, and go on.
func droppedWithout(has func(*run.Features) bool, drop func(run object)) func(*edges) {
	return wrapped("POST /v1/runs", func(s *server, c *call, do route) (answer, error) {
		if !has(&s.engine.Features) {
			c.body = changed(c.body, drop)
		}
		return do(c)
	})
}

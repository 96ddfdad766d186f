package client

// Rule is one thing that the client insists on and no schema says.
type Rule string

// Rules over what an answer is, before it is read.
const (
	RuleVersion     Rule = "version"      // an answer is in version 1.0, if it says so
	RuleContentType Rule = "content-type" // a stream is text/event-stream
	RuleErrorObject Rule = "error-object" // a failure is an Error object, or it is HTTP_ERROR
)

// Rules over frames of a stream.
const (
	RuleText        Rule = "text"      // a stream is UTF-8
	RuleTermination Rule = "frame-end" // a frame is ended by an empty line
	RuleEnd         Rule = "end"       // a stream ends with a terminal event
)

// Rules over the events of a run.
const (
	RuleEvent      Rule = "event"      // an event is a RunEvent
	RuleTime       Rule = "time"       // a timestamp is a real date and time with seconds and offset
	RuleStart      Rule = "start"      // run.started comes first, and once
	RuleSequence   Rule = "sequence"   // sequences are 1, 2, 3 …
	RuleRun        Rule = "run"        // all events are of one run
	RuleProvider   Rule = "provider"   // provider and model are those asked for
	RuleKnown      Rule = "known"      // only optional events may be unknown
	RuleNegotiated Rule = "negotiated" // approvals and tool executions only in runs that ask for them
	RuleExecution  Rule = "execution"  // a tool execution is of a tool of the run, and of a new call
	RuleApproval   Rule = "approval"   // an approval is of the run and keeps the idle policy
)

// Rules over results and other answers.
const (
	RuleResult    Rule = "result"    // a result is of the run
	RuleEvidence  Rule = "evidence"  // a result retrieved exactly if asked to, and its sources are the hits
	RuleArtifacts Rule = "artifacts" // artifacts name sources of the result and have plain names
	RuleTurn      Rule = "turn"      // a result has the next revision of the session asked for, or no session
	RuleReceipt   Rule = "receipt"   // a receipt is of what was sent
	RuleSession   Rule = "session"   // a session is the one asked for, and consistent
	RuleJob       Rule = "job"       // a job is the one asked for, and consistent
	RulePage      Rule = "page"      // a page of events has no hole and fits its job
	RuleRetrieval Rule = "retrieval" // answers about a corpus are of it and keep the bounds asked for
	RuleSetup     Rule = "setup"     // set-up attempts are those asked for
	RuleSettings  Rule = "settings"  // a saved provider is there afterwards, a removed one is not
)

// insist holds an answer to rules.
type insist struct {
	policy *policy
	code   string // of the failure
}

// on is nil where a rule holds.
func (i insist) on(rule Rule, holds bool, format string, args ...any) error {
	if holds || i.policy.waives(rule) {
		return nil
	}
	return i.broken(rule, fail(i.code, format, args...))
}

func (i insist) broken(rule Rule, e *Error) error {
	e.Rule = rule
	return e
}

// first is the first failure.
func first(failures ...error) error {
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

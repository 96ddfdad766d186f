package agenticdriver

import (
	"encoding/json"
	"errors"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// Paths of operations on jobs.
const (
	pathSubmit = "/v1/jobs/submit"
	pathEvents = "/v1/jobs/events"
)

// jobFaults are wrong ways to keep runs that outlive their callers.
var jobFaults = []fault{
	{"jobs-not-found-without-feature", "jobs on a host that keeps none", "Says that there is no such job if the host keeps none.",
		recoded("JOBS_UNAVAILABLE", "JOB_NOT_FOUND")},
	{"invalid-job-is-request", "the code of malformed jobs", "Refuses malformed jobs as INVALID_REQUEST.", recoded("INVALID_JOB", "INVALID_REQUEST")},
	{"job-grants-unchecked", "the grants of jobs", "Lets everybody submit, read and cancel jobs.", func(e *edges) { e.policy.JobGrantsUnchecked = true }},
	{"jobs-shared", "jobs of another subject", "Shows jobs to every subject.", func(e *edges) { e.policy.JobsShared = true }},

	{"job-cursor-ahead", "the cursor of a new job", "Tells a cursor of a new job that is 10 too high.",
		onSuccess(pathSubmit, func(o object) { add(o, "/cursor", 10) })},
	{"job-key-ignored", "keys of jobs", "Keeps a job of its own for each submission.", func(e *edges) { e.policy.JobKeyIgnored = true }},
	{"job-key-conflict-unnoticed", "keys of other jobs", "Gives the job of a key whatever is submitted under it.",
		func(e *edges) { e.policy.JobKeyConflictUnnoticed = true }},
	{"job-members-dropped", "what a job may not have", "Drops session, approvals, application tools and key of a job.",
		onBody(pathSubmit, func(o object) {
			for _, name := range []string{"session", "approvals", "applicationTools", "idempotencyKey"} {
				drop(o, "/request/"+name)
			}
		})},
	{"job-run-unvalidated", "runs that cannot be jobs", "Keeps a job whose run is refused, and lets it fail later.",
		wrapped("POST "+pathSubmit, func(s *server, c *call, do route) (answer, error) {
			a, err := do(c)
			req, broken := protocol.DecodeJobSubmit(c.body)
			if _, refused := errors.AsType[*failure.Error](err); !refused || broken != nil {
				return a, err
			}
			p := s.settings.Document().Provider(req.Request.Provider)
			if p == nil {
				return a, err
			}
			return give(s.jobs.Submit(c.principal, req.Key, &run.Plan{Request: &req.Request, Provider: p}))
		})},
	{"jobs-die-with-submitter", "jobs whose submitter has gone", "Cancels a job once its submission is answered.",
		wrapped("POST "+pathSubmit, func(s *server, c *call, do route) (answer, error) {
			a, err := do(c)
			if job, ok := a.(*protocol.JobInfo); ok {
				_, _ = s.jobs.Cancel(c.principal, job.ID) // who may not cancel it has a job that goes on
			}
			return a, err
		})},

	{"cancel-is-immediate", "cancelling a job that runs", "Says of a running job that it is cancelled before it is.",
		func(e *edges) { e.policy.CancelImmediate = true }},
	{"queued-cancel-waits", "cancelling a job that waits", "Lets a cancelled job wait for its turn.", func(e *edges) { e.policy.QueuedCancelWaits = true }},
	{"cancel-ended-not-found", "cancelling a job that has ended", "Finds no job to cancel once it has ended.",
		func(e *edges) { e.policy.CancelEndedNotFound = true }},
	{"expiry-always", "the expiry of jobs", "Tells when a job expires before it has ended.", func(e *edges) { e.policy.JobExpiryAlways = true }},
	{"failed-job-completed", "jobs whose run failed", "Says of every job that it has completed.", func(e *edges) { e.policy.FailedJobCompleted = true }},

	{"page-limit-ignored", "the limit of a page", "Gives pages as long as they may be.", func(e *edges) { e.policy.PageLimitIgnored = true }},
	{"page-skips-one", "pages that follow each other", "Leaves out an event between two pages.",
		onBody(pathEvents, func(o object) {
			if o["after"] != json.Number("0") {
				add(o, "/after", 1)
			}
		})},
	{"has-more-always", "the end of a job's events", "Says of every page that there are more.",
		onSuccess(pathEvents, func(o object) { o["hasMore"] = true })},
	{"cursor-beyond-is-empty", "pages beyond the cursor", "Gives an empty page beyond the cursor.", func(e *edges) { e.policy.CursorBeyondEmpty = true }},
	{"job-page-starts-at-zero", "the sequences of a page", "Numbers the events of a job from 0.",
		onSuccess(pathEvents, func(o object) {
			each(o, "/events", func(ev object) { add(ev, "/sequence", -1) })
		})},
}

// add adds to the whole number at a pointer, if there is one.
func add(o object, pointer string, n int64) {
	if had, ok := at(o, pointer).(json.Number); ok {
		if v, err := had.Int64(); err == nil {
			put(o, pointer, v+n)
		}
	}
}

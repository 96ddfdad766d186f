package client

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// defaultPage is how many events a page has at most where the request does not say.
const defaultPage = 100

var endedJobs = []agenticdriver.JobState{
	agenticdriver.JobStateCompleted, agenticdriver.JobStateFailed, agenticdriver.JobStateCancelled, agenticdriver.JobStateInterrupted,
}

// job holds a job to what its state says.
func (i insist) job(v *agenticdriver.JobInfo) error {
	ended := slices.Contains(endedJobs, v.State)
	return first(
		i.on(RuleJob, ended == v.ExpiresAt.Set, "a job that is %s has expiresAt: %t", v.State, v.ExpiresAt.Set),
		i.on(RuleJob, v.State != agenticdriver.JobStateQueued || v.Cursor == 0, "a queued job has the cursor %d", v.Cursor),
		i.on(RuleJob, !ended || v.Cursor >= 2, "a job that is %s has the cursor %d", v.State, v.Cursor),
		i.times(RuleJob, v.CreatedAt, v.UpdatedAt, v.ExpiresAt),
	)
}

// page holds a page of events to its request and its job.
func (i insist) page(q *agenticdriver.JobEventsRequest, v *agenticdriver.JobEventPage) error {
	limit := q.Limit.Or(defaultPage)
	if err := i.on(RulePage, int64(len(v.Events)) <= limit, "the page has %d events, the limit is %d", len(v.Events), limit); err != nil {
		return err
	}
	at := q.After
	for _, event := range v.Events {
		at++
		if err := i.paged(&v.Job, event, at); err != nil {
			return err
		}
	}
	return first(
		i.on(RulePage, v.NextCursor == at, "nextCursor is %d, the last event of the page has the sequence %d", v.NextCursor, at),
		i.on(RulePage, v.HasMore == (v.NextCursor < v.Job.Cursor), "hasMore is %t with nextCursor %d and cursor %d", v.HasMore, v.NextCursor, v.Job.Cursor),
		i.on(RulePage, !v.HasMore || len(v.Events) > 0, "an empty page says that there is more"),
	)
}

// paged holds one event of a page, which must have the sequence at, to its job.
func (i insist) paged(job *agenticdriver.JobInfo, event agenticdriver.RunEvent, at int64) error {
	head := envelopeOf(event)
	started, starts := event.(*agenticdriver.RunStarted)
	last := at == job.Cursor && slices.Contains(endedJobs, job.State)
	state, ends := endOf(event)
	return first(
		i.on(RulePage, head.sequence == at, "the sequence is %d, expected %d", head.sequence, at),
		i.on(RulePage, head.run == job.RunID, "event %d is of another run than the job", at),
		i.on(RulePage, starts == (at == 1), "event %d is run.started: %t", at, starts),
		i.on(RulePage, !starts || started.Provider == job.Provider && started.Model == job.Model, "run.started names another provider or model than the job"),
		i.on(RulePage, storable(event), "event %d is of a type that jobs do not keep", at),
		i.on(RulePage, ends == last, "event %d ends the run: %t; it is the last of an ended job: %t", at, ends, last),
		i.on(RulePage, !ends || slices.Contains(state, job.State), "a job that is %s does not end like this", job.State),
		i.end(job, event),
	)
}

// end holds the last event of a job to it.
func (i insist) end(job *agenticdriver.JobInfo, event agenticdriver.RunEvent) error {
	switch e := event.(type) {
	case *agenticdriver.RunCompleted:
		r := &e.Result
		same := r.RunID == job.RunID && r.Provider == job.Provider && r.Model == job.Model && r.Session == nil
		return first(i.on(RulePage, same, "the result does not fit the job"), i.artifacts(r))
	case *agenticdriver.RunFailed:
		certain := job.State == agenticdriver.JobStateInterrupted && !e.Error.Outcome.Set
		return i.on(RulePage, !certain, "an interrupted job has an uncertain outcome")
	}
	return nil
}

// endOf tells the states of a job that an event can end it in.
func endOf(event agenticdriver.RunEvent) (states []agenticdriver.JobState, ends bool) {
	switch e := event.(type) {
	case *agenticdriver.RunCompleted:
		return []agenticdriver.JobState{agenticdriver.JobStateCompleted}, true
	case *agenticdriver.RunFailed:
		if e.Type == agenticdriver.RunFailedTypeRunCancelled {
			return []agenticdriver.JobState{agenticdriver.JobStateCancelled}, true
		}
		return []agenticdriver.JobState{agenticdriver.JobStateFailed, agenticdriver.JobStateInterrupted}, true
	}
	return nil, false
}

// storable tells whether jobs keep an event: nobody can answer approvals and tool executions of a job, and what is
// unknown may not be passed over in a record.
func storable(event agenticdriver.RunEvent) bool {
	switch event.(type) {
	case *agenticdriver.ApprovalRequested, *agenticdriver.ApprovalResolved, *agenticdriver.ToolExecutionRequested, *agenticdriver.OptionalEvent:
		return false
	}
	return true
}

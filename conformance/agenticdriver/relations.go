package agenticdriver

import (
	"regexp"
	"slices"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// relations holds what jobs and sessions say of themselves to what no schema can say.
func relations(x *protocol.Exchange) []protocol.Breach {
	body, ok := x.Content.(*value.Object)
	if !ok || x.Operation == nil {
		return nil
	}
	var found []protocol.Breach
	switch x.Operation.ID {
	case agenticdriver.OperationSubmitJob.ID, agenticdriver.OperationReadJob.ID, agenticdriver.OperationCancelJob.ID:
		found = job(body)
	case agenticdriver.OperationJobEvents.ID:
		found = append(job(object(body, "job")), page(x, body)...)
	case agenticdriver.OperationCreateSession.ID, agenticdriver.OperationReadSession.ID:
		found = session(object(body, "session"))
	case agenticdriver.OperationRun.ID:
		if s := object(body, "session"); s != nil {
			found = session(s)
		}
	}
	return found
}

// exact is a time with three decimals in UTC.
var exact = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

var endedJobs = []string{"completed", "failed", "cancelled", "interrupted"}

// job holds a JobInfo to AD-J09.
func job(j *value.Object) []protocol.Breach {
	state := text(j, "state")
	cursor, _ := number(j, "cursor")
	_, expires := j.Get("expiresAt")
	ended := slices.Contains(endedJobs, state)
	switch created, updated := text(j, "createdAt"), text(j, "updatedAt"); {
	case expires != ended:
		return breach("AD-J09", "a job that is %s has expiresAt: %t", state, expires)
	case state == "queued" && cursor != 0, ended && cursor < 2:
		return breach("AD-J09", "a job that is %s has the cursor %d", state, cursor)
	case !exact.MatchString(created) || !exact.MatchString(updated) || updated < created:
		return breach("AD-J09", "a job was created at %s and updated at %s: three decimals and Z are expected, in this order", created, updated)
	case expires && text(j, "expiresAt") <= updated:
		return breach("AD-J09", "a job expires at %s, not after it was updated", text(j, "expiresAt"))
	}
	return nil
}

// page holds a page of job events to AD-J12: the events of one run, in a row from the cursor on.
func page(x *protocol.Exchange, body *value.Object) []protocol.Breach {
	request, _ := x.Body.(*value.Object)
	after, _ := number(request, "after")
	j := object(body, "job")
	list, _ := body.Get("events")
	events, _ := list.(value.List)
	cursor, _ := number(j, "cursor")
	at := after
	for _, item := range events {
		event, _ := item.(*value.Object)
		kind := text(event, "type")
		sequence, _ := number(event, "sequence")
		switch at++; {
		case sequence != at:
			return breach("AD-J12", "the sequence of %s in a page is %d, expected is %d", kind, sequence, at)
		case text(event, "runId") != text(j, "runId"):
			return breach("AD-J12", "%s in a page is of another run than its job", kind)
		case (kind == "run.started") != (at == 1):
			return breach("AD-J12", "%s in a page has the sequence %d", kind, at)
		case !slices.Contains(knownTypes, kind):
			return breach("AD-J12", "the unknown event %s is in a page", kind)
		case kind == "approval.requested", kind == "approval.resolved", kind == "tool.execution.requested":
			return breach("AD-J12", "%s is in a page", kind)
		case isTerminal(kind) != (at == cursor && slices.Contains(endedJobs, text(j, "state"))):
			return breach("AD-J12", "%s has the sequence %d in a job that is %s with the cursor %d", kind, at, text(j, "state"), cursor)
		case isTerminal(kind) && !ends(kind, text(j, "state")):
			return breach("AD-J09", "a job that is %s ends with %s", text(j, "state"), kind)
		}
	}
	next, _ := number(body, "nextCursor")
	more, _ := body.Get("hasMore")
	switch {
	case next != at:
		return breach("AD-J12", "nextCursor is %d, the last event of the page has the sequence %d", next, at)
	case more != (next < cursor):
		return breach("AD-J12", "hasMore is %v with nextCursor %d and cursor %d", more, next, cursor)
	}
	return nil
}

// ends tells whether a job in this state ends with this event.
func ends(kind, state string) bool {
	switch state {
	case "completed":
		return kind == "run.completed"
	case "cancelled":
		return kind == "run.cancelled"
	}
	return kind == "run.failed"
}

// session holds a SessionInfo to AD-N12.
func session(s *value.Object) []protocol.Breach {
	state := text(s, "state")
	_, expires := s.Get("expiresAt")
	created, updated := text(s, "createdAt"), text(s, "updatedAt")
	switch {
	case (state == "running") == expires:
		return breach("AD-N12", "a session that is %s has expiresAt: %t", state, expires)
	case !exact.MatchString(created) || !exact.MatchString(updated) || updated < created:
		return breach("AD-N12", "a session was created at %s and updated at %s: three decimals and Z are expected, in this order", created, updated)
	case expires && text(s, "expiresAt") <= updated:
		return breach("AD-N12", "a session expires at %s, not after it was updated", text(s, "expiresAt"))
	}
	return nil
}

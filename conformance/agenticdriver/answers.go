package agenticdriver

import (
	"fmt"
	"mime"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// breach is one breach of a requirement.
func breach(requirement, format string, args ...any) []protocol.Breach {
	return []protocol.Breach{{Requirement: requirement, Reason: fmt.Sprintf(format, args...)}}
}

// answer holds one answer, or the head of a stream, to what every answer is held to: the version header (AD-T03), no
// redirects (AD-T20), errors as error objects (AD-T05), bodies as the document describes them (AD-V01; that of
// /health, which it does not describe, AD-T02).
func answer(x *protocol.Exchange) []protocol.Breach {
	var found []protocol.Breach
	a := x.Answer
	if got := strings.Join(a.Header.Values("AgenticDriver-Version"), ", "); got != version {
		found = append(found, breach("AD-T03", "the header AgenticDriver-Version of an answer %d is %q", a.Status, got)...)
	}
	switch {
	case a.Status >= 300 && a.Status < 400:
		return append(found, breach("AD-T20", "the answer %d redirects to %q", a.Status, a.Header.Get("Location"))...)
	case a.Status >= 400:
		return append(found, errorBody(x)...)
	case x.Operation == nil || x.Stream:
		return found
	}
	requirement := "AD-V01"
	if x.Operation.ID == agenticdriver.OperationHealth.ID {
		requirement = "AD-T02"
	}
	described := x.Operation.Response(a.Status)
	if described == nil || len(described.Content) == 0 {
		return found
	}
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	media := described.As(kind)
	switch {
	case media == nil:
		found = append(found, breach(requirement, "an answer %d has the media type %q, which is not described", a.Status, kind)...)
	case media.Schema.Validate == nil:
	default:
		if v := protocol.Of(media.Schema)(a.Body); len(v) > 0 {
			found = append(found, breach(requirement, "an answer %d is no valid %s: %s", a.Status, media.Schema.Name, v[0])...)
		}
	}
	return found
}

// validError is the check of error bodies.
var validError = protocol.Of(agenticdriver.Types["Error"])

// errorBody holds the body of an error to its shape.
func errorBody(x *protocol.Exchange) []protocol.Breach {
	kind, _, _ := mime.ParseMediaType(x.Answer.Header.Get("Content-Type"))
	if kind != "application/json" {
		return breach("AD-T05", "an answer %d has the media type %q instead of application/json", x.Answer.Status, kind)
	}
	if v := validError(x.Answer.Body); len(v) > 0 {
		return breach("AD-T05", "an answer %d is no valid Error: %s", x.Answer.Status, v[0])
	}
	return nil
}

package client

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// The codes that this client gives to failures of its own.
const (
	codeHTTP        = string(agenticdriver.ClientErrorCodeHTTPERROR)
	codeIncomplete  = string(agenticdriver.ClientErrorCodeINCOMPLETESTREAM)
	codeStream      = string(agenticdriver.ClientErrorCodeINVALIDSTREAM)
	codeEvent       = string(agenticdriver.ClientErrorCodeUNSUPPORTEDEVENT)
	codeResponse    = string(agenticdriver.ClientErrorCodeINVALIDRESPONSE)
	codeTooLarge    = string(agenticdriver.ClientErrorCodeRESPONSETOOLARGE)
	codeVersion     = string(agenticdriver.ClientErrorCodeUNSUPPORTEDPROTOCOLVERSION)
	codeInsecure    = string(agenticdriver.ClientErrorCodeINSECURETRANSPORT)
	codeNoToken     = string(agenticdriver.ClientErrorCodeAUTHREQUIRED)
	codeTokenSource = string(agenticdriver.ClientErrorCodeAUTHUNAVAILABLE)

	codeRequest        = string(agenticdriver.ErrorCodeINVALIDREQUEST)
	codeCancelled      = string(agenticdriver.ErrorCodeCANCELLED)
	codeApprovalStream = string(agenticdriver.ErrorCodeAPPROVALSTREAMREQUIRED)
	codeToolStream     = string(agenticdriver.ErrorCodeTOOLSTREAMREQUIRED)
)

// Error is a failure of an operation: what the host answered, or what this client found wrong. It never holds a token.
type Error struct {
	Code      string // of the host, whether or not it is known; of a failure found here a ClientErrorCode or the code a host would give
	Message   string // for people; not stable
	Retryable bool   // a hint of the host; nothing is repeated here
	Uncertain bool   // effects may have happened: find out before doing it again
	Status    int    // of the HTTP answer, 0 where there was none
	Local     bool   // found by this client, not told by the host
	Rule      Rule   // of a failure found here: what the client insists on; "" where there is no such rule

	err error
}

func (e *Error) Error() string {
	text := e.Code + ": " + e.Message
	if e.Rule != "" {
		text += " (rule " + string(e.Rule) + ")"
	}
	return text
}

// Unwrap gives what caused the failure, such as context.Canceled or a *wire.Error with the rules of the document that a
// message breaks.
func (e *Error) Unwrap() error { return e.err }

func fail(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Local: true}
}

// because gives the failure a cause.
func (e *Error) because(err error) *Error {
	e.err = err
	return e
}

func (e *Error) at(status int) *Error {
	e.Status = status
	return e
}

// transport says that an exchange broke. A context that has ended is what broke it, whatever else is said.
func transport(ctx context.Context, code, what string, err error) *Error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errNoAnswer):
		e := fail(codeHTTP, "%s: %v", what, cause).because(context.DeadlineExceeded)
		e.Retryable = true
		return e
	case cause != nil:
		return fail(codeCancelled, "%s: %v", what, cause).because(ctx.Err())
	}
	e := fail(code, "%s: %v", what, err).because(err)
	e.Retryable = code == codeHTTP
	return e
}

// told makes the failure that a host tells of one of ours. A host that repeats a secret is not repeated.
func told(info *agenticdriver.ErrorInfo, status int, secret string) *Error {
	return &Error{
		Code:      hide(info.Code, secret),
		Message:   hide(info.Message, secret),
		Retryable: info.Retryable,
		Uncertain: info.Outcome.Set,
		Status:    status,
	}
}

func hide(text, secret string) string {
	if secret == "" {
		return text
	}
	return strings.ReplaceAll(text, secret, "[token]")
}

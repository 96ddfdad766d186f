package failure

import (
	"errors"
	"fmt"
	"strings"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Error is a failure with a code of the protocol.
type Error struct {
	Code      string
	Message   string // never holds a secret, a provider's words or a caller's document
	Retryable bool
	Uncertain bool // effects may have occurred
}

// Error gives code and message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// New makes an error; whether it is worth trying again follows from the code.
func New[C ~string](code C, message string) *Error {
	return &Error{Code: string(code), Message: message, Retryable: retryable[string(code)], Uncertain: uncertain[string(code)]}
}

// Newf is New with a formatted message.
func Newf[C ~string](code C, format string, args ...any) *Error {
	return New(code, fmt.Sprintf(format, args...))
}

// Invalid makes an error of a message that breaks its schema. The violations
// that the message quotes name places and rules, never values.
func Invalid[C ~string](code C, err error) *Error {
	text := "The request is not valid: " + err.Error()
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "")
	}
	return New(code, text)
}

const maxMessage = 1000

// Of gives the failure that err holds. Errors that are not meant for callers
// become INTERNAL_ERROR with a message of its own.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return New(protocol.ErrorCodeINTERNALERROR, "The host failed in a way it has no code for.")
}

// Info is the error as it stands in bodies and events.
func (e *Error) Info() protocol.ErrorInfo {
	info := protocol.ErrorInfo{Code: e.Code, Message: e.Message, Retryable: e.Retryable}
	if e.Uncertain {
		info.Outcome = wire.Some("uncertain")
	}
	return info
}

// FromInfo is the reverse of Info.
func FromInfo(i protocol.ErrorInfo) *Error {
	return &Error{Code: i.Code, Message: i.Message, Retryable: i.Retryable, Uncertain: i.Outcome.Set}
}

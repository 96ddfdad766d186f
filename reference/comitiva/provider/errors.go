package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// Code is an error code of the protocol.
type Code string

// The codes that trouble with a provider maps to.
const (
	AuthFailed         Code = "auth_failed"
	RateLimited        Code = "rate_limited"
	Timeout            Code = "timeout"
	Unavailable        Code = "provider_unavailable"
	Failed             Code = "provider_error"
	InvalidRequest     Code = "invalid_request"
	UnsupportedContent Code = "unsupported_content"
)

// Retryable tells whether trying again may help.
func (c Code) Retryable() bool {
	return c == RateLimited || c == Timeout || c == Unavailable
}

// Error is trouble in the protocol's terms. Its message never holds the secret
// of the request.
type Error struct {
	Code      Code
	Message   string
	Retryable bool
	Status    int  // of the HTTP answer that the error comes from; 0: none
	InStream  bool // the provider reported it inside a stream
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error that is retryable as its code says.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Retryable: code.Retryable()}
}

// StreamError is the error that an object inside a stream reports; words are
// the provider's own and may be empty.
func StreamError(e Endpoint, words string) *Error {
	text := "The provider reported an error in its stream"
	if words != "" {
		text += ": " + words
	}
	err := Errorf(Failed, "%s", clip(e.Scrub(text)))
	err.InStream = true
	return err
}

// StatusCode maps an HTTP status that is not a success.
func StatusCode(status int) Code {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return AuthFailed
	case status == http.StatusTooManyRequests:
		return RateLimited
	case status == http.StatusRequestTimeout:
		return Timeout
	case status >= 500:
		return Unavailable
	}
	return Failed
}

// errorBody is how much of an error answer is read.
const errorBody = 64 << 10

// maxProviderText bounds a message with a provider's own words, in bytes.
const maxProviderText = 1000

// StatusError turns an answer that is not a success into an Error, with the
// provider's own words where they can be found.
func StatusError(e Endpoint, res *http.Response) *Error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, errorBody))
	text := fmt.Sprintf("The provider answered with HTTP status %d", res.StatusCode)
	if words := ErrorText(body); words != "" {
		text += ": " + words
	}
	err := Errorf(StatusCode(res.StatusCode), "%s", clip(e.Scrub(text)))
	err.Status = res.StatusCode
	return err
}

// ErrorText finds the message in an error body: {"error":{"message":…}},
// {"error":"…"} or {"message":"…"}; empty when there is none.
func ErrorText(body []byte) string {
	var known struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &known) != nil {
		return ""
	}
	text := known.Message
	if len(known.Error) > 0 {
		var inner struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(known.Error, &text) != nil && json.Unmarshal(known.Error, &inner) == nil {
			text = inner.Message
		}
	}
	return strings.TrimSpace(text)
}

// clip cuts a text. Secrets are taken out before: a cut one would no longer be
// found.
func clip(text string) string {
	if len(text) <= maxProviderText {
		return text
	}
	return strings.ToValidUTF8(text[:maxProviderText], "") + "…"
}

// TransportError maps an error of the HTTP client or of reading a body. When
// ctx itself has ended, its error is returned unchanged, but for a passed
// deadline, which is the probe's own time limit.
func TransportError(ctx context.Context, e Endpoint, err error) error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Errorf(Timeout, "The provider did not answer in time.")
	case ctx.Err() != nil:
		return ctx.Err()
	}
	var network net.Error
	if errors.As(err, &network) && network.Timeout() || errors.Is(err, syscall.ETIMEDOUT) {
		return Errorf(Timeout, "The connection to the provider timed out.")
	}
	return Errorf(Unavailable, "The provider could not be reached: %s.", reason(err))
}

// reason is what went wrong, without the address of the request: an address may
// carry credentials.
func reason(err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "the host name could not be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was reset"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the connection was closed before the answer was complete"
	}
	return "the connection failed"
}

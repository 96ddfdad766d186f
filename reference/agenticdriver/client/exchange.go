package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Headers of the protocol.
const (
	headerVersion  = "AgenticDriver-Version"
	headerOptional = "AgenticDriver-Accept-Optional-Events"

	typeJSON   = "application/json"
	typeStream = "text/event-stream"
)

// message is what a request carries.
type message interface {
	AppendJSON(b []byte) []byte
	Validate() error
}

// request is one request to be sent.
type request struct {
	operation *wire.Operation
	query     string  // "" or with its question mark
	body      message // nil: none
	accept    string
	token     string // "": no Authorization
}

// send sends a request and gives the answer if it is a success. The token is there to be kept out of errors.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader = http.NoBody
	if r.body != nil {
		if err := r.body.Validate(); err != nil {
			return nil, fail(codeRequest, "the request breaks the document: %v", err).because(err)
		}
		body = bytes.NewReader(r.body.AppendJSON(nil))
	}
	q, err := http.NewRequestWithContext(ctx, r.operation.Method, c.base+r.operation.Path+r.query, body)
	if err != nil {
		return nil, fail(codeInsecure, "the base URL cannot be used") // the error of net/url quotes it
	}
	q.GetBody = nil // what is sent is sent once
	q.Header.Set("Accept", r.accept)
	q.Header.Set(headerVersion, Version)
	q.Header.Set(headerOptional, "true")
	if r.body != nil {
		q.Header.Set("Content-Type", typeJSON)
	}
	if r.token != "" {
		q.Header.Set("Authorization", "Bearer "+r.token)
	}
	answer, err := c.trip.RoundTrip(q)
	if err != nil {
		return nil, transport(ctx, codeHTTP, r.operation.ID, err)
	}
	if err := c.accepted(ctx, r, answer); err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

// accepted tells what is wrong with an answer before its body counts.
func (c *Client) accepted(ctx context.Context, r request, answer *http.Response) error {
	status := answer.StatusCode
	switch {
	case 300 <= status && status < 400:
		return fail(codeHTTP, "%s was answered with %d; redirects are not followed", r.operation.ID, status).at(status)
	case status < 200 || status > 299:
		return c.refused(ctx, r, answer)
	}
	versions := answer.Header.Values(headerVersion)
	holds := len(versions) == 0 || len(versions) == 1 && versions[0] == Version
	return insist{c.policy, codeVersion}.on(RuleVersion, holds, "the answer is in another version than %s", Version)
}

// refused reads the answer of a failure. Which version it is in does not matter.
func (c *Client) refused(ctx context.Context, r request, answer *http.Response) error {
	status := answer.StatusCode
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxErrorBody+1))
	if err != nil && ctx.Err() != nil {
		return transport(ctx, codeHTTP, r.operation.ID, err)
	}
	if err == nil && len(data) <= maxErrorBody {
		object, err := agenticdriver.DecodeError(c.policy.text(data))
		if err == nil {
			if info := c.policy.failure(object.Error); info != nil {
				return told(info, status, c.secret(r.token))
			}
		}
	}
	e := fail(codeHTTP, "%s was answered with %d and no error object", r.operation.ID, status).at(status)
	e.Retryable = status == http.StatusTooManyRequests || status >= 500
	return insist{c.policy, codeHTTP}.broken(RuleErrorObject, e)
}

// secret is what is kept out of errors.
func (c *Client) secret(token string) string {
	if c.policy.tellsTokens {
		return ""
	}
	return token
}

// answer reads the body of a success.
func (c *Client) answer(ctx context.Context, r request, a *http.Response) ([]byte, error) {
	defer func() { _ = a.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(a.Body, int64(c.policy.body)+1))
	switch {
	case err != nil:
		return nil, transport(ctx, codeHTTP, r.operation.ID+": the answer broke off", err)
	case len(data) > c.policy.body:
		return nil, fail(codeTooLarge, "the answer to %s is longer than %d bytes", r.operation.ID, c.policy.body).at(a.StatusCode)
	case !utf8.Valid(data) && !c.policy.waives(RuleText):
		return nil, insist{c.policy, codeResponse}.broken(RuleText, fail(codeResponse, "the answer to %s is not UTF-8", r.operation.ID))
	}
	return bytes.ToValidUTF8(c.policy.text(data), []byte("\uFFFD")), nil
}

// ask sends a request with the token and reads the answer.
func ask[T any](ctx context.Context, c *Client, r request, decode func([]byte, ...wire.Option) (T, error)) (*T, error) {
	token, err := c.bearer(ctx)
	if err != nil {
		return nil, err
	}
	r.token = token
	return exchange(ctx, c, r, decode)
}

// exchange sends a request and reads the answer.
func exchange[T any](ctx context.Context, c *Client, r request, decode func([]byte, ...wire.Option) (T, error)) (*T, error) {
	r.accept = typeJSON
	a, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	data, err := c.answer(ctx, r, a)
	if err != nil {
		return nil, err
	}
	v, err := decode(data, c.reading()...)
	if err != nil {
		return nil, fail(codeResponse, "the answer to %s breaks the document: %s", r.operation.ID, hide(brief(err), c.secret(r.token))).because(err).at(a.StatusCode)
	}
	if !c.policy.takes(&v) {
		return nil, fail(codeResponse, "the answer to %s is not taken", r.operation.ID)
	}
	return &v, nil
}

// reading is how messages of the host are read: dates must be real ones.
func (c *Client) reading() []wire.Option {
	if c.policy.waives(RuleTime) {
		return nil
	}
	return []wire.Option{wire.AssertFormats()}
}

// brief is the first violation only: one is enough to refuse.
func brief(err error) string {
	var broken *wire.Error
	if errors.As(err, &broken) && len(broken.Violations) > 0 {
		return (&wire.Error{Violations: broken.Violations[:1]}).Error()
	}
	return err.Error()
}

package client

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// Stream is a run and its events. Close it; closing it before its end cancels the run.
type Stream struct {
	ctx     context.Context
	cancel  context.CancelFunc
	body    io.Closer
	frames  *frames
	order   *order
	done    error // what Next says from now on
	status  int
	version string
}

// Stream starts a run and gives its events as they come. What the host refuses before the run begins is an error here.
// Ending the context cancels the run. There is no deadline but that of the context, and nothing is ever asked for
// again: a stream that breaks off is INCOMPLETE_STREAM, whatever became of the run.
func (c *Client) Stream(ctx context.Context, q *agenticdriver.RunRequest) (*Stream, error) {
	token, err := c.bearer(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	a, err := c.send(ctx, request{operation: &agenticdriver.OperationRun, body: q, accept: typeStream, token: token})
	if err != nil {
		cancel()
		return nil, err
	}
	if err := c.responses().on(RuleContentType, isStream(a), "the answer is no stream of events"); err != nil {
		_ = a.Body.Close()
		cancel()
		return nil, err
	}
	return &Stream{
		ctx: ctx, cancel: cancel, body: a.Body, status: a.StatusCode, version: a.Header.Get(headerVersion),
		frames: newFrames(a.Body, c.policy), order: newOrder(c, q),
	}, nil
}

func isStream(a *http.Response) bool {
	return strings.Contains(strings.ToLower(a.Header.Get("Content-Type")), typeStream)
}

// Status is that of the HTTP answer.
func (s *Stream) Status() int { return s.status }

// Version is the one that the host says it speaks, "" if it does not say.
func (s *Stream) Version() string { return s.version }

// Next waits for the next event. Optional events of unknown types are passed over. After the event that ends the run
// (*agenticdriver.RunCompleted or *agenticdriver.RunFailed) it gives io.EOF, and the connection is closed without
// looking at what else the host may send. After any other error it gives the same error again.
func (s *Stream) Next() (agenticdriver.RunEvent, error) {
	for s.done == nil {
		data, err := s.frames.next()
		if err != nil {
			s.end(s.broken(err))
			break
		}
		event, err := s.order.take(data)
		if err != nil {
			s.end(err)
			break
		}
		if s.order.ended && !s.order.client.policy.readsOn {
			s.end(io.EOF)
		}
		if event != nil {
			return event, nil
		}
	}
	return nil, s.done
}

// end closes the connection; Next gives err from now on.
func (s *Stream) end(err error) {
	if s.done == nil {
		s.done = err
	}
	s.cancel()
	_ = s.body.Close()
}

// broken tells why there is no further frame.
func (s *Stream) broken(err error) error {
	var mine *Error
	switch {
	case errors.As(err, &mine):
		return mine
	case s.order.ended:
		return io.EOF
	case err == io.EOF && s.order.client.policy.waives(RuleEnd):
		return io.EOF
	case err == io.EOF:
		return insist{s.order.client.policy, codeIncomplete}.broken(RuleEnd, fail(codeIncomplete, "the stream ended before the run"))
	}
	return transport(s.ctx, codeIncomplete, "the stream broke off", err)
}

// Events are all events that are still to come, and at last the error that ended the stream, if it was not the end of
// the run. Leaving the loop early closes the stream.
func (s *Stream) Events() iter.Seq2[agenticdriver.RunEvent, error] {
	return func(yield func(agenticdriver.RunEvent, error) bool) {
		defer func() { _ = s.Close() }()
		for {
			event, err := s.Next()
			if err == io.EOF {
				return
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// Close ends the stream and its connection. A run that has not ended is cancelled by its host.
func (s *Stream) Close() error {
	s.end(fail(codeCancelled, "the stream is closed").because(context.Canceled))
	return nil
}

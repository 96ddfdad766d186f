package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Session is a live connection to a tool server.
type Session interface {
	// Tools asks for every page of the server's tools.
	Tools(ctx context.Context) ([]Tool, error)
	// Call calls a tool; input is a JSON object. An error means that the server
	// did not answer: what a tool itself reports is part of the output.
	Call(ctx context.Context, tool string, input json.RawMessage) (Output, error)
	// Done is closed when the server is gone.
	Done() <-chan struct{}
	// Close ends the session, and the server's process with it. When ctx ends,
	// it does so without grace.
	Close(ctx context.Context)
}

// Tool is a tool as its server describes it.
type Tool struct {
	Name, Title, Description string
	Schema                   json.RawMessage // a JSON object
	Annotations              *Annotations    // nil: none
}

// Annotations are a server's hints about a tool. Nil: not given.
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
}

// ReadOnly tells whether the server says that the tool changes nothing.
func (t Tool) ReadOnly() bool {
	return t.Annotations != nil && t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly
}

// protocolVersion is the newest that begins with an initialize request.
const protocolVersion = "2025-11-25"

// session is what stdio and HTTP have in common.
type session struct {
	client *mcp.ClientSession
	limits Limits
	done   chan struct{}
	end    func(ctx context.Context) // ends what carries the session

	described *described // nil: the SDK's words are all there is

	closing sync.Once
	tokens  atomic.Int64
	mu      sync.Mutex
	waits   map[string]chan struct{} // progress token -> progress was made
}

// connect opens a session over a transport; end is called when it is closed,
// and when the connection fails.
func connect(ctx context.Context, t mcp.Transport, o Options, end func(context.Context)) (Session, error) {
	s := &session{limits: o.Limits, done: make(chan struct{}), end: end, waits: map[string]chan struct{}{}}
	s.described, _ = t.(*described)
	client := mcp.NewClient(&mcp.Implementation{Name: "comitiva-runner", Version: o.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, // neither roots nor sampling
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			s.progress(fmt.Sprint(req.Params.ProgressToken))
		},
	})
	ctx, cancel := context.WithTimeout(ctx, o.Limits.Request)
	defer cancel()
	type outcome struct {
		session *mcp.ClientSession
		err     error
	}
	result := make(chan outcome, 1)
	go func() {
		c, err := client.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: protocolVersion})
		result <- outcome{c, err}
	}()
	select {
	case r := <-result:
		if r.err != nil {
			end(ctx)
			return nil, r.err
		}
		s.client = r.session
	case <-ctx.Done():
		// The SDK may be stuck in a write that knows no context.
		end(ctx)
		go func() {
			if r := <-result; r.session != nil {
				_ = r.session.Close()
			}
		}()
		return nil, ctx.Err()
	}
	go func() {
		_ = s.client.Wait()
		close(s.done)
	}()
	return s, nil
}

func (s *session) Done() <-chan struct{} { return s.done }

func (s *session) Close(ctx context.Context) {
	s.closing.Do(func() {
		s.end(ctx)
		closed := make(chan struct{})
		go func() {
			_ = s.client.Close()
			close(closed)
		}()
		select {
		case <-closed:
		case <-ctx.Done():
		}
	})
}

func (s *session) Tools(ctx context.Context) ([]Tool, error) {
	var all []Tool
	cursor := ""
	for range s.limits.Pages {
		page, err := s.page(ctx, cursor)
		if err != nil {
			return nil, err
		}
		for _, t := range page.Tools {
			tool, err := convertTool(t)
			if err != nil {
				return nil, err
			}
			if s.described != nil {
				s.described.refine(&tool)
			}
			all = append(all, tool)
		}
		if page.NextCursor == "" || page.NextCursor == cursor {
			return all, nil
		}
		cursor = page.NextCursor
	}
	return all, nil
}

func (s *session) page(ctx context.Context, cursor string) (*mcp.ListToolsResult, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limits.Request)
	defer cancel()
	return await(ctx, func() (*mcp.ListToolsResult, error) {
		return s.client.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
	})
}

func convertTool(t *mcp.Tool) (Tool, error) {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return Tool{}, err
	}
	if len(schema) == 0 || schema[0] != '{' {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	tool := Tool{Name: t.Name, Title: t.Title, Description: t.Description, Schema: schema}
	if a := t.Annotations; a != nil {
		// The SDK reads these two hints as plain values; false is what their
		// absence means.
		tool.Annotations = &Annotations{ReadOnly: &a.ReadOnlyHint, Destructive: a.DestructiveHint,
			Idempotent: &a.IdempotentHint, OpenWorld: a.OpenWorldHint}
	}
	return tool, nil
}

func (s *session) Call(ctx context.Context, tool string, input json.RawMessage) (Output, error) {
	token := "call-" + strconv.FormatInt(s.tokens.Add(1), 10)
	progress := make(chan struct{}, 1)
	s.mu.Lock()
	s.waits[token] = progress
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waits, token)
		s.mu.Unlock()
	}()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	params := &mcp.CallToolParams{Name: tool, Arguments: input}
	params.SetProgressToken(token)
	type outcome struct {
		result *mcp.CallToolResult
		err    error
	}
	answer := make(chan outcome, 1)
	go func() {
		r, err := s.client.CallTool(ctx, params)
		answer <- outcome{r, err}
	}()
	timer := time.NewTimer(s.limits.Call)
	defer timer.Stop()
	for {
		select {
		case a := <-answer:
			return convertAnswer(a.result, a.err)
		case <-progress:
			timer.Reset(s.limits.Call)
		case <-timer.C:
			cancel(context.DeadlineExceeded)
			return failure("tool_failed", "The tool did not answer in time."), nil
		case <-ctx.Done():
			return Output{}, ctx.Err()
		}
	}
}

func (s *session) progress(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.waits[token]; ok {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func convertAnswer(r *mcp.CallToolResult, err error) (Output, error) {
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return convertResult(r), nil
	case errors.As(err, &refused) && !errors.Is(err, mcp.ErrConnectionClosed):
		return failure("tool_failed", refused.Message), nil
	}
	return Output{}, err
}

// await returns early when ctx ends, though f may not know it.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	result := make(chan outcome, 1)
	go func() {
		v, err := f()
		result <- outcome{v, err}
	}()
	select {
	case r := <-result:
		return r.value, r.err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	}
}

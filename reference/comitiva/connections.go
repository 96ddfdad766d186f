package comitiva

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/comitiva/harness"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider/ollama"
)

// target is a connection as the runner uses it.
type target struct {
	adapter      provider.Adapter
	endpoint     provider.Endpoint
	defaultModel string
}

// target finds the adapter of a connection.
func (s *server) target(c protocol.Connection, secret wire.Opt[string]) (target, *protocol.AppError) {
	e := provider.Endpoint{Secret: secret.Or(""), Client: s.client}
	switch c := c.(type) {
	case *protocol.OpenAICompatibleConnection:
		e.BaseURL, e.Preset = c.Config.BaseURL, string(c.Config.Preset.Or(""))
		e.Retry = provider.Retry{Attempts: 2, Backoff: s.o.RetryBackoff}
		return target{s.openai, e, c.Config.DefaultModel.Or("")}, nil
	case *protocol.OllamaConnection:
		e.BaseURL = c.Config.BaseURL.Or(ollama.DefaultBaseURL)
		return target{s.ollama, e, c.Config.DefaultModel.Or("")}, nil
	}
	return target{}, appError(protocol.ErrorCodeUnknownProvider, "This runner has no adapter for this provider.")
}

// testConnection answers connection.test: a connection that does not work is a
// result like any other.
func (s *server) testConnection(req *protocol.ConnectionTest, reply reply) {
	t, unknown := s.target(req.Connection, req.Secret)
	if unknown != nil {
		reply(nil, unknown)
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.policy.probeTime)
	defer cancel()
	begin := time.Now()
	if err := t.adapter.Probe(ctx, t.endpoint); err != nil {
		reply(&protocol.ConnectionTestFailed{Error: *probeError(err)}, nil)
		return
	}
	reply(&protocol.ConnectionTestOK{LatencyMs: whole(time.Since(begin))}, nil)
}

// listModels answers connection.listModels.
func (s *server) listModels(req *protocol.ConnectionListModels, reply reply) {
	switch req.Connection.(type) {
	case *protocol.ClaudeCodeConnection, *protocol.CodexConnection:
		reply(nil, appError(protocol.ErrorCodeNotImplemented, "A command-line agent does not list its models."))
		return
	}
	t, unknown := s.target(req.Connection, req.Secret)
	if unknown != nil {
		reply(nil, unknown)
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.policy.probeTime)
	defer cancel()
	models, err := t.adapter.Models(ctx, t.endpoint)
	if err != nil {
		reply(nil, probeError(err))
		return
	}
	list := make([]*protocol.ModelInfo, len(models))
	for i, m := range models {
		list[i] = &protocol.ModelInfo{ID: m.ID}
		if m.Name != "" {
			list[i].Name = wire.Some(m.Name)
		}
		if m.ContextWindow > 0 {
			list[i].ContextWindow = wire.Some(m.ContextWindow)
		}
	}
	reply(list, nil)
}

// detect answers cli.detect.
func (s *server) detect(req *protocol.CLIDetect, reply reply) {
	name, ok := harness.Binary(string(req.Provider))
	switch {
	case ok:
	case apiProviders[string(req.Provider)]:
		reply(nil, appError(protocol.ErrorCodeInvalidRequest, "This provider is not a command-line agent."))
		return
	default:
		reply(nil, appError(protocol.ErrorCodeUnknownProvider, "This runner has no adapter for this provider."))
		return
	}
	path, err := harness.Locate(name, req.BinaryPath.Or(""))
	var output string
	if err == nil {
		output, err = harness.Version(s.ctx, path)
	}
	switch {
	case err == nil:
		reply(&protocol.DetectResult{Path: path, Version: s.policy.version(output)}, nil)
	case errors.Is(err, harness.ErrNotFound):
		reply(nil, appError(protocol.ErrorCodeBinaryNotFound, "The agent's binary was not found, or cannot be executed."))
	case errors.Is(err, harness.ErrTimeout):
		reply(nil, &protocol.AppError{Code: protocol.ErrorCodeTimeout, Message: "The agent did not tell its version in time.", Retryable: true})
	default:
		reply(nil, appError(protocol.ErrorCodeProviderError, "The agent did not tell its version."))
	}
}

// apiProviders are reached over HTTP: there is no binary to find.
var apiProviders = map[string]bool{"anthropic": true, "openai-compatible": true, "google": true, "ollama": true}

// probeError writes what an adapter returned as the protocol wants it.
func probeError(err error) *protocol.AppError {
	var known *provider.Error
	if errors.As(err, &known) {
		return &protocol.AppError{Code: protocol.ErrorCode(known.Code), Message: known.Message, Retryable: known.Retryable}
	}
	// The runner is stopping: the shell may not even read this.
	return &protocol.AppError{Code: protocol.ErrorCodeProviderUnavailable, Message: "The request was given up.", Retryable: true}
}

// whole is a time in whole milliseconds.
func whole(d time.Duration) wire.Number {
	return wire.Number(strconv.Itoa(int(math.Round(float64(d) / float64(time.Millisecond)))))
}

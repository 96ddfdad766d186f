package comitiva

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/reference/comitiva/history"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

// providerFaults are wrong ways to speak with model providers.
var providerFaults = []fault{
	{"rate-limit-not-retryable", "status 429",
		"Says that trying again does not help against a rate limit.",
		onError(func(_ provider.Endpoint, err *provider.Error) {
			if err.Code == provider.RateLimited {
				err.Retryable = false
			}
		})},
	{"forbidden-is-provider-error", "status 403",
		"Calls status 403 provider_error.",
		onError(func(_ provider.Endpoint, err *provider.Error) {
			if err.Status == http.StatusForbidden {
				err.Code = provider.Failed
			}
		})},
	{"server-error-is-internal", "status 500 and above",
		"Calls a server error internal, and not retryable.",
		onError(func(_ provider.Endpoint, err *provider.Error) {
			if err.Status >= http.StatusInternalServerError {
				err.Code, err.Retryable = "internal", false
			}
		})},
	{"refused-connection-is-internal", "connections that cannot be made",
		"Calls a connection that cannot be made internal.",
		onError(func(_ provider.Endpoint, err *provider.Error) {
			if err.Code == provider.Unavailable && err.Status == 0 {
				err.Code, err.Retryable = "internal", false
			}
		})},
	{"stream-error-is-unavailable", "errors inside a stream",
		"Calls an error inside a stream provider_unavailable.",
		onError(func(_ provider.Endpoint, err *provider.Error) {
			if err.InStream {
				err.Code, err.Retryable = provider.Unavailable, true
			}
		})},
	{"secret-in-error-message", "secrecy of the secret",
		"Ends the messages of provider failures with the secret.",
		onError(func(e provider.Endpoint, err *provider.Error) {
			if e.Secret != "" {
				err.Message += " (key " + e.Secret + ")"
			}
		})},
	{"reset-ends-in-order", "streams that break off",
		"Ends a run whose stream breaks off as if the model had finished.",
		onStream(func(ctx context.Context, next provider.Adapter, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error) {
			reply, err := next.Stream(ctx, e, call, sink)
			var broken *provider.Error
			if errors.As(err, &broken) && broken.Code == provider.Unavailable && broken.Status == 0 {
				reply.Stop = provider.EndTurn
				return reply, nil
			}
			return reply, err
		})},
	{"broken-line-skipped", "lines of Ollama that are not JSON",
		"Skips a line of an Ollama stream that is not JSON.",
		onTransport(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(req)
			if err == nil && strings.HasSuffix(req.URL.Path, "/api/chat") {
				res.Body = jsonLinesOnly(res.Body)
			}
			return res, err
		})},
	{"keyless-sends-bearer", "requests without a secret",
		"Sends an Authorization header though there is no secret.",
		onTransport(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			if req.Header.Get("Authorization") == "" {
				req = req.Clone(req.Context())
				req.Header.Set("Authorization", "Bearer none")
			}
			return next.RoundTrip(req)
		})},
	{"ambient-key-used", "keys in the environment",
		"Takes the secret from the environment when the request has none.",
		onEndpoint(func(e *provider.Endpoint) {
			if e.Secret == "" {
				e.Secret = os.Getenv("OPENAI_API_KEY")
			}
		})},
	{"cancel-keeps-connection", "the provider request of a cancelled run",
		"Leaves the provider request of a cancelled run open.",
		onTransport(keepConnection)},
	{"secret-left-out", "the secret as a bearer token",
		"Does not send the secret to the provider.",
		onTransport(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			req = req.Clone(req.Context())
			req.Header.Del("Authorization")
			return next.RoundTrip(req)
		})},
	{"nameless-models-dropped", "models of Ollama without the member model",
		"Leaves out the models of Ollama that have a name only.",
		onTransport(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(req)
			if err == nil && strings.HasSuffix(req.URL.Path, "/api/tags") {
				res.Body = modelsWithID(res.Body)
			}
			return res, err
		})},
	{"parameters-left-out", "the parameters of an agent",
		"Sends neither the parameters nor the role of an agent.",
		onStream(func(ctx context.Context, next provider.Adapter, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error) {
			return next.Stream(ctx, e, provider.Call{Model: call.Model, Messages: call.Messages, Tools: call.Tools}, sink)
		})},
	{"stop-reason-always-end-turn", "stop reasons",
		"Calls a reply that was cut or refused a finished one.",
		onStop(func(r *provider.Reply) {
			if r.Stop == provider.MaxTokens || r.Stop == provider.Refusal {
				r.Stop = provider.EndTurn
			}
		})},
	{"max-tokens-calls-tools", "tool calls of a reply that was cut",
		"Makes the tool calls of a reply that was cut.",
		onStop(func(r *provider.Reply) {
			if r.Stop == provider.MaxTokens && len(r.ToolUses) > 0 {
				r.Stop = provider.ToolCalls
			}
		})},
	{"result-order-reversed", "the order of tool results",
		"Sends the results of one reply's calls back in reversed order.",
		onMessages(func(m *provider.Message) bool {
			m.Results = slices.Clone(m.Results)
			slices.Reverse(m.Results)
			return true
		})},
	{"usage-includes-cache", "usage net of cached tokens",
		"Counts cached tokens as input tokens.",
		onStream(func(ctx context.Context, next provider.Adapter, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error) {
			reply, err := next.Stream(ctx, e, call, sink)
			if reply.Usage != nil && reply.Usage.CacheRead != nil {
				reply.Usage.Input += *reply.Usage.CacheRead
			}
			return reply, err
		})},
	{"orphan-call-sent-bare", "stored calls without a result",
		"Sends a stored tool use without a result as it is.",
		onMessages(func(m *provider.Message) bool {
			m.Results = slices.DeleteFunc(slices.Clone(m.Results), func(r provider.ToolResult) bool {
				return r.IsError && len(r.Parts) == 1 && r.Parts[0].Text == history.Interrupted
			})
			return m.Role != provider.ToolTurn || len(m.Results) > 0
		})},
	{"results-not-sent-back", "results of tools",
		"Does not send the results of tools back to the model.",
		onMessages(func(m *provider.Message) bool { return m.Role != provider.ToolTurn })},
	{"image-cut", "images",
		"Cuts the last four characters off the data of images.",
		onMessages(func(m *provider.Message) bool {
			m.Parts = slices.Clone(m.Parts)
			for i, p := range m.Parts {
				if p.Image() {
					m.Parts[i].Data = p.Data[:max(0, len(p.Data)-4)]
				}
			}
			return true
		})},
	{"image-left-out", "images",
		"Does not send images to the provider.",
		onMessages(func(m *provider.Message) bool {
			m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), provider.Part.Image)
			return true
		})},
}

// wrapped is an adapter whose endpoint, stream or errors are changed.
type wrapped struct {
	provider.Adapter
	endpoint func(*provider.Endpoint)
	stream   func(ctx context.Context, next provider.Adapter, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error)
	failed   func(e provider.Endpoint, err *provider.Error)
}

func (w wrapped) Probe(ctx context.Context, e provider.Endpoint) error {
	w.endpoint(&e)
	return w.changed(e, w.Adapter.Probe(ctx, e))
}

func (w wrapped) Models(ctx context.Context, e provider.Endpoint) ([]provider.Model, error) {
	w.endpoint(&e)
	models, err := w.Adapter.Models(ctx, e)
	return models, w.changed(e, err)
}

func (w wrapped) Stream(ctx context.Context, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error) {
	w.endpoint(&e)
	reply, err := w.stream(ctx, w.Adapter, e, call, sink)
	return reply, w.changed(e, err)
}

func (w wrapped) changed(e provider.Endpoint, err error) error {
	var known *provider.Error
	if errors.As(err, &known) {
		w.failed(e, known)
	}
	return err
}

func onAdapter(change func(*wrapped)) func(*setup) {
	return func(s *setup) {
		s.policy.adapter = func(a provider.Adapter) provider.Adapter {
			w := wrapped{Adapter: a, endpoint: func(*provider.Endpoint) {}, failed: func(provider.Endpoint, *provider.Error) {},
				stream: func(ctx context.Context, next provider.Adapter, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error) {
					return next.Stream(ctx, e, call, sink)
				}}
			change(&w)
			return w
		}
	}
}

func onError(f func(e provider.Endpoint, err *provider.Error)) func(*setup) {
	return onAdapter(func(w *wrapped) { w.failed = f })
}

func onEndpoint(f func(*provider.Endpoint)) func(*setup) {
	return onAdapter(func(w *wrapped) { w.endpoint = f })
}

func onStream(f func(ctx context.Context, next provider.Adapter, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error)) func(*setup) {
	return onAdapter(func(w *wrapped) { w.stream = f })
}

// onStop changes how a model call ended.
func onStop(change func(*provider.Reply)) func(*setup) {
	return onStream(func(ctx context.Context, next provider.Adapter, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error) {
		reply, err := next.Stream(ctx, e, call, sink)
		change(&reply)
		return reply, err
	})
}

// onMessages changes each message that is sent, or drops it.
func onMessages(keep func(*provider.Message) bool) func(*setup) {
	return onStream(func(ctx context.Context, next provider.Adapter, e provider.Endpoint, call provider.Call, sink provider.Sink) (provider.Reply, error) {
		var sent []provider.Message
		for _, m := range call.Messages {
			if keep(&m) {
				sent = append(sent, m)
			}
		}
		call.Messages = sent
		return next.Stream(ctx, e, call, sink)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func onTransport(f func(next http.RoundTripper, req *http.Request) (*http.Response, error)) func(*setup) {
	return func(s *setup) {
		s.policy.transport = func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(req *http.Request) (*http.Response, error) { return f(next, req) })
		}
	}
}

// filteredBody reads through a filter and closes the body behind it.
type filteredBody struct {
	io.Reader
	io.Closer
}

func jsonLinesOnly(body io.ReadCloser) io.ReadCloser {
	lines := bufio.NewReader(body)
	return filteredBody{&lineFilter{next: func() ([]byte, error) {
		line, err := lines.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 && !json.Valid(text) {
			line = nil
		}
		return line, err
	}}, body}
}

// modelsWithID drops what has no member "model" from a list of models.
func modelsWithID(body io.ReadCloser) io.ReadCloser {
	defer body.Close()
	data, _ := io.ReadAll(body)
	var list struct {
		Models []map[string]any `json:"models"`
	}
	if json.Unmarshal(data, &list) == nil {
		list.Models = slices.DeleteFunc(list.Models, func(m map[string]any) bool {
			id, _ := m["model"].(string)
			return id == ""
		})
		data, _ = json.Marshal(list) // came from JSON
	}
	return io.NopCloser(bytes.NewReader(data))
}

// keepConnection makes a request that the end of its context does not abort:
// only whoever waits for the answer gives up.
func keepConnection(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	type outcome struct {
		res *http.Response
		err error
	}
	ctx := req.Context()
	answer := make(chan outcome, 1)
	go func() {
		res, err := next.RoundTrip(req.WithContext(context.WithoutCancel(ctx)))
		answer <- outcome{res, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answer:
		if a.err != nil {
			return nil, a.err
		}
		r, w := io.Pipe()
		body := a.res.Body
		go func() {
			_, err := io.Copy(w, body)
			_ = w.CloseWithError(err)
			_, _ = io.Copy(io.Discard, body)
			_ = body.Close()
		}()
		stop := context.AfterFunc(ctx, func() { _ = r.CloseWithError(ctx.Err()) })
		a.res.Body = filteredBody{r, closerFunc(func() error {
			stop()
			return r.Close()
		})}
		return a.res, nil
	}
}

type closerFunc func() error

func (f closerFunc) Close() error { return f() }

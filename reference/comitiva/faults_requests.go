package comitiva

import (
	"math"
	"strings"
	"sync"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// emitter hands on an event or response.
type emitter = func(protocol.RunnerEvent)

// refusalFaults are wrong answers to requests that are not valid.
var refusalFaults = []fault{
	{"unknown-type-not-implemented", "unknown types of request",
		"Answers an unknown or missing type with not_implemented.",
		onRefusal(func(r *refusal) {
			if r.object && r.reqType == "" {
				r.err.Code = protocol.ErrorCodeNotImplemented
			}
		})},
	{"invalid-request-retryable", "invalid requests",
		"Says that an invalid request may be tried again.",
		onRefusal(func(r *refusal) { r.err.Retryable = true })},
	{"invalid-request-internal", "invalid requests",
		"Answers an invalid toolServer.start with internal.",
		onRefusal(func(r *refusal) {
			if r.reqType == "toolServer.start" {
				r.err.Code = protocol.ErrorCodeInternal
			}
		})},
	{"invalid-request-nameless", "the member that is wrong",
		"Does not say which member of an invalid request is wrong.",
		onRefusal(func(r *refusal) { r.err.Message = "Invalid request" })},
	{"missing-id-undefined", "requests without an id",
		"Answers a request without an id under the id \"undefined\".",
		onRefusal(func(r *refusal) {
			if r.object && !r.hasID {
				r.id = "undefined"
			}
		})},
	{"odd-id-answered-empty", "ids that are no strings",
		"Answers a request whose id is no string under an empty id.",
		onRefusal(func(r *refusal) {
			if r.oddID {
				r.id = ""
			}
		})},
	{"invalid-values-accepted", "invalid requests",
		"Answers a request with a wrong value as if it had been carried out.",
		func(s *setup) {
			s.policy.refusals = func(next func(refusal)) func(refusal) {
				return func(r refusal) {
					switch r.keyword {
					case "required", "type", "oneOf", wire.KeywordJSON:
						next(r)
						return
					}
					if r.reqType == "" || !r.object {
						next(r)
						return
					}
					s.runner.emit(&protocol.ResponseOK{ID: r.id, Result: empty})
				}
			}
		}},
}

func onRefusal(change func(*refusal)) func(*setup) {
	return func(s *setup) {
		s.policy.refusals = func(next func(refusal)) func(refusal) {
			return func(r refusal) {
				change(&r)
				next(r)
			}
		}
	}
}

// requestFaults are wrong ways to answer requests that are not runs.
var requestFaults = []fault{
	{"protocol-version-two", "the answer to ping",
		"Claims version 2 of the protocol.",
		onReply(func(_ *protocol.Ping, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if r, ok := result.(*protocol.PingResult); ok {
				r.ProtocolVersion = 2
			}
			return result, err
		})},
	{"ping-answered-twice", "one answer for a request",
		"Answers every ping twice.",
		onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
			if _, ok := req.(*protocol.Ping); !ok {
				next(req, reply)
				return
			}
			next(req, func(result any, err *protocol.AppError) {
				reply(result, err)
				reply(result, err)
			})
		})},
	{"ids-trimmed", "the id of the answer",
		"Removes white space around the id of a response.",
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			switch r := ev.(type) {
			case *protocol.ResponseOK:
				r.ID = strings.TrimSpace(r.ID)
			case *protocol.ResponseError:
				r.ID = strings.TrimSpace(r.ID)
			}
			next(ev)
		})},
	{"requests-in-line", "requests side by side",
		"Takes up a request only when the one before it is answered.",
		onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
			answered := make(chan struct{})
			next(req, func(result any, err *protocol.AppError) {
				reply(result, err)
				close(answered)
			})
			<-answered
		})},
	{"unknown-members-refused", "unknown members",
		"Refuses a request with a member that its type does not know.",
		onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
			if len(extra(req)) > 0 {
				reply(nil, appError(protocol.ErrorCodeInvalidRequest, "Invalid request ("+extra(req)[0].Name+": unknown member)"))
				return
			}
			next(req, reply)
		})},
	{"defaults-required", "members with defaults",
		"Refuses a request that leaves out a member that has a default.",
		onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
			if name := missingDefault(req); name != "" {
				reply(nil, appError(protocol.ErrorCodeInvalidRequest, "Invalid request ("+name+": required)"))
				return
			}
			next(req, reply)
		})},
	{"failed-test-is-an-error", "failed connection tests",
		"Answers connection.test with an error response when the connection does not work.",
		onReply(func(_ *protocol.ConnectionTest, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if r, ok := result.(*protocol.ConnectionTestFailed); ok {
				return nil, &r.Error
			}
			return result, err
		})},
	{"failed-test-passes", "failed connection tests",
		"Answers connection.test as if every connection worked.",
		onReply(func(_ *protocol.ConnectionTest, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if _, ok := result.(*protocol.ConnectionTestFailed); ok {
				return &protocol.ConnectionTestOK{LatencyMs: "0"}, nil
			}
			return result, err
		})},
	{"test-without-latency", "the latency of a connection test",
		"Does not tell how long a connection test took.",
		onReply(func(_ *protocol.ConnectionTest, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if _, ok := result.(*protocol.ConnectionTestOK); ok {
				return wire.Raw(`{"ok":true}`), nil
			}
			return result, err
		})},
	{"failed-list-is-empty", "failed lists of models",
		"Answers connection.listModels with an empty list when it fails.",
		onReply(func(_ *protocol.ConnectionListModels, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if err != nil {
				return []*protocol.ModelInfo{}, nil
			}
			return result, nil
		})},
	{"model-list-cut", "lists of models",
		"Answers connection.listModels with the first model only.",
		onReply(func(_ *protocol.ConnectionListModels, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if list, ok := result.([]*protocol.ModelInfo); ok && len(list) > 1 {
				return list[:1], nil
			}
			return result, err
		})},
	{"probe-never-gives-up", "the time that a probe may take",
		"Waits for ever for the answer to a probe.",
		func(s *setup) { s.policy.probeTime = math.MaxInt64 }},
	{"list-failure-unmapped", "failed lists of models",
		"Calls every failure of connection.listModels provider_error.",
		onReply(func(_ *protocol.ConnectionListModels, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if err != nil {
				err = appError(protocol.ErrorCodeProviderError, err.Message)
			}
			return result, err
		})},
	{"missing-adapter-not-implemented", "providers without an adapter",
		"Answers for a provider without an adapter with not_implemented.",
		onReply(func(_ protocol.RunnerRequest, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if err != nil && err.Code == protocol.ErrorCodeUnknownProvider {
				err.Code = protocol.ErrorCodeNotImplemented
			}
			return result, err
		})},
	{"detect-api-provider-unknown", "cli.detect of an API provider",
		"Answers cli.detect of an API provider with unknown_provider.",
		onReply(func(_ *protocol.CLIDetect, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if err != nil && err.Code == protocol.ErrorCodeInvalidRequest {
				err.Code = protocol.ErrorCodeUnknownProvider
			}
			return result, err
		})},
	{"detect-whole-output", "the version of an agent",
		"Takes the whole output of --version for the version.",
		func(s *setup) { s.policy.version = same[string] }},
	{"missing-binary-invalid-request", "binaries that are not there",
		"Answers cli.detect of a binary that is not there with invalid_request.",
		onReply(func(_ *protocol.CLIDetect, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if err != nil && err.Code == protocol.ErrorCodeBinaryNotFound {
				err.Code = protocol.ErrorCodeInvalidRequest
			}
			return result, err
		})},
	{"annotations-dropped", "annotations of tools",
		"Leaves the annotations of tools out of the answer to toolServer.start.",
		onReply(func(_ *protocol.ToolServerStart, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if list, ok := result.([]*protocol.ToolDef); ok {
				for _, def := range list {
					def.Annotations = nil
				}
			}
			return result, err
		})},
	{"stop-keeps-process", "stopping a tool server",
		"Answers toolServer.stop and does nothing.",
		onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
			if _, ok := req.(*protocol.ToolServerStop); ok {
				reply(empty, nil)
				return
			}
			next(req, reply)
		})},
	{"stop-unknown-refused", "stopping an unknown tool server",
		"Refuses to stop a tool server that was not started.",
		func(s *setup) {
			started := map[string]bool{} // requests are taken up by one goroutine
			onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
				switch req := req.(type) {
				case *protocol.ToolServerStart:
					started[launch(req.ToolServer).ID] = true
				case *protocol.RunStart:
					for _, t := range req.ToolServers {
						started[launch(t).ID] = true
					}
				case *protocol.ToolServerStop:
					if !started[req.ToolServerID] {
						reply(nil, appError(protocol.ErrorCodeInvalidRequest, "This tool server is not running."))
						return
					}
				}
				next(req, reply)
			})(s)
		}},
}

// onRequest puts f in front of the handling of requests.
func onRequest(f func(s *setup, next handler, req protocol.RunnerRequest, reply reply)) func(*setup) {
	return func(s *setup) {
		before := s.policy.requests
		s.policy.requests = func(next handler) handler {
			next = before(next)
			return func(req protocol.RunnerRequest, reply reply) { f(s, next, req, reply) }
		}
	}
}

// onReply changes the answers to requests of one type.
func onReply[R protocol.RunnerRequest](change func(req R, result any, err *protocol.AppError) (any, *protocol.AppError)) func(*setup) {
	return onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
		of, ok := req.(R)
		if !ok {
			next(req, reply)
			return
		}
		next(req, func(result any, err *protocol.AppError) { reply(change(of, result, err)) })
	})
}

// onEvent puts f in front of the writing of events and responses. It is called
// for one at a time.
func onEvent(f func(next emitter, ev protocol.RunnerEvent)) func(*setup) {
	return func(s *setup) {
		before := s.policy.events
		s.policy.events = func(next emitter) emitter {
			next = before(next)
			return func(ev protocol.RunnerEvent) { f(next, ev) }
		}
	}
}

func extra(req protocol.RunnerRequest) wire.Members {
	switch req := req.(type) {
	case *protocol.Ping:
		return req.Extra
	case *protocol.ConnectionTest:
		return req.Extra
	case *protocol.ConnectionListModels:
		return req.Extra
	case *protocol.CLIDetect:
		return req.Extra
	case *protocol.ToolServerStart:
		return req.Extra
	case *protocol.ToolServerStop:
		return req.Extra
	case *protocol.RunStart:
		return req.Extra
	case *protocol.RunCancel:
		return req.Extra
	case *protocol.RunApproval:
		return req.Extra
	case *protocol.Shutdown:
		return req.Extra
	}
	return nil
}

// missingDefault names a member with a default that a request leaves out.
func missingDefault(req protocol.RunnerRequest) string {
	switch req := req.(type) {
	case *protocol.ConnectionTest:
		return connectionDefault(req.Connection)
	case *protocol.ConnectionListModels:
		return connectionDefault(req.Connection)
	case *protocol.ToolServerStart:
		return launchDefault(req.ToolServer)
	case *protocol.RunStart:
		for _, t := range req.ToolServers {
			if name := launchDefault(t); name != "" {
				return name
			}
		}
		return connectionDefault(req.Connection)
	}
	return ""
}

func connectionDefault(c protocol.Connection) string {
	switch c := c.(type) {
	case *protocol.OllamaConnection:
		if !c.Config.BaseURL.Set {
			return "connection.config.baseUrl"
		}
	case *protocol.ClaudeCodeConnection:
		if c.Config.ExtraArgs == nil {
			return "connection.config.extraArgs"
		}
	case *protocol.CodexConnection:
		if c.Config.ExtraArgs == nil {
			return "connection.config.extraArgs"
		}
	case *protocol.GeminiCLIConnection:
		if c.Config.ExtraArgs == nil {
			return "connection.config.extraArgs"
		}
	}
	return ""
}

func launchDefault(t protocol.ToolServer) string {
	if t, ok := t.(*protocol.StdioToolServer); ok {
		switch {
		case t.Args == nil:
			return "toolServer.args"
		case t.Env == nil:
			return "toolServer.env"
		}
	}
	return ""
}

// activity keeps track of the runs that are active, as the events tell it.
type activity struct {
	mu     sync.Mutex
	active map[string]chan struct{} // closed when the run has ended
	ended  map[string]bool
}

// follow makes an activity that follows the events of a runner, and the
// answers to run.start.
func follow(s *setup) *activity {
	a := &activity{active: map[string]chan struct{}{}, ended: map[string]bool{}}
	onReply(func(req *protocol.RunStart, result any, err *protocol.AppError) (any, *protocol.AppError) {
		if err == nil {
			a.mu.Lock()
			a.active[req.RunID] = make(chan struct{})
			a.mu.Unlock()
		}
		return result, err
	})(s)
	onEvent(func(next emitter, ev protocol.RunnerEvent) {
		next(ev)
		if id, ok := terminal(ev); ok {
			a.mu.Lock()
			if c, ok := a.active[id]; ok {
				close(c)
				delete(a.active, id)
			}
			a.ended[id] = true
			a.mu.Unlock()
		}
	})(s)
	return a
}

// all are the runs that are active now.
func (a *activity) all() map[string]<-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := map[string]<-chan struct{}{}
	for id, c := range a.active {
		out[id] = c
	}
	return out
}

// terminal tells whether an event is the last of its run.
func terminal(ev protocol.RunnerEvent) (runID string, ok bool) {
	switch ev := ev.(type) {
	case *protocol.RunDone:
		return ev.RunID, true
	case *protocol.RunError:
		return ev.RunID, true
	}
	return "", false
}

package comitiva

import (
	"fmt"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// handler carries out a valid request and replies once. It does what must
// happen in the order of the requests before it returns, and never waits.
type handler func(req protocol.RunnerRequest, reply reply)

// reply answers a request: with a result, or with an error when that is not
// nil. A result is a generated type, a list of them, or wire.Raw.
type reply func(result any, err *protocol.AppError)

// empty is the result that tells nothing.
var empty = wire.Raw("{}")

// answer makes the reply to the request with the given id.
func (s *server) answer(id string) reply {
	return func(result any, err *protocol.AppError) {
		if err != nil {
			s.emit(&protocol.ResponseError{ID: id, Error: *err})
			return
		}
		s.emit(&protocol.ResponseOK{ID: id, Result: encode(result)})
	}
}

func (s *server) dispatch(req protocol.RunnerRequest, answer reply) {
	switch req := req.(type) {
	case *protocol.Ping:
		answer(&protocol.PingResult{Version: s.o.Version, ProtocolVersion: protocolVersion}, nil)
	case *protocol.ConnectionTest:
		s.aside(answer, func(answer reply) { s.testConnection(req, answer) })
	case *protocol.ConnectionListModels:
		s.aside(answer, func(answer reply) { s.listModels(req, answer) })
	case *protocol.CLIDetect:
		s.aside(answer, func(answer reply) { s.detect(req, answer) })
	case *protocol.ToolServerStart:
		s.startToolServer(req, answer)
	case *protocol.ToolServerStop:
		gone := s.tools.Stop(s.ctx, req.ToolServerID)
		s.aside(answer, func(answer reply) {
			<-gone
			answer(empty, nil)
		})
	case *protocol.RunStart:
		s.startRun(req, answer)
	case *protocol.RunCancel:
		if !s.runs.cancel(req.RunID, func() { answer(&protocol.RunCancelResult{Cancelled: true}, nil) }) {
			answer(&protocol.RunCancelResult{Cancelled: false}, nil)
		}
	case *protocol.RunApproval:
		s.runs.approve(req.RunID, req.ToolUseID, req.Decision)
		answer(empty, nil)
	case *protocol.Shutdown:
		answer(empty, nil)
		s.stop(causeShutdown)
	default:
		answer(nil, appError(protocol.ErrorCodeNotImplemented, "This runner does not know this type of request."))
	}
}

// protocolVersion is what ping tells.
const protocolVersion = 1

// aside runs f beside the reading of requests. What f throws becomes an
// internal error. Once the runner has given its requests up, nothing is
// answered any more: the answer would not be true.
func (s *server) aside(answer reply, f func(reply)) {
	guarded := func(result any, err *protocol.AppError) {
		if s.ctx.Err() == nil {
			answer(result, err)
		}
	}
	s.asideMu.Lock()
	defer s.asideMu.Unlock()
	if s.givenUp {
		return
	}
	s.asides.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("a request failed unexpectedly", "panic", fmt.Sprint(p))
				guarded(nil, appError(protocol.ErrorCodeInternal, "The request failed unexpectedly."))
			}
		}()
		f(guarded)
	})
}

func requestID(req protocol.RunnerRequest) string {
	switch req := req.(type) {
	case *protocol.Ping:
		return req.ID
	case *protocol.ConnectionTest:
		return req.ID
	case *protocol.ConnectionListModels:
		return req.ID
	case *protocol.CLIDetect:
		return req.ID
	case *protocol.ToolServerStart:
		return req.ID
	case *protocol.ToolServerStop:
		return req.ID
	case *protocol.RunStart:
		return req.ID
	case *protocol.RunCancel:
		return req.ID
	case *protocol.RunApproval:
		return req.ID
	case *protocol.Shutdown:
		return req.ID
	}
	return ""
}

// appError makes an error that no retry helps against.
func appError(code protocol.ErrorCode, message string) *protocol.AppError {
	return &protocol.AppError{Code: code, Message: message}
}

func encode(result any) wire.Raw {
	switch r := result.(type) {
	case wire.Raw:
		return r
	case interface{ AppendJSON([]byte) []byte }:
		return r.AppendJSON(nil)
	case []*protocol.ModelInfo:
		return encodeList(r)
	case []*protocol.ToolDef:
		return encodeList(r)
	}
	panic(fmt.Sprintf("a result of type %T cannot be written", result))
}

func encodeList[T interface{ AppendJSON([]byte) []byte }](items []T) wire.Raw {
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = item.AppendJSON(out)
	}
	return append(out, ']')
}

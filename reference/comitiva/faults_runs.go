package comitiva

import (
	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

// runFaults are wrong ways to start, cancel and carry out runs.
var runFaults = []fault{
	{"requests-wait-for-runs", "requests while runs stream",
		"Answers no request but run.cancel and run.approval while a run is active.",
		func(s *setup) {
			a := follow(s)
			onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
				switch req.(type) {
				case *protocol.RunCancel, *protocol.RunApproval:
					next(req, reply)
					return
				}
				active := a.all()
				if len(active) == 0 {
					next(req, reply)
					return
				}
				go func() {
					for _, ended := range active {
						<-ended
					}
					next(req, reply)
				}()
			})(s)
		}},
	{"run-start-waits", "the answer to run.start",
		"Answers run.start only when the run has ended.",
		func(s *setup) {
			a := follow(s)
			onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
				start, ok := req.(*protocol.RunStart)
				if !ok {
					next(req, reply)
					return
				}
				next(req, func(result any, err *protocol.AppError) {
					ended, active := a.all()[start.RunID]
					if err != nil || !active {
						reply(result, err)
						return
					}
					go func() {
						<-ended
						reply(result, err)
					}()
				})
			})(s)
		}},
	{"duplicate-run-accepted", "two runs under one id",
		"Answers a run.start with the id of an active run as if it had begun.",
		onReply(func(req *protocol.RunStart, result any, err *protocol.AppError) (any, *protocol.AppError) {
			if err != nil && err.Code == protocol.ErrorCodeInvalidRequest {
				return &protocol.RunStartResult{RunID: req.RunID}, nil
			}
			return result, err
		})},
	{"run-id-spent", "the id of an ended run",
		"Refuses to use the id of an ended run again.",
		func(s *setup) {
			a := follow(s)
			onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
				if start, ok := req.(*protocol.RunStart); ok {
					a.mu.Lock()
					spent := a.ended[start.RunID]
					a.mu.Unlock()
					if spent {
						reply(nil, appError(protocol.ErrorCodeInvalidRequest, "This runId was used before."))
						return
					}
				}
				next(req, reply)
			})(s)
		}},
	{"model-made-up", "runs without a model",
		"Makes up a model when neither agent nor connection names one.",
		onStart(func(req *protocol.RunStart) {
			if !namesModel(req) {
				req.Agent.Model = wire.NonNull("default")
			}
		})},
	{"default-model-first", "the choice of the model",
		"Takes the connection's default model though the agent names one.",
		onStart(func(req *protocol.RunStart) {
			if model := defaultModel(req.Connection); model != "" {
				req.Agent.Model = wire.NonNull(model)
			}
		})},
	{"model-required-code", "codes that belong to the shell",
		"Ends a run without a model with a code that belongs to the shell.",
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			if e, ok := ev.(*protocol.RunError); ok && e.Message == noModelText {
				e.Code = protocol.ErrorCodeModelRequired
			}
			next(ev)
		})},
	{"cancel-answers-false", "the answer to run.cancel",
		"Answers the cancellation of an active run with false.",
		onReply(func(_ *protocol.RunCancel, _ any, err *protocol.AppError) (any, *protocol.AppError) {
			return &protocol.RunCancelResult{Cancelled: false}, err
		})},
	{"cancel-always-true", "cancelling a run that is over",
		"Answers every run.cancel with true.",
		onReply(func(_ *protocol.RunCancel, _ any, err *protocol.AppError) (any, *protocol.AppError) {
			return &protocol.RunCancelResult{Cancelled: true}, err
		})},
	{"cancel-cancels-all", "the runs beside a cancelled one",
		"Cancels every run when one is cancelled.",
		func(s *setup) {
			a := follow(s)
			onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
				next(req, reply)
				if cancel, ok := req.(*protocol.RunCancel); ok {
					for id := range a.all() {
						if id != cancel.RunID {
							next(&protocol.RunCancel{ID: cancel.ID, RunID: id}, func(any, *protocol.AppError) {})
						}
					}
				}
			})(s)
		}},
	{"one-run-at-a-time", "runs side by side",
		"Begins a run only when the one before it has ended.",
		func(s *setup) {
			a := follow(s)
			var last <-chan struct{} // requests are taken up by one goroutine
			onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
				start, ok := req.(*protocol.RunStart)
				if !ok {
					next(req, reply)
					return
				}
				before, over := last, make(chan struct{})
				last = over
				reply(&protocol.RunStartResult{RunID: start.RunID}, nil)
				go func() {
					if before != nil {
						<-before
					}
					next(req, func(any, *protocol.AppError) {
						ended, active := a.all()[start.RunID]
						go func() {
							if active {
								<-ended
							}
							close(over)
						}()
					})
				}()
			})(s)
		}},
	{"file-source-skipped", "attachments that are files",
		"Leaves out an attachment that is a file, and goes on.",
		onStart(func(req *protocol.RunStart) {
			for i := range req.Messages {
				var kept []protocol.Block
				for _, b := range req.Messages[i].Content {
					if !fromFile(b) {
						kept = append(kept, b)
					}
				}
				req.Messages[i].Content = kept
			}
		})},
	{"iteration-limit-off-by-one", "the iteration limit",
		"Makes one model call more than the agent allows.",
		onStart(func(req *protocol.RunStart) {
			req.Agent.Params.MaxToolIterations = wire.Some(req.Agent.Params.MaxToolIterations.Or(defaultIterations) + 1)
		})},
	{"usage-of-last-call", "usage of several model calls",
		"Counts the last model call of a run only.",
		func(s *setup) {
			s.policy.addUsage = func(_, call provider.Usage) provider.Usage { return call }
		}},
}

// onStart changes every run.start before it is carried out.
func onStart(change func(*protocol.RunStart)) func(*setup) {
	return onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
		if start, ok := req.(*protocol.RunStart); ok {
			change(start)
		}
		next(req, reply)
	})
}

func namesModel(req *protocol.RunStart) bool {
	if model, ok := req.Agent.Model.Get(); ok {
		return model != ""
	}
	return defaultModel(req.Connection) != ""
}

func defaultModel(c protocol.Connection) string {
	switch c := c.(type) {
	case *protocol.OpenAICompatibleConnection:
		return c.Config.DefaultModel.Or("")
	case *protocol.OllamaConnection:
		return c.Config.DefaultModel.Or("")
	}
	return ""
}

func fromFile(b protocol.Block) bool {
	var source protocol.Source
	switch b := b.(type) {
	case *protocol.ImageBlock:
		source = b.Source
	case *protocol.DocumentBlock:
		source = b.Source
	}
	_, ok := source.(*protocol.FileSource)
	return ok
}

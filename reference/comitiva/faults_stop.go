package comitiva

import (
	"io"
	"os"
	"slices"
	"sync/atomic"
	"syscall"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
)

// stopFaults are wrong ways to stop.
var stopFaults = []fault{
	{"shutdown-exit-status", "the exit status after shutdown",
		"Exits with status 1 after shutdown.",
		func(s *setup) { s.policy.exitCode = failAfter(causeShutdown) }},
	{"end-of-input-exit-status", "the exit status after the end of input",
		"Exits with status 1 after the end of its input.",
		func(s *setup) { s.policy.exitCode = failAfter(causeInput) }},
	{"shutdown-drops-runs", "active runs at shutdown",
		"Ends no run by an event when it is shut down.",
		func(s *setup) {
			stopped := dropRuns(s)
			onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
				if _, ok := req.(*protocol.Shutdown); ok {
					stopped.Store(true)
				}
				next(req, reply)
			})(s)
		}},
	{"end-of-input-drops-runs", "active runs at the end of input",
		"Ends no run by an event when its input ends.",
		func(s *setup) {
			stopped := dropRuns(s)
			s.policy.stdin = func(r io.Reader) io.Reader {
				return readerFunc(func(p []byte) (int, error) {
					n, err := r.Read(p)
					if err != nil {
						stopped.Store(true)
					}
					return n, err
				})
			}
		}},
	{"sigterm-uncaught", "SIGTERM",
		"Leaves SIGTERM to its default action.",
		func(s *setup) { s.policy.signals = without(s.policy.signals, syscall.SIGTERM) }},
	{"sigint-uncaught", "SIGINT",
		"Leaves SIGINT to its default action.",
		func(s *setup) { s.policy.signals = without(s.policy.signals, os.Interrupt) }},
}

func failAfter(which cause) func(cause) int {
	return func(c cause) int {
		if c == which {
			return 1
		}
		return exitDone
	}
}

// dropRuns drops every event of a run once the returned value is true.
func dropRuns(s *setup) *atomic.Bool {
	stopped := &atomic.Bool{}
	onEvent(func(next emitter, ev protocol.RunnerEvent) {
		if _, ok := ev.(protocol.RunEvent); ok && stopped.Load() {
			return
		}
		next(ev)
	})(s)
	return stopped
}

func without(signals []os.Signal, one os.Signal) []os.Signal {
	return slices.DeleteFunc(slices.Clone(signals), func(s os.Signal) bool { return s == one })
}

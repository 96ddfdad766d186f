package comitiva

import (
	"context"
	"time"
)

// cause is why the runner stops.
type cause int

const (
	causeShutdown cause = iota + 1 // the shell asked for it
	causeInput                     // standard input ended
	causeSignal                    // SIGTERM or SIGINT
	causeOutput                    // standard output cannot be written
	causeContext                   // the context of Main ended
)

// The limits of the stop routine.
const (
	answerGrace = 300 * time.Millisecond // for answers to what was read before the input ended
	runsGrace   = 2 * time.Second        // for active runs to end
	toolsGrace  = 2 * time.Second        // for tool servers to end by themselves
	asidesGrace = time.Second            // for other requests to notice: they may have started processes
	flushGrace  = 2 * time.Second        // for the shell to read what is written
)

// stop makes the stop routine due. Only the first cause counts.
func (s *server) stop(c cause) {
	s.stopOnce.Do(func() {
		s.cause = c
		close(s.stopping)
	})
}

// finish is the stop routine: it ends every run, then every tool server, writes
// what is left and returns the exit code. A run that does not end in time is
// left without a terminal event.
func (s *server) finish() int {
	<-s.stopping
	s.log.Info("stopping", "activeRuns", s.runs.count())
	if s.cause == causeInput {
		within(answerGrace, s.awaitAsides)
	}
	within(runsGrace, s.runs.endAll)
	within(toolsGrace, s.tools.Close)
	within(asidesGrace, s.endAsides)
	within(flushGrace, func(ctx context.Context) { _ = s.out.Flush(ctx) })
	s.out.Close()
	s.transport.CloseIdleConnections()
	return s.policy.exitCode(s.cause)
}

// endAsides gives up all requests that are not runs.
func (s *server) endAsides(ctx context.Context) {
	s.asideMu.Lock()
	s.givenUp = true
	s.asideMu.Unlock()
	s.cancel()
	s.awaitAsides(ctx)
}

// awaitAsides waits for the requests that are not runs to be answered.
func (s *server) awaitAsides(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.asides.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func within(limit time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	f(ctx)
}

package comitiva

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/comitiva/framing"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider/ollama"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider/openai"
	"github.com/hallmark-kit/hallmark/reference/comitiva/tools"
)

// server is one runner.
type server struct {
	o      Options
	policy policy
	log    *slog.Logger

	in     *framing.Reader
	out    *framing.Writer
	line   func([]byte) // writes a line
	emitMu sync.Mutex
	event  func(protocol.RunnerEvent)
	handle handler
	refuse func(refusal)

	client    *http.Client
	transport *http.Transport
	openai    provider.Adapter
	ollama    provider.Adapter
	tools     *tools.Manager
	runs      *runs
	clock     clock

	ctx      context.Context // of requests that are not runs; ends with the runner
	cancel   context.CancelFunc
	asideMu  sync.Mutex
	asides   sync.WaitGroup
	givenUp  bool // no more asides
	stopOnce sync.Once
	stopping chan struct{} // closed when the stop routine is due
	cause    cause
}

func newServer(o Options, set *setup) *server {
	s := &server{o: o, policy: set.policy, log: newLogger(o.Stderr, o.LogLevel),
		runs: newRuns(), clock: newClock(), stopping: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	set.runner = s

	s.out = framing.NewWriter(o.Stdout, func(error) {
		s.log.Warn("stdout is closed")
		s.stop(causeOutput)
	})
	s.line = s.policy.lines(s.out.Line)
	s.event = s.policy.events(s.write)
	s.in = framing.NewReader(s.policy.stdin(o.Stdin))
	s.handle = s.policy.requests(s.dispatch)
	s.refuse = s.policy.refusals(s.answerRefusal)

	s.transport = provider.NewTransport()
	s.client = &http.Client{Transport: s.policy.transport(s.transport)}
	s.openai = s.policy.adapter(openai.Adapter{})
	s.ollama = s.policy.adapter(ollama.Adapter{})
	s.tools = tools.NewManager(tools.Options{Version: o.Version, Limits: s.policy.toolLimits, Logger: s.log,
		Transport: provider.NewTransport(), Environment: s.policy.toolEnv, Arguments: s.policy.toolArgs,
		Open: s.policy.openTool, Wrap: s.policy.session})
	return s
}

// write writes one event or response.
func (s *server) write(ev protocol.RunnerEvent) {
	s.line(ev.AppendJSON(nil))
}

// emit hands an event or response to the shell. Events are taken one at a time,
// in the order of the calls.
func (s *server) emit(ev protocol.RunnerEvent) {
	s.emitMu.Lock()
	defer s.emitMu.Unlock()
	s.event(ev)
}

// serve reads lines until the stream ends, which stops the runner.
func (s *server) serve() {
	for {
		line, err := s.in.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.log.Warn("stdin failed", "error", err)
			}
			s.stop(causeInput)
			return
		}
		s.take(line)
	}
}

// take carries out one line.
func (s *server) take(line []byte) {
	req, err := protocol.DecodeRunnerRequest(line, wire.AllowRepeatedNames(), wire.Limit(1))
	if err == nil {
		s.log.Debug("request", "type", string(req.Type()))
		s.handle(req, s.answer(requestID(req)))
		return
	}
	if r, ok := refusalOf(line, err); ok {
		s.refuse(r)
		return
	}
	s.log.Warn("ignored a line that is not JSON", "bytes", len(line))
	s.emit(&protocol.Log{Level: protocol.LogLevelWarn, Message: s.policy.malformed(line)})
}

// clock tells the time as events carry it.
type clock struct{ begin time.Time }

func newClock() clock { return clock{time.Now()} }

// now is the time in milliseconds since 1970, with microseconds as a fraction.
// It never runs backwards.
func (c clock) now() wire.Number {
	us := c.begin.UnixMicro() + time.Since(c.begin).Microseconds()
	return stamp(us)
}

func stamp(us int64) wire.Number {
	return wire.Number(milliseconds(us))
}

package comitiva

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Options configure a runner. The zero value runs on the process's own standard
// streams.
type Options struct {
	Stdin  io.Reader // nil: os.Stdin
	Stdout io.Writer // nil: os.Stdout
	Stderr io.Writer // nil: os.Stderr

	// Version is what ping answers; empty: "0.0.0".
	Version string
	// Fault is the id of the fault to show; empty: none. See Faults.
	Fault string
	// LogLevel is the least level written to Stderr: trace, debug, info, warn,
	// error, fatal or silent; empty: COMITIVA_RUNNER_LOG of the environment, and
	// warn without that.
	LogLevel string

	// RetryBackoff is the wait before a refused model call is first tried
	// again; it doubles each time. 0: 100 ms.
	RetryBackoff time.Duration
	// ProbeTime is how long connection.test and connection.listModels may take.
	// 0: 15 s.
	ProbeTime time.Duration
}

// Exit codes of Main.
const (
	exitDone  = 0
	exitUsage = 2
)

// Main serves one shell until it asks for shutdown, its stream ends, SIGTERM or
// SIGINT arrives, or ctx ends. It returns the exit code of the process: 0 after
// each of these, 2 when the options name a fault that does not exist.
//
// Main catches signals while it runs. It does not wait for a read of Stdin that
// is still blocked when it returns.
func Main(ctx context.Context, o Options) int {
	o = o.withDefaults()
	setup, err := newSetup(o)
	if err != nil {
		fmt.Fprintln(o.Stderr, err)
		return exitUsage
	}
	// A shell that closes our output must not kill us before the children are
	// gone: with this, writing fails with EPIPE instead.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	signals := make(chan os.Signal, 1)
	if len(setup.policy.signals) > 0 {
		signal.Notify(signals, setup.policy.signals...)
		defer signal.Stop(signals)
	}

	s := newServer(o, setup)
	go s.serve()
	select {
	case <-s.stopping:
	case <-signals:
		s.stop(causeSignal)
	case <-ctx.Done():
		s.stop(causeContext)
	}
	return s.finish()
}

func (o Options) withDefaults() Options {
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	if o.Version == "" {
		o.Version = "0.0.0"
	}
	if o.LogLevel == "" {
		o.LogLevel = os.Getenv("COMITIVA_RUNNER_LOG")
	}
	if o.RetryBackoff == 0 {
		o.RetryBackoff = 100 * time.Millisecond
	}
	if o.ProbeTime == 0 {
		o.ProbeTime = 15 * time.Second
	}
	return o
}

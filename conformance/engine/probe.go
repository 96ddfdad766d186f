package engine

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// UnreachableError says that there is nobody to talk to: the target could not be started, ended at once, or never
// said a word.
type UnreachableError struct {
	Reason string
	Stderr string // the beginning of what it wrote to standard error
}

func (e *UnreachableError) Error() string {
	if e.Stderr == "" {
		return e.Reason
	}
	return e.Reason + "; it wrote to its standard error: " + e.Stderr
}

// Probe starts or reaches the target once and sends the protocol's first request. Whatever the target writes in return
// shows that it is there; whether it is right is for scenarios to decide. features are what it says it provides. The
// error is an *UnreachableError unless ctx has ended.
func Probe(ctx context.Context, job Job) (features []string, err error) {
	if job.Protocol.Roles[job.Target.Role].HTTP != nil {
		return probeHTTP(ctx, job)
	}
	return nil, probeMessages(ctx, job)
}

func probeMessages(ctx context.Context, job Job) error {
	bounds := job.Target.Bounds.WithDefaults()
	folder, err := os.MkdirTemp("", "hallmark-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	conn, err := dial(ctx, job.Target, job.Protocol.Roles[job.Target.Role], folder, append(os.Environ(), job.Target.Env...), false, DefaultLimits.Line)
	if err != nil {
		return &UnreachableError{Reason: "the target could not be started: " + err.Error()}
	}
	defer conn.Release()
	ready := job.Protocol.Roles[job.Target.Role].Ready
	conn.Write([][]byte{append(value.Append(nil, ready), '\n')})
	limit := time.NewTimer(bounds.Start)
	defer limit.Stop()
	var errors []byte
	unreachable := func(reason string) error {
		return &UnreachableError{reason, strings.TrimSpace(transcript.Shorten(string(errors), 1000))}
	}
	for {
		select {
		case e := <-conn.Events():
			switch e.Kind {
			case transport.Line, transport.Tail, transport.TooLong:
				return nil
			case transport.ErrorOut:
				errors = append(errors, e.Data[:min(len(e.Data), 4096-min(4096, len(errors)))]...)
			case transport.Ended:
				return unreachable("the target ended (" + exitText(e.Exit) + ") before it answered " + value.Text(ready))
			}
		case <-limit.C:
			return unreachable(fmt.Sprintf("the target has not answered %s within %s", value.Text(ready), bounds.Start) + unended(conn, transcript.New(time.Now())))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

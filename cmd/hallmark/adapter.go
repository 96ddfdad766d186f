package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/client"
)

func (p *program) adapterCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "adapter",
		Short: "Let a conformance suite drive a reference client",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.adapterAgenticDriverCommand())
	return cmd
}

func (p *program) adapterAgenticDriverCommand() *cobra.Command {
	var (
		fault  string
		faults bool
	)
	cmd := &cobra.Command{
		Use:   "agenticdriver",
		Short: "Drive the reference client of AgenticDriver over standard input and output",
		Long: `Adapter agenticdriver is what 'hallmark certify agenticdriver --role client' starts to test the
reference client, and an example of what the author of another client writes: one JSON object a
line comes on stdin, such as

  {"id":"1","do":"connect","url":"http://127.0.0.1:7433","token":"..."}
  {"id":"2","do":"call","operation":"run","request":{...},"stream":true}
  {"id":"3","do":"cancel","call":"2"}
  {"id":"4","do":"quit"}

and answers go to stdout: {"id":"2","event":{...}} for each event, then {"id":"2","result":{...}}
or {"id":"2","error":{"code":"..."}} once. schemas/hallmark/adapter.json describes them.

With --fault the client shows one wrong behaviour, so that the suite can be seen to notice it.`,
		Example: `  echo '{"id":"1","do":"state"}' | hallmark adapter agenticdriver
  hallmark adapter agenticdriver --faults`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if faults {
				for _, f := range client.Faults() {
					fmt.Fprintf(p.stdout, "%-34s %s\n", f.ID, f.Title)
				}
				return nil
			}
			if ids := clientFaults(); fault != "" && !slices.Contains(ids, fault) {
				return &failure{exitUsage, fmt.Errorf("there is no fault %q%s; --faults lists them", fault, nearest.Suggestion(fault, ids))}
			}
			return (&adapter{out: p.stdout, fault: fault, calls: make(map[string]context.CancelFunc)}).serve(cmd.Context(), p.stdin)
		},
	}
	cmd.Flags().StringVar(&fault, "fault", "", "show one wrong behaviour (see --faults)")
	cmd.Flags().BoolVar(&faults, "faults", false, "list the faults and exit")
	return cmd
}

// clientFaults are the ids of what the reference client can do wrong.
func clientFaults() []string {
	var ids []string
	for _, f := range client.Faults() {
		ids = append(ids, f.ID)
	}
	return ids
}

// adapter drives one client.
type adapter struct {
	fault string

	mu      sync.Mutex // for out and calls
	out     io.Writer
	calls   map[string]context.CancelFunc // under way, by id
	client  *client.Client
	refused error // why there is no client
}

// serve takes requests until quit or the end of the input, and then gives up what is under way.
func (a *adapter) serve(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			request, wrong := hallmark.DecodeAdapterRequest(line)
			if wrong != nil {
				return &failure{exitUsage, fmt.Errorf("standard input: this is no request: %w", wrong)}
			}
			switch r := request.(type) {
			case *hallmark.AdapterConnect:
				a.connect(r)
			case *hallmark.AdapterCall:
				a.begin(ctx, r, &working)
			case *hallmark.AdapterCancel:
				a.cancel(r)
			case *hallmark.AdapterState:
				a.state(r)
			case *hallmark.AdapterQuit:
				a.result(r.ID, []byte("{}"))
				return nil
			}
		}
		if err != nil {
			return nil
		}
	}
}

func (a *adapter) connect(r *hallmark.AdapterConnect) {
	options := client.Options{Token: r.Token.Value, Fault: a.fault}
	if r.Ca.Value != "" {
		options.RootCAs = x509.NewCertPool()
		options.RootCAs.AppendCertsFromPEM([]byte(r.Ca.Value))
	}
	a.client, a.refused = client.New(r.URL, options)
	if a.refused != nil {
		a.failed(r.ID, a.refused)
		return
	}
	a.result(r.ID, []byte("{}"))
}

// begin carries out a call beside what else comes.
func (a *adapter) begin(ctx context.Context, r *hallmark.AdapterCall, working *sync.WaitGroup) {
	switch {
	case a.refused != nil:
		a.failed(r.ID, a.refused)
		return
	case a.client == nil:
		a.failed(r.ID, errors.New("no client is connected"))
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	a.mu.Lock()
	a.calls[r.ID] = cancel
	a.mu.Unlock()
	c := a.client
	working.Go(func() {
		defer cancel()
		var answer []byte
		var err error
		if r.Stream.Value {
			answer, err = []byte("{}"), a.stream(ctx, c, r)
		} else {
			answer, err = c.Invoke(ctx, r.Operation, r.Request)
		}
		a.mu.Lock()
		delete(a.calls, r.ID)
		a.mu.Unlock()
		if err != nil {
			a.failed(r.ID, err)
			return
		}
		a.result(r.ID, answer)
	})
}

// stream delivers the events of a run.
func (a *adapter) stream(ctx context.Context, c *client.Client, r *hallmark.AdapterCall) error {
	if r.Operation != agenticdriver.OperationRun.ID {
		return fmt.Errorf("%s has no events", r.Operation)
	}
	s, err := c.StreamJSON(ctx, r.Request)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	for event, err := range s.Events() {
		if err != nil {
			return err
		}
		a.say(&hallmark.AdapterAnswer{ID: r.ID, Event: event.AppendJSON(nil)})
	}
	return nil
}

func (a *adapter) cancel(r *hallmark.AdapterCancel) {
	a.mu.Lock()
	cancel := a.calls[r.Call]
	a.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	a.result(r.ID, []byte("{}"))
}

func (a *adapter) state(r *hallmark.AdapterState) {
	b := []byte(`{"calls":[`)
	a.mu.Lock()
	for i, id := range slices.Sorted(maps.Keys(a.calls)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, id)
	}
	a.mu.Unlock()
	a.result(r.ID, append(b, "]}"...))
}

func (a *adapter) result(id string, result []byte) {
	a.say(&hallmark.AdapterAnswer{ID: id, Result: result})
}

// failed tells a failure in the adapter's terms.
func (a *adapter) failed(id string, err error) {
	told := &hallmark.AdapterError{Code: "ADAPTER", Message: wire.Some(err.Error())}
	var e *client.Error
	if errors.As(err, &e) {
		told.Code, told.Message, told.Retryable = e.Code, wire.Some(e.Error()), wire.Some(e.Retryable)
		if e.Uncertain {
			told.Outcome = wire.Some("uncertain")
		}
	}
	a.say(&hallmark.AdapterAnswer{ID: id, Error: told})
}

// say writes one line.
func (a *adapter) say(answer *hallmark.AdapterAnswer) {
	line := append(answer.AppendJSON(nil), '\n')
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.out.Write(line) // when nobody reads any more, the end of the input follows
}

package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/client"
)

// What a call is made with unless flags say otherwise.
const (
	defaultCallURL   = "http://127.0.0.1:7433"
	defaultCallToken = "AGENTICDRIVER_TOKEN"
)

// callFlags are the flags of call agenticdriver.
type callFlags struct {
	url      string
	tokenEnv string
	ca       string
	body     string
	params   []string
	stream   bool
	format   string
	list     bool
}

func (p *program) callCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call",
		Short: "Ask a host to do something",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.callAgenticDriverCommand())
	return cmd
}

func (p *program) callAgenticDriverCommand() *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:   "agenticdriver OPERATION",
		Short: "Carry out one operation of an AgenticDriver host",
		Long: `Call agenticdriver sends one request to an AgenticDriver host and prints the answer, held to
everything that the document and the protocol promise. --operations lists the operations.

The request is the JSON of --body with the members of --param: NAME=TEXT sets a text, NAME:=JSON
any value. The bearer token comes from the environment variable that --token-env names; it is never
printed. For exchangeInvitation it is the invitation's code.

With --stream a run's events are printed as they come: one JSON object a line, or with --format text
the text that the model writes. An interrupt cancels the run. Nothing is ever repeated.

A failure goes to standard error, and with --format json to standard output as an error object too.

Exit codes: 0 the operation succeeded, 1 the host refused it, the run failed or the answer does not
hold, 2 wrong usage or a request that breaks the document, 3 the host could not be reached.`,
		Example: `  hallmark call agenticdriver --operations
  hallmark call agenticdriver getProtocol --url https://driver.example.com
  hallmark call agenticdriver run --param provider=mock --param model=demo --param input=Hello
  hallmark call agenticdriver run --body run.json --stream
  hallmark call agenticdriver jobEvents --param id=ID --param after:=0
  hallmark call agenticdriver listProviders --param refresh:=true
  echo '{"action":"list"}' | hallmark call agenticdriver setUpProvider --body -`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.list && len(args) == 0:
				return nil
			case len(args) != 1:
				return errors.New("name one operation; --operations lists them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.list {
				return p.listOperations()
			}
			return p.callAgenticDriver(cmd.Context(), args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.url, "url", defaultCallURL, "base URL of the host: https, or http on loopback")
	flags.StringVar(&f.tokenEnv, "token-env", defaultCallToken, "environment variable that holds the bearer token")
	flags.StringVar(&f.ca, "ca", "", "file with certificates (PEM) to trust instead of the system's")
	flags.StringVar(&f.body, "body", "", "the request: a file, - for standard input, or JSON that begins with {")
	flags.StringArrayVar(&f.params, "param", nil, "member of the request: NAME=TEXT or NAME:=JSON; may be repeated")
	flags.BoolVar(&f.stream, "stream", false, "print the events of a run as they come")
	flags.StringVar(&f.format, "format", "json", "how answers are printed: json, on one line, or text, for people")
	flags.BoolVar(&f.list, "operations", false, "list the operations and exit")
	return cmd
}

// listOperations prints every operation with what it takes and gives.
func (p *program) listOperations() error {
	for _, o := range agenticdriver.Operations {
		takes := ""
		if m := o.Body.As("application/json"); m != nil {
			takes = m.Schema.Name
		}
		gives := ""
		if m := o.Response(200).As("application/json"); m != nil {
			gives = m.Schema.Name
		}
		fmt.Fprintf(p.stdout, "%-20s %-4s %-34s %-26s -> %s\n", o.ID, o.Method, o.Path, takes, gives)
	}
	return nil
}

// operationIDs are the ids of all operations.
func operationIDs() []string {
	var ids []string
	for _, o := range agenticdriver.Operations {
		ids = append(ids, o.ID)
	}
	return ids
}

func (p *program) callAgenticDriver(ctx context.Context, operation string, f callFlags) error {
	ids := operationIDs()
	switch {
	case !slices.Contains(ids, operation):
		return &failure{exitUsage, fmt.Errorf("there is no operation %q%s (--operations lists them)", operation, nearest.Suggestion(operation, ids))}
	case f.stream && operation != agenticdriver.OperationRun.ID:
		return &failure{exitUsage, fmt.Errorf("--stream is for %s: no other operation has events", agenticdriver.OperationRun.ID)}
	case f.format != "json" && f.format != "text":
		return &failure{exitUsage, fmt.Errorf("there is no format %q: choose json or text", f.format)}
	}
	request, err := p.callRequest(f)
	if err != nil {
		return &failure{exitUsage, err}
	}
	options := client.Options{Token: os.Getenv(f.tokenEnv)}
	if f.ca != "" {
		if options.RootCAs, err = certificates(f.ca); err != nil {
			return &failure{exitUsage, err}
		}
	}
	c, err := client.New(f.url, options)
	if err != nil {
		return p.callFailed(err, f)
	}
	if f.stream {
		return p.callStream(ctx, c, request, f)
	}
	answer, err := c.Invoke(ctx, operation, request)
	if err != nil {
		return p.callFailed(err, f)
	}
	return p.printAnswer(answer, f.format)
}

func (p *program) printAnswer(answer []byte, format string) error {
	var b bytes.Buffer
	if format == "text" {
		if err := json.Indent(&b, answer, "", "  "); err != nil {
			return err
		}
	} else {
		b.Write(answer)
	}
	b.WriteByte('\n')
	_, err := p.stdout.Write(b.Bytes())
	return err
}

// callStream prints the events of a run. A run that does not complete is a failure.
func (p *program) callStream(ctx context.Context, c *client.Client, request []byte, f callFlags) error {
	s, err := c.StreamJSON(ctx, request)
	if err != nil {
		return p.callFailed(err, f)
	}
	defer func() { _ = s.Close() }()
	for event, err := range s.Events() {
		if err != nil {
			return p.callFailed(err, f)
		}
		if f.format == "json" {
			if _, err := p.stdout.Write(append(event.AppendJSON(nil), '\n')); err != nil {
				return err
			}
		}
		switch e := event.(type) {
		case *agenticdriver.TextDelta:
			if f.format == "text" {
				if _, err := io.WriteString(p.stdout, e.Text); err != nil {
					return err
				}
			}
		case *agenticdriver.RunCompleted:
			if f.format == "text" {
				fmt.Fprintln(p.stdout)
			}
		case *agenticdriver.RunFailed:
			return &failure{exitNotHeld, fmt.Errorf("%s: %s: %s", e.Type, e.Error.Code, e.Error.Message)}
		}
	}
	return nil
}

// callFailed prints what went wrong and tells the exit code.
func (p *program) callFailed(err error, f callFlags) error {
	var e *client.Error
	if !errors.As(err, &e) {
		return &failure{exitUsage, err}
	}
	if errors.Is(e, context.Canceled) {
		return err
	}
	if f.format == "json" {
		if err := p.printAnswer(failureJSON(e), "json"); err != nil {
			return err
		}
	}
	switch {
	case e.Code == string(agenticdriver.ClientErrorCodeAUTHREQUIRED) && e.Local:
		return &failure{exitUsage, fmt.Errorf("%w; put one into the environment variable %s, or name another with --token-env", e, f.tokenEnv)}
	case e.Code == string(agenticdriver.ClientErrorCodeINSECURETRANSPORT) && e.Local, e.Code == string(agenticdriver.ErrorCodeINVALIDREQUEST) && e.Local:
		return &failure{exitUsage, e}
	case e.Code == string(agenticdriver.ClientErrorCodeHTTPERROR) && e.Status == 0:
		return &failure{exitUnreachable, fmt.Errorf("%w\nIs a host listening there? 'hallmark serve agenticdriver' starts one", e)}
	}
	return &failure{exitNotHeld, e}
}

// failureJSON writes a failure the way hosts do, with what only the client knows.
func failureJSON(e *client.Error) []byte {
	b := append([]byte(`{"error":{"code":`), wire.AppendString(nil, e.Code)...)
	b = wire.AppendString(append(b, `,"message":`...), e.Message)
	b = wire.AppendBool(append(b, `,"retryable":`...), e.Retryable)
	if e.Uncertain {
		b = append(b, `,"outcome":"uncertain"`...)
	}
	if e.Status != 0 {
		b = wire.AppendInt(append(b, `,"status":`...), int64(e.Status))
	}
	b = wire.AppendBool(append(b, `,"local":`...), e.Local)
	if e.Rule != "" {
		b = wire.AppendString(append(b, `,"rule":`...), string(e.Rule))
	}
	return append(b, "}}"...)
}

// callRequest makes the request out of --body and --param; nil for none.
func (p *program) callRequest(f callFlags) ([]byte, error) {
	data, shown, err := p.callBody(f.body)
	if err != nil {
		return nil, err
	}
	if len(f.params) == 0 {
		return data, nil
	}
	members := wire.Members{}
	if data != nil {
		if err := wire.Raw(data).Valid(); err != nil {
			return nil, fmt.Errorf("%s: %w", shown, err)
		}
		if err := json.Unmarshal(data, &members); err != nil {
			return nil, fmt.Errorf("%s is no JSON object: --param cannot set members of it", shown)
		}
	}
	for _, param := range f.params {
		name, text, ok := strings.Cut(param, "=")
		raw := wire.Raw(wire.AppendString(nil, text))
		if plain, isJSON := strings.CutSuffix(name, ":"); isJSON {
			name, raw = plain, wire.Raw(text)
			if err := raw.Valid(); err != nil {
				return nil, fmt.Errorf("--param %s: what follows := is no JSON", name)
			}
		}
		if !ok || name == "" {
			return nil, fmt.Errorf("--param %s: write NAME=TEXT or NAME:=JSON", param)
		}
		members = slices.DeleteFunc(members, func(m wire.Member) bool { return m.Name == name })
		members = append(members, wire.Member{Name: name, Value: raw})
	}
	return members.MarshalJSON()
}

// callBody reads --body; shown is how to name it in an error.
func (p *program) callBody(body string) (data []byte, shown string, err error) {
	switch {
	case body == "":
		return nil, "", nil
	case body == "-":
		data, err = io.ReadAll(p.stdin)
		return data, "standard input", err
	case strings.HasPrefix(strings.TrimSpace(body), "{"):
		return []byte(body), "--body", nil
	}
	data, err = os.ReadFile(body)
	return data, body, err
}

func certificates(file string) (*x509.CertPool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return pool, nil
}

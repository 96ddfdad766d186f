package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver"
)

func (p *program) serveAgenticDriverCommand() *cobra.Command {
	var (
		o      agenticdriver.Options
		faults bool
	)
	cmd := &cobra.Command{
		Use:   "agenticdriver",
		Short: "Run the reference host of the AgenticDriver protocol on HTTP",
		Long: `Serve agenticdriver speaks the AgenticDriver protocol 1.0 on HTTP. When it listens, it writes one
line of JSON to stdout: {"url":…,"address":…,"pid":…}. It ends with exit code 0 at SIGTERM or an
interrupt. Logs go to stderr.

Without --config it has a built-in configuration for development: a scripted model provider,
which does what the input of a run says, and public tokens, so it serves on loopback only. With
--config the file names tokens, providers, tools, corpora and limits; the built-in one, to start
from, is reference/agenticdriver/config/builtin.yaml. Any address but loopback needs a
certificate. With --state jobs, idempotency keys, documents and connections outlive the process.

With --fault the host shows one wrong behaviour, so that a conformance suite can be seen to
notice it.`,
		Example: `  hallmark serve agenticdriver
  curl http://127.0.0.1:7433/v1/runs -H 'Authorization: Bearer hallmark-dev-token-alice-0000000000001' \
    -H 'Content-Type: application/json' -H 'Accept: text/event-stream' \
    -d '{"provider":"mock","model":"demo","input":"Hello"}'
  hallmark serve agenticdriver --listen 127.0.0.1:0 --config host.yaml --state host.db
  hallmark serve agenticdriver --faults`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if faults {
				for _, f := range agenticdriver.Faults() {
					fmt.Fprintf(p.stdout, "%-40s %s\n", f.ID, f.Title)
				}
				return nil
			}
			if o.Fault != "" && !slices.Contains(faultIDs("agenticdriver"), o.Fault) {
				return &failure{exitUsage, fmt.Errorf("there is no fault %q%s; --faults lists them", o.Fault, nearest.Suggestion(o.Fault, faultIDs("agenticdriver")))}
			}
			o.Stdin, o.Stdout, o.Stderr = p.stdin, p.stdout, p.stderr
			if code := agenticdriver.Main(cmd.Context(), o); code != 0 {
				return &failure{code: code}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Listen, "listen", agenticdriver.DefaultListen, "host and port; port 0 takes any free one")
	flags.StringVar(&o.Config, "config", "", "configuration file, YAML (default: the built-in one for development)")
	flags.StringVar(&o.State, "state", "", "SQLite file that keeps what outlives the process (default: nothing does)")
	flags.StringVar(&o.TLSCert, "tls-cert", "", "PEM file with the certificate chain; needed off loopback")
	flags.StringVar(&o.TLSKey, "tls-key", "", "PEM file with its key")
	flags.StringArrayVar(&o.Without, "without", nil, "leave out an optional feature; may be given several times")
	flags.BoolVar(&o.StopWithStdin, "stop-with-stdin", false, "end at the end of stdin")
	flags.StringVar(&o.Fault, "fault", "", "show one wrong behaviour (see --faults)")
	flags.BoolVar(&faults, "faults", false, "list the faults and exit")
	return cmd
}

package main

import (
	"context"
	"fmt"
	"os/signal"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/reference/comitiva"
)

func (p *program) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a reference implementation",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.serveComitivaCommand(), p.serveAgenticDriverCommand())
	return cmd
}

func (p *program) serveComitivaCommand() *cobra.Command {
	var (
		fault  string
		faults bool
	)
	cmd := &cobra.Command{
		Use:   "comitiva",
		Short: "Run the reference runner of the Comitiva protocol on stdin and stdout",
		Long: `Serve comitiva speaks the Comitiva runner protocol: one JSON request a line on stdin, one JSON
event or response a line on stdout. It ends with exit code 0 after a shutdown request, the end of
stdin, SIGTERM or an interrupt. Logs go to stderr; COMITIVA_RUNNER_LOG sets their level.

With --fault the runner shows one wrong behaviour, so that a conformance suite can be seen to
notice it.`,
		Example: `  echo '{"id":"1","type":"ping"}' | hallmark serve comitiva
  hallmark serve comitiva --faults`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if faults {
				for _, f := range comitiva.Faults() {
					fmt.Fprintf(p.stdout, "%-34s %s\n", f.ID, f.Title)
				}
				return nil
			}
			if fault != "" && !slices.Contains(faultIDs("comitiva"), fault) {
				return &failure{exitUsage, fmt.Errorf("there is no fault %q%s; --faults lists them", fault, nearest.Suggestion(fault, faultIDs("comitiva")))}
			}
			// The runner has a stop routine of its own for every signal (and a fault may leave it out).
			signal.Reset(interrupts()...)
			code := comitiva.Main(context.Background(), comitiva.Options{
				Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr, Version: version(), Fault: fault,
			})
			if code != 0 {
				return &failure{code: code}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&fault, "fault", "", "show one wrong behaviour (see --faults)")
	cmd.Flags().BoolVar(&faults, "faults", false, "list the faults and exit")
	return cmd
}

package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/conformance/standin/cli"
	"github.com/hallmark-kit/hallmark/conformance/standin/toolserver"
)

// standInCommand holds the processes that the conformance kit has others start: a target starts a tool server by the
// command line that a scenario hands it. They are of no use by themselves, so help does not list them.
func (p *program) standInCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:    "stand-in",
		Short:  "Processes the conformance kit needs around a target",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		p.standInProcess("tool-server", "A tool server that a scenario steers", toolserver.Main),
		p.standInProcess("cli", "A command-line agent that a scenario steers", cli.Main),
	)
	return cmd
}

func (p *program) standInProcess(name, short string, main func([]string, io.Reader, io.Writer, io.Writer) int) *cobra.Command {
	return &cobra.Command{
		Use:                name + " --control ADDRESS --name NAME",
		Short:              short,
		DisableFlagParsing: true, // a target may append arguments of its own
		RunE: func(cmd *cobra.Command, args []string) error {
			if code := main(args, p.stdin, p.stdout, p.stderr); code != 0 {
				return &failure{code: code}
			}
			return nil
		},
	}
}

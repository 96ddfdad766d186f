package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/conformance"
)

// Exit codes of every subcommand.
const (
	exitHeld        = 0 // what was asked holds
	exitNotHeld     = 1 // it does not
	exitUsage       = 2 // the command, a flag or an input file is wrong
	exitUnreachable = 3 // the target could not be reached or started

	exitInterrupted = 130 // a signal ended it before it was done, as shells say it of SIGINT
)

// failure is an error with the exit code it leads to.
type failure struct {
	code int
	err  error // nil: everything has been said already
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit code %d", f.code)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// notHeld ends the command with exit code 1; what does not hold has been printed.
func notHeld() error { return &failure{code: exitNotHeld} }

// program is what every subcommand shares.
type program struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// run executes one command line and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr}
	root := p.rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	// An interrupt cancels the context: children are stopped and partial files removed before the program ends.
	ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second one ends the program at once
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitHeld
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		var interrupted *conformance.InterruptedError
		if !errors.As(err, &interrupted) {
			err = errors.New("interrupted")
		} else {
			err = interrupted
		}
		fmt.Fprintf(stderr, "hallmark: %v\n", err)
		return exitInterrupted
	}
	var f *failure
	if errors.As(err, &f) {
		if f.err != nil {
			fmt.Fprintf(stderr, "hallmark: %v\n", f.err)
		}
		return f.code
	}
	fmt.Fprintf(stderr, "hallmark: %v\nRun '%s --help' for usage.\n", err, cmd.CommandPath())
	return exitUsage
}

// interrupts are the signals that interrupt a command. A terminal that was closed does so too, unless the program was
// started to outlive it (nohup).
func interrupts() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hallmark",
		Short: "Go bindings, reference implementations and conformance verdicts for agent protocols",
		Long: `Hallmark takes the documents that agent protocols publish and turns them into Go bindings
that cannot be wrong, reference implementations to develop against, and verdicts on anybody's
implementation, reached over the wire it really speaks.

Exit codes: 0 what was asked holds, 1 it does not, 2 wrong usage or input, 3 the target could
not be reached or started, 130 interrupted by a signal.`,
		Example: `  hallmark certify comitiva                      # certify the reference runner
  hallmark certify comitiva --target mine.yaml   # certify yours
  hallmark serve comitiva                        # a runner on stdin and stdout
  hallmark gen --check                           # is the committed code up to date?`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("hallmark {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(p.validateCommand(), p.genCommand(), p.serveCommand(), p.callCommand(), p.adapterCommand(), p.certifyCommand(), p.targetCommand(), p.standInCommand(), p.driftCommand())
	return root
}

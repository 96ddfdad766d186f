package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/conformance"
	"github.com/hallmark-kit/hallmark/conformance/engine"
	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/report"
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/conformance/transport/stdio"
	"github.com/hallmark-kit/hallmark/fixtures"
)

// defaultSeed makes a certification the same whenever it is repeated.
const defaultSeed = 1

// mostPatience is how many times as long the kit can be told to wait: a bound of an hour becomes four days.
const mostPatience = 100

// certifyFlags are the flags of certify.
type certifyFlags struct {
	target   string
	role     string
	pattern  string
	fault    string
	format   string
	out      string
	suite    string
	parallel int
	list     bool
	failOn   string
	strict   bool
	slow     bool
	seed     uint64
	patience float64
}

func (p *program) certifyCommand() *cobra.Command {
	var f certifyFlags
	cmd := &cobra.Command{
		Use:   "certify PROTOCOL",
		Short: "Hold an implementation against everything its protocol demands",
		Long: `Certify starts the implementation that a target file describes, plays the other side of the wire
and everything around it (model servers, tool servers), and decides every scenario of the
protocol's suite. Without --target it certifies the reference implementation inside this program,
started as a process of its own like any other.

A target file names the command, the features the implementation provides and the values that
scenarios need; 'hallmark target init PROTOCOL' writes a commented one. Secrets come from the
environment. Scenarios of features that are not provided are skipped, with the reason.

A client is tested through an adapter, a command that its author writes once and the target file
names; 'hallmark target init PROTOCOL --role client' says what it does. --role client certifies the
reference client.

On a slow or busy machine an honest implementation may miss a bound: with --patience 4 the kit waits
four times as long for whatever has to come, be the bound the kit's, the target file's or a
scenario's. Nothing else changes, and what comes in time takes no longer.

A requirement that stands in a document or in published text and is not met fails. One that was
only observed in an implementation warns, and so does a SHOULD unless --strict is given. With
--fail-on warned the exit code is 1 for warnings as well; the report stays the same. A target
that crashes, floods its output or leaves a request without an answer fails in any case.

Exit codes: 0 everything held, 1 something did not, 2 wrong usage or a malformed file, 3 the
target could not be started or reached, 130 interrupted by a signal: nothing is left of the
target then, and no report is written.`,
		Example: `  hallmark certify comitiva
  hallmark certify comitiva --target runner.yaml --format junit --out report.xml
  hallmark certify comitiva --run 'cancel-*' --target runner.yaml
  hallmark certify comitiva --target runner.yaml --patience 4
  hallmark certify agenticdriver --role client
  hallmark certify comitiva --list`,
		Args: oneProtocol,
		RunE: func(cmd *cobra.Command, args []string) error { return p.certify(cmd.Context(), args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.target, "target", "", "target file of the implementation (default: the reference implementation)")
	flags.StringVar(&f.role, "role", "", "which reference implementation, by the side of the wire it plays (default: the one that serves)")
	flags.StringVar(&f.pattern, "run", "", "only these scenarios: ids, patterns with * and ?, or requirement ids, separated by commas")
	flags.BoolVar(&f.list, "list", false, "list the scenarios and what they decide, and exit")
	flags.StringVar(&f.format, "format", "text", "report format: text, json or junit")
	flags.StringVar(&f.out, "out", "", "write the report to a file instead of standard output")
	flags.IntVar(&f.parallel, "parallel", 0, "scenarios at a time (default: what suits the machine)")
	flags.StringVar(&f.failOn, "fail-on", "failed", "which verdicts make the exit code 1: failed, or warned for warnings as well")
	flags.BoolVar(&f.strict, "strict", false, "a SHOULD that is not met fails as well")
	flags.BoolVar(&f.slow, "slow", false, "also scenarios that take long by nature")
	flags.Uint64Var(&f.seed, "seed", defaultSeed, "which generated messages are sent; the same seed makes the same ones")
	flags.Float64Var(&f.patience, "patience", 1, "wait that many times as long for what has to come, on a slow machine")
	flags.StringVar(&f.fault, "fault", "", "make the reference implementation show a fault (see 'hallmark serve PROTOCOL --faults')")
	flags.StringVar(&f.suite, "suite", "", "folder with the suite's files, one folder a protocol (default: the suite inside this program)")
	return cmd
}

// oneProtocol asks for the one argument, and says what it can be.
func oneProtocol(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name one protocol: %s", strings.Join(conformance.Protocols(), ", "))
	}
	return nil
}

// certify carries out a certification and prints what came of it.
func (p *program) certify(ctx context.Context, protocol string, f certifyFlags) error {
	write, err := reportWriter(f.format)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return &failure{exitUsage, err}
	}
	suite, err := loadSuite(protocol, f.suite)
	if err != nil {
		return &failure{exitUsage, err}
	}
	if f.list {
		return p.listScenarios(suite, f.pattern)
	}
	t, rerun, err := chooseTarget(suite, protocol, f)
	if err != nil {
		return &failure{exitUsage, err}
	}
	if f.seed != defaultSeed {
		rerun = append(rerun, "--seed", strconv.FormatUint(f.seed, 10))
	}
	if f.patience != 1 {
		rerun = append(rerun, "--patience", strconv.FormatFloat(f.patience, 'g', -1, 64))
	}
	self, err := conformance.SelfCommand()
	if err != nil {
		return &failure{exitUsage, err}
	}
	if err := stdio.AdoptOrphans(); err != nil {
		fmt.Fprintf(p.stderr, "hallmark: %v\n", err) // what hides well may outlive its target; all else is the same
	}
	progress := report.NewProgress(p.stderr, isTerminal(p.stderr))
	result, err := suite.Run(ctx, t, conformance.Options{
		Pattern: f.pattern, Parallel: f.parallel, Progress: progress, Rerun: rerun, Kit: self, Strict: f.strict, Slow: f.slow, Seed: f.seed,
		Patience: f.patience,
	})
	progress.Close()
	var unreachable *engine.UnreachableError
	switch {
	case errors.As(err, &unreachable):
		return &failure{exitUnreachable, fmt.Errorf("%s: %w\nCheck the command of the target file by running it yourself", t.Name, err)}
	case err != nil:
		return &failure{exitUsage, err}
	}
	if err := p.writeReport(result, write, f.out); err != nil {
		return &failure{exitUsage, err}
	}
	switch warned := result.Summary.Warned; {
	case !report.Held(result):
		return notHeld()
	case warned > 0 && f.failOn == "warned":
		return &failure{exitNotHeld, fmt.Errorf("--fail-on warned: scenarios that warned: %d", warned)}
	}
	return nil
}

// check refuses flags that cannot be carried out, before anything is started.
func (f *certifyFlags) check() error {
	if f.parallel < 0 {
		return fmt.Errorf("--parallel %d: give a number of scenarios, or leave the flag out", f.parallel)
	}
	if f.failOn != "failed" && f.failOn != "warned" {
		return fmt.Errorf("--fail-on %q: choose failed or warned", f.failOn)
	}
	if !(f.patience >= 1 && f.patience <= mostPatience) { // so written, what is no number is refused as well
		return fmt.Errorf("--patience %v: give a number from 1 to %d", f.patience, mostPatience)
	}
	if f.seed >= 1<<53 {
		return fmt.Errorf("--seed %d: give a number below 2^53", f.seed)
	}
	if f.list && (f.out != "" || f.format != "text") {
		return errors.New("--list prints to standard output as text; --out and --format are for reports")
	}
	if f.out == "" {
		return nil
	}
	if info, err := os.Stat(f.out); err == nil && info.IsDir() {
		return fmt.Errorf("--out %s is a folder: give the name of a file", f.out)
	}
	if info, err := os.Stat(filepath.Dir(f.out)); err != nil || !info.IsDir() {
		return fmt.Errorf("--out %s: there is no folder %s", f.out, filepath.Dir(f.out))
	}
	return nil
}

// loadSuite reads the suite inside this program, or one in a folder.
func loadSuite(protocol, folder string) (*conformance.Suite, error) {
	var files fs.FS = fixtures.FS
	shown := "fixtures"
	if folder != "" {
		files, shown = os.DirFS(folder), folder
		name := filepath.Join(folder, protocol, "requirements.yaml")
		if _, err := os.Stat(name); err != nil && slices.Contains(conformance.Protocols(), protocol) {
			return nil, fmt.Errorf("--suite %s: %s is missing; the folder must have one folder a protocol", folder, name)
		}
	}
	return conformance.Load(files, shown, protocol, faultIDs(protocol))
}

// chooseTarget reads the target file, or describes the reference implementation, started as a process of its own. It
// also says by which command the run can be repeated.
func chooseTarget(suite *conformance.Suite, protocol string, f certifyFlags) (t *target.Target, rerun []string, err error) {
	rerun = []string{"hallmark", "certify", protocol}
	if f.target != "" {
		switch {
		case f.fault != "":
			return nil, nil, errors.New("--fault is for the reference implementation; it cannot be given with --target")
		case f.role != "":
			return nil, nil, errors.New("--role is for the reference implementations; the target file says which role its target plays")
		}
		t, err = suite.LoadTarget(f.target)
		return t, append(rerun, "--target", f.target), err
	}
	self, err := conformance.SelfCommand()
	if err != nil {
		return nil, nil, err
	}
	t, err = referenceTarget(protocol, f.role, self)
	if err != nil {
		return nil, nil, err
	}
	if f.role != "" {
		rerun = append(rerun, "--role", f.role)
	}
	if f.fault != "" {
		if ids := faultIDsOf(protocol, f.role); !slices.Contains(ids, f.fault) {
			return nil, nil, fmt.Errorf("there is no fault %q%s; 'hallmark %s --faults' lists them", f.fault, nearest.Suggestion(f.fault, ids), strings.Join(t.Command[len(self):len(self)+2], " "))
		}
		t.Command = append(t.Command, "--fault", f.fault)
		rerun = append(rerun, "--fault", f.fault)
	}
	return t, rerun, nil
}

// reportWriter chooses how the report is written.
func reportWriter(format string) (func(w io.Writer, r *report.Report, colour bool) error, error) {
	switch format {
	case "text":
		return report.WriteText, nil
	case "json":
		return func(w io.Writer, r *report.Report, _ bool) error { return report.WriteJSON(w, r) }, nil
	case "junit":
		return func(w io.Writer, r *report.Report, _ bool) error { return report.WriteJUnit(w, r) }, nil
	}
	return nil, fmt.Errorf("there is no report format %q: choose text, json or junit", format)
}

// writeReport writes to standard output, or aside and then into place, so that no half-written report is ever found.
func (p *program) writeReport(r *report.Report, write func(io.Writer, *report.Report, bool) error, out string) error {
	if out == "" {
		return write(p.stdout, r, isTerminal(p.stdout))
	}
	f, err := os.CreateTemp(filepath.Dir(out), "."+filepath.Base(out)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f, r, false), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), out); err != nil {
		return err
	}
	// Who watches still learns how it went.
	return report.WriteText(p.stderr, r, isTerminal(p.stderr))
}

// listScenarios prints the scenarios that a pattern chooses.
func (p *program) listScenarios(suite *conformance.Suite, pattern string) error {
	chosen, err := suite.Find(pattern)
	if err != nil {
		return &failure{exitUsage, err}
	}
	for _, s := range chosen {
		fmt.Fprintf(p.stdout, "%-40s %-14s %s\n", s.ID, strings.Join(s.Decides, ","), s.Title)
	}
	return nil
}

// isTerminal reports whether w is a screen, and whoever sits there has not asked for plain output (NO_COLOR,
// https://no-color.org).
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isatty.IsTerminal(f.Fd())
}

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/gen/drift"
)

// driftFlags are the flags of drift.
type driftFlags struct {
	schema    string
	direction string
	level     string
	upgrade   string
	format    string
	out       string
	failOn    string
	ignore    string
	explain   string
	git       string
	rules     bool
	bindings  bool
	schemas   string
}

func (p *program) driftCommand() *cobra.Command {
	var f driftFlags
	cmd := &cobra.Command{
		Use:   "drift OLD NEW",
		Short: "Judge what a change of a document breaks, for whom, with a message that proves it",
		Long: `Drift compares two versions of a JSON Schema, an OpenAPI description (3.2, 3.1, 3.0) or an event
definition by what they mean. Each edit is one finding: breaking (with a message that one version
accepts and the other refuses, checked by an independent validator), undecided, risky or compatible.

OLD may be the name of a protocol: then NEW is compared with the document of it inside this program.
With --git REV the files after -- are compared with what they were in that revision.

Who sends a message comes from the OpenAPI description, from the direction of an event, or from a
protocol.yaml beside the file; for a bare schema from --direction, and without it both ways count.
Hosts are taken to be upgraded before their clients; --upgrade says otherwise.

An ignore file (--ignore) is a YAML list of findings that are accepted, each with a reason and the
last day it holds:

  - id: 70ca1bc274fc          # or rule and pointer
    reason: nobody sends more than 32 characters
    expires: 2027-06-30

An entry that matches nothing, or has expired, fails.

--check-bindings says also whether committed Go code and fixtures fit the documents: those of the
folders below --schemas (gen/protocol, fixtures), and the package of a hallmark.yaml here.

Exit codes: 0 nothing that --fail-on names, 1 something, 2 wrong usage or a malformed document.`,
		Example: `  hallmark drift old.json new.json
  hallmark drift comitiva new.json --format markdown
  hallmark drift --git main -- schemas/comitiva/RunnerRequest.json
  hallmark drift old.json new.json --fail-on risky --ignore drift-ignore.yaml
  hallmark drift --explain enum-value-added`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return p.drift(args, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.schema, "schema", "", "compare only the schema at this JSON Pointer, or the definition of this name")
	flags.StringVar(&f.direction, "direction", "", "who sends a bare schema's messages: request (client to host), response (host to client) or both")
	flags.StringVar(&f.level, "level", "wire", "wire, strict (formats asserted, risky counts) or source (also the API of the Go bindings)")
	flags.StringVar(&f.upgrade, "upgrade", "host", "which end is upgraded first: host, client or any")
	flags.StringVar(&f.format, "format", "text", "report format: text, json, markdown, sarif, github or html")
	flags.StringVar(&f.out, "out", "", "write the report to a file instead of standard output")
	flags.StringVar(&f.failOn, "fail-on", "breaking", "what makes the command exit with 1: breaking, undecided, risky or any")
	flags.StringVar(&f.ignore, "ignore", "", "YAML file with accepted findings")
	flags.StringVar(&f.explain, "explain", "", "explain the rule with this id, and exit")
	flags.BoolVar(&f.rules, "rules", false, "list all rules, and exit")
	flags.StringVar(&f.git, "git", "", "compare files with what they were in this git revision")
	flags.BoolVar(&f.bindings, "check-bindings", false, "say also whether generated code and fixtures are up to date with the documents")
	flags.StringVar(&f.schemas, "schemas", "schemas", "folder with one folder a protocol, for --check-bindings")
	return cmd
}

// drift carries out comparisons and prints what came of them.
func (p *program) drift(args []string, f driftFlags) error {
	switch {
	case f.rules:
		for _, r := range drift.Rules() {
			fmt.Fprintf(p.stdout, "%-32s %s\n", r.ID, r.Title)
		}
		return nil
	case f.explain != "":
		return p.explainRule(f.explain)
	}
	usage := func(format string, args ...any) error { return &failure{exitUsage, fmt.Errorf(format, args...)} }
	for _, c := range []struct {
		flag, value string
		allowed     []string
	}{
		{"direction", f.direction, []string{"", "request", "response", "both"}}, {"level", f.level, []string{"wire", "strict", "source"}},
		{"upgrade", f.upgrade, []string{"host", "client", "any"}}, {"fail-on", f.failOn, []string{"breaking", "undecided", "risky", "any"}},
		{"format", f.format, []string{"text", "json", "markdown", "sarif", "github", "html"}},
	} {
		if !slices.Contains(c.allowed, c.value) {
			return usage("--%s must be %s, not %q", c.flag, strings.TrimPrefix(strings.Join(c.allowed, ", "), ", "), c.value)
		}
	}
	comparisons, err := p.driftInputs(args, f)
	if err != nil {
		return &failure{exitUsage, err}
	}
	var ignores []drift.Ignore
	if f.ignore != "" {
		data, err := os.ReadFile(f.ignore)
		if err != nil {
			return &failure{exitUsage, err}
		}
		if ignores, err = drift.ParseIgnores(f.ignore, data); err != nil {
			return &failure{exitUsage, err}
		}
	}
	var reports []*drift.Report
	for _, c := range comparisons {
		r, err := c.judge(drift.Level(f.level))
		if err != nil {
			return &failure{exitUsage, err}
		}
		reports = append(reports, r)
	}
	var problems []string
	failed := false
	if len(reports) > 0 {
		report := drift.Merge(reports)
		problems = report.Ignore(ignores, time.Now())
		if err := p.writeDrift(report, f); err != nil {
			return &failure{exitUsage, err}
		}
		failed = report.Fails(drift.FailOn(f.failOn))
	}
	if f.bindings {
		stale, n, err := p.staleBindings(f.schemas)
		if err != nil {
			return &failure{exitUsage, err}
		}
		if len(stale) == 0 {
			fmt.Fprintf(p.stderr, "hallmark: up to date with the documents: packages %d, suites of fixtures %d\n", n.packages, n.fixtures)
		}
		problems = append(problems, stale...)
	}
	for _, problem := range problems {
		fmt.Fprintf(p.stderr, "hallmark: %s\n", problem)
	}
	if failed || len(problems) > 0 {
		return notHeld()
	}
	return nil
}

func (p *program) explainRule(id string) error {
	r, ok := drift.Explain(id)
	if !ok {
		var ids []string
		for _, r := range drift.Rules() {
			ids = append(ids, r.ID)
		}
		return &failure{exitUsage, fmt.Errorf("there is no rule %q%s; 'hallmark drift --rules' lists them", id, nearest.Suggestion(id, ids))}
	}
	fmt.Fprintf(p.stdout, "%s: %s\n\n%s\n", r.ID, r.Title, r.Explain)
	if r.Old != "" {
		fmt.Fprintf(p.stdout, "\nExample:\n  - %s\n  + %s\n", r.Old, r.New)
	}
	return nil
}

// writeDrift writes a report to standard output, or aside and then into place.
func (p *program) writeDrift(r *drift.Report, f driftFlags) error {
	writers := map[string]func(io.Writer, *drift.Report) error{
		"json": drift.WriteJSON, "markdown": drift.WriteMarkdown, "sarif": drift.WriteSARIF, "github": drift.WriteGitHub, "html": drift.WriteHTML,
		"text": func(w io.Writer, r *drift.Report) error { return drift.WriteText(w, r, isTerminal(w)) },
	}
	write := writers[f.format]
	if f.out == "" {
		return write(p.stdout, r)
	}
	file, err := os.CreateTemp(filepath.Dir(f.out), "."+filepath.Base(f.out)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if err := errors.Join(write(file, r), file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), f.out)
}

// comparison is two versions to compare, and how.
type comparison struct {
	old, new drift.Input
	options  drift.Options
	protocol []byte // protocol.yaml beside the document; nil = none
	document string // the document's name beside it
	// added and removed: one of the versions is not there.
	added, removed bool
}

// judge compares the versions.
func (c *comparison) judge(level drift.Level) (*drift.Report, error) {
	switch {
	case c.added:
		return drift.Added(c.new, c.options)
	case c.removed:
		return drift.Removed(c.old, c.options)
	}
	r, err := drift.Compare(c.old, c.new, c.options)
	if err != nil || level != drift.Source {
		return r, err
	}
	findings, err := c.sourceFindings()
	if err != nil {
		return nil, err
	}
	r.Add(findings...)
	return r, nil
}

var errNotFetched = fmt.Errorf("nothing is fetched from a network: %w", fs.ErrNotExist)

// diskLoader reads what documents refer to from a folder.
func diskLoader(uri string) ([]byte, error) {
	if strings.Contains(uri, "://") {
		return nil, errNotFetched
	}
	return os.ReadFile(filepath.FromSlash(uri))
}

// options gives the options of a comparison; protocol and document are what lies
// beside the document.
func (f driftFlags) options(protocol []byte, protocolName, document string) (drift.Options, error) {
	o := drift.Options{
		Level: drift.Level(f.level), Upgrade: drift.Upgrade(f.upgrade), Direction: drift.Direction(f.direction), Schema: f.schema,
	}
	if protocol == nil || f.direction != "" {
		return o, nil
	}
	var err error
	o.Messages, o.Host, err = drift.ParseProtocol(protocolName, protocol, document)
	return o, err
}

// beside reads the protocol.yaml that lies beside a file; nil when there is none.
func beside(file string) ([]byte, string) {
	name := filepath.Join(filepath.Dir(file), "protocol.yaml")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, ""
	}
	return data, name
}

// driftInputs finds the versions that a command line names.
func (p *program) driftInputs(args []string, f driftFlags) ([]comparison, error) {
	if f.git != "" {
		return gitComparisons(args, f)
	}
	if len(args) == 0 && f.bindings {
		return nil, nil
	}
	if len(args) != 2 {
		return nil, fmt.Errorf("two documents are compared: hallmark drift OLD NEW (%d given)", len(args))
	}
	newData, err := os.ReadFile(args[1])
	if err != nil {
		return nil, err
	}
	c := comparison{new: drift.Input{Name: filepath.ToSlash(args[1]), Data: newData, Loader: diskLoader}}
	oldData, err := os.ReadFile(args[0])
	switch {
	case err == nil:
		c.old = drift.Input{Name: filepath.ToSlash(args[0]), Data: oldData, Loader: diskLoader}
		for _, file := range args {
			if data, name := beside(file); data != nil {
				c.protocol, c.document = data, path.Base(filepath.ToSlash(file))
				if c.options, err = f.options(data, name, c.document); err != nil {
					return nil, err
				}
				if len(c.options.Messages) > 0 {
					return []comparison{c}, nil
				}
			}
		}
		c.options, err = f.options(nil, "", "")
		return []comparison{c}, err
	case isProtocol(args[0]):
		return committed(args[0], c, f)
	}
	return nil, err
}

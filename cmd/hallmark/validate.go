package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/gen/capture"
	"github.com/hallmark-kit/hallmark/gen/project"
	"github.com/hallmark-kit/hallmark/gen/validation"
	"github.com/hallmark-kit/hallmark/gen/validator"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/schemas"
)

// validateFlags are the flags of validate.
type validateFlags struct {
	as         string
	document   string
	schema     string
	input      string
	format     string
	maxMessage string
	all        bool
	formats    bool
	quiet      bool
	values     bool
}

func (p *program) validateCommand() *cobra.Command {
	var f validateFlags
	cmd := &cobra.Command{
		Use:   "validate [FILE...|-]",
		Short: "Hold recorded messages against the documents",
		Long: `Validate reads messages from files or standard input and prints every rule that one of them
breaks: file, line and column, the JSON pointer of the value, what the rule wants, and where it
stands. Values are never printed, since they may be secrets, unless --show-values is given.

What messages are held against:
  --as PROTOCOL          the messages of a protocol; the type of each is found out
  --as PROTOCOL:TYPE     one type of a protocol
  --document FILE        any JSON Schema, OpenAPI description or event definition; --schema names
                         a definition in it, or gives a JSON pointer (default: the whole document)

How files are read (by extension, or by how they begin; --input forces it):
  json     the file is one JSON text
  ndjson   one JSON text a line (.ndjson, .jsonl)
  sse      a stream of server-sent events whose data are JSON texts (.sse)

Memory does not grow with the length of a recording. A message beyond --max-message is an error
of that message; reading goes on behind it.

Exit codes: 0 all messages are valid, 1 some are not, 2 wrong usage or a file that cannot be read.`,
		Example: `  hallmark validate --as comitiva traffic.ndjson
  hallmark validate --as comitiva:RunnerRequest request.json
  my-runner | hallmark validate --as comitiva --quiet
  hallmark validate --document api.json --schema Order orders.ndjson
  hallmark validate --as comitiva --format github fixtures/*.json`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.validate(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.as, "as", "", "protocol, or PROTOCOL:TYPE")
	flags.StringVar(&f.document, "document", "", "a document of any protocol")
	flags.StringVar(&f.schema, "schema", "", "with --document: name of a definition, or JSON pointer")
	flags.StringVar(&f.input, "input", "", "json, ndjson or sse (default: found out)")
	flags.StringVar(&f.format, "format", "text", strings.Join(validation.Formats, ", "))
	flags.StringVar(&f.maxMessage, "max-message", "64MiB", "longest message, such as 500KiB, 64MiB or 1GiB")
	flags.BoolVar(&f.all, "all", false, "all violations of a message (default: the first few)")
	flags.BoolVar(&f.formats, "assert-formats", false, "make format a rule; by default it is an annotation")
	flags.BoolVar(&f.quiet, "quiet", false, "print nothing; the exit code says it")
	flags.BoolVar(&f.values, "show-values", false, "print the offending values, shortened; they may be secrets")
	return cmd
}

// validate holds the files against what the flags name.
func (p *program) validate(ctx context.Context, files []string, f validateFlags) error {
	run, err := p.validation(f)
	if err != nil {
		return &failure{exitUsage, err}
	}
	progress := newMeter(p.stderr, isTerminal(p.stderr) && !f.quiet)
	run.Progress = progress
	if len(files) == 0 {
		files = []string{project.Stdin}
	}
	// A read from a pipe cannot be cancelled: on an interrupt the command ends without waiting for it.
	done := make(chan error, 1)
	go func() { done <- p.validateFiles(ctx, run, files) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		return &failure{exitUsage, errors.New("interrupted")}
	}
	progress.Clear()
	if err != nil {
		return &failure{exitUsage, err}
	}
	if err := run.Writer.Close(&run.Summary); err != nil {
		return &failure{exitUsage, err}
	}
	if !f.quiet {
		fmt.Fprintf(p.stderr, "hallmark: %s\n", run.Summary.String())
	}
	if run.Summary.Invalid > 0 {
		return notHeld()
	}
	return nil
}

// validation makes the run that the flags describe.
func (p *program) validation(f validateFlags) (*validation.Run, error) {
	run := &validation.Run{Writer: validation.Discard}
	var err error
	if run.Subject, err = p.subject(f); err != nil {
		return nil, err
	}
	if f.input != "" {
		if run.Input, err = capture.ParseInput(f.input); err != nil {
			return nil, err
		}
	}
	writer, err := validation.NewWriter(f.format, p.stdout)
	if err != nil {
		return nil, err
	}
	if !f.quiet {
		run.Writer = writer
	}
	if run.Limit, err = capture.ParseSize(f.maxMessage); err != nil {
		return nil, fmt.Errorf("--max-message: %w", err)
	}
	if f.all {
		run.Options = append(run.Options, wire.AllViolations())
	}
	if f.formats {
		run.Options = append(run.Options, wire.AssertFormats())
	}
	if f.values {
		run.Options = append(run.Options, wire.QuoteValues())
	}
	return run, nil
}

// subject is what the messages are held against.
func (p *program) subject(f validateFlags) (*validation.Subject, error) {
	switch {
	case f.as != "" && f.document != "":
		return nil, errors.New("--as and --document exclude each other")
	case f.schema != "" && f.document == "":
		return nil, errors.New("--schema names a schema of --document FILE; a type of a protocol is given by --as PROTOCOL:TYPE")
	case f.as != "":
		name, typeName, _ := strings.Cut(f.as, ":")
		s, err := validation.ForProtocol(schemas.FS, name, typeName)
		var unknown *validation.ErrUnknown
		if errors.As(err, &unknown) {
			return nil, fmt.Errorf("%w%s", err, nearest.Suggestion(unknown.Name, unknown.Known))
		}
		return s, err
	case f.document != "":
		docs, err := project.Open("", []string{f.document}, p.stdin)
		if err != nil {
			return nil, err
		}
		graph, err := docs.Graph()
		if err != nil {
			return nil, err
		}
		n, err := docs.Find(graph, f.schema)
		if err != nil {
			return nil, err
		}
		v, err := validator.Compile(n)
		if err != nil {
			return nil, docs.Placed(err)
		}
		return validation.Of(v.Type(f.schema, n)), nil
	}
	return nil, errors.New("say what the messages are: --as PROTOCOL[:TYPE], or --document FILE")
}

func (p *program) validateFiles(ctx context.Context, run *validation.Run, files []string) error {
	for _, name := range files {
		if err := p.validateFile(ctx, run, name); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) validateFile(ctx context.Context, run *validation.Run, name string) (err error) {
	src := p.stdin
	if name != project.Stdin {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		src = io.Reader(file)
	}
	return run.File(ctx, name, src)
}

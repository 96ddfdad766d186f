package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/gen/project"
)

// genFlags are the flags of gen.
type genFlags struct {
	check     bool
	schemas   string
	out       string
	documents []string
	pkg       string
	config    string
	report    bool
	format    string
}

func (p *program) genCommand() *cobra.Command {
	var f genFlags
	cmd := &cobra.Command{
		Use:   "gen [PROTOCOL...]",
		Short: "Write the Go packages of documents",
		Long: `Gen reads the folders below --schemas (each with a protocol.yaml and the documents it names) and
writes one Go package each below --out. Without arguments it takes every folder there.

With --document it reads documents of your own instead: JSON Schema 2020-12 and the older drafts that
a document names in $schema (2019-09, draft-07, draft-06, draft-04), OpenAPI 3.2, 3.1 and 3.0, event
definitions; as YAML where the name ends in .yaml or .yml, as JSON otherwise. Schemas may refer to
other files, relative to the file they stand in, and to an $id inside them; so may paths, parameters,
headers, bodies, answers, callbacks, security schemes and (3.2) media types of an OpenAPI description,
by a JSON pointer into another file or by the name of a file that holds just that. What a description
is called by $self (3.2) is what its references start from; what cannot be had from there is looked
for beside the file. Nothing is ever fetched from a network. The package is written into --out and
needs nothing but github.com/hallmark-kit/hallmark/gen/wire. A hallmark.yaml
(--config) can name package, title, documents and output folder, and pin Go names to places in the
documents:

  package: orders
  title: Order service
  out: internal/orders
  documents: [order.json, customer.json]
  names:
    "order.json#/properties/lines/items": Line

What cannot be generated is an error with file, line, column and pointer; nothing is left out in
silence. --report writes, instead of a package, how often each keyword of each document occurs and
how it is enforced.

Files are written aside and renamed, so nothing half-written is ever left. With --check nothing
is written: the command prints what would change and exits with 1 if anything would.`,
		Example: `  hallmark gen                 # all protocols of this checkout
  hallmark gen comitiva        # one of them
  hallmark gen --check         # in CI: is the committed code up to date?
  hallmark gen --document order.json --package orders --out internal/orders
  hallmark gen --config hallmark.yaml
  curl -s https://example.com/api.json | hallmark gen --document - --package api --out api
  hallmark gen --report --document order.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.documents) > 0 || f.config != "" {
				if len(args) > 0 {
					return &failure{exitUsage, errors.New("PROTOCOL arguments are for the folders below --schemas; they cannot be given with --document or --config")}
				}
				if !cmd.Flags().Changed("out") {
					f.out = ""
				}
				return p.genDocuments(f)
			}
			if f.pkg != "" {
				return &failure{exitUsage, errors.New("--package names the package of --document FILE")}
			}
			names := args
			if len(names) == 0 {
				var err error
				if names, err = protocolFolders(f.schemas); err != nil {
					return &failure{exitUsage, err}
				}
			}
			if f.report {
				return p.reportProtocols(names, f)
			}
			return p.genProtocols(names, f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.check, "check", false, "write nothing; print a diff and exit with 1 if the code is not up to date")
	flags.StringVar(&f.schemas, "schemas", "schemas", "folder with one folder a protocol")
	flags.StringVar(&f.out, "out", filepath.Join("gen", "protocol"), "folder for the packages; with --document, of the package")
	flags.StringArrayVar(&f.documents, "document", nil, "a document of your own, - for standard input; may be repeated")
	flags.StringVar(&f.pkg, "package", "", "with --document: name of the Go package")
	flags.StringVar(&f.config, "config", "", "a hallmark.yaml with names and options")
	flags.BoolVar(&f.report, "report", false, "write no code but how each keyword of the documents is enforced")
	flags.StringVar(&f.format, "format", "text", "with --report: text or json")
	return cmd
}

// protocolFolders lists the folders that have a protocol.yaml.
func protocolFolders(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", gen.ProtocolFile))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no %s found below %s: run the command at the root of a checkout, or give --schemas", gen.ProtocolFile, dir)
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = filepath.Base(filepath.Dir(file))
	}
	return names, nil
}

// genProtocols writes the packages of folders below --schemas. Nothing is written unless all of them can be made.
func (p *program) genProtocols(names []string, f genFlags) error {
	packages, err := gen.GenerateAll(os.DirFS(f.schemas), names...)
	if err != nil {
		return protocolFailure(err, f.schemas)
	}
	stale := false
	for _, pkg := range packages {
		changed, err := p.write(pkg, filepath.Join(f.out, pkg.Name), f.check)
		if err != nil {
			return err
		}
		stale = stale || changed && f.check
	}
	return staleFailure(stale, "'hallmark gen'")
}

func protocolFailure(err error, schemas string) error {
	if errors.Is(err, fs.ErrNotExist) {
		known, _ := protocolFolders(schemas)
		err = fmt.Errorf("%w (protocols below %s: %s)", err, schemas, strings.Join(known, ", "))
	}
	return &failure{exitUsage, err}
}

// genDocuments writes the package of documents that are not ours.
func (p *program) genDocuments(f genFlags) error {
	request := &project.Request{Documents: f.documents, Config: f.config, Package: f.pkg, Out: f.out, Account: f.report}
	plan, err := request.Plan(p.stdin)
	if err != nil {
		return &failure{exitUsage, err}
	}
	if f.report {
		return p.reportDocuments(plan, f.format)
	}
	if plan.Out == "" {
		return &failure{exitUsage, errors.New("say where the package goes: --out DIR, or out: DIR in a " + project.ConfigFile)}
	}
	pkg, err := plan.Generate()
	if err != nil {
		return &failure{exitUsage, err}
	}
	changed, err := p.write(pkg, plan.Out, f.check)
	if err != nil {
		return err
	}
	return staleFailure(changed && f.check, "the same command without --check")
}

// write brings a folder up to date and lists the files that changed, or prints what would change.
func (p *program) write(pkg *gen.Package, dir string, check bool) (changed bool, err error) {
	if check {
		diff, err := pkg.Diff(dir)
		if err != nil {
			return false, &failure{exitUsage, err}
		}
		fmt.Fprint(p.stdout, diff)
		return diff != "", nil
	}
	files, err := pkg.Write(dir)
	if err != nil {
		return false, &failure{exitUsage, err}
	}
	for _, file := range files {
		fmt.Fprintln(p.stdout, file)
	}
	return len(files) > 0, nil
}

func staleFailure(stale bool, command string) error {
	if stale {
		return &failure{exitNotHeld, fmt.Errorf("the generated code is not up to date: run %s", command)}
	}
	return nil
}

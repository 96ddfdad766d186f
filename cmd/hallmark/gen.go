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
)

func (p *program) genCommand() *cobra.Command {
	var (
		check   bool
		schemas string
		out     string
	)
	cmd := &cobra.Command{
		Use:   "gen [PROTOCOL...]",
		Short: "Write the Go packages of the protocols' documents",
		Long: `Gen reads the folders below --schemas (each with a protocol.yaml and the documents it names) and
writes one Go package each below --out. Without arguments it takes every folder there.

Files are written aside and renamed, so nothing half-written is ever left. With --check nothing
is written: the command prints what would change and exits with 1 if anything would.`,
		Example: `  hallmark gen                 # all protocols of this checkout
  hallmark gen comitiva        # one of them
  hallmark gen --check         # in CI: is the committed code up to date?`,
		RunE: func(cmd *cobra.Command, args []string) error {
			names := args
			if len(names) == 0 {
				var err error
				if names, err = protocolFolders(schemas); err != nil {
					return &failure{exitUsage, err}
				}
			}
			return p.gen(names, schemas, out, check)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; print a diff and exit with 1 if the code is not up to date")
	cmd.Flags().StringVar(&schemas, "schemas", "schemas", "folder with one folder a protocol")
	cmd.Flags().StringVar(&out, "out", filepath.Join("gen", "protocol"), "folder for the packages")
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

func (p *program) gen(names []string, schemas, out string, check bool) error {
	stale := false
	for _, name := range names {
		pkg, err := gen.Generate(os.DirFS(schemas), name)
		if errors.Is(err, fs.ErrNotExist) {
			known, _ := protocolFolders(schemas)
			return &failure{exitUsage, fmt.Errorf("%w (protocols below %s: %s)", err, schemas, strings.Join(known, ", "))}
		}
		if err != nil {
			return &failure{exitUsage, err}
		}
		dir := filepath.Join(out, pkg.Name)
		if check {
			diff, err := pkg.Diff(dir)
			if err != nil {
				return &failure{exitUsage, err}
			}
			if diff != "" {
				stale = true
				fmt.Fprint(p.stdout, diff)
			}
			continue
		}
		changed, err := pkg.Write(dir)
		if err != nil {
			return &failure{exitUsage, err}
		}
		for _, file := range changed {
			fmt.Fprintln(p.stdout, file)
		}
	}
	if stale {
		return &failure{exitNotHeld, errors.New("the generated code is not up to date: run 'hallmark gen'")}
	}
	return nil
}

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func (p *program) targetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "target",
		Short: "Describe an implementation to be certified",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	var out, role string
	initialise := &cobra.Command{
		Use:   "init PROTOCOL",
		Short: "Write a commented target file to start from",
		Example: `  hallmark target init comitiva --out runner.yaml
  hallmark certify comitiva --target runner.yaml`,
		Args: oneProtocol,
		RunE: func(cmd *cobra.Command, args []string) error {
			suite, err := loadSuite(args[0], "")
			if err != nil {
				return &failure{exitUsage, err}
			}
			if role == "" {
				role = suite.Roles()[0]
			}
			if !slices.Contains(suite.Roles(), role) {
				return &failure{exitUsage, fmt.Errorf("the suite of %s tests no role %q; it tests: %s", args[0], role, strings.Join(suite.Roles(), ", "))}
			}
			text := suite.Skeleton(role)
			if out == "" {
				_, err = fmt.Fprint(p.stdout, text)
				return err
			}
			f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return &failure{exitUsage, fmt.Errorf("%w: choose another name, or remove the file first", err)}
			}
			if _, err := f.WriteString(text); err != nil {
				return &failure{exitUsage, err}
			}
			return f.Close()
		},
	}
	initialise.Flags().StringVar(&role, "role", "", "side of the wire the implementation plays (default: the first that the suite tests)")
	initialise.Flags().StringVar(&out, "out", "", "write to a file, which must not exist (default: standard output)")
	cmd.AddCommand(initialise)
	return cmd
}

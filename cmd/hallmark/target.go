package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmark-kit/hallmark/conformance"
)

// defaultRole is the role of a protocol that is tested unless another one is asked for.
func defaultRole(suite *conformance.Suite) string {
	if r, ok := references[suite.Protocol.Name]; ok {
		return r.target().Role
	}
	return suite.Roles()[0]
}

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
  hallmark certify comitiva --target runner.yaml
  hallmark target init agenticdriver --role client --out client.yaml`,
		Args: oneProtocol,
		RunE: func(cmd *cobra.Command, args []string) error {
			suite, err := loadSuite(args[0], "")
			if err != nil {
				return &failure{exitUsage, err}
			}
			if role == "" {
				role = defaultRole(suite)
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
	initialise.Flags().StringVar(&role, "role", "", "side of the wire the implementation plays (default: the one that serves)")
	initialise.Flags().StringVar(&out, "out", "", "write to a file, which must not exist (default: standard output)")
	cmd.AddCommand(initialise)
	return cmd
}

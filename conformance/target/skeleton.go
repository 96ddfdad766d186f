package target

import (
	"fmt"
	"strings"
)

// Entry is a name and the sentence that explains it.
type Entry struct{ Name, Sentence string }

// Skeleton is a commented target file to fill in: what it must say, and every feature and value that scenarios know.
func Skeleton(protocol, role string, features, values []Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# How to start an implementation of %[1]s, what it provides, and the values that scenarios need.
# Check it with: hallmark certify %[1]s --target FILE
protocol: %[1]s
name: My %[2]s             # as it appears in reports
# version: "1.0.0"
role: %[2]s

start:
  # Program and arguments. A program with a slash is relative to this file, any other is looked up in PATH.
  command: [ my-%[2]s ]
  # cwd: .                 # relative to this file; default: an empty temporary folder for each scenario
  # env: { NAME: value }   # added to the environment
  # debug:                 # what makes it log as much as it can; some scenarios look for secrets there
  #   env: { LOG_LEVEL: trace }
  #   args: [ --verbose ]

# What it provides: take out what it does not. Scenarios that need it are skipped then, and the report says so.
features:
`, protocol, role)
	for _, f := range features {
		fmt.Fprintf(&b, "  - %s%s# %s\n", f.Name, strings.Repeat(" ", max(1, 22-len(f.Name))), f.Sentence)
	}
	if len(features) == 0 {
		b.WriteString("  []\n")
	}
	if len(values) > 0 {
		b.WriteString("\n# Values that scenarios ask for; without one, those that ask for it are skipped.\n# values:\n")
		for _, v := range values {
			fmt.Fprintf(&b, "#   %s: %s# %s\n", v.Name, strings.Repeat(" ", max(1, 22-len(v.Name))), v.Sentence)
		}
		b.WriteString("# Secret ones: name to the environment variable that holds it.\n# secrets:\n#   token: MY_TOKEN\n")
	}
	b.WriteString(`
# How long the kit waits, if the machine or the implementation is slow.
# bounds:
#   start: 10s             # from the start to the answer to the first request
#   step: 5s               # for a step that has no bound of its own
#   scenario: 30s          # for a whole scenario
#   stop: 3s               # from the end of its input to the end of the process
`)
	return b.String()
}

package target

import (
	"fmt"
	"strings"
)

// Entry is a name and the sentence that explains it.
type Entry struct{ Name, Sentence string }

// Described is what a target file is written for.
type Described struct {
	Protocol, Role   string
	Adapter          bool // the target is the adapter of an implementation
	Features, Values []Entry
}

const (
	program = "  # Program and arguments. A program with a slash is relative to this file, any other is looked up in PATH.\n"
	adapter = `  # Program and arguments of the adapter: a command that drives the %[1]s. It reads one JSON object a line, such as
  # {"id":"1","do":"connect","url":"…","token":"…"} and {"id":"2","do":"call","operation":"…","request":{…},"stream":true},
  # and answers {"id":"2","event":{…}} for each event, then {"id":"2","result":{…}} or {"id":"2","error":{"code":"…"}}.
  # schemas/hallmark/adapter.json describes them all; 'hallmark adapter %[2]s' is that of the reference implementation.
`
)

// Skeleton is a commented target file to fill in: what it must say, and every feature and value that scenarios know.
func Skeleton(d Described) string {
	var b strings.Builder
	protocol, role, features, values := d.Protocol, d.Role, d.Features, d.Values
	start, command := program, "my-"+role
	if d.Adapter {
		start, command = fmt.Sprintf(adapter, role, protocol)+program, "my-"+role+"-adapter"
	}
	fmt.Fprintf(&b, `# How to start an implementation of %[1]s, what it provides, and the values that scenarios need.
# Check it with: hallmark certify %[1]s --target FILE
protocol: %[1]s
name: My %[2]s             # as it appears in reports
# version: "1.0.0"
role: %[2]s

start:
%[3]s  command: [ %[4]s ]
  # cwd: .                 # relative to this file; default: an empty temporary folder for each scenario
  # env: { NAME: value }   # added to the environment
  # debug:                 # what makes it log as much as it can; some scenarios look for secrets there
  #   env: { LOG_LEVEL: trace }
  #   args: [ --verbose ]

# What it provides: take out what it does not. Scenarios that need it are skipped then, and the report says so.
features:
`, protocol, role, start, command)
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

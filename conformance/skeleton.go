package conformance

import (
	"fmt"
	"sort"
	"strings"
)

// TargetSkeleton is a target file with a comment for every line, to be filled in by whoever wants their
// implementation certified. All features are listed, those that are not provided are to be taken out.
func (s *Suite) TargetSkeleton() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	roles := s.roles()
	line("# How to start an implementation of %s and what it provides.", s.Protocol.Title)
	line("# Certify it with: hallmark certify %s --target THIS-FILE", s.Protocol.Name)
	line("protocol: %s", s.Protocol.Name)
	line("name: my implementation   # as it appears in reports")
	line("# version: 1.0.0")
	line("role: %s   # the side of the wire it plays: %s", roles[0], strings.Join(roles, ", "))
	line("start:")
	line("  command: [ ./my-runner ]   # program and arguments; a path is relative to this file")
	line("  # cwd: .                   # default: an empty folder for each scenario")
	line("  # env: { NAME: value }")
	line("  # debug: { env: { LOG: debug }, args: [ --verbose ] }   # what makes it log as much as it can")
	line("# What it provides. Take out what it does not: scenarios that need it are skipped.")
	line("features:")
	for _, name := range s.Requirements.FeatureNames() {
		line("  - %-20s # %s", name, s.Requirements.Features[name])
	}
	if values := s.Requirements.ValueNames(); len(values) > 0 {
		line("# Values that scenarios need.")
		line("values:")
		for _, name := range values {
			line("  # %s: ...   # %s", name, s.Requirements.Values[name])
		}
	}
	line("# Secrets stay in the environment: name here, variable there.")
	line("# secrets: { token: MY_TOKEN }")
	line("# How long the kit waits; these are the defaults.")
	line("# bounds: { start: 10s, step: 5s, scenario: 30s, stop: 3s }")
	return b.String()
}

// roles lists the roles that have scenarios first, then the others, each sorted.
func (s *Suite) roles() []string {
	tested := map[string]bool{}
	for _, sc := range s.Scenarios {
		tested[sc.Role] = true
	}
	var names []string
	for name := range s.Protocol.Roles {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		if tested[names[i]] != tested[names[j]] {
			return tested[names[i]]
		}
		return names[i] < names[j]
	})
	return names
}

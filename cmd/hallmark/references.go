package main

import (
	"fmt"

	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/reference/comitiva"
)

// referenced is a reference implementation inside this program.
type referenced struct {
	faults func() []string       // ids of what it can do wrong
	target func() *target.Target // what its target file would say, but for the command
	serve  []string              // arguments of the command that starts it, after those of this program

	// without is the flag by which it is started without a feature; "" when it has none such.
	without string
}

// references are the reference implementations, by protocol.
var references = map[string]referenced{
	"comitiva": {
		faults: func() []string {
			var ids []string
			for _, f := range comitiva.Faults() {
				ids = append(ids, f.ID)
			}
			return ids
		},
		target: func() *target.Target {
			return &target.Target{
				Name: "reference runner", Role: "runner",
				Debug:    target.Debug{Env: []string{"COMITIVA_RUNNER_LOG=debug"}},
				Features: []string{"openai-compatible", "ollama", "tool-servers", "cli-detect"},
			}
		},
		serve: []string{"serve", "comitiva"},
	},
}

// referenceTarget is what a target file of the reference implementation would say. self is the command of this program.
func referenceTarget(protocol string, self []string) (*target.Target, error) {
	r, ok := references[protocol]
	if !ok {
		return nil, fmt.Errorf("this program holds no reference implementation of %s: describe yours with --target", protocol)
	}
	t := r.target()
	t.Protocol, t.Version = protocol, version()
	t.Command = append(append(t.Command, self...), r.serve...)
	return t, nil
}

// faultIDs are the faults of the reference implementation that scenarios may name; nil when there is none.
func faultIDs(protocol string) []string {
	r, ok := references[protocol]
	if !ok {
		return nil
	}
	return r.faults()
}

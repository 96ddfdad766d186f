package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/comitiva"
)

// referenced is a reference implementation inside this program.
type referenced struct {
	faults func() []string       // ids of what it can do wrong
	target func() *target.Target // what its target file would say, but for the command
	serve  []string              // arguments of the command that starts it, after those of this program

	// without is the flag by which it is started without a feature; "" when it has none such.
	without string

	// others are the reference implementations of further roles, by role.
	others map[string]referenced
}

// as gives the reference implementation that plays a role; "" is the one that is tested by default.
func (r referenced) as(role string) (referenced, bool) {
	if role == "" || role == r.target().Role {
		return r, true
	}
	other, ok := r.others[role]
	return other, ok
}

// roles lists the roles that reference implementations play.
func (r referenced) roles() []string {
	return append([]string{r.target().Role}, slices.Sorted(maps.Keys(r.others))...)
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
	"agenticdriver": {
		faults: func() []string {
			var ids []string
			for _, f := range agenticdriver.Faults() {
				ids = append(ids, f.ID)
			}
			return ids
		},
		target:  agenticDriverTarget,
		serve:   []string{"serve", "agenticdriver", "--listen", "127.0.0.1:0", "--stop-with-stdin"},
		without: "--without",
		others: map[string]referenced{
			"client": {
				faults: clientFaults,
				target: func() *target.Target { return &target.Target{Name: "reference client", Role: "client"} },
				serve:  []string{"adapter", "agenticdriver"},
			},
		},
	},
}

// agenticDriverTarget fits the built-in configuration of the reference host.
func agenticDriverTarget() *target.Target {
	return &target.Target{
		Name: "reference host", Role: "host",
		Features: []string{"scripted", "queue"}, // the others it tells itself
		Values: value.Of(
			"provider", "mock", "model", "demo", "otherModel", "vision", "imageModel", "vision", "catalogModel", "catalog-only",
			"plainProvider", "plain", "otherProvider", "other",
			"tool", "echo", "checkedTool", "checked", "approvalTool", "guarded", "failingTool", "broken",
			"applicationTool", "lookup", "strictTool", "strict",
			"corpus", "docs", "otherCorpus", "private",
			"reference", value.Of("id", "handbook", "revision", "3", "mediaType", "text/plain"),
			"allowedOrigin", "https://app.example",
			"capacity", value.Int(4), "queue", value.Int(1), "jobWorkers", value.Int(2),
			"waitingSignIn", "scripted:wait", "readySignIn", "scripted:approve",
		),
		Secrets: map[string]string{
			"token":            "hallmark-dev-token-alice-0000000000001",
			"peerToken":        "hallmark-dev-token-alice-fewer-000000001",
			"readerToken":      "hallmark-dev-token-alice-reader-00000001",
			"otherToken":       "hallmark-dev-token-bob-000000000000001",
			"emptyToken":       "hallmark-dev-token-carol-00000000000001",
			"manageToken":      "hallmark-dev-token-admin-00000000000001",
			"otherManageToken": "hallmark-dev-token-admin-00000000000002",
		},
	}
}

// referenceTarget is what a target file of the reference implementation of a role would say; "" is the role that is
// tested by default. self is the command of this program.
func referenceTarget(protocol, role string, self []string) (*target.Target, error) {
	r, ok := references[protocol]
	if !ok {
		return nil, fmt.Errorf("this program holds no reference implementation of %s: describe yours with --target", protocol)
	}
	if r, ok = r.as(role); !ok {
		return nil, fmt.Errorf("this program holds no reference implementation of the role %s of %s%s", role, protocol, nearest.Suggestion(role, references[protocol].roles()))
	}
	t := r.target()
	t.Protocol, t.Version = protocol, version()
	t.Command = append(append(t.Command, self...), r.serve...)
	return t, nil
}

// faultIDs are the faults of the reference implementations that scenarios may name; nil when there is none.
func faultIDs(protocol string) []string {
	r, ok := references[protocol]
	if !ok {
		return nil
	}
	ids := r.faults()
	for _, role := range slices.Sorted(maps.Keys(r.others)) {
		ids = append(ids, r.others[role].faults()...)
	}
	return ids
}

// faultIDsOf are the faults of the reference implementation of one role.
func faultIDsOf(protocol, role string) []string {
	if r, ok := references[protocol].as(role); ok {
		return r.faults()
	}
	return nil
}

package tools

import "sync"

// Policy is an agent's permission policy.
type Policy string

// The policies of the protocol.
const (
	Ask         Policy = "ask"
	AllowWrites Policy = "allow-writes"
	ReadOnly    Policy = "read-only"
)

// Verdict is what the gate says about a call.
type Verdict int

// The verdicts.
const (
	Run    Verdict = iota // without asking
	AskFor                // only with permission
	Refuse                // never
)

// Gate decides about the tools of one run. Its methods may be used from any
// goroutine.
type Gate interface {
	// Offers tells whether the model is told of a tool.
	Offers(readOnly bool) bool
	// Knows tells whether a call of a tool is taken up; otherwise it is
	// answered as that of a tool that does not exist.
	Knows(readOnly bool) bool
	// Check decides about a call of a tool that the gate knows.
	Check(serverID, tool string, readOnly bool) Verdict
	// Allow records that a tool needs no permission for the rest of the run.
	Allow(serverID, tool string)
}

type gate struct {
	policy  Policy
	mu      sync.Mutex
	allowed map[string]bool // "<serverId>:<toolName>"
}

// NewGate makes the gate of a run; always lists the tools that need no further
// permission, each as "<serverId>:<toolName>".
func NewGate(policy Policy, always []string) Gate {
	g := &gate{policy: policy, allowed: map[string]bool{}}
	for _, a := range always {
		g.allowed[a] = true
	}
	return g
}

func (g *gate) Offers(readOnly bool) bool { return readOnly || g.policy != ReadOnly }

func (g *gate) Knows(readOnly bool) bool { return g.Offers(readOnly) }

func (g *gate) Check(serverID, tool string, readOnly bool) Verdict {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case readOnly:
		return Run
	case g.policy == ReadOnly:
		return Refuse
	case g.allowed[serverID+":"+tool], g.policy == AllowWrites:
		return Run
	}
	return AskFor
}

func (g *gate) Allow(serverID, tool string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allowed[serverID+":"+tool] = true
}

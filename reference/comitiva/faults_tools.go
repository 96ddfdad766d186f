package comitiva

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
	"github.com/hallmark-kit/hallmark/reference/comitiva/tools"
)

// toolFaults are wrong ways to deal with tool servers and their tools.
var toolFaults = []fault{
	{"first-page-only", "lists of tools in pages",
		"Reads the first page of a server's tools only.",
		func(s *setup) { s.policy.toolLimits.Pages = 1 }},
	{"failed-start-retried", "the back-off after a failed start",
		"Starts a tool server again at once after it failed to start.",
		func(s *setup) { s.policy.toolLimits.Backoff = 0 }},
	{"failed-server-skipped", "runs whose tool server does not start",
		"Goes on without the tools of a server that cannot start.",
		func(s *setup) { s.policy.noServer = func(*tools.StartError) *tools.StartError { return nil } }},
	{"environment-inherited", "the environment of a tool server",
		"Hands its whole environment on to tool servers.",
		func(s *setup) {
			s.policy.toolEnv = func(launch map[string]string) []string {
				env := os.Environ()
				for name, value := range launch {
					env = append(env, name+"="+value)
				}
				return env
			}
		}},
	{"gated-flag-first", "the arguments of the file system server",
		"Puts --gated-by-client before the roots.",
		func(s *setup) {
			s.policy.toolArgs = func(l tools.Launch, roots []tools.Root) []string {
				args := slices.Clone(l.Args)
				if l.Builtin == "" {
					return args
				}
				args = append(args, "--gated-by-client")
				if l.Builtin == "filesystem" {
					for _, r := range roots {
						args = append(args, "--root", r.Path+":"+r.Mode)
					}
				}
				return args
			}
		}},
	{"tool-names-unprefixed", "unique names of tools",
		"Offers tools under the names that their servers give them.",
		func(s *setup) {
			s.policy.toolName = func(_ *tools.Names, _, tool string) string { return tool }
		}},
	{"tool-names-unfitted", "names of tools that fit providers",
		"Leaves long names and forbidden characters of tools as they are.",
		func(s *setup) {
			s.policy.toolName = func(_ *tools.Names, slug, tool string) string { return slug + "__" + tool }
		}},
	{"crash-is-tool-failed", "servers that die during a call",
		"Calls the death of a tool server a failure of its tool.",
		onSession(func(ctx context.Context, next tools.Session, tool string, input json.RawMessage) (tools.Output, error) {
			out, err := next.Call(ctx, tool, input)
			if err == nil || ctx.Err() != nil {
				return out, err
			}
			next.Close(ctx)
			return tools.Output{IsError: true, Blocks: []tools.Block{{Text: "tool_failed: The tool did not answer."}}}, nil
		})},
	{"crashed-server-stays-down", "the restart of a crashed server",
		"Never starts a tool server again that has crashed.",
		func(s *setup) {
			var mu sync.Mutex
			opened := map[string]bool{}
			onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
				if stop, ok := req.(*protocol.ToolServerStop); ok {
					mu.Lock()
					delete(opened, stop.ToolServerID)
					mu.Unlock()
				}
				next(req, reply)
			})(s)
			s.policy.openTool = func(next tools.Opener) tools.Opener {
				return func(ctx context.Context, l tools.Launch, roots []tools.Root) (tools.Session, error) {
					mu.Lock()
					before := opened[l.ID]
					opened[l.ID] = true
					mu.Unlock()
					if before {
						return nil, errors.New("it has crashed before")
					}
					return next(ctx, l, roots)
				}
			}
		}},
	{"cancel-waits-for-tool", "cancelling during a tool call",
		"Cancels a run only when its running tool call has ended.",
		cancelWaits},
	{"calls-in-parallel", "the order of tool calls",
		"Makes the tool calls of one reply all at once.",
		func(s *setup) {
			s.policy.eachCall = func(uses []provider.ToolUse, call func(int) bool) bool {
				var wg sync.WaitGroup
				done := make([]bool, len(uses))
				for i := range uses {
					wg.Go(func() { done[i] = call(i) })
				}
				wg.Wait()
				return !slices.Contains(done, false)
			}
		}},
}

// wrappedSession is a session whose calls are changed.
type wrappedSession struct {
	tools.Session
	call func(ctx context.Context, next tools.Session, tool string, input json.RawMessage) (tools.Output, error)
}

func (w wrappedSession) Call(ctx context.Context, tool string, input json.RawMessage) (tools.Output, error) {
	return w.call(ctx, w.Session, tool, input)
}

func onSession(call func(ctx context.Context, next tools.Session, tool string, input json.RawMessage) (tools.Output, error)) func(*setup) {
	return func(s *setup) {
		s.policy.session = func(_ tools.Launch, session tools.Session) tools.Session {
			return wrappedSession{session, call}
		}
	}
}

// cancelWaits holds run.cancel back while any tool call is running.
func cancelWaits(s *setup) {
	var mu sync.Mutex
	running := 0
	idle := make(chan struct{})
	close(idle)
	onSession(func(ctx context.Context, next tools.Session, tool string, input json.RawMessage) (tools.Output, error) {
		mu.Lock()
		if running++; running == 1 {
			idle = make(chan struct{})
		}
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			if running--; running == 0 {
				close(idle)
			}
		}()
		return next.Call(context.WithoutCancel(ctx), tool, input)
	})(s)
	onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
		cancel, ok := req.(*protocol.RunCancel)
		mu.Lock()
		wait, busy := idle, running > 0
		mu.Unlock()
		if !ok || !busy {
			next(req, reply)
			return
		}
		reply(&protocol.RunCancelResult{Cancelled: true}, nil)
		go func() {
			<-wait
			next(cancel, func(any, *protocol.AppError) {})
		}()
	})(s)
}

// approvalFaults are wrong ways to ask for permission and to take the answer.
var approvalFaults = []fault{
	{"read-only-tool-asks", "read-only tools",
		"Asks before it runs a read-only tool.",
		func(s *setup) { s.policy.readOnly = func(tools.Tool) bool { return false } }},
	{"unannotated-is-read-only", "tools without annotations",
		"Takes a tool without annotations for a read-only one.",
		func(s *setup) {
			s.policy.readOnly = func(t tools.Tool) bool { return t.Annotations == nil || t.ReadOnly() }
		}},
	{"call-before-approval", "calls that need permission",
		"Calls a tool at once and asks for permission only then.",
		callEarly},
	{"denied-call-made", "denied calls",
		"Takes a denial for a permission.",
		onDecision(protocol.DecisionDeny, protocol.DecisionAllow)},
	{"allow-always-once", "allow-always",
		"Takes allow-always for a permission for one call.",
		onDecision(protocol.DecisionAllowAlways, protocol.DecisionAllow)},
	{"allow-always-whole-server", "allow-always",
		"Takes allow-always for a permission for every tool of the server.",
		onGate(func(g tools.Gate, _ tools.Policy) tools.Gate { return &serverGate{Gate: g, servers: map[string]bool{}} })},
	{"always-allowed-ignored", "alwaysAllowed",
		"Ignores the tools that run.start lists as always allowed.",
		func(s *setup) {
			s.policy.gate = func(policy tools.Policy, _ []string) tools.Gate { return tools.NewGate(policy, nil) }
		}},
	{"allow-writes-asks", "the policy allow-writes",
		"Takes the policy allow-writes for ask.",
		func(s *setup) {
			s.policy.gate = func(policy tools.Policy, always []string) tools.Gate {
				if policy == tools.AllowWrites {
					policy = tools.Ask
				}
				return tools.NewGate(policy, always)
			}
		}},
	{"read-only-policy-offers-all", "the policy read-only",
		"Offers the model every tool under the policy read-only.",
		onGate(func(g tools.Gate, _ tools.Policy) tools.Gate { return openGate{g} })},
	{"read-only-policy-executes", "the policy read-only",
		"Runs a tool that the policy read-only hides, when the model calls it anyway.",
		onGate(func(g tools.Gate, policy tools.Policy) tools.Gate {
			if policy == tools.ReadOnly {
				return executingGate{g}
			}
			return g
		})},
	{"unknown-approval-refused", "approvals that nothing waits for",
		"Refuses an approval that nothing waits for.",
		func(s *setup) {
			var mu sync.Mutex
			waiting := map[string]bool{}
			onEvent(func(next emitter, ev protocol.RunnerEvent) {
				if call, ok := ev.(*protocol.RunToolCall); ok && call.RequiresApproval {
					mu.Lock()
					waiting[call.RunID+" "+call.ToolUseID] = true
					mu.Unlock()
				}
				next(ev)
			})(s)
			onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
				if a, ok := req.(*protocol.RunApproval); ok {
					mu.Lock()
					known := waiting[a.RunID+" "+a.ToolUseID]
					delete(waiting, a.RunID+" "+a.ToolUseID)
					mu.Unlock()
					if !known {
						reply(nil, appError(protocol.ErrorCodeInvalidRequest, "Nothing waits for this approval."))
						return
					}
				}
				next(req, reply)
			})(s)
		}},
	{"second-approval-repeats", "approvals that come twice",
		"Writes the result of a call once more when its approval comes twice.",
		repeatResults},
}

func onDecision(from, to protocol.Decision) func(*setup) {
	return onRequest(func(_ *setup, next handler, req protocol.RunnerRequest, reply reply) {
		if a, ok := req.(*protocol.RunApproval); ok && a.Decision == from {
			a.Decision = to
		}
		next(req, reply)
	})
}

func onGate(wrap func(g tools.Gate, policy tools.Policy) tools.Gate) func(*setup) {
	return func(s *setup) {
		s.policy.gate = func(policy tools.Policy, always []string) tools.Gate {
			return wrap(tools.NewGate(policy, always), policy)
		}
	}
}

// serverGate extends what is allowed to the whole server.
type serverGate struct {
	tools.Gate
	mu      sync.Mutex
	servers map[string]bool
}

func (g *serverGate) Allow(serverID, tool string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.servers[serverID] = true
	g.Gate.Allow(serverID, tool)
}

func (g *serverGate) Check(serverID, tool string, readOnly bool) tools.Verdict {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v := g.Gate.Check(serverID, tool, readOnly); v != tools.AskFor || !g.servers[serverID] {
		return v
	}
	return tools.Run
}

// openGate hides nothing.
type openGate struct{ tools.Gate }

func (openGate) Offers(bool) bool { return true }
func (openGate) Knows(bool) bool  { return true }

// executingGate lets every call through.
type executingGate struct{ tools.Gate }

func (executingGate) Knows(bool) bool                          { return true }
func (executingGate) Check(string, string, bool) tools.Verdict { return tools.Run }

// callEarly makes every call that needs permission when it is announced, and
// hands out the output when the call is really due.
func callEarly(s *setup) {
	type outcome struct {
		out tools.Output
		err error
	}
	var mu sync.Mutex
	sessions := map[string]tools.Session{}
	early := map[string]chan outcome{}
	key := func(server, tool string, input []byte) string { return server + "\n" + tool + "\n" + string(input) }

	s.policy.session = func(l tools.Launch, session tools.Session) tools.Session {
		mu.Lock()
		defer mu.Unlock()
		sessions[l.ID] = session
		return wrappedSession{session, func(ctx context.Context, next tools.Session, tool string, input json.RawMessage) (tools.Output, error) {
			k := key(l.ID, tool, input)
			mu.Lock()
			c := early[k]
			delete(early, k)
			mu.Unlock()
			if c == nil {
				return next.Call(ctx, tool, input)
			}
			select {
			case o := <-c:
				return o.out, o.err
			case <-ctx.Done():
				return tools.Output{}, ctx.Err()
			}
		}}
	}
	onEvent(func(next emitter, ev protocol.RunnerEvent) {
		call, ok := ev.(*protocol.RunToolCall)
		next(ev)
		if !ok || !call.RequiresApproval {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		session := sessions[call.ToolServerID]
		if session == nil {
			return
		}
		c := make(chan outcome, 1)
		early[key(call.ToolServerID, call.ToolName, call.Input)] = c
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			out, err := session.Call(ctx, call.ToolName, json.RawMessage(call.Input))
			c <- outcome{out, err}
		}()
	})(s)
}

// repeatResults writes a tool result again for each approval after the first.
func repeatResults(s *setup) {
	var mu sync.Mutex
	approvals := map[string]int{}
	results := map[string]*protocol.RunToolResult{}
	onEvent(func(next emitter, ev protocol.RunnerEvent) {
		next(ev)
		if r, ok := ev.(*protocol.RunToolResult); ok {
			mu.Lock()
			defer mu.Unlock()
			results[r.RunID+" "+r.ToolUseID] = r
			for n := approvals[r.RunID+" "+r.ToolUseID]; n > 1; n-- {
				next(r)
			}
		}
	})(s)
	onRequest(func(s *setup, next handler, req protocol.RunnerRequest, reply reply) {
		next(req, reply)
		if a, ok := req.(*protocol.RunApproval); ok {
			k := a.RunID + " " + a.ToolUseID
			mu.Lock()
			approvals[k]++
			var again *protocol.RunToolResult
			if approvals[k] > 1 {
				again = results[k]
			}
			mu.Unlock()
			if again != nil {
				copied := *again
				stampEvent(&copied, copied.RunID, s.runner.clock.now())
				s.runner.write(&copied)
			}
		}
	})(s)
}

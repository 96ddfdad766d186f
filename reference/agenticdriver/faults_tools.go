package agenticdriver

import (
	"slices"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/schemata"
)

// applicationToolFaults are wrong ways to let applications carry out tools.
var applicationToolFaults = []fault{
	{"application-tools-dropped-without-feature", "application tools on a host that gives none", "Drops the application tools of a run if the host gives none.",
		droppedWithout(func(f *run.Features) bool { return f.ApplicationTools }, dropDefinitions)},
	{"application-tools-in-json", "application tools without a stream", "Takes application tools of a run that answers JSON, and does not have them.",
		unstreamed(dropDefinitions)},
	{"doubled-definition-accepted", "tools that are defined twice", "Takes the first of several definitions of a tool.",
		onBody("/v1/runs", func(o object) {
			seen := map[string]bool{}
			keepDefinitions(o, func(d object) bool {
				name := text(d, "/name")
				had := seen[name]
				seen[name] = true
				return !had
			})
		})},
	{"shadowing-accepted", "definitions with the name of a host tool", "Takes a tool of the host in place of a definition with its name.",
		wrapped("POST /v1/runs", func(s *server, c *call, do route) (answer, error) {
			c.body = changed(c.body, func(o object) {
				keepDefinitions(o, func(d object) bool { return s.engine.Tools[text(d, "/name")] == nil })
			})
			return do(c)
		})},
	{"unselected-tool-accepted", "definitions that are not selected", "Selects every tool that is defined.",
		onBody("/v1/runs", func(o object) {
			tools, _ := o["tools"].([]any)
			each(o, "/applicationTools", func(d object) {
				if name := d["name"]; !slices.Contains(tools, name) {
					tools = append(tools, name)
				}
				o["tools"] = tools
			})
		})},
	{"definitions-unlimited", "the size of definitions", "Takes definitions of any size.", func(e *edges) { e.policy.DefinitionsUnlimited = true }},
	{"tool-schema-unchecked", "schemas of definitions", "Takes what is no schema for one that allows everything.",
		onBody("/v1/runs", func(o object) {
			each(o, "/applicationTools", func(d object) {
				if _, err := schemata.Compile(encoded(d["inputSchema"])); err != nil {
					d["inputSchema"] = object{}
				}
			})
		})},
	{"definition-wins", "approvals that the grant demands", "Asks for approvals only if the definition of a tool demands them.",
		granting(func(_ *config.Document, g *protocol.Grant) {
			for i := range g.ApplicationTools {
				g.ApplicationTools[i].RequiresApproval = wire.Some(false)
			}
		})},

	{"dispatch-before-call", "the order of an execution's events", "Asks for the execution of a call before it tells the call.",
		delayed[*protocol.ToolCalled, *protocol.ToolExecutionRequested]()},
	{"tool-output-rewritten", "what a tool answered", "Tells the output of a tool inside an object.",
		onEvent(func(next emitter, done *protocol.ToolCompleted) {
			done.Output = append(append(wire.Raw(`{"output":`), done.Output...), '}')
			next(done)
		})},
	{"second-result-accepted", "second results", "Takes a second result for a call.", func(e *edges) { e.policy.SecondResultAccepted = true }},
	{"tickets-shared", "executions of another subject", "Takes results from every subject.", func(e *edges) { e.policy.TicketsShared = true }},
	{"ticket-grant-unchecked", "the grant of results", "Takes results of every token of the subject.", func(e *edges) { e.policy.TicketGrantUnchecked = true }},
	{"result-ids-unchecked", "results for another call", "Takes a result that names another call or run.", func(e *edges) { e.policy.ResultIDsUnchecked = true }},
	{"mismatch-consumes", "results that are refused", "Takes an execution away when a result for it names another call.",
		func(e *edges) { e.policy.MismatchConsumes = true }},
	{"progress-consumes", "progress of tools", "Takes an execution away when progress is told.", func(e *edges) { e.policy.ProgressConsumes = true }},
	{"tool-progress-not-counted", "progress of tools and the idle timeout", "Does not restart the idle clock when a tool tells progress.",
		func(e *edges) { e.policy.ToolProgressUncounted = true }},
	{"tool-output-unchecked", "output that does not hold to its schema", "Does not hold output to the schema of the tool.",
		func(e *edges) { e.policy.ToolOutputUnchecked = true }},
	{"bad-output-may-be-resent", "what follows output that does not hold", "Lets an application send other output after output that does not hold.",
		func(e *edges) { e.policy.BadOutputResent = true }},
	{"tool-failure-continues", "tools that failed", "Takes the failure of a tool for an output of null.",
		onBody("/v1/tool-executions/results", func(o object) {
			if drop(o, "/error") {
				o["output"] = nil
			}
		})},
	{"output-wins-over-error", "output and failure in one", "Takes the output of a result that has both output and failure.",
		onBody("/v1/tool-executions/results", func(o object) {
			if _, both := o["output"]; both {
				drop(o, "/error")
			}
		})},
	{"null-output-refused", "an output of null", "Takes an output of null for none.",
		onBody("/v1/tool-executions/results", func(o object) {
			if o["output"] == nil {
				drop(o, "/output")
			}
		})},
	{"ticket-outlives-run", "executions of a run that is over", "Keeps an execution open when its run is over.",
		func(e *edges) { e.policy.TicketOutlivesRun = true }},
}

// dropDefinitions drops the definitions of a run, and their names from its
// tools.
func dropDefinitions(o object) {
	tools, _ := o["tools"].([]any)
	each(o, "/applicationTools", func(d object) {
		tools = slices.DeleteFunc(tools, func(name any) bool { return name == d["name"] })
		o["tools"] = tools
	})
	drop(o, "/applicationTools")
}

// keepDefinitions drops the definitions of a run that are not to be kept.
func keepDefinitions(o object, keep func(definition object) bool) {
	list, _ := o["applicationTools"].([]any)
	list = slices.DeleteFunc(list, func(d any) bool {
		one, ok := d.(object)
		return ok && !keep(one)
	})
	if o["applicationTools"] = list; len(list) == 0 {
		drop(o, "/applicationTools")
	}
}

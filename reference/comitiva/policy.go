package comitiva

import (
	"io"
	"net/http"
	"os"
	"syscall"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/reference/comitiva/harness"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
	"github.com/hallmark-kit/hallmark/reference/comitiva/tools"
)

// policy holds the decisions of the runner that are values. Faults put other
// values in their place.
type policy struct {
	signals    []os.Signal                                                      // that stop the runner
	exitCode   func(cause) int                                                  // after stopping
	probeTime  time.Duration                                                    // of connection.test and connection.listModels
	malformed  func(line []byte) string                                         // text of the log event
	version    func(output string) string                                       // of a command-line agent, from its output
	toolName   func(n *tools.Names, slug, tool string) string                   // that the model is offered
	readOnly   func(tools.Tool) bool                                            // whether a tool may run unasked
	gate       func(policy tools.Policy, always []string) tools.Gate            // of a run
	addUsage   func(sum, call provider.Usage) provider.Usage                    // of the model calls of a run
	noServer   func(*tools.StartError) *tools.StartError                        // what becomes of a run whose tool server does not start
	eachCall   func(uses []provider.ToolUse, call func(i int) bool) bool        // false: the run is cancelled
	toolLimits tools.Limits                                                     // of tool servers
	toolEnv    func(launch map[string]string) []string                          // nil: the usual
	toolArgs   func(l tools.Launch, roots []tools.Root) []string                // nil: the usual
	openTool   func(next tools.Opener) tools.Opener                             // how a tool server is started
	adapter    func(provider.Adapter) provider.Adapter                          // every adapter passes through it
	transport  func(http.RoundTripper) http.RoundTripper                        // of provider traffic
	session    func(l tools.Launch, s tools.Session) tools.Session              // every tool session passes through it
	stdin      func(io.Reader) io.Reader                                        // what the line reader reads
	lines      func(next func([]byte)) func([]byte)                             // what is written to stdout
	events     func(next func(protocol.RunnerEvent)) func(protocol.RunnerEvent) // all responses and events
	requests   func(next handler) handler                                       // all valid requests
	refusals   func(next func(refusal)) func(refusal)                           // all invalid requests
}

// malformedText is the whole text of the event for a line that is not JSON: it
// must not repeat any of the line.
const malformedText = "A line that is not valid JSON was ignored."

func defaultPolicy(o Options) policy {
	return policy{
		probeTime:  o.ProbeTime,
		signals:    []os.Signal{syscall.SIGTERM, os.Interrupt},
		exitCode:   func(cause) int { return exitDone },
		malformed:  func([]byte) string { return malformedText },
		version:    harness.FirstLine,
		toolName:   (*tools.Names).Tool,
		readOnly:   tools.Tool.ReadOnly,
		gate:       tools.NewGate,
		addUsage:   provider.Usage.Add,
		noServer:   func(err *tools.StartError) *tools.StartError { return err },
		eachCall:   oneByOne,
		toolLimits: tools.DefaultLimits(),
		openTool:   same[tools.Opener],
		adapter:    same[provider.Adapter],
		transport:  same[http.RoundTripper],
		session:    func(_ tools.Launch, s tools.Session) tools.Session { return s },
		stdin:      same[io.Reader],
		lines:      same[func([]byte)],
		events:     same[func(protocol.RunnerEvent)],
		requests:   same[handler],
		refusals:   same[func(refusal)],
	}
}

func same[T any](v T) T { return v }

func oneByOne(uses []provider.ToolUse, call func(i int) bool) bool {
	for i := range uses {
		if !call(i) {
			return false
		}
	}
	return true
}

// setup is what a runner is made of: its policy, and the parts of itself that
// a fault may need once the runner exists.
type setup struct {
	policy policy
	stderr io.Writer
	runner *server // set before the first line is read
}

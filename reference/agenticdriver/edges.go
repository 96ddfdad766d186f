package agenticdriver

import (
	"net"
	"net/http"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// edges are where a host can be made wrong without touching what lies inside.
// The zero value changes nothing.
type edges struct {
	policy   policy.Policy
	config   func(*config.Document)                                                 // changes the configuration
	handler  func(http.Handler) http.Handler                                        // around the whole host
	route    func(s *server, target string, do route) route                         // around what carries out an operation
	events   func(r *run.Run, next func(protocol.RunEvent)) func(protocol.RunEvent) // between a run and its queue
	refusal  func(shown *failure.Error, cause error) *failure.Error                 // what errors of answers look like
	listener func(net.Listener) net.Listener                                        // of connections
}

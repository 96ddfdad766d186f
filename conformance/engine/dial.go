package engine

import (
	"context"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/transport/stdio"
	"github.com/hallmark-kit/hallmark/conformance/transport/web"
)

// dial starts the target, or goes to where it serves, and returns the connection to it. folder is its working
// directory unless the target names one; env is the whole environment.
func dial(ctx context.Context, t *target.Target, role protocol.Role, folder string, env []string, debug bool, maxLine int) (transport.Conn, error) {
	if role.HTTP != nil && t.URL != "" {
		return web.Reach(t.URL, t.CA)
	}
	spec := stdio.Spec{Command: t.Command, Dir: t.Dir, Env: env, MaxLine: maxLine}
	if debug {
		spec.Command = append(append([]string{}, t.Command...), t.Debug.Args...)
	}
	if spec.Dir == "" {
		spec.Dir = folder
	}
	if role.HTTP != nil {
		return web.Start(ctx, spec, t.CA, t.Bounds.WithDefaults().Start)
	}
	return stdio.Start(spec)
}

package engine

import (
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/transport/stdio"
)

// dial starts the target and returns the connection to it. folder is its working directory unless the target names
// one; env is the whole environment.
func dial(t *target.Target, folder string, env []string, debug bool, maxLine int) (transport.Conn, error) {
	spec := stdio.Spec{Command: t.Command, Dir: t.Dir, Env: env, MaxLine: maxLine}
	if debug {
		spec.Command = append(append([]string{}, t.Command...), t.Debug.Args...)
	}
	if spec.Dir == "" {
		spec.Dir = folder
	}
	return stdio.Start(spec)
}

//go:build !unix

package stdio

import (
	"os"
	"os/exec"

	"github.com/hallmark-kit/hallmark/conformance/transport"
)

func ownGroup(*exec.Cmd) {}

func startChild(cmd *exec.Cmd) error { return cmd.Start() }

func exitOf(s *os.ProcessState) transport.Exit { return transport.Exit{Status: s.ExitCode()} }

func killAll(pid int, _ string, running bool) {
	if p, err := os.FindProcess(pid); running && err == nil {
		_ = p.Kill()
	}
}

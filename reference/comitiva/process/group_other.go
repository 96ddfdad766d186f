//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// Without process groups only the child itself is reached.

func isolate(*exec.Cmd) {}

func busy(error) bool { return false }

func terminateGroup(pid int) { killGroup(pid) }

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

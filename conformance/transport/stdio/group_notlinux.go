//go:build unix && !linux

package stdio

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the child lead a process group, so that a terminal's signals do not reach it and it can be ended
// with everything in the group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func startChild(cmd *exec.Cmd) error { return cmd.Start() }

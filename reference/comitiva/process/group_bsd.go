//go:build unix && !linux

package process

import "syscall"

// dieWithParent does nothing: the system has no such request. The child still
// sees the end of its standard input.
func dieWithParent(*syscall.SysProcAttr) {}

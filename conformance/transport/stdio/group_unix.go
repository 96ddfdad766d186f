//go:build unix

package stdio

import (
	"os"
	"syscall"

	"github.com/hallmark-kit/hallmark/conformance/transport"
)

var signalNames = map[syscall.Signal]string{
	syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
	syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGKILL: "SIGKILL", syscall.SIGUSR1: "SIGUSR1", syscall.SIGSEGV: "SIGSEGV", syscall.SIGUSR2: "SIGUSR2",
	syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM",
}

func exitOf(s *os.ProcessState) transport.Exit {
	status, ok := s.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		name := signalNames[status.Signal()]
		if name == "" {
			name = "SIG" + status.Signal().String()
		}
		return transport.Exit{Status: -1, Signal: name}
	}
	return transport.Exit{Status: s.ExitCode()}
}

// killAll ends the group of the child and all descendants that carry the marker. A few rounds catch what is started
// meanwhile.
func killAll(pid int, marker string, running bool) {
	for range 4 {
		left := descendants(pid, marker, running)
		// The number of a group that still has members is not given to a new process. So once the child has been
		// reaped, a process with its number means that the group is empty and the number belongs to somebody else.
		if running || syscall.Kill(pid, 0) == syscall.ESRCH {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		}
		for _, p := range left {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		if len(left) == 0 {
			return
		}
	}
}

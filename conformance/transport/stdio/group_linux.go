package stdio

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// ownGroup makes the child lead a process group, so that a terminal's signals do not reach it and it can be ended
// with everything in the group. A child whose kit was killed does not live on.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// starter is a thread that starts all children and never ends: the system takes the end of the thread that started a
// child for the end of its parent.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// startChild starts the child.
func startChild(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	starter() <- func() { result <- cmd.Start() }
	return <-result
}

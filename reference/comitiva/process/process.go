package process

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Child is a started process.
type Child struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start starts cmd as the leader of a new process group. The standard streams
// of cmd must be files or nil.
func Start(cmd *exec.Cmd) (*Child, error) {
	isolate(cmd)
	c := &Child{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The death signal of the parent is bound to the thread that started
		// the child: it must live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := begin(cmd)
		started <- err
		if err != nil {
			return
		}
		c.err = cmd.Wait()
		killGroup(cmd.Process.Pid)
		close(c.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

// A file that was written a moment ago may still be open for writing in a child
// of whoever wrote it, until that child has begun: it cannot be executed then.
const (
	busyAttempts = 20
	busyPause    = 5 * time.Millisecond
)

func begin(cmd *exec.Cmd) error {
	fresh := *cmd
	for attempt := 1; ; attempt++ {
		err := cmd.Start()
		if !busy(err) || attempt == busyAttempts {
			return err
		}
		time.Sleep(busyPause)
		*cmd = fresh
	}
}

// PID is the process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Done is closed when the process has ended and its group is gone.
func (c *Child) Done() <-chan struct{} { return c.done }

// Wait waits for the end of the process; the error is that of exec.Cmd.Wait.
func (c *Child) Wait() error {
	<-c.done
	return c.err
}

// State is how the process ended, once Done is closed.
func (c *Child) State() *os.ProcessState { return c.cmd.ProcessState }

// Stop waits grace for the process to end by itself, asks its group to end and
// waits grace again, then kills the group. It returns when the process is gone.
// When ctx ends first, the group is killed at once.
func (c *Child) Stop(ctx context.Context, grace time.Duration) {
	if c.await(ctx, grace) {
		return
	}
	if ctx.Err() == nil {
		terminateGroup(c.PID())
		if c.await(ctx, grace) {
			return
		}
	}
	c.Kill()
}

// Kill kills the group and returns when the process is gone.
func (c *Child) Kill() {
	select {
	case <-c.done:
	default:
		killGroup(c.PID())
		<-c.done
	}
}

func (c *Child) await(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-c.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

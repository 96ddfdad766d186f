//go:build unix

package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// family starts a shell that starts a child of its own between two parts of a
// script, and returns both ids.
func family(t *testing.T, before, script string) (*Child, int) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", before+"sleep 600 & echo $!; "+script)
	cmd.Stdout = w
	c, err := Start(cmd)
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Kill)
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return c, grandchild
}

// gone waits until a process is no more, or a zombie that nobody has waited for.
func gone(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("process %d is still there", pid)
		}
	}
}

func TestStopEndsTheWholeFamily(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		name, before, script string
		ctx                  context.Context
		grace                time.Duration
		signal               syscall.Signal // that ended the process; 0: it ended by itself
	}{
		{"ends by itself", "", "exit 0", context.Background(), time.Minute, 0},
		{"ends when asked", "", "wait", context.Background(), time.Millisecond, syscall.SIGTERM},
		{"ends only when killed", "trap '' TERM; ", "while :; do sleep 1; done", context.Background(), time.Millisecond, syscall.SIGKILL},
		{"no time left", "", "wait", ended, time.Minute, syscall.SIGKILL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, grandchild := family(t, tt.before, tt.script)
			c.Stop(tt.ctx, tt.grace)
			_ = c.Wait()
			status, ok := c.State().Sys().(syscall.WaitStatus)
			if !ok {
				t.Fatal("no wait status")
			}
			if status.Exited() != (tt.signal == 0) || tt.signal != 0 && status.Signal() != tt.signal {
				t.Errorf("ended with %v", c.State())
			}
			gone(t, grandchild)
		})
	}
}

func TestGrandchildrenDoNotOutliveAChildThatEnds(t *testing.T) {
	c, grandchild := family(t, "", "exit 3")
	if err := c.Wait(); err == nil || c.State().ExitCode() != 3 {
		t.Errorf("ended with %v, %v", err, c.State())
	}
	gone(t, grandchild)
}

func TestStartOfWhatIsNotThere(t *testing.T) {
	if _, err := Start(&exec.Cmd{Path: "/no/such/file"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestBusyFileIsTriedAgain(t *testing.T) {
	path := t.TempDir() + "/script"
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	released := make(chan struct{})
	go func() {
		_ = f.Close()
		close(released)
	}()
	c, err := Start(&exec.Cmd{Path: path, Args: []string{path}})
	if err != nil {
		t.Fatalf("a file that is busy for a moment could not be started: %v", err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	<-released
}

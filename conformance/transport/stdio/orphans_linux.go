package stdio

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopting tells that processes whose parent has ended become children of this one.
var adopting atomic.Bool

// AdoptOrphans makes this process the parent of everything that targets leave behind, however well it hides: what
// detaches itself with an environment of its own is ended too, once no target is left that may have started it. It is
// for programs that do nothing but test: children of this process in process groups of their own that are not targets
// are ended as well.
func AdoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("this process cannot adopt what targets leave behind: %w", err)
	}
	adopting.Store(true)
	return nil
}

// targets are the connections that are open: when their processes were started, and the number of each.
var targets = struct {
	sync.Mutex // also held while a child is started: until it is noted here it looks like an orphan
	open       map[*Process]started
}{open: make(map[*Process]started)}

type started struct {
	pid  int
	tick uint64
}

// startNoted starts the child of the connection and notes it.
func startNoted(p *Process) error {
	targets.Lock()
	defer targets.Unlock()
	if err := startChild(p.cmd); err != nil {
		return err
	}
	one, _ := read(strconv.Itoa(p.cmd.Process.Pid))
	targets.open[p] = started{p.cmd.Process.Pid, one.started}
	return nil
}

// buryOrphans notes that the connection is closed, and ends all adopted processes that no open one can have started.
func buryOrphans(p *Process) {
	targets.Lock()
	defer targets.Unlock()
	delete(targets.open, p)
	for range 8 { // what an orphan started is adopted in turn
		if !adopting.Load() || endOrphans() == 0 {
			return
		}
	}
}

// endOrphans ends those that are there now and tells how many were running.
func endOrphans() int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	self, group, ended := os.Getpid(), syscall.Getpgrp(), 0
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		one, ok := read(e.Name())
		if !ok || one.parent != self || one.group == group || claimed(id, one.started) {
			continue
		}
		if !one.dead {
			ended++
			_ = syscall.Kill(id, syscall.SIGKILL)
		}
		go func() { _, _ = syscall.Wait4(id, nil, 0, nil) }() // nobody else collects it
	}
	return ended
}

// claimed tells whether the process is a target or may have been started by one.
func claimed(id int, tick uint64) bool {
	for _, t := range targets.open {
		if t.pid == id || t.tick <= tick {
			return true
		}
	}
	return false
}

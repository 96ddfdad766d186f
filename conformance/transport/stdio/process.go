package stdio

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/transport"
)

// Spec is what to start.
type Spec struct {
	Command []string // program and arguments
	Dir     string   // working directory
	Env     []string // the whole environment
	MaxLine int      // bytes of the longest line that is read
}

// Marker is the environment variable by which processes that a target started are found again when they have left
// its process group.
const Marker = "HALLMARK_CONNECTION"

// When a process has ended, its descendants may hold its output open for ever. So reading goes on until nothing has
// come for a while, and not much longer even if something does.
const (
	drain    = 250 * time.Millisecond
	drainAll = 3 * time.Second
)

// Process is a running target.
type Process struct {
	cmd      *exec.Cmd
	marker   string
	events   chan transport.Event
	released chan struct{}
	once     sync.Once
	received atomic.Int64
	unended  begun
	writer   *writer
	reaped   atomic.Bool
	done     chan struct{} // closed when Ended has been sent, or nobody takes events any more
}

var _ transport.Conn = (*Process)(nil)

// Start starts the process. The error says that it could not be started.
func Start(spec Spec) (*Process, error) {
	p := &Process{
		marker:   Marker + "=" + rand.Text(),
		events:   make(chan transport.Event, 64),
		released: make(chan struct{}),
		done:     make(chan struct{}),
	}
	p.cmd = exec.Command(spec.Command[0], spec.Command[1:]...)
	p.cmd.Dir = spec.Dir
	p.cmd.Env = append(append([]string{}, spec.Env...), p.marker)
	ownGroup(p.cmd)

	var pipes [6]*os.File // pairs: read end, write end of stdin, stdout, stderr
	closeAll := func() {
		for _, f := range pipes {
			if f != nil {
				_ = f.Close()
			}
		}
	}
	for i := 0; i < len(pipes); i += 2 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll()
			return nil, fmt.Errorf("a pipe to the target: %w", err)
		}
		pipes[i], pipes[i+1] = r, w
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = pipes[0], pipes[3], pipes[5]
	if err := startNoted(p); err != nil {
		closeAll()
		return nil, err
	}
	for _, f := range []*os.File{pipes[0], pipes[3], pipes[5]} {
		_ = f.Close() // the child has its own
	}
	p.writer = newWriter(pipes[1], func() { p.emit(transport.Event{Kind: transport.Unwanted}) })

	var reading sync.WaitGroup
	stdout, stderr := &output{file: pipes[2]}, &output{file: pipes[4]}
	reading.Go(func() { p.readLines(stdout, spec.MaxLine) })
	reading.Go(func() { p.readErrors(stderr) })
	go p.wait(&reading, stdout, stderr)
	return p, nil
}

// wait reports the end of the process after everything that it wrote.
func (p *Process) wait(reading *sync.WaitGroup, outputs ...*output) {
	defer close(p.done)
	_ = p.cmd.Wait() // how it ended is read from the state
	p.reaped.Store(true)
	p.writer.abandon()
	for _, o := range outputs {
		o.last()
	}
	reading.Wait()
	for _, o := range outputs {
		_ = o.file.Close()
	}
	p.emit(transport.Event{Kind: transport.Ended, Exit: exitOf(p.cmd.ProcessState)})
}

// emit hands an event over, unless nobody takes events any more.
func (p *Process) emit(e transport.Event) {
	e.At = time.Now()
	select {
	case p.events <- e:
	case <-p.released:
	}
}

// Events implements transport.Conn.
func (p *Process) Events() <-chan transport.Event { return p.events }

// Received implements transport.Conn.
func (p *Process) Received() int64 { return p.received.Load() }

// Write implements transport.Conn.
func (p *Process) Write(chunks [][]byte) { p.writer.write(chunks) }

// CloseInput implements transport.Conn.
func (p *Process) CloseInput() { p.writer.close() }

var signals = map[string]syscall.Signal{
	"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP, "SIGKILL": syscall.SIGKILL,
}

// Signal implements transport.Conn.
func (p *Process) Signal(name string) error {
	s, ok := signals[name]
	if !ok {
		return fmt.Errorf("there is no signal %s", name)
	}
	return p.cmd.Process.Signal(s)
}

// Kill implements transport.Conn.
func (p *Process) Kill() { killAll(p.cmd.Process.Pid, p.marker, !p.reaped.Load()) }

// Release implements transport.Conn.
func (p *Process) Release() {
	p.once.Do(func() {
		close(p.released)
		if !p.reaped.Load() {
			p.Kill()
		}
		select {
		case <-p.done:
			p.Kill() // what it left behind
			p.writer.wait()
		case <-time.After(transport.Unkillable):
		}
		buryOrphans(p)
	})
}

// Arguments returns the command lines of the target and of everything it started, as far as the system tells.
func (p *Process) Arguments() []string { return commandLines(p.cmd.Process.Pid, p.marker) }

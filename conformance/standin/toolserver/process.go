package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/signal"
	"sync"
	"syscall"

	"github.com/hallmark-kit/hallmark/conformance/standin/channel"
)

// Main is the process half. args are the arguments after "tool-server"; besides what [Control.Args] gives, anything
// may be there, since whoever starts tool servers may append arguments of its own. It returns the exit status, with
// which the caller must exit at once: the script's, 0 when the client closed the input, or one of package channel.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	conn, _, status := channel.Call(args, stderr)
	if status != 0 {
		return status
	}
	defer conn.Close()
	b := &body{conn: conn, stdin: &watched{r: stdin, ended: make(chan struct{})}, stdout: stdout,
		exit: make(chan int, 1), waiting: map[int]chan *act{}}
	var first toProcess
	if conn.Receive(&first) != nil || first.Begin == nil {
		_, _ = fmt.Fprintln(stderr, "stand-in: the kit closed the control channel")
		return channel.ExitLost
	}
	b.begin = first.Begin
	go b.listen()
	if b.begin.Stubborn {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	}
	go func() {
		if code := b.run(stderr); !b.begin.Stubborn {
			b.leave(code)
		} // else it stays until the kit goes
	}()
	return <-b.exit
}

// body is the state of a running process.
type body struct {
	begin  *begin
	conn   *channel.Conn
	stdin  *watched
	stdout io.Writer
	exit   chan int

	mu      sync.Mutex
	calls   int
	waiting map[int]chan *act
}

// leave ends the process with the status; the first one counts.
func (b *body) leave(status int) {
	select {
	case b.exit <- status:
	default:
	}
}

// listen hands acts to the calls that wait for them; when the kit is gone, so is the process.
func (b *body) listen() {
	for {
		var m toProcess
		if b.conn.Receive(&m) != nil {
			b.leave(channel.ExitLost)
			return
		}
		if m.Act == nil {
			continue
		}
		b.mu.Lock()
		waiting := b.waiting[m.Act.ID]
		b.mu.Unlock()
		if waiting != nil {
			waiting <- m.Act // has room: one act a call
		}
	}
}

// run does what the kit said until the client is done.
func (b *body) run(stderr io.Writer) int {
	switch r := b.begin.Refuse; {
	case r == nil:
		b.serve(context.Background())
	case r.Hang:
		_, _ = io.Copy(io.Discard, b.stdin)
	default:
		_, _ = io.WriteString(stderr, r.Stderr)
		return *r.Exit
	}
	return 0
}

// await asks the kit what becomes of a call. It returns nil when there is nothing to answer: the call was cancelled,
// or the client is gone.
func (b *body) await(ctx context.Context, tool string, arguments json.RawMessage) *act {
	b.mu.Lock()
	b.calls++
	r := &request{ID: b.calls, Tool: tool, Arguments: arguments}
	waiting := make(chan *act, 1)
	b.waiting[r.ID] = waiting
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.waiting, r.ID)
	}()
	b.conn.Send(fromProcess{Call: r})
	select {
	case a := <-waiting:
		if a.Crash != nil {
			b.leave(a.Crash.Status)
			select {} // the process is about to end; the call must not be answered
		}
		return a
	case <-ctx.Done():
		b.conn.Send(fromProcess{Cancelled: &r.ID})
	case <-b.stdin.ended:
	}
	return nil
}

// watched is an input that tells when it ended.
type watched struct {
	r     io.Reader
	once  sync.Once
	ended chan struct{}
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil {
		w.once.Do(func() { close(w.ended) })
	}
	return n, err
}

// Close does nothing: the input is the process's own.
func (w *watched) Close() error { return nil }

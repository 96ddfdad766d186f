package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Exit statuses of [Main] beside those that a script asks for.
const (
	exitHeld  = 0 // the client closed the input
	exitUsage = 2 // the command line does not say where the kit is
	exitLost  = 3 // the kit could not be reached or is gone
)

// dialBound is how long a process tries to reach the kit, which listens on the same machine.
const dialBound = 10 * time.Second

// Main is the process half. args are the arguments after "tool-server"; besides --control and --name, which
// [Control.Args] gives, anything may be there, since whoever starts tool servers may append arguments of its own. It
// returns the exit status; the caller must exit with it at once.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	address, extra := parse(args)
	host, token, ok := strings.Cut(address, "/")
	if !ok {
		_, _ = fmt.Fprintln(stderr, "tool server stand-in: expected --control ADDRESS; this command is started by the kit, not by hand")
		return exitUsage
	}
	conn, err := net.DialTimeout("tcp", host, dialBound)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "tool server stand-in: the kit does not listen any more:", err)
		return exitLost
	}
	defer func() { _ = conn.Close() }()
	b := &body{out: &lines{w: conn}, stdin: &watched{r: stdin, ended: make(chan struct{})}, stdout: stdout,
		exit: make(chan int, 1), waiting: map[int]chan *act{}}
	b.out.send(fromProcess{Hello: &hello{token, Started{PID: os.Getpid(), Argv: os.Args, Extra: extra, Env: environment(), Cwd: directory()}}})
	in := json.NewDecoder(conn)
	var first toProcess
	if in.Decode(&first) != nil || first.Begin == nil {
		_, _ = fmt.Fprintln(stderr, "tool server stand-in: the kit closed the control channel")
		return exitLost
	}
	b.begin = first.Begin
	go b.listen(in)
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

// parse finds the address of the kit; extra is everything that is not ours.
func parse(args []string) (address string, extra []string) {
	extra = []string{}
	ours := map[string]*string{"--control": &address, "--name": new(string)}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		into := ours[name]
		switch {
		case into == nil || *into != "":
			extra = append(extra, args[i])
		case joined:
			*into = value
		case i+1 < len(args):
			i++
			*into = args[i]
		}
	}
	return address, extra
}

func environment() map[string]string {
	out := map[string]string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		out[name] = value
	}
	return out
}

func directory() string {
	dir, err := os.Getwd()
	if err != nil {
		return "" // removed while we run there
	}
	return dir
}

// body is the state of a running process.
type body struct {
	begin  *begin
	out    *lines
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
func (b *body) listen(in *json.Decoder) {
	for {
		var m toProcess
		if in.Decode(&m) != nil {
			b.leave(exitLost)
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
	return exitHeld
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
	b.out.send(fromProcess{Call: r})
	select {
	case a := <-waiting:
		if a.Crash != nil {
			b.leave(a.Crash.Status)
			select {} // the process is about to end; the call must not be answered
		}
		return a
	case <-ctx.Done():
		b.out.send(fromProcess{Cancelled: &r.ID})
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

// Package channel joins the two halves of a stand-in that the implementation under test starts as a process: the
// kit listens on the loopback interface, the process calls, and both exchange one JSON object a line.
//
// An address carries a token, so that nobody but a process that was given the address is served. When the channel
// ends, for whatever reason, a process has to exit: nothing outlives the kit.
package channel

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// Exit statuses that every process half has.
const (
	ExitUsage = 2 // the command line does not say where the kit is
	ExitLost  = 3 // the kit could not be reached or is gone
)

// Process is how a process was started.
type Process struct {
	PID   int               `json:"pid"`
	Argv  []string          `json:"argv"`  // the whole command line
	Extra []string          `json:"extra"` // its arguments without those of the kit, in order
	Env   map[string]string `json:"env"`   // the whole environment
	Cwd   string            `json:"cwd"`
}

// hello is the first line of a process.
type hello struct {
	Token   string  `json:"token"`
	Process Process `json:"process"`
}

// Conn is one end of a channel. Send may be used from several goroutines, Receive from one.
type Conn struct {
	conn net.Conn
	in   *json.Decoder
	mu   sync.Mutex
}

func newConn(c net.Conn) *Conn { return &Conn{conn: c, in: json.NewDecoder(c)} }

// Send writes one line. That the other side is gone is for Receive to notice.
func (c *Conn) Send(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic("stand-in channel: " + err.Error()) // our own types always have a JSON form
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.conn.Write(append(data, '\n'))
}

// Receive reads one line. After an error the channel is of no more use.
func (c *Conn) Receive(into any) error { return c.in.Decode(into) }

// Listener is the kit's side. Close it when done.
type Listener struct {
	net     net.Listener
	token   string
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Listen begins to serve processes: for each, serve is called in its own goroutine, with a context that ends when
// the listener is closed; a channel that ends while the context does not has lost its process. The channel is closed
// when serve returns.
func Listen(serve func(context.Context, *Conn, Process)) (*Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Listener{net: listener, token: rand.Text()}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.running.Go(func() { l.accept(serve) })
	return l, nil
}

// accept serves every process that calls, until the listener is closed. Should accepting fail for another reason,
// nobody is left waiting: further processes find nobody.
func (l *Listener) accept(serve func(context.Context, *Conn, Process)) {
	defer func() { _ = l.net.Close() }()
	for {
		conn, err := l.net.Accept()
		if err != nil {
			return
		}
		l.running.Go(func() {
			defer func() { _ = conn.Close() }()
			defer context.AfterFunc(l.ctx, func() { _ = conn.Close() })()
			c := newConn(conn)
			var first hello
			if c.Receive(&first) == nil && first.Token == l.token {
				serve(l.ctx, c, first.Process)
			}
		})
	}
}

// Address is what a process needs to call: host, port and token.
func (l *Listener) Address() string { return l.net.Addr().String() + "/" + l.token }

// Close ends all channels and returns when no serve function runs any more.
func (l *Listener) Close() error {
	l.cancel()
	err := l.net.Close()
	l.running.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil // closed before
	}
	return err
}

// dialBound is how long a process tries to reach the kit, which listens on the same machine.
const dialBound = 10 * time.Second

// Call is the first thing that a process half does: it reads the kit's address from args (--control ADDRESS --name
// NAME, anywhere; everything else is extra), calls the kit and introduces the process. When that fails it explains
// itself on stderr and status is not zero.
func Call(args []string, stderr io.Writer) (c *Conn, extra []string, status int) {
	address, extra := parse(args)
	host, token, ok := strings.Cut(address, "/")
	if !ok {
		_, _ = fmt.Fprintln(stderr, "stand-in: expected --control ADDRESS; this command is started by the kit, not by hand")
		return nil, nil, ExitUsage
	}
	conn, err := net.DialTimeout("tcp", host, dialBound)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "stand-in: the kit does not listen any more:", err)
		return nil, nil, ExitLost
	}
	c = newConn(conn)
	c.Send(hello{token, Process{PID: os.Getpid(), Argv: os.Args, Extra: extra, Env: environment(), Cwd: directory()}})
	return c, extra, 0
}

// Close ends the channel.
func (c *Conn) Close() { _ = c.conn.Close() }

// Arguments is what makes a process call the address, see [Call].
func Arguments(address, name string) []string {
	return []string{"--control", address, "--name", name}
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

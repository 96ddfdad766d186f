package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hallmark-kit/hallmark/conformance/standin/channel"
	"github.com/hallmark-kit/hallmark/conformance/standin/gate"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
)

// Kinds of events, see the package comment.
const (
	KindStarted    = "started"    // detail: *Started
	KindStdin      = "stdin"      // detail: *Stdin
	KindWaiting    = "waiting"    // detail: *Waiting
	KindGrandchild = "grandchild" // detail: *Ended
	KindSignal     = "signal"     // detail: *Signal
	KindExhausted  = "exhausted"  // detail: *Ended
	KindExited     = "exited"     // detail: *Ended
)

// Started is an invocation; Extra is the arguments that the host gave.
type Started struct {
	Spawn int `json:"spawn"` // 1, 2, 3 … in the order in which processes called the kit
	channel.Process
}

// Stdin is the standard input of an invocation.
type Stdin struct {
	Spawn int    `json:"spawn"`
	Text  string `json:"text"`
}

// Waiting is an invocation that waits at a gate.
type Waiting struct {
	Spawn int    `json:"spawn"`
	Gate  string `json:"gate"`
}

// Signal is a signal that an invocation got.
type Signal struct {
	Spawn  int    `json:"spawn"`
	Signal string `json:"signal"` // as the system describes it, such as terminated
}

// Ended tells which process an event is about.
type Ended struct {
	Spawn      int  `json:"spawn"`
	PID        int  `json:"pid"`
	Grandchild bool `json:"grandchild,omitempty"` // it is not the invocation itself but the process that it started
	Scripted   bool `json:"scripted,omitempty"`   // exited: as the script says
}

// Options places an agent among the other stand-ins of a scenario. All but Command have defaults.
type Options struct {
	Name     string           // name in events and of the executable file, default agent
	Recorder *record.Recorder // where events go
	Gates    *gate.Set        // where invocations wait
	Command  []string         // how to start the process half, up to where Main's arguments begin
}

// Agent is the kit's half of a command-line agent. Close it when done.
type Agent struct {
	script   Script
	options  Options
	dir      string
	listener *channel.Listener

	mu     sync.Mutex
	spawns int
	used   []int
}

// Start validates the script, installs an executable file and begins to wait for invocations of it.
func Start(s Script, o Options) (*Agent, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = "agent"
	}
	if o.Recorder == nil {
		o.Recorder = record.New()
	}
	if o.Gates == nil {
		o.Gates = gate.New()
	}
	a := &Agent{script: s, options: o, used: make([]int, len(s.Answers))}
	var err error
	a.listener, err = channel.Listen(func(ctx context.Context, conn *channel.Conn, started channel.Process) {
		(&invocation{agent: a, conn: conn, stdin: make(chan string, 1)}).serve(ctx, started)
	})
	if err != nil {
		return nil, fmt.Errorf("agent stand-in: %w", err)
	}
	if err := a.install(); err != nil {
		_ = a.Close() // the first error is the one to report
		return nil, fmt.Errorf("agent stand-in: installing the executable: %w", err)
	}
	return a, nil
}

// install writes the file that starts the process half: a host runs a path, not a command line.
func (a *Agent) install() error {
	var err error
	if a.dir, err = os.MkdirTemp("", "hallmark-agent-"); err != nil {
		return err
	}
	var line strings.Builder
	for _, word := range slices.Concat(a.options.Command, channel.Arguments(a.listener.Address(), a.options.Name)) {
		line.WriteString(" '" + strings.ReplaceAll(word, "'", `'\''`) + "'")
	}
	return os.WriteFile(a.Path(), []byte("#!/bin/sh\nexec"+line.String()+` -- "$@"`+"\n"), 0o700)
}

// Path is the absolute path of the executable file.
func (a *Agent) Path() string { return filepath.Join(a.dir, a.options.Name) }

// Recorder is where the agent's events go.
func (a *Agent) Recorder() *record.Recorder { return a.options.Recorder }

// Gates is where invocations wait.
func (a *Agent) Gates() *gate.Set { return a.options.Gates }

// Close ends all processes, removes the executable file and returns when nothing of the kit's half runs on.
func (a *Agent) Close() error {
	err := a.listener.Close()
	if a.dir != "" {
		if e := os.RemoveAll(a.dir); err == nil {
			err = e
		}
	}
	return err
}

func (a *Agent) record(kind string, detail any) {
	a.options.Recorder.Record(a.options.Name, kind, detail)
}

// invocation is one running process as the kit sees it.
type invocation struct {
	agent   *Agent
	conn    *channel.Conn
	spawn   int
	args    []string
	stdin   chan string // the whole input, once it is read
	running sync.WaitGroup

	// Of play alone:
	input    *string // what came from stdin
	scripted bool    // its end is the script's doing
}

// serve talks to the process until it is gone.
func (v *invocation) serve(open context.Context, started channel.Process) {
	a := v.agent
	if len(started.Extra) > 0 && started.Extra[0] == grandchildMark {
		v.grandchild(open, started)
		return
	}
	if len(started.Extra) > 0 && started.Extra[0] == "--" { // ends the launcher's own arguments
		started.Extra = started.Extra[1:]
	}
	v.args = started.Extra
	a.mu.Lock()
	a.spawns++
	v.spawn = a.spawns
	a.record(KindStarted, &Started{v.spawn, started})
	a.mu.Unlock()

	ctx, cancel := context.WithCancel(open)
	v.running.Go(func() { v.play(ctx, started.PID) })
	for {
		var m fromProcess
		if v.conn.Receive(&m) != nil {
			break
		}
		switch {
		case m.Stdin != nil:
			a.record(KindStdin, &Stdin{v.spawn, *m.Stdin})
			v.stdin <- *m.Stdin // has room: it comes once
		case m.Signal != "":
			a.record(KindSignal, &Signal{v.spawn, m.Signal})
		}
	}
	cancel()
	v.running.Wait()
	if open.Err() == nil {
		a.record(KindExited, &Ended{Spawn: v.spawn, PID: started.PID, Scripted: v.scripted})
	}
}

// grandchild records that a process of a process lives, until it does not.
func (v *invocation) grandchild(open context.Context, started channel.Process) {
	about := Ended{PID: started.PID, Grandchild: true}
	if len(started.Extra) > 1 {
		about.Spawn, _ = strconv.Atoi(started.Extra[1]) // as the kit told its parent
	}
	v.agent.record(KindGrandchild, &about)
	var none any
	for v.conn.Receive(&none) == nil {
	}
	if open.Err() == nil {
		v.agent.record(KindExited, &about)
	}
}

// read waits for the whole standard input; false: ctx ended first.
func (v *invocation) read(ctx context.Context) bool {
	if v.input != nil {
		return true
	}
	select {
	case text := <-v.stdin:
		v.input = &text
		return true
	case <-ctx.Done():
		return false
	}
}

// take finds the answer for the invocation and uses it; nil: none is left.
func (v *invocation) take(ctx context.Context) *Answer {
	a := v.agent
	if a.script.Version != "" && slices.Contains(v.args, "--version") {
		return &Answer{Output: []Line{{Out: a.script.Version}}}
	}
	for i := range a.script.Answers {
		if w := a.script.Answers[i].When; w != nil && w.Stdin != "" && w.suits(v.args) && !v.read(ctx) {
			return nil
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.script.Answers {
		answer := &a.script.Answers[i]
		if (answer.Always || a.used[i] < max(1, answer.Times)) && answer.When.suits(v.args) &&
			(answer.When == nil || answer.When.Stdin == "" || strings.Contains(*v.input, answer.When.Stdin)) {
			a.used[i]++
			return answer
		}
	}
	return nil
}

// statusExhausted is how a process exits for which there is no answer.
const statusExhausted = 70

// play tells the process what to do.
func (v *invocation) play(ctx context.Context, pid int) {
	answer := v.take(ctx)
	if ctx.Err() != nil {
		return
	}
	if answer == nil {
		v.agent.record(KindExhausted, &Ended{Spawn: v.spawn, PID: pid})
		v.conn.Send(toProcess{Write: &output{Err: "stand-in: the script has no answer left for this invocation\n"}})
		v.exit(statusExhausted)
		return
	}
	if answer.Stubborn {
		v.conn.Send(toProcess{Stubborn: true})
	}
	if answer.Grandchild {
		v.conn.Send(toProcess{Grandchild: v.spawn})
	}
	if answer.Read && !v.read(ctx) {
		return
	}
	for _, line := range answer.Output {
		if line.Wait != "" {
			v.agent.record(KindWaiting, &Waiting{v.spawn, line.Wait})
			if v.agent.options.Gates.Wait(ctx, line.Wait) != nil {
				return
			}
		}
		if w := line.write(); w != nil {
			v.conn.Send(toProcess{Write: w})
		}
	}
	if !answer.Hang {
		v.exit(answer.Exit)
	}
}

// exit tells the process to exit.
func (v *invocation) exit(status int) {
	v.scripted = true
	v.conn.Send(toProcess{Exit: &status})
}

package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"syscall"

	"github.com/hallmark-kit/hallmark/conformance/standin/channel"
)

// fromProcess is a line from the process: exactly one member is set.
type fromProcess struct {
	Stdin  *string `json:"stdin,omitempty"`
	Signal string  `json:"signal,omitempty"`
}

// toProcess is a line to the process: exactly one member is set.
type toProcess struct {
	Stubborn   bool    `json:"stubborn,omitempty"`
	Grandchild int     `json:"grandchild,omitempty"` // start one, for the invocation of this number
	Write      *output `json:"write,omitempty"`
	Exit       *int    `json:"exit,omitempty"`
}

// output is text to write.
type output struct {
	Out string `json:"out,omitempty"`
	Err string `json:"err,omitempty"`
}

// grandchildMark, as the first argument, makes the process half a grandchild.
const grandchildMark = "--grandchild"

// Main is the process half. args are the arguments after those of Options.Command. It returns the exit status, with
// which the caller must exit at once: the script's, 128 and the number of a signal, or one of package channel.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	conn, extra, status := channel.Call(args, stderr)
	if status != 0 {
		return status
	}
	defer conn.Close()
	if len(extra) > 0 && extra[0] == grandchildMark {
		var none any
		for conn.Receive(&none) == nil {
		}
		return channel.ExitLost // or, as intended, a signal ends it
	}
	exit := make(chan int, 1)
	leave := func(status int) {
		select {
		case exit <- status:
		default: // the first one counts
		}
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	stubborn := make(chan struct{})
	go func() {
		for s := range signals {
			conn.Send(fromProcess{Signal: s.String()})
			select {
			case <-stubborn:
			default:
				number, _ := s.(syscall.Signal)
				leave(128 + int(number))
			}
		}
	}()
	go func() {
		text, _ := io.ReadAll(stdin) // what could be read counts
		whole := string(text)
		conn.Send(fromProcess{Stdin: &whole})
	}()
	go func() {
		for {
			var m toProcess
			if conn.Receive(&m) != nil {
				leave(channel.ExitLost)
				return
			}
			switch {
			case m.Stubborn:
				close(stubborn) // it comes once
			case m.Grandchild != 0:
				if err := bear(args, m.Grandchild); err != nil {
					_, _ = fmt.Fprintln(stderr, "stand-in: starting a grandchild:", err)
				}
			case m.Write != nil:
				_, _ = io.WriteString(stdout, m.Write.Out) // a host that does not read is what it is
				_, _ = io.WriteString(stderr, m.Write.Err)
			case m.Exit != nil:
				leave(*m.Exit)
			}
		}
	}()
	return <-exit
}

// bear starts a grandchild: this command again, in the same process group, with the same output. args are Main's
// arguments, which end the command line that started us.
func bear(args []string, spawn int) error {
	before := len(os.Args) - len(args)
	ours := args
	if i := slices.Index(args, "--"); i >= 0 {
		ours = args[:i]
	}
	line := slices.Concat(os.Args[1:before], ours, []string{grandchildMark, strconv.Itoa(spawn)})
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(executable, line...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Start() // never waited for: it outlives us, that is its purpose
}

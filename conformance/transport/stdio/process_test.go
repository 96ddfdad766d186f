//go:build linux || darwin

package stdio

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/transport"
)

func TestMain(m *testing.M) {
	switch os.Getenv("HALLMARK_STDIO_CHILD") {
	case "":
		os.Exit(m.Run())
	case "echo":
		buffer := make([]byte, 1<<16)
		for {
			n, err := os.Stdin.Read(buffer)
			_, _ = os.Stdout.Write(buffer[:n])
			if err != nil {
				os.Exit(5)
			}
		}
	case "stderr":
		fmt.Fprint(os.Stderr, "oops")
		fmt.Print("no line end")
	case "deaf": // never reads, never ends by itself
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("here")
		for {
			time.Sleep(time.Hour) // until it is killed
		}
	case "holder": // leaves a child that keeps the output open
		child := exec.Command("/bin/sh", "-c", "echo $$; sleep 600")
		child.Stdout = os.Stdout
		_ = child.Start()
	case "flood":
		for {
			fmt.Println("and so on")
		}
	}
}

// patience only ends a hang.
const patience = time.Minute

func start(t *testing.T, child string, maxLine int) *Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(Spec{Command: []string{self}, Env: append(os.Environ(), "HALLMARK_STDIO_CHILD="+child), MaxLine: maxLine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Release)
	return p
}

// next takes the next event within a bound.
func next(t *testing.T, p *Process) transport.Event {
	t.Helper()
	select {
	case e := <-p.Events():
		return e
	case <-time.After(patience):
		t.Fatal("nothing happened")
		panic("unreachable")
	}
}

func TestLinesGoForthAndBackUntilTheInputEnds(t *testing.T) {
	p := start(t, "echo", 100)
	p.Write([][]byte{[]byte("on"), []byte("e\r\n\ntw"), []byte("o\nrest")})
	p.CloseInput()
	var got []string
	for {
		e := next(t, p)
		if e.Kind == transport.Ended {
			if e.Exit != (transport.Exit{Status: 5}) {
				t.Errorf("it ended with %+v", e.Exit)
			}
			break
		}
		got = append(got, fmt.Sprintf("%d %q", e.Kind, e.Data))
	}
	if want := `0 "one\r"|0 ""|0 "two"|1 "rest"`; strings.Join(got, "|") != want {
		t.Errorf("got %s", strings.Join(got, "|"))
	}
	if p.Received() != int64(len("one\r\n\ntwo\nrest")) {
		t.Errorf("%d bytes", p.Received())
	}
}

func TestStandardErrorAndAnUnfinishedLineAreReportedBeforeTheEnd(t *testing.T) {
	p := start(t, "stderr", 100)
	seen := make(map[transport.Kind]string)
	for {
		e := next(t, p)
		seen[e.Kind] += string(e.Data)
		if e.Kind == transport.Ended {
			break
		}
	}
	if seen[transport.ErrorOut] != "oops" || seen[transport.Tail] != "no line end" {
		t.Errorf("%v", seen)
	}
}

func TestALineBeyondTheBoundEndsReading(t *testing.T) {
	p := start(t, "echo", 10)
	p.Write([][]byte{[]byte("0123456789abcdef\n")})
	if e := next(t, p); e.Kind != transport.TooLong {
		t.Errorf("%+v", e)
	}
}

func TestUnendedLinesAreBoundedOverAllConnections(t *testing.T) {
	before := mostUnended
	t.Cleanup(func() { mostUnended = before })
	mostUnended = 2 << 20
	a, b := start(t, "echo", 64<<20), start(t, "echo", 64<<20)
	piece := make([]byte, smallLine+1<<20)
	a.Write([][]byte{piece})
	for unended.Load() < int64(len(piece)-smallLine) { // else it is a that comes too late, and is refused
		runtime.Gosched()
	}
	if text, n, closed := a.Unended(); len(text) != shownOfBegun || n != int64(len(piece)) || closed {
		t.Errorf("%d bytes of %d, closed: %v", len(text), n, closed)
	}
	b.Write([][]byte{piece, piece})
	if e := next(t, b); e.Kind != transport.TooLong || e.Reason != "lines that are not ended hold more than 2097152 bytes over all connections" {
		t.Errorf("%+v", e)
	}
	a.Write([][]byte{[]byte("\n")})
	if e := next(t, a); e.Kind != transport.Line || len(e.Data) != len(piece) {
		t.Errorf("%d, %d bytes", e.Kind, len(e.Data))
	}
	if n := unended.Load(); n != 0 {
		t.Errorf("%d bytes are still counted", n)
	}
}

func TestATargetThatDoesNotReadHoldsNobodyUp(t *testing.T) {
	p := start(t, "deaf", 100)
	p.Write([][]byte{make([]byte, 1<<22)}) // more than a pipe holds
	p.CloseInput()
	if e := next(t, p); string(e.Data) != "here" {
		t.Errorf("%+v", e)
	}
	if err := p.Signal("SIGTERM"); err != nil {
		t.Error(err)
	}
	p.Kill()
	for {
		if e := next(t, p); e.Kind == transport.Ended {
			if e.Exit.Signal != "SIGKILL" {
				t.Errorf("%+v", e.Exit)
			}
			return
		}
	}
}

func TestADescendantThatHoldsTheOutputDoesNotHideTheEnd(t *testing.T) {
	p := start(t, "holder", 100)
	pid := 0
	for {
		e := next(t, p)
		if e.Kind == transport.Ended {
			break
		}
		_, _ = fmt.Sscan(string(e.Data), &pid)
	}
	if pid == 0 {
		t.Fatal("the descendant's line is missing")
	}
	p.Release()
	limit := time.Now().Add(patience)
	for syscall.Kill(pid, 0) == nil && time.Now().Before(limit) {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if strings.Contains(string(stat), ") Z ") {
			break // nobody has collected it yet
		}
	}
	if !time.Now().Before(limit) {
		t.Error("the descendant is still running")
	}
}

func TestReleaseEndsAFloodThatNobodyTakes(t *testing.T) {
	p := start(t, "flood", 100)
	next(t, p)
	released := make(chan struct{})
	go func() { p.Release(); close(released) }()
	select {
	case <-released:
	case <-time.After(patience):
		t.Fatal("release hangs")
	}
	if err := syscall.Kill(p.cmd.Process.Pid, 0); err != syscall.ESRCH {
		t.Errorf("the process is still there: %v", err)
	}
}

func TestUnknownSignalsAndProgramsAreErrors(t *testing.T) {
	p := start(t, "echo", 100)
	if err := p.Signal("SIGNAL"); err == nil {
		t.Error("there is no SIGNAL")
	}
	if _, err := Start(Spec{Command: []string{"/no/such/program"}}); err == nil {
		t.Error("there is no such program")
	}
}

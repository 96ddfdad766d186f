//go:build linux || darwin

package conformance_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/transport/stdio"
)

// fakeMode is the environment variable that turns the test binary into a runner that misbehaves in the named way.
const fakeMode = "HALLMARK_FAKE"

func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv(fakeMode); ok {
		fake(mode)
		return
	}
	if err := stdio.AdoptOrphans(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

type request struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	RunID string `json:"runId"`
}

// fake is a runner that answers ping, starts runs that say hello, and has one fault.
func fake(mode string) {
	out := bufio.NewWriter(os.Stdout)
	say := func(format string, args ...any) {
		fmt.Fprintf(out, format+"\n", args...)
		out.Flush()
	}
	if before(mode, out, say) {
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if line = strings.TrimSpace(line); line != "" {
			answer(mode, n, line, out, say)
		}
		if err != nil {
			break
		}
	}
	switch mode {
	case "ignores-end":
		for {
			time.Sleep(time.Hour) // until it is killed
		}
	case "ends-by-a-signal":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "talks-after-end":
		say(`{"type":"response","id":"nobody","ok":true,"result":{}}`)
	}
}

// before is what some do before they read anything; true ends the process.
func before(mode string, out *bufio.Writer, say func(string, ...any)) bool {
	switch mode {
	case "dies-at-once":
		fmt.Fprintln(os.Stderr, "cannot open display")
		os.Exit(7)
	case "half":
		fmt.Fprint(out, `{"type`)
		out.Flush()
		_, _ = io.Copy(io.Discard, os.Stdin)
		return true
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return true
	case "ignores-everything":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		say("garbage")
		for {
			time.Sleep(time.Hour) // until it is killed
		}
	case "garbage":
		say("Hello! I am a runner.")
	case "floods-garbage":
		for {
			fmt.Fprintln(out, "garbage")
		}
	case "floods-messages":
		for {
			fmt.Fprintln(out, `{"type":"log","level":"info","message":"and so on"}`)
		}
	case "floods-without-line-ends":
		for {
			fmt.Fprint(out, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
		}
	case "leaves-orphans":
		orphans()
	case "ignores-end":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	}
	return false
}

// orphansEach is how many processes one runner leaves. The last one is caught where the system lets it be adopted.
var orphansEach = map[string]int{"linux": 4, "darwin": 3}[runtime.GOOS]

// orphans starts processes that would outlive the runner: one in its group, one in a session of its own, one of those
// whose parent is gone, and one of those with an environment of its own. Their numbers go into the file that ORPHANS
// names.
func orphans() {
	script := `trap '' TERM INT HUP; echo $$ >> "$ORPHANS"; while :; do read x < /dev/tty || sleep 60; done 2>/dev/null`
	for _, own := range []bool{false, true} {
		c := exec.Command("/bin/sh", "-c", script)
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: own}
		if err := c.Start(); err != nil {
			panic(err)
		}
	}
	for i := range orphansEach - 2 {
		c := exec.Command("/bin/sh", "-c", "("+script+") & exit 0")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if i > 0 {
			c.Env = []string{"ORPHANS=" + os.Getenv("ORPHANS"), "PATH=" + os.Getenv("PATH")}
		}
		if err := c.Run(); err != nil {
			panic(err)
		}
	}
	for { // the kit may end this process any time from now on; it must not do so before all are there
		data, _ := os.ReadFile(os.Getenv("ORPHANS"))
		if strings.Count(string(data), "\n")%orphansEach == 0 && len(data) > 0 {
			return
		}
	}
}

func answer(mode string, n int, line string, out *bufio.Writer, say func(string, ...any)) {
	var r request
	if json.Unmarshal([]byte(line), &r) != nil {
		say(`{"type":"log","level":"warn","message":"ignored a line"}`)
		return
	}
	ok := func(id, result string) {
		say(`{"type":"response","id":%s,"ok":true,"result":%s}`, strconv.Quote(id), result)
	}
	const pong = `{"version":"1","protocolVersion":1}`
	switch {
	case mode == "wrong-id":
		ok(r.ID+"x", pong)
		return
	case mode == "never-answers-again" && r.ID != "hallmark-ready":
		return
	case mode == "answers-by-halves" && r.ID != "hallmark-ready":
		fmt.Fprint(out, `{"type":"respo`)
		out.Flush()
		return
	case mode == "closes-its-output" && r.ID != "hallmark-ready":
		os.Stdout.Close()
		return
	case mode == "dies-in-the-middle" && r.ID != "hallmark-ready":
		fmt.Fprint(out, `{"type":"resp`)
		out.Flush()
		os.Exit(3)
	case mode == "invalid-message" && r.ID != "hallmark-ready":
		say(`{"type":"response","id":"%s","ok":"yes","result":{}}`, r.ID)
		return
	case mode == "answers-no-cancel" && r.Type == "run.cancel":
		return
	case mode == "dies-of-cancel" && r.Type == "run.cancel":
		os.Exit(3)
	case mode == "leaks":
		fmt.Fprint(os.Stderr, line[:len(line)/2]) // in two pieces
		fmt.Fprint(os.Stderr, line[len(line)/2:])
	case mode == "kills-itself" && r.ID != "hallmark-ready":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	switch r.Type {
	case "ping":
		ok(r.ID, pong)
		if mode == "answers-twice" {
			ok(r.ID, pong)
		}
	case "run.start":
		ok(r.ID, `{"runId":`+strconv.Quote(r.RunID)+`}`)
		now := time.Now().UnixMilli()
		for i, part := range []string{"hel", "lo"} {
			say(`{"type":"run.text_delta","runId":%q,"ts":%d,"text":%q}`, r.RunID, now+int64(i), part)
		}
		say(`{"type":"run.done","runId":%q,"ts":%d,"stopReason":"end_turn"}`, r.RunID, now+map[bool]int64{true: 0, false: 2}[mode == "time-goes-back"])
		if mode == "talks-after-terminal" {
			say(`{"type":"run.text_delta","runId":%q,"ts":%d,"text":"!"}`, r.RunID, now+3)
		}
	case "run.cancel":
		ok(r.ID, `{"cancelled":false}`)
	case "shutdown":
		if mode != "shuts-up-and-down" {
			ok(r.ID, `{}`)
		}
		if mode == "exits-badly" {
			os.Exit(9)
		}
		os.Exit(0)
	default:
		say(`{"type":"response","id":%q,"ok":false,"error":{"code":"invalid_request","message":"no","retryable":false}}`, r.ID)
	}
}

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"

	"github.com/rogpeppe/go-internal/testscript"
)

// startHost is the script command "host NAME ARGS...": it starts 'hallmark serve ARGS...', which tells its URL as JSON
// on its first line, and puts the URL into the environment variable NAME. The host ends with the script.
func startHost(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: host NAME ARGS...")
	}
	hallmark, err := exec.LookPath("hallmark")
	ts.Check(err)
	cmd := exec.Command(hallmark, append([]string{"serve"}, args[1:]...)...)
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	ts.Check(err)
	var told struct{ URL string }
	ts.Check(json.Unmarshal(line, &told))
	ts.Setenv(args[0], told.URL)
	go func() { _, _ = io.Copy(io.Discard, out) }()
}

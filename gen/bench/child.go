package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/measure"
	"github.com/hallmark-kit/hallmark/gen/bench/internal/peers"
	"github.com/hallmark-kit/hallmark/gen/bench/internal/report"
)

type options struct {
	short, node, code bool
	core              int
	only, profile     string
}

// measureAll runs the program that measures, and everything that is measured
// outside of it.
func measureAll(built *peers.Built, o options) (*report.Report, error) {
	r := &report.Report{CPU: cpu(), Go: runtime.Version(), Date: time.Now().Format(time.DateOnly), Notes: built.Notes}
	result, pinned, err := runChild(built.Program, o)
	if err != nil {
		return nil, err
	}
	r.Result, r.Pinned = *result, pinned
	if o.node {
		progress("ajv under Node")
		if row, err := peers.AJV(result.Messages, o.short); err != nil {
			r.Notes = append(r.Notes, "ajv: left out: "+err.Error())
		} else {
			r.Result.Rows = append(r.Result.Rows, *row)
		}
	}
	if o.code {
		progress("generators and compilers")
		if r.Code, err = peers.MeasureCode(built); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// runChild runs the program on one core.
func runChild(program string, o options) (result *measure.Result, pinned bool, err error) {
	args := []string{program}
	if o.only != "" {
		args = append(args, "-run", o.only)
	}
	if o.profile != "" {
		args = append(args, "-cpuprofile", o.profile)
	}
	if o.short {
		args = append(args, "-rounds", "2", "-time", "10ms")
	}
	if taskset, err := exec.LookPath("taskset"); err == nil {
		core := o.core
		if core < 0 {
			core = runtime.NumCPU() - 1
		}
		args = append([]string{taskset, "-c", strconv.Itoa(core)}, args...)
		pinned = true
	}
	progress("measuring: " + strings.Join(args, " "))
	c := exec.Command(args[0], args[1:]...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, pinned, fmt.Errorf("%s: %w", program, err)
	}
	result = new(measure.Result)
	return result, pinned, json.NewDecoder(bytes.NewReader(out)).Decode(result)
}

// cpu is the model of the processor, all that the report says of the machine.
func cpu() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOOS + "/" + runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}

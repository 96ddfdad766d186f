package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
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

// measureAll runs the programs that measure, and everything that is measured
// outside of them.
func measureAll(built *peers.Built, o options) (*report.Report, error) {
	r := &report.Report{CPU: cpu(), Go: runtime.Version(), Date: time.Now().Format(time.DateOnly), Notes: built.Notes}
	if err := runRounds(r, built.Programs, o); err != nil {
		return nil, err
	}
	if o.node {
		progress("ajv under Node")
		if row, err := peers.AJV(r.Result.Messages, o.short); err != nil {
			r.Notes = append(r.Notes, "ajv: left out: "+err.Error())
		} else {
			r.Result.Rows = append(r.Result.Rows, *row)
		}
	}
	if o.code {
		progress("generators and compilers")
		code, err := peers.MeasureCode(built)
		if err != nil {
			return nil, err
		}
		r.Code = code
	}
	return r, nil
}

// runRounds runs the peers of all programs in turns, each for a round.
func runRounds(r *report.Report, programs []string, o options) error {
	rounds, each := 5, "40ms"
	if o.short {
		rounds, each = 2, "10ms"
	}
	args := []string{"-time", each, "-rounds", "1", "-run", o.only}
	if o.profile != "" {
		// One long round of the program that has the bindings.
		programs, rounds = programs[:1], 1
		args = []string{"-time", each, "-rounds", "10", "-run", o.only, "-cpuprofile", o.profile}
	}
	var pin []string
	if taskset, err := exec.LookPath("taskset"); err == nil {
		core := o.core
		if core < 0 {
			core = runtime.NumCPU() - 1
		}
		pin, r.Pinned = []string{taskset, "-c", strconv.Itoa(core)}, true
	}
	// A process for each peer: caches and pools of the others are on its heap otherwise, for every garbage collection to
	// go over.
	var processes [][]string
	for _, program := range programs {
		var names []string
		if err := runProgram([]string{program, "-list"}, &names); err != nil {
			return err
		}
		for _, name := range names {
			processes = append(processes, slices.Concat(pin, []string{program, "-peer", name}, args))
		}
	}
	if o.profile != "" {
		processes = processes[:1] // the bindings
	}
	for round := range rounds {
		progress(fmt.Sprintf("round %d of %d", round+1, rounds))
		for _, command := range processes {
			result := new(measure.Result)
			if err := runProgram(command, result); err != nil {
				return err
			}
			r.Result.Merge(result)
		}
	}
	return nil
}

// runProgram runs a program that measures, on one processor, and reads what it writes.
func runProgram(command []string, into any) error {
	c := exec.Command(command[0], command[1:]...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return json.Unmarshal(out, into)
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

// Command drift measures hallmark drift beside oasdiff: an OpenAPI description of 800 schemas and 700 kB, of which one
// bound in a shared schema was changed. Each round runs both as processes, one after the other.
//
//	cd gen/bench/drift && go run . [-rounds 5] [-timeout 2m] [-layers 9]
//
// It is a module of its own, so that oasdiff is a dependency of nothing else.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// run is one run of a program.
type run struct {
	wall, cpu time.Duration
	peak      int64 // largest resident set, in bytes
	findings  int
	cut       bool // it was stopped
}

// tool is a program that is measured.
type tool struct {
	name  string
	args  []string
	count func([]byte) (int, error)
	runs  []run
}

func main() {
	rounds := flag.Int("rounds", 5, "how often each program runs")
	timeout := flag.Duration("timeout", 2*time.Minute, "how long a run may take")
	layers := flag.Int("layers", 9, "in how many layers the schemas refer to each other; 0: in cycles, which oasdiff does not end with")
	flag.Parse()
	if err := measure(*rounds, *timeout, *layers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(rounds int, timeout time.Duration, layers int) error {
	dir, err := os.MkdirTemp("", "drift")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	hallmark, oasdiff := filepath.Join(dir, "hallmark"), filepath.Join(dir, "oasdiff")
	const repository = "../../.."
	for _, c := range [][]string{
		{"build", "-C", repository, "-o", hallmark, "./cmd/hallmark"},
		{"build", "-o", oasdiff, "github.com/oasdiff/oasdiff"},
		{"run", "-C", repository, "./gen/drift/internal/large/write", dir, strconv.Itoa(layers)},
	} {
		cmd := exec.Command("go", c...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go %s: %w", strings.Join(c, " "), err)
		}
	}
	old, new := filepath.Join(dir, "old.json"), filepath.Join(dir, "new.json")
	info, err := os.Stat(old)
	if err != nil {
		return err
	}
	tools := []*tool{
		{name: "hallmark drift", args: []string{hallmark, "drift", old, new, "--format", "json"}, count: func(b []byte) (int, error) {
			var r struct{ Findings []json.RawMessage }
			err := json.Unmarshal(b, &r)
			return len(r.Findings), err
		}},
		{name: "oasdiff breaking", args: []string{oasdiff, "breaking", old, new, "-f", "json"}, count: func(b []byte) (int, error) {
			var r []json.RawMessage
			err := json.Unmarshal(b, &r)
			return len(r), err
		}},
	}
	for range rounds {
		for _, t := range tools {
			r, err := t.run(timeout)
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			t.runs = append(t.runs, r)
		}
	}
	fmt.Printf("%d kB, %d layers, %d rounds, medians; %s, %s/%s, %d processors\n\n", info.Size()/1000, layers, rounds, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Println("| program | time | processor time | memory at most | findings |\n| --- | ---: | ---: | ---: | ---: |")
	for _, t := range tools {
		more, findings := "", fmt.Sprint(t.runs[0].findings)
		if t.runs[0].cut {
			more, findings = "> ", "none: it was stopped"
		}
		fmt.Printf("| %s | %s%.2f s | %s%.2f s | %s%d MB | %s |\n", t.name, more, t.median(func(r run) float64 { return r.wall.Seconds() }), more,
			t.median(func(r run) float64 { return r.cpu.Seconds() }), more, int(t.median(func(r run) float64 { return float64(r.peak) })/1e6), findings)
	}
	ratio := func(of func(run) float64) float64 { return tools[1].median(of) / tools[0].median(of) }
	fmt.Printf("\nratio: %.1f in time, %.1f in processor time\n", ratio(func(r run) float64 { return r.wall.Seconds() }), ratio(func(r run) float64 { return r.cpu.Seconds() }))
	return nil
}

// run runs the program once. It may exit with 1: something breaks.
func (t *tool) run(timeout time.Duration) (run, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.args[0], t.args[1:]...)
	begin := time.Now()
	out, err := cmd.Output()
	r := run{wall: time.Since(begin)}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return r, err
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = int64(usage.Maxrss) << 10
	}
	if r.cut = ctx.Err() != nil; r.cut {
		return r, nil
	}
	r.findings, err = t.count(out)
	return r, err
}

func (t *tool) median(of func(run) float64) float64 {
	var list []float64
	for _, r := range t.runs {
		list = append(list, of(r))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

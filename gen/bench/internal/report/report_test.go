package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/measure"
)

// example is a run with one message.
func example() *Report {
	cells := func(ns float64, allocations uint64) map[string]measure.Cell {
		return map[string]measure.Cell{"m": {Nanoseconds: ns, Allocations: allocations}}
	}
	return &Report{CPU: "Some CPU", Go: "go1", Date: "2026-01-02", Result: measure.Result{
		Messages: []measure.Message{{Name: "m", Bytes: 100}},
		Rows: []measure.Row{
			{Peer: measure.Hallmark, Task: measure.Decode, Cells: cells(2000, 10)},
			{Peer: measure.Ogen, Task: measure.Decode, Cells: cells(5000, 30)},
			{Peer: measure.Goccy, Task: measure.Decode, Notes: measure.Unvalidated, Cells: cells(2500, 40)},
			{Peer: measure.Hallmark, Task: measure.Validate, Cells: cells(1400, 0)},
			{Peer: measure.JX + " skip", Task: measure.Validate, Cells: cells(1000, 0)},
			{Peer: measure.Hallmark, Task: measure.Encode, Cells: map[string]measure.Cell{"m": {Missing: "none"}}},
		},
	}}
}

func TestReachesAreHeldOrMissed(t *testing.T) {
	want := map[string]bool{
		"decode + validate at least 3 times faster than ogen":  false,
		"decode + validate at least as fast as goccy decoding": true,
		"validate within 1.5 times of jx skip":                 true,
		"validate without allocations":                         true,
		"allocations of a decode at most a third of ogen's":    true,
	}
	for _, r := range example().Reaches() {
		if held, ok := want[r.Want]; !ok || held != r.Held {
			t.Errorf("%s", r)
		}
		delete(want, r.Want)
	}
	for w := range want {
		t.Errorf("nothing about: %s", w)
	}
}

func TestTheTableTellsRatios(t *testing.T) {
	table := example().Markdown()
	for _, line := range []string{
		"| **decode and validate**, hallmark | 2.00 µs |",
		"| ogen | 2.5 |",
		"| goccy/go-json, nothing validated | 1.2 |",
		"| jx skip | 0.71 |",
		"| **encode**, hallmark | – |",
		"| *allocations of a decode*, ogen | 30 |",
		"Some CPU, one core",
	} {
		if !strings.Contains(table, line) {
			t.Errorf("no %q in\n%s", line, table)
		}
	}
}

func TestOnlyTheTextBetweenTheMarkersIsReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(file, []byte("above\n"+begin+"\nold\n"+end+"\nbelow\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Insert(file, "new\n"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "above\n" + begin + "\nnew\n" + end + "\nbelow\n"; string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAFileWithoutMarkersIsLeftAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(file, []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Insert(file, "new"); err == nil || !strings.Contains(err.Error(), begin) {
		t.Errorf("%v", err)
	}
}

package report

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/measure"
)

// tasks in the order of the tables.
var tasks = []struct {
	task  measure.Task
	title string
}{
	{measure.Decode, "decode"},
	{measure.Validate, "validate"},
	{measure.Encode, "encode"},
}

// Text is everything for a terminal.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, one core (pinned: %t), %s\n", r.CPU, r.Go, r.Pinned, r.Date)
	for _, t := range tasks {
		r.task(&b, t.task, t.title)
	}
	fmt.Fprintln(&b, "\nreach")
	for _, reach := range r.Reaches() {
		fmt.Fprintln(&b, " ", reach)
	}
	if len(r.Notes) > 0 {
		fmt.Fprintln(&b, "\nnotes")
		for _, n := range r.Notes {
			fmt.Fprintln(&b, " ", n)
		}
	}
	if r.Code != nil {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(r.code(), "\n"))
	}
	return b.String()
}

func (r *Report) task(b *strings.Builder, task measure.Task, title string) {
	fmt.Fprintf(b, "\n%s\n", title)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, m := range r.Result.Messages {
		fmt.Fprintf(w, "  %s (%d bytes)\tns/op\tMB/s\tB/op\tallocs/op\tof ours\t\n", m.Name, m.Bytes)
		ours, _ := r.Result.Get(task, measure.Hallmark, m.Name)
		for _, row := range r.Result.Rows {
			c, ok := row.Cells[m.Name]
			switch {
			case row.Task != task || !ok:
			case c.Missing != "":
				fmt.Fprintf(w, "    %s\t-\t-\t-\t-\t-\t%s\n", row.Peer, c.Missing)
			default:
				ratio := "-"
				if ours.Nanoseconds > 0 {
					ratio = times(c.Nanoseconds / ours.Nanoseconds)
				}
				fmt.Fprintf(w, "    %s\t%.0f\t%.0f\t%d\t%d\t%s\t%s\n", row.Peer, c.Nanoseconds, c.MBPerSecond, c.Bytes, c.Allocations, ratio, row.Notes)
			}
		}
	}
	w.Flush()
}

// code tells of generators and compilers, a sentence a line.
func (r *Report) code() []string {
	lines := []string{fmt.Sprintf("Writing the packages of all %d protocols takes %s.", r.Code.Packages, r.Code.Generation.Round(10*time.Millisecond))}
	for _, c := range r.Code.Compiled {
		lines = append(lines, fmt.Sprintf("%s for %s: %d lines, compiled in %s to an object of %.1f MB.",
			c.Generator, c.Protocol, c.Lines, c.Time.Round(10*time.Millisecond), float64(c.Object)/1e6))
	}
	return lines
}

// times writes a ratio with two significant digits.
func times(ratio float64) string {
	switch {
	case ratio >= 9.95:
		return fmt.Sprintf("%.0f", ratio)
	case ratio >= 0.995:
		return fmt.Sprintf("%.1f", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/measure"
)

// The markers around the table in a file.
const (
	begin = "<!-- bench: begin -->"
	end   = "<!-- bench: end -->"
)

// Insert replaces the text between the markers of a file.
func Insert(file, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(old, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s: no place for the table: want a line %s and a line %s", file, begin, end)
	}
	return os.WriteFile(file, fmt.Appendf(nil, "%s%s\n%s\n%s%s", before, begin, strings.TrimSpace(text), end, after), 0o644)
}

// Markdown is the table of ratios and what belongs to it.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| time, as a multiple of ours |")
	for _, m := range r.Result.Messages {
		fmt.Fprintf(&b, " %s |", m.Name)
	}
	fmt.Fprintf(&b, "\n| --- |%s\n", strings.Repeat(" --: |", len(r.Result.Messages)))
	titles := map[measure.Task]string{
		measure.Decode:   "**decode and validate**",
		measure.Validate: "**validate**",
		measure.Encode:   "**encode**",
	}
	for _, t := range tasks {
		r.ours(&b, t.task, titles[t.task])
		for _, row := range r.Result.Rows {
			if row.Task == t.task && row.Peer != measure.Hallmark {
				r.peer(&b, row)
			}
		}
	}
	r.allocations(&b)
	fmt.Fprintf(&b, "\n%s, one core, %s, best of five interleaved rounds, %s. %s\n", r.CPU, r.Go, r.Date, r.versions())
	if r.Code != nil {
		fmt.Fprintf(&b, "%s\n", strings.Join(r.code(), " "))
	}
	return b.String()
}

// ours is the row of the bindings: times, not ratios.
func (r *Report) ours(b *strings.Builder, task measure.Task, title string) {
	fmt.Fprintf(b, "| %s, hallmark |", title)
	for _, m := range r.Result.Messages {
		c, ok := r.Result.Get(task, measure.Hallmark, m.Name)
		if !ok {
			b.WriteString(" – |")
			continue
		}
		fmt.Fprintf(b, " %s µs |", micro(c.Nanoseconds))
	}
	b.WriteByte('\n')
}

func (r *Report) peer(b *strings.Builder, row measure.Row) {
	name := row.Peer
	if row.Notes != "" {
		name += ", " + row.Notes
	}
	fmt.Fprintf(b, "| %s |", name)
	for _, m := range r.Result.Messages {
		ours, ok := r.Result.Get(row.Task, measure.Hallmark, m.Name)
		c, there := row.Cells[m.Name]
		if !ok || !there || c.Missing != "" {
			b.WriteString(" – |")
			continue
		}
		fmt.Fprintf(b, " %s |", times(c.Nanoseconds/ours.Nanoseconds))
	}
	b.WriteByte('\n')
}

func (r *Report) allocations(b *strings.Builder) {
	for _, peer := range []string{measure.Hallmark, measure.Ogen, measure.Goccy} {
		fmt.Fprintf(b, "| *allocations of a decode*, %s |", peer)
		for _, m := range r.Result.Messages {
			if c, ok := r.Result.Get(measure.Decode, peer, m.Name); ok {
				fmt.Fprintf(b, " %d |", c.Allocations)
			} else {
				b.WriteString(" – |")
			}
		}
		b.WriteByte('\n')
	}
}

// micro writes nanoseconds as microseconds with about three digits.
func micro(ns float64) string {
	switch us := ns / 1000; {
	case us >= 100:
		return fmt.Sprintf("%.0f", us)
	case us >= 10:
		return fmt.Sprintf("%.1f", us)
	default:
		return fmt.Sprintf("%.2f", us)
	}
}

// versions names the peers that took part.
func (r *Report) versions() string {
	var all []string
	for _, m := range []struct{ path, name string }{
		{"github.com/ogen-go/ogen", "ogen"},
		{"github.com/go-faster/jx", "jx"},
		{"github.com/goccy/go-json", "goccy/go-json"},
		{"github.com/go-json-experiment/json", "encoding/json/v2 as go-json-experiment/json"},
		{"github.com/mailru/easyjson", "easyjson"},
		{"github.com/santhosh-tekuri/jsonschema/v6", "jsonschema"},
		{"github.com/valyala/fastjson", "fastjson"},
	} {
		if v := r.Result.Versions[m.path]; v != "" {
			all = append(all, m.name+" "+v)
		}
	}
	return strings.Join(all, ", ") + "."
}

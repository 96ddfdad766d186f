package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
)

// style colours text, or not.
type style struct{ colour bool }

func (s style) paint(code, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) verdict(v Verdict, text string) string {
	return s.paint(map[Verdict]string{Pass: "32", Fail: "31;1", Warn: "33", Skip: "2"}[v], text)
}

// shownEntries is how much of an exchange a person sees; the JSON report has more.
const shownEntries = 14

// WriteText writes the report for people: what did not hold, in full, what was skipped, and last a summary, which
// names the requirements that did not hold once more. colour adds terminal colours.
func WriteText(w io.Writer, r *Report, colour bool) error {
	st := style{colour}
	var b strings.Builder
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		if s.Verdict != Fail && s.Verdict != Warn {
			continue
		}
		fmt.Fprintf(&b, "%s  %s\n      %s\n", st.verdict(s.Verdict, strings.ToUpper(string(s.Verdict))), st.paint("1", s.ID), s.Title)
		writeFailures(&b, r, s, st)
		b.WriteByte('\n')
	}
	writeSkipped(&b, r, st)
	writeBroken(&b, r, st)
	writeSummary(&b, r, st)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeFailures(b *strings.Builder, r *Report, s *Scenario, st style) {
	for _, f := range s.Failures {
		fmt.Fprintf(b, "\n      %s %s: %s\n", st.paint("1", f.Requirement), level(r, &f), f.Sentence)
		fmt.Fprintf(b, "      %s\n", printable(f.Reason))
		if step, ok := f.Step.Get(); ok {
			fmt.Fprintf(b, "        step   %s:%d:%d  %s\n", f.File.Value, f.Line.Value, f.Column.Value, printable(transcript.Shorten(step, 400)))
		}
		if message, ok := f.Message.Get(); ok {
			fmt.Fprintf(b, "        got    %s\n", printable(transcript.Shorten(message, 400)))
		}
		for _, d := range f.Differences {
			at := d.Pointer
			if at == "" {
				at = "(root)"
			}
			fmt.Fprintf(b, "        %s\n          %s %s\n          %s %s\n", at,
				st.paint("32", "wanted"), printable(d.Wanted), st.paint("31", "got   "), printable(d.Got))
		}
	}
	if len(s.Exchange) > 0 {
		b.WriteString("\n      exchange\n")
		entries := collapsed(s.Exchange)
		if len(entries) > shownEntries {
			earlier := 0
			for _, e := range entries[:len(entries)-shownEntries] {
				earlier += e.times
			}
			fmt.Fprintf(b, "        (%d earlier entries are in the JSON report)\n", earlier)
			entries = entries[len(entries)-shownEntries:]
		}
		for _, e := range entries {
			arrow := map[hallmark.ExchangeDirection]string{
				hallmark.ExchangeDirectionSent: "->", hallmark.ExchangeDirectionReceived: "<-",
				hallmark.ExchangeDirectionStderr: "!!", hallmark.ExchangeDirectionObserved: "..",
			}[e.Direction]
			if arrow == "" {
				arrow = "--"
			}
			fmt.Fprintf(b, "        %8.3fs %s %s\n", e.Seconds, arrow, printable(transcript.Shorten(e.Text, 240)))
			if e.times > 1 {
				fmt.Fprintf(b, "                  (%d times in a row)\n", e.times)
			}
		}
	}
	if rerun, ok := s.Rerun.Get(); ok {
		fmt.Fprintf(b, "\n      run it alone: %s\n", rerun)
	}
}

// repeated is an entry and how often it stands there in a row.
type repeated struct {
	Entry
	times int
}

// collapsed makes one of entries in a row that tell the same.
func collapsed(entries []Entry) []repeated {
	var out []repeated
	for _, e := range entries {
		if n := len(out); n > 0 && out[n-1].Direction == e.Direction && out[n-1].Text == e.Text {
			out[n-1].times++
			continue
		}
		out = append(out, repeated{e, 1})
	}
	return out
}

// level is how binding a requirement is, and why it only warns when that does not show.
func level(r *Report, f *Failure) string {
	for _, q := range r.Requirements {
		if q.ID == f.Requirement && q.Basis == hallmark.BasisKindObserved {
			return string(f.Level) + " (only observed)"
		}
	}
	return string(f.Level)
}

// printable replaces control characters: what a target writes must not steer a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '⏎'
		case unicode.IsControl(r):
			return '\uFFFD'
		}
		return r
	}, s)
}

func writeSkipped(b *strings.Builder, r *Report, st style) {
	reasons := make(map[string][]string)
	var order []string
	for _, s := range r.Scenarios {
		if s.Verdict == Skip {
			if reasons[s.Reason.Value] == nil {
				order = append(order, s.Reason.Value)
			}
			reasons[s.Reason.Value] = append(reasons[s.Reason.Value], s.ID)
		}
	}
	for _, reason := range order {
		ids := reasons[reason]
		fmt.Fprintf(b, "%s  %s: %s\n", st.verdict(Skip, "skip"), reason, strings.Join(ids, ", "))
	}
	if len(order) > 0 {
		b.WriteByte('\n')
	}
}

// broken is a requirement that did not hold somewhere.
type broken struct {
	verdict   Verdict
	id        string
	reason    string // of the first scenario
	scenarios []string
}

// writeBroken names what did not hold in one line a requirement, what fails before what warns.
func writeBroken(b *strings.Builder, r *Report, st style) {
	var all []*broken
	byID := make(map[string]*broken)
	for _, s := range r.Scenarios {
		for _, f := range s.Failures {
			one := byID[f.Requirement]
			if one == nil {
				one = &broken{verdict: s.Verdict, id: f.Requirement, reason: f.Reason}
				for _, q := range r.Requirements {
					if q.ID == f.Requirement {
						one.verdict = q.Verdict
					}
				}
				byID[f.Requirement] = one
				all = append(all, one)
			}
			if n := len(one.scenarios); n == 0 || one.scenarios[n-1] != s.ID {
				one.scenarios = append(one.scenarios, s.ID)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y *broken) int {
		return cmp.Or(cmp.Compare(x.verdict, y.verdict), cmp.Compare(x.id, y.id)) // "fail" before "warn"
	})
	for _, one := range all {
		const shown = 3
		where := strings.Join(one.scenarios[:min(shown, len(one.scenarios))], ", ")
		if len(one.scenarios) > shown {
			where += ", …"
		}
		fmt.Fprintf(b, "%s  %s in %s (%s): %s\n", st.verdict(one.verdict, string(one.verdict)), one.id,
			plural(int64(len(one.scenarios)), "scenario"), where, printable(transcript.Shorten(one.reason, 160)))
	}
	if len(all) > 0 {
		b.WriteByte('\n')
	}
}

func writeSummary(b *strings.Builder, r *Report, st style) {
	failed, warned := 0, 0
	for _, q := range r.Requirements {
		switch q.Verdict {
		case Fail:
			failed++
		case Warn:
			warned++
		}
	}
	s := r.Summary
	verdict := st.verdict(Pass, "holds")
	switch {
	case !Held(r):
		verdict = st.verdict(Fail, "does not hold")
	case r.Summary.Warned > 0:
		verdict = st.verdict(Warn, "holds, with "+plural(r.Summary.Warned, "warning"))
	}
	fmt.Fprintf(b, "%s: %s %s %s\n", strings.TrimSpace(r.Target.Name+" "+r.Target.Version.Value), r.Protocol, r.Target.Role, verdict)
	fmt.Fprintf(b, "%s: %d passed, %s, %s, %d skipped; %s decided, %d failed, %d warned; %.2f s\n",
		plural(s.Scenarios, "scenario"), s.Passed, count(st, Fail, s.Failed, "failed"), count(st, Warn, s.Warned, "warned"), s.Skipped,
		plural(s.Requirements, "requirement"), failed, warned, s.Seconds)
	if m := s.NearMisses; m != nil {
		fmt.Fprintf(b, "near misses: %d of %d rules of the documents tried, seed %d\n", m.Tried, m.Rules, m.Seed)
	}
}

func plural(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

func count(st style, v Verdict, n int64, word string) string {
	text := fmt.Sprintf("%d %s", n, word)
	if n == 0 {
		return text
	}
	return st.verdict(v, text)
}

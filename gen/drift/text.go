package drift

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// WriteJSON writes the report as the document drift.json describes it.
func WriteJSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// paint is the escape sequences of a terminal, all empty for plain output.
type paint struct{ bold, red, green, yellow, dim, off string }

var colours = paint{"\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[0m"}

func (p paint) class(c Class) string {
	switch c {
	case Breaking:
		return p.bold + p.red
	case Undecided, Risky:
		return p.yellow
	}
	return p.green
}

// WriteText writes the report for people. Compatible findings take a line each.
func WriteText(w io.Writer, r *Report, colour bool) error {
	var p paint
	if colour {
		p = colours
	}
	b := &strings.Builder{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Ignored != nil || f.Class == Compatible {
			continue
		}
		p.finding(b, f)
	}
	p.lines(b, r, "compatible", func(f *Finding) bool { return f.Ignored == nil && f.Class == Compatible })
	p.lines(b, r, "ignored", func(f *Finding) bool { return f.Ignored != nil })
	for _, note := range r.Notes {
		fmt.Fprintf(b, "%snote%s %s\n", p.yellow, p.off, note)
	}
	fmt.Fprintf(b, "%s%s%s: %s\n", p.class(r.Verdict), r.Verdict, p.off, summary(r))
	_, err := io.WriteString(w, b.String())
	return err
}

// summary says in one line what was compared and found.
func summary(r *Report) string {
	var parts []string
	for _, c := range []struct {
		n    int
		name string
	}{{r.Counts.Breaking, "breaking"}, {r.Counts.Undecided, "undecided"}, {r.Counts.Risky, "risky"}, {r.Counts.Compatible, "compatible"}, {r.Counts.Ignored, "ignored"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.name))
		}
	}
	what := "no change"
	if len(parts) > 0 {
		what = strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%s -> %s: %s (level %s)", r.Old.File, r.New.File, what, r.Level)
}

func where(p *Place) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func (p paint) finding(b *strings.Builder, f *Finding) {
	fmt.Fprintf(b, "%s%s%s %s%s%s  %s%s %s%s\n", p.class(f.Class), f.Class, p.off, p.bold, f.Summary, p.off, p.dim, f.Rule, f.ID, p.off)
	if f.Old != nil {
		fmt.Fprintf(b, "  old %s  %s\n", where(f.Old), f.Old.Pointer)
	}
	if f.New != nil {
		fmt.Fprintf(b, "  new %s  %s\n", where(f.New), f.New.Pointer)
	}
	if n := len(f.Also); n > 0 {
		fmt.Fprintf(b, "  and the same at %s\n", alsoText(f.Also))
	}
	if f.Old != nil && f.Old.Text != "" {
		fmt.Fprintf(b, "  %s- %s%s\n", p.red, f.Old.Text, p.off)
	}
	if f.New != nil && f.New.Text != "" {
		fmt.Fprintf(b, "  %s+ %s%s\n", p.green, f.New.Text, p.off)
	}
	fmt.Fprintf(b, "  %s\n", f.Reason)
	for _, h := range f.Hits {
		mark := " "
		if h.Breaks {
			mark = "x"
		}
		fmt.Fprintf(b, "  %s %s: %s\n", mark, h.Peers, h.Words)
	}
	if text := reachText(f.Reach); text != "" {
		fmt.Fprintf(b, "  reaches %s\n", text)
	}
	if x := f.Witness; x != nil {
		fmt.Fprintf(b, "  witness, in %s:\n    %s\n    accepted by the %s version, refused by the %s one: %s\n", x.In, x.Message, x.AcceptedBy, x.RefusedBy, refusalText(x))
	}
	b.WriteByte('\n')
}

// alsoText names further places: the first few, and how many there are.
func alsoText(list []Place) string {
	var texts []string
	for i := range list {
		if i == maxNamed {
			texts = append(texts, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		texts = append(texts, where(&list[i]))
	}
	return strings.Join(texts, ", ")
}

func refusalText(x *Witness) string {
	text := x.Keyword
	if x.Instance != "" {
		text += " at " + x.Instance
	}
	if x.Explanation != "" {
		text += " (" + x.Explanation + ")"
	}
	return text
}

// reachText names what an edit reaches: the number, and the first few.
func reachText(r Reach) string {
	if r.Count == 0 {
		return ""
	}
	text := strings.Join(r.First, ", ")
	if r.Count == 1 {
		return text
	}
	if r.Count > len(r.First) {
		text += ", ..."
	}
	return fmt.Sprintf("%d: %s", r.Count, text)
}

func (p paint) lines(b *strings.Builder, r *Report, title string, of func(*Finding) bool) {
	some := false
	for i := range r.Findings {
		f := &r.Findings[i]
		if !of(f) {
			continue
		}
		if !some {
			fmt.Fprintf(b, "%s%s%s\n", p.bold, title, p.off)
			some = true
		}
		at := f.New
		if at == nil {
			at = f.Old
		}
		text := f.Summary
		if f.Ignored != nil {
			text += fmt.Sprintf(" (%s, until %s)", f.Ignored.Reason, f.Ignored.Expires)
		}
		fmt.Fprintf(b, "  %s: %s  %s%s %s%s\n", where(at), text, p.dim, f.Rule, f.ID, p.off)
		if h := hit(f); f.Ignored == nil && h != nil {
			fmt.Fprintf(b, "    but %s: %s\n", h.Peers, h.Words)
		}
	}
	if some {
		b.WriteByte('\n')
	}
}

// hit gives who is hit by a compatible change: those that upgrade in the other
// order; nil when nobody is.
func hit(f *Finding) *Hit {
	for i := range f.Hits {
		if h := &f.Hits[i]; f.Class == Compatible && h.Words != understood && h.Words != f.Reason {
			return h
		}
	}
	return nil
}

// WriteMarkdown writes the report as a comment on a pull request.
func WriteMarkdown(w io.Writer, r *Report) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "### %s: %s\n\n", r.Verdict, escapeMarkdown(summary(r)))
	for _, note := range r.Notes {
		fmt.Fprintf(b, "%s\n\n", escapeMarkdown(note))
	}
	code := func(text string) string {
		// A run of backticks inside needs a longer one around.
		fence := "`"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		return fence + text + fence
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Ignored != nil || f.Class == Compatible {
			continue
		}
		fmt.Fprintf(b, "#### %s: %s\n\n", f.Class, escapeMarkdown(f.Summary))
		fmt.Fprintf(b, "%s\n\n", escapeMarkdown(f.Reason))
		b.WriteString("| | |\n| --- | --- |\n")
		if f.Old != nil {
			fmt.Fprintf(b, "| old | %s |\n", cell(code(where(f.Old)+" "+f.Old.Pointer)))
		}
		if f.New != nil {
			fmt.Fprintf(b, "| new | %s |\n", cell(code(where(f.New)+" "+f.New.Pointer)))
		}
		if len(f.Also) > 0 {
			fmt.Fprintf(b, "| also | %s |\n", cell(code(alsoText(f.Also))))
		}
		for _, h := range f.Hits {
			fmt.Fprintf(b, "| %s | %s |\n", cell(escapeMarkdown(h.Peers)), cell(escapeMarkdown(h.Words)))
		}
		if text := reachText(f.Reach); text != "" {
			fmt.Fprintf(b, "| reaches | %s |\n", cell(escapeMarkdown(text)))
		}
		fmt.Fprintf(b, "| rule | %s %s |\n\n", code(f.Rule), code(f.ID))
		if f.Old != nil && f.New != nil && f.Old.Text != f.New.Text {
			b.WriteString("```diff\n")
			if f.Old.Text != "" {
				fmt.Fprintf(b, "- %s\n", f.Old.Text)
			}
			if f.New.Text != "" {
				fmt.Fprintf(b, "+ %s\n", f.New.Text)
			}
			b.WriteString("```\n\n")
		}
		if x := f.Witness; x != nil {
			fence := "```"
			for strings.Contains(x.Message, fence) {
				fence += "`"
			}
			fmt.Fprintf(b, "This %s is accepted by the %s version and refused by the %s one, by %s:\n\n%sjson\n%s\n%s\n\n", escapeMarkdown(x.In), x.AcceptedBy, x.RefusedBy, escapeMarkdown(refusalText(x)), fence, x.Message, fence)
		}
	}
	for _, group := range []struct {
		title string
		of    func(*Finding) bool
	}{
		{"compatible", func(f *Finding) bool { return f.Ignored == nil && f.Class == Compatible }},
		{"ignored", func(f *Finding) bool { return f.Ignored != nil }},
	} {
		var lines []string
		for i := range r.Findings {
			f := &r.Findings[i]
			if !group.of(f) {
				continue
			}
			line := fmt.Sprintf("- %s (%s)", escapeMarkdown(f.Summary), code(f.Rule))
			if h := hit(f); f.Ignored == nil && h != nil {
				line += fmt.Sprintf("; but %s: %s", escapeMarkdown(h.Peers), escapeMarkdown(h.Words))
			}
			if f.Ignored != nil {
				line += fmt.Sprintf(": %s, until %s", escapeMarkdown(f.Ignored.Reason), f.Ignored.Expires)
			}
			lines = append(lines, line)
		}
		if lines != nil {
			fmt.Fprintf(b, "<details><summary>%d %s</summary>\n\n%s\n\n</details>\n\n", len(lines), group.title, strings.Join(lines, "\n"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var markdown = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<", "&lt;", ">", "&gt;", "#", "\\#", "|", "\\|", "\n", " ")

func escapeMarkdown(s string) string { return markdown.Replace(s) }

// cell makes a text fit for a table, also inside code.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\\|", "|"), "|", "\\|")
}

// WriteGitHub writes workflow commands, which GitHub shows beside the lines.
func WriteGitHub(w io.Writer, r *Report) error {
	b := &strings.Builder{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Ignored != nil {
			continue
		}
		// The place is the new file: the one that is reviewed.
		level := map[Class]string{Breaking: "error", Undecided: "warning", Risky: "warning", Compatible: "notice"}[f.Class]
		at := f.New
		if at == nil {
			at = f.Old
		}
		text := f.Summary + ": " + f.Reason
		if f.Witness != nil {
			text += "\n" + f.Witness.Message + "\nrefused by the " + f.Witness.RefusedBy + " version: " + refusalText(f.Witness)
		}
		fmt.Fprintf(b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", level, property(at.File), at.Line, at.Column, property("drift: "+f.Rule), data(text))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(b, "::warning file=%s,title=drift::%s\n", property(r.New.File), data(note))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

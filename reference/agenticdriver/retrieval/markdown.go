package retrieval

import (
	"strings"
	"unicode/utf16"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// maxTitle bounds a section's title, in UTF-16 code units.
const maxTitle = 256

// sections cuts Markdown at its headings. What stands before the first one is a
// section without a title. Headings inside fences do not count.
func sections(text string, line int64, base protocol.SourceLocation) []segment {
	var out []segment
	current := segment{line: line, location: base}
	var body strings.Builder
	next := func(title string, at int64) {
		if current.text = body.String(); current.text != "" {
			out = append(out, current)
		}
		body.Reset()
		current = segment{line: at, location: base}
		if title = clip(title); title != "" {
			current.location.Section = wire.Some(title)
		}
	}
	lines := strings.SplitAfter(text, "\n")
	fence := ""
	for i, l := range lines {
		at := line + int64(i)
		bare := strings.TrimRight(l, "\n")
		switch mark := fenceMark(bare); {
		case fence != "":
			if mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && strings.Trim(bare, " \t"+mark[:1]) == "" {
				fence = ""
			}
		case mark != "":
			fence = mark
		default:
			if title, ok := atxHeading(bare); ok {
				next(title, at)
			} else if i+1 < len(lines) && !blank(bare) && underline(strings.TrimRight(lines[i+1], "\n")) && !underline(bare) {
				next(strings.TrimSpace(bare), at)
			}
		}
		body.WriteString(l)
	}
	next("", 0)
	return out
}

// indent counts leading spaces; more than 3 make a line code.
func indent(line string) (string, bool) {
	rest := strings.TrimLeft(line, " ")
	return rest, len(line)-len(rest) <= 3
}

// fenceMark gives the run of ` or ~ that opens or closes a fence; empty if the
// line does neither.
func fenceMark(line string) string {
	rest, ok := indent(line)
	if !ok {
		return ""
	}
	for _, c := range []string{"`", "~"} {
		if n := len(rest) - len(strings.TrimLeft(rest, c)); n >= 3 && (c == "~" || !strings.Contains(rest[n:], "`")) {
			return rest[:n]
		}
	}
	return ""
}

func atxHeading(line string) (string, bool) {
	rest, ok := indent(line)
	text := strings.TrimLeft(rest, "#")
	n := len(rest) - len(text)
	if !ok || n == 0 || n > 6 || text != "" && text[0] != ' ' && text[0] != '\t' {
		return "", false
	}
	text = strings.TrimSpace(text)
	if closed := strings.TrimRight(text, "#"); closed == "" || strings.HasSuffix(closed, " ") || strings.HasSuffix(closed, "\t") {
		text = closed
	}
	return strings.TrimSpace(text), true
}

// underline tells whether the line makes a heading of the one before it.
func underline(line string) bool {
	rest, ok := indent(line)
	rest = strings.TrimRight(rest, " \t")
	return ok && rest != "" && (strings.Trim(rest, "=") == "" || strings.Trim(rest, "-") == "")
}

func clip(title string) string {
	units := utf16.Encode([]rune(title))
	if len(units) <= maxTitle {
		return title
	}
	units = units[:maxTitle]
	if last := units[maxTitle-1]; utf16.IsSurrogate(rune(last)) && last < 0xdc00 {
		units = units[:maxTitle-1]
	}
	return string(utf16.Decode(units))
}

package retrieval

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
)

var plain = &policy.Policy{}

// shown writes chunks as lines of first-last and text.
func shown(chunks []protocol.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&b, "%d-%d %q", c.Location.StartLine.Value, c.Location.EndLine.Value, c.Text)
		if c.Location.Section.Set {
			fmt.Fprintf(&b, " of %q", c.Location.Section.Value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestChunksOfLines(t *testing.T) {
	tests := []struct {
		name, text string
		max        int
		want       string
	}{
		{"all in one", "a\nb\nc", 10, `1-3 "a\nb\nc"`},
		{"as many lines as fit", "aa\nbb\ncc\n", 6, `1-2 "aa\nbb\n"` + "\n" + `3-3 "cc\n"`},
		{"a line that fits exactly", "aaaaa\nb", 6, `1-1 "aaaaa\n"` + "\n" + `2-2 "b"`},
		{"a long line in pieces, its rest alone", "a\nbbbbbbbb\nc\n", 5, `1-1 "a\n"` + "\n" + `2-2 "bbbbb"` + "\n" + `2-2 "bbb\n"` + "\n" + `3-3 "c\n"`},
		{"no character is cut", "ééé", 3, `1-1 "é"` + "\n" + `1-1 "é"` + "\n" + `1-1 "é"`},
		{"blank chunks are left out", "a\n \n\n\n  \nb\n", 4, `1-2 "a\n \n"` + "\n" + `6-6 "b\n"`},
		{"other line ends", "a\r\nb\rc\n", 10, `1-3 "a\nb\nc\n"`},
		{"only white space", " \n\t\n\u00a0\ufeff\u2003", 100, ""},
		{"nothing", "", 100, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.TrimSuffix(shown(cut("s", []segment{{text: normalise(tt.text), line: 1}}, tt.max, plain)), "\n")
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// The ids were computed in JavaScript, from what the protocol says of them.
func TestIDsOfChunks(t *testing.T) {
	line := func(l protocol.SourceLocation, first, last int64) *protocol.SourceLocation {
		l.StartLine, l.EndLine = wire.Some(first), wire.Some(last)
		return &l
	}
	page := wire.Some[int64](2)
	tests := []struct {
		source   string
		location *protocol.SourceLocation
		text     string
		ordinal  int
		want     string
	}{
		{"guide", line(protocol.SourceLocation{}, 1, 2), "first line\nsecond <line> & more\n", 0, "p-a86b5e56ac60022f6296cb73fdc0fa5b709bbbf87f79149b2b61a7e93633ed4f"},
		{"guide", line(protocol.SourceLocation{Section: wire.Some("Über \u2028 \"uns\"")}, 3, 4), "# Über\ntext", 1, "p-15eac03e1dff623f410b5a2bd0045e2d2f7b7b65986720a35e9c46bc50641fcf"},
		{"a", line(protocol.SourceLocation{Page: page, PageEnd: page}, 1, 1), "p", 0, "p-337b1212b1a80aee4fff3311b9e2ec9cfb9fa1351cecc45610098ca8ce6f2d2c"},
		{"a", line(protocol.SourceLocation{ThreadID: wire.Some("t"), MessageID: wire.Some("m1")}, 1, 1), "hello\n", 0, "p-db64b7f4354414f3775e513b7bffe397a2ae343bcf60ed17c569ff34b4900e0c"},
	}
	for _, tt := range tests {
		if got := chunkID(tt.source, tt.location, tt.text, tt.ordinal); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

// Chunks follow one another through the text: what lies between two of them is
// blank, none is too long, and each says where it is.
func TestChunksAreTheTextInOrder(t *testing.T) {
	p := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	word := gen.OneConstOf("a", "\n", "\n\n", "\r\n", "\r", " ", "\t", "é", "😀", "word", strings.Repeat("x", 50), strings.Repeat("日", 60), "\u00a0", "\ufeff")
	p.Property("chunks are the text in order", prop.ForAll(func(words []string, max int) (string, error) {
		text := normalise(strings.Join(words, ""))
		at, line := 0, int64(1)
		skip := func(to int) error {
			if gap := text[at:to]; !blank(gap) {
				return fmt.Errorf("%q is in no chunk", gap)
			}
			line += int64(strings.Count(text[at:to], "\n"))
			at = to
			return nil
		}
		ids := map[string]bool{}
		for _, c := range cut("s", []segment{{text: text, line: 1}}, max, plain) {
			// The first place where it fits is the one: what is left out before it is blank.
			i := strings.Index(text[at:], c.Text)
			if i < 0 {
				return fmt.Errorf("%q is not in the rest of the text", c.Text).Error(), nil
			}
			for line+int64(strings.Count(text[at:at+i], "\n")) < c.Location.StartLine.Value {
				next := strings.Index(text[at+i+1:], c.Text)
				if next < 0 {
					return fmt.Sprintf("%q does not begin on line %d", c.Text, c.Location.StartLine.Value), nil
				}
				i += next + 1
			}
			if err := skip(at + i); err != nil {
				return err.Error(), nil
			}
			last := line + int64(strings.Count(strings.TrimSuffix(c.Text, "\n"), "\n"))
			switch {
			case c.Location.StartLine.Value != line || c.Location.EndLine.Value != last:
				return fmt.Sprintf("%q is on the lines %d to %d, not %d to %d", c.Text, line, last, c.Location.StartLine.Value, c.Location.EndLine.Value), nil
			case len(c.Text) > max:
				return fmt.Sprintf("%q has %d bytes", c.Text, len(c.Text)), nil
			case !utf8.ValidString(c.Text) || blank(c.Text) || ids[c.ID]:
				return fmt.Sprintf("%q is cut in a character, blank, or has no id of its own", c.Text), nil
			}
			ids[c.ID] = true
			line += int64(strings.Count(c.Text, "\n"))
			at += len(c.Text)
		}
		if err := skip(len(text)); err != nil {
			return err.Error(), nil
		}
		return "", nil
	}, gen.SliceOf(word), gen.IntRange(128, 300)))
	p.TestingRun(t)
}

func TestSectionsOfMarkdown(t *testing.T) {
	long := strings.Repeat("x", 255) + "😀"
	tests := []struct{ name, text, want string }{
		{"headings", "before\n# One\na\n## Two ##\nb\n", `1-1 "before\n"` + "\n" + `2-3 "# One\na\n" of "One"` + "\n" + `4-5 "## Two ##\nb\n" of "Two"`},
		{"underlined", "One\n===\na\n\nTwo\n---\nb", `1-4 "One\n===\na\n\n" of "One"` + "\n" + `5-7 "Two\n---\nb" of "Two"`},
		{"fences hide headings", "# A\n```\n# no\n```\n~~~\n# no\n````\n~~~\n# B", `1-8 "# A\n` + "```" + `\n# no\n` + "```" + `\n~~~\n# no\n` + "````" + `\n~~~\n" of "A"` + "\n" + `9-9 "# B" of "B"`},
		{"no headings", "####### seven\n#nospace\n    # code\n", `1-3 "####### seven\n#nospace\n    # code\n"`},
		{"up to three spaces, and a bare mark", "   # A\n#\nb", `1-1 "   # A\n" of "A"` + "\n" + `2-3 "#\nb"`},
		{"marks at the end belong to the title unless blank is before them", "# C#\n", `1-1 "# C#\n" of "C#"`},
		{"a rule below nothing is no heading", "\n---\na", `1-3 "\n---\na"`},
		{"a title is cut between characters", "# " + long, `1-1 "# ` + long + `" of "` + strings.Repeat("x", 255) + `"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.TrimSuffix(shown(cut("s", sections(tt.text, 1, protocol.SourceLocation{}), 2048, plain)), "\n")
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// Sections lose nothing of the text, whatever it is.
func TestSectionsAreTheText(t *testing.T) {
	p := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	line := gen.OneConstOf("# A\n", "text\n", "===\n", "---\n", "```\n", "~~~~\n", "\n", "   ## B ##\n", "    x\n", "end")
	p.Property("sections joined are the text", prop.ForAll(func(lines []string) bool {
		text := strings.Join(lines, "")
		var joined strings.Builder
		next := int64(1)
		for _, s := range sections(text, 1, protocol.SourceLocation{}) {
			if s.line != next {
				return false
			}
			next += int64(strings.Count(s.text, "\n"))
			joined.WriteString(s.text)
		}
		return joined.String() == text
	}, gen.SliceOf(line)))
	p.TestingRun(t)
}

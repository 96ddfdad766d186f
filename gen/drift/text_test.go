package drift_test

import (
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/drift"
)

func TestOnATerminalTheDifferenceIsColoured(t *testing.T) {
	r := compare(t, `{"maxLength": 9}`, `{"maxLength": 8}`, drift.Options{Direction: drift.Request})
	var plain, coloured strings.Builder
	if err := drift.WriteText(&plain, r, false); err != nil {
		t.Fatal(err)
	}
	if err := drift.WriteText(&coloured, r, true); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"\x1b[31m- 9\x1b[0m\n", "\x1b[32m+ 8\x1b[0m\n", "\x1b[1m\x1b[31mbreaking\x1b[0m"} {
		if !strings.Contains(coloured.String(), part) {
			t.Errorf("%q is missing in %q", part, coloured.String())
		}
	}
	if before, after := strings.Index(coloured.String(), "+ 8"), strings.Index(coloured.String(), "witness"); before < 0 || after < before {
		t.Error("the witness comes after the difference")
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("plain text has escape sequences: %q", plain.String())
	}
}

func TestReportsQuoteNothingThatTheirFormatWouldRead(t *testing.T) {
	r := compare(t, `{"type": "object", "properties": {"</pre>|%0A`+"`"+`": {"const": "<b>,::|"}}}`, `{"type": "object", "properties": {"</pre>|%0A`+"`"+`": {"const": "</script>"}}}`, drift.Options{Direction: drift.Request})
	var markdown, html, github strings.Builder
	if err := drift.WriteMarkdown(&markdown, r); err != nil {
		t.Fatal(err)
	}
	if err := drift.WriteHTML(&html, r); err != nil {
		t.Fatal(err)
	}
	if err := drift.WriteGitHub(&github, r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(html.String(), "</script>") || strings.Contains(html.String(), "<b>") {
		t.Errorf("the page takes text for tags: %s", html.String())
	}
	for line := range strings.Lines(github.String()) {
		if !strings.HasPrefix(line, "::") {
			t.Errorf("a line that is no command: %q", line)
		}
	}
	for line := range strings.Lines(markdown.String()) {
		if strings.HasPrefix(line, "| old ") || strings.HasPrefix(line, "| new ") {
			if cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); cells != 3 {
				t.Errorf("a row of %d cells: %s", cells-1, line)
			}
		}
	}
}

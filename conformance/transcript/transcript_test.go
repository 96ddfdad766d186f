package transcript

import (
	"strings"
	"testing"
	"time"
)

func TestSecretsAreReplacedEvenWhereTextIsCut(t *testing.T) {
	tr := New(time.Now())
	tr.Hide("hunter2!", "target.token")
	tr.Hide("abc", "short") // too short to be told from ordinary text
	tr.Add(Sent, strings.Repeat("x", maxText-4)+"hunter2!")
	tr.Add(Sent, "abc hunter2! abc")
	entries := tr.Entries()
	if strings.Contains(entries[0].Text, "hunt") {
		t.Error("a piece of the secret is left")
	}
	if entries[1].Text != "abc [target.token] abc" {
		t.Error(entries[1].Text)
	}
}

func TestAFloodLeavesBeginningAndEnd(t *testing.T) {
	tr := New(time.Now())
	tr.Add(Note, "first")
	for range 10_000 {
		tr.Add(Received, "and so on")
	}
	tr.Add(Note, "last")
	entries := tr.Entries()
	if len(entries) > first+2*last+1 || entries[0].Text != "first" || entries[len(entries)-1].Text != "last" {
		t.Errorf("%d entries from %q to %q", len(entries), entries[0].Text, entries[len(entries)-1].Text)
	}
	if gap := entries[first].Text; !strings.HasSuffix(gap, "entries are left out here)") {
		t.Error(gap)
	}
}

func TestShortenCutsAtCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"abc": "abc", "äöü": "äö… (6 bytes)", "abcdef": "abcde… (6 bytes)", "\xff": "\uFFFD", "abcd\xe2\x82": "abcd… (6 bytes)",
	} {
		if got := Shorten(in, 5); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
